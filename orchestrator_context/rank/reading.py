"""Documents read once: what is spelled in each field, from which postings are made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from orchestrator_context.rank.postings import FIELDS, Counted, Postings, counted, joined
from orchestrator_context.rank.spellings import Integers, Numbers32, spelled
from orchestrator_context.rank.vocabulary import Vocabulary, ragged

_BATCH_CHARACTERS: Final = 4_000_000


class _Batch(NamedTuple):
    """What is spelled in some documents.

    Attributes:
        spellings: numbers, field by field.
        sizes: how many of them each field has.
        first: the number of the first field, among those of all documents.
    """

    spellings: Numbers32
    sizes: Integers
    first: int


class Reading:
    """What is spelled in documents.

    Reading takes time linear in the texts; the sort that turns them over, which takes as long
    again, is put off until postings are asked for.

    Attributes:
        lengths: words in each field, by field and document.
    """

    def __init__(self, texts: Iterable[Sequence[str]], *, stem: bool) -> None:
        """Read documents, each given by the texts of its `FIELDS`."""
        vocabulary = Vocabulary(stem=stem)
        self._batches = list(_read(texts, vocabulary))
        self._words, self._ends = vocabulary.words()
        self._word_ids = vocabulary.word_ids
        lengths = [np.zeros(0, dtype=np.int64), *map(self._lengths, self._batches)]
        self.lengths: Integers = np.concatenate(lengths).reshape(-1, len(FIELDS)).T

    def postings(self, only: Collection[str] | None = None) -> Postings:
        """Return the postings of all words, or `only` those of some, which takes far less time."""
        words = sorted(self._word_ids if only is None else self._word_ids.keys() & only)
        ranks = np.full(len(self._word_ids), -1, dtype=np.int32)
        ranks[[self._word_ids[word] for word in words]] = np.arange(len(words))
        wanted = ranks[self._words]
        if only is None:
            batches = [self._counted(batch, wanted, slice(None)) for batch in self._batches]
        else:
            held = np.zeros(len(self._ends) - 1, dtype=np.bool_)  # spellings of such words
            held[np.searchsorted(self._ends, np.flatnonzero(wanted >= 0), side="right") - 1] = True
            batches = [
                self._counted(batch, wanted, np.flatnonzero(held[batch.spellings]))
                for batch in self._batches
            ]
        return joined(batches, words, self.lengths)

    def _counted(self, batch: _Batch, wanted: Numbers32, at: Integers | slice) -> Counted:
        """Return the postings of the words at some places of a batch.

        Args:
            batch: some documents.
            wanted: the number of each word of each spelling; below 0 where it is left out.
            at: the places.
        """
        spellings = batch.spellings[at]
        starts, ends = self._ends[spellings], self._ends[spellings + 1]
        words = wanted[ragged(starts, ends - starts)]
        fields = batch.first + np.repeat(np.arange(len(batch.sizes)), batch.sizes)[at]
        places = np.repeat(fields, ends - starts)
        kept = slice(None) if isinstance(at, slice) else np.flatnonzero(words >= 0)
        return counted(words[kept], places[kept])

    def _lengths(self, batch: _Batch) -> Integers:
        amounts = np.diff(self._ends)[batch.spellings]
        before = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(amounts)))
        return np.diff(before[np.cumsum(batch.sizes)], prepend=0)


def _read(texts: Iterable[Sequence[str]], vocabulary: Vocabulary) -> Iterator[_Batch]:
    first = 0
    for fields in _batches(texts):
        found = spelled(fields)
        yield _Batch(vocabulary.numbers(found.different)[found.numbers], found.sizes, first)
        first += len(fields)


def _batches(texts: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    """Yield the fields of some documents, which together are not too long."""
    batch: list[str] = []
    characters = 0
    for fields in texts:
        batch += fields
        characters += sum(map(len, fields))
        if characters >= _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
