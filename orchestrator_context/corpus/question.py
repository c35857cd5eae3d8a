"""What is asked of a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator_context import checks
from orchestrator_context.corpus.state import ReductionState
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Source
from orchestrator_context.rank.order import given_scores

GivenScores = Mapping[str, float] | Mapping[Source, float]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a corpus.

    Attributes:
        query: the question; it may be empty.
        documents: scores of documents, by path, instead of what words say; None where none.
        chunks: scores of parts of documents.
        previous: the selection before, whose documents are preferred.
    """

    query: str
    documents: Mapping[str, float] | None
    chunks: Mapping[Source, float]
    previous: ReductionState

    @classmethod
    def of(
        cls, query: str, scores: GivenScores | None, previous: ReductionState | None
    ) -> Question:
        """Return a question. A document without a score is worth its best part.

        Raises:
            ConfigurationError: an argument is not of its type, a score is not a finite number, or
                its key no path or source.
        """
        checks.text("query", query)
        before = ReductionState() if previous is None else previous
        checks.instance("previous", before, ReductionState, "Reduction.state()")
        if scores is None:
            return cls(query, None, {}, before)
        checks.instance("scores", scores, Mapping)  # type: ignore[type-abstract]
        documents: dict[str, float] = {}
        chunks: dict[Source, float] = {}
        best: dict[str, float] = {}
        for key, score in scores.items():
            given_scores({str(key): score}, ())
            if isinstance(key, Source):
                chunks[key] = score
                best[key.path] = max(score, best.get(key.path, score))
            elif isinstance(key, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                documents[key] = score
            else:
                raise ConfigurationError("scores are by path or by Source")
        return cls(query, best | documents, chunks, before)
