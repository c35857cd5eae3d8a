"""`plan`: what each strategy would make of a corpus, before any of them is chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from orchestrator_context.budget import Budget
from orchestrator_context.corpus.candidates import Candidates, Question
from orchestrator_context.corpus.fill import Constraint
from orchestrator_context.corpus.options import SelectOptions
from orchestrator_context.corpus.report import (
    Reduction,
    ReductionState,
    Representation,
    Strategy,
)
from orchestrator_context.corpus.select import need_ceiling, reduced
from orchestrator_context.models import Document
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.rank import RankIndex
from orchestrator_context.source import split_document
from orchestrator_context.tokens import token_counter

_PLANNED: tuple[Strategy, ...] = ("whole", "ranked", "tiered", "packed")


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a strategy would give: the figures of a real selection with it.

    Attributes:
        strategy: its name.
        representation: what it becomes.
        selected: documents in the text.
        omitted: documents that are not.
        collapsed: documents that a pointer stands for.
        compacted: documents without their comments.
        partial: documents of which parts are there.
        extracts: documents of which the declarations are there.
        tokens: of the text.
        size_bytes: of the text.
        binding: ceilings that keep something out.
        complete: whether every byte is there.
    """

    strategy: Strategy
    representation: Representation
    selected: int
    omitted: int
    collapsed: int
    compacted: int
    partial: int
    extracts: int
    tokens: int
    size_bytes: int
    binding: tuple[Constraint, ...]
    complete: bool

    @classmethod
    def of(cls, reduction: Reduction) -> Outlook:
        """Return the figures of `reduction`."""
        return cls(
            strategy=reduction.strategy,
            representation=reduction.representation,
            selected=len(reduction.documents),
            omitted=reduction.omitted,
            collapsed=reduction.collapsed_exact + reduction.collapsed_near,
            compacted=reduction.count("compact"),
            partial=reduction.count("partial"),
            extracts=reduction.count("extract"),
            tokens=reduction.tokens,
            size_bytes=reduction.size_bytes,
            binding=reduction.binding,
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
        budget: the ceilings.
        options: one outlook for each of whole, ranked, tiered and packed, in this order.
        distill_chunks: parts that a distillation would read.
        distill_calls: calls that it would make at least.
    """

    candidates: int
    budget: Budget
    options: tuple[Outlook, ...]
    distill_chunks: int
    distill_calls: int

    def option(self, name: str) -> Outlook | None:
        """Return the outlook of a strategy, or None where there is none of that name."""
        wanted = name.strip().casefold()
        return next((one for one in self.options if one.strategy == wanted), None)

    def best(self) -> Outlook | None:
        """Return what serves best: a complete one, else most documents, else the fullest form.

        None where there are no documents.
        """
        if not self.candidates:
            return None
        return max(self.options, key=lambda one: (one.complete, one.selected))

    def summary(self) -> str:
        """Return one line of figures, without any content."""
        best = self.best()
        chosen = "nothing to select" if best is None else f"best is {best.strategy}"
        return (
            f"{self.candidates} documents, {chosen}; a distillation reads {self.distill_chunks} "
            f"parts in at least {self.distill_calls} calls"
        )

    def metadata(self) -> dict[str, object]:
        """Return all figures as JSON-able data, without any content."""
        best = self.best()
        return asdict(self) | {
            "options": [one.metadata() for one in self.options],
            "best": None if best is None else best.strategy,
        }


def plan(
    documents: Iterable[Document],
    query: str,
    *,
    budget: Budget,
    options: SelectOptions = SelectOptions(),
    counter: TokenCounter | None = None,
    index: RankIndex | None = None,
    scores: Mapping[str, float] | None = None,
    previous: ReductionState | None = None,
    digests: Mapping[str, str] | None = None,
) -> Plan:
    """Return what each strategy would give, measured by running it; nothing is sent anywhere.

    Args:
        documents: as in `select`.
        query: as in `select`.
        budget: as in `select`.
        options: as in `select`; their strategy is passed over.
        counter: as in `select`.
        index: as in `select`.
        scores: as in `select`.
        previous: as in `select`.
        digests: as in `select`.

    Raises:
        UnknownWindowError: the budget has no ceiling.
        ConfigurationError: as in `select`.
    """
    need_ceiling(budget)
    question = Question(query, scores, previous or ReductionState())
    counter = token_counter() if counter is None else counter
    candidates = Candidates(
        documents, question, options, counter=counter, index=index, digests=digests
    )
    outlooks = [Outlook.of(reduced(candidates, budget, name)) for name in _PLANNED]
    chunks = sum(
        1
        for one in candidates.ranked
        for _ in split_document(one.document, options.chunk_tokens, counter=counter)
    )
    return Plan(
        len(candidates.documents), budget, tuple(outlooks), chunks, chunks + 1 if chunks else 0
    )
