"""From segments to the messages of AnyInfer."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import anyinfer

from orchestrator_context.conversation.beside import outcome
from orchestrator_context.conversation.formats.edits import arguments_of
from orchestrator_context.conversation.formats.losses import check_anew
from orchestrator_context.conversation.formats.media import is_url
from orchestrator_context.conversation.formats.openai_chat_parts import CHAT
from orchestrator_context.conversation.formats.sayable import is_result, unsayable
from orchestrator_context.exceptions import FormatError
from orchestrator_context.messages import continues
from orchestrator_context.models import Media, Segment
from orchestrator_context.providers._requests import (
    labelled_users,
    plain_messages,
    something,
    text_of,
)
from orchestrator_context.text import clean

_TITLE = "AnyInfer"
_DIALECT = replace(CHAT, name="", title=_TITLE)  # for what no format can say


def anyinfer_messages(segments: Sequence[Segment]) -> list[anyinfer.Message]:
    """Return the messages that `segments` make.

    Raises:
        FormatError: AnyInfer cannot take a segment.
        ConfigurationError: there is nothing to send.
    """
    plain = plain_messages(segments)
    if plain is not None:
        return [
            anyinfer.Message(one["role"], (anyinfer.Text(clean(one["content"])),)) for one in plain
        ]
    check_anew(_DIALECT, segments)
    runs: list[list[Segment]] = []
    for segment in labelled_users(segments):
        if runs and _joins(runs[-1][-1], segment):
            runs[-1].append(segment)
        else:
            runs.append([segment])
    messages = [
        anyinfer.Message(_role(run[0]), tuple(chain.from_iterable(map(_parts, run))))
        for run in runs
    ]
    return something([message for message in messages if message.content])


def _role(segment: Segment) -> anyinfer.Role:
    if is_result(segment):
        return "tool"
    return "assistant" if segment.kind == "tool_call" else segment.role


def _joins(before: Segment, segment: Segment) -> bool:
    """Return whether two neighbours share a message: results never do, text and calls always."""
    if is_result(before) or _role(before) != _role(segment):
        return False
    of_tool = "tool_call" in (before.kind, segment.kind)
    return continues(before, segment) or (of_tool and _role(segment) == "assistant")


def _parts(segment: Segment) -> list[anyinfer.ContentPart]:
    content = clean(segment.content)
    if segment.kind == "tool_call":
        arguments = arguments_of(_DIALECT, segment)
        return [anyinfer.ToolCall(segment.call_id, segment.title, arguments)]
    if is_result(segment):
        if segment.media:
            why, way_out = "its tools answer with text only", "move the media behind the results"
            raise unsayable(_TITLE, segment, why, way_out)
        return [anyinfer.ToolResult(segment.call_id, clean(outcome(segment).content))]
    text = text_of(replace(segment, content=content))
    texts: list[anyinfer.ContentPart] = [anyinfer.Text(text)] if text else []
    return texts + [_media(media, segment) for media in segment.media]


def _media(media: Media, segment: Segment) -> anyinfer.ContentPart:
    try:
        return _part(media, segment)
    except (binascii.Error, ValueError) as error:
        if isinstance(error, FormatError):
            raise
    raise unsayable(_TITLE, segment, f"its {media.type} is damaged", "check type and data")


def _part(media: Media, segment: Segment) -> anyinfer.ContentPart:
    data = base64.b64decode(media.data, validate=True) if media.data else None
    url = None if media.data else media.url
    if url is not None and (media.type == "audio" or not is_url(media)):
        raise unsayable(_TITLE, segment, f"it takes no such {media.type}", "send it as data")
    if media.type == "audio":
        return anyinfer.AudioPart(data or b"", media.media_type)
    if media.type == "image":
        return anyinfer.ImagePart(data, url, media.media_type or "image/png", media.detail)
    name = segment.title or None
    return anyinfer.DocumentPart(data, url, media.media_type or "application/pdf", name)
