"""What a selection gives back: the text, what is in it, what is not, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Literal

from orchestrator_context import checks
from orchestrator_context.budget import Budget
from orchestrator_context.corpus.blocks import Constraint
from orchestrator_context.corpus.envelope import FIDELITIES, Fidelity, Lines
from orchestrator_context.corpus.state import ReductionState, Representation
from orchestrator_context.events import ContextReduced
from orchestrator_context.models import Document, Segment
from orchestrator_context.wording import counted

Strategy = Literal["auto", "whole", "ranked", "tiered", "packed"]
Placement = Literal["user", "system"]

PLACEMENTS: tuple[Placement, ...] = ("user", "system")
STRATEGIES: tuple[Strategy, ...] = ("auto", "whole", "ranked", "tiered", "packed")


@dataclass(frozen=True, slots=True)
class Reduction:
    """A corpus, brought into a budget.

    Attributes:
        text: the envelope; "" where not even an empty one fits.
        strategy: what was asked for.
        representation: what was done.
        candidates: documents there were.
        documents: those that stand in the text, in its order, in whatever form but a pointer.
        fidelities: in what form each of them does.
        lines: first and last line of each span that is there of those that are there in part.
        tokens: of the text, as counted on it.
        size_bytes: of the text in UTF-8.
        budget: the ceilings.
        exact: whether tokens were counted as the model counts, or estimated from above.
        binding: ceilings that kept something out, in a fixed order.
        collapsed_exact: documents that a pointer to an equal one stands for.
        collapsed_near: documents that a pointer to a similar one stands for.
        carried_over: selected documents that were in the selection before.
        required_omitted: paths of pinned documents that did not fit, nor did an equal one.
        overview_documents: documents that the overview speaks of.
        digests: module texts of the caller that stand in the text.
        parts_available: parts of documents that there were to choose from, where any were.
        parts_selected: those of them that were chosen.
        matches_available: documents there were that hold a telling word of the question, in their
            text or path, or, where scores were given, have one; equal ones once. None where nothing
            was asked.
        matches_selected: those of them that stand in the text, or that one in it stands for.
        unknown_scores: scores that were given for paths of no document, or for no part of one.
    """

    text: str = field(repr=False)
    strategy: Strategy
    representation: Representation
    candidates: int
    documents: tuple[Document, ...] = field(repr=False)
    fidelities: tuple[Fidelity, ...] = field(repr=False)
    lines: tuple[Lines, ...] = field(repr=False)
    tokens: int
    size_bytes: int
    budget: Budget
    exact: bool
    binding: tuple[Constraint, ...] = ()
    collapsed_exact: int = 0
    collapsed_near: int = 0
    carried_over: int = 0
    required_omitted: tuple[str, ...] = field(default=(), repr=False)
    overview_documents: int = 0
    digests: int = 0
    parts_available: int = 0
    parts_selected: int = 0
    matches_available: int | None = None
    matches_selected: int = 0
    unknown_scores: int = 0
    _state: ReductionState = field(default=ReductionState(), repr=False)

    @property
    def fits(self) -> bool:
        """Whether all that is pinned is there, any document at all, and one that matches.

        That is, if there were some. The text keeps to every ceiling, whether or not.
        """
        matches = self.matches_selected > 0 or not self.matches_available
        some = bool(self.documents) or not self.candidates
        return matches and some and not self.required_omitted

    @property
    def omitted(self) -> int:
        """Documents that stand in the text in no form, not even by a pointer."""
        return self.candidates - len(self.documents) - self.collapsed_exact - self.collapsed_near

    @property
    def complete(self) -> bool:
        """Whether there are documents, and every byte of each is there, equal ones once."""
        whole = all(fidelity == "whole" for fidelity in self.fidelities)
        return self.candidates > 0 and whole and not (self.omitted or self.collapsed_near)

    def count(self, fidelity: Fidelity) -> int:
        """Return how many documents stand in the text in this form."""
        return self.fidelities.count(checks.choice("fidelity", fidelity, FIDELITIES))

    def segment(self, placement: Placement = "user") -> Segment:
        """Return the text as a part of a prompt, whose bytes may not change.

        >>> empty = Reduction("", "auto", "none", 0, (), (), (), 0, 0, Budget(9), exact=True)
        >>> empty.segment("system").role
        'system'

        Args:
            placement: "user" for in front of the question, "system" for the system prompt, where
                a cache keeps it as long as the selection stays the same.
        """
        checks.choice("placement", placement, PLACEMENTS)
        return Segment(self.text, placement, "document", title="documents", locked=True)

    def state(self) -> ReductionState:
        """Return what the next selection needs to prefer what is in this one."""
        return self._state

    def summary(self) -> str:
        """Return one line of figures, without any content or path."""
        forms = Counter(self.fidelities)
        parts = [
            f"{self.strategy}: {len(self.documents)} of "
            f"{counted(self.candidates, 'document')} as {self.representation}",
            *(f"{count} {name}" for name, count in sorted(forms.items()) if name != "whole"),
            f"{self.tokens} of {_limit(self.budget.available)}"
            + ("" if self.exact else " (estimated)"),
        ]
        counts = {
            "equal": self.collapsed_exact,
            "similar": self.collapsed_near,
            "omitted": self.omitted,
            "pinned OMITTED": len(self.required_omitted),
            "carried over": self.carried_over,
            "scores of UNKNOWN paths or parts": self.unknown_scores,
        }
        parts += [f"{count} {name}" for name, count in counts.items() if count]
        parts += [f"bound by {', '.join(self.binding)}"] if self.binding else []
        parts += [self._unmet()] if self._unmet() else []
        return ", ".join(parts) + ("" if self.fits else ", does NOT FIT")

    def _unmet(self) -> str:
        """Return why the text does not serve, or ""."""
        if not self.candidates:
            return "NOTHING to read"
        if self.matches_available is None or self.matches_selected:
            return ""
        if not self.matches_available:
            return "NOTHING matches the question"
        return f"NONE of {self.matches_available} that match"

    def metadata(self) -> dict[str, object]:
        """Return all figures as JSON-able data, without any content or path."""
        hidden = ("text", "documents", "fidelities", "lines", "required_omitted", "_state")
        names = [name for name in self.__slots__ if name not in hidden]
        data: dict[str, object] = {name: getattr(self, name) for name in names}
        return data | {
            "budget": asdict(self.budget),
            "documents": len(self.documents),
            "fidelities": dict(Counter(self.fidelities)),
            "required_omitted": len(self.required_omitted),
            "omitted": self.omitted,
            "fits": self.fits,
            "complete": self.complete,
        }

    def event(self) -> ContextReduced:
        """Return the event that tells of this result."""
        return ContextReduced(
            strategy=self.representation,
            candidates=self.candidates,
            selected=len(self.documents),
            tokens=self.tokens,
            max_tokens=self.budget.available or 0,
            calls=0,
            complete=self.complete,
            omitted=self.omitted,
            binding=", ".join(self.binding),
        )


def _limit(value: int | None) -> str:
    return "unlimited tokens" if value is None else counted(value, "token")
