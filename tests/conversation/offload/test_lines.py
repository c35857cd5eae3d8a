"""Ranges of lines: read as they are written, and exact to the character."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from orchestrator_context.conversation.offload import LineRange
from orchestrator_context.conversation.offload.lines import line_count, line_start, lines_of
from orchestrator_context.exceptions import ConfigurationError
from tests.linear import assert_linear, repeating

TEXT = st.lists(st.sampled_from(["a", "bc", "\n", "\r\n", "\r", "水", "\u2028", "\ud800"])).map(
    "".join
)
NUMBER = st.integers(1, 10**11)


def kept_lines(text: str) -> list[str]:
    """Return the lines with their breaks; only LF ends one."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("10-40", LineRange(10, 40)),
        (" 10 – 40\n", LineRange(10, 40)),
        ("7", LineRange(7, 7)),
        ("7-7", LineRange(7, 7)),
        ("7-", LineRange(7, None)),
        ("12.401-12", LineRange(12, 12, 401)),
        ("12.401", LineRange(12, 12, 401)),
        ("12.401-14.80", LineRange(12, 14, 401, 80)),
        ((10, 40), LineRange(10, 40)),
    ],
)
def test_what_is_read(written: object, wanted: LineRange) -> None:
    assert LineRange.parsed(written) == wanted


@pytest.mark.parametrize(
    "written",
    [
        "", "0", "0-4", "5-3", "a", "1,2", "-4", "1-2-3", "1.0", "1.9-1.3", "1-2.0", "١-٢", "1e3",
        "9" * 13, "x" * 10_000, 5, 1.5, [1, 2], (1,), (1, 2, 3), (0, 4), (4, 2), ("1", "2"),
        (True, 2), None,
    ],
)  # fmt: skip
def test_what_is_no_range(written: object) -> None:
    with pytest.raises(ConfigurationError, match="lines must be") as caught:
        LineRange.parsed(written)
    assert len(str(caught.value)) < 250


@given(NUMBER, NUMBER, NUMBER, st.none() | NUMBER, st.booleans())
def test_what_is_written_is_read(
    first: int, more: int, column: int, last_column: int | None, endless: bool
) -> None:
    last = None if endless else min(first + more, 10**12 - 1)
    written = LineRange(first, last, column, None if endless else last_column)
    assert LineRange.parsed(str(written)) == written


@given(TEXT, st.data())
def test_ranges_are_exactly_these_lines(text: str, data: st.DataObject) -> None:
    lines = kept_lines(text)
    assert line_count(text) == len(lines)
    if not lines:
        return
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines) + 2))
    start, end = LineRange(first, last).span_in(text)
    assert text[start:end] == "".join(lines[first - 1 : last])


@given(TEXT.filter(bool), st.data())
@example("a\nbc\n", None)
def test_a_span_and_its_lines_are_the_same(text: str, data: st.DataObject | None) -> None:
    start = data.draw(st.integers(0, len(text) - 1)) if data else 1
    end = data.draw(st.integers(start + 1, len(text))) if data else 4
    assert lines_of(text, (start, end)).span_in(text) == (start, end)


@pytest.mark.parametrize(
    ("lines", "told"), [("3", "has 2 lines"), ("2.4", "2 has 3 characters"), ("9-", '"1-2"')]
)
def test_what_is_not_there_is_named(lines: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        LineRange.parsed(lines).span_in("a\nbcd")


def test_an_empty_content_has_no_line() -> None:
    with pytest.raises(ConfigurationError, match="it is empty"):
        LineRange.parsed("1").span_in("")


def test_the_start_of_a_line_is_found_in_linear_time() -> None:
    def run(text: str) -> None:
        assert line_start(text, len(text) - 1) == len(text) - 2

    assert_linear(run, repeating("\n"), small=1_000_000)
