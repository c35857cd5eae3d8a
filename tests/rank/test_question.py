"""What a question is taken to ask for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.rank import question_words


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?!",
        "What is it?",
        "Was ist das?",
        "Où est la ?",
        "Что это?",
        "什么?",
        "a b c",
    ],
)
def test_function_words_ask_for_nothing(question: str) -> None:
    assert question_words(question) == {}


def test_words_are_stemmed_and_names_count_twice() -> None:
    assert question_words("When do pumps of Siemens stop?") == {
        "pump": 1.0,
        "siemen": 2.0,
        "stop": 1.0,
    }


def test_the_first_word_is_no_name_for_its_capital() -> None:
    assert question_words("Pumps stop")["pump"] == 1.0
    assert question_words("TaskGroup stop")["taskgroup"] == 2.0


@pytest.mark.parametrize("name", ["wait_for", "`shield`", "P-101", "HTTP"])
def test_identifiers_are_names(name: str) -> None:
    weights = question_words(f"why {name} failed")
    assert max(weights.values()) == 2.0
    assert weights["fail"] == 1.0


def test_parts_of_a_name_count_half() -> None:
    weights = question_words("why call_soon failed")
    assert (weights["call_soon"], weights["call"], weights["soon"]) == (2.0, 0.5, 0.5)


def test_scripts_without_spaces() -> None:
    assert set(question_words("二号水泵为什么停机？")) >= {"水泵", "停机"}


@given(st.text(max_size=60))
def test_any_question(question: str) -> None:
    assert all(weight in (0.5, 1.0, 2.0) for weight in question_words(question).values())
