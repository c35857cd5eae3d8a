"""The filters before a comparison: they lose no pair, or one in many thousands."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.dedup.reading import Hashes, Ragged, Reading
from orchestrator_context.dedup.shingles import Counts
from orchestrator_context.dedup.stars import Candidate, Stars, jaccard

PAIRS = 4_000


def _hashes(count: int, chance: np.random.Generator) -> Hashes:
    return np.sort(chance.integers(0, 2**64, count, np.uint64))


def _pair(size: int, threshold: float, chance: np.random.Generator) -> tuple[Hashes, Hashes]:
    """Return two sets that just reach the threshold."""
    both = int(np.ceil(2 * size * threshold / (1 + threshold)))
    ours = _hashes(size, chance)
    theirs = np.sort(
        np.concatenate([chance.choice(ours, both, replace=False), _hashes(size - both, chance)])
    )
    return ours, theirs


@pytest.mark.parametrize("size", [20, 200, 1_000])
@pytest.mark.parametrize("threshold", [0.5, 0.85, 0.95])
def test_pairs_at_the_threshold_are_found(size: int, threshold: float) -> None:
    chance = np.random.default_rng(size)
    missed = 0
    for _ in range(PAIRS // 10 if size == 1_000 else PAIRS // 4):
        pair = _pair(size, threshold, chance)
        counts = Counts(2 * size)
        for shingles in pair:
            counts.add(shingles)
        stars = Stars(threshold, 1)
        ours, theirs = (Candidate.of(shingles, counts, threshold) for shingles in pair)
        stars.add(ours)
        missed += not list(stars.near(theirs))
    assert missed <= 1


sets = st.frozensets(st.integers(0, 30), min_size=1, max_size=25)


@given(st.lists(sets, min_size=1, max_size=8), st.floats(0.1, 1))
def test_the_filters_lose_nothing_among_small_sets(
    drawn: list[frozenset[int]], threshold: float
) -> None:
    spread = np.random.default_rng(7).integers(0, 2**64, 31, np.uint64)
    hashed = [np.sort(spread[sorted(some)]) for some in drawn]
    counts = Counts(200)
    for some in hashed:
        counts.add(some)
    candidates = [Candidate.of(some, counts, threshold) for some in hashed]
    stars = Stars(threshold, len(candidates))
    for number, candidate in enumerate(candidates):
        found = {other for other, _ in stars.near(candidate)}
        exact = {
            other
            for other in range(number)
            if len(drawn[number] & drawn[other])
            >= threshold * len(drawn[number] | drawn[other]) - 1e-9
        }
        assert found == exact
        stars.add(candidate)


@given(sets, sets)
def test_jaccard_is_that_of_the_sets(one: frozenset[int], other: frozenset[int]) -> None:
    ours, theirs = (np.array(sorted(some), np.uint64) for some in (one, other))
    assert jaccard(ours, theirs) == pytest.approx(len(one & other) / len(one | other))


@given(st.lists(st.text("ab ,5ä水", max_size=8), max_size=8))
def test_a_reading_of_many_is_that_of_each(texts: list[str]) -> None:
    together = Reading.of(texts)
    every = range(len(texts))
    for read in (Reading.words_of, Reading.items_of):
        flat: Ragged = read(together, every)
        for place in every:
            alone = read(Reading.of(texts[place : place + 1]), [0])
            assert flat.row(place).tolist() == alone.values.tolist()
            assert flat.sums()[place] == alone.sums()[0]
