"""The account of a view: what it held, what it holds now, and what became of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

from orchestrator_context.events import ContextReduced
from orchestrator_context.models import Budget
from orchestrator_context.wording import counted

Span = tuple[int, int]
"""Segments of the original view, from the first index up to, but without, the second."""


@dataclass(frozen=True, slots=True)
class Elisions:
    """Segments that were shortened, and say so. Addable.

    Attributes:
        results: tool results.
        arguments: calls whose arguments were.
        texts: all others.
    """

    results: int = 0
    arguments: int = 0
    texts: int = 0

    def __add__(self, other: Elisions) -> Elisions:
        return Elisions(
            self.results + other.results,
            self.arguments + other.arguments,
            self.texts + other.texts,
        )

    @classmethod
    def of(cls, kinds: Sequence[str]) -> Elisions:
        """Return the count of segments of these kinds."""
        results, arguments = kinds.count("tool_result"), kinds.count("tool_call")
        return cls(results, arguments, len(kinds) - results - arguments)

    @property
    def total(self) -> int:
        """All of them."""
        return self.results + self.arguments + self.texts


@dataclass(frozen=True, slots=True)
class ViewReport:
    """What fitting a view to a budget did.

    Attributes:
        policy: kind of the policy that acted, or "none".
        original_segments: segments of the view before, `len(view)`. Orphans are among them, though
            they are not sent, and a result that is put in for a call is not.
        segments: segments of the view now, counted alike; a summary is one.
        original_tokens: tokens of the request before, tools and framing included; an estimate by
            the sum of its segments where `policy` is not "none".
        tokens: tokens of the request now, as counted on its final messages; of one that was left
            as it is and takes twice its budget or more, the sum of its segments.
        budget: what it may take.
        exact: whether tokens were counted as the model counts, or estimated from above.
        dropped: segments that are gone.
        summarised: segments that a summary stands for.
        elided: segments that were shortened.
        offloaded: segments that were moved to a store, where their handles find them.
        pending: tool calls that wait for a result.
        dead: tool calls without a result that the conversation has left behind.
        orphans: tool results without a call, which are sent only where nothing else would be.
        late: tool results that are sent at another place than they stand: directly behind their
            call or, where that has a result already, as text.
        failures: names of the errors that kept a policy from its work, such as those of a model
            that should have summarised. Nothing was lost through them.
        over: whether the view does not keep to a ceiling of its budget.
    """

    policy: str = "none"
    original_segments: int = 0
    segments: int = 0
    original_tokens: int = 0
    tokens: int = 0
    budget: Budget = Budget()
    exact: bool = True
    dropped: tuple[Span, ...] = ()
    summarised: tuple[Span, ...] = ()
    elided: Elisions = Elisions()
    offloaded: int = 0
    pending: int = 0
    dead: int = 0
    orphans: int = 0
    late: int = 0
    failures: tuple[str, ...] = ()
    over: bool = False

    @property
    def fits(self) -> bool:
        """Whether the view keeps to every ceiling of its budget."""
        return not self.over

    @property
    def dropped_count(self) -> int:
        """Segments that are gone."""
        return _length(self.dropped)

    @property
    def summarised_count(self) -> int:
        """Segments that a summary stands for."""
        return _length(self.summarised)

    @property
    def changed(self) -> bool:
        """Whether the view is another than before."""
        return bool(self.dropped or self.summarised or self.elided.total or self.offloaded)

    @property
    def complete(self) -> bool:
        """Whether the view fits and nothing is missing from it that cannot be recalled."""
        gone = self.dropped or self.summarised or self.elided.total or self.orphans
        return self.fits and not gone

    @property
    def saved_tokens(self) -> int:
        """Tokens that the view takes less than before."""
        return max(0, self.original_tokens - self.tokens)

    def summary(self) -> str:
        """Return one line of figures, without any content."""
        available = self.budget.available
        room = "unknown tokens" if available is None else counted(available, "token")
        parts = [
            f"{self.policy}: {self.segments} of {counted(self.original_segments, 'segment')}",
            f"{self.tokens} of {room}" + (" (estimated)" if not self.exact else ""),
        ]
        counts = {
            "dropped": self.dropped_count,
            "summarised": self.summarised_count,
            "elided": self.elided.total,
            "offloaded": self.offloaded,
        }
        calls = {
            "pending call": self.pending,
            "dead call": self.dead,
            "orphan result": self.orphans,
            "late result": self.late,
        }
        parts += [f"{count} {name}" for name, count in counts.items() if count]
        parts += [counted(count, name) for name, count in calls.items() if count]
        parts += [f"FAILED {name}" for name in self.failures]
        return ", ".join(parts) + ("" if self.fits else ", OVER its budget")

    def metadata(self) -> dict[str, object]:
        """Return all figures as JSON-able data, without any content."""
        data: dict[str, object] = asdict(self)
        return data | {
            "fits": self.fits,
            "complete": self.complete,
            "changed": self.changed,
            "dropped_count": self.dropped_count,
            "summarised_count": self.summarised_count,
            "saved_tokens": self.saved_tokens,
        }

    def event(self) -> ContextReduced:
        """Return the event that tells of this result."""
        return ContextReduced(
            strategy=self.policy,
            candidates=self.original_segments,
            selected=self.segments,
            tokens=self.tokens,
            max_tokens=self.budget.available or 0,
            calls=0,
            complete=self.complete,
        )


def gaps(positions: tuple[int, ...], length: int) -> tuple[Span, ...]:
    """Return the spans of `range(length)` that the sorted `positions` leave out.

    >>> gaps((0, 3, 4), 7)
    ((1, 3), (5, 7))
    """
    edges = (-1, *positions, length)
    return tuple((one + 1, two) for one, two in pairwise(edges) if two - one > 1)


def without(spans: tuple[Span, ...], taken: tuple[Span, ...]) -> tuple[Span, ...]:
    """Return the parts of `spans` that lie in none of `taken`; both are sorted.

    >>> without(((0, 9),), ((2, 4), (6, 7)))
    ((0, 2), (4, 6), (7, 9))
    """
    left: list[Span] = []
    number = 0
    for start, stop in spans:
        while number < len(taken) and taken[number][1] <= start:
            number += 1
        at = number
        while at < len(taken) and taken[at][0] < stop:
            left += [(start, taken[at][0])] if taken[at][0] > start else []
            start, at = taken[at][1], at + 1
        left += [(start, stop)] if start < stop else []
    return tuple(left)


def united(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return what lies in any of `spans`, as spans that are sorted and apart.

    >>> united([(4, 6), (0, 2), (1, 3), (6, 7)])
    ((0, 3), (4, 7))
    """
    whole: list[Span] = []
    for start, stop in sorted(spans):
        if whole and start <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(stop, whole[-1][1]))
        else:
            whole.append((start, stop))
    return tuple(whole)


def _length(spans: tuple[Span, ...]) -> int:
    return sum(stop - start for start, stop in spans)
