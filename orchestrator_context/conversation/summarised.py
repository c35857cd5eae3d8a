"""A view with a summary in the place of its oldest turns."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from dataclasses import dataclass

from orchestrator_context.conversation.fitting import (
    Cut,
    Grid,
    Manner,
    Protected,
    applied,
    everything,
    protect,
)
from orchestrator_context.conversation.policy import over_budget
from orchestrator_context.conversation.report import gaps
from orchestrator_context.conversation.rolling import Roller, Summary, SummaryMemory
from orchestrator_context.conversation.room import Change, changed, excess, settled
from orchestrator_context.conversation.summarizing import Summarizer
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import SummaryError, UnknownWindowError
from orchestrator_context.models import Budget

_LEAST_TOKENS = 16  # of a summary; less says nothing
_HEADING_TOKENS = 24  # at the most, with the framing of a message


@dataclass(frozen=True, slots=True)
class Rolling:
    """How turns are summarised.

    Attributes:
        manner: which turns leave.
        summarizers: the first writes the summary, the next takes over where it fails; without
            any, a line says how many turns are left out.
        max_share: share of the budget that the summary may take.
        timeout_seconds: time for one summary, or None.
        memory: the summaries made so far.
        policy: kind of the policy.
    """

    manner: Manner
    summarizers: tuple[Summarizer, ...]
    max_share: float
    timeout_seconds: float | None
    memory: SummaryMemory
    policy: str


async def summarised(view: View, budget: Budget, rolling: Rolling) -> View:
    """Return `view`, which does not fit, with a summary of as many turns as it takes.

    Raises:
        BudgetExceededError: what has to stay does not fit.
        SummaryError: no summarizer could do it.
        UnknownWindowError: the budget names no tokens.
    """
    if budget.available is None:
        raise UnknownWindowError("A summary takes a share of the window: pass Budget(max_tokens=)")
    ledger, room = view.ledger, budget.available
    max_tokens = _max_tokens(view, budget, rolling) if rolling.summarizers else 0
    protected = protect(ledger, rolling.manner.keep_recent, spare_digests=False)
    grid = Grid(ledger, rolling.manner, protected, room)
    over = max(1, ledger.total - room) + max_tokens + _HEADING_TOKENS
    cut = Cut((), 0)
    while cut.dropped < protected.tail:
        cut = grid.cut(over) or Cut((), protected.tail)
        change = await _replaced(view, cut, protected, max_tokens, rolling)
        new = changed(view, change)
        left = excess(new, budget)
        if left == 0:
            return settled(view, new, change, budget, rolling.policy)
        over += left
    raise over_budget(everything(view, rolling.manner)[0], budget, rolling.policy)


def _max_tokens(view: View, budget: Budget, rolling: Rolling) -> int:
    """Return the tokens a summary may take: its share, halved until what has to stay fits too."""
    least, _ = everything(view, rolling.manner)
    room = budget.available or 0
    most = int(room * rolling.max_share)
    while most > room - least.tokens - _HEADING_TOKENS:
        most //= 2
        if most < _LEAST_TOKENS:
            raise over_budget(least, budget, rolling.policy)
    return most


async def _replaced(
    view: View, cut: Cut, protected: Protected, max_tokens: int, rolling: Rolling
) -> Change:
    kept = applied(view, cut, rolling.manner, protected)
    gone = gaps(kept.positions, len(view))
    summary, failures = Summary(), tuple[str, ...]()
    if rolling.summarizers and gone:
        summary, failures = await _summary(view, cut, kept, max_tokens, rolling)
    roots = protected.roots
    turns = view.ledger.turns.before(cut.dropped) - bisect_left(roots, cut.dropped)
    at = bisect_left(kept.positions, gone[0][0]) if gone else 0
    inserted = [summary.segment(turns)] if gone else []
    return Change(
        (*kept.segments[:at], *inserted, *kept.segments[at:]),
        (*kept.positions[:at], *(gone[0][:1] if gone else ()), *kept.positions[at:]),
        summarised=gone,
        failures=failures,
    )


async def _summary(
    view: View, cut: Cut, kept: Change, max_tokens: int, rolling: Rolling
) -> tuple[Summary, tuple[str, ...]]:
    """Return the summary of what left the view, and the names of failures on the way to it."""
    ledger, memory = view.ledger, rolling.memory
    key = hashlib.blake2b(f"{max_tokens} {view.counter.name}".encode(), digest_size=8).digest()
    async with memory.reading(ledger):
        covered = memory.longest(ledger, cut.dropped, key)
        stays = frozenset(kept.positions)
        fresh = covered.fresh(gaps(kept.positions, len(view)), stays)
        if not fresh:
            return covered.summary, ()
        segments = [ledger.segments[index] for index in fresh]
        failures: list[str] = []
        for number, summarizer in enumerate(rolling.summarizers, start=1):
            roller = Roller(summarizer, view.counter, max_tokens, rolling.timeout_seconds)
            try:
                summary = await roller.rolled(covered.summary, segments)
            except SummaryError as error:
                failures += error.failures
                if number == len(rolling.summarizers):
                    raise SummaryError(str(error), failures=tuple(failures)) from error
            else:
                memory.keep(ledger, covered.extended(summary, cut.dropped, fresh, stays), key)
                return summary, tuple(failures)
    raise AssertionError("unreachable: the last summarizer returns or raises")
