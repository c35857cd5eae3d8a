"""From the answer of a service to a generation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from orchestrator_context.exceptions import ProviderResponseError
from orchestrator_context.models import FinishReason, Usage
from orchestrator_context.text import clean

_FINISH: Mapping[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}

_MOST_TOKENS = 10**12  # no call takes more, so a greater figure is none


def joined_text(content: object) -> str:
    """Return the text of an answer's content, cleaned: a str, or the text parts of a list."""
    if isinstance(content, str):
        return clean(content)
    parts = cast("list[object]", content) if isinstance(content, list) else []
    return clean("".join(_part_text(part) for part in parts))


def _part_text(part: object) -> str:
    fields = mapping(part)
    text = fields.get("text") if fields.get("type", "text") in ("text", "output_text") else None
    return text if isinstance(text, str) else ""


def first(value: object) -> object:
    """Return the first item of a JSON array, or None where there is none."""
    return next(iter(cast("list[object]", value)), None) if isinstance(value, list) else None


def mapping(value: object) -> dict[str, object]:
    """Return `value` if it is a JSON object, and an empty one otherwise."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def usage_of(read: object, written: object, *cached: object) -> Usage | None:
    """Return the tokens read and written, or None where they are no counts.

    Args:
        read: tokens read.
        written: tokens written.
        cached: more tokens read, counted apart from the others; None where there are none.
    """
    counts = [read, written, *(0 if count is None else count for count in cached)]
    if not all(type(count) is int and 0 <= count <= _MOST_TOKENS for count in counts):
        return None
    first, output, *rest = cast("list[int]", counts)
    return Usage(first + sum(rest), output)


def finish_reason_of(reason: object) -> FinishReason:
    """Return why an answer ended: "other" for every reason that has no name here."""
    return _FINISH.get(reason, "other") if isinstance(reason, str) else "other"


def called_a_tool(provider: str, way_out: str) -> ProviderResponseError:
    """Return the error for an answer that calls a tool and says nothing.

    Args:
        provider: the service.
        way_out: how the service is told not to call any.
    """
    return ProviderResponseError(
        f"{provider} answered with the call of a tool and no text, and generators return text "
        f"only; {way_out}, or run the tool yourself",
        provider=provider,
        status=200,
    )
