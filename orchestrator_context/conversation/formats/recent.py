"""Conversations that were read lately, so that one that has grown is not read all over again.

Callers of a chat API hand over the whole conversation each time. What was read of it before is
looked for by comparing all of it, and read on from there; so a list that was changed in any way,
in place or not, is read anew.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Generic, TypeVar, cast

from orchestrator_context.conversation.formats.raw import Json, items_of, mappings
from orchestrator_context.conversation.kept import copied
from orchestrator_context.conversation.lately import Lately, held
from orchestrator_context.exceptions import FormatError
from orchestrator_context.models import Segment

State = TypeVar("State")

_OPENINGS = 4  # of one conversation: agents that share it are each told something else


class _Reading(Generic[State]):
    """What was read of one conversation.

    Attributes:
        state: what is known before the next message.
        segments: of all messages so far.
        plain: whether one can tell that other messages are the same.
        openings: what was read of what stood before the messages, the newest first.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.segments: list[Segment] = []
        self.plain = True
        self.openings: list[_Reading[None]] = []
        self._characters = 0
        self._messages: list[Json] = []
        self._fields: list[list[object]] = []  # of each message in order; equality overlooks that
        self._nested: dict[int, int | None] = {}  # marks of messages that hold more than texts

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def characters(self) -> int:
        """Characters of all that is kept in memory."""
        return self._characters + sum(one.characters for one in self.openings)

    def begins(self, messages: Sequence[object]) -> bool:
        """Return whether `messages` begin with what was read, value for value and in order."""
        own, length = self._messages, len(self._messages)
        if length > len(messages):
            return False
        given = list(messages[:length])
        try:
            same = own[-1] == given[-1] and own == given
        except Exception:  # what is no plain data may refuse to be compared
            return False
        return (
            same
            and self.plain
            and self._fields == [[*cast("Json", one)] for one in given]
            and all(_mark(given[at]) == mark for at, mark in self._nested.items())
        )

    def add(self, message: Json, read: Callable[[Json], Iterable[Segment]], where: str) -> None:
        """Take down the segments of the next message.

        Raises:
            FormatError: it is no message of the format, or holds parts inside parts too deeply.
        """
        try:
            new = list(read(message))
        except RecursionError:
            error = f"{where} holds parts inside parts too deeply; leave some of them out"
            raise FormatError(error, where=where) from None
        media = (text for one in new for medium in one.media for text in (medium.data, medium.url))
        self.segments += new
        self._characters += held((message, *(one.content for one in new), *media))
        if not all(isinstance(value, str | None) for value in message.values()):
            mark = self._nested[len(self._messages)] = _mark(message)
            self.plain = self.plain and mark is not None
        self._messages.append(message)
        self._fields.append([*message])


class Recent(Generic[State]):
    """Reads conversations of one format, and remembers those that it read last."""

    def __init__(
        self,
        field: str,
        begin: Callable[[], State],
        read: Callable[[State, int, Json], Iterable[Segment]],
        read_opening: Callable[[Json], Iterable[Segment]] = lambda _: (),
    ) -> None:
        """Take what reads one message.

        Args:
            field: what messages are called in errors.
            begin: returns what is known before the first message.
            read: returns the segments of a message with its index, and brings what is known up to
                date.
            read_opening: returns the segments of what stands before the messages.
        """
        self._field = field
        self._begin = begin
        self._read = read
        self._read_opening = read_opening
        self._readings = Lately[_Reading[State]]()

    def segments(self, messages: object, opening: Json | None = None) -> tuple[Segment, ...]:
        """Return the segments of `opening`, if there is one, and of all `messages`.

        Messages that are the same give the same segments under another opening, too.

        Raises:
            FormatError: they are no messages of the format.
        """
        items = items_of(self._field, messages)
        known = self._readings.taken(lambda one: one.begins(items))
        reading = _Reading(self._begin()) if known is None else known
        before = () if opening is None else self._opened(reading.openings, opening)
        first = len(reading)
        for index, message in enumerate(mappings(self._field, items, first), first):
            read = partial(self._read, reading.state, index)
            reading.add(message, read, f"{self._field}[{index}]")
        segments = (*before, *reading.segments)
        if reading.plain:
            self._readings.keep(reading)
        return segments

    def _opened(self, known: list[_Reading[None]], opening: Json) -> Sequence[Segment]:
        """Return the segments of `opening`, and put it in front of those that are known."""
        reading = next((one for one in known if one.begins([opening])), None)
        if reading is None:
            message, reading = cast("Json", copied(opening)), _Reading(None)
            reading.add(message, self._read_opening, "system")
        if reading.plain:
            known[:] = [reading, *(one for one in known if one is not reading)][:_OPENINGS]
        return reading.segments


def _mark(message: object) -> int | None:
    """Return what tells equal values apart by the types of numbers and the order of keys.

    It is None for what is no plain data. 64 bits are enough for values that are known to be equal.
    """
    try:
        return hash(marshal.dumps(cast("Any", message), 2))
    except ValueError:
        return None
