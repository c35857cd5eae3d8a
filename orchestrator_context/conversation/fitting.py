"""Where to cut a conversation so that it fits, and stays cut there for many turns.

The cheapest loss comes first: each rewrite is tried from the oldest group on, then whole groups are
dropped, again from the oldest. What has to be saved is rounded up to a multiple of `step` tokens,
and all that is decided follows from that figure. So what is cut depends on the conversation alone,
not on how it was cut before; and it stays the same until the conversation has grown by a step: the
bytes of a view are the beginning of the next one's. A rewrite that no longer saves half a step is
joined by the next loss, rather than that something changes at every turn.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from orchestrator_context.conversation.ledger import Form, Ledger, Rewrite
from orchestrator_context.conversation.protection import Protected, protect
from orchestrator_context.conversation.room import Change, changed, excess
from orchestrator_context.conversation.sums import Column
from orchestrator_context.conversation.view import View
from orchestrator_context.models import Budget

LOW_WATER = 0.5
"""The `low_water` of every policy that is told none.

Cached input costs about a tenth. In a debate of three with turns of 50 to 190 tokens and windows of
4k to 8k, 0.5 keeps the whole prefix at 92 to 97 % of the turns, with views that fill 71 % of their
windows on average; 0.7 keeps it at 87 to 96 % and fills 82 %, and costs 40 to 50 % more.
"""

_HALVED = 2  # of steps that a loss is worth while another one could join it: a whole one, a half


@dataclass(frozen=True, slots=True)
class Manner:
    """How a policy makes room.

    Attributes:
        rewrites: what shortens segments, cheapest loss first.
        drops: whether whole groups may go once that is not enough.
        low_water: share of the room that is left filled when something has to go, 0 to 1. The room
            is the budget without what opens the conversation and may not be dropped.
        keep_recent: newest segments that are left alone, beside the newest turn.
        starts_on_user: whether what is left begins with something a user said.
        offloads: whether the rewrites keep what they take away somewhere else.
    """

    rewrites: tuple[Rewrite, ...] = ()
    drops: bool = True
    low_water: float = LOW_WATER
    keep_recent: int = 1
    starts_on_user: bool = True
    offloads: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """How far each loss goes: to the groups whose root is less than the index.

    Attributes:
        rewritten: one index for each rewrite.
        dropped: groups before it are dropped.
    """

    rewritten: tuple[int, ...]
    dropped: int = 0


def make_room(view: View, budget: Budget, *manners: Manner) -> tuple[View, Change] | None:
    """Return the view with enough cut, or None where all that may go is not enough.

    Each manner is tried in turn, first with summaries and the beginning of the newest turns left
    alone. Where the view fits as it is, that is for the caller to see before.
    """
    tried = set[Protected]()
    for spares in (True, False):
        for manner in manners:
            protected = _protected(view.ledger, manner, spares=spares)
            fitted = None if protected in tried else _attempt(view, budget, manner, protected)
            if fitted is not None:
                return fitted
            tried.add(protected)
    return None


def everything(view: View, manner: Manner) -> tuple[View, Change]:
    """Return the view with all cut that may go."""
    return _made(view, manner, _protected(view.ledger, manner, spares=False))


def _protected(ledger: Ledger, manner: Manner, *, spares: bool) -> Protected:
    opens = spares and manner.starts_on_user
    return protect(ledger, manner.keep_recent, spare_digests=spares, opens=opens)


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


class Grid:
    """The steps in which losses go on."""

    def __init__(self, ledger: Ledger, manner: Manner, protected: Protected, room: int) -> None:
        """Divide a conversation that has `room` tokens into steps."""
        self._droppable = _Loss(ledger.droppable, protected.roots)
        self._savings = [_Loss(ledger.savings(one), protected.whole) for one in manner.rewrites]
        self._drops = manner.drops
        self._costs = ledger.costs
        self._room = room - ledger.base
        self._tail = protected.tail
        self._recent = max(1, manner.keep_recent)
        framing = ledger.costs.before(ledger.turns.first)
        self._step = max(1, int((self._room - framing) * (1 - manner.low_water)))

    def cut(self, over: int) -> Cut | None:
        """Return the least loss that saves `over` tokens by estimate, or None where none does."""
        levels = len(self._savings) + self._drops
        for level in range(levels):
            last = level + 1 == levels
            for halvings in range(self._step.bit_length() if last else _HALVED):
                step = max(1, self._step >> halvings)
                goal, edge = _rounded(over, step), self._edge(step)
                if self.saved(self._cut(level, edge, edge)) >= goal:
                    return self._shortest(level, edge, goal)
        return None

    def saved(self, cut: Cut) -> int:
        """Return how many tokens `cut` saves by estimate."""
        total = self._droppable.before(cut.dropped)
        for loss, index in zip(self._savings, cut.rewritten, strict=True):
            if index > cut.dropped:
                total += loss.before(index) - loss.before(cut.dropped)
        return total

    def _edge(self, step: int) -> int:
        """Return how far losses may go: up to what was recent when the step began."""
        over = _rounded(max(0, self._costs.total - self._room), step)
        began = self._costs.reach(self._room + over - step + 1)
        return max(0, min(began - self._recent, self._tail))

    def _shortest(self, level: int, edge: int, goal: int) -> Cut:
        """Return the loss of kind `level` that saves `goal`, with all before it up to `edge`."""
        places = range(edge + 1)
        at = bisect_left(places, goal, key=lambda place: self.saved(self._cut(level, edge, place)))
        return self._cut(level, edge, at)

    def _cut(self, level: int, edge: int, place: int) -> Cut:
        """Return the loss of kind `level` up to `place`, with all before it up to `edge`."""
        kinds = range(len(self._savings))
        ends = (edge if kind < level else place if kind == level else 0 for kind in kinds)
        return Cut(tuple(ends), place if level == len(kinds) else 0)


def _rounded(tokens: int, step: int) -> int:
    return -(-tokens // step) * step


class _Loss:
    """What groups lose, with what is left alone losing nothing."""

    def __init__(self, column: Column, roots: tuple[int, ...]) -> None:
        self._column = column
        self._roots = roots
        self._spared = [0, *accumulate(map(column.at, roots))]

    def before(self, index: int) -> int:
        """Return what the groups lose whose root is less than `index`."""
        return self._column.before(index) - self._spared[bisect_left(self._roots, index)]


def applied(view: View, cut: Cut, manner: Manner, protected: Protected) -> Change:
    """Return what `cut` makes of `view`."""
    ledger = view.ledger
    dropped = _start(ledger, cut.dropped, protected) if manner.starts_on_user else cut.dropped
    kept = _kept(ledger, dropped, protected)
    forms = [
        (ledger.savings(rewrite).shorter, end)
        for rewrite, end in zip(manner.rewrites, cut.rewritten, strict=True)
    ]
    found = [_rewritten(ledger, index, forms, protected) for index in kept]
    new = [at for at, one in enumerate(found) if one is not None]
    whole, costs = ledger.segments, ledger.alone
    pairs = zip(kept, found, strict=True)
    forms_of = [(whole[index], costs[index]) if one is None else one for index, one in pairs]
    segments, alone = zip(*forms_of, strict=True) if forms_of else ((), ())
    elided, offloaded = ((), len(new)) if manner.offloads else (tuple(new), 0)
    return Change(segments, tuple(kept), elided, alone, offloaded)


def _start(ledger: Ledger, dropped: int, protected: Protected) -> int:
    """Return the next user turn, if it is one that may be dropped up to."""
    if dropped == 0 or dropped >= protected.tail:
        return dropped
    turn = ledger.grouper.next_user_turn(dropped)
    return dropped if turn is None or turn > protected.tail else turn


def _kept(ledger: Ledger, dropped: int, protected: Protected) -> list[int]:
    """Return what is left where all groups before `dropped` go that may."""
    required, spared = ledger.required, protected.roots
    roots = {*required[: bisect_left(required, dropped)], *spared[: bisect_left(spared, dropped)]}
    grouper = ledger.grouper
    early = [index for index in members(ledger, roots) if index < dropped]
    late = range(dropped, ledger.counted)
    return early + [
        index for index in late if (root := grouper.root(index)) >= dropped or root in roots
    ]


def _rewritten(
    ledger: Ledger, index: int, forms: Iterable[tuple[dict[int, Form], int]], spared: Protected
) -> Form | None:
    """Return the first shorter form of a segment that goes so far, and its cost; None for none."""
    for shorter, end in forms:
        if index in shorter:
            root = ledger.grouper.root(index)
            if root < end and not (ledger.is_required(root) or spared.spares(root)):
                return shorter[index]
    return None


def members(ledger: Ledger, roots: Iterable[int]) -> list[int]:
    """Return the segments of the groups at `roots`, in order."""
    return sorted(index for root in roots for index in ledger.grouper.members(root))
