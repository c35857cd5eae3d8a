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

    Of the document that is asked for, the 64 weightiest words count. So it takes time linear in
    the documents that hold those, and the next one is as fast.
    """

    def __init__(self, postings: Postings, impacts: Impacts) -> None:
        """Turn the index over, which takes one sort of its postings."""
        self._postings = postings
        self._impacts = impacts
        self._order: Integers = np.argsort(postings.documents, kind="stable")
        counts = np.bincount(postings.documents, minlength=len(postings))
        self._starts: Integers = np.concatenate(([0], np.cumsum(counts)))
        squares = np.bincount(postings.documents, np.square(impacts, dtype=np.float64), len(postings))
        self._norms: Scores = np.sqrt(squares)

    def to(self, number: int) -> Scores:
        """Return how alike every document is to document `number`, from 0 to 1."""
        own = self._order[self._starts[number] : self._starts[number + 1]]
        heavy = own[np.argsort(-self._impacts[own], kind="stable")[:_WORDS]]
        total = np.zeros(len(self._postings), dtype=np.float64)
        for posting in heavy.tolist():
            word = int(self._postings.word_of(np.array([posting]))[0])
            span = slice(int(self._postings.starts[word]), int(self._postings.starts[word + 1]))
            total[self._postings.documents[span]] += self._impacts[posting] * self._impacts[span]
        norm = float(np.sqrt(np.square(self._impacts[heavy], dtype=np.float64).sum()))
        scale = self._norms * norm
        return np.minimum(1.0, np.divide(total, scale, out=np.zeros_like(total), where=scale > 0))
