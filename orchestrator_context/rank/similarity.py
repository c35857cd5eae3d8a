"""How alike documents are, by the words that tell them apart."""

from __future__ import annotations

from typing import Final

import numpy as np

from orchestrator_context.rank.bm25f import Impacts, Scores
from orchestrator_context.rank.postings import Postings
from orchestrator_context.rank.vocabulary import Integers

_WORDS: Final = 64  # of a document that are compared, the weightiest ones


class Similarities:
    """Cosines between the documents of an index, by what each word adds to their scores.

    Of the document that is asked for, the 64 weightiest words count, so an answer takes time
    linear in the documents that hold those.
    """

    def __init__(self, postings: Postings, impacts: Impacts) -> None:
        """Turn the index over, which takes one sort of its postings."""
        self._postings = postings
        self._impacts = impacts
        self._order: Integers = np.argsort(postings.documents, kind="stable")
        counts = np.bincount(postings.documents, minlength=len(postings))
        self._starts: Integers = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
        squares = np.square(impacts, dtype=np.float64)
        sums = np.bincount(postings.documents, squares, minlength=len(postings))
        self._norms: Scores = np.sqrt(sums)

    def to(self, number: int) -> Scores:
        """Return how alike every document is to document `number`, from 0 to 1."""
        heavy, shares = self._heaviest(number)
        words = self._postings.word_of(heavy)
        begins, ends = self._postings.starts[words], self._postings.starts[words + 1]
        total = np.zeros(len(self._postings), dtype=np.float64)
        for begin, end, share in zip(begins.tolist(), ends.tolist(), shares.tolist(), strict=True):
            total[self._postings.documents[begin:end]] += share * self._impacts[begin:end]
        scale = self._norms * float(np.sqrt(np.square(shares).sum()))
        return np.minimum(1.0, np.divide(total, scale, out=np.zeros_like(total), where=scale > 0))

    def _heaviest(self, number: int) -> tuple[Integers, Scores]:
        """Return the weightiest postings of a document, and what each is worth."""
        own = self._order[self._starts[number] : self._starts[number + 1]]
        shares = self._impacts[own].astype(np.float64)
        if len(own) > _WORDS:
            best = np.argsort(-shares, kind="stable")[:_WORDS]
            own, shares = own[best], shares[best]
        return own, shares
