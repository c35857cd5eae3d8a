from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.templates import TemplateRules
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import BudgetExceededError, ConfigurationError
from orchestrator_context.models import Budget, Segment
from orchestrator_context.policies import SlidingWindow
from orchestrator_context.protocols import TokenCounter
from tests.conversation.references import (
    check_view,
    fits_really,
    fitted,
    is_user_turn,
    must_stay,
    naive_groups,
    required,
)
from tests.conversation.strategies import (
    COUNTERS,
    PER_MESSAGE,
    RULES,
    TOOLS,
    WORDS,
    assistant,
    call,
    conversations,
    named,
    note,
    ordinary,
    reasoning,
    result,
    system,
    user,
)

ROOM = Budget(1_000_000)


@given(conversations(max_size=20), st.integers(1, 8), st.integers(1, 4))
@settings(deadline=None)
def test_it_holds_the_last_turns_and_what_has_to_stay(
    segments: tuple[Segment, ...], keep_last: int, slide: int
) -> None:
    view = View.of(segments, counter=WORDS)
    after = fitted(SlidingWindow(keep_last=keep_last, slide=slide), view, ROOM)
    check_view(view, after, ROOM)
    kept = range(len(view)) if after.positions is None else after.positions
    turns = [one for one in naive_groups(segments) if not required(segments) & set(one)]
    stay = [one for one in turns if must_stay(segments) & set(one)]
    held = [one for one in turns if set(one) <= set(kept)]
    out = -(-max(0, len(turns) - keep_last) // slide) * slide
    places = max(0, len(turns) - out - len(stay))
    newest = sorted((one for one in turns if one not in stay), key=lambda one: one[-1])
    window = newest[len(newest) - places :]
    others = [one for one in held if one not in stay]
    opens = [one for one in others if one not in window]
    assert len(others) <= places
    assert all(is_user_turn(segments[one[0]]) for one in opens)
    assert not opens or (len(opens) == 1 and len(others) == places)
    inside = sorted((one for one in others if one in window), key=lambda one: one[0])
    if not opens and out:
        assert inside == sorted(window, key=lambda one: one[0])[len(window) - len(inside) :]
        assert inside == sorted(window) or not inside or is_user_turn(segments[inside[0][0]])
    assert out or len(others) == places
    assert fitted(SlidingWindow(keep_last, slide), after, ROOM).segments == after.segments


def talk(*said: str) -> tuple[Segment, ...]:
    """Return what was said: by the user where it begins with q, else by the model."""
    return named([user(one) if one[0] == "q" else assistant(one) for one in said])


@given(st.lists(st.sampled_from("qa"), max_size=30), st.integers(1, 9), st.integers(1, 4))
@settings(deadline=None)
def test_what_is_left_of_a_talk_begins_with_a_user_turn(
    sides: list[str], keep_last: int, slide: int
) -> None:
    segments = talk("q", *sides)
    after = fitted(SlidingWindow(keep_last, slide), View.of(segments), ROOM)
    assert after.segments[0].role == "user"
    assert len(after) <= max(keep_last, 2)
    assert fitted(SlidingWindow(keep_last, slide), after, ROOM).segments == after.segments


@pytest.mark.parametrize(
    ("keep_last", "left"), [(2, "q4"), (3, "q3 a3 q4"), (4, "q3 a3 q4"), (6, "q2 a2 q3 a3 q4")]
)
def test_an_answer_goes_with_the_question_it_answered(keep_last: int, left: str) -> None:
    segments = talk(*"q1 a1 q2 a2 q3 a3 q4".split())
    after = fitted(SlidingWindow(keep_last), View.of(segments), ROOM)
    assert [one.content for one in after.segments] == left.split()


def test_a_long_run_of_calls_keeps_its_task_when_the_user_speaks_again() -> None:
    calls = [one for at in range(9) for one in (call(f"c{at}"), result(f"c{at}", str(at)))]
    run = [user("old"), assistant("old"), user("task"), *calls]
    after = fitted(SlidingWindow(keep_last=3), View.of(named([*run, user("now")])), ROOM)
    assert [one.content for one in after.segments] == ["task", "{}", "8", "now"]


def test_signed_reasoning_with_its_call_does_not_begin_a_window() -> None:
    thought = [reasoning("", signed=True), call("a"), result("a"), assistant("done")]
    segments = named([user("q1"), *thought, user("q2"), assistant("a2"), user("q3")])
    after = fitted(SlidingWindow(keep_last=5), View.of(segments), ROOM)
    assert [one.content for one in after.segments] == ["q2", "a2", "q3"]


def test_a_talk_that_the_participant_opened_may_begin_with_it() -> None:
    segments = talk("a0", "a1", "q1", "a2", "q2")
    after = fitted(SlidingWindow(keep_last=4), View.of(segments), ROOM)
    assert [one.content for one in after.segments] == ["a1", "q1", "a2", "q2"]


@given(conversations(max_size=20), st.integers(1, 8), st.integers(1, 4))
@settings(deadline=None)
def test_without_framing_the_rest_is_the_same(
    segments: tuple[Segment, ...], keep_last: int, slide: int
) -> None:
    view = View.of(segments, counter=WORDS)
    kept = fitted(SlidingWindow(keep_last, slide), view, ROOM).segments
    bare = fitted(SlidingWindow(keep_last, slide, keep_framing=False), view, ROOM)
    assert {one.id for one in bare.segments} <= {one.id for one in kept}
    gone = [one for one in kept if one not in bare.segments]
    assert all(one.is_required and one.required is None for one in gone)
    assert bool(bare.segments) == bool(segments)
    assert len(bare.segments) == len(kept) or any(not one.is_required for one in bare.segments)
    check_view(view, bare, ROOM, framing=False)


def test_the_window_holds_exactly_so_many_turns_however_small_they_are() -> None:
    segments = [system("S"), *[user(str(at)) for at in range(9)]]
    after = fitted(SlidingWindow(keep_last=4), View.of(segments), ROOM)
    assert [one.content for one in after.segments] == ["S", "5", "6", "7", "8"]
    assert after.report.summary().startswith("sliding_window: 5 of 10 segments")
    few = fitted(SlidingWindow(keep_last=9), View.of(segments), ROOM)
    assert few.segments == tuple(segments)
    assert not few.report.changed


def test_framing_stays_where_it_stood_and_goes_where_that_is_asked_for() -> None:
    segments = [system("S"), user("1"), note("N"), user("2"), user("3")]
    after = fitted(SlidingWindow(keep_last=1), View.of(segments), ROOM)
    assert [one.content for one in after.segments] == ["S", "N", "3"]
    bare = fitted(SlidingWindow(keep_last=2, keep_framing=False), View.of(segments), ROOM)
    assert [one.content for one in bare.segments] == ["2", "3"]
    only = View.of([system("S"), note("N")])
    assert len(fitted(SlidingWindow(keep_framing=False), only, ROOM)) == 2


@pytest.mark.parametrize("keep_last", [1, 2, 20])
def test_a_note_that_is_to_be_answered_stays_without_framing(keep_last: int) -> None:
    segments = [system("S"), note("begin"), user("1"), assistant("2"), user("3"), note("vote now")]
    policy = SlidingWindow(keep_last, keep_framing=False)
    after = fitted(policy, View.of(segments), ROOM)
    assert after.segments[-1].content == "vote now"
    assert not {"S", "begin"} & {one.content for one in after.segments}


def test_the_task_stays_in_a_long_run_of_calls() -> None:
    calls = [one for at in range(9) for one in (call(f"c{at}"), result(f"c{at}", str(at)))]
    segments = named([user("old"), assistant("old"), user("task"), *calls])
    after = fitted(SlidingWindow(keep_last=3), View.of(segments, counter=PER_MESSAGE), ROOM)
    assert [one.content for one in after.segments] == ["task", "{}", "7", "{}", "8"]


def test_a_late_result_brings_its_call_back() -> None:
    segments = [user("q"), call("a"), result("a", "started"), *[user(str(at)) for at in range(9)]]
    after = fitted(SlidingWindow(keep_last=2), View.of([*segments, result("a", "done")]), ROOM)
    assert [one.content for one in after.segments] == ["{}", "started", "8", "done"]


def test_the_budget_holds_all_the_same() -> None:
    segments = [system("S"), *[user("word " * 10) for _ in range(9)]]
    view = View.of(segments, counter=WORDS)
    after = fitted(SlidingWindow(keep_last=5), view, Budget(35))
    assert after.report.tokens == 31
    assert after.report.dropped == ((1, 7),)
    with pytest.raises(BudgetExceededError):
        fitted(SlidingWindow(keep_last=5), view, Budget(10))
    over = fitted(SlidingWindow(keep_last=5, on_overflow="return"), view, Budget(10))
    assert (over.report.fits, over.report.tokens) == (False, 11)


@given(
    conversations(max_size=10),
    st.sampled_from(COUNTERS),
    st.sampled_from(RULES),
    st.sampled_from(TOOLS),
    st.builds(SlidingWindow, st.integers(1, 6), st.integers(1, 3), st.booleans()),
)
@settings(deadline=None)
def test_what_fits_as_a_whole_is_never_refused(
    segments: tuple[Segment, ...],
    counter: TokenCounter,
    rules: TemplateRules,
    tools: tuple[Mapping[str, object], ...],
    policy: SlidingWindow,
) -> None:
    view = View.of(segments, counter=counter, rules=rules, tools=tools)
    budget = Budget(max(1, view.tokens))
    if fits_really(view, budget):
        assert fits_really(fitted(policy, view, budget), budget)


def test_where_fewer_turns_cost_more_the_whole_view_stays() -> None:
    """The result has no call, so nobody is sent it; without the note an empty request is left."""
    segments = named([note("N"), result("a", "late"), result("a", "late")])
    view = View.of(segments)
    policy = SlidingWindow(keep_last=1, keep_framing=False)
    after = fitted(policy, view, Budget(view.tokens))
    assert after.segments == segments
    with pytest.raises(BudgetExceededError):
        fitted(policy, view, Budget(view.tokens - 1))


def test_a_dead_call_does_not_keep_more_turns_than_were_asked_for() -> None:
    calls = [call("1", message="m"), call("2", message="m")]
    late = result("1", "late " * 30)
    turns = [user("u1"), assistant("a1"), user("u2"), late, user("u3")]
    view = View.of([system("sys"), *calls, *turns])
    policy, budget = SlidingWindow(2, keep_framing=False), Budget(60)
    after = fitted(policy, view, budget)
    assert [one.content for one in after.segments] == ["u3"]
    assert (after.report.dead, after.report.pending) == (1, 0)
    assert fitted(policy, after, budget).segments == after.segments


@given(
    conversations(max_size=12),
    st.sampled_from(COUNTERS),
    st.sampled_from(RULES),
    st.builds(SlidingWindow, st.integers(1, 4), st.integers(1, 3), st.booleans()),
    st.floats(0.1, 1.2),
)
@settings(deadline=None)
def test_a_view_that_has_to_shrink_holds_no_more_turns_than_asked_for(
    segments: tuple[Segment, ...],
    counter: TokenCounter,
    rules: TemplateRules,
    policy: SlidingWindow,
    share: float,
) -> None:
    view = View.of(segments, counter=counter, rules=rules)
    budget = Budget(max(1, int(view.tokens * share)))
    try:
        after = fitted(policy, view, budget)
    except BudgetExceededError:
        return
    assert fitted(policy, after, budget).segments == after.segments
    kept = set(range(len(view)) if after.positions is None else after.positions)
    turns = [one for one in naive_groups(segments) if not required(segments) & set(one)]
    stay = [one for one in turns if must_stay(segments) & set(one)]
    held = [one for one in turns if set(one) <= kept]
    whole = len(kept) == len(view) and fits_really(view, budget)
    assert len(held) <= max(policy.keep_last, len(stay)) or whole


def test_a_window_that_slides_seldom_keeps_its_beginning() -> None:
    segments = ordinary(60, words=6)
    last, held, count = View.of(()), 0, 0
    for length in range(40, len(segments)):
        view = View.of(segments[:length], counter=WORDS)
        after = fitted(SlidingWindow(keep_last=20, slide=10), view, ROOM)
        held += after.segments[: len(last)] == last.segments
        count += 1
        last = after
    assert held / count > 0.85


@pytest.mark.parametrize(
    ("field", "value"),
    [("keep_last", 0), ("keep_last", -2), ("keep_last", "3"), ("slide", 0), ("keep_framing", 1)],
)
def test_a_setting_that_cannot_be_used_is_named(field: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=f"SlidingWindow.{field}"):
        SlidingWindow(**{field: value})  # type: ignore[arg-type]
