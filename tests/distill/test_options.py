"""Each setting is checked, and its error names it."""

from __future__ import annotations

import math
from dataclasses import fields

import pytest

from orchestrator_context.distill.options import DistillOptions
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.retrying import RetryPolicy

WHOLE = ["max_output_tokens", "passage_tokens", "concurrency"]
WHOLE_OR_NONE = ["note_tokens", "chunk_tokens"]
COUNTS = ["max_calls", "max_tokens_spent"]
RATES = ["requests_per_minute", "tokens_per_minute", "call_timeout_seconds"]
TEXTS = ["map_instructions", "reduce_instructions"]
NO_NUMBER: list[object] = [True, False, "7", 1.5, math.nan, [], b"1"]

BAD: list[tuple[str, object]] = [
    *[(name, bad) for name in WHOLE for bad in [0, -1, None, *NO_NUMBER]],
    *[(name, bad) for name in WHOLE_OR_NONE for bad in [0, -1, *NO_NUMBER]],
    *[(name, bad) for name in COUNTS for bad in [-1, *NO_NUMBER]],
    *[
        (name, bad)
        for name in RATES
        for bad in [0, 0.0, -1, True, "7", math.nan, math.inf, 10**400]
    ],
    *[("max_cost", bad) for bad in [-0.01, True, "7", math.nan, math.inf, 10**400]],
    *[("on_error", bad) for bad in ["", "RAISE", "ignore", None, True]],
    *[(name, bad) for name in TEXTS for bad in ["", " \n", 7, b"x"]],
    *[("retry", bad) for bad in [None, 3, {"max_attempts": 2}]],
    *[("reducer", bad) for bad in ["x", 1]],
    *[("keep_notes", bad) for bad in [None, 0, 1, "no"]],
]
GOOD: list[tuple[str, object]] = [
    *[(name, 1) for name in WHOLE],
    *[(name, good) for name in WHOLE_OR_NONE for good in (1, None)],
    *[(name, good) for name in COUNTS for good in (0, None)],
    *[(name, good) for name in RATES for good in (1, 0.001, None)],
    *[("max_cost", good) for good in (0, 0.5, None)],
    *[("on_error", good) for good in ("raise", "skip")],
    *[(name, good) for name in TEXTS for good in ("Say it.", None)],
    ("retry", RetryPolicy(max_attempts=1)),
    ("reducer", len),
    *[("keep_notes", good) for good in (True, False)],
]


@pytest.mark.parametrize(("name", "bad"), BAD)
def test_what_is_out_of_range_is_refused_by_name(name: str, bad: object) -> None:
    with pytest.raises(ConfigurationError, match=rf"^{name}\b"):
        DistillOptions(**{name: bad})  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "good"), GOOD)
def test_what_is_in_range_is_kept(name: str, good: object) -> None:
    assert getattr(DistillOptions(**{name: good}), name) == good  # type: ignore[arg-type]


def test_every_setting_is_tried_here() -> None:
    names = {field.name for field in fields(DistillOptions)}
    assert {name for name, _ in BAD} == names
    assert {name for name, _ in GOOD} == names


def test_a_mapping_says_the_same() -> None:
    options = DistillOptions.from_mapping(
        {"concurrency": 3, "on_error": "skip", "retry": {"max_attempts": 2}}
    )
    assert options == DistillOptions(
        concurrency=3, on_error="skip", retry=RetryPolicy(max_attempts=2)
    )
    assert DistillOptions.from_mapping({}) == DistillOptions()
    assert DistillOptions.from_mapping({"retry": RetryPolicy()}) == DistillOptions()


@pytest.mark.parametrize(
    ("mapping", "named"),
    [
        ({"concurency": 3}, "DistillOptions has no setting 'concurency'"),
        ({"retry": {"attempts": 3}}, "RetryPolicy has no setting 'attempts'"),
        ({"retry": {"max_attempts": 0}}, "RetryPolicy.max_attempts"),
        ({"retry": 3}, "retry"),
        ({"retry": None}, "retry"),
        ({"concurrency": "3"}, "concurrency"),
        ({1: 2, "x": 3}, "1"),
    ],
)
def test_a_mapping_is_read_strictly(mapping: dict[str, object], named: str) -> None:
    with pytest.raises(ConfigurationError, match=named):
        DistillOptions.from_mapping(mapping)


def test_a_mapping_is_not_changed() -> None:
    mapping: dict[str, object] = {"retry": {"max_attempts": 2}}
    DistillOptions.from_mapping(mapping)
    assert mapping == {"retry": {"max_attempts": 2}}
