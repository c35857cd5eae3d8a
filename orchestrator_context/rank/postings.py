"""Which document holds which word how often, by field: built in one pass, merged without reading.

All arrays are ordered by word, then document. They hold whole numbers only, so nothing in them
depends on the order in which documents came.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from orchestrator_context.rank.vocabulary import (
    Integers,
    Numbers32,
    Vocabulary,
    Words,
    encode,
    ragged,
)

FIELDS: Final = ("path", "title", "body")
_FIELDS: Final = len(FIELDS)
_BATCH_CHARACTERS: Final = 4_000_000
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

    @classmethod
    def of(cls, texts: Iterable[Sequence[str]], *, stem: bool) -> Postings:
        """Return the postings of documents, each given by the texts of its `FIELDS`."""
        vocabulary = Vocabulary(stem=stem)
        batches = [_counted(batch, vocabulary) for batch in _batches(texts, vocabulary)]
        lengths = np.concatenate([_NO_LENGTHS, *(batch.lengths for batch in batches)])
        return _joined(batches, vocabulary.word_ids, lengths.reshape(-1, _FIELDS).T)

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


class _Batch(NamedTuple):
    """Spellings of some documents, field by field."""

    spellings: Numbers32
    sizes: Integers
    first: int


class _Counted(NamedTuple):
    """Postings of a batch, by word as it came, then document."""

    words: Numbers32
    documents: Numbers32
    counts: tuple[Counts, ...]
    lengths: Integers


_NO_LENGTHS: Final = np.zeros(0, dtype=np.int64)


def _batches(texts: Iterable[Sequence[str]], vocabulary: Vocabulary) -> Iterator[_Batch]:
    spellings, sizes = array("i"), array("q")
    first = characters = 0
    for fields in texts:
        for text in fields:
            before = len(spellings)
            spellings.extend(vocabulary.spellings(text))
            sizes.append(len(spellings) - before)
            characters += len(text)
        if characters >= _BATCH_CHARACTERS:
            yield _Batch(np.array(spellings, np.int32), np.array(sizes, np.int64), first)
            first += len(sizes) // _FIELDS
            spellings, sizes, characters = array("i"), array("q"), 0
            vocabulary.forget()
    if sizes:
        yield _Batch(np.array(spellings, np.int32), np.array(sizes, np.int64), first)


def _counted(batch: _Batch, vocabulary: Vocabulary) -> _Counted:
    """Return how often each word stands in each field, by one sort of all words of the batch."""
    words, parts = vocabulary.words_of(batch.spellings)
    places = np.repeat(np.repeat(np.arange(len(batch.sizes)), batch.sizes), parts)
    keys = (words.astype(np.int64) << _BITS) | places
    keys.sort(kind="stable")  # they come in runs, by document
    at = np.flatnonzero(_changes(keys))
    amounts = np.diff(at, append=len(keys))
    places, words = keys[at] & ((1 << _BITS) - 1), (keys[at] >> _BITS).astype(np.int32)
    documents = (places // _FIELDS).astype(np.int32)
    new = _changes(words) | _changes(documents)
    counts = np.zeros((_FIELDS, int(new.sum())), dtype=np.int32)
    counts[places % _FIELDS, np.cumsum(new) - 1] = amounts
    lengths = np.bincount(np.repeat(places, amounts), minlength=len(batch.sizes))
    columns: tuple[Counts, ...] = tuple(
        np.minimum(column, most).astype(kind)
        for column, most, kind in zip(counts, _MOST_COUNTED, _KINDS, strict=True)
    )
    return _Counted(words[new], documents[new] + np.int32(batch.first), columns, lengths)


def _changes(values: Integers | Numbers32) -> npt.NDArray[np.bool_]:
    """Return where a value differs from the one before it; the first one does."""
    changes = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return changes


def _joined(batches: list[_Counted], word_ids: dict[str, int], lengths: Integers) -> Postings:
    """Return the postings of all batches. Each goes where its word has got to: a counting sort."""
    encoded = sorted((encode(word), number) for word, number in word_ids.items())
    ranks = np.empty(len(encoded), dtype=np.int64)
    ranks[[number for _, number in encoded]] = np.arange(len(encoded))
    amounts = np.zeros(len(encoded), dtype=np.int64)
    for batch in batches:
        amounts += np.bincount(ranks[batch.words], minlength=len(encoded))
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(amounts)))
    total = int(starts[-1])
    documents = np.empty(total, dtype=np.int32)
    counts: tuple[Counts, ...] = tuple(np.empty(total, dtype=kind) for kind in _KINDS)
    heads = starts[:-1].copy()
    for batch in batches:
        at = np.flatnonzero(_changes(batch.words))
        sizes = np.diff(at, append=len(batch.words))
        owners = ranks[batch.words[at]]
        places = ragged(heads[owners], sizes)
        heads[owners] += sizes
        documents[places] = batch.documents
        for column, part in zip(counts, batch.counts, strict=True):
            column[places] = part
    return Postings(Words.of([word for word, _ in encoded]), starts, documents, counts, lengths)
