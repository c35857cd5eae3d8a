"""The fields of an original that its segment does not say: what another format would lose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from orchestrator_context.conversation.beside import LISTENING
from orchestrator_context.conversation.formats.anthropic_parts import MESSAGES
from orchestrator_context.conversation.formats.media import opaque_fields
from orchestrator_context.conversation.formats.openai_chat_parts import CHAT
from orchestrator_context.conversation.formats.openai_responses_parts import RESPONSES
from orchestrator_context.conversation.formats.raw import Json, Path, mapping_at, value_at
from orchestrator_context.conversation.formats.shapes import Dialect, Shape, shape_of
from orchestrator_context.models import Role

DIALECTS: dict[str, Dialect] = {one.name: one for one in (CHAT, RESPONSES, MESSAGES)}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an original.

    Attributes:
        holder: the JSON object that it stands in.
        name: its name there.
        said: whether every format says it, in words or as a part of the text.
    """

    holder: Json
    name: str
    said: bool = False

    @property
    def value(self) -> object:
        """What stands in it."""
        return self.holder[self.name]


def unsaid_of_message(message: Json, role: Role) -> Iterator[Field]:
    """Yield the fields of a message without its parts. Names of those who listen are labels."""
    for name, value in message.items():
        if name not in ("role", "type", "content"):
            named = name == "name" and role in LISTENING and isinstance(value, str)
            yield Field(message, name, said=named)


def unsaid_of_part(dialect: Dialect, part: object, slot: str, role: Role) -> Iterator[Field]:
    """Yield the fields of a part, and of the parts in it at any depth, that no segment says."""
    todo: list[tuple[object, str]] = [(part, slot)]
    while todo:
        one, place = todo.pop()
        holder = mapping_at(one, ())
        if holder is None:
            continue
        inner = one is not part
        shape = shape_of(dialect, one, place)
        if shape.form == "any" and shape.text == ():
            yield from _described(holder, shape)
            continue
        around = {one.name: one for one in unsaid_of_message(holder, role)} if place == "" else None
        for field in _beside(holder, [*_read(shape, holder, inner=inner)]):
            if around is None or field.holder is not holder:
                yield field
            elif field.name in around:
                yield around[field.name]
        if not inner:
            yield from (Field(holder, name, said=True) for name in shape.told if name in holder)
        if shape.form == "parts":
            for path in filter(None, (shape.text, shape.also)):
                value = value_at(holder, path)
                if isinstance(value, list):
                    todo += ((item, "content") for item in cast("list[object]", value))


def _described(part: Json, shape: Shape) -> Iterator[Field]:
    """Yield the fields of a part that is told as JSON, but for its encrypted data."""
    yield from (Field(holder, name) for holder, name in opaque_fields(part))
    kept = {"type", "role", "id", *shape.call_id}
    yield from (Field(part, name, said=True) for name in part if name not in kept)


def _read(shape: Shape, part: Json, *, inner: bool) -> Iterator[Path]:
    """Yield the paths of what a segment says of a part; of an inner one, of its text and media."""
    yield from filter(None, (shape.text, shape.also))
    names = () if inner else (shape.title, shape.call_id, *((key,) for key in shape.opaque))
    told = [] if inner else [(key,) for key in shape.told if _is_told(key, part.get(key))]
    yield from (path for path in (*names, *shape.held) if isinstance(value_at(part, path), str))
    yield from told


def _is_told(name: str, value: object) -> bool:
    return value is True if name == "is_error" else isinstance(value, str)


def _beside(holder: Json, paths: Iterable[Path]) -> Iterator[Field]:
    """Yield the fields that none of the paths leads to."""
    todo = [(holder, [path for path in paths if path])]
    while todo:
        box, left = todo.pop()
        for name, value in box.items():
            tails = [path[1:] for path in left if path[0] == name]
            if not tails and name != "type":
                yield Field(box, name)
            elif tails and () not in tails and isinstance(value, dict):
                todo.append((cast("Json", value), tails))
