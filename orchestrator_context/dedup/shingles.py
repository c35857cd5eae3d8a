"""Shingles: the runs of words of a text, as a set of hashes.

The hash of a shingle also holds what is guarded in its text, so that texts which must not be
merged have none in common. A text with too many shingles of its own cannot have a near duplicate;
with that nearly all texts are done before one is compared with another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from orchestrator_context.dedup.options import DedupOptions
from orchestrator_context.dedup.reading import Hashes, Numbers, Ragged, Reading, mixed

_MULTIPLIER = np.uint64(0xD6E8FEB86659FD93)
_WHOLE = np.uint64(0xA24BAED4963EE407)  # tells the words of a short text from a shingle
_MOST_COUNTER_BITS = 25
_ROUNDING = 1e-9
_ONE = np.uint32(1)  # of the type of the counters, which is many times faster


class Counts:
    """How many texts may hold a shingle: never too few, so 1 is always true.

    Counted by the first bits of the hash, with two counters and more for a shingle.
    """

    def __init__(self, shingles: int) -> None:
        bits = min(_MOST_COUNTER_BITS, max(10, (2 * shingles).bit_length()))
        self._shift = np.uint64(64 - bits)
        self._counts = np.zeros(1 << bits, np.uint32)

    def add(self, hashes: Hashes) -> None:
        """Count these shingles."""
        np.add.at(self._counts, self._places(hashes), _ONE)

    def of(self, hashes: Hashes) -> NDArray[np.uint32]:
        """Return the counts of these shingles."""
        counts: NDArray[np.uint32] = self._counts[self._places(hashes)]
        return counts

    def _places(self, hashes: Hashes) -> Numbers:
        return (hashes >> self._shift).astype(np.int64)


class Shingler:
    """Makes the shingles of texts that have been read."""

    def __init__(self, reading: Reading, options: DedupOptions) -> None:
        self._reading = reading
        self._words = options.shingle_words
        self._least = options.min_shingles
        every = range(len(reading.texts))
        items = [reading.items_of(batch) for batch in reading.batches(every)]
        self._items = [batch.row(row) for batch in items for row in range(len(batch.starts) - 1)]
        sums = [batch.sums() for batch in items]
        self._guards: Hashes = np.concatenate([np.empty(0, np.uint64), *sums])

    def same_guard(self, one: int, other: int) -> bool:
        """Return whether the same items are guarded in two texts, in the same order."""
        return np.array_equal(self._items[one], self._items[other])

    def sets(self, threshold: float) -> tuple[dict[int, Hashes], Counts]:
        """Return the sets, sorted, of all texts that may have a near duplicate, and the counts.

        Linear in the texts, apart from sorting the shingles of a text.
        """
        batches = list(self._reading.batches(self._with_equal_guard()))
        flat = [self._shingles(batch) for batch in batches]
        counts = Counts(sum(len(shingles.values) for shingles in flat))
        for shingles in flat:
            counts.add(shingles.values)
        sets: dict[int, Hashes] = {}
        own: list[int] = []
        for batch, shingles in zip(batches, flat, strict=True):
            for row, alone in _with_company(shingles, counts, threshold):
                found = _distinct(shingles.row(row))
                if len(found) >= self._least or shingles.lengths[row] == 1:
                    sets[batch[row]] = found
                    own.append(alone)
        return self._with_a_partner(sets, np.array(own, np.int64), threshold), counts

    def _with_a_partner(
        self, sets: Mapping[int, Hashes], own: Numbers, threshold: float
    ) -> dict[int, Hashes]:
        """Return the sets for which another one has a fitting size.

        A set of size a, with o shingles of its own, reaches the threshold t with none that is
        larger than (a - o) (1 + t) / t - a. Both sides must keep to that, so of many texts made
        from one template, each with more than a share of (1 - t) / (1 + t) of its own, none does.
        """
        indices = np.array(list(sets), np.int64)
        sizes = np.array([len(found) for found in sets.values()], np.int64)
        limit = int(sizes.max(initial=0)) + 1
        most = (sizes - own) * ((1 + threshold) / threshold) - sizes + _ROUNDING
        most = np.minimum(most, limit)
        _, group = np.unique(self._guards[indices], return_inverse=True)
        apart = group * 4.0 * limit  # sorts by group and then by size
        order = np.argsort(sizes + apart)
        largest = np.maximum.accumulate((most + apart)[order])
        fitting = np.searchsorted((sizes + apart)[order], most + apart, side="right")
        paired = largest[np.maximum(fitting - 1, 0)] >= sizes + apart
        return {i: sets[i] for i in indices[paired & (fitting > 0)].tolist()}

    def _with_equal_guard(self) -> list[int]:
        """Return the texts whose guarded items are those of another text too."""
        _, inverse, counts = np.unique(self._guards, return_inverse=True, return_counts=True)
        chosen: list[int] = np.flatnonzero(counts[inverse] > 1).tolist()
        return chosen

    def _shingles(self, batch: Sequence[int]) -> Ragged:
        """Return the shingles of each text; of a short one, a single one for all its words."""
        words = self._reading.words_of(batch)
        windows = np.maximum(words.lengths - self._words + 1, 0)
        short = windows < self._least
        lengths = np.where(short, words.lengths > 0, windows)
        starts = np.concatenate(([0], np.cumsum(lengths)))
        row_of = np.repeat(np.arange(len(batch)), lengths)
        place = np.arange(int(starts[-1])) - starts[row_of]
        hashes = _rolled(words.values, self._words)[words.starts[row_of] + place]
        if short.any():
            whole = short[row_of]
            hashes[whole] = words.sums()[row_of[whole]] ^ _WHOLE
        return Ragged(mixed(hashes ^ self._guards[batch][row_of]), starts)


def _distinct(hashes: Hashes) -> Hashes:
    """Return the different hashes, sorted, as `np.unique` does at three times the cost."""
    ordered = np.sort(hashes)
    new = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]


def _rolled(words: Hashes, width: int) -> Hashes:
    """Return for each word the hash of the run that begins with it, as far as there are words."""
    rolled = words.copy()
    for step in range(1, min(width, len(words))):
        rolled[:-step] = rolled[:-step] * _MULTIPLIER + words[step:]
    return rolled


def _with_company(shingles: Ragged, counts: Counts, threshold: float) -> Iterator[tuple[int, int]]:
    """Yield the rows that have few enough shingles of their own, and how many.

    With more than a share of 1 - threshold of its own, a set cannot reach the threshold with any
    other one.
    """
    alone = counts.of(shingles.values) == 1
    own: Numbers = np.bincount(shingles.owners()[alone], minlength=len(shingles.lengths))
    most = (1 - threshold) * shingles.lengths + _ROUNDING
    rows = np.flatnonzero((own <= most) & (shingles.lengths > 0))
    yield from zip(rows.tolist(), own[rows].tolist(), strict=True)
