"""What a conversation costs, kept up to date one segment at a time.

Every segment is counted once. Costs stand at the first segment of each atomic group, in sums that
give the cost of any beginning of the conversation in O(log n). So a policy finds where to cut
without looking at what it leaves out, however long the conversation is.
"""

from __future__ import annotations

import hashlib
import threading
from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from orchestrator_context.conversation.grouping import Grouper, Joined
from orchestrator_context.conversation.sums import Column, PrefixSums
from orchestrator_context.messages import continues, is_result
from orchestrator_context.models import Segment
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens.counter import Counter

Rewrite = Callable[[Segment], Segment]
"""Gives a shorter form of a segment, or the very same one. Pure, so it is tried once on each."""

Form = tuple[Segment, int]
"""A segment, and what it costs as a message of its own."""


class Ledger:
    """The running account of a conversation as one counter sees it.

    Segments are taken down when they are appended, and counted when somebody first asks for a
    figure, by `catch_up`. All else is of the segments counted so far.

    Attributes:
        segments: the conversation; only ever appended to.
        lock: held while segments are counted. Who holds it can rely on the figures.
        grouper: its atomic groups.
        base: tokens of a request without any segment: framing and tool schemas.
        framing: tokens of a message without its parts.
        alone: tokens of each segment as a message of its own.
        costs: tokens of each segment, by place.
        required: roots of the groups that may not be dropped, in order.
        turns: 1 for each group that may be dropped.
        droppable: tokens of each group that may be dropped.
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
        dead: Collection[int] = (),
    ) -> None:
        """Take down `segments`.

        Args:
            counter: counts tokens.
            segments: the conversation so far.
            tools: schemas that go along with every request.
            joins: whether neighbours of one role become one message when the view is finalised.
            dead: indices of calls that the conversation had left behind while it was whole.
        """
        self.segments: list[Segment] = list(segments)
        self.lock = threading.RLock()
        self.grouper = Grouper(dead)
        self.base = counter.count_messages((), tools=tools)
        self.required: list[int] = []
        self.digests: list[int] = []
        self.last_signed = -1
        self._counter = counter
        self._empty = counter.count_messages(())
        self.framing = counter.count_messages((Segment(""),)) - self._empty
        self._joins = joins
        self._additive = type(counter) is Counter and not joins
        self.alone: list[int] = []
        self.costs = PrefixSums()
        self.turns = Column()
        self.droppable = Column()
        self._savings: dict[Rewrite, Savings] = {}
        self._last: Segment | None = None  # the last one that is sent
        self._digests = [b""]

    def __len__(self) -> int:
        return len(self.segments)

    def alike(self, other: Ledger) -> bool:
        """Return whether the two would count any conversation alike."""
        return (self._counter, self.base, self._joins) == (other._counter, other.base, other._joins)

    def append(self, segment: Segment) -> None:
        """Take down the next segment."""
        self.segments.append(segment)

    @property
    def counted(self) -> int:
        """How many segments are counted."""
        return len(self.costs)

    @property
    def total(self) -> int:
        """Tokens of the whole request. An estimate, unless it `adds_up`."""
        return self.base + self.costs.total

    @property
    def adds_up(self) -> bool:
        """Whether a request costs what its segments cost, and they can be sent as they are."""
        grouper = self.grouper
        return self._additive and grouper.in_order and not grouper.dead()

    def added_up(self, segments: Sequence[Segment], alone: Sequence[int]) -> int | None:
        """Return the tokens of a request, or None where they do not add up.

        Args:
            segments: whole groups of the conversation, maybe shortened, in order.
            alone: what each of them costs as a message of its own.
        """
        if not self.adds_up:
            return None
        total, message = self.base + sum(alone), ""
        for segment in segments:
            if segment.message and segment.message == message:
                if segment.author:  # a message has one, however many parts
                    return None
                total -= self.framing
            message = segment.message
        return total

    def catch_up(self, length: int) -> None:
        """Count the segments before `length` that were not counted yet."""
        with self.lock:
            for index in range(self.counted, length):
                self._account(index, self.segments[index])

    def is_required(self, root: int) -> bool:
        """Return whether the group at `root` may not be dropped."""
        at = bisect_left(self.required, root)
        return at < len(self.required) and self.required[at] == root

    def savings(self, rewrite: Rewrite) -> Savings:
        """Return what `rewrite` saves in each group that may be dropped."""
        with self.lock:
            savings = self._savings.get(rewrite) or self._savings.setdefault(rewrite, Savings())
            for index in range(len(savings), self.counted):
                root = self.grouper.root(index)
                shorter = None if self.is_required(root) else self._shortened(index, rewrite)
                savings.append()
                if shorter is not None:
                    savings.note(index, root, shorter, self._saved(index, shorter))
        return savings

    def digest(self, length: int) -> bytes:
        """Return 16 bytes that stand for the first `length` segments: who said what.

        What is required counts by its place alone, since no policy takes it away: the same
        conversation with another system prompt has the same digest.
        """
        if length >= len(self._digests):  # those that are known cost nobody a wait for the lock
            with self.lock:
                for index in range(len(self._digests) - 1, length):
                    self._digests.append(_digest(self._digests[-1], self.segments[index]))
        return self._digests[length]

    def _account(self, index: int, segment: Segment) -> None:
        alone = self._alone(segment)  # before anything changes, for a counter may fail
        joined = self.grouper.add(segment)
        cost = self._cost(index, segment, alone)
        self.alone.append(alone)
        self.costs.append(cost)
        for column in (self.droppable, self.turns):
            column.append()
        for column in (self.droppable, self.turns, *self._savings.values()):
            for other in joined.absorbed:
                column.move(other, joined.root)
        self.droppable.add(joined.root, cost)
        self.turns.add(joined.root, int(joined.root == index) - len(joined.absorbed))
        self._note(index, segment, joined)

    def _note(self, index: int, segment: Segment, joined: Joined) -> None:
        if segment.is_required or any(map(self.is_required, (joined.root, *joined.absorbed))):
            self._require(joined)
        if segment.kind in ("summary", "memory"):
            self.digests.append(index)
        if segment.kind == "reasoning" and segment.locked:
            self.last_signed = index

    def _require(self, joined: Joined) -> None:
        for other in filter(self.is_required, joined.absorbed):
            del self.required[bisect_left(self.required, other)]
        if not self.is_required(joined.root):
            insort(self.required, joined.root)
        for column in (self.droppable, self.turns, *self._savings.values()):
            column.exclude(joined.root)

    def _cost(self, index: int, segment: Segment, alone: int) -> int:
        """Return what the segment adds to the request; an orphan is left out of it."""
        if self.grouper.orphans[-1:] == [index]:
            return 0
        last, self._last = self._last, segment
        if last is None:
            return alone
        same = continues(last, segment)
        self._additive = self._additive and not (same and segment.author)
        joins = same or (self._joins and _may_join(last, segment))
        return max(0, alone - self.framing) if joins else alone

    def _shortened(self, index: int, rewrite: Rewrite) -> Form | None:
        """Return the shorter form of a segment, or None where there is none."""
        segment = self.segments[index]
        shorter = segment if segment.locked else rewrite(segment)
        return None if shorter is segment else (shorter, self._alone(shorter))

    def _saved(self, index: int, shorter: Form) -> int:
        """Return the tokens that the shorter form of a segment saves."""
        cost = self.costs.before(index + 1) - self.costs.before(index)
        return min(cost, self.alone[index] - shorter[1])

    def _alone(self, segment: Segment) -> int:
        return self._counter.count_messages((segment,)) - self._empty


def _may_join(last: Segment, segment: Segment) -> bool:
    """Return whether two messages may become one: calls and results never do."""
    return _side(last) == _side(segment) != ""


def _side(segment: Segment) -> str:
    if segment.kind == "tool_call" or is_result(segment):
        return ""
    return "assistant" if segment.role == "assistant" else "user"  # system may become the user's


def _digest(before: bytes, segment: Segment) -> bytes:
    media = (text for one in segment.media for text in (one.url, one.data))
    parts: tuple[str, ...] = (
        segment.role,
        segment.kind,
        segment.author or str(segment.metadata.get("author", "")),
        segment.title,
        segment.call_id,
        segment.content,
        *media,
    )
    parts = () if segment.is_required else parts
    sizes = ",".join(str(len(part)) for part in parts)
    data = "\0".join((sizes, *parts)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(before + data, digest_size=16).digest()


class Savings(Column):
    """What a rewrite saves in each group, and what it makes of the segments.

    Attributes:
        shorter: the shorter form of each segment that has one, by index.
    """

    def __init__(self) -> None:
        super().__init__()
        self.shorter: dict[int, Form] = {}

    def note(self, index: int, root: int, shorter: Form, saved: int) -> None:
        """Take down what a segment of the group at `root` becomes, if that saves anything."""
        if saved > 0:
            self.shorter[index] = shorter
            self.add(root, saved)
