"""Which document holds which word how often, by field: an inverted index of counts.

All arrays are ordered by word, then document. They hold whole numbers only, so nothing in them
depends on the order in which documents came.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from orchestrator_context.rank.spellings import Integers, Numbers32
from orchestrator_context.rank.vocabulary import Words, encode, ragged

FIELDS: Final = ("path", "title", "body")
_FIELDS: Final = len(FIELDS)
_BITS: Final = 32

Counts = npt.NDArray[np.int32 | np.uint8]
_KINDS: Final[tuple[np.dtype[np.int32 | np.uint8], ...]] = (
    np.dtype(np.uint8),
    np.dtype(np.uint8),
    np.dtype(np.int32),
)
_MOST_COUNTED: Final = (255, 255, 2**31 - 1)


@dataclass(frozen=True, slots=True)
class Postings:
    """An inverted index of counts.

    Attributes:
        words: sorted.
        starts: where the postings of each word begin, and behind the last where they end.
        documents: the document of each posting, ascending for each word.
        counts: how often the word stands in each field of it, by field and posting.
        lengths: words in each field, by field and document.
    """

    words: Words
    starts: Integers
    documents: Numbers32
    counts: tuple[Counts, ...]
    lengths: Integers

    def __len__(self) -> int:
        return len(self.lengths[0])

    def bounds(self, word: str) -> tuple[int, int]:
        """Return where the postings of `word` begin and end."""
        index = self.words.find(word)
        return (0, 0) if index is None else (int(self.starts[index]), int(self.starts[index + 1]))

    def frequency(self, word: str) -> int:
        """Return the number of documents that hold `word`."""
        first, end = self.bounds(word)
        return end - first

    def word_of(self, postings: Integers) -> Integers:
        """Return the number of the word of each of these postings."""
        return np.searchsorted(self.starts, postings, side="right") - 1


class Counted(NamedTuple):
    """Postings of some documents, by word, then document."""

    words: Numbers32
    documents: Numbers32
    counts: tuple[Counts, ...]


def counted(words: Numbers32, places: Integers) -> Counted:
    """Return how often each word stands in each field, by one sort of all words.

    Args:
        words: numbers of words.
        places: where each stands: the number of its document times the fields, plus its field.
    """
    keys = (words.astype(np.int64) << _BITS) | places
    keys.sort(kind="stable")  # they come in runs, by document
    at = np.flatnonzero(_changes(keys))
    amounts = np.diff(at, append=len(keys))
    places, words = keys[at] & ((1 << _BITS) - 1), (keys[at] >> _BITS).astype(np.int32)
    documents = (places // _FIELDS).astype(np.int32)
    new = _changes(words) | _changes(documents)
    counts = np.zeros((_FIELDS, int(new.sum())), dtype=np.int32)
    counts[places % _FIELDS, np.cumsum(new) - 1] = amounts
    columns: tuple[Counts, ...] = tuple(
        np.minimum(column, most).astype(kind)
        for column, most, kind in zip(counts, _MOST_COUNTED, _KINDS, strict=True)
    )
    return Counted(words[new], documents[new], columns)


def _changes(values: Integers | Numbers32) -> npt.NDArray[np.bool_]:
    """Return where a value differs from the one before it; the first one does."""
    changes = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return changes


def joined(batches: Sequence[Counted], words: Sequence[str], lengths: Integers) -> Postings:
    """Return the postings of all batches. Each goes where its word has got to: a counting sort.

    Args:
        batches: postings of consecutive documents.
        words: sorted; those of the batches are numbered by it.
        lengths: as in `Postings`.
    """
    amounts = np.zeros(len(words), dtype=np.int64)
    for batch in batches:
        amounts += np.bincount(batch.words, minlength=len(words))
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(amounts)))
    total = int(starts[-1])
    documents = np.empty(total, dtype=np.int32)
    counts: tuple[Counts, ...] = tuple(np.empty(total, dtype=kind) for kind in _KINDS)
    heads = starts[:-1].copy()
    for batch in batches:
        at = np.flatnonzero(_changes(batch.words))
        sizes = np.diff(at, append=len(batch.words))
        owners = batch.words[at]
        places = ragged(heads[owners], sizes)
        heads[owners] += sizes
        documents[places] = batch.documents
        for column, part in zip(counts, batch.counts, strict=True):
            column[places] = part
    return Postings(Words.of(list(map(encode, words))), starts, documents, counts, lengths)
