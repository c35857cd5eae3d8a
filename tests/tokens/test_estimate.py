from __future__ import annotations

import math
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.tokens import token_counter, upper_estimate
from tests.linear import assert_linear, repeating
from tests.tokens.samples import ALL, CODE, HUMAN_RIGHTS, PROSE

EXACT = [token_counter(name) for name in ("o200k_base", "cl100k_base", "llama3", "qwen3")]


def most(text: str) -> int:
    """Return the tokens of the least thrifty of four vocabularies."""
    return max(counter.count(text) for counter in EXACT)


@pytest.mark.parametrize("name", ALL)
def test_it_is_not_below_any_vocabulary(name: str) -> None:
    assert upper_estimate(ALL[name]) >= most(ALL[name])


WORDS = sorted({word for text in (*HUMAN_RIGHTS.values(), PROSE[:5_000]) for word in text.split()})
MIXED = st.lists(
    st.one_of(
        st.sampled_from(WORDS),
        st.sampled_from(sorted(HUMAN_RIGHTS.values())),
        st.sampled_from(
            ["\n", "\n\n    ", "  ", "0", "42", "3.14", "()", "{}", "</p>", "😀", "//"]
        ),
        st.text(st.characters(codec="utf-8", categories=["So", "Sm", "Nd", "Po"]), max_size=6),
    ),
    max_size=40,
    unique=True,
)


@given(parts=MIXED, between=st.sampled_from([" ", "\n", ", "]))
def test_it_is_not_below_any_vocabulary_on_mixed_scripts(parts: list[str], between: str) -> None:
    """A word may cost more than the average of its language, which a sentence does not."""
    text = between.join(parts)
    assert upper_estimate(text) + 4 >= most(text)


@given(text=st.text())
def test_it_is_not_below_any_vocabulary_on_any_characters(text: str) -> None:
    """Everyday characters of a script cost their average, so a handful may cost a little more."""
    assert upper_estimate(text) + 2 + len(text) // 8 >= most(text)


@pytest.mark.parametrize(
    ("text", "at_most"),
    [
        (PROSE, 1.55),  # full of markup and digits
        (HUMAN_RIGHTS["english"], 1.35),
        (CODE["python"], 1.6),
        (CODE["python indented"], 1.6),
        (HUMAN_RIGHTS["chinese"] * 5, 1.9),
        (HUMAN_RIGHTS["german"] * 5, 1.9),
    ],
    ids=["documentation", "english", "python", "python indented", "chinese", "german"],
)
def test_it_is_not_far_above(text: str, at_most: float) -> None:
    assert upper_estimate(text) <= at_most * EXACT[0].count(text) + 2


def test_dense_texts() -> None:
    assert upper_estimate("你好世界" * 25) >= 50
    assert 60_000 <= upper_estimate("1\n" * 30_000) <= 70_000


def test_nothing_is_nothing() -> None:
    assert upper_estimate("") == 0
    assert upper_estimate("a") >= 1
    assert upper_estimate("\ud83d") >= EXACT[0].count("\ufffd")


@given(first=st.text(), second=st.text())
def test_parts_add_up_to_the_whole(first: str, second: str) -> None:
    whole = upper_estimate(first + second)
    assert whole <= upper_estimate(first) + upper_estimate(second) + 16
    assert whole >= upper_estimate(first) + upper_estimate(second) - 4


@given(text=st.text(min_size=1), times=st.integers(2, 50))
def test_it_grows_with_the_text(text: str, times: int) -> None:
    assert upper_estimate(text * times) >= upper_estimate(text)


@given(text=st.text(), multiplier=st.floats(0.01, 100))
def test_a_multiplier_scales_the_estimate(text: str, multiplier: float) -> None:
    assert upper_estimate(text, multiplier=multiplier) == math.ceil(
        upper_estimate(text) * multiplier
    )


def test_a_counter_with_a_multiplier() -> None:
    counter = token_counter(partial(upper_estimate, multiplier=1.5), exact=False, name="mine")
    assert not counter.exact
    assert counter.count("Some text.") == math.ceil(1.5 * upper_estimate("Some text."))


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, 101, True, "2", None])
def test_a_bad_multiplier(bad: object) -> None:
    with pytest.raises(ConfigurationError, match=r"^multiplier "):
        upper_estimate("x", multiplier=bad)  # type: ignore[arg-type]


def test_slices_do_not_show() -> None:
    text = "Some words, 12 numbers and 漢字. " * 10_000  # 310,000 characters
    half = upper_estimate(text[: len(text) // 2])
    assert abs(upper_estimate(text) - 2 * half) <= 8


@pytest.mark.parametrize("piece", ["word ", "的", "x", "\U0001f600", " ", "\n"])
def test_it_takes_linear_time(piece: str) -> None:
    assert_linear(upper_estimate, repeating(piece), small=250_000)
