"""Segments without some of what their originals hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import cast

from orchestrator_context import checks
from orchestrator_context.conversation import given
from orchestrator_context.conversation.formats.places import Origin, characters_beside, origin_of
from orchestrator_context.conversation.formats.raw import Json, text_at
from orchestrator_context.conversation.formats.shapes import Dialect, opaque_of, read
from orchestrator_context.conversation.formats.unsaid import (
    DIALECTS,
    unsaid_of_message,
    unsaid_of_part,
)
from orchestrator_context.conversation.kept import Kept, copied, lent
from orchestrator_context.conversation.like import like
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Segment


def without_fields(segments: Iterable[Segment], *fields: str) -> tuple[Segment, ...]:
    """Return `segments` whose originals lack `fields`, in their parts and messages at any depth.

    It is the way out where a format cannot say a field of another one. What a segment says itself
    stays: its role, text, title, call id and media, and what is in the arguments of a call. The
    author goes with the `name` that told it. Fields that no original has are no matter.

    >>> from orchestrator_context import from_anthropic, to_openai_chat
    >>> block = {"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}
    >>> marked = from_anthropic([{"role": "user", "content": [block]}])
    >>> to_openai_chat(without_fields(marked, "cache_control"))
    [{'role': 'user', 'content': 'Hi'}]

    Args:
        segments: of any format, or of none.
        fields: names, such as "cache_control", "citations", "annotations" or "name".

    Raises:
        ConfigurationError: no field is named, or an argument is not of its type.
    """
    own = given.segments("segments", segments)
    for field in fields:
        checks.text("each of fields", field, blank=False)
    if not fields:
        raise ConfigurationError('Name at least one field to leave out, such as "cache_control"')
    stripped = _Stripped(frozenset(fields))
    return tuple(map(stripped.segment, own))


class _Stripped:
    """What is left of originals without some fields; parts of one message share what is around."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._around: dict[int, Json] = {}

    def segment(self, segment: Segment) -> Segment:
        """Return a segment without these fields in its originals, or itself where none has any."""
        for dialect in DIALECTS.values():
            origin = origin_of(dialect, segment)
            if origin is not None:
                segment = self._without(dialect, segment, origin)
        return segment

    def _without(self, dialect: Dialect, segment: Segment, origin: Origin) -> Segment:
        new = replace(
            origin,
            part=self._part(dialect, segment, origin),
            message=None if origin.message is None else self._message(segment, origin),
        )
        if new.part is origin.part and new.message is origin.message:
            return segment
        metadata: Json = {**lent(segment.metadata), dialect.name: new.as_mapping()}
        was, now = (_said(dialect, one) for one in (origin, new))
        if opaque := _opaque(segment, (origin, was), (new, now)):
            metadata["opaque"] = opaque
        else:
            metadata.pop("opaque", None)
        return like(
            segment,
            author="" if segment.author == _name(origin) != _name(new) else segment.author,
            content=now.content if segment.content == was.content else segment.content,
            media=now.media if segment.media == was.media else segment.media,
            metadata=Kept(metadata),
        )

    def _part(self, dialect: Dialect, segment: Segment, origin: Origin) -> object:
        """Return the part, copied if one of the fields is in it."""

        def held(part: object) -> list[tuple[Json, str]]:
            found = unsaid_of_part(dialect, part, origin.slot, segment.role)
            return [(one.holder, one.name) for one in found if one.name in self._names]

        if not held(origin.part):
            return origin.part
        part = copied(origin.part)
        for holder, name in held(part):
            holder.pop(name, None)
        return part

    def _message(self, segment: Segment, origin: Origin) -> Json:
        """Return the message around a part, the same one if none of the fields is in it."""
        message = cast("Json", origin.message)
        if id(message) not in self._around:
            found = {one.name for one in unsaid_of_message(message, segment.role)}
            gone = (found & self._names).difference(origin.slots)
            left = {name: value for name, value in message.items() if name not in gone}
            self._around[id(message)] = left if gone else message
        return self._around[id(message)]


def _said(dialect: Dialect, origin: Origin) -> Segment:
    """Return what an original says."""
    message = cast("Json", origin.part) if origin.message is None else origin.message
    return read(dialect, origin.part, dialect.role(message), origin.slot).segment


def _name(origin: Origin) -> str:
    return text_at(origin.part if origin.message is None else origin.message, ("name",))


def _opaque(segment: Segment, before: tuple[Origin, Segment], after: tuple[Origin, Segment]) -> int:
    """Return the opaque characters that are left; the first part pays for what is around it."""
    paid = opaque_of(segment) - opaque_of(before[1])
    if paid > 0:
        around, left = (characters_beside(origin.message or {}) for origin, _ in (before, after))
        paid = max(0, paid - around) + left
    return max(0, paid) + opaque_of(after[1])
