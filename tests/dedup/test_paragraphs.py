"""Repeated paragraphs go, and nothing else does."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.dedup import DedupOptions, Span, dedup_paragraphs
from orchestrator_context.exceptions import ConfigurationError
from tests.linear import assert_linear

ONE = "Close the valve at the river first."
TWO = "Then call the miller and wait."
LONG = (
    "The crew walked along to the river and found that the gate had stood open since morning, and "
    "the water was rising over the stones near the old mill where children used to play."
)
NEAR = DedupOptions(threshold=0.6)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([f"{ONE}\n\n{TWO}", ONE], [f"{ONE}\n\n{TWO}", ""]),
        ([f"{ONE}\n\n{ONE}\n\n{TWO}"], [f"{ONE}\n\n{TWO}"]),
        ([f"{ONE}\n\n{TWO}\n\n{ONE}"], [f"{ONE}\n\n{TWO}"]),
        ([f"{ONE}\n\n{TWO}\n\n{ONE}\n"], [f"{ONE}\n\n{TWO}\n"]),
        ([f"{ONE}\r\n\r\n{TWO}\r\n\r\n{ONE}\r\n"], [f"{ONE}\r\n\r\n{TWO}\r\n"]),
        (
            [f"{ONE}\n \t\n\n{TWO}\n\n\n  {ONE}  \n\n   Last."],
            [f"{ONE}\n \t\n\n{TWO}\n\n\n   Last."],
        ),
        ([ONE, f"\n\n{ONE}\n\n{TWO}"], [ONE, f"\n\n{TWO}"]),
        (["", " \n", ONE, "", ONE], ["", " \n", ONE, "", ""]),
        (["Yes.", "Yes.", "---", "---"], ["Yes.", "Yes.", "---", "---"]),
        ([f"{ONE}\n{TWO}\n{ONE}"], [f"{ONE}\n{TWO}\n{ONE}"]),
    ],
)
def test_the_first_one_stays(texts: list[str], expected: list[str]) -> None:
    assert list(dedup_paragraphs(texts).texts) == expected


def test_each_removal_is_recorded() -> None:
    texts = [f"# Plan\n\n{ONE}", f"{TWO}\n\n {ONE}\n"]
    result = dedup_paragraphs(texts)
    (gone,) = result.removed
    assert gone.kept == Span(0, 8, 8 + len(ONE))
    assert texts[1][gone.removed.start : gone.removed.end] == ONE
    assert gone.removed.text == 1
    assert (gone.exact, gone.similarity) == (True, 1.0)
    assert result.summary() == "removed 1 repeated paragraph and 0 near duplicates from 2 texts"


def test_near_paragraphs_go_where_a_threshold_is_set() -> None:
    other = LONG.replace("rising", "climbing")
    texts = [LONG, f"{TWO}\n\n{other}\n\n{other}"]
    assert dedup_paragraphs(texts).texts == (LONG, f"{TWO}\n\n{other}")
    result = dedup_paragraphs(texts, options=NEAR)
    assert result.texts == (LONG, TWO)
    assert [(gone.exact, gone.kept.text) for gone in result.removed] == [(False, 0), (False, 0)]
    assert all(0.6 <= gone.similarity < 1 for gone in result.removed)


FUNCTIONS = """\
def open_gate(river):
    check_the_level_of(river)

    return river.gates.open_all_of_them()

def close_gate(river):
    check_the_level_of(river)

    return river.gates.open_all_of_them()
