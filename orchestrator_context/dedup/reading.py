"""Texts as arrays of numbers: every piece between white space is analysed once, however often used.

What is asked of all texts together (which guarded items they hold, which shingles) then takes a
few operations on flat arrays instead of a loop over words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from orchestrator_context.dedup.guard import bare, guarded
from orchestrator_context.words import words

Numbers = NDArray[np.int64]
Hashes = NDArray[np.uint64]

_BATCH_PIECES = 1 << 20
_LONG = 32  # characters
_NO_PIECES = np.empty(0, np.int32)
_MULTIPLIER = 0x9E3779B97F4A7C15  # odd; 2^64 over the golden ratio


class _Hashes(dict[str, int]):
    """64-bit hashes of strings, the same in every run."""

    def __missing__(self, key: str) -> int:
        digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        self[key] = int.from_bytes(digest, "little")
        return self[key]


class _Numbers(dict[str, int]):
    """Numbers of strings, in the order of their first use."""

    def __missing__(self, piece: str) -> int:
        number = self[piece] = len(self)
        return number


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of different lengths, one behind the other.

    Attributes:
        values: of all rows.
        starts: where each row begins, and at last where the last one ends.
    """

    values: Hashes
    starts: Numbers

    def row(self, index: int) -> Hashes:
        """Return the values of one row."""
        return self.values[self.starts[index] : self.starts[index + 1]]

    def lengths_of(self, rows: NDArray[np.int32]) -> Numbers:
        """Return how many values some rows have."""
        lengths: Numbers = self.starts[rows + 1] - self.starts[rows]
        return lengths

    @property
    def lengths(self) -> Numbers:
        """How many values each row has."""
        return np.diff(self.starts)

    def picked(self, rows: NDArray[np.int32], starts: Numbers) -> Ragged:
        """Return the values of `rows`, put together anew.

        Args:
            rows: which rows, in order; one may come many times.
            starts: where in `rows` each new row begins, and where the last one ends.
        """
        lengths = self.lengths_of(rows)
        begins = _starts(lengths)
        shifts = np.repeat(self.starts[rows] - begins[:-1], lengths)
        return Ragged(self.values[shifts + np.arange(len(shifts))], begins[starts])

    def owners(self) -> Numbers:
        """Return for each value the row it is in."""
        return np.repeat(np.arange(len(self.starts) - 1), self.lengths)

    def sums(self) -> Hashes:
        """Return a hash of each row that depends on the order: the polynomial of its values."""
        owners = self.owners()
        powers = np.full(int(self.lengths.max(initial=0)) + 1, _MULTIPLIER, np.uint64)
        np.multiply.accumulate(powers, out=powers)
        place = np.arange(len(self.values)) - self.starts[owners]
        sums = self.lengths.astype(np.uint64)
        np.add.at(sums, owners, self.values * powers[place])
        return mixed(sums)


@dataclass(frozen=True, slots=True)
class Reading:
    """Texts that were split into pieces, and what is in each piece.

    Attributes:
        texts: the numbers of the pieces of each text, in order.
        names: the pieces.
        words: hashes of the words of each piece.
        items: hashes of its guarded items.
        units: whether it is a unit, which counts behind a number only.
        numbers: whether it ends in a number.
    """

    texts: tuple[NDArray[np.int32], ...]
    names: tuple[str, ...]
    words: Ragged
    items: Ragged
    units: NDArray[np.bool_]
    numbers: NDArray[np.bool_]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Reading:
        """Return the reading of `texts`. Linear in their length."""
        number_of = _Numbers()
        read = tuple(
            np.array(list(map(number_of.__getitem__, text.split())), np.int32) for text in texts
        )
        hash_of = _Hashes().__getitem__
        bares = [bare(piece) for piece in number_of]
        guards = list(map(guarded, number_of, bares))
        return cls(
            read,
            tuple(number_of),
            _hashed(list(map(_words, number_of, bares)), hash_of),
            _hashed([guard.items for guard in guards], hash_of),
            np.array([guard.is_unit for guard in guards], bool),
            np.array([guard.ends_in_number for guard in guards], bool),
        )

    def words_of(self, indices: Sequence[int]) -> Ragged:
        """Return the hashes of the words of these texts."""
        pieces, starts = self._flat(indices)
        return self.words.picked(pieces, starts)

    def items_of(self, indices: Sequence[int]) -> Ragged:
        """Return the hashes of the guarded items of these texts."""
        pieces, starts = self._flat(indices)
        behind_number = np.zeros(len(pieces), bool)
        behind_number[1:] = self.numbers[pieces[:-1]]
        behind_number[starts[:-1][starts[:-1] < len(pieces)]] = False
        keep = (self.items.lengths_of(pieces) > 0) & (behind_number | ~self.units[pieces])
        kept_before = np.concatenate(([0], np.cumsum(keep)))
        return self.items.picked(pieces[keep], kept_before[starts])

    def differing(self, one: int, other: int) -> tuple[set[str], set[str]]:
        """Return the pieces that only one text has, and those that only the other one has."""
        ours, theirs = set(self.texts[one].tolist()), set(self.texts[other].tolist())
        return {self.names[n] for n in ours - theirs}, {self.names[n] for n in theirs - ours}

    def batches(self, indices: Sequence[int]) -> Iterator[Sequence[int]]:
        """Yield `indices` in parts whose texts are not too many to be flat arrays at once."""
        sizes = np.cumsum([len(self.texts[index]) + 1 for index in indices])
        at = 0
        while at < len(indices):
            before = int(sizes[at - 1]) if at else 0
            end = max(at + 1, int(np.searchsorted(sizes, before + _BATCH_PIECES)))
            yield indices[at:end]
            at = end

    def _flat(self, indices: Sequence[int]) -> tuple[NDArray[np.int32], Numbers]:
        rows = [self.texts[index] for index in indices]
        return np.concatenate([_NO_PIECES, *rows]), _starts([len(row) for row in rows])


def _words(piece: str, word: str) -> Sequence[str]:
    """Return the words of a piece. Most pieces are one word, which is there already, bare."""
    if word.isascii() and word.isalnum() and len(word) <= _LONG and word == word.lower():
        return (word,)
    return words(piece)


def _hashed(rows: Sequence[Sequence[str]], hash_of: Callable[[str], int]) -> Ragged:
    hashes = list(map(hash_of, chain.from_iterable(rows)))
    return Ragged(np.array(hashes, np.uint64), _starts(list(map(len, rows))))


def _starts(lengths: Sequence[int] | Numbers) -> Numbers:
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))


def mixed(hashes: Hashes) -> Hashes:
    """Return the hashes with every bit depending on every bit of the input (splitmix64).

    Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    """
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return hashes ^ (hashes >> np.uint64(31))
