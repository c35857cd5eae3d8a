from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from itertools import combinations

import pytest

from tests.linear import assert_constant, assert_linear, repeating


def one_by_one(numbers: Iterable[int]) -> int:
    return sum(number * number for number in numbers)


def sorting(numbers: Iterable[int]) -> list[str]:
    return sorted(map(str, numbers))


def in_pairs(numbers: Iterable[int]) -> int:
    return sum(one + other for one, other in combinations(numbers, 2))


def copying_the_rest(numbers: Iterable[int]) -> None:
    rest = [0] * len(list(numbers))
    while rest:
        rest = rest[1:]


@pytest.mark.parametrize("run", [one_by_one, sorting])
def test_what_is_near_linear_passes(run: Callable[[Iterable[int]], object]) -> None:
    assert_linear(run, range, small=5_000)


@pytest.mark.parametrize(("run", "small"), [(in_pairs, 100), (copying_the_rest, 1_000)])
def test_what_is_quadratic_fails(run: Callable[[Iterable[int]], object], small: int) -> None:
    with pytest.raises(AssertionError, match="16 times the size takes"):
        assert_linear(run, range, small=small)


def test_what_is_constant_passes_and_what_is_linear_is_not_constant() -> None:
    assert_constant(lambda numbers: one_by_one(numbers[:5_000]), range, small=5_000)
    with pytest.raises(AssertionError, match="64 times the size takes"):
        assert_constant(one_by_one, range, small=5_000)


def test_one_slow_attempt_is_no_failure() -> None:
    slow = iter([True, True, True, True, True])

    def run(numbers: range) -> None:
        for _ in range(200 if len(numbers) > 5_000 and next(slow, False) else 1):
            one_by_one(numbers)

    assert_linear(run, range, small=500)
    assert next(slow, None) is None


def test_only_the_run_is_timed_and_each_has_an_input_of_its_own() -> None:
    def make(size: int) -> list[int]:
        in_pairs(range(size))
        return list(range(size))

    assert_linear(list.clear, make, small=50)


@pytest.mark.parametrize("collects", [True, False])
def test_the_collector_rests_meanwhile_and_is_left_as_it_was(collects: bool) -> None:
    seen: list[bool] = []
    (gc.enable if collects else gc.disable)()
    try:
        assert_linear(lambda _: seen.append(gc.isenabled()), range, small=1)
        assert gc.isenabled() == collects
    finally:
        gc.enable()
    assert not any(seen)


def test_a_piece_is_repeated_to_about_the_size() -> None:
    assert repeating("abc")(10) == "abc" * 3
