"""Star clusters: each text joins the first representative that is near enough, or becomes one.

A text is near enough where the two sets of shingles themselves say so (Jaccard), never because of
a third text between them. Two filters find the few representatives worth the comparison:

- The prefix filter (Chaudhuri, Ganti and Kaushik, "A primitive operator for similarity joins in
  data cleaning", ICDE 2006; Bayardo, Ma and Srikant, "Scaling up all pairs similarity search",
  WWW 2007). In one order of all shingles, the rarest first, two sets that reach the threshold
  share one of their first few. It loses no pair, and what many texts have in common, such as a
  template, stands at the end of the order and makes no candidates.
- Where that leaves many, as texts share a rare passage and little else, a sketch of 128 bytes by
  one-permutation MinHash (Li, Owen and Zhang, "One permutation hashing", NIPS 2012). It turns a
  pair down only where its estimate is four standard errors below the threshold, which is once in
  30,000 pairs that just reach it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orchestrator_context.dedup.reading import Hashes
from orchestrator_context.dedup.shingles import Counts

_BINS = 128
_BIN_SHIFT = np.uint64(64 - 7)
_VALUE_SHIFT = np.uint64(64 - 7 - 32)
_STANDARD_ERRORS = 4.0
_NO_BIN = np.uint64(_BINS)
_FEW = 8  # are all compared
_ROUNDING = 1e-9

Sketch = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text to be compared.

    Attributes:
        shingles: its set, sorted.
        first: its rarest shingles: one of them is in any set of the same size or larger that is
            near enough.
        second: the next rarest: one of the first or of these is in any set that is near enough.
    """

    shingles: Hashes
    first: list[int]
    second: list[int]

    @classmethod
    def of(cls, shingles: Hashes, counts: Counts, threshold: float) -> Candidate:
        """Return the text with this set of `shingles`."""
        size = len(shingles)
        shared = counts.of(shingles)
        own = int(np.count_nonzero(shared == 1))  # these are in no other set
        rarest = np.lexsort((shingles, shared))[own : _prefix(size, threshold)]
        prefix: list[int] = shingles[rarest].tolist()
        end = max(0, _prefix(size, 2 * threshold / (1 + threshold)) - own)
        return cls(shingles, prefix[:end], prefix[end:])


def _prefix(size: int, share: float) -> int:
    """Return how many elements cannot all be missing where `share` of `size` are shared."""
    return size - math.ceil(share * size - _ROUNDING) + 1


class Stars:
    """Representatives in the order in which they were added, which is that of their rank."""

    def __init__(self, threshold: float, capacity: int) -> None:
        self._threshold = threshold
        self._sets: list[Hashes] = []
        self._sizes = np.zeros(capacity, np.int64)
        self._sketches = np.zeros((capacity, _BINS), np.uint8)  # made when they are asked for
        self._sketched = np.zeros(capacity, bool)
        self._by_first: dict[int, list[int]] = {}
        self._by_second: dict[int, list[int]] = {}

    def add(self, text: Candidate) -> None:
        """Make a text a representative."""
        number = len(self._sets)
        self._sets.append(text.shingles)
        self._sizes[number] = len(text.shingles)
        for index, prefix in ((self._by_first, text.first), (self._by_second, text.second)):
            for shingle in prefix:
                index.setdefault(shingle, []).append(number)

    def near(self, text: Candidate) -> Iterator[tuple[int, float]]:
        """Yield the representatives that are near enough, by rank, and their similarity."""
        found: set[int] = set()
        for index, prefix in (
            (self._by_first, text.first),
            (self._by_first, text.second),
            (self._by_second, text.first),
        ):
            found.update(*(index[shingle] for shingle in prefix if shingle in index))
        for number in self._plausible(sorted(found), text) if found else ():
            similarity = jaccard(self._sets[number], text.shingles)
            if similarity >= self._threshold - _ROUNDING:
                yield number, similarity

    def _plausible(self, found: list[int], text: Candidate) -> list[int]:
        """Return those that sizes and, where there are many, sketches do not rule out."""
        size = len(text.shingles)
        least, most = self._threshold * size - _ROUNDING, size / self._threshold + _ROUNDING
        fitting = [number for number in found if least <= len(self._sets[number]) <= most]
        if len(fitting) <= _FEW:
            return fitting
        numbers = np.array(fitting, np.int64)
        alike: list[int] = numbers[self._alike(numbers, text)].tolist()
        return alike

    def _alike(self, numbers: NDArray[np.int64], text: Candidate) -> NDArray[np.bool_]:
        """Return which sketches do not rule the threshold out."""
        theirs, ours = self._sketches_of(numbers), _sketch(text.shingles)
        filled = ((theirs > 0) | (ours > 0)).sum(axis=1)
        equal = ((theirs == ours) & (ours > 0)).sum(axis=1)
        together = (self._sizes[numbers] + len(text.shingles)) / (1 + self._threshold)  # at most
        least = self._threshold * filled - _STANDARD_ERRORS * self._error(filled, together)
        alike: NDArray[np.bool_] = (equal >= least - _ROUNDING) & (filled <= together + _ROUNDING)
        return alike

    def _error(self, drawn: NDArray[np.int64], total: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the standard error of what is equal of `drawn`, at the threshold.

        The least hashes of the parts are a sample without replacement of the elements of both
        sets together, so what is equal has a hypergeometric distribution.
        """
        left = np.maximum(total - drawn, 0) / np.maximum(total - 1, 1)
        error: NDArray[np.float64] = np.sqrt(drawn * self._threshold * (1 - self._threshold) * left)
        return error

    def _sketches_of(self, numbers: NDArray[np.int64]) -> Sketch:
        missing: list[int] = numbers[~self._sketched[numbers]].tolist()
        for number in missing:
            self._sketches[number] = _sketch(self._sets[number])
        self._sketched[missing] = True
        return self._sketches[numbers]


def _sketch(shingles: Hashes) -> Sketch:
    """Return for each part of the range of hashes a byte of the least one in it, 0 for none."""
    bins = shingles >> _BIN_SHIFT  # ascending, as the hashes are sorted
    first = np.flatnonzero(np.diff(bins, prepend=_NO_BIN))
    sketch = np.zeros(_BINS, np.uint8)
    sketch[bins[first]] = (shingles[first] >> _VALUE_SHIFT) % np.uint64(255) + np.uint64(1)
    return sketch


def jaccard(ours: Hashes, theirs: Hashes) -> float:
    """Return the share of the elements of two sorted sets that both have."""
    if len(ours) > len(theirs):
        ours, theirs = theirs, ours
    places = np.minimum(np.searchsorted(theirs, ours), len(theirs) - 1)
    both = int(np.count_nonzero(theirs[places] == ours))
    return both / (len(ours) + len(theirs) - both)
