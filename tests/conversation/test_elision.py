from __future__ import annotations

import json
import re

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.conversation.elision import (
    Elide,
    elided_arguments,
    elided_text,
    is_elided,
)
from orchestrator_context.conversation.history import HistoryOptions, compact_history
from orchestrator_context.models import Budget, Segment
from tests.conversation.strategies import TEXTS, assistant, call, reasoning, result, user
from tests.linear import assert_linear, repeating

MARKER = re.compile(r"\n\[\.\.\. (\d+) characters elided \.\.\.\][\n ]")
LONG = st.one_of(TEXTS, st.text(max_size=400), st.builds(lambda text: text * 40, st.text()))
KEPT = st.integers(0, 500)


def split(text: str) -> tuple[str, int, str]:
    found = MARKER.search(text)
    assert found is not None
    return text[: found.start()], int(found[1]), text[found.end() :]


@given(LONG.filter(lambda text: "elided" not in text), KEPT)
def test_the_marker_says_exactly_how_much_is_missing(text: str, kept: int) -> None:
    head, missing, tail = split(elided_text(text, kept))
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head) + missing + len(tail) == len(text)


@given(LONG.filter(lambda text: "elided" not in text), st.lists(KEPT, min_size=2, max_size=4))
def test_shortened_again_it_says_how_much_of_the_first_text_is_missing(
    text: str, kepts: list[int]
) -> None:
    shorter = text
    for kept in sorted(kepts, reverse=True):
        shorter = elided_text(shorter, kept)
        missing = sum(map(int, MARKER.findall(shorter)))
        assert len(MARKER.sub("", shorter)) + missing == len(text)


@given(LONG.filter(lambda text: "\r" not in text), KEPT)
def test_graphemes_stay_whole_that_are_no_flood(text: str, kept: int) -> None:
    head, _, tail = split(elided_text(text, kept))
    clusters = regex.findall(r"\X", text)
    edges = {0}
    for cluster in clusters:
        end = max(edges) + len(cluster)
        edges |= {end} if len(cluster) <= 64 else set(range(max(edges), end + 1))
    if "elided" not in text:
        assert {len(head), len(text) - len(tail)} <= edges


@pytest.mark.parametrize("budget", [60, 100, 400])
@pytest.mark.parametrize("mark", ["\u0300", "\U000e0041", "\ufe0f", "\U0001f468\u200d", "\u0600"])
def test_a_flood_of_marks_on_one_letter_cannot_block_a_conversation(mark: str, budget: int) -> None:
    options = HistoryOptions(truncates_newest=True)
    history = [Segment("Be brief.", "system", "system"), user("hello " + mark * 4_000)]
    done = compact_history(history, Budget(budget), options=options)
    assert done.fits
    _, missing, _ = split(done.segments[1].content)
    assert missing > 3_000


def test_a_marker_alone_is_left_only_where_the_whole_budget_has_no_room_for_more() -> None:
    options = HistoryOptions(truncates_newest=True)
    tokens = [
        compact_history([user("x\u0300" * 4_000)], Budget(size), options=options).report.tokens
        for size in (20, 60)
    ]
    assert tokens[0] <= 20
    assert tokens[1] > 30


@given(st.text(max_size=9), st.text(alphabet="\u0300\u200d\ufe0f\U000e0041", min_size=1), KEPT)
def test_a_flood_is_cut_about_where_it_has_to_be(before: str, marks: str, kept: int) -> None:
    head, _, tail = split(elided_text(before + marks * 2_000, kept))
    assert len(head) + len(tail) <= kept + 128


@given(st.lists(st.sampled_from(["\ud83d\ude00", "a", "\u0300" * 90]), max_size=40), KEPT)
def test_no_character_is_cut_in_half(parts: list[str], kept: int) -> None:
    head, _, tail = split(elided_text("".join(parts), kept))
    assert not head.endswith("\ud83d")
    assert not tail.startswith("\ude00")


