"""Budgets: what is kept free of a window, and what nobody makes up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context import Budget, model_profile
from orchestrator_context.budget import WINDOW_SOURCES, WindowSource
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.protocols import ModelProfile
from orchestrator_context.tokens import token_counter


def test_what_is_left_for_input() -> None:
    assert Budget(100, 30).available == 70
    assert Budget(100, 30, headroom=20).available == 50
    assert Budget(100, 50, headroom=49).available == 1
    assert Budget(None, 30, headroom=5).available is None


def test_what_is_left_beside_a_text() -> None:
    budget = Budget(100, 30, headroom=10)
    assert [budget.remaining(tokens) for tokens in (0, 60, 75)] == [60, 0, -15]
    assert [budget.fits(tokens) for tokens in (0, 60, 61)] == [True, True, False]
    assert Budget().remaining(5) is None
    assert Budget().fits(5) is None


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("max_tokens", 0),
        ("max_tokens", True),
        ("max_tokens", 10.0),
        ("output_reserve", -1),
        ("output_reserve", None),
        ("max_bytes", 0),
        ("max_items", 0),
        ("headroom", -1),
        ("headroom", 0.05),
        ("window_source", "guess"),
    ],
)
def test_a_bad_budget(field: str, bad: object) -> None:
    with pytest.raises(ConfigurationError, match=rf"^Budget\.{field} "):
        Budget(**{field: bad})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("window", "output_reserve", "headroom"),
    [
        (1, 0, 0),
        (2, 1, 0),
        (300, 150, 37),
        (4_096, 2_048, 256),
        (8_192, 4_096, 410),
        (128_000, 4_096, 6_400),
        (200_000, 4_096, 8_192),
        (1_000_000, 4_096, 8_192),
    ],
)
def test_what_is_usually_kept_free(window: int, output_reserve: int, headroom: int) -> None:
    assert Budget.of(window) == Budget(window, output_reserve, headroom=headroom)


@given(st.integers(1, 3_000_000))
def test_something_is_left_of_any_window(window: int) -> None:
    budget = Budget.of(window)
    assert budget.available is not None
    assert budget.available >= max(1, window * 3 // 8)
    assert budget.available + budget.output_reserve + budget.headroom == window
    assert budget.headroom <= 8_192


@given(st.integers(1, 20_000), st.integers(0, 30_000))
def test_headroom_never_takes_what_a_reserve_leaves(left: int, reserve: int) -> None:
    budget = Budget.of(left + reserve, output_reserve=reserve)
    assert budget.output_reserve == reserve
    assert (budget.available or 0) >= 0.75 * left


@pytest.mark.parametrize(
    ("reserve", "headroom"), [(20, 0), (10, 0), (0, 10), (0, 11), (5, 5), (9, 1), (10**9, 1)]
)
@pytest.mark.parametrize(
    "make",
    [
        lambda reserve, headroom: Budget(10, reserve, headroom=headroom),
        lambda reserve, headroom: Budget.of(10, output_reserve=reserve, headroom=headroom),
        lambda reserve, headroom: Budget.from_mapping(
            {"max_tokens": 10, "output_reserve": reserve, "headroom": headroom}
        ),
        lambda reserve, headroom: replace(Budget(10), output_reserve=reserve, headroom=headroom),
        lambda reserve, headroom: replace(Budget(None, reserve, headroom=headroom), max_tokens=10),
    ],
)
def test_what_is_kept_free_leaves_something(
    make: Callable[[int, int], Budget], reserve: int, headroom: int
) -> None:
    told = (
        rf"10 .*reserve of {reserve} .*headroom of {headroom};.* at least {reserve + headroom + 1}"
    )
    with pytest.raises(ConfigurationError, match=told):
        make(reserve, headroom)


def test_a_reserve_without_room_is_refused_whatever_the_headroom_would_be() -> None:
    with pytest.raises(ConfigurationError, match="reserve of 20 "):
        Budget.of(10, output_reserve=20)


def test_what_is_given_is_kept() -> None:
    budget = Budget.of(1_000, output_reserve=10, headroom=0, max_bytes=5, max_items=6)
    assert budget == Budget(1_000, 10, 5, 6, 0)


def test_an_unknown_window_stays_unknown() -> None:
    budget = Budget.of(None)
    assert budget == Budget(None, 4_096)
    assert (budget.available, budget.window_source) == (None, "unknown")


@pytest.mark.parametrize("bad", [0, -5, True, 1.5, "8k"])
def test_a_bad_window(bad: object) -> None:
    with pytest.raises(ConfigurationError, match=r"^window "):
        Budget.of(bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["output_reserve", "headroom"])
def test_a_bad_reserve(field: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"^Budget\.{field} "):
        Budget.of(100, **{field: -1})  # type: ignore[arg-type]


class TestWindowSource:
    def test_the_tuple_is_the_type(self) -> None:
        assert get_args(WindowSource) == WINDOW_SOURCES

    def test_it_is_unknown_exactly_where_the_window_is(self) -> None:
        assert Budget(5).window_source == "given"
        assert Budget(None, window_source="catalog").window_source == "unknown"
        assert Budget(5, window_source="unknown").window_source == "given"
        assert replace(Budget(), max_tokens=5).window_source == "given"
        assert replace(Budget(5, window_source="service"), output_reserve=2).window_source == (
            "service"
        )

    def test_it_makes_no_difference_to_equality(self) -> None:
        assert Budget(5, window_source="catalog") == Budget(5, window_source="service")

    @pytest.mark.parametrize(
        ("profile", "source"),
        [
            (model_profile("gpt-4o"), "catalog"),
            (model_profile("gpt-4o", window=5_000), "given"),
            (model_profile("nobody-knows-me"), "unknown"),
            (ModelProfile("mine", token_counter(), 8_000), "given"),
        ],
    )
    def test_a_profile_tells_it(self, profile: ModelProfile, source: str) -> None:
        budget = Budget.of(profile.window, window_source=profile.window_source)
        assert (budget.max_tokens, budget.window_source) == (profile.window, source)


def test_it_travels_as_data() -> None:
    given = {"max_tokens": 100, "output_reserve": 20, "max_items": 3, "window_source": "catalog"}
    assert asdict(Budget.from_mapping(given)) == asdict(Budget()) | given
    assert Budget.from_mapping({}) == Budget()
    with pytest.raises(ConfigurationError, match=r"no setting 'tokens'; it has max_tokens"):
        Budget.from_mapping({"tokens": 3})
    with pytest.raises(ConfigurationError, match=r"^Budget\.max_tokens .*not '100'"):
        Budget.from_mapping({"max_tokens": "100"})
    with pytest.raises(ConfigurationError, match="made from a mapping"):
        Budget.from_mapping([])  # type: ignore[arg-type]
