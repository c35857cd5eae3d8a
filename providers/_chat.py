"""Between segments and the chat messages of a service, and back to a generation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict, cast

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import FinishReason, Segment, Usage
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


class ChatMessage(TypedDict):
    """A message of text as it goes over the wire."""

    role: Literal["system", "user", "assistant"]
    content: str


def chat_messages(provider: str, segments: Sequence[Segment]) -> list[ChatMessage]:
    """Return one message for each segment, in order.

    Raises:
        ConfigurationError: there are none, or one is no plain text: media, tool calls and results.
    """
    if not segments:
        raise ConfigurationError("There are no messages to answer; pass at least one segment")
    return [_chat_message(provider, segment) for segment in segments]


def _chat_message(provider: str, segment: Segment) -> ChatMessage:
    if segment.role == "tool" or segment.kind in ("tools", "tool_call", "tool_result"):
        raise _not_text(provider, f"kind {segment.kind} and role {segment.role}")
    if segment.media or segment.kind == "media":
        raise _not_text(provider, f"kind {segment.kind} and {len(segment.media)} media")
    return {"role": segment.role, "content": segment.content}


def _not_text(provider: str, what: str) -> ConfigurationError:
    return ConfigurationError(
        f"{provider} is sent text only, and a segment has {what}; turn it into text or leave it out"
    )


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
