"""How alike documents are, by the words that tell them apart."""

from __future__ import annotations

from typing import Final

import numpy as np

from orchestrator_context.rank.bm25f import Impacts, Scores
from orchestrator_context.rank.postings import Postings
from orchestrator_context.rank.spellings import Integers
from orchestrator_context.rank.vocabulary import ragged

_WORDS: Final = 64  # of a document that are compared, the weightiest ones
_FEW: Final = 1 << 16  # documents whose numbers are sorted by their bits


class Similarities:
    """Cosines between the documents of an index, by the roots of what words add to their scores.

    The roots keep a few rare words from deciding alone. Of the document that is asked for, the 64
    weightiest words count, so an answer takes time linear in the documents that hold those.
    """

    def __init__(self, postings: Postings, impacts: Impacts) -> None:
        """Turn the index over, which takes one sort of its postings."""
        self.postings = postings
        self.weights: Impacts = np.sqrt(impacts)
        documents, count = postings.documents, len(postings)
        numbers = documents.astype(np.uint16) if count <= _FEW else documents
        self._order: Integers = np.argsort(numbers, kind="stable")
        counts = np.bincount(documents, minlength=count)
        self._starts: Integers = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
        self.norms: Scores = np.sqrt(np.bincount(documents, impacts, minlength=count))

    def among(self, numbers: Integers) -> Likeness:
        """Return how alike these documents are to others, in time linear in the index."""
        return Likeness(self, numbers)

    def heaviest(self, number: int) -> tuple[Integers, Impacts]:
        """Return the words of the weightiest postings of a document, and what each weighs."""
        own = self._order[self._starts[number] : self._starts[number + 1]]
        weights = self.weights[own]
        if len(own) > _WORDS:
            best = np.argsort(-weights, kind="stable")[:_WORDS]
            own, weights = own[best], weights[best]
        return self.postings.word_of(own), weights


class Likeness:
    """How alike some documents of an index are to any of it."""

    def __init__(self, whole: Similarities, numbers: Integers) -> None:
        """Take their part of the index out; a document may be there twice."""
        postings = whole.postings
        numbers, self._order = np.unique(numbers, return_inverse=True)
        places = np.full(len(postings), -1, dtype=np.int64)
        places[numbers] = np.arange(len(numbers))
        documents = places[postings.documents]
        inside = documents >= 0
        before = np.concatenate((np.zeros(1, np.int64), np.cumsum(inside, dtype=np.int64)))
        self._starts: Integers = before[postings.starts]
        self._documents: Integers = documents[inside]
        self._weights: Impacts = whole.weights[inside]
        self._norms: Scores = whole.norms[numbers]
        self._whole = whole

    def to(self, number: int) -> Scores:
        """Return how alike each of them is to document `number` of the index, from 0 to 1."""
        words, own = self._whole.heaviest(number)
        begins, ends = self._starts[words], self._starts[words + 1]
        sizes = ends - begins
        at = ragged(begins, sizes)
        shares = self._weights[at] * np.repeat(own, sizes)
        total = np.bincount(self._documents[at], shares, minlength=len(self._norms))
        scale = self._norms * float(np.sqrt(np.square(own.astype(np.float64)).sum()))
        alike = np.divide(total, scale, out=np.zeros(len(total)), where=scale > 0)
        return np.minimum(1.0, alike)[self._order]
