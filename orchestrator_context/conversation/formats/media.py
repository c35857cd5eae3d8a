"""Between `Media` and the ways in which services name images, sounds and files."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator
from typing import Literal, cast

from orchestrator_context.conversation.formats.headers import image_size, wave_seconds
from orchestrator_context.conversation.formats.raw import Json, json_text, text_at
from orchestrator_context.conversation.kept import copied
from orchestrator_context.models import Media

MediaType = Literal["image", "audio", "file"]

FILE_HELD = (("file_data",), ("file_url",), ("file_id",))
"""What `file_media` reads, beside the name."""

SOUND_HELD = (("input_audio", "data"), ("input_audio", "format"))
"""What `sound_media` reads."""

_DATA_URL = re.compile(r"data:([^;,]{0,100})(?:;[^;,]{0,100}){0,5};base64,")
# Signed, encrypted or binary: never read as text, but paid for.
_OPAQUE = frozenset({"encrypted_content", "encrypted_stdout", "signature", "fingerprint"})


def from_url(kind: MediaType, url: str, *, detail: object = "auto") -> Media:
    """Return the media behind a URL, a data URL or the name of a file."""
    match = _DATA_URL.match(url)
    if match:
        return from_data(kind, url[match.end() :], match[1], detail=detail)
    return Media(kind, detail=_detail(detail), url=url)


def from_data(
    kind: MediaType, data: str, media_type: str, *, detail: object = "auto", url: str = ""
) -> Media:
    """Return media that travel along as base64, with their size where their header says it."""
    size = image_size(data) if kind == "image" else None
    width, height = size or (None, None)
    seconds = wave_seconds(data) if kind == "audio" else None
    return Media(kind, width, height, _detail(detail), seconds, None, media_type, url, data)


def file_media(part: Json) -> tuple[Media, ...] | None:
    """Return the file that a part of OpenAI's holds or names, or None where it does neither."""
    data, name = text_at(part, ("file_data",)), text_at(part, ("filename",))
    url = text_at(part, ("file_url",)) or text_at(part, ("file_id",))
    if _DATA_URL.match(data):
        return (from_url("file", data),)
    if data:
        return (from_data("file", data, mimetypes.guess_type(name)[0] or ""),)
    return (Media("file", url=url),) if url else None


def sound_media(part: Json) -> tuple[Media, ...] | None:
    """Return the sound that a part of OpenAI's holds, or None where it holds none."""
    data, name = (text_at(part, ("input_audio", key)) for key in ("data", "format"))
    return (from_data("audio", data, f"audio/{name}" if name else ""),) if data else None


def file_name(media: Media) -> str:
    """Return a name for a file that has none."""
    return f"file{mimetypes.guess_extension(media.media_type) or ''}"


def _detail(value: object) -> Literal["low", "high", "auto"]:
    if value == "low":
        return "low"
    return "high" if value in ("high", "original") else "auto"


def data_url(media: Media) -> str:
    """Return media that travel along as a data URL."""
    return f"data:{media.media_type};base64,{media.data}"


def is_url(media: Media) -> bool:
    """Return whether media are fetched from an address, rather than named to a service."""
    return "://" in media.url or media.url.startswith("data:")


def described(value: object, where: str) -> tuple[str, tuple[Media, ...], int]:
    """Return a part as JSON text without its binary data, these data, and opaque characters.

    Raises:
        FormatError: it cannot be written as JSON.
    """
    top = copied([value])
    todo = [cast("list[object]", top)]
    media: list[Media] = []
    opaque = 0
    while todo:
        box = cast("Json | list[object]", todo.pop())
        media += _taken_out(box)
        for key, item in list(box.items() if isinstance(box, dict) else enumerate(box)):
            if isinstance(item, dict | list):
                todo.append(cast("list[object]", item))
            elif isinstance(item, str) and (key in _OPAQUE or _DATA_URL.match(item)):
                media += [] if key in _OPAQUE else [from_url(_kind_of(item[5:20]), item)]
                opaque += len(item) if key in _OPAQUE else 0
                cast("dict[object, object]", box)[key] = ""
    return json_text(cast("list[object]", top)[0], where), tuple(media), opaque


def opaque_fields(value: object) -> Iterator[tuple[Json, str]]:
    """Yield the fields of encrypted data at any depth: the object that holds one, and its name."""
    todo: list[object] = [value]
    while todo:
        box = todo.pop()
        if isinstance(box, list):
            todo += cast("list[object]", box)
        elif isinstance(box, dict):
            fields = cast("Json", box)
            todo += fields.values()
            yield from ((fields, name) for name in fields if name in _OPAQUE)


def _taken_out(box: Json | list[object]) -> list[Media]:
    """Return what a source in base64 holds, which is emptied."""
    if not isinstance(box, dict):
        return []
    media_type, data = box.get("media_type"), box.get("data")
    if not isinstance(media_type, str) or not isinstance(data, str) or box.get("type") == "text":
        return []
    box["data"] = ""
    return [from_data(_kind_of(media_type), data, media_type)]


def _kind_of(media_type: str) -> MediaType:
    if media_type.startswith("image/"):
        return "image"
    return "audio" if media_type.startswith("audio/") else "file"
