"""Words as numbers: each spelling analysed once, all words sorted in one array."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from orchestrator_context.rank.analysis import Analysed, analysed
from orchestrator_context.rank.spellings import LONGEST_COMPARED, Integers, Numbers32
from orchestrator_context.words import stemmed


class Vocabulary:
    """Numbers for spellings, given as they come, and the words of each.

    Attributes:
        word_ids: numbers of words, or of their stems.
    """

    def __init__(self, *, stem: bool) -> None:
        self.word_ids = _Numbers()
        self._number_of = _Stems(self.word_ids) if stem else self.word_ids
        self._known: dict[bytes, int] = {}
        self._words: list[Analysed] = []
        self._count = 0

    def numbers(self, spellings: Sequence[bytes]) -> Numbers32:
        """Return the numbers of spellings. Long ones seldom come again, and get new ones."""
        known = self._known
        new = [spelling for spelling in spellings if spelling not in known]
        for some, found in analysed(new, self._number_of):
            known.update(zip(some, range(self._count, self._count + len(some)), strict=True))
            self._words.append(found)
            self._count += len(some)
        numbers = np.fromiter(map(known.__getitem__, spellings), np.int32, len(spellings))
        for spelling in new:
            if len(spelling) > LONGEST_COMPARED:
                known.pop(spelling, None)
        return numbers

    def words(self) -> tuple[Numbers32, Integers]:
        """Return the words of all spellings, and where those of each end; the ends begin with 0."""
        sizes = [np.zeros(1, dtype=np.int64), *(found.sizes for found in self._words)]
        words = [np.zeros(0, dtype=np.int32), *(found.words for found in self._words)]
        return np.concatenate(words), np.cumsum(np.concatenate(sizes))


class _Numbers(dict[str, int]):
    """Numbers of words, given as they come."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class _Stems(dict[str, int]):
    """The same numbers, those of its stem for each word."""

    def __init__(self, numbers: _Numbers) -> None:
        super().__init__()
        self._numbers = numbers

    def __missing__(self, word: str) -> int:
        number = self[word] = self._numbers[stemmed(word)]
        return number


def ragged(starts: Integers, sizes: Integers) -> Integers:
    """Return `starts[i], starts[i] + 1, ...`, `sizes[i]` of them, for each `i` in order."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))


@dataclass(frozen=True, slots=True)
class Words:
    """Sorted words in UTF-8 in one array, which may lie in a file.

    Attributes:
        text: the words, one behind the other.
        ends: where each of them ends, after a 0.
    """

    text: npt.NDArray[np.uint8]
    ends: Integers

    @classmethod
    def of(cls, encoded: Sequence[bytes]) -> Words:
        """Return words that are sorted already."""
        ends = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=ends[1:])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, index: int) -> bytes:
        return self.text[self.ends[index] : self.ends[index + 1]].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        return map(self.__getitem__, range(len(self)))

    def place(self, encoded: bytes) -> int:
        """Return the number that a word has, or would have."""
        return bisect_left(self, encoded)

    def has(self, index: int, encoded: bytes) -> bool:
        """Return whether the word of this number is `encoded`."""
        return index < len(self) and self[index] == encoded

    def find(self, word: str) -> int | None:
        """Return the number of `word`, or None."""
        index = self.place(encode(word))
        return index if self.has(index, encode(word)) else None

    def word(self, index: int) -> str:
        """Return a word by its number."""
        return self[index].decode("utf-8", "surrogatepass")

    def taken(self, order: Integers) -> Words:
        """Return the words with these numbers, which are in order."""
        sizes = np.diff(self.ends)[order]
        ends = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes)))
        return Words(self.text[ragged(self.ends[order], sizes)], ends)


def encode(word: str) -> bytes:
    """Return a word as it is kept; the order of these bytes is that of code points."""
    return word.encode("utf-8", "surrogatepass")
