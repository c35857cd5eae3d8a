"""The items of OpenAI's Responses, and the parts of its messages."""

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
from orchestrator_context.conversation.formats.raw import Json, known_role, mapping_at, text_at
from orchestrator_context.conversation.formats.sayable import is_result, unsayable
from orchestrator_context.conversation.formats.shapes import OTHER, TEXT, Dialect, Placed, Shape
from orchestrator_context.models import Media, Role, Segment

ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}


def is_message(item: Json) -> bool:
    """Return whether an item is a message; the short form of one has no type."""
    return item.get("type") == "message" or (item.get("type") is None and "role" in item)


def _shape(part: object, slot: str) -> Shape:
    if slot == "":
        return _item_shape(mapping_at(part, ()) or {})
    return TEXT if isinstance(part, str) else _PARTS.get(text_at(part, ("type",)), OTHER)


def _item_shape(item: Json) -> Shape:
    name = text_at(item, ("type",))
    if is_message(item):
        return _EMPTY
    if name in _ITEMS:
        return _ITEMS[name]
    if name == "local_shell_call_output" and not text_at(item, ("call_id",)):
        return replace(_OTHER_RESULT, call_id=("id",))
    if not text_at(item, ("call_id",)):
        return OTHER
    if name.endswith("_output"):
        return _OTHER_RESULT
    return _OTHER_CALL if name.endswith("_call") or name == "program" else OTHER


def _image(part: Json) -> tuple[Media, ...] | None:
    url = text_at(part, ("image_url",)) or text_at(part, ("file_id",))
    return (from_url("image", url, detail=part.get("detail")),) if url else None


def _screenshot(item: Json) -> tuple[Media, ...] | None:
    return _image(mapping_at(item, ("output",)) or {})


def _drawn(item: Json) -> tuple[Media, ...]:
    data, name = text_at(item, ("result",)), text_at(item, ("output_format",))
    return (from_data("image", data, f"image/{name or 'png'}"),) if data else ()


_EMPTY = Shape(text=("content",), form="parts")
_PARTS = {
    **dict.fromkeys(
        ("input_text", "text", "summary_text", "reasoning_text"),
        Shape(text=("text",)),
    ),
    "output_text": Shape(text=("text",), tied=("annotations", "logprobs")),
    "refusal": Shape(text=("refusal",)),
    "input_image": Shape("media", None, media=_image, held=(("image_url",), ("file_id",))),
    "input_file": Shape("media", None, title=("filename",), media=file_media, held=FILE_HELD),
    "input_audio": Shape("media", None, media=sound_media, held=SOUND_HELD),
}
_CALL = Shape("tool_call", ("arguments",), "json", title=("name",), call_id=("call_id",))
_RESULT = Shape("tool_result", ("output",), "parts", title=("name",), call_id=("call_id",))
_OTHER_CALL = Shape("tool_call", (), "any", call_id=("call_id",), only=True, locked=True)
_OTHER_RESULT = replace(_OTHER_CALL, kind="tool_result")
_ITEMS = {
    "function_call": _CALL,
    "function_call_output": _RESULT,
    "custom_tool_call": replace(_CALL, text=("input",), only=True),
    "custom_tool_call_output": replace(_RESULT, only=True),
    "computer_call_output": replace(
        _OTHER_RESULT, text=None, media=_screenshot,
        held=(("output", "image_url"), ("output", "file_id")),
    ),
    "mcp_approval_request": replace(_CALL, call_id=("id",), only=True, locked=True),
    "mcp_approval_response": replace(_OTHER_RESULT, call_id=("approval_request_id",)),
    "mcp_call": replace(OTHER, call_id=("approval_request_id",)),
    "image_generation_call": replace(
        OTHER, text=None, media=_drawn, held=(("result",), ("output_format",))
    ),
    "reasoning": Shape(
        "reasoning", ("content",), "parts", also=("summary",), opaque=("encrypted_content",),
        only=True, locked=True,
    ),
}  # fmt: skip


def _text_part(text: str, role: Role) -> Json:
    if role == "assistant":
        return {"type": "output_text", "text": text, "annotations": []}
    return {"type": "input_text", "text": text}


def _media_part(media: Media, segment: Segment) -> Json:
    if media.type == "audio":
        raise unsayable(RESPONSES.title, segment, "it takes no sounds", "send its text instead")
    if media.type == "image":
        image: Json = {"type": "input_image", "detail": media.detail}
        if media.data:
            return image | {"image_url": data_url(media)}
        return image | {"image_url" if is_url(media) else "file_id": media.url}
    if media.data:
        name = segment.title or file_name(media)
        return {"type": "input_file", "filename": name, "file_data": data_url(media)}
    return {"type": "input_file", "file_url" if is_url(media) else "file_id": media.url}


def _native(segment: Segment) -> Placed:
    call_id = segment.call_id
    if segment.kind == "tool_call":
        call: Json = {"type": "function_call", "call_id": call_id, "name": segment.title}
        return "", [call | {"arguments": segment.content}]
    if is_refusal(segment):
        return "content", [{"type": "refusal", "refusal": segment.content}]
    if not is_result(segment):
        return "content", native_parts(RESPONSES, segment)
    segment = outcome(segment)
    output: object = native_parts(RESPONSES, segment) if segment.media else segment.content
    return "", [{"type": "function_call_output", "call_id": call_id, "output": output}]


def _home(segment: Segment) -> str:
    if segment.kind == "tool_call" or is_result(segment):
        return ""
    return "developer" if is_developer(segment) else segment.role


def _never(before: Segment, segment: Segment) -> bool:
    del before, segment
    return False


RESPONSES = Dialect(
    name="openai_responses",
    title="OpenAI Responses",
    service="openai",
    slots=("content",),
    lists=frozenset({"content"}),
    shape=_shape,
    others={},
    role=lambda item: known_role(item, ROLES, "assistant"),
    text_part=_text_part,
    media_part=_media_part,
    native=_native,
    home=_home,
    names=False,
    joins=_never,
)
