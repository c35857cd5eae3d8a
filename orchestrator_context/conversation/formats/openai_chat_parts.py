"""The parts of OpenAI's chat messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from orchestrator_context.conversation.beside import is_developer, is_refusal, outcome
from orchestrator_context.conversation.formats.edits import native_parts
from orchestrator_context.conversation.formats.media import (
    FILE_HELD,
    SOUND_HELD,
    data_url,
    file_media,
    file_name,
    from_data,
    from_url,
    is_url,
    sound_media,
)
from orchestrator_context.conversation.formats.raw import (
    Json,
    known_role,
    mapping_at,
    text_at,
    value_at,
)
from orchestrator_context.conversation.formats.sayable import is_result, unsayable
from orchestrator_context.conversation.formats.shapes import OTHER, TEXT, Dialect, Placed, Shape
from orchestrator_context.models import Media, Role, Segment

ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
SLOTS = (
    "reasoning_content", "reasoning", "content", "refusal", "audio", "function_call", "tool_calls",
)  # fmt: skip
_SOUNDS = {
    "audio/wav": "wav",
    "audio/wave": "wav",
    "audio/x-wav": "wav",
    "audio/mp3": "mp3",
    "audio/mpeg": "mp3",
}


def _shape(part: object, slot: str) -> Shape:
    if slot == "":
        return _WHOLE.get(text_at(part, ("role",)), _EMPTY)
    if slot == "tool_calls":
        return _call_shape(part)
    if slot in _FIELDS:
        return _FIELDS[slot]
    return TEXT if isinstance(part, str) else _PARTS.get(text_at(part, ("type",)), OTHER)


def _call_shape(call: object) -> Shape:
    for shape in _CALLS:
        if mapping_at(call, shape.title[:-1]) is not None and text_at(call, shape.title):
            return shape
    return _OTHER_CALL


def _image(part: Json) -> tuple[Media, ...] | None:
    image = part.get("image_url")
    url = text_at(image, ("url",)) or image
    detail = value_at(image, ("detail",))
    return (from_url("image", url, detail=detail),) if isinstance(url, str) else None


def _spoken(part: Json) -> tuple[Media, ...]:
    data, name = text_at(part, ("data",)), text_at(part, ("id",))
    return (from_data("audio", data, "", url=name),)


def _file(part: Json) -> tuple[Media, ...] | None:
    return file_media(mapping_at(part, ("file",)) or {})


_RESULT = Shape("tool_result", ("content",), "parts", title=("name",), call_id=("tool_call_id",))
_WHOLE = {"tool": _RESULT, "function": replace(_RESULT, call_id=())}
_EMPTY = Shape(text=("content",), form="parts")
_FIELDS = {
    "reasoning_content": Shape("reasoning"),
    "reasoning": Shape("reasoning"),
    "refusal": TEXT,
    "audio": Shape("media", ("transcript",), "json", media=_spoken),
    "function_call": Shape("tool_call", ("arguments",), "json", title=("name",)),
}
_PARTS = {
    "text": Shape(text=("text",)),
    "refusal": Shape(text=("refusal",)),
    "image_url": Shape("media", None, media=_image, held=(("image_url",), ("image_url", "url"))),
    "input_audio": Shape("media", None, media=sound_media, held=SOUND_HELD),
    "file": Shape(
        "media",
        None,
        title=("file", "filename"),
        media=_file,
        held=tuple(("file", *path) for path in FILE_HELD),
    ),
}
_CALLS = (
    Shape(
        "tool_call", ("function", "arguments"), "json", title=("function", "name"), call_id=("id",)
    ),
    Shape(
        "tool_call",
        ("custom", "input"),
        "json",
        title=("custom", "name"),
        call_id=("id",),
        only=True,
    ),
    Shape("tool_call", ("arguments",), "json", title=("name",), call_id=("id",)),
)
_OTHER_CALL = Shape("tool_call", (), "any", call_id=("id",), only=True, locked=True)


def _text_part(text: str, role: Role) -> Json:
    del role
    return {"type": "text", "text": text}


def _media_part(media: Media, segment: Segment) -> Json:
    if media.type == "image":
        return _image_part(media, segment)
    if media.type == "audio":
        return _sound_part(media, segment)
    if media.data:
        file: Json = {"filename": segment.title or file_name(media), "file_data": data_url(media)}
        return {"type": "file", "file": file}
    if is_url(media):
        raise unsayable(CHAT.title, segment, "it takes no file by its address", "send it as data")
    return {"type": "file", "file": {"file_id": media.url}}


def _image_part(media: Media, segment: Segment) -> Json:
    if not media.data and not is_url(media):
        raise unsayable(
            CHAT.title, segment, "it takes no image by its name", "give it data or a url"
        )
    image: Json = {"url": data_url(media) if media.data else media.url}
    detail: Json = {} if media.detail == "auto" else {"detail": media.detail}
    return {"type": "image_url", "image_url": image | detail}


def _sound_part(media: Media, segment: Segment) -> Json:
    sound = _SOUNDS.get(media.media_type)
    if not media.data or sound is None:
        raise unsayable(
            CHAT.title,
            segment,
            "it takes sounds as data, in WAV or MP3",
            "send it as that, or its text",
        )
    return {"type": "input_audio", "input_audio": {"data": media.data, "format": sound}}


def _native(segment: Segment) -> Placed:
    if segment.kind == "tool_call":
        function: Json = {"name": segment.title, "arguments": segment.content}
        return "tool_calls", [{"id": segment.call_id, "type": "function", "function": function}]
    if is_refusal(segment):
        return "refusal", [segment.content]
    if not is_result(segment):
        return "content", native_parts(CHAT, segment)
    if segment.media:
        raise unsayable(
            CHAT.title, segment, "its tools answer with text only",
            "move the media into a user segment behind the results",
        )  # fmt: skip
    result: Json = {"role": "tool", "tool_call_id": segment.call_id}
    return "", [result | {"content": outcome(segment).content}]


def _home(segment: Segment) -> str:
    if is_result(segment):
        return ""
    if segment.kind == "tool_call":
        return "assistant"
    return "developer" if is_developer(segment) else segment.role


def _joins(before: Segment, segment: Segment) -> bool:
    both_by_the_model = before.role == segment.role == "assistant"
    return both_by_the_model and "tool_call" in (before.kind, segment.kind)


CHAT = Dialect(
    name="openai_chat",
    title="OpenAI chat",
    service="openai",
    slots=SLOTS,
    lists=frozenset({"content", "tool_calls"}),
    shape=_shape,
    others={"tool_calls": _OTHER_CALL},
    role=lambda message: known_role(message, ROLES, "user"),
    text_part=_text_part,
    media_part=_media_part,
    native=_native,
    home=_home,
    names=True,
    joins=_joins,
)
