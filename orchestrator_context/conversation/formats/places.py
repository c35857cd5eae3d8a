"""Segments with the place in their message that they came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from orchestrator_context.conversation import given
from orchestrator_context.conversation.formats.raw import Json, texts_in
from orchestrator_context.conversation.formats.shapes import (
    Dialect,
    Reading,
    opaque_of,
    read,
    read_again,
    read_list,
)
from orchestrator_context.conversation.kept import Kept, lent
from orchestrator_context.conversation.like import like
from orchestrator_context.messages import is_result, message_runs
from orchestrator_context.models import Role, Segment


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a segment came from.

    Attributes:
        part: the original.
        slot: the field of the message that held it; "" where it was the whole message.
        index: its position in a list of parts, or None where it filled the field alone.
        key: id of that message.
        message: the message without its parts, or None where the part is all of it.
        slots: fields of the message that held parts.
    """

    part: object
    slot: str = ""
    index: int | None = None
    key: str = ""
    message: Json | None = None
    slots: tuple[str, ...] = ()

    def as_mapping(self) -> Json:
        """Return JSON data, so that segments can be stored with their originals."""
        if self.message is None:
            return {"part": self.part, "key": self.key}
        place: Json = {"part": self.part, "slot": self.slot, "index": self.index}
        return place | {"key": self.key, "message": self.message, "slots": list(self.slots)}


def origin_of(dialect: Dialect, segment: Segment) -> Origin | None:
    """Return where `segment` came from, or None where this format did not make it."""
    data = lent(segment.metadata).get(dialect.name)
    if not isinstance(data, Mapping) or "part" not in data:
        return None
    place = cast("Json", data)
    slots = cast("Sequence[str]", place.get("slots", ()))
    return Origin(
        place["part"],
        cast("str", place.get("slot", "")),
        cast("int | None", place.get("index")),
        cast("str", place.get("key", "")),
        cast("Json | None", place.get("message")),
        tuple(slots),
    )


@dataclass(frozen=True, slots=True)
class Found:
    """A part of a message.

    Attributes:
        segment: what it says.
        origin: where it stands.
    """

    segment: Segment
    origin: Origin


def whole(dialect: Dialect, message: Json, role: Role, where: str) -> list[Found]:
    """Return a message that is one part."""
    return [Found(read(dialect, message, role, "", where).segment, Origin(message))]


def field_part(dialect: Dialect, message: Json, slot: str, role: Role, where: str) -> list[Found]:
    """Return the part that fills a field of a message."""
    part = message[slot]
    segment = read(dialect, part, role, slot, f"{where}.{slot}").segment
    return [Found(segment, Origin(part, slot))]


def content_parts(dialect: Dialect, message: Json, role: Role, where: str) -> list[Found]:
    """Return the parts of `content`: one for a text, one for each of a list, none for nothing.

    Raises:
        FormatError: it is neither, or a part is of a wrong type.
    """
    content = message.get("content")
    if not content and isinstance(content, str | None):
        return []
    if isinstance(content, str):
        return field_part(dialect, message, "content", role, where)
    readings = read_list(dialect, content, role, f"{where}.content")
    parts = cast("list[object]", content)
    return [
        Found(reading.segment, Origin(part, "content", index))
        for index, (part, reading) in enumerate(zip(parts, readings, strict=True))
    ]


def stamped(
    dialect: Dialect,
    message: Json,
    found: Sequence[Found],
    *,
    key: str,
    author: str = "",
    group: str = "",
) -> Iterator[Segment]:
    """Yield the parts of a message as segments that know where they came from.

    The first is named like the message, the others by their number in it, so that a message that
    grows keeps its names.
    """
    slots = tuple(dict.fromkeys(part.origin.slot for part in found))
    shell = {name: None if name in slots else value for name, value in message.items()}
    for number, part in enumerate(found):
        place = part.origin
        origin = Origin(place.part, key=key)
        if place.slot:
            origin = Origin(place.part, place.slot, place.index, key, shell, slots)
        metadata: Json = {**part.segment.metadata, dialect.name: origin.as_mapping()}
        if number == 0 and place.slot and (around := characters_beside(shell)):
            metadata["opaque"] = opaque_of(part.segment) + around
        yield like(
            part.segment,
            id=f"{key}.{number}" if number else key,
            message=key,
            author=author,
            group=group,
            metadata=Kept(metadata),
        )


def characters_beside(shell: Json) -> int:
    """Return the characters of what a message holds beside its parts, such as encrypted reasoning.

    Single values are names and marks, which are part of the framing.
    """
    return sum(
        len(text)
        for value in shell.values()
        if isinstance(value, dict | list)
        for text in texts_in(cast("object", value))
    )


@dataclass(frozen=True, slots=True)
class Piece:
    """A segment on its way back.

    Attributes:
        segment: as it is now.
        origin: where it came from; None where this format did not make it, or where it became
            something that its original is not.
        reading: what the original says.
    """

    segment: Segment
    origin: Origin | None = None
    reading: Reading | None = None


def pieces_of(dialect: Dialect, segments: Iterable[Segment]) -> list[Piece]:
    """Return `segments` with their originals.

    Results come first in messages of another format. An empty message that became one with others
    has nothing to add to them.
    """
    pieces: list[Piece] = []
    for run in message_runs(given.segments("segments", segments)):
        parts = [_piece(dialect, segment) for segment in run]
        keys = {None if part.origin is None else part.origin.key for part in parts}
        if keys == {None}:
            parts.sort(key=lambda part: not is_result(part.segment))
        elif len(keys) > 1:
            parts = [Piece(part.segment) if _is_empty(part) else part for part in parts]
        pieces += parts
    return pieces


def _piece(dialect: Dialect, segment: Segment) -> Piece:
    origin = origin_of(dialect, segment)
    if origin is None:
        return Piece(segment)
    message = cast("Json", origin.part) if origin.message is None else origin.message
    role = dialect.role(message)
    reading = read_again(dialect, origin.part, role, origin.slot, segment)
    return (
        Piece(segment, origin, reading) if _is_alike(reading.segment, segment) else Piece(segment)
    )


def _is_empty(piece: Piece) -> bool:
    """Return whether a piece is a message that had no parts."""
    origin, reading = piece.origin, piece.reading
    if origin is None or reading is None:
        return False
    return origin.message is None and reading.shape.kind is None


_APART = frozenset({"tool_call", "tool_result", "reasoning"})


def _is_alike(was: Segment, segment: Segment) -> bool:
    """Return whether a segment can still stand where it came from."""
    apart = {was.kind, segment.kind} & _APART
    return was.role == segment.role and (was.kind == segment.kind or not apart)
