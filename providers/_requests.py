"""From segments to the messages of a request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, takewhile
from typing import Literal, TypedDict, TypeVar, cast

from orchestrator_context.conversation import given
from orchestrator_context.conversation.beside import named, with_context
from orchestrator_context.conversation.finalize import TemplateRules, finalize_segments
from orchestrator_context.conversation.formats import (
    AnthropicRequest,
    to_anthropic,
    to_openai_chat,
)
from orchestrator_context.conversation.formats.anthropic_parts import MESSAGES
from orchestrator_context.conversation.formats.losses import check_anew, check_lossless
from orchestrator_context.conversation.formats.sayable import unsayable
from orchestrator_context.conversation.formats.unsaid import DIALECTS
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.messages import is_result, message_runs
from orchestrator_context.models import Segment
from orchestrator_context.providers._http import encode_json

Message = TypeVar("Message")

_NO_TEXT = frozenset({"reasoning", "media", "tool_call", "tool_result"})
_BLANK_LINE = "\n\n"


class ChatMessage(TypedDict):
    """A message of text as it goes over the wire."""

    role: Literal["system", "user", "assistant"]
    content: str


def plain_messages(segments: Sequence[Segment]) -> list[ChatMessage] | None:
    """Return one message for each segment, or None where they are more than messages of text.

    Authors are not sent: a view names them in its texts, where that is wanted.

    Raises:
        ConfigurationError: there are none, or they are no segments.
    """
    segments = given.segments("messages", segments)
    if not segments:
        raise ConfigurationError("There are no messages to answer; pass at least one segment")
    if not all(map(_is_plain, segments)):
        return None
    return [_message(segment, segment.content) for segment in segments]


def _is_plain(segment: Segment) -> bool:
    """Return whether a segment is a message of its own, and its text is all there is to it."""
    titled = segment.kind == "document" and segment.title
    apart = segment.role == "tool" or segment.kind in _NO_TEXT or titled
    return not (apart or segment.media or segment.message or segment.metadata)


def _message(segment: Segment, content: str) -> ChatMessage:
    return cast("ChatMessage", {"role": segment.role, "content": content})


def openai_messages(segments: Sequence[Segment]) -> list[dict[str, object]]:
    """Return messages of OpenAI's chat.

    Raises:
        FormatError: it cannot say a segment.
        ConfigurationError: nothing is left to send.
    """
    plain = plain_messages(segments)
    if plain is not None:
        return cast("list[dict[str, object]]", plain)
    return something(to_openai_chat(_unnamed(segments)))


def _unnamed(segments: Iterable[Segment]) -> list[Segment]:
    """Return `segments` without their authors, but for those that came from a format."""
    return [one if one.metadata.keys() & DIALECTS else replace(one, author="") for one in segments]


def labelled_users(segments: Iterable[Segment]) -> list[Segment]:
    """Return `segments` for a service without names: those that a format tells are labels."""
    return [replace(one, author="") for one in named(_unnamed(segments))]


def something(messages: list[Message]) -> list[Message]:
    """Return `messages`.

    Raises:
        ConfigurationError: there are none.
    """
    if not messages:
        raise ConfigurationError("All segments are empty; pass at least one that says something")
    return messages


def anthropic_request(segments: Sequence[Segment]) -> AnthropicRequest:
    """Return the system prompt and the messages of Anthropic's Messages API.

    What is said anew by the system goes to the end of the system prompt, wherever it stands.

    Raises:
        FormatError: it cannot say a segment.
        ConfigurationError: nobody but the system says anything.
    """
    plain = plain_messages(segments)
    if plain is None:
        check_anew(MESSAGES, [one for one in segments if MESSAGES.name not in one.metadata])
        request = to_anthropic(_system_first(labelled_users(segments)))
    else:
        request = _plain_request(plain)
    if not request.messages:
        raise ConfigurationError("Anthropic answers no prompt without a user segment")
    return request


def _plain_request(messages: list[ChatMessage]) -> AnthropicRequest:
    system = [message["content"] for message in messages if message["role"] == "system"]
    turns = [message for message in messages if message["role"] != "system"]
    joined = _BLANK_LINE.join(system) if system else None
    return AnthropicRequest(joined, cast("list[dict[str, object]]", turns))


def _system_first(segments: Sequence[Segment]) -> list[Segment]:
    """Return `segments` with the system's at the front, neighbours of them in one text.

    Those that came from Anthropic stay where they are: some of its models take them there.
    """
    leading = list(takewhile(lambda one: one.role == "system", segments))
    others = segments[len(leading) :]
    moved = [one for one in others if _is_said_anew(one)]
    prompt: list[Segment] = []
    for joins, neighbours in groupby(leading + moved, key=_is_joined):
        same = list(neighbours)
        prompt += [_joined(same)] if joins and len(same) > 1 else same
    return prompt + [one for one in others if not _is_said_anew(one)]


def _is_said_anew(segment: Segment) -> bool:
    return segment.role == "system" and "anthropic" not in segment.metadata


def _is_joined(segment: Segment) -> bool:
    """Return whether the text of a system segment is all there is to it."""
    more = segment.media or segment.kind in _NO_TEXT or "only" in segment.metadata
    return _is_said_anew(segment) and not more


def _joined(segments: Iterable[Segment]) -> Segment:
    return Segment(_BLANK_LINE.join(map(text_of, segments)), "system", "system")


def text_of(segment: Segment) -> str:
    """Return what a segment of text says; a document begins with its title, its context follows."""
    title = segment.title if segment.kind == "document" else ""
    return with_context(segment, _BLANK_LINE.join(filter(None, (title, segment.content))))


def text_messages(title: str, segments: Sequence[Segment]) -> list[ChatMessage]:
    """Return messages of text alone; calls and results are told in words under a heading.

    Args:
        title: who cannot take more, for errors.
        segments: any.

    Raises:
        FormatError: one is more than text, or its original says more.
        ConfigurationError: there are none.
    """
    plain = plain_messages(segments)
    if plain is not None:
        return plain
    for segment in segments:
        _check_text(title, segment)
    check_lossless(title, segments)
    told = labelled_users(finalize_segments(segments, TemplateRules(tools=False)))
    return [
        _message(run[0], _BLANK_LINE.join(filter(None, map(text_of, run))))
        for run in message_runs(told)
    ]


def _check_text(title: str, segment: Segment) -> None:
    of_tool = _is_of_tool(segment)
    if segment.media or segment.kind == "media":
        why = "it takes text only, no media"
        raise unsayable(title, segment, why, "send a description, or leave it out")
    if segment.kind == "reasoning":
        why = "reasoning is tied to the service that made it"
        raise unsayable(title, segment, why, "leave it out")
    if "only" in segment.metadata and not of_tool:
        why = f"only {segment.metadata['only']} has such parts"
        raise unsayable(title, segment, why, "send it there or leave it out")


def calls_tools(segments: Iterable[Segment]) -> bool:
    """Return whether there are calls or results among `segments`."""
    return any(map(_is_of_tool, segments))


def _is_of_tool(segment: Segment) -> bool:
    return segment.kind == "tool_call" or is_result(segment)


def extra_fields(extra: Mapping[str, object] | None, reserved: Iterable[str]) -> dict[str, object]:
    """Return more fields for every request, as they were given.

    Raises:
        ConfigurationError: they are no JSON object, or one of them is `reserved`.
    """
    if not isinstance(extra, Mapping | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigurationError(f"extra_body must be a mapping, not {type(extra).__name__}")
    fields = dict(extra or {})
    taken = [name for name in reserved if name in fields]
    if taken:
        raise ConfigurationError(f"extra_body must not set {taken[0]}: the client does")
    encode_json(fields)
    return fields
