"""Words as numbers: analysed once each, counted by numpy."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from orchestrator_context.text import raw_words, words

Integers = npt.NDArray[np.int64]
Numbers32 = npt.NDArray[np.int32]

_MOST_REMEMBERED = 500_000  # spellings
_LONGEST_REMEMBERED = 32  # characters; longer runs, as of Chinese, seldom come again


class Vocabulary(dict[str, int]):
    """Numbers for spellings, given as they come, and the words of each.

    Analysing a spelling costs a hundred times what looking its number up does, and a corpus has
    few of them. They are forgotten between two batches when there are too many; words never are.
    """

    def __init__(self, *, stem: bool) -> None:
        super().__init__()
        self.word_ids: dict[str, int] = {}
        self._stem = stem
        self._flat = array("i")
        self._ends = array("q", [0])

    def __missing__(self, raw: str) -> int:
        ids = self.word_ids
        self._flat.extend(ids.setdefault(word, len(ids)) for word in words(raw, stem=self._stem))
        self._ends.append(len(self._flat))
        number = len(self._ends) - 2
        if len(raw) <= _LONGEST_REMEMBERED:
            self[raw] = number
        return number

    def spellings(self, text: str) -> Iterable[int]:
        """Return the numbers of the words of `text` as they are spelled, in order."""
        return map(self.__getitem__, raw_words(text))

    def words_of(self, spellings: Numbers32) -> tuple[Numbers32, Integers]:
        """Return the numbers of the words of `spellings`, and how many each of them has."""
        ends = np.array(self._ends, dtype=np.int64)
        sizes = np.diff(ends)[spellings]
        flat = np.array(self._flat, dtype=np.int32)
        return flat[ragged(ends[spellings], sizes)], sizes

    def forget(self) -> None:
        """Drop spellings when there are too many. Their numbers are given anew."""
        if len(self) > _MOST_REMEMBERED or len(self._flat) > 4 * _MOST_REMEMBERED:
            self.clear()
            self._flat, self._ends = array("i"), array("q", [0])


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
