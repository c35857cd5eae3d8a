"""Conversations that were read lately, so that one that has grown is not read all over again.

Callers of a chat API hand over the whole conversation each time. What was read of it before is
looked for by comparing all of it, and read on from there; so a list that was changed in any way,
in place or not, is read anew.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar, cast

from orchestrator_context.conversation.formats.raw import Json, items_of, mappings
from orchestrator_context.conversation.lately import Lately
from orchestrator_context.models import Segment

State = TypeVar("State")


class _Reading(Generic[State]):
    """What was read of one conversation."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.segments: list[Segment] = []
        self.characters = 0
        self._messages: list[Json] = []
        self._fields: list[list[object]] = []  # of each message in order; equality overlooks that
        self._nested: dict[int, bytes] = {}  # messages that hold more than texts, as written down

    def __len__(self) -> int:
        return len(self._messages)

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
            and self._fields == [[*cast("Json", one)] for one in given]
            and all(data and _written(given[at]) == data for at, data in self._nested.items())
        )

    def add(self, message: Json, segments: Iterable[Segment]) -> None:
        """Take down the segments of the next message."""
        for segment in segments:
            self.segments.append(segment)
            self.characters += len(segment.content) + sum(len(one.data) for one in segment.media)
        if not all(isinstance(value, str | None) for value in message.values()):
            self._nested[len(self._messages)] = _written(message)
        self._messages.append(message)
        self._fields.append([*message])


class Recent(Generic[State]):
    """Reads conversations of one format, and remembers those that it read last."""

    def __init__(
        self,
        field: str,
        begin: Callable[[], State],
        read: Callable[[State, int, Json], Iterable[Segment]],
    ) -> None:
        """Take what reads one message.

        Args:
            field: what messages are called in errors.
            begin: returns what is known before the first message.
            read: returns the segments of a message with its index, and brings what is known up to
                date.
        """
        self._field = field
        self._begin = begin
        self._read = read
        self._readings = Lately[_Reading[State]]()

    def segments(self, messages: object) -> tuple[Segment, ...]:
        """Return the segments of all `messages`.

        Raises:
            FormatError: they are no messages of the format.
        """
        items = items_of(self._field, messages)
        known = self._readings.taken(lambda one: one.begins(items))
        reading = _Reading(self._begin()) if known is None else known
        first = len(reading)
        for index, message in enumerate(mappings(self._field, items, first), first):
            reading.add(message, self._read(reading.state, index, message))
        segments = tuple(reading.segments)
        self._readings.keep(reading)
        return segments


def _written(message: object) -> bytes:
    """Return bytes that tell equal values apart by the type of each number and the order of keys.

    They are empty for what is no plain data.
    """
    try:
        return marshal.dumps(cast("Any", message), 2)
    except ValueError:
        return b""
