"""Segments put together as the messages of a format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from orchestrator_context.conversation.formats.edits import edited
from orchestrator_context.conversation.formats.places import Origin, Piece, pieces_of
from orchestrator_context.conversation.formats.raw import Json, copied
from orchestrator_context.conversation.formats.sayable import check_sayable, is_result
from orchestrator_context.conversation.formats.shapes import Dialect
from orchestrator_context.models import Segment


@dataclass(slots=True)
class Draft:
    """The pieces of one message.

    Attributes:
        home: its role, or "" where nothing may join it.
        pieces: in order.
        anchor: the newest origin among them, or None where this format made none of them.
    """

    home: str
    pieces: list[Piece] = field(default_factory=list[Piece])
    anchor: Origin | None = None

    def add(self, piece: Piece) -> None:
        """Put a piece behind the others."""
        self.pieces.append(piece)
        self.anchor = piece.origin or self.anchor

    @property
    def author(self) -> str:
        """Who wrote it, as its first part of this format says, or else its first part."""
        own = (piece for piece in self.pieces if piece.origin is not None)
        return next(own, self.pieces[0]).segment.author


def drafts(dialect: Dialect, segments: Iterable[Segment]) -> list[Draft]:
    """Return the messages that `segments` make, in order."""
    found: list[Draft] = []
    for piece in pieces_of(dialect, segments):
        if not found or not _joins(dialect, found[-1], piece):
            found.append(Draft(_home(dialect, piece)))
        found[-1].add(piece)
    return found


def _home(dialect: Dialect, piece: Piece) -> str:
    if piece.origin is None:
        return dialect.home(piece.segment)
    return "" if piece.origin.message is None else dialect.role(piece.origin.message)


def _joins(dialect: Dialect, draft: Draft, piece: Piece) -> bool:
    """Return whether a piece belongs to a draft.

    A part that stands where another one did begins a new message, for it is of another list. What
    came from this format is joined by nothing new, except results by another result.
    """
    home, origin, anchor = _home(dialect, piece), piece.origin, draft.anchor
    if not home or home != draft.home:
        return False
    last, segment = draft.pieces[-1].segment, piece.segment
    same = segment.message != "" and segment.message == last.message
    if origin is None or anchor is None:
        is_free = origin is anchor or is_result(segment)
        return same or (is_free and dialect.joins(last, segment))
    if not same:
        return False
    return origin.message == anchor.message and _at(dialect, anchor) < _at(dialect, origin)


def _at(dialect: Dialect, origin: Origin) -> tuple[int, int]:
    return dialect.slots.index(origin.slot), origin.index or 0


@dataclass(frozen=True, slots=True)
class Value:
    """Something that goes into a field.

    Attributes:
        value: the part.
        bare: whether it fills the field alone, without a list around it.
    """

    value: object
    bare: bool = False


def built(dialect: Dialect, draft: Draft) -> list[Json]:
    """Return the message of a draft; none where nothing is left of it, several where it takes them.

    Raises:
        FormatError: the format cannot say a segment.
    """
    filled: dict[str, list[Value]] = {}
    for piece in draft.pieces:
        slot, values = _rendered(dialect, piece)
        filled.setdefault(slot, []).extend(values)
    alone = [value.value for value in filled.pop("", [])]
    fields = {slot: _field(dialect, draft, values) for slot, values in filled.items() if values}
    messages = [_message(draft, fields)] if fields else []
    return messages + cast("list[Json]", alone)


def _rendered(dialect: Dialect, piece: Piece) -> tuple[str, list[Value]]:
    segment, origin, reading = piece.segment, piece.origin, piece.reading
    if origin is not None and reading is not None:
        parts = edited(dialect, origin.part, segment, reading)
        if parts is not None:
            bare = origin.index is None and len(parts) == 1
            return origin.slot, [Value(part, bare) for part in parts]
    check_sayable(dialect, segment)
    slot, parts = dialect.native(segment)
    return slot, [Value(part) for part in parts]


def _field(dialect: Dialect, draft: Draft, values: list[Value]) -> object:
    if len(values) == 1 and values[0].bare:
        return values[0].value
    role = draft.pieces[0].segment.role
    return [
        dialect.text_part(item.value, role)
        if item.bare and isinstance(item.value, str)
        else item.value
        for item in values
    ]


def _message(draft: Draft, fields: Json) -> Json:
    """Return a message with these fields; all else in it stays as it was.

    A field that lost all of its parts goes, and `content` becomes None.
    """
    if draft.anchor is None:
        return {"role": draft.home, **fields, **_text_alone(fields.get("content"))}
    emptied = draft.anchor.slots
    message: Json = {}
    for name, value in (draft.anchor.message or {}).items():
        if name in fields:
            message[name] = fields[name]
        elif name not in emptied:
            message[name] = copied(value)
        elif name == "content":
            message[name] = None
    return {**message, **fields}


def _text_alone(content: object) -> Json:
    """Return the content as a text, where it is nothing else."""
    parts = cast("list[Json]", content) if isinstance(content, list) else []
    text = parts[0].get("text") if len(parts) == 1 else None
    return {"content": text} if isinstance(text, str) else {}