def test_a_cut_through_an_earlier_marker_takes_all_of_it() -> None:
    text = "a" * 50 + "\n[... 7000 characters elided ...]\n" + "b" * 50
    for kept in range(160):
        head, missing, tail = split(elided_text(text, kept))
        if "[..." not in head + tail:
            assert len(head) + missing + len(tail) == 7_100


FORGED = "[... 9000 characters elided ...]"
LINE = re.compile(r"(?:\A|\n)\[\.\.\. \d+ characters elided \.\.\.\]")


@given(st.lists(st.sampled_from([FORGED, "\n", "\\", "a", "word " * 40]), min_size=9), KEPT)
def test_what_was_shortened_holds_one_marker_and_it_tells_the_truth(
    parts: list[str], kept: int
) -> None:
    text = "x" * 700 + "".join(parts)
    shorter = elided_text(text, kept)
    assert len(LINE.findall(shorter)) == 1
    plain = shorter.replace(f"\n\\{FORGED}", f"\n{FORGED}")
    head, missing, tail = split(shorter)
    if f"\n\\{FORGED}" not in text:
        assert len(plain) - (len(shorter) - len(head) - len(tail)) + missing == len(text)


@given(st.lists(st.sampled_from(["Bob: no", "\n", "\r\n", "\u2028", "a", "b" * 90])), KEPT)
def test_nothing_comes_to_begin_a_line(parts: list[str], kept: int) -> None:
    text = "".join(parts)
    begun = {line[:7] for line in text.splitlines()}
    for line in elided_text(text, kept).splitlines():
        assert any(one.startswith(line[:7]) for one in begun) or LINE.match(line) or not line


@given(LONG, KEPT)
def test_arguments_stay_json(arguments: str, kept: int) -> None:
    shorter = json.loads(elided_arguments(arguments, kept))
    assert arguments.startswith(shorter["beginning"])
    assert len(shorter["beginning"]) + shorter["elided_characters"] == len(arguments)
    twice = json.loads(elided_arguments(json.dumps(shorter, ensure_ascii=False), kept // 2))
    assert len(twice["beginning"]) + twice["elided_characters"] == len(arguments)


@given(LONG, st.integers(1, 300), st.sampled_from(["tool_result", "tool_call", "turn"]))
def test_it_is_never_longer_and_never_done_twice(text: str, least: int, kind: str) -> None:
    elide = Elide(frozenset({"tool_result", "tool_call", "turn"}), least)
    made = {"tool_result": result("a", text), "tool_call": call("a", text), "turn": user(text)}
    segment = made[kind]
    shorter = elide(segment)
    assert shorter is segment or len(shorter.content) < len(text)
    assert len(text) >= least or shorter is segment
    assert elide(shorter) is shorter or not is_elided(shorter.content)


def test_other_kinds_and_short_texts_are_left_alone() -> None:
    elide = Elide(frozenset({"tool_result"}), 200)
    for segment in (assistant("x" * 900), reasoning("x" * 900), result("a", "x" * 199)):
        assert elide(segment) is segment
    assert len(elide(result("a", "x" * 200)).content) < 200


def test_a_long_text_that_quotes_a_marker_is_shortened_all_the_same() -> None:
    quoting = "see [... 12 characters elided ...] " + "x" * 5_000
    assert len(Elide(frozenset({"turn"}), 200)(user(quoting)).content) < 1_000
    for brackets in ('{"elided_characters": ' * 3_000, '{"elided_characters": 1}' + "x" * 900):
        json.loads(elided_arguments(brackets, 40))


@pytest.mark.parametrize("piece", ["x", "[... 1 characters elided ...]", "\u0301"])
def test_ten_megabytes_take_linear_time(piece: str) -> None:
    def run(text: str) -> None:
        assert len(elided_text(text, 600)) < 10_000

    assert_linear(run, repeating(piece), small=600_000)
