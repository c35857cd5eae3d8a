"""What a conversation costs, kept up to date one segment at a time.

Every segment is counted once. Costs stand at the first segment of each atomic group, in sums that
give the cost of any beginning of the conversation in O(log n). So a policy finds where to cut
without looking at what it leaves out, however long the conversation is.
"""

from __future__ import annotations

import hashlib
import threading
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Mapping, Sequence

from orchestrator_context.conversation.grouping import Grouper
from orchestrator_context.conversation.sums import PrefixSums
from orchestrator_context.messages import continues
from orchestrator_context.models import Segment
from orchestrator_context.protocols import TokenCounter

Rewrite = Callable[[Segment], Segment]
"""Gives a shorter form of a segment, or the very same one. Pure, so it is tried once on each."""

_SEPARATOR = "\n\n"


class Ledger:
    """The running account of a conversation as one counter sees it.

    Segments are taken down when they are appended, and counted when somebody first asks for a
    figure, by `catch_up`. All else is of the segments counted so far.

    Attributes:
        segments: the conversation; only ever appended to.
        grouper: its atomic groups.
        base: tokens of a request without any segment: framing and tool schemas.
        total: tokens of the whole request. An estimate, since each segment is counted by itself.
        required: roots of the groups that may not be dropped, in order.
        turns: 1 for each group that may be dropped.
        digests: indices of summaries and memories.
        last_signed: index of the newest signed reasoning, or -1.
    """

    def __init__(
        self,
        counter: TokenCounter,
        segments: Iterable[Segment] = (),
        *,
        tools: Sequence[Mapping[str, object]] = (),
        joins: bool = False,
    ) -> None:
        """Take down `segments`.

        Args:
            counter: counts tokens.
            segments: the conversation so far.
            tools: schemas that go along with every request.
            joins: whether neighbours of one role become one message when the view is finalised.
        """
        self.segments: list[Segment] = list(segments)
        self.grouper = Grouper()
        self.base = self.total = counter.count_messages((), tools=tools)
        self.required: list[int] = []
        self.digests: list[int] = []
        self.last_signed = -1
        self._counter = counter
        self._empty = counter.count_messages(())
        self._framing = counter.count_messages((Segment(""),)) - self._empty
        self._joint = self._framing - counter.count(_SEPARATOR) if joins else 0
        self._costs: list[int] = []
        self.turns = Column()
        self._droppable = Column()
        self._savings: dict[Rewrite, Column] = {}
        self._digests = [b""]
        self._lock = threading.RLock()  # figures may be asked for in worker threads

    def __len__(self) -> int:
        return len(self.segments)

    def append(self, segment: Segment) -> None:
        """Take down the next segment."""
        self.segments.append(segment)

    @property
    def uncounted(self) -> Sequence[Segment]:
        """The segments that `catch_up` has yet to count."""
        return self.segments[len(self._costs) :]

    def catch_up(self) -> None:
        """Count what was appended since the last time."""
        with self._lock:
            for index in range(len(self._costs), len(self.segments)):
                self._account(index, self.segments[index])

    def is_required(self, root: int) -> bool:
        """Return whether the group at `root` may not be dropped."""
        at = bisect_left(self.required, root)
        return at < len(self.required) and self.required[at] == root

    @property
    def droppable(self) -> Column:
        """Tokens of each group that may be dropped."""
        return self._droppable

    def savings(self, rewrite: Rewrite) -> Column:
        """Return what `rewrite` saves in each group that may be dropped."""
        with self._lock:
            column = self._savings.setdefault(rewrite, Column())
            for index in range(len(column), len(self._costs)):
                column.append()
                root = self.grouper.root(index)
                if not self.is_required(root):
                    column.add(root, self._saving(index, rewrite))
        return column

    def digest(self, length: int) -> bytes:
        """Return 16 bytes that stand for the first `length` segments: who said what."""
        with self._lock:
            for index in range(len(self._digests) - 1, length):
                self._digests.append(_digest(self._digests[-1], self.segments[index]))
        return self._digests[length]

    def _account(self, index: int, segment: Segment) -> None:
        cost = self._cost(index, segment)
        joined = self.grouper.add(segment)
        self._costs.append(cost)
        self.total += cost
        self._droppable.append()
        for column in (self._droppable, *self._savings.values()):
            for other in joined.absorbed:
                column.move(other, joined.root)
        self._droppable.add(joined.root, cost)
        self.turns.append()
        self.turns.add(joined.root, int(joined.root == index))
        for other in joined.absorbed:
            self.turns.add(other, -1)
        if segment.is_required or any(map(self.is_required, (joined.root, *joined.absorbed))):
            self._require(joined.root)
        if segment.kind in ("summary", "memory"):
            self.digests.append(index)
        if segment.kind == "reasoning" and segment.locked:
            self.last_signed = index

    def _require(self, root: int) -> None:
        if not self.is_required(root):
            insort(self.required, root)
        for column in (self._droppable, self.turns, *self._savings.values()):
            column.exclude(root)

    def _cost(self, index: int, segment: Segment) -> int:
        alone = self._alone(segment)
        if index == 0:
            return alone
        last = self.segments[index - 1]
        if continues(last, segment):
            return max(0, alone - self._framing)
        return max(0, alone - self._joint) if _may_join(last, segment) else alone

    def _saving(self, index: int, rewrite: Rewrite) -> int:
        segment = self.segments[index]
        shorter = segment if segment.locked else rewrite(segment)
        return 0 if shorter is segment else max(0, self._costs[index] - self._alone(shorter))

    def _alone(self, segment: Segment) -> int:
        return self._counter.count_messages((segment,)) - self._empty


def _may_join(last: Segment, segment: Segment) -> bool:
    return last.role == segment.role and last.role in ("user", "assistant")


def _digest(before: bytes, segment: Segment) -> bytes:
    parts = (
        segment.role,
        segment.kind,
        segment.author,
        segment.title,
        segment.call_id,
        segment.content,
    )
    sizes = ",".join(str(len(part)) for part in parts)
    data = "\0".join((sizes, *parts)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(before + data, digest_size=16).digest()


class Column:
    """One figure for each group, standing at its root."""

    def __init__(self) -> None:
        self._sums = PrefixSums()
        self._values: list[int] = []
        self._excluded: set[int] = set()

    def __len__(self) -> int:
        return len(self._values)

    def at(self, root: int) -> int:
        """Return the figure of the group at `root`."""
        return self._values[root]

    def before(self, index: int) -> int:
        """Return the sum of the figures of all groups whose root is less than `index`."""
        return self._sums.before(index)

    def reach(self, total: int) -> int:
        """Return the least index with `before(index) >= total`, or one too large."""
        return self._sums.reach(total)

    def append(self) -> None:
        """Make room for the figure of one more root."""
        self._values.append(0)
        self._sums.append(0)

    def add(self, root: int, amount: int) -> None:
        """Add to a figure."""
        if amount and root not in self._excluded:
            self._values[root] += amount
            self._sums.add(root, amount)

    def move(self, source: int, target: int) -> None:
        """Add the figure of one group to that of another, which it became part of."""
        if source < len(self._values):  # else it was not counted yet
            amount = self._values[source]
            self.add(source, -amount)
            self.add(target, amount)

    def exclude(self, root: int) -> None:
        """Leave a group out for good."""
        if root < len(self._values):
            self.add(root, -self._values[root])
        self._excluded.add(root)