"""


@pytest.mark.parametrize(
    "text",
    [
        FUNCTIONS,
        f"{FUNCTIONS}\n{LONG}\n\n{LONG}\n",
        f"import river\n\ndef open_gate():\n    {TWO}\n\n" + f"    {ONE}\n    {LONG}\n\n" * 9,
        f"```\n{LONG}\n\n{LONG}\n```\n",
        f"~~~~ text\n{LONG}\n~~~\n\n{LONG}\n~~~~\n",
        f"> ```\n> {LONG}\n\n{LONG}\n\n{LONG}",
        '{"a": "the same value",\n\n"b": "the same value",\n\n"b": "the same value"}',
        '[\n\n"the same value here",\n\n"the same value here"\n\n]',
        '{"id": 1, "name": "ana"}\n\n{"id": 1, "name": "ana"}\n',
        "name,age,town\nana,5,ulm\n\nname,age,town\nana,5,ulm\n",
        "name;age;town\nana;5;ulm\n\nname;age;town\nana;5;ulm\n",
        "name\tage of them\nana\tfive years old\n\nname\tage of them\nana\tfive years old\n",
        "| name | age |\n|---|---|\n| ana | 5 |\n\n| name | age |\n|---|---|\n| ana | 5 |",
        "<list>\n\n<item>the same here</item>\n\n<item>the same here</item>\n\n</list>",
        "[server]\nname = the same\nport = 80\n\n[server]\nname = the same\nport = 80\n",
        "server:\n  name: the same\n  port: 80\n\nserver:\n  name: the same\n  port: 80\n",
    ],
)
@pytest.mark.parametrize("options", [DedupOptions(), DedupOptions(threshold=0.2)])
def test_code_and_data_are_left_alone(text: str, options: DedupOptions) -> None:
    result = dedup_paragraphs([text, text], options=options)
    assert result.texts == (text, text)
    assert not result.removed


@pytest.mark.parametrize(
    "text",
    [
        "When it rains, the pump stops.\nWhen it snows, it runs on.",
        "First, close the valve.\nThen, call the miller, and wait.\nLast, go home.",
        "Dear crew, the gate was left open\nby those who came, as it seems, on Monday.",
        "We bought apples, pears; the rest was sold.\nWe sold plums, figs; the rest was lost.",
    ],
)
def test_prose_with_a_comma_in_each_line_is_no_table(text: str) -> None:
    assert dedup_paragraphs([text, text]).texts == (text, "")


def test_arguments_are_checked() -> None:
    with pytest.raises(ConfigurationError, match=r"each of texts must be a str"):
        dedup_paragraphs(["a", 1])  # type: ignore[list-item]


words = st.sampled_from("kilo lima mike oscar papa quebec romeo sierra tango uniform".split())
paragraphs = st.one_of(
    st.lists(words, min_size=4, max_size=9).map(" ".join),
    st.sampled_from([ONE, TWO, LONG, LONG.replace("rising", "climbing"), "x", "```", "a,b\nc,d"]),
)
blanks = st.sampled_from(["\n\n", "\n \n", "\n\n\n", "\r\n\r\n", "\n"])
texts = st.lists(
    st.lists(st.tuples(paragraphs, blanks), max_size=6).map(
        lambda pairs: "".join(part for pair in pairs for part in pair)
    ),
    max_size=5,
)
options = st.sampled_from([DedupOptions(), NEAR, DedupOptions(min_paragraph_characters=1)])


def _blocks(text: str) -> list[str]:
    return [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip()]


@given(texts, options)
def test_what_is_left_is_unchanged_and_what_is_gone_is_there(
    given_texts: list[str], chosen: DedupOptions
) -> None:
    result = dedup_paragraphs(given_texts, options=chosen)
    gone = [given_texts[r.removed.text][r.removed.start : r.removed.end] for r in result.removed]
    kept = [given_texts[r.kept.text][r.kept.start : r.kept.end] for r in result.removed]
    assert len(result.texts) == len(given_texts)
    before = sorted(block for text in given_texts for block in _blocks(text))
    assert sorted([block for text in result.texts for block in _blocks(text)] + gone) == before
    assert {r.removed for r in result.removed}.isdisjoint(r.kept for r in result.removed)
    for removal, one, other in zip(result.removed, gone, kept, strict=True):
        assert (one == other) == removal.exact
        assert (removal.kept.text, removal.kept.start) < (
            removal.removed.text,
            removal.removed.start,
        )
    assert dedup_paragraphs(result.texts, options=chosen).texts == result.texts


@given(st.lists(st.text(), max_size=4), options)
def test_any_text_is_taken(given_texts: list[str], chosen: DedupOptions) -> None:
    result = dedup_paragraphs(given_texts, options=chosen)
    if not result.removed:
        assert result.texts == tuple(given_texts)


@pytest.mark.parametrize(
    "unit", ["\n", " ", "\n ", "```\n", "x\n\n", f"{ONE}\n\n", "{", "a,b\n\n", "> " * 50, "水\n\n"]
)
def test_time_is_linear(unit: str) -> None:
    def run(text: str) -> None:
        dedup_paragraphs([text], options=NEAR)

    assert_linear(run, lambda count: unit * count, small=2_000)


def test_repetitions_of_a_long_history_go() -> None:
    chance = random.Random(5)
    notes = [f"Note {n} on the state of the river and of the mill." for n in range(40)]
    history = ["\n\n".join(chance.sample(notes, 5)) for _ in range(200)]
    result = dedup_paragraphs(history)
    left = [block for text in result.texts for block in _blocks(text)]
    assert sorted(left) == sorted(notes)
