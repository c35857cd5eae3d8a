from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.conversation.report import (
    Elisions,
    Span,
    ViewReport,
    gaps,
    united,
    without,
)
from orchestrator_context.conversation.view import View
from orchestrator_context.models import Budget, Segment
from orchestrator_context.policies import DropOldest, Strict
from tests.conversation.references import fitted, indices
from tests.linear import assert_linear

SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6))).map(
    lambda pairs: [(start, start + length) for start, length in pairs if length]
)


@given(st.sets(st.integers(0, 20)), st.integers(21, 30))
def test_gaps_are_what_is_left_out(positions: set[int], length: int) -> None:
    found = gaps(tuple(sorted(positions)), length)
    assert indices(found) == sorted(set(range(length)) - positions)


@given(SPANS, SPANS)
def test_spans_are_sets_of_places(one: list[Span], other: list[Span]) -> None:
    whole, taken = united(one), united(other)
    assert indices(whole) == sorted(set(indices(one)))
    assert all(before[1] < after[0] for before, after in pairwise(whole))
    assert indices(without(whole, taken)) == sorted(set(indices(one)) - set(indices(other)))


def test_many_spans_take_linear_time() -> None:
    def make(count: int) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        starts = range(0, 10 * count, 10)
        return tuple((at, at + 5) for at in starts), tuple((at + 1, at + 2) for at in starts)

    def run(given: tuple[tuple[Span, ...], tuple[Span, ...]]) -> None:
        spans, taken = given
        assert len(without(spans, taken)) == 2 * len(spans)

    assert_linear(run, make, small=5_000)


REPORT = ViewReport(
    policy="elide_middle",
    original_segments=60,
    segments=40,
    original_tokens=9_000,
    tokens=7_000,
    budget=Budget(8_000),
    dropped=((1, 11), (20, 30)),
    elided=Elisions(3, 1, 2),
    pending=1,
    failures=("TimeoutError",),
)


def test_a_report_says_all_in_one_line() -> None:
    assert REPORT.summary() == (
        "elide_middle: 40 of 60 segments, 7000 of 8000 tokens, 20 dropped, 6 elided, "
        "1 pending call, FAILED TimeoutError"
    )
    assert ViewReport(over=True, exact=False).summary() == (
        "none: 0 of 0 segments, 0 of unknown tokens (estimated), OVER its budget"
    )


def test_a_report_is_data() -> None:
    data = json.loads(json.dumps(REPORT.metadata()))
    assert data["dropped"] == [[1, 11], [20, 30]]
    assert (data["dropped_count"], data["saved_tokens"]) == (20, 2_000)
    assert (data["fits"], data["changed"], data["complete"]) == (True, True, False)
    event = REPORT.event()
    assert (event.strategy, event.candidates, event.selected) == ("elide_middle", 60, 40)
    assert (event.tokens, event.max_tokens, event.complete) == (7_000, 8_000, False)


def test_elisions_add_up() -> None:
    kinds = ["tool_result", "turn", "tool_call", "document", "tool_result"]
    assert Elisions.of(kinds) == Elisions(2, 1, 2)
    assert (Elisions(1, 2, 3) + Elisions(1, 1, 1)).total == 9


def test_segments_are_those_of_the_view_whether_they_are_sent_or_not() -> None:
    orphan = Segment("42", "tool", "tool_result", call_id="gone")
    call = Segment("{}", "assistant", "tool_call", title="search", call_id="waits")
    said = [orphan, call, *[Segment("word " * 20)] * 9]
    view = View.of(said)
    report = fitted(DropOldest(low_water=1), view, Budget(view.tokens - 1)).report
    assert (report.original_segments, report.segments, report.dropped_count) == (11, 9, 2)
    report = fitted(Strict(), view, Budget(view.tokens)).report
    assert (report.original_segments, report.segments, report.orphans) == (11, 11, 1)
    assert len(view.messages) == 11  # without the orphan, with what is put in for the call


def test_what_is_offloaded_is_not_lost() -> None:
    assert ViewReport(offloaded=2).complete
    assert ViewReport(offloaded=2).changed
    assert not ViewReport(summarised=((0, 2),)).complete
