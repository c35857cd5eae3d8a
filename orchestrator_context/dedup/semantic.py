"""Duplicates by meaning, as vectors tell it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from orchestrator_context import checks
from orchestrator_context.dedup.duplicates import DuplicateMap
from orchestrator_context.dedup.near import Merge, are_opposed
from orchestrator_context.dedup.reading import Reading
from orchestrator_context.exceptions import ConfigurationError

Matrix = NDArray[np.float32]
Row = NDArray[np.float64]

_BLOCK = 256
_WIDTH = 4096  # representatives a block is compared with at once: a matrix of 4 MB
_ROUNDING = 1e-6  # of cosines in single precision


def semantic_duplicates(
    vectors: Mapping[str, Sequence[float]],
    *,
    threshold: float = 0.9,
    texts: Mapping[str, str] | None = None,
) -> DuplicateMap:
    """Return which texts others stand for, by the cosine of their vectors.

    >>> dict(semantic_duplicates({"a": [1, 0], "b": [1, 0.1], "c": [0, 1]}).canonical)
    {'b': 'a'}

    Each text that is removed is itself within the threshold of the one that stands for it: the
    first that is, the longest text first where `texts` are given, then by name. Texts that differ
    in a number, unit, date, negation or identifier are never merged. A vector that is empty, zero
    or not finite is like no other, nor is one like another of a different length. Memory grows
    with the vectors, time with the vectors times those that are kept.

    Args:
        vectors: by name.
        threshold: least cosine, above 0 and up to 1.
        texts: by name, what the vectors are of; None leaves length and guard aside.

    Raises:
        ConfigurationError: the threshold is out of range, a vector is not made of numbers, or a
            text is missing.
    """
    threshold = checks.number("threshold", threshold, most=1, above=True)
    for name in checks.mapping("vectors", vectors, "names to sequences of numbers"):
        checks.text("a name in vectors", name)
    if texts is not None:
        checks.mapping("texts", texts, "names to texts")
    names = sorted(vectors, key=lambda name: (-_length(name, texts), name))
    rows = {name: row for name in names if (row := _unit(vectors[name])) is not None}
    usable = tuple(rows)
    guard = None if texts is None else _Guard([texts[name] for name in usable])
    merges: dict[int, Merge] = {}
    for group in _comparable(rows.values(), guard):
        matrix = np.array([rows[usable[index]] for index in group], np.float32)
        opposed = None if guard is None else guard.between(group)
        for gone, merge in _Clusters(matrix, threshold, opposed).merges().items():
            merges[group[gone]] = Merge(group[merge.kept], merge.similarity)
    removed = sorted((usable[index], merge) for index, merge in merges.items())
    return DuplicateMap(
        MappingProxyType({name: usable[merge.kept] for name, merge in removed}),
        frozenset(name for name, m in removed if texts and texts[name] == texts[usable[m.kept]]),
        MappingProxyType({name: merge.similarity for name, merge in removed}),
        tuple(sorted(vectors.keys() - rows.keys())),
    )


def _length(name: str, texts: Mapping[str, str] | None) -> int:
    if texts is None:
        return 0
    if name not in texts:
        raise ConfigurationError("texts must hold the text of each vector; at least one is missing")
    return len(checks.text("texts", texts[name]))


def _unit(vector: Sequence[float]) -> Row | None:
    """Return the vector at length 1, or None where it has no direction."""
    try:
        row = np.asarray(vector, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ConfigurationError("vectors must be sequences of numbers") from None
    if row.ndim != 1 or not row.any() or not np.isfinite(row).all():
        return None
    row = row / np.abs(row).max()  # the squares of huge and of tiny numbers are out of range
    unit: Row = row / np.linalg.norm(row)
    return unit


class _Guard:
    """What is guarded in texts; a paraphrase may name it in another order."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._reading = Reading.of(texts)

    def keys(self) -> list[bytes]:
        """Return what texts that may be merged have in common."""
        reading = self._reading
        batches = map(reading.items_of, reading.batches(range(len(reading.texts))))
        return [
            np.sort(items.row(row)).tobytes()
            for items in batches
            for row in range(len(items.lengths))
        ]

    def between(self, group: Sequence[int]) -> Callable[[int, int], bool]:
        """Return what tells whether one of the group has a word that negates one of another."""
        return lambda one, other: are_opposed(self._reading, group[one], group[other])


def _comparable(rows: Iterable[Row], guard: _Guard | None) -> list[list[int]]:
    """Return the groups of vectors that have the same length and the same guarded items."""
    sizes = [len(row) for row in rows]
    keys = [b""] * len(sizes) if guard is None else guard.keys()
    groups: dict[tuple[int, bytes], list[int]] = {}
    for index, key in enumerate(zip(sizes, keys, strict=True)):
        groups.setdefault(key, []).append(index)
    return [group for group in groups.values() if len(group) > 1]


class _Clusters:
    """Rows of a matrix, each joined to the first representative that is near, or one itself."""

    def __init__(
        self, matrix: Matrix, threshold: float, opposed: Callable[[int, int], bool] | None
    ) -> None:
        self._matrix = matrix
        self._threshold = threshold - _ROUNDING
        self._opposed = opposed
        self._representatives: list[int] = []
        self._kept = np.empty_like(matrix)  # their rows

    def merges(self) -> dict[int, Merge]:
        """Return the rows that earlier ones stand for."""
        merges: dict[int, Merge] = {}
        for begin in range(0, len(self._matrix), _BLOCK):
            block = self._matrix[begin : begin + _BLOCK]
            merges |= self._near_earlier(begin, block)
            cosines = block @ block.T
            new: list[int] = []
            for row in range(begin, begin + len(block)):
                merge = merges.get(row) or self._first(
                    row, new, cosines[row - begin, _at(new, begin)]
                )
                if merge is None:
                    new.append(row)
                else:
                    merges[row] = merge
            self._add(new)
        return merges

    def _near_earlier(self, begin: int, block: Matrix) -> dict[int, Merge]:
        """Return the rows of a block that representatives of earlier blocks stand for."""
        merges: dict[int, Merge] = {}
        for at in range(0, len(self._representatives), _WIDTH):
            some = self._representatives[at : at + _WIDTH]
            cosines = block @ self._kept[at : at + len(some)].T
            for place in np.flatnonzero(cosines.max(axis=1) >= self._threshold).tolist():
                row = begin + place
                merge = merges.get(row) or self._first(row, some, cosines[place])
                if merge is not None:
                    merges[row] = merge
        return merges

    def _first(self, row: int, representatives: Sequence[int], cosines: Matrix) -> Merge | None:
        for place in np.flatnonzero(cosines >= self._threshold).tolist():
            kept = representatives[place]
            if self._opposed is None or not self._opposed(row, kept):
                return Merge(kept, min(1.0, float(cosines[place])))
        return None

    def _add(self, rows: Sequence[int]) -> None:
        known = len(self._representatives)
        self._kept[known : known + len(rows)] = self._matrix[_at(rows, 0)]
        self._representatives += rows


def _at(rows: Sequence[int], begin: int) -> NDArray[np.int64]:
    return np.array(rows, np.int64) - begin
