"""What a request takes beside its texts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Framing:
    """Tokens around the texts of a request.

    Attributes:
        message: for each message, its role included.
        name: for the name of an author, beside the name itself.
        request: once for each request.
        tool: for each tool, beside its schema.
        tools: once where there are tools.
    """

    message: int
    name: int
    request: int
    tool: int
    tools: int


UPPER = Framing(message=8, name=4, request=100, tool=16, tools=600)
FRAMING = {
    "o200k_base": Framing(message=4, name=1, request=3, tool=12, tools=12),
    "cl100k_base": Framing(message=4, name=1, request=3, tool=12, tools=12),
    "o200k_harmony": Framing(message=5, name=1, request=90, tool=12, tools=30),
    "llama3": Framing(message=5, name=2, request=32, tool=8, tools=110),
    "qwen3": Framing(message=5, name=2, request=27, tool=4, tools=120),
}


def framing_of(name: str) -> Framing:
    """Return the framing of an encoding; an upper one where it is unknown."""
    return FRAMING.get(name, UPPER)
