"""Whether a view fits its budget, as really counted, and the account of one that was fitted."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from orchestrator_context import checks
from orchestrator_context.conversation.report import (
    Elisions,
    Span,
    ViewReport,
    gaps,
    united,
    without,
)
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import UnknownWindowError
from orchestrator_context.messages import message_runs
from orchestrator_context.models import Budget, Segment

_CERTAINLY_OVER = 2  # no text takes twice the tokens in pieces that it takes as a whole


@dataclass(frozen=True, slots=True)
class Change:
    """What a policy made of a view.

    Attributes:
        segments: those of the new view.
        positions: for each, where it stood in the old one.
        alone: for each, what it costs as a message of its own; empty where that is not known.
        elided: indices of those in the new view that were shortened.
        offloaded: segments that were moved to a store.
        summarised: spans of the old view that a summary stands for.
        failures: names of errors that kept the policy from its work.
    """

    segments: tuple[Segment, ...]
    positions: tuple[int, ...]
    elided: tuple[int, ...] = ()
    alone: tuple[int, ...] = ()
    offloaded: int = 0
    summarised: tuple[Span, ...] = ()
    failures: tuple[str, ...] = ()


def excess(view: View, budget: Budget) -> int:
    """Return about how many tokens the messages of `view` are over `budget`, and 0 if they fit.

    It is exact where tokens are over, and the same share of them where bytes or messages are.

    Raises:
        UnknownWindowError: the budget has no ceiling at all.
    """
    need_ceiling(budget)
    view.add_up()
    over = 0 if budget.available is None else max(0, view.tokens - budget.available)
    share = _share_over(view, budget)
    return max(over, math.ceil(view.tokens * share), int(share > 0))


def fits(view: View, budget: Budget) -> bool:
    """Return whether the messages of `view` fit, without counting what is certainly too much."""
    need_ceiling(budget)
    return not _certainly_over(view, budget.available) and excess(view, budget) == 0


def _certainly_over(view: View, room: int | None) -> bool:
    if room is None or not view.rules.tools:  # a call that is sent as text may cost far less
        return False
    return view.ledger.total > _CERTAINLY_OVER * room + view.ledger.base


def need_ceiling(budget: Budget) -> None:
    """Raise where `budget` has no ceiling.

    Raises:
        ConfigurationError: it is no budget.
        UnknownWindowError: it has none.
    """
    checks.instance("budget", budget, Budget, "Budget(tokens of the window)")
    if budget.available is None and budget.max_bytes is None and budget.max_items is None:
        raise UnknownWindowError(
            "The window is unknown, so nothing can be fitted to it: pass Budget(max_tokens=...)"
        )


def untouched(view: View, budget: Budget) -> View:
    """Return `view` as it is, with the account of that."""
    report = _before(view, budget)
    over = not fits(view, budget)
    by_far = over and _certainly_over(view, budget.available)
    tokens = view.ledger.total if by_far else view.tokens
    return view.with_report(replace(report, budget=budget, tokens=tokens, over=over))


def changed(view: View, change: Change) -> View:
    """Return `view` with a change made to it; `settled` gives it its account."""
    new = view.with_segments(change.segments, change.positions, change.elided)
    new.add_up(view.ledger.added_up(change.segments, change.alone) if change.alone else None)
    return new


def settled(old: View, new: View, change: Change, budget: Budget, policy: str) -> View:
    """Return `new`, which `change` made of `old`, with its account."""
    before = _before(old, budget)
    summarised = _summarised(old, new, change)
    missing = gaps(_positions(new), before.original_segments)
    report = replace(
        before,
        policy=_named(before.policy, policy),
        segments=len(new),
        tokens=new.tokens,
        budget=budget,
        dropped=without(missing, summarised),
        summarised=summarised,
        elided=Elisions.of([new.segments[index].kind for index in new.elided]),
        offloaded=before.offloaded + change.offloaded,
        failures=(*before.failures, *change.failures),
        over=excess(new, budget) > 0,
    )
    return new.with_report(report)


def _named(before: str, policy: str) -> str:
    if before == "none":
        return policy
    return before if before.split("+")[-1] == policy else f"{before}+{policy}"


def _before(view: View, budget: Budget) -> ViewReport:
    if view.report.policy != "none":
        return view.report
    ledger = view.ledger
    return ViewReport(
        original_segments=len(view),
        segments=len(view),
        original_tokens=ledger.total,
        budget=budget,
        exact=view.counter.exact,
        pending=len(ledger.grouper.pending()),
        dead=len(ledger.grouper.dead()),
        orphans=len(ledger.grouper.orphans),
        late=len(ledger.grouper.blocks.late),
    )


def _positions(view: View) -> tuple[int, ...]:
    return tuple(range(len(view))) if view.positions is None else view.positions


def _summarised(old: View, new: View, change: Change) -> tuple[Span, ...]:
    """Return the spans of the original view that a summary in `new` stands for."""
    before = old.report.summarised
    ends = [
        (old.originally(start), old.originally(stop - 1) + 1) for start, stop in change.summarised
    ]
    spans = united((*before, *without(tuple(ends), old.report.dropped)))
    stands = not {start for start, _ in spans}.isdisjoint(_positions(new))
    return spans if stands else ()  # a summary has the place of the first segment it stands for


def _share_over(view: View, budget: Budget) -> float:
    """Return the share of `view` that has to go for its bytes and messages, 0 where none has."""
    shares = [0.0]
    if budget.max_items is not None:
        items = sum(1 for _ in message_runs(view.messages))
        shares.append(1 - budget.max_items / max(1, items))
    if budget.max_bytes is not None:
        contents = (one.content.encode("utf-8", "surrogatepass") for one in view.messages)
        shares.append(1 - budget.max_bytes / max(1, sum(map(len, contents))))
    return max(shares)
