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
def test_graphemes_stay_whole(text: str, kept: int) -> None:
    head, _, tail = split(elided_text(text, kept))
    clusters = regex.findall(r"\X", text)
    edges = {0}
    for cluster in clusters:
        edges.add(max(edges) + len(cluster))
    if "elided" not in text:
        assert {len(head), len(text) - len(tail)} <= edges


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
