"""Near duplicates among texts that are given by rank."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from orchestrator_context.dedup.guard import opposed
from orchestrator_context.dedup.options import DedupOptions
from orchestrator_context.dedup.reading import Reading
from orchestrator_context.dedup.shingles import Shingler
from orchestrator_context.dedup.stars import Candidate, Stars
from orchestrator_context.words import words

_NO_DIGITS = bytes(set(range(128)) - set(b"0123456789"))


@dataclass(frozen=True, slots=True)
class Merge:
    """A text that another one stands for.

    Attributes:
        kept: the one that stands for it.
        similarity: share of the shingles of both that both have, up to 1.
    """

    kept: int
    similarity: float


def near_duplicates(
    texts: Sequence[str],
    threshold: float,
    options: DedupOptions,
    *,
    stays: Sequence[bool],
    excluded: Callable[[int], bool],
) -> dict[int, Merge]:
    """Return the texts that near duplicates of higher rank stand for. Those are never removed.

    Args:
        texts: the highest rank first.
        threshold: least similarity.
        options: what a shingle is.
        stays: for each text whether it must not be removed; it may stand for others.
        excluded: whether a text is compared with none. Asked only where there may be a duplicate.
    """
    chosen = _with_equal_digits(texts)
    comparison = _Comparison([texts[index] for index in chosen], threshold, options)
    merges = comparison.merges(
        [stays[index] for index in chosen], lambda place: excluded(chosen[place])
    )
    return {chosen[gone]: Merge(chosen[m.kept], m.similarity) for gone, m in merges.items()}


class _Comparison:
    """Compares texts by their shingles, and those that are near by what they say."""

    def __init__(self, texts: Sequence[str], threshold: float, options: DedupOptions) -> None:
        self._threshold = threshold
        self._reading = Reading.of(texts)
        self._shingler = Shingler(self._reading, options)

    def merges(self, stays: Sequence[bool], excluded: Callable[[int], bool]) -> dict[int, Merge]:
        """Return the merges, as `near_duplicates` does."""
        sets, counts = self._shingler.sets(self._threshold)
        stars = Stars(self._threshold, len(sets))
        kept: list[int] = []
        merges: dict[int, Merge] = {}
        for index in sorted(sets):
            text = Candidate.of(sets[index], counts, self._threshold)
            near = iter(()) if stays[index] else stars.near(text)
            first = next(near, None)
            if first is not None and excluded(index):
                continue
            merge = None if first is None else self._merge(index, kept, chain((first,), near))
            if merge is None or excluded(merge.kept):
                stars.add(text)
                kept.append(index)
            else:
                merges[index] = merge
        return merges

    def _merge(
        self, index: int, kept: Sequence[int], near: Iterable[tuple[int, float]]
    ) -> Merge | None:
        for number, similarity in near:
            if self._say_the_same(index, kept[number]):
                return Merge(kept[number], similarity)
        return None

    def _say_the_same(self, one: int, other: int) -> bool:
        same = self._shingler.same_guard(one, other)  # and not only the hashes of the guards
        return same and not are_opposed(self._reading, one, other)


def _with_equal_digits(texts: Sequence[str]) -> list[int]:
    """Return the texts whose digits, in order, are those of another one too.

    All digits are guarded, so the others have no near duplicate and need not be read at all.
    """
    digits = [_digits(text) for text in texts]
    counts = Counter(digits)
    return [index for index, key in enumerate(digits) if counts[key] > 1]


def _digits(text: str) -> bytes:
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return plain.encode("ascii", "ignore").translate(None, _NO_DIGITS)


def are_opposed(reading: Reading, one: int, other: int) -> bool:
    """Return whether one text has a word that negates a word which only the other one has."""
    ours, theirs = reading.differing(one, other)
    return opposed(_words(ours), _words(theirs))


def _words(pieces: set[str]) -> set[str]:
    return {word for piece in pieces for word in words(piece)}
