"""Where the parts of a format keep what a segment says, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from orchestrator_context.conversation.beside import words
from orchestrator_context.conversation.formats.media import described
from orchestrator_context.conversation.formats.raw import (
    Json,
    Path,
    fields,
    items_of,
    json_text,
    mapping_at,
    text_at,
    value_at,
)
from orchestrator_context.conversation.like import like
from orchestrator_context.models import Kind, Media, Role, Segment
from orchestrator_context.tokens.counter import OPAQUE_CHARACTERS
from orchestrator_context.tokens.estimate import upper_estimate

Form = Literal["text", "json", "object", "parts", "any"]
Said = tuple[str, tuple[Media, ...], int]
Placed = tuple[str, list[object]]

_ROLES: Mapping[Kind, Role] = {
    "tool_call": "assistant",
    "tool_result": "tool",
    "reasoning": "assistant",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """Where one type of part keeps what a segment says.

    Attributes:
        kind: kind of the segment; None for what the role implies.
        text: path of the text; the empty path is the part itself, None that it has no text.
        form: what stands there: a text; a text or any JSON; a JSON object; a text or a list of
            parts; anything, which is told as JSON without its binary data.
        also: path of a list of parts whose text follows.
        title: path of the name.
        call_id: path of the id of the call.
        opaque: keys of what is paid for, but never read as text.
        told: keys of what is paid for, and told in words where there is no field for it.
        tied: keys of lists that point at places in the text, and are empty when it changes.
        media: returns the media of a part, or None where it is not what it seems.
        held: paths of what `media` reads.
        only: whether no other format can say it.
        locked: whether its text may not change, signed or not.
    """

    kind: Kind | None = None
    text: Path | None = ()
    form: Form = "text"
    also: Path | None = None
    title: Path = ()
    call_id: Path = ()
    opaque: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    tied: tuple[str, ...] = ()
    media: Callable[[Json], tuple[Media, ...] | None] | None = None
    held: tuple[Path, ...] = ()
    only: bool = False
    locked: bool = False


TEXT = Shape()
OTHER = Shape("custom", (), "any", only=True, locked=True)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one format says in its own way.

    Attributes:
        name: key of the originals in `Segment.metadata`.
        title: its name in messages for people.
        service: whose names of files it knows.
        slots: fields of a message that hold parts, in the order of their segments.
        lists: those among them that may hold several.
        shape: returns the shape of a part in a slot, by what it says it is.
        others: shapes, by slot, of parts that are not what they say; `OTHER` elsewhere.
        role: returns who speaks in a message.
        text_part: returns a text as a part.
        media_part: returns media as a part; raises `FormatError` where it cannot.
        native: returns the field of a message that a segment goes into, "" for a message of its
            own, and the parts or messages it makes there; raises `FormatError` where it cannot.
        home: returns the role of the message a segment goes into; "" where it is one alone.
        names: whether its messages have names.
        joins: returns whether a segment belongs to the message of the one before, although they
            were two; asked where this format did not make both.
    """

    name: str
    title: str
    service: Literal["openai", "anthropic"]
    slots: tuple[str, ...]
    lists: frozenset[str]
    shape: Callable[[object, str], Shape]
    others: Mapping[str, Shape]
    role: Callable[[Json], Role]
    text_part: Callable[[str, Role], Json]
    media_part: Callable[[Media, Segment], Json]
    native: Callable[[Segment], Placed]
    home: Callable[[Segment], str]
    names: bool
    joins: Callable[[Segment, Segment], bool]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a part says.

    Attributes:
        segment: the same as a segment, without id and original.
        shape: how it was read.
    """

    segment: Segment
    shape: Shape


def read(dialect: Dialect, part: object, role: Role, slot: str, where: str = "") -> Reading:
    """Return what `part` says.

    Raises:
        FormatError: its content is of a wrong type.
    """
    shape = dialect.shape(part, slot)
    said = _said(dialect, part, shape, role, where)
    if said is None:
        shape = dialect.others.get(slot, OTHER)
        said = described(part, where)
    return Reading(_segment(dialect, part, shape, role, said), shape)


def read_again(dialect: Dialect, part: object, role: Role, slot: str, segment: Segment) -> Reading:
    """Return what `part` says, where `segment` came from; it stands in where it says that still.

    Raises:
        FormatError: the content of the part is of a wrong type.
    """
    shape = dialect.shape(part, slot)
    said = _said(dialect, part, shape, role, "")
    if said is None or not _agrees(segment, part, shape, role, said):
        return read(dialect, part, role, slot)
    if segment.content == said[0]:
        return Reading(segment, shape)
    return Reading(like(segment, content=said[0], locked=shape.locked), shape)


def _agrees(segment: Segment, part: object, shape: Shape, role: Role, said: Said) -> bool:
    """Return whether a segment says what its part does, but for a content that is not signed."""
    kind = _kind(shape, role)
    return (
        segment.kind == kind
        and segment.role == _ROLES.get(kind, role)
        and segment.media == said[1]
        and (kind != "reasoning" or segment.content == said[0])
        and (not shape.call_id or text_at(part, shape.call_id) in ("", segment.call_id))
        and (kind != "tool_call" or text_at(part, shape.title) == segment.title)
    )


def _kind(shape: Shape, role: Role) -> Kind:
    return shape.kind or ("system" if role == "system" else "turn")


def read_list(dialect: Dialect, value: object, role: Role, where: str = "") -> tuple[Reading, ...]:
    """Return what each part of a list says.

    Raises:
        FormatError: it is no list, or holds what is neither a part nor a text.
    """
    readings: list[Reading] = []
    for index, part in enumerate(items_of(where, value)):
        place = f"{where}[{index}]"
        if not isinstance(part, str):
            fields(place, part)
        readings.append(read(dialect, part, role, "content", place))
    return tuple(readings)


_BLANK = Segment("")


def _segment(dialect: Dialect, part: object, shape: Shape, role: Role, said: Said) -> Segment:
    text, media, opaque = said
    opaque += sum(len(text_at(part, (key,))) for key in shape.opaque)
    kind, title = _kind(shape, role), text_at(part, shape.title)
    told = words(part) if shape.told else ""
    told += f"{title}\n\n" if title and kind == "media" else ""
    opaque += OPAQUE_CHARACTERS * upper_estimate(told) if told else 0
    signed = kind == "reasoning" and opaque > 0
    if signed:  # what is encrypted holds what is shown, whole or as a summary
        opaque = max(0, opaque - len(text))
    metadata: dict[str, object] = {"opaque": opaque} if opaque else {}
    return like(
        _BLANK,
        content=text,
        role=_ROLES.get(kind, role),
        kind=kind,
        title=title,
        locked=shape.locked or signed,
        call_id=text_at(part, shape.call_id),
        media=media,
        metadata=metadata | ({"only": dialect.name} if shape.only else {}),
    )


def _said(dialect: Dialect, part: object, shape: Shape, role: Role, where: str) -> Said | None:
    """Return what `part` says in this shape, or None where it is of another."""
    media = _media_in(part, shape)
    if media is None:
        return None
    if shape.text is None:
        return "", media, 0
    value = value_at(part, shape.text)
    if isinstance(value, str) and shape.also is None:
        return value, media, 0
    if shape.form == "parts":
        return _joined(dialect, part, shape, role, where)
    if shape.form == "any":
        return described(value, where)
    return "" if value is None else json_text(value, where), media, 0


def _media_in(part: object, shape: Shape) -> tuple[Media, ...] | None:
    """Return the media of a part of this shape, or None where it is of another."""
    if shape.text and mapping_at(part, shape.text[:-1]) is None:
        return None
    plain = shape.form == "text" and shape.text is not None
    if plain and not isinstance(value_at(part, shape.text or ()), str):
        return None
    if shape.media is None:
        return ()
    holder = mapping_at(part, ())
    return None if holder is None else shape.media(holder)


def shape_of(dialect: Dialect, part: object, slot: str) -> Shape:
    """Return the shape that `part` is read in."""
    shape = dialect.shape(part, slot)
    return dialect.others.get(slot, OTHER) if _media_in(part, shape) is None else shape


def _joined(dialect: Dialect, part: object, shape: Shape, role: Role, where: str) -> Said:
    """Return what the parts inside `part` say together, a line break apart."""
    readings: list[Reading] = []
    for path in filter(None, (shape.text, shape.also)):
        value = value_at(part, path)
        place = f"{where}.{path[-1]}"
        readings += () if value is None else read_list(dialect, value, role, place)
    segments = [reading.segment for reading in readings]
    text = "\n".join(segment.content for segment in segments if segment.content)
    media = tuple(medium for segment in segments for medium in segment.media)
    return text, media, sum(opaque_of(segment) for segment in segments)


def opaque_of(segment: Segment) -> int:
    """Return how many characters are paid for that `content` does not hold."""
    opaque = segment.metadata.get("opaque", 0)
    return opaque if isinstance(opaque, int) else 0
