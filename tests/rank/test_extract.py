"""Choosing units: within the budget, in order, whole, and those that answer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.rank import Extract, Strictness, Unit, extract, units
from orchestrator_context.tokens import token_counter
from tests.linear import assert_linear

COUNTER = token_counter()
ALL = Strictness(least_share=0.0)

STATION = """\
Station 3

The pump was replaced on 3 March. Lunch was good. It holds 2.1 bar.
The valve must never exceed 45 °C unless the lamp is green.

Station 4

The gate was painted. The motor of the gate was delivered by Siemens.

Background

Siemens is led by Roland Busch. Its seat is in Munich.
"""


def texts(found: Sequence[Extract]) -> list[str]:
    return [one.unit.text for one in found]


def ask(question: str, text: str, max_tokens: int = 200, strictness: Strictness = ALL) -> list[str]:
    return texts(extract(question, units([text]), max_tokens, COUNTER, strictness=strictness))


def first(question: str, text: str) -> str:
    found = extract(question, units([text]), 200, COUNTER)
    return max(found, key=lambda one: one.worth).unit.text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was the pump replaced?", "The pump was replaced on 3 March."),
        (
            "How hot may the valve get?",
            "The valve must never exceed 45 °C unless the lamp is green.",
        ),
        ("Who delivered the motor?", "The motor of the gate was delivered by Siemens."),
    ],
)
def test_the_best_sentence_is_worth_most(question: str, answer: str) -> None:
    assert first(question, STATION) == answer


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("二号水泵为什么停机？", "今天天气很好。二号水泵停机了。晚饭很香。", "二号水泵停机了。"),
        ("Wer bezahlt kleine Reparaturen?", "Das Dach ist neu. Kleinreparaturen trägt der Mieter.",
         "Kleinreparaturen trägt der Mieter."),
        ("Почему остановлен насос?", "Обед был хорош. Насосы остановлены из-за жары.",
         "Насосы остановлены из-за жары."),
        ("ポンプの点検はいつですか", "昼食は良かった。ポンプの点検は月曜日です。",
         "ポンプの点検は月曜日です。"),
        ("متى توقفت المضخة", "كان الطعام جيدا. توقفت المضخة مساء.", "توقفت المضخة مساء."),
        ("What does fetch_id return?", "def fetch_id(x):\n    return table[x]\n\ny = 1\n",
         "return table[x]"),
    ],
)  # fmt: skip
def test_any_script(question: str, text: str, answer: str) -> None:
    assert first(question, text) == answer


def test_names_lead_to_the_next_step() -> None:
    question = "Who leads the company that delivered the motor?"
    assert ask(question, STATION, 20) == [
        "The motor of the gate was delivered by Siemens.",
        "Siemens is led by Roland Busch.",
    ]


def test_all_words_of_the_question_weigh_more_than_one_word_often() -> None:
    text = "Pump, pump, pump and pump. The gate is open. The pump of the gate is red. Rain fell."
    assert first("Which colour has the pump of the gate?", text) == "The pump of the gate is red."


def test_different_sides_come_before_more_of_the_same() -> None:
    text = (
        "The pump has a high pressure. The pump has a low pressure. The pump has no pressure. "
        "The valve is blue. The valve is old. Rain fell."
    )
    found = ask("What is said of the pump, its pressure and the valve?", text, 24)
    assert sum("pump" in sentence for sentence in found) == 2
    assert sum("valve" in sentence for sentence in found) >= 1


@pytest.mark.parametrize("question", ["", "What is it?", "zebra quagga", "？"])
def test_no_word_in_common_is_no_answer(question: str) -> None:
    assert ask(question, STATION) == []


def test_nothing_to_choose_from() -> None:
    assert extract("pump", [], 100, COUNTER) == ()


def test_a_passage_must_hold_enough_of_the_question() -> None:
    found = units(["The pump is red.", "The valve is blue."])
    assert extract("pump valve", found, 100, COUNTER, strictness=Strictness(0.0, 1))
    assert not extract("pump valve", found, 100, COUNTER, strictness=Strictness(0.0, 2))


def test_equal_sentences_are_quoted_once_with_all_their_places() -> None:
    found = units(["The pump is red. Rain fell.", "Snow fell.", "the  pump is red."])
    (one,) = extract("What colour is the pump?", found, 100, COUNTER)
    assert one.unit.text.casefold().split() == ["the", "pump", "is", "red."]
    assert sorted(one.passages) == [0, 2]


def test_numbers_and_negations_tell_sentences_apart() -> None:
    text = "The pump may run. The pump may not run. The pump runs at 2 bar. The pump runs at 3 bar."
    assert len(ask("When may the pump run?", text)) == 4


def test_equal_lines_of_code_in_different_places_are_both_quoted() -> None:
    code = "def open_pump():\n    reset(pump)\n\ndef close_pump():\n    reset(pump)\n"
    found = extract("What does reset pump?", units([code]), 100, COUNTER, strictness=ALL)
    assert texts(found).count("reset(pump)") == 2


def test_what_is_worth_little_is_left_out() -> None:
    few = ask("When was the pump replaced?", STATION, strictness=Strictness())
    many = ask("When was the pump replaced?", STATION)
    assert set(few) < set(many)
    assert "The pump was replaced on 3 March." in few


def test_without_room_for_a_sentence_its_beginning_is_given() -> None:
    found = extract("When was the pump replaced?", units([STATION]), 5, COUNTER)
    assert [one.cut for one in found] == [True]
    assert texts(found) == ["The pump was replaced…"]


def test_characters_are_not_cut() -> None:
    family = "👩‍👩‍👧"
    for tokens in range(1, 40):
        for (text,) in [ask("水泵", f"水泵{family}停机{family}水泵", tokens) or [""]]:
            assert text.strip("…").replace(family, "").strip("水泵停机") == ""


def test_without_room_for_a_word_there_is_nothing() -> None:
    assert extract("pump", units(["The pump is red."]), 1, COUNTER) == ()


WORDS = "pump valve gate not never 45 2.1 bar Siemens opens fetch_id the is 水泵 насос x".split()
sentence = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(
    lambda found: " ".join(found) + "."
)
passage = st.lists(sentence, max_size=6).map(" ".join)
passages = st.lists(passage, max_size=5)
question = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)


@given(passages, question, st.integers(1, 120), st.sampled_from([0.0, 0.5, 1.0]))
def test_the_promises(passages: list[str], question: str, max_tokens: int, share: float) -> None:
    found = units(passages)
    strictness = Strictness(share)

    def chosen() -> tuple[Extract, ...]:
        return extract(question, found, max_tokens, COUNTER, strictness=strictness)

    result = chosen()
    assert COUNTER.count("\n".join(texts(result))) <= max_tokens
    assert [one.unit.order for one in result] == sorted({one.unit.order for one in result})
    assert result == chosen()
    for one in result:
        assert one.worth > 0
        assert one.passages[0] == one.unit.passage
        assert one.cut or one.unit in found
        assert not one.cut or len(result) == 1


@given(passages, question, st.integers(1, 60))
def test_the_budget_holds_for_any_way_of_writing(
    passages: list[str], question: str, max_tokens: int
) -> None:
    def write(found: Sequence[Extract]) -> str:
        return "\n\n".join(
            f"- **{one.unit.passage}** {one.unit.text} [S{one.worth}]" for one in found
        )

    result = extract(question, units(passages), max_tokens, COUNTER, write=write, strictness=ALL)
    assert COUNTER.count(write(result)) <= max_tokens


def test_the_budget_holds_where_much_takes_more_together_than_one_by_one() -> None:
    found = units([" ".join(f"The pump {i} is red." for i in range(9))])
    result = extract("pump", found, 9, COUNTER, write=lambda some: " x" * len(some) ** 2)
    assert len(result) == 3


def test_room_that_is_saved_by_writing_together_is_used() -> None:
    found = units([" ".join(f"The pump {i} is red." for i in range(9))])

    def write(some: Sequence[Extract]) -> str:
        return " x" * (4 + len(some)) if some else ""

    assert len(extract("pump", found, 20, COUNTER, write=write)) == 9


def test_what_does_not_fit_does_not_keep_the_rest_out() -> None:
    long = "The pump of the gate has " + "very " * 60 + "old valves."
    text = " ".join([long, *(f"{i} " + long for i in range(5)), "The pump is red."])
    assert ask("What has the pump of the gate?", text, 20) == ["The pump is red."]


@pytest.mark.parametrize(
    "template", ["The pump {} is open. ", "The pump is not open. ", "w{} pump\n"]
)
def test_time_is_near_linear(template: str) -> None:
    def make(count: int) -> list[Unit]:
        return units(
            ["".join(template.format(i) for i in range(n, n + 100)) for n in range(0, count, 100)]
        )

    def run(found: list[Unit]) -> None:
        extract("Why is the pump of station 7 not open?", found, 400, COUNTER)

    assert_linear(run, make, small=1_000)


def test_time_is_near_linear_in_one_long_text() -> None:
    def make(count: int) -> str:
        return "".join(
            f"The pump {i} of station {i % 89} holds {i % 7} bar. " for i in range(count)
        )

    def run(text: str) -> None:
        assert extract("What does pump 77 hold?", units([text]), 400, COUNTER)

    assert_linear(run, make, small=500)
