"""How alike documents are, by the words that tell them apart."""

from __future__ import annotations

from typing import Final

import numpy as np

from orchestrator_context.rank.bm25f import Impacts, Scores
from orchestrator_context.rank.postings import Postings
from orchestrator_context.rank.spellings import Integers

_WORDS: Final = 64  # of a document that are compared, the weightiest ones


class Similarities:
    """Cosines between the documents of an index, by the roots of what words add to their scores.

    The roots keep a few rare words from deciding alone. Of the document that is asked for, the 64
    weightiest words count, so an answer takes time linear in the documents that hold those.
    """

    def __init__(self, postings: Postings, impacts: Impacts) -> None:
        """Turn the index over, which takes one sort of its postings."""
        self._postings = postings
        self._weights: Impacts = np.sqrt(impacts)
        self._order: Integers = np.argsort(postings.documents, kind="stable")
        counts = np.bincount(postings.documents, minlength=len(postings))
        self._starts: Integers = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
        self._norms: Scores = np.sqrt(
            np.bincount(postings.documents, impacts, minlength=len(postings))
        )

    def to(self, number: int) -> Scores:
        """Return how alike every document is to document `number`, from 0 to 1."""
        heavy, own = self._heaviest(number)
        words = self._postings.word_of(heavy)
        begins, ends = self._postings.starts[words], self._postings.starts[words + 1]
        total = np.zeros(len(self._postings), dtype=np.float64)
        for begin, end, weight in zip(begins.tolist(), ends.tolist(), own.tolist(), strict=True):
            total[self._postings.documents[begin:end]] += weight * self._weights[begin:end]
        scale = self._norms * float(np.sqrt(np.square(own).sum()))
        return np.minimum(1.0, np.divide(total, scale, out=np.zeros_like(total), where=scale > 0))

    def _heaviest(self, number: int) -> tuple[Integers, Scores]:
        """Return the weightiest postings of a document, and what each weighs."""
        own = self._order[self._starts[number] : self._starts[number + 1]]
        weights = self._weights[own].astype(np.float64)
        if len(own) > _WORDS:
            best = np.argsort(-weights, kind="stable")[:_WORDS]
            own, weights = own[best], weights[best]
        return own, weights
