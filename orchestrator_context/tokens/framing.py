r"""What a request takes beside the texts in it.

Sources, by encoding:

- o200k_base, cl100k_base: OpenAI's cookbook, "How to count tokens with tiktoken": 3 for a message,
  1 for its role, 1 for a name, 3 to start the reply; 12 once for tools, and for each tool 7 to 10.
- o200k_harmony: the harmony format: `<|start|>role<|message|>`, `<|end|>`; once the system message
  that it always begins with (61), the heading of the instructions (4) and the start of the reply.
- llama3: the template of Llama 3.1: `<|start_header_id|>role<|end_header_id|>\n\n`, `<|eot_id|>`;
  once the beginning of text, the start of the reply and the system message with two dates (25).
- qwen3: ChatML: `<|im_start|>role\n`, `<|im_end|>\n`; once the start of the reply and the system
  message that Qwen 2.5 adds where there is none (21).
- all others: above these, above Gemma (5 for a message, 4 once) and above Claude (up to 8 for a
  message, and up to 530 for the system prompt on tools that Anthropic's documentation lists).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Framing:
    """Tokens around the texts of a request.

    Attributes:
        message: for each message, its role included.
        name: for a name, beside the name itself.
        request: once.
        tool: for each tool, beside its schema.
        tools: once, where there are tools.
        tiles: whether images are priced by tiles, as OpenAI does.
    """

    message: int
    name: int
    request: int
    tool: int
    tools: int
    tiles: bool = False


UPPER = Framing(message=8, name=4, request=80, tool=16, tools=600)
FRAMING = {
    "o200k_base": Framing(message=4, name=1, request=3, tool=10, tools=12, tiles=True),
    "cl100k_base": Framing(message=4, name=1, request=3, tool=10, tools=12, tiles=True),
    "o200k_harmony": Framing(message=4, name=1, request=67, tool=8, tools=24),
    "llama3": Framing(message=5, name=2, request=30, tool=4, tools=110),
    "qwen3": Framing(message=5, name=2, request=24, tool=4, tools=120),
}
