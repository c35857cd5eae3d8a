from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.corpus.order import Likeness, Order
from orchestrator_context.rank.bm25f import Scores

VALUES = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 2.5]), max_size=24)


def alike(number: int, count: int) -> Scores:
    """Return a likeness that depends on nothing but the numbers."""
    return np.array([((number * 7 + other * 3) % 5) / 5 for other in range(count)])


def order(values: list[float], diversity: float, last: list[bool] | None = None) -> Order:
    count = len(values)
    return Order(
        values,
        [0.0] * count,
        last=last or [False] * count,
        diversity=diversity,
        likeness=lambda numbers: lambda number: alike(number, count)[list(numbers)],
    )


def slow(values: list[float], diversity: float, taken: set[int]) -> list[int]:
    """Return the order by its definition: every worth anew before each step."""
    found: list[int] = []
    most = np.zeros(len(values))
    while len(found) < len(values):
        left = [number for number in range(len(values)) if number not in found]
        worth = [
            round(float(values[number] * (1 - diversity * most[number])), 9) for number in left
        ]
        number = left[worth.index(max(worth))]
        found.append(number)
        if number in taken:
            most = np.maximum(most, alike(number, len(values)))
    return found


@given(VALUES, st.sampled_from([0.0, 0.3, 1.0]), st.sets(st.integers(0, 23)))
def test_the_order_is_that_of_its_definition(
    values: list[float], diversity: float, taken: set[int]
) -> None:
    walked = list(order(values, diversity).walk(taken.__contains__))
    assert walked == slow(values, diversity, taken)


@given(VALUES, st.data())
def test_what_comes_last_does(values: list[float], data: st.DataObject) -> None:
    last = [data.draw(st.booleans()) for _ in values]
    walked = list(order(values, 0.5, last).walk(lambda number: number % 2 == 0))
    assert sorted(walked) == list(range(len(values)))
    assert [last[number] for number in walked] == sorted(last)


def test_a_bonus_counts_whatever_it_is_like() -> None:
    def ones(numbers: Iterable[int]) -> Likeness:
        size = len(list(numbers))
        return lambda _: np.ones(size)

    plain = Order([3.0, 2.0], [0, 0], last=[False] * 2, diversity=1.0, likeness=ones)
    raised = Order([3.0, 2.0], [0, 2], last=[False] * 2, diversity=1.0, likeness=ones)
    assert list(plain.walk(lambda _: True)) == [0, 1]
    assert list(raised.walk(lambda _: True)) == [1, 0]


def test_a_second_walk_knows_what_was_taken_in_the_first() -> None:
    both = order([2.0, 2.0, 1.9], 1.0)
    first = list(both.walk(lambda number: number == 0))
    assert first[0] == 0
    assert list(both.walk(lambda _: False)) == sorted(
        range(3),
        key=lambda number: -round(float([2.0, 2.0, 1.9][number] * (1 - alike(0, 3)[number])), 9),
    )


@given(VALUES, st.sampled_from([0.0, 0.3, 1.0]), st.sets(st.integers(0, 23)), st.booleans())
def test_a_walk_that_is_skipped_counts_as_one(
    values: list[float], diversity: float, taken: set[int], early: bool
) -> None:
    walked, skipped = order(values, diversity), order(values, diversity)
    for one in (walked, skipped) if early else ():
        list(one.walk(lambda number: number == 1))
    list(walked.walk(taken.__contains__))
    skipped.skip(taken.__contains__)
    assert list(skipped.walk(lambda _: False)) == list(walked.walk(lambda _: False))


@pytest.mark.parametrize("values", [[], [0.0] * 20, [0.0, 0.0, 1.0]])
def test_nothing_is_compared_where_nothing_that_has_a_value_is_left(values: list[float]) -> None:
    def never(_: Iterable[int]) -> Likeness:
        raise AssertionError

    count = len(values)
    lazy = Order(values, [0.0] * count, last=[False] * count, diversity=1.0, likeness=never)
    assert sorted(lazy.walk(lambda _: True)) == list(range(count))
