"""A view with a summary in the place of its oldest turns."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from orchestrator_context.conversation.fitting import Cut, Grid, Manner, applied, everything
from orchestrator_context.conversation.ledger import Ledger
from orchestrator_context.conversation.memory import SummaryMemory
from orchestrator_context.conversation.policy import in_background, over_budget
from orchestrator_context.conversation.protection import Protected, protect
from orchestrator_context.conversation.report import Span, gaps
from orchestrator_context.conversation.rolling import Covered, Roller, Summary, read_summary
from orchestrator_context.conversation.room import Change, changed, excess, settled
from orchestrator_context.conversation.summarizing import Summarizer
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import BudgetExceededError, UnknownWindowError
from orchestrator_context.models import Budget, Segment

_TRIED = 4  # summaries, before the turns are read instead
_LEAST_TOKENS = 16  # of a summary; less says nothing
_MOST_TURNS = 10**6  # in a heading; as many digits as one will ever have
_STEPS = 32  # in which the room of a summary shrinks; fewer leave more of it unused
_SLACK_TOKENS = 4  # where texts meet, their tokens do not add up exactly


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


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where a view is cut, and what its summary may take.

    Attributes:
        ledger: the conversation, its first `length` segments counted.
        length: segments of the view.
        cut: groups that begin before it leave the view.
        tail: as far as the cut could go.
        over: tokens that the cut has to save.
        max_tokens: of the summary's text; 0 where nobody writes one.
    """

    ledger: Ledger
    length: int
    cut: int
    tail: int
    over: int
    max_tokens: int


@dataclass(frozen=True, slots=True)
class _Left:
    """What is left of a view that was cut, and what left it."""

    cut: int
    kept: Change
    gone: tuple[Span, ...]
    turns: int


async def summarised(view: View, budget: Budget, rolling: Rolling) -> View:
    """Return `view`, which does not fit, with a summary of as many turns as it takes.

    Where to cut is decided by what the summary may take, before anybody is asked to write it.
    While a summariser works, nothing is held: the conversation may go on.

    Raises:
        BudgetExceededError: what has to stay does not fit.
        SummaryError: no summarizer could do it.
        UnknownWindowError: the budget names no tokens.
    """
    over = 1
    while True:
        plan = await in_background(
            view, partial(_planned, budget=budget, rolling=rolling, over=over)
        )
        change = await _replaced(view, plan, rolling)
        made = partial(_made, change=change, budget=budget, policy=rolling.policy)
        new, left = await in_background(view, made)
        if left == 0:
            return new
        if plan.cut >= plan.tail:
            raise over_budget(new, budget, rolling.policy)
        over = plan.over + left


def _made(view: View, change: Change, budget: Budget, policy: str) -> tuple[View, int]:
    """Return the view with a change made to it, and the tokens that it is still over."""
    new = changed(view, change)
    left = excess(new, budget)
    return (new if left else settled(view, new, change, budget, policy)), left


def _planned(view: View, budget: Budget, rolling: Rolling, over: int) -> _Plan:
    """Return where to cut so that there is room for the summary."""
    text, whole = _room(view, budget, rolling)
    ledger, available = view.ledger, budget.available or 0
    ledger.digest(len(view))  # here, since it may be long
    protected = _protected(view, rolling)
    grid = Grid(ledger, rolling.manner, protected, available)
    room = max(1, available - whole)
    beside = replace(budget, max_tokens=room, output_reserve=0, headroom=0)
    over = max(over, ledger.total + whole - available)
    place = protected.tail
    while (cut := grid.cut(over)) is not None:
        kept = applied(view, cut, rolling.manner, protected)
        left = excess(changed(view, kept), beside)
        if left == 0:
            place = cut.dropped
            break
        over = grid.saved(cut) + left
    return _Plan(ledger, len(view), place, protected.tail, over, text)


def _protected(view: View, rolling: Rolling) -> Protected:
    return protect(view.ledger, rolling.manner.keep_recent, spare_digests=False)


