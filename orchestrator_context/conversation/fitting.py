"""Where to cut a conversation so that it fits, and stays cut there for many turns.

The cheapest loss comes first: each rewrite is tried from the oldest group on, then whole groups are
dropped, again from the oldest. How far each goes is decided on a grid: places in the conversation
that lie `step` tokens apart, counted from its beginning; half of it, and so on, where no place of
the coarser grid will do. A place on a grid does not move when the conversation grows. So what is
cut depends on the conversation alone, not on how it was cut before; and the bytes of a view stay
the beginning of the next one's until it has grown by a step.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from orchestrator_context.conversation.ledger import Column, Ledger, Rewrite
from orchestrator_context.conversation.report import Elisions
from orchestrator_context.conversation.room import Change, changed, excess
from orchestrator_context.conversation.view import View
from orchestrator_context.models import Budget, Segment


@dataclass(frozen=True, slots=True)
class Manner:
    """How a policy makes room.

    Attributes:
        rewrites: what shortens segments, cheapest loss first.
        drops: whether whole groups may go once that is not enough.
        low_water: share of the budget that is left filled when something has to go, 0 to 1.
        keep_recent: newest segments that are left alone, beside the newest turn.
        starts_on_user: whether what is left begins with something a user said.
        offloads: whether the rewrites keep what they take away somewhere else.
    """

    rewrites: tuple[Rewrite, ...] = ()
    drops: bool = True
    low_water: float = 0.7
    keep_recent: int = 1
    starts_on_user: bool = True
    offloads: bool = False


@dataclass(frozen=True, slots=True)
class Protected:
    """What is left alone.

    Attributes:
        tail: index from which on everything is.
        roots: groups before it that are, in order.
    """

    tail: int
    roots: tuple[int, ...]

    def spares(self, root: int) -> bool:
        """Return whether the group at `root`, before the tail, is left alone."""
        at = bisect_left(self.roots, root)
        return at < len(self.roots) and self.roots[at] == root


@dataclass(frozen=True, slots=True)
class Cut:
    """How far each loss goes: to the groups whose root is less than the index.

    Attributes:
        rewritten: one index for each rewrite.
        dropped: groups before it are dropped.
    """

    rewritten: tuple[int, ...]
    dropped: int = 0


def make_room(view: View, budget: Budget, manner: Manner) -> tuple[View, Change] | None:
    """Return the view with enough cut, or None where all that may go is not enough.

    Where the view fits as it is, that is for the caller to see first.
    """
    for spare_digests in (True, False):
        protected = protect(view.ledger, manner.keep_recent, spare_digests=spare_digests)
        fitted = _attempt(view, budget, manner, protected)
        if fitted is not None or not view.ledger.digests:
            return fitted
    return None


def everything(view: View, manner: Manner) -> tuple[View, Change]:
    """Return the view with all cut that may go."""
    return _made(view, manner, protect(view.ledger, manner.keep_recent, spare_digests=False))


def _made(
    view: View, manner: Manner, protected: Protected, cut: Cut | None = None
) -> tuple[View, Change]:
    """Return the view with `cut` made, or all that may go."""
    tail = protected.tail
    whole = Cut((tail,) * len(manner.rewrites), tail if manner.drops else 0)
    change = applied(view, whole if cut is None else cut, manner, protected)
    return changed(view, change), change


def _attempt(
    view: View, budget: Budget, manner: Manner, protected: Protected
) -> tuple[View, Change] | None:
    room = budget.available if budget.available is not None else view.ledger.total
    grid = Grid(view.ledger, manner, protected, room)
    over = max(1, view.ledger.total - room)
    while (cut := grid.cut(over)) is not None:
        made = _made(view, manner, protected, cut)
        left = excess(made[0], budget)
        if left == 0:
            return made
        over = grid.saved(cut) + left
    made = _made(view, manner, protected)  # an estimate is not what a conversation fails by
    return None if excess(made[0], budget) else made


def protect(ledger: Ledger, keep_recent: int, *, spare_digests: bool = True) -> Protected:
    """Return what has to stay, whatever it costs, beside what is required.

    That is the newest segments with their groups, the newest thing a user said, calls that wait
    for a result, all of an unfinished turn that holds signed reasoning, and, at first, summaries.
    """
    grouper, length = ledger.grouper, ledger.counted
    tail = max(0, length - max(1, keep_recent))
    user = grouper.last_user_turn
    begin = -1 if user is None else user
    unfinished = length > 0 and ledger.segments[length - 1].kind in ("tool_call", "tool_result")
    if unfinished and ledger.last_signed > begin:
        tail = min(tail, max(0, begin))
    spared = [*grouper.pending(), *range(tail, length)]
    spared += [] if user is None else [user]
    spared += ledger.digests if spare_digests else []
    roots = sorted({grouper.root(index) for index in spared})
    return Protected(tail, tuple(root for root in roots if root < tail))


class Grid:
    """The places where losses may end."""

    def __init__(self, ledger: Ledger, manner: Manner, protected: Protected, room: int) -> None:
        """Lay a grid over a conversation that has `room` tokens."""
        self._ledger = ledger
        self._manner = manner
        self._protected = protected
        self._step = max(1, int(room * (1 - manner.low_water)))
        self._length = ledger.droppable.before(protected.tail)  # tokens that lie under the grid

    def cut(self, over: int) -> Cut | None:
        """Return the least loss that saves `over` tokens by estimate, or None where none does."""
        for level in range(len(self._manner.rewrites) + self._manner.drops):
            if self.saved(self._cut(level, self._protected.tail, self._protected.tail)) >= over:
                return self._least(level, over)
        return None

    def saved(self, cut: Cut) -> int:
        """Return how many tokens `cut` saves by estimate."""
        total = self._before(self._ledger.droppable, cut.dropped)
        for rewrite, index in zip(self._manner.rewrites, cut.rewritten, strict=True):
            column = self._ledger.savings(rewrite)
            total += self._before(column, index) - self._before(column, min(index, cut.dropped))
        return total

    def _least(self, level: int, over: int) -> Cut:
        """Return the shortest loss of kind `level`, on the coarsest grid that has one."""
        step = self._step
        while step:
            last = self._length // step
            cuts = [self._cut(level, self._place(last, step), self._place(n, step)) for n in ()]
            step //= 2
        tail = self._protected.tail
        return self._cut(level, tail, tail)

def applied(view: View, cut: Cut, manner: Manner, protected: Protected) -> Change:
    """Return what `cut` makes of `view`."""
    ledger = view.ledger
    dropped = _start(ledger, cut.dropped, protected) if manner.starts_on_user else cut.dropped
    kept = _kept(ledger, dropped, protected)
    segments = [_rewritten(ledger, index, cut, manner, protected) for index in kept]
    kinds = [
        segment.kind
        for index, segment in zip(kept, segments, strict=True)
        if segment is not ledger.segments[index]
    ]
    if manner.offloads:
        return Change(tuple(segments), tuple(kept), offloaded=len(kinds))
    return Change(tuple(segments), tuple(kept), Elisions.of(kinds))


def last_turns(
    view: View, keep_last: int, *, slide: int = 1, keep_framing: bool = True
) -> Change | None:
    """Return the last groups that are not required, beside those that are, or None if that is all.

    Args:
        view: what to take them from.
        keep_last: how many groups to keep.
        slide: the number of those that are left out is a multiple of it.
        keep_framing: whether to keep what is required by its kind.
    """
    ledger = view.ledger
    grouper = ledger.grouper
    count = grouper.count - len(ledger.required)
    out = -(-max(0, count - keep_last) // slide) * slide
    left, first = max(1, count - out), len(ledger)
    if out == 0 and keep_framing:
        return None
    while first and left:
        first -= 1
        left -= grouper.root(first) == first and not ledger.is_required(first)
    pending = tuple(sorted({grouper.root(index) for index in grouper.pending()}))
    kept = _kept(ledger, first, Protected(first, tuple(root for root in pending if root < first)))
    if not keep_framing:
        kept = [index for index in kept if not _is_framing(ledger.segments[index])]
    return Change(tuple(ledger.segments[index] for index in kept), tuple(kept))


def _is_framing(segment: Segment) -> bool:
    return segment.required is None and segment.is_required


def _start(ledger: Ledger, dropped: int, protected: Protected) -> int:
    """Return the next user turn, if it is one that may be dropped up to."""
    if dropped == 0 or dropped >= protected.tail:
        return dropped
    turn = ledger.grouper.next_user_turn(dropped)
    return dropped if turn is None or turn > protected.tail else turn


def _kept(ledger: Ledger, dropped: int, protected: Protected) -> list[int]:
    old = [*ledger.required[: bisect_left(ledger.required, dropped)]]
    old += protected.roots[: bisect_left(protected.roots, dropped)]
    grouper, roots = ledger.grouper, frozenset(old)
    early = {index for root in roots for index in grouper.members(root) if index < dropped}
    late = range(dropped, len(ledger))
    return sorted(early) + [
        index for index in late if grouper.root(index) >= dropped or grouper.root(index) in roots
    ]


def _rewritten(
    ledger: Ledger, index: int, cut: Cut, manner: Manner, protected: Protected
) -> Segment:
    segment, root = ledger.segments[index], ledger.grouper.root(index)
    if segment.locked or ledger.is_required(root) or root in protected.roots:
        return segment
    for rewrite, end in zip(manner.rewrites, cut.rewritten, strict=True):
        if root < end:
            segment = rewrite(segment)
    return segment
