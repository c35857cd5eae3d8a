"""What each strategy would make of a corpus, before any of them is chosen."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from orchestrator_context import checks
from orchestrator_context.budget import Budget
from orchestrator_context.corpus.blocks import Constraint
from orchestrator_context.corpus.report import Reduction, Strategy
from orchestrator_context.corpus.state import Representation
from orchestrator_context.wording import counted


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a strategy would give: the figures of a real selection with it.

    Attributes:
        strategy: its name.
        representation: what it becomes.
        relevance: share of what the question asks for that is there, 0 to 1: documents count by
            score and rank, those in part by the words of the question in it; 0 without a question.
        selected: documents in the text.
        omitted: documents that are not.
        collapsed: documents that a pointer stands for.
        compacted: documents without their comments.
        partial: documents of which parts are there.
        extracts: documents of which the declarations are there.
        tokens: of the text.
        size_bytes: of the text.
        binding: ceilings that keep something out.
        fits: whether all that is pinned is there, any document at all, and one that matches.
        complete: whether every byte is there.
    """

    strategy: Strategy
    representation: Representation
    relevance: float
    selected: int
    omitted: int
    collapsed: int
    compacted: int
    partial: int
    extracts: int
    tokens: int
    size_bytes: int
    binding: tuple[Constraint, ...]
    fits: bool
    complete: bool

    @classmethod
    def of(cls, reduction: Reduction, relevance: float) -> Outlook:
        """Return the figures of `reduction`, which holds that share of what was asked for."""
        return cls(
            strategy=reduction.strategy,
            representation=reduction.representation,
            relevance=relevance,
            selected=len(reduction.documents),
            omitted=reduction.omitted,
            collapsed=reduction.collapsed_exact + reduction.collapsed_near,
            compacted=reduction.count("compact"),
            partial=reduction.count("partial"),
            extracts=reduction.count("extract"),
            tokens=reduction.tokens,
            size_bytes=reduction.size_bytes,
            binding=reduction.binding,
            fits=reduction.fits,
            complete=reduction.complete,
        )

    def metadata(self) -> dict[str, object]:
        """Return all figures as JSON-able data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Plan:
    """What can be done with a corpus and a budget.

    Attributes:
        candidates: documents there are.
        tokens: that they have together, equal ones once.
        budget: the ceilings.
        options: one outlook for each of whole, ranked, tiered and packed, in this order.
        distill_chunks: parts of `SelectOptions.chunk_tokens` that a distillation would read.
        distill_calls: calls that it would make then: one for each part, and one for the answer.
        matches: documents that match the question, as `Reduction.matches_available`.
        unknown_scores: scores that were given for paths of no document, or for no part of one.
    """

    candidates: int
    tokens: int
    budget: Budget
    options: tuple[Outlook, ...]
    distill_chunks: int
    distill_calls: int
    matches: int | None = None
    unknown_scores: int = 0

    def option(self, name: str) -> Outlook | None:
        """Return the outlook of a strategy, or None where there is none of that name."""
        wanted = checks.text("name", name).strip().casefold()
        return next((one for one in self.options if one.strategy == wanted), None)

    def best(self) -> Outlook | None:
        """Return what serves best, or None where there is none that a document fits in.

        That is a complete one, else the one that holds most of what the question asks for, else
        most documents, else the fullest form. Pinned documents come first in all of them.
        """
        some = [one for one in self.options if one.selected]
        return max(some, key=_worth, default=None)

    def summary(self) -> str:
        """Return one line of figures, without any content."""
        best = self.best()
        chosen = "nothing to select" if best is None else f"best is {best.strategy}"
        if best is not None and best.relevance:
            chosen += f" with {best.relevance:.0%} of what is asked for"
        if self.matches == 0:
            chosen += ", but NOTHING matches the question"
        if self.unknown_scores:
            chosen += f", {counted(self.unknown_scores, 'score')} of UNKNOWN paths or parts"
        return (
            f"{counted(self.candidates, 'document', spec=',')} of "
            f"{counted(self.tokens, 'token', spec=',')}, {chosen}; "
            f"distilled part by part: {counted(self.distill_chunks, 'part', spec=',')}, "
            f"{counted(self.distill_calls, 'call', spec=',')}"
        )

    def metadata(self) -> dict[str, object]:
        """Return all figures as JSON-able data, without any content."""
        best = self.best()
        data: dict[str, object] = asdict(self)
        data["best"] = None if best is None else best.strategy
        return data


def _worth(outlook: Outlook) -> tuple[bool, float, int]:
    return outlook.complete, outlook.relevance, outlook.selected
