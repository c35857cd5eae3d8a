"""Marks are data between prompts and characters inside one."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from orchestrator_context.prompts import MarkedText, free_prefix, mark, read_marks, write_marks
from tests.linear import assert_linear, repeating

PREFIXES = st.sampled_from(["S", "Q", "Z", "SS", "QQQ"])
JUNK = st.text(st.sampled_from("[]sSqQzZ0123456789,;-– \nx水"), max_size=40)


def pieces(text: str, prefix: str = "S") -> tuple[str | int, ...]:
    return read_marks(text, prefix).pieces


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ()),
        ("plain", ("plain",)),
        ("[S1]", (0,)),
        ("a [S1] b", ("a ", 0, " b")),
        ("[S1][S2]", (0, 1)),
        ("[s12]", (11,)),
        ("[ S1 ]", (0,)),
        ("[S1, S3]", (0, 2)),
        ("[S1;S3]", (0, 2)),
        ("[S1,3]", (0, 2)),
        ("[S2-4]", (1, 2, 3)),
        ("[S2–S4]", (1, 2, 3)),
        ("[S1, S3-5, 9]", (0, 2, 3, 4, 8)),
        ("[S5-S3]", (4, 2)),
        ("[S3-3]", (2,)),
        ("[S0]", (-1,)),
        ("[[S1]]", ("[", 0, "]")),
        ("[S1", ("[S1",)),
        ("S1]", ("S1]",)),
        ("[S]", ("[S]",)),
        ("[S1a]", ("[S1a]",)),
        ("[Q1]", ("[Q1]",)),
        ("[SS1]", ("[SS1]",)),
        ("[ſ1]", ("[ſ1]",)),  # a long s, which is an s to a matching that ignores case
        ("[S١]", ("[S١]",)),  # an Arabic digit
        ("[S1234567890]", ("[S1234567890]",)),
        ("x[S1]\n\n[S2]。", ("x", 0, "\n\n", 1, "。")),
    ],
)
def test_reading(text: str, found: tuple[str | int, ...]) -> None:
    assert pieces(text) == found


@pytest.mark.parametrize(
    ("text", "count"), [("[S1-S64]", 64), ("[S1-S65]", 2), ("[S1-999999999]", 2)]
)
def test_a_range_too_wide_to_be_meant_names_its_ends(text: str, count: int) -> None:
    assert len(pieces(text)) == count


@given(PREFIXES, st.lists(st.one_of(JUNK.filter(bool), st.integers(-1, 2_000)), max_size=12))
def test_what_was_written_is_read(prefix: str, raw: list[str | int]) -> None:
    marked = MarkedText(tuple(raw)).renumbered(lambda index: index)  # joins neighbouring strings
    free = free_prefix([marked.plain, prefix])
    assert read_marks(write_marks(marked, free), free) == marked


@given(PREFIXES, JUNK)
def test_reading_loses_only_marks(prefix: str, text: str) -> None:
    marked = read_marks(text, prefix)
    again = read_marks(write_marks(marked, prefix), prefix)
    assert again == marked
    left = iter(text)
    assert all(char in left for char in marked.plain)


@given(st.lists(JUNK))
@example(["[S1", "[q 2,", "[Z"])
@example(["[S1]", "[q1]", "[ Z1 ]", "[SS1]"])
def test_a_free_prefix_reads_nothing_into_the_texts(texts: list[str]) -> None:
    prefix = free_prefix(texts)
    for text in texts:
        assert read_marks(text, prefix).indexes == ()


def test_the_first_free_prefix_is_taken() -> None:
    assert free_prefix([]) == "S"
    assert free_prefix(["[S1]", "[q7]"]) == "Z"
    assert free_prefix(["[S1] [Q1] [Z1]"]) == "SS"
    assert free_prefix(["[Q1]", "[SS1]"]) == "S"


def test_renumbering_drops_what_has_no_number_and_repeated_marks_of_a_run() -> None:
    marked = read_marks("a [S1][S9][S2][S1] b [S1]")
    assert marked.renumbered({0: 5, 1: 5}.get).pieces == ("a ", 5, " b ", 5)
    assert read_marks("[S9]x[S9]y").renumbered(lambda index: None).pieces == ("xy",)


def test_taking_a_mark_out_makes_no_other() -> None:
    left = read_marks("[S[S9]1]").renumbered(lambda index: None)
    assert left.pieces == ("[S1]",)
    prefix = free_prefix([left.plain])
    assert read_marks(write_marks(left, prefix), prefix) == left


def test_indexes_and_plain_text() -> None:
    marked = read_marks("b [S3] a [S1][S3].")
    assert marked.indexes == (2, 0)
    assert marked.plain == "b  a ."


@given(st.integers(-1, 10**8), PREFIXES)
def test_a_mark_reads_as_its_index(index: int, prefix: str) -> None:
    assert pieces(mark(index, prefix), prefix) == (index,)


@pytest.mark.parametrize(
    "unit", ["[S1", "[S1,", "[ ", "[S1, S2-3 ", "[S", ",1", "[S1,1]", " ]", "[s1;2;3;4;5;6;7;8;9"]
)
def test_junk_is_read_in_linear_time(unit: str) -> None:
    def run(text: str) -> None:
        read_marks("[S1" + text)
        free_prefix(["[S1" + text])

    assert_linear(run, repeating(unit), small=15_000)


def test_finding_a_free_prefix_takes_one_pass_however_many_are_taken() -> None:
    def make(characters: int) -> tuple[str, int]:
        free = math.isqrt(2 * characters // 3)  # as many lengths, of three letters each
        taken = (f"[{letter * length}1]" for length in range(1, free) for letter in "SQZ")
        return "".join(taken), free

    def run(text_and_free: tuple[str, int]) -> None:
        text, free = text_and_free
        assert free_prefix([text]) == "S" * free

    assert_linear(run, make, small=50_000)
