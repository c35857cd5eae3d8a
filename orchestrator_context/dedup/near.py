"""Near duplicates among texts that are given by rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from orchestrator_context.dedup.guard import opposed
from orchestrator_context.dedup.options import DedupOptions
from orchestrator_context.dedup.reading import Hashes, Reading
from orchestrator_context.dedup.shingles import Shingler
from orchestrator_context.dedup.stars import Stars
from orchestrator_context.text import words


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
    reading = Reading.of(texts)
    sets, counts = Shingler(reading, options).sets(threshold)
    stars = Stars(threshold, counts, len(sets))
    representatives: list[int] = []
    merges: dict[int, Merge] = {}
    for index in sorted(sets):
        if excluded(index):
            continue
        merge = (
            None if stays[index] else _merge(index, sets[index], stars, representatives, reading)
        )
        if merge is None:
            stars.add(sets[index])
            representatives.append(index)
        else:
            merges[index] = merge
    return merges


def _merge(
    index: int, shingles: Hashes, stars: Stars, representatives: Sequence[int], reading: Reading
) -> Merge | None:
    for number, similarity in stars.near(shingles):
        if _may_merge(reading, index, representatives[number]):
            return Merge(representatives[number], similarity)
    return None


def _may_merge(reading: Reading, one: int, other: int) -> bool:
    guards = reading.items_of((one, other))
    equal = np.array_equal(guards.row(0), guards.row(1))  # and not only the hashes of all
    return equal and not are_opposed(reading, one, other)


def are_opposed(reading: Reading, one: int, other: int) -> bool:
    """Return whether one text has a word that negates a word which only the other one has."""
    ours, theirs = reading.pieces_of(one), reading.pieces_of(other)
    return opposed(_words(ours - theirs), _words(theirs - ours))


def _words(pieces: set[str]) -> set[str]:
    return {word for piece in pieces for word in words(piece)}
