"""Parts of documents, indexed: what a question finds in each, and which of them are alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from orchestrator_context.corpus.candidates import Candidates
from orchestrator_context.corpus.order import Likeness
from orchestrator_context.models import Chunk, Document
from orchestrator_context.rank import RankIndex

_SEPARATOR: Final = "\0"  # between the path of a document and where a part of it begins
_NEIGHBOURS: Final = (1 / 4, 1 / 8, 1 / 16, 1 / 32)  # of the worth of parts 1, 2, 3 and 4 away


class PartIndex:
    """An index of parts, each with the path by which the whole was found."""

    def __init__(self, candidates: Candidates, chunks: Sequence[Chunk]) -> None:
        """Take `chunks`, sorted within their documents."""
        self._candidates, self._chunks = candidates, chunks
        self._names = [
            f"{candidates.found_as[one.source.path]}{_SEPARATOR}{one.start:012}" for one in chunks
        ]

    def words(self) -> list[float]:
        """Return what the words of the question are worth in each part and around it.

        Each word is as rare as it is in the corpus.
        """
        corpus, own = self._candidates.corpus.index, self._index
        asked = corpus.weights(self._candidates.question.query)
        rare, idfs = corpus.idfs(asked.keys()), own.idfs(asked.keys())
        scores = own.scores(
            {word: value * rare[word] / idfs[word] for word, value in asked.items()}
        )
        places = {path: place for place, path in enumerate(own.paths)}
        words = scores[np.array([places[name] for name in self._names], dtype=np.int64)]
        return self._with_neighbours(words)

    def likeness(self, numbers: Iterable[int]) -> Likeness:
        """Return how much each part is like those with these numbers."""
        alike = self._index.likeness(self._names[number] for number in numbers)
        return lambda number: alike(self._names[number])

    def _with_neighbours(self, words: npt.NDArray[np.float64]) -> list[float]:
        known: dict[str, int] = {}
        numbers = (known.setdefault(one.source.path, len(known)) for one in self._chunks)
        documents = np.fromiter(numbers, np.int64, len(words))
        flowing = words.copy()
        for apart, share in enumerate(_NEIGHBOURS, start=1):
            same = documents[apart:] == documents[:-apart]
            flowing[apart:] += share * words[:-apart] * same
            flowing[:-apart] += share * words[apart:] * same
        values: list[float] = flowing.tolist()
        return values

    @cached_property
    def _index(self) -> RankIndex:
        options = replace(
            self._candidates.options.rank, salience_weight=0.0, anchor_bonus=0.0, expansion_rounds=0
        )

        def build() -> RankIndex:
            texts = (one.text for one in self._chunks)
            return RankIndex.build(map(Document, self._names, texts), options=options)

        sizes = sum(one.end - one.start for one in self._chunks)
        key = frozenset(self._names), sizes, options
        return self._candidates.corpus.index_of_parts(key, build)