def _room(view: View, budget: Budget, rolling: Rolling) -> tuple[int, int]:
    """Return the tokens that the text of a summary may take, and the summary as a message.

    It is its share, less a part of it at a time until what has to stay fits beside it: so it stays
    the same where the newest turns are a little longer or shorter.
    """
    if budget.available is None:
        raise UnknownWindowError("A summary takes a share of the window: pass Budget(max_tokens=)")
    least, change = everything(view, rolling.manner)
    left = budget.available - least.tokens
    if left < 0 or len(change.segments) == len(view):
        raise over_budget(least, budget, rolling.policy)
    counter, least_text = view.counter, _LEAST_TOKENS if rolling.summarizers else 0
    heading = Summary("." * bool(least_text)).segment(_MOST_TURNS)
    frame = counter.count_messages((heading,)) - counter.count_messages(()) + _SLACK_TOKENS
    titles = counter.count(heading.content)
    text = int(budget.available * rolling.max_share) - titles if least_text else 0
    step = max(1, text // _STEPS)
    while text > max(least_text, left - frame):
        text = max(least_text, text - step)
    if text < least_text or text > left - frame:
        share = math.ceil((least_text + titles) / rolling.max_share) if least_text else 0
        raise _no_room(least.tokens, frame + least_text, share, budget.available)
    return text, text + frame


def _no_room(kept: int, summary: int, share: int, available: int) -> BudgetExceededError:
    needed = max(kept + summary, share)
    return BudgetExceededError(
        f"What has to stay takes {kept} tokens and a summary at least {summary}, and {available} "
        f"are there; with the share that the summary may take, {needed} are needed. Raise the "
        f"budget or the share, shorten what is required, or chain a policy that drops",
        needed=needed,
        available=available,
    )


async def _replaced(view: View, plan: _Plan, rolling: Rolling) -> Change:
    """Return the view with one summary of all that leaves it."""
    if rolling.summarizers:
        left, summary, failures = await _summary(view, plan, rolling)
    else:
        left = await in_background(view, lambda one: _left(one, plan.cut, rolling))
        summary, failures = _unwritten(view, left.gone), ()
    kept, gone = left.kept, left.gone
    if not gone:
        return kept
    at = bisect_left(kept.positions, gone[0][0])
    return Change(
        (*kept.segments[:at], summary.segment(left.turns), *kept.segments[at:]),
        (*kept.positions[:at], gone[0][0], *kept.positions[at:]),
        summarised=gone,
        failures=failures,
    )


def _left(view: View, cut: int, rolling: Rolling) -> _Left:
    protected = _protected(view, rolling)
    kept = applied(view, Cut((), cut), rolling.manner, protected)
    turns = view.ledger.turns.before(cut) - bisect_left(protected.roots, cut)
    return _Left(cut, kept, gaps(kept.positions, len(view)), turns)


def _unwritten(view: View, gone: Sequence[Span]) -> Summary:
    """Return a summary without text that covers what those covered that are gone."""
    if not gone:
        return Summary()
    ledger, opening = view.ledger, gone[0][0]
    places = {opening}  # all others that are summaries say so by their kind
    for start, stop in gone:
        known = ledger.digests
        places.update(known[bisect_left(known, start) : bisect_left(known, stop)])
    found = (read_summary(ledger.segments[at], opens=at == opening) for at in places)
    return Summary(inherited=sum(one.inherited for one in found if one is not None))


async def _summary(
    view: View, plan: _Plan, rolling: Rolling
) -> tuple[_Left, Summary, tuple[str, ...]]:
    """Return what is left, the summary of what is gone, and the names of failures on the way."""
    ledger, memory = plan.ledger, rolling.memory
    async with memory.reading(ledger, plan.cut):
        known = await memory.known(ledger, plan.length, plan.tail)
        covered, left, fresh = await in_background(
            view, partial(_least_to_read, plan=plan, known=known, rolling=rolling)
        )
        if not fresh and view.counter.count(covered.summary.text) <= plan.max_tokens:
            return left, covered.summary, ()
        roller = Roller(rolling.summarizers, view.counter, plan.max_tokens, rolling.timeout_seconds)
        turns: list[Segment] = [view.segments[index] for index in fresh]
        before = covered.summary if covered.read else None
        summary, failures = await roller.rolled(before, turns)
        await memory.keep(ledger, covered.extended(summary, left.cut, fresh, left.kept.positions))
    return left, summary, failures


def _least_to_read(
    view: View, plan: _Plan, known: Sequence[Covered], rolling: Rolling
) -> tuple[Covered, _Left, list[int]]:
    """Return the summary to go on from, what is left where that is done, and what is to be read.

    That is the first summary that goes as far as the cut, or a little further, and needs nothing
    more; else the one that most was read for. Where it goes further than the cut, so does the cut.
    """
    far = [one for one in known if one.length >= plan.cut][:_TRIED]
    most = max(known, key=lambda one: one.read, default=Covered())
    for covered in (*far, most):
        left = _left(view, max(plan.cut, covered.length), rolling)
        fresh = covered.fresh(left.gone, frozenset(left.kept.positions))
        if not fresh or covered is most:
            return covered, left, fresh
    raise AssertionError("unreachable: the last one is taken as it is")
