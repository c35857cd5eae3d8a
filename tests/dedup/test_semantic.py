"""Duplicates by vectors: near in direction, never by accident, in bounded memory."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.dedup import semantic_duplicates
from orchestrator_context.exceptions import ConfigurationError


def named(rows: list[list[float]]) -> dict[str, list[float]]:
    return {f"{place:03}": row for place, row in enumerate(rows)}


def test_vectors_without_a_direction_are_like_nothing() -> None:
    rows: list[list[float]] = [[1, 0], [0, 0], [math.nan, 1], [1, 0], [math.inf, 0], [], [0, 0]]
    found = semantic_duplicates(named(rows))
    assert dict(found.canonical) == {"003": "000"}
    assert found.similarities["003"] == pytest.approx(1)
    assert found.unusable == ("001", "002", "004", "005", "006")
    assert found.summary() == "removed 0 copies and 1 near duplicate, 5 not compared"


def test_vectors_of_other_lengths_are_not_compared() -> None:
    found = semantic_duplicates(named([[1, 0], [1, 0, 0], [1, 0], [2, 0, 0]]))
    assert dict(found.canonical) == {"002": "000", "003": "001"}
    assert not found.unusable


def test_huge_and_tiny_numbers_have_a_direction() -> None:
    found = semantic_duplicates(named([[1e308, 1e308], [1e-308, 1e-308], [5e-324, 0]]))
    assert dict(found.canonical) == {"001": "000"}


def test_the_longest_text_stays() -> None:
    texts = {"a": "the gate is open", "b": "the gate stands wide open", "c": "mill"}
    vectors = {"a": [1.0, 0.0], "b": [1.0, 0.1], "c": [0.0, 1.0]}
    found = semantic_duplicates(vectors, texts=texts)
    assert dict(found.canonical) == {"a": "b"}
    assert not found.exact
    same = semantic_duplicates(vectors, texts=dict.fromkeys("abc", "the gate"))
    assert same.exact == {"b"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The gate is open.", "The gate is not open."),
        ("Bay 12 is clear.", "Bay 13 is clear."),
        ("The file is encrypted.", "The file is unencrypted."),
        ("It costs $5.", "It costs €5."),
    ],
)
def test_texts_that_say_different_things_stay(one: str, other: str) -> None:
    vectors = {"a": [1.0, 0.0], "b": [1.0, 0.0]}
    assert not semantic_duplicates(vectors, texts={"a": one, "b": other})
    assert semantic_duplicates(vectors, texts={"a": one, "b": one + " Yes"})


def test_numbers_may_stand_in_another_order() -> None:
    texts = {"a": "Pump 3 feeds tank 5.", "b": "Tank 5 is fed by pump 3."}
    assert semantic_duplicates({"a": [1, 0], "b": [1, 0]}, texts=texts)


@pytest.mark.parametrize(
    ("vectors", "options", "message"),
    [
        ({"a": [1, 0]}, {"threshold": 0}, "threshold"),
        ({"a": [1, 0]}, {"threshold": 1.1}, "threshold"),
        ({"a": ["x"]}, {}, "numbers"),
        ({"a": [[1], [1, 2]]}, {}, "numbers"),
        ({"a": [1, 0]}, {"texts": {}}, "at least one is missing"),
    ],
)
def test_arguments_are_checked(
    vectors: dict[str, list[float]], options: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        semantic_duplicates(vectors, **options)  # type: ignore[arg-type]


coordinates = st.sampled_from([-1.0, 0.0, 0.1, 0.5, 1.0])
matrices = st.lists(st.lists(coordinates, min_size=3, max_size=3), max_size=12)


@given(matrices, st.sampled_from([0.5, 0.9, 1.0]), st.randoms(use_true_random=False))
def test_stars_are_within_the_threshold(
    rows: list[list[float]], threshold: float, chance: object
) -> None:
    vectors = named(rows)
    found = semantic_duplicates(vectors, threshold=threshold)
    assert found == semantic_duplicates(dict(reversed(vectors.items())), threshold=threshold)
    assert not set(found.canonical) & set(found.canonical.values())
    for gone, kept in found.canonical.items():
        assert _cosine(vectors[gone], vectors[kept]) >= threshold - 2e-6
        assert found.similarities[gone] == pytest.approx(
            _cosine(vectors[gone], vectors[kept]), abs=1e-6
        )
    rest = {name: row for name, row in vectors.items() if name not in found.canonical}
    assert not semantic_duplicates(rest, threshold=threshold)
    usable = [name for name in rest if name not in found.unusable]
    for place, one in enumerate(usable):
        assert all(_cosine(rest[one], rest[o]) < threshold + 2e-6 for o in usable[:place])


def _cosine(ours: list[float], theirs: list[float]) -> float:
    return float(np.dot(ours, theirs) / np.linalg.norm(ours) / np.linalg.norm(theirs))


def test_blocks_make_no_difference_and_memory_is_bounded() -> None:
    chance = np.random.default_rng(1)
    centres = chance.normal(size=(1_500, 32))
    rows = np.concatenate([centres, centres[:700] + chance.normal(scale=0.01, size=(700, 32))])
    vectors = {f"{place:05}": row for place, row in enumerate(rows)}
    tracemalloc.start()
    found = semantic_duplicates(vectors, threshold=0.95)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    expected = {f"{1_500 + place:05}": f"{place:05}" for place in range(700)}
    assert dict(found.canonical) == expected
    assert peak < 12_000_000  # all cosines at once take 19 MB
