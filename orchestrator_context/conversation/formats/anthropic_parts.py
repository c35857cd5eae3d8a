"""The blocks of Anthropic's messages."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from orchestrator_context.conversation.beside import is_failed
from orchestrator_context.conversation.formats.edits import arguments_of, native_parts
from orchestrator_context.conversation.formats.media import from_data, from_url, is_url
from orchestrator_context.conversation.formats.raw import Json, known_role, text_at
from orchestrator_context.conversation.formats.sayable import is_result, unsayable
from orchestrator_context.conversation.formats.shapes import OTHER, TEXT, Dialect, Placed, Shape
from orchestrator_context.models import Media, Role, Segment

ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")


def _shape(part: object, slot: str) -> Shape:
    if slot == "":
        return _EMPTY
    if isinstance(part, str):
        return TEXT
    name = text_at(part, ("type",))
    if name == "document":
        return _DOCUMENTS.get(text_at(part, ("source", "type")), _FILE)
    if name in _BLOCKS:
        return _BLOCKS[name]
    if name.endswith("_tool_use"):
        return _SERVER_CALL
    return _SERVER_RESULT if name.endswith("_tool_result") else OTHER


def _image(part: Json) -> tuple[Media, ...] | None:
    return _source(part, "image")


def _file(part: Json) -> tuple[Media, ...] | None:
    return _source(part, "file")


def _source(part: Json, kind: Literal["image", "file"]) -> tuple[Media, ...] | None:
    """Return the media behind the source of a block, or None where it is of no known type."""
    source = part.get("source")
    name, data, url, file_id = (
        text_at(source, (key,)) for key in ("type", "data", "url", "file_id")
    )
    if name == "base64":
        return (from_data(kind, data, text_at(source, ("media_type",))),)
    if name == "url":
        return (from_url(kind, url),)
    return (Media(kind, url=file_id),) if name == "file" else None


_EMPTY = Shape(text=("content",), form="parts")
_HELD = tuple(("source", key) for key in ("media_type", "data", "url", "file_id"))
_BLOCKS = {
    "text": Shape(text=("text",)),
    "image": Shape("media", None, media=_image, held=_HELD),
    "thinking": Shape("reasoning", ("thinking",), opaque=("signature",)),
    "redacted_thinking": Shape("reasoning", None, opaque=("data",)),
    "tool_use": Shape("tool_call", ("input",), "object", title=("name",), call_id=("id",)),
    "tool_result": Shape(
        "tool_result", ("content",), "parts", call_id=("tool_use_id",), told=("is_error",)
    ),
}
_SERVER_CALL = Shape(
    "tool_call", ("input",), "json", title=("name",), call_id=("id",), only=True, locked=True
)
_SERVER_RESULT = Shape(
    "tool_result", ("content",), "any", call_id=("tool_use_id",), only=True, locked=True
)
_FILE = Shape("media", None, title=("title",), told=("context",), media=_file, held=_HELD)
_DOCUMENT = Shape("document", title=("title",), told=("context",))
_DOCUMENTS = {
    "text": replace(_DOCUMENT, text=("source", "data")),
    "content": replace(_DOCUMENT, text=("source", "content"), form="parts"),
}


def _text_part(text: str, role: Role) -> Json:
    del role
    return {"type": "text", "text": text}


def _media_part(media: Media, segment: Segment) -> Json:
    if media.type == "audio":
        raise unsayable(MESSAGES.title, segment, "it takes no sounds", "send its text instead")
    if media.type == "image":
        return {"type": "image", "source": _source_of(media, segment, _IMAGES)}
    source = _source_of(media, segment, ("application/pdf",))
    title: Json = {"title": segment.title} if segment.title else {}
    return {"type": "document", "source": source, **title}


def _source_of(media: Media, segment: Segment, types: tuple[str, ...]) -> Json:
    if media.data and media.media_type not in types:
        known = ", ".join(types)
        why = f"of such {media.type}s it takes {known}, not {media.media_type}"
        raise unsayable(MESSAGES.title, segment, why, "convert it, or send its text")
    if media.data:
        return {"type": "base64", "media_type": media.media_type, "data": media.data}
    if is_url(media):
        return {"type": "url", "url": media.url}
    return {"type": "file", "file_id": media.url}


def _native(segment: Segment) -> Placed:
    if segment.kind == "tool_call":
        arguments = arguments_of(MESSAGES, segment)
        name, call = segment.title, _call_id(segment.call_id)
        return "content", [{"type": "tool_use", "id": call, "name": name, "input": arguments}]
    if not is_result(segment):
        return "content", _told_parts(segment)
    content: object = _told_parts(segment) if segment.media else segment.content
    call = _call_id(segment.call_id)
    failed: Json = {"is_error": True} if is_failed(segment) else {}
    return "content", [{"type": "tool_result", "tool_use_id": call, "content": content} | failed]


def _told_parts(segment: Segment) -> list[object]:
    """Return the parts of a segment without texts of white space alone, which are refused here."""
    parts = native_parts(MESSAGES, segment)
    return [part for part in parts if text_at(part, ("text",)).strip() or not _is_text(part)]


def _is_text(part: object) -> bool:
    return text_at(part, ("type",)) == "text"


def _call_id(name: str) -> str:
    """Return an id of the characters that are allowed here; different ids stay different."""
    allowed = re.sub(r"[^a-zA-Z0-9_-]", "_", name)
    if allowed == name:
        return name
    return f"{allowed}_{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _home(segment: Segment) -> str:
    if is_result(segment):
        return "user"
    return "assistant" if segment.kind == "tool_call" else segment.role


def _joins(before: Segment, segment: Segment) -> bool:
    if is_result(before) and is_result(segment):
        return True
    both_by_the_model = before.role == segment.role == "assistant"
    return both_by_the_model and "tool_call" in (before.kind, segment.kind)


MESSAGES = Dialect(
    name="anthropic",
    title="Anthropic",
    service="anthropic",
    slots=("content",),
    lists=frozenset({"content"}),
    shape=_shape,
    others={},
    role=lambda message: known_role(message, ROLES, "system"),
    text_part=_text_part,
    media_part=_media_part,
    native=_native,
    home=_home,
    names=False,
    joins=_joins,
)
