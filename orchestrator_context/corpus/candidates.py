"""What there is to choose from for a question: each document once, in order of worth."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Final

import numpy as np

from orchestrator_context import checks
from orchestrator_context.corpus.blocks import size_bytes
from orchestrator_context.corpus.corpus import Corpus
from orchestrator_context.corpus.fill import Filling
from orchestrator_context.corpus.options import SelectOptions
from orchestrator_context.corpus.order import Order
from orchestrator_context.corpus.report import ReductionState
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Chunk, Document, Source
from orchestrator_context.rank import Ranked
from orchestrator_context.rank.bm25f import Scores
from orchestrator_context.rank.order import given_scores
from orchestrator_context.rank.spellings import Integers

GivenScores = Mapping[str, float] | Mapping[Source, float]

_FRAME_BYTES: Final = 32  # about what an element takes beside its content


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


class Candidates:
    """A corpus that was ranked for a question.

    Attributes:
        corpus: the documents.
        question: what is asked.
        options: the settings.
        ranked: the documents that stand for themselves, pinned ones first, then the best.
        pinned: documents that are offered before all others, the best first.
        loose: the others that stand for themselves, the best first.
        carried: paths of those in the selection before that did not change.
        bonus: what those count for that.
    """

    def __init__(self, corpus: Corpus, question: Question, options: SelectOptions) -> None:
        self.corpus, self.question, self.options = corpus, question, options
        ranked = corpus.index.rank(question.query, scores=question.documents)
        gone, by_path = corpus.duplicates.canonical, corpus.by_path
        self.ranked = tuple(one for one in ranked if one.path not in gone)
        self.pinned = tuple(by_path[one.path] for one in self.ranked if one.pinned)
        self._loose = tuple(one for one in self.ranked if not one.pinned)
        self.loose = tuple(by_path[one.path] for one in self._loose)
        self.carried = question.previous.unchanged(corpus.documents)
        self._parts = dict(question.previous.parts)
        self.bonus = options.rank.carry_over_bonus

    def offered(self, filling: Filling) -> Iterator[Document]:
        """Yield the documents that are not pinned, as they are worth an offer to `filling`."""
        numbers = filling.order.walk(lambda number: filling.has(self.loose[number].path))
        return (self.loose[number] for number in numbers)

    def score(self, number: int) -> Ranked:
        """Return what a document of `loose` is worth."""
        return self._loose[number]

    def carries(self, chunk: Chunk) -> bool:
        """Return whether a part of a document was in the selection before."""
        path = chunk.source.path
        spans = self._parts.get(path)
        if spans is None or path not in self.carried:
            return path in self.carried
        at = bisect_right(spans, chunk.source.start_line, key=itemgetter(0)) - 1
        return at >= 0 and chunk.source.end_line <= spans[at][1]

    def order(self) -> Order:
        """Return a new order of `loose`, in which nothing was taken."""
        values = above_zero([one.score for one in self._loose])
        bonus = self.bonus
        if self.options.selection_order == "density":
            sizes = [_FRAME_BYTES + size_bytes(one.content) for one in self.loose]
            values = [value / math.sqrt(size) for value, size in zip(values, sizes, strict=True)]
            bonus *= len(sizes) / max(1.0, sum(map(math.sqrt, sizes)))
        return Order(
            values,
            [bonus * (one.path in self.carried) for one in self._loose],
            last=[not one.scored for one in self._loose],
            diversity=self.options.diversity,
            likeness=self._likeness,
        )

    @cached_property
    def _places(self) -> Integers:
        numbers = {path: number for number, path in enumerate(self.corpus.index.paths)}
        return np.array([numbers[one.path] for one in self.loose], dtype=np.int64)

    def _likeness(self, number: int) -> Scores:
        return self.corpus.index.similarities(self.loose[number].path)[self._places]

    def ranks(self) -> dict[str, int]:
        """Return the rank of each document that stands for itself, by path, from 0 up."""
        return {one.path: rank for rank, one in enumerate((*self.pinned, *self.loose))}


def above_zero(values: Sequence[float]) -> list[float]:
    """Return `values`, moved so that none is below 0."""
    least = min(0.0, min(values, default=0.0))
    return [value - least for value in values]
