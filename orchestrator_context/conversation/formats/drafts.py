"""Segments put together as the messages of a format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import cast

from orchestrator_context.conversation.beside import named
from orchestrator_context.conversation.formats.edits import edited
from orchestrator_context.conversation.formats.losses import check_anew
from orchestrator_context.conversation.formats.places import Origin, Piece, pieces_of
from orchestrator_context.conversation.formats.raw import Json
from orchestrator_context.conversation.formats.sayable import check_sayable, is_result, unsayable
from orchestrator_context.conversation.formats.shapes import Dialect
from orchestrator_context.conversation.kept import copied
from orchestrator_context.models import Segment


@dataclass(slots=True)
class Draft:
    """The pieces of one message.

    Attributes:
        home: its role, or "" where nothing may join it.
        pieces: in order.
        anchor: the newest origin among them, or None where this format made none of them.
        origins: the first origin in each message that they came from, by its id.
    """

    home: str
    pieces: list[Piece] = field(default_factory=list[Piece])
    anchor: Origin | None = None
    origins: dict[str, Origin] = field(default_factory=dict[str, Origin])

    def add(self, piece: Piece) -> None:
        """Put a piece behind the others."""
        self.pieces.append(piece)
        if piece.origin is not None:
            self.anchor = piece.origin
            self.origins.setdefault(piece.origin.key, piece.origin)

    @property
    def author(self) -> str:
        """Who wrote it, as its first part of this format says, or else its first part."""
        own = (piece for piece in self.pieces if piece.origin is not None)
        return next(own, self.pieces[0]).segment.author


def drafts(dialect: Dialect, segments: Iterable[Segment]) -> list[Draft]:
    """Return the messages that `segments` make, in order.

    Raises:
        FormatError: the format cannot say a segment that it did not make, or not all of it.
    """
    pieces = pieces_of(dialect, segments)
    check_anew(dialect, [piece.segment for piece in pieces if piece.origin is None])
    found: list[Draft] = []
    for piece in pieces if dialect.names else _labelled(dialect, pieces):
        home = _home(dialect, piece)
        if not found or not _joins(dialect, found[-1], piece, home):
            found.append(Draft(home))
        found[-1].add(piece)
    return found


def _labelled(dialect: Dialect, pieces: list[Piece]) -> Iterator[Piece]:
    """Yield the pieces with their authors as labels in the texts."""
    told = named([piece.segment for piece in pieces], own=dialect.name)
    for piece, segment in zip(pieces, told, strict=True):
        yield Piece(segment, piece.origin, piece.reading)


def _home(dialect: Dialect, piece: Piece) -> str:
    if piece.origin is None:
        return dialect.home(piece.segment)
    return "" if piece.origin.message is None else dialect.role(piece.origin.message)


def _joins(dialect: Dialect, draft: Draft, piece: Piece, home: str) -> bool:
    """Return whether a piece, whose home is given, belongs to a draft.

    Messages that were given one id are one. A part that stands where another one did begins a new
    message, for it is of another list. What came from this format is joined by nothing that has
    another id, except results by another result.
    """
    origin, anchor = piece.origin, draft.anchor
    if not home or home != draft.home:
        return False
    last, segment = draft.pieces[-1].segment, piece.segment
    same = segment.message != "" and segment.message == last.message
    if origin is None or anchor is None:
        both_new = origin is None and anchor is None
        return same or ((both_new or is_result(segment)) and dialect.joins(last, segment))
    if not same:
        return False
    if origin.key != anchor.key:
        return True
    return origin.message == anchor.message and _at(dialect, anchor) < _at(dialect, origin)


def _at(dialect: Dialect, origin: Origin) -> tuple[int, int]:
    return dialect.slots.index(origin.slot), origin.index or 0


@dataclass(frozen=True, slots=True)
class Value:
    """Something that goes into a field.

    Attributes:
        value: the part.
        bare: whether it filled the field alone, without a list around it.
        new: whether it is said anew.
    """

    value: object
    bare: bool = False
    new: bool = False


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
    fields = {
        slot: _field(dialect, draft, slot, values) for slot, values in filled.items() if values
    }
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
    return slot, [Value(part, new=True) for part in parts]


def _field(dialect: Dialect, draft: Draft, slot: str, values: list[Value]) -> object:
    if len(values) == 1 and values[0].bare:
        return values[0].value
    if len(values) == 1 and values[0].new and slot == "content":
        return _text_of(values[0].value)
    role = draft.pieces[0].segment.role
    if slot not in dialect.lists:
        return _only_text(dialect, draft, slot, values)
    return [
        dialect.text_part(item.value, role)
        if item.bare and isinstance(item.value, str)
        else item.value
        for item in values
    ]


def _only_text(dialect: Dialect, draft: Draft, slot: str, values: list[Value]) -> str:
    """Return the texts of a field that takes no list, a blank line apart."""
    texts = [value.value for value in values if isinstance(value.value, str)]
    if len(texts) < len(values):
        raise unsayable(
            dialect.title,
            draft.pieces[-1].segment,
            f"its message would have {len(values)} values of {slot}",
            "give it a message of its own",
        )
    return "\n\n".join(texts)


def _message(draft: Draft, fields: Json) -> Json:
    """Return a message with these fields; all else in it stays as it was.

    A field that lost all of its parts goes, and `content` becomes None. Where several messages
    became one, the first that has a field says what is in it.
    """
    if draft.anchor is None:
        return {"role": draft.home, **fields}
    shell: Json = {}
    emptied: set[str] = set()
    for origin in draft.origins.values():
        emptied.update(origin.slots)
        for name, value in (origin.message or {}).items():
            shell.setdefault(name, value)
    message: Json = {}
    for name, value in shell.items():
        if name in fields:
            message[name] = fields[name]
        elif name not in emptied:
            message[name] = copied(value)
        elif name == "content":
            message[name] = None
    return {**message, **fields}


def _text_of(part: object) -> object:
    """Return a content that is a single part: a text where it is one, and else a list."""
    text = cast("Json", part).get("text")
    return text if isinstance(text, str) else [part]
