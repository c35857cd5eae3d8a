"""A segment that changed, put back into the part it came from."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from orchestrator_context.conversation.beside import with_context
from orchestrator_context.conversation.formats.raw import (
    Json,
    json_value,
    mapping_at,
    put,
    text_at,
    value_at,
)
from orchestrator_context.conversation.formats.sayable import unsayable
from orchestrator_context.conversation.formats.shapes import Dialect, Reading, Shape, read_list
from orchestrator_context.conversation.kept import copied
from orchestrator_context.models import Segment


def edited(
    dialect: Dialect, part: object, segment: Segment, reading: Reading
) -> list[object] | None:
    """Return a copy of `part` that says what `segment` says, or None where it has no place for it.

    A text beside media that have no place for one becomes a part of its own before them.

    Args:
        dialect: the format.
        part: the original.
        segment: what it should say.
        reading: what it says.

    Raises:
        FormatError: the part is signed or unknown, or its new text is not the JSON it must be.
    """
    was, shape = reading.segment, reading.shape
    new = copied(part)
    if shape.kind == "media" and shape.title and segment.title != text_at(new, shape.title):
        put(new, shape.title, segment.title)
    if segment.content != was.content or segment.media != was.media:
        if was.locked or shape.form == "any":
            raise unsayable(
                dialect.title, segment, "it came from a part that may not be changed",
                "leave it as it was or drop it",
            )  # fmt: skip
        if segment.media != was.media and shape.form != "parts":
            return None if segment.content != was.content else _with_media(dialect, new, segment)
        if shape.text is None:
            return [dialect.text_part(segment.content, segment.role), new]
        new = put(new, shape.text, _value(dialect, value_at(part, shape.text), segment, reading))
        _untie(new, shape)
    if was.call_id and segment.call_id != was.call_id:
        put(new, shape.call_id, segment.call_id)
    if shape.title and shape.kind == "tool_call" and segment.title != was.title:
        put(new, shape.title, segment.title)
    return [new]


def _with_media(dialect: Dialect, part: object, segment: Segment) -> list[object] | None:
    """Return a part with another medium in it, or None where it has no place for it."""
    if len(segment.media) != 1 or not isinstance(part, dict):
        return None
    old, new = cast("Json", part), dialect.media_part(segment.media[0], segment)
    return [{**old, **new}] if new.get("type") == old.get("type") else None


def _untie(new: object, shape: Shape) -> None:
    """Empty what points at places in a text that has changed, such as annotations."""
    for key in shape.tied:
        if value_at(new, (key,)):
            put(new, (key,), [])


def _value(dialect: Dialect, old: object, segment: Segment, reading: Reading) -> object:
    """Return what stands in the place of `old`."""
    form = reading.shape.form
    if form == "parts":
        return _parts(dialect, old, segment, reading.segment)
    if form == "object" or (form == "json" and not isinstance(old, str | None)):
        return arguments_of(dialect, segment)
    return segment.content


def arguments_of(dialect: Dialect, segment: Segment) -> Json:
    """Return the arguments of a call as a JSON object; none at all are an empty one.

    Raises:
        FormatError: they are something else.
    """
    value = mapping_at(json_value(segment.content) if segment.content.strip() else {}, ())
    if value is None:
        raise unsayable(
            dialect.title, segment, "its arguments are no JSON object",
            "make its content one, or drop the call together with its result",
        )  # fmt: skip
    return value


def _parts(dialect: Dialect, old: object, segment: Segment, was: Segment) -> object:
    """Return the new text and media in the places of the old ones; a str while there is no other.

    All texts of a list become one, in the place of the first, for nobody can tell which of them
    the new text is.
    """
    if not isinstance(old, list):
        return segment.content if not segment.media else native_parts(dialect, segment)
    parts = cast("list[object]", old)
    left = list(segment.media)
    news = [] if segment.content == was.content else [segment.content]
    kept: list[object] = []
    for part, reading in zip(parts, read_list(dialect, parts, "tool"), strict=True):
        said = reading.segment
        if said.content and segment.content != was.content:
            kept += _retold(dialect, part, news.pop(), reading) if any(news) else []
        elif all(medium in left for medium in said.media):
            kept.append(copied(part))
            for medium in said.media:
                left.remove(medium)
    first = [dialect.text_part(text, segment.role) for text in news if text]
    return [*first, *kept, *(dialect.media_part(medium, segment) for medium in left)] or ""


def _retold(dialect: Dialect, part: object, text: str, reading: Reading) -> list[object]:
    """Return a part of a list with another text."""
    retold = None
    if reading.shape.form == "text":
        retold = edited(dialect, part, replace(reading.segment, content=text), reading)
    return retold or [dialect.text_part(text, "tool")]


def native_parts(dialect: Dialect, segment: Segment) -> list[object]:
    """Return the text and the media of a segment as parts; a title without a place comes first."""
    titled = segment.title and _needs_words(dialect, segment)
    text = (
        "\n\n".join(filter(None, (segment.title, segment.content))) if titled else segment.content
    )
    text = with_context(segment, text)
    parts: list[object] = [dialect.text_part(text, segment.role)] if text else []
    return parts + [dialect.media_part(medium, segment) for medium in segment.media]


def _needs_words(dialect: Dialect, segment: Segment) -> bool:
    """Return whether the title of a segment has to be told as text: none of its parts has one."""
    if segment.kind == "document":
        return True
    files = [medium for medium in segment.media if medium.type == "file"]
    named = any(medium.data or dialect.service == "anthropic" for medium in files)
    return segment.kind == "media" and bool(files) and not named
