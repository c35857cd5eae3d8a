"""The reduce tree: which notes are joined by which call.

Notes enter a level by position, in any order, and are taken in the order of their positions, so
the tree depends on the notes alone and never on timing. A batch is closed by the first note that
does not fit beside it: from then on it is certain that one call cannot see all notes, so the batch
can be joined at once, while other notes are still being written. Whatever is left when a level
ends goes up with the joined ones; a level that never closed a batch is answered by one final call.

A note that fits beside no neighbour is condensed on its own. So every level has fewer notes than
the one below, or smaller ones, and the tree ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

Item = TypeVar("Item")
Step = Literal["merge", "condense", "answer"]


@dataclass(frozen=True, slots=True)
class Work(Generic[Item]):
    """A call to make; its result is put at `position` of the next `level`.

    Attributes:
        step: "merge" several items, "condense" a large one, or write the "answer".
        items: what the call sees, in order.
        level: where the result goes; the level above the items.
        position: its place there.
    """

    step: Step
    items: tuple[Item, ...]
    level: int
    position: int


@dataclass(slots=True)
class _Level(Generic[Item]):
    pending: dict[int, Item | None] = field(default_factory=dict[int, "Item | None"])
    taken: int = 0
    total: int | None = None
    batch: list[Item] = field(default_factory=list["Item"])
    batch_tokens: int = 0
    sent: int = 0


class Tree(Generic[Item]):
    """Collects notes and says which calls to make. Knows nothing of models or time.

    Args:
        room: tokens that the items of one call may take.
        tokens: tokens that an item takes in a prompt, its separator included.
        start: is told of every call that can be made from now on.
    """

    def __init__(
        self, room: int, tokens: Callable[[Item], int], start: Callable[[Work[Item]], None]
    ) -> None:
        self._room = room
        self._tokens = tokens
        self._start = start
        self._levels: list[_Level[Item]] = []

    @property
    def depth(self) -> int:
        """Levels that hold or held notes."""
        return len(self._levels)

    @property
    def standing(self) -> tuple[Item, ...]:
        """Notes that no finished call has used yet, the higher levels first."""
        found: list[Item] = []
        for level in reversed(self._levels):
            found += level.batch
            found += [item for _, item in sorted(level.pending.items()) if item is not None]
        return tuple(found)

    def put(self, level: int, position: int, item: Item | None) -> None:
        """Add the note at `position`; None stands for a place that has nothing to say."""
        self._level(level).pending[position] = item
        self._advance(level)

    def close(self, level: int, total: int) -> None:
        """Say that a level has `total` positions and no more."""
        self._level(level).total = total
        self._advance(level)

    def _level(self, index: int) -> _Level[Item]:
        while len(self._levels) <= index:
            self._levels.append(_Level())
        return self._levels[index]

    def _advance(self, index: int) -> None:
        level = self._levels[index]
        while level.taken in level.pending:
            item = level.pending.pop(level.taken)
            level.taken += 1
            if item is not None:
                self._take(index, level, item)
        if level.total == level.taken:
            level.total = None  # a level ends once
            self._end(index, level)

    def _take(self, index: int, level: _Level[Item], item: Item) -> None:
        tokens = self._tokens(item)
        if level.batch and level.batch_tokens + tokens > self._room:
            self._send(index, level)
        level.batch.append(item)
        level.batch_tokens += tokens

    def _send(self, index: int, level: _Level[Item]) -> None:
        items, tokens = level.batch, level.batch_tokens
        position, level.sent = level.sent, level.sent + 1
        level.batch, level.batch_tokens = [], 0
        if len(items) > 1:
            self._start(Work("merge", tuple(items), index + 1, position))
        elif tokens > self._room // 2:
            self._start(Work("condense", (items[0],), index + 1, position))
        else:
            self.put(index + 1, position, items[0])

    def _end(self, index: int, level: _Level[Item]) -> None:
        if level.sent == 0 and level.batch_tokens <= self._room:
            if level.batch:
                self._start(Work("answer", tuple(level.batch), index + 1, 0))
                level.batch = []
            return
        if level.batch:
            self._send(index, level)
        self.close(index + 1, level.sent)
