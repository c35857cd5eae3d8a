from __future__ import annotations

import copy
import threading
import time
from collections.abc import Iterable, Sequence

import anyio
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.blocks import NO_RESULT
from orchestrator_context.conversation.ledger import Ledger
from orchestrator_context.conversation.policy import ContextPolicy
from orchestrator_context.conversation.view import View, finalize
from orchestrator_context.exceptions import BudgetExceededError, UnknownWindowError
from orchestrator_context.messages import message_runs
from orchestrator_context.models import Budget, Segment
from orchestrator_context.policies import Chain, DropOldest, ElideMiddle, SlidingWindow, Summarize
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens import token_counter
from orchestrator_context.tokens.counter import Counter
from tests.conversation.references import (
    Pairs,
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
    O200K,
    RULES,
    TOOLS,
    WORDS,
    assistant,
    budgets,
    call,
    conversations,
    named,
    note,
    ordinary,
    result,
    system,
    user,
)
from tests.linear import assert_linear, repeating
from tests.responsive import while_others_go_on

RAISING: tuple[ContextPolicy, ...] = (
    DropOldest(),
    DropOldest(low_water=1, keep_recent=3),
    ElideMiddle(),
    ElideMiddle(keep_recent=0, low_water=0, min_characters=1),
    ElideMiddle(drops=False, truncates_newest=True, min_characters=20),
    SlidingWindow(keep_last=3),
    SlidingWindow(keep_last=2, slide=3),
    Chain(ElideMiddle(drops=False), DropOldest()),
    Chain(ElideMiddle(drops=False), DropOldest(), mode="each"),
)
RETURNING: tuple[ContextPolicy, ...] = (
    DropOldest(on_overflow="return"),
    ElideMiddle(on_overflow="return"),
    ElideMiddle(on_overflow="return", drops=False),
    SlidingWindow(keep_last=3, on_overflow="return"),
    Chain(ElideMiddle(drops=False), DropOldest(), on_overflow="return", mode="each"),
)

VIEWS = st.builds(
    View.of,
    conversations(),
    counter=st.sampled_from(COUNTERS),
    rules=st.sampled_from(RULES),
    tools=st.sampled_from(TOOLS),
)
brief = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
thorough = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def again(view: View) -> View:
    """Make the same view anew, without anything that was computed."""
    return View.of(view.segments, counter=view.counter, rules=view.rules, tools=view.tools)


@pytest.mark.parametrize("policy", RAISING, ids=repr)
@given(data=st.data(), view=VIEWS)
@thorough
def test_what_comes_back_keeps_every_promise(
    policy: ContextPolicy, data: st.DataObject, view: View
) -> None:
    budget = data.draw(budgets(view.tokens))
    before = copy.copy(view.segments)
    try:
        after = fitted(policy, view, budget)
    except BudgetExceededError as error:
        told = (error.needed, error.available)
    else:
        assert view.segments == before
        check_view(view, after, budget)
        assert after.report.fits
        return
    # A window may be larger than the whole: what it leaves apart cannot be joined any more.
    assert isinstance(policy, SlidingWindow) or not fits_really(view, budget)
    assert told[1] == (budget.available or 0)
    assert told[0] > told[1] or budget.max_bytes or budget.max_items


@pytest.mark.parametrize("policy", RETURNING, ids=repr)
@given(data=st.data(), view=VIEWS)
@thorough
def test_what_cannot_fit_comes_back_and_says_so(
    policy: ContextPolicy, data: st.DataObject, view: View
) -> None:
    budget = data.draw(budgets(view.tokens))
    check_view(view, fitted(policy, view, budget), budget)


EVERY = (*RAISING, *RETURNING)


NARROW = (Chain(SlidingWindow(2), ElideMiddle()), Chain(SlidingWindow(1), DropOldest()))


@pytest.mark.parametrize("policy", [*EVERY, *NARROW], ids=repr)
@given(data=st.data(), view=VIEWS)
@brief
def test_the_same_again_gives_the_same(
    policy: ContextPolicy, data: st.DataObject, view: View
) -> None:
    budget = data.draw(budgets(view.tokens))
    try:
        after = fitted(policy, view, budget)
    except BudgetExceededError:
        with pytest.raises(BudgetExceededError):
            fitted(policy, again(view), budget)
        return
    twin = fitted(policy, again(view), budget)
    assert (twin.segments, twin.report) == (after.segments, after.report)
    if after.report.fits:
        twice = fitted(policy, after, budget)
        assert twice.segments == after.segments
        assert (twice.report, twice.positions) == (after.report, after.positions)


@pytest.mark.parametrize(
    "policy", [one for one in EVERY if not isinstance(one, SlidingWindow)], ids=repr
)
@given(view=VIEWS, spare=st.integers(0, 2))
@brief
def test_what_fits_is_left_as_it_is(policy: ContextPolicy, view: View, spare: int) -> None:
    after = fitted(policy, view, Budget(max(1, view.tokens + spare)))
    assert all(one is other for one, other in zip(after.segments, view.segments, strict=True))
    assert after.report.complete == (after.report.orphans == 0)
    assert not after.report.changed
    assert after.report.policy == "none"


def grown(ledger: Ledger, view: View) -> View:
    """Return a view of all that an account has heard so far."""
    return View(counter=view.counter, rules=view.rules, _log=ledger, _length=len(ledger))


@pytest.mark.parametrize(
    "policy",
    [DropOldest(), DropOldest(low_water=1), ElideMiddle(min_characters=20), SlidingWindow(3)],
    ids=repr,
)
@given(view=VIEWS, room=st.integers(1, 400))
@brief
def test_a_growing_conversation_is_fitted_as_if_it_were_new(
    policy: ContextPolicy, view: View, room: int
) -> None:
    ledger = Ledger(view.counter, joins=view.rules.alternating)
    for length, segment in enumerate(view.segments, start=1):
        ledger.append(segment)
        fresh = View.of(view.segments[:length], counter=view.counter, rules=view.rules)
        assert outcome(policy, grown(ledger, view), room) == outcome(policy, fresh, room)


def outcome(policy: ContextPolicy, view: View, room: int) -> object:
    try:
        after = fitted(policy, view, Budget(room))
    except BudgetExceededError as error:
        return error.needed, str(error)
    return after.segments, after.report


def naive_drop(segments: Sequence[Segment], view: View, room: int) -> list[int] | None:
    """Drop the oldest groups one by one, up to something the user says, until it fits."""
    groups = {index: group for group in naive_groups(segments) for index in group}
    users = [at for at, one in enumerate(segments) if is_user_turn(one) and groups[at][0] == at]
    digests = [at for at, one in enumerate(segments) if one.kind in ("summary", "memory")]
    stays, tail = must_stay(segments) | required(segments), len(segments) - 1
    if set(range(segments_from(segments), len(segments))) <= stays:
        tail = segments_from(segments)
    for spared in (digests, []):
        roots = {groups[index][0] for index in (*stays, *spared)}
        for cut in range(tail + 1):
            start = next((turn for turn in users if cut <= turn <= tail), cut) if cut else 0
            kept = [at for at in groups if groups[at][0] >= start or groups[at][0] in roots]
            rest = [segments[at] for at in sorted(kept)]
            if view.counter.count_messages(finalize(View.of(rest, counter=view.counter))) <= room:
                return sorted(kept)
    return None


def segments_from(segments: Sequence[Segment]) -> int:
    """Return where the unfinished turn begins if it holds signed reasoning, else the end."""
    stays = must_stay(segments)
    start = len(segments) - 1
    while start > 0 and start - 1 in stays and not is_user_turn(segments[start]):
        start -= 1
    return start


@given(
    segment_list=conversations(min_size=1, max_size=10),
    counter=st.sampled_from(COUNTERS),
    share=st.floats(0.05, 1),
)
@thorough
def test_with_a_full_mark_no_more_is_dropped_than_must_be(
    segment_list: tuple[Segment, ...], counter: TokenCounter, share: float
) -> None:
    messages = [run[0].message for run in message_runs(segment_list) if run[0].message]
    assume(len(set(messages)) == len(messages))  # two of one id become one when they meet
    pairs = Pairs(segment_list)
    assume(not pairs.open)  # what is said of a call without a result costs something too
    stays = must_stay(segment_list) | required(segment_list)
    told = [at for at in stays if at not in pairs.orphans and segment_list[at].role != "system"]
    assume(told)  # where nothing else is left, results without a call are told, and cost something
    view = View.of(segment_list, counter=counter)
    assume(all(view.ledger.alone))  # no counter of a model counts a message as nothing
    room = max(1, int(view.tokens * share))
    expected = naive_drop(segment_list, view, room)
    try:
        after = fitted(DropOldest(low_water=1), view, Budget(room))
    except BudgetExceededError:
        assert expected is None
    else:
        kept = range(len(view)) if after.positions is None else after.positions
        assert expected is not None
        assert sent(kept, pairs) == sent(expected, pairs)


def sent(kept: Iterable[int], pairs: Pairs) -> list[int]:
    """Return what the model gets: results without a call cost nothing, so they may go or stay."""
    return [at for at in kept if at not in pairs.orphans]


@pytest.mark.parametrize("policy", [DropOldest(), ElideMiddle()], ids=repr)
@pytest.mark.parametrize("seed", range(2))
def test_the_beginning_stays_the_same_for_many_turns(policy: ContextPolicy, seed: int) -> None:
    segments = ordinary(400, seed=seed)
    ledger = Ledger(O200K)
    budget = Budget(10_000)
    last, held, over = View.of(()), 0, 0
    for segment in segments:
        ledger.append(segment)
        if not is_user_turn(segment):
            continue
        view = fitted(policy, View(counter=O200K, _log=ledger, _length=len(ledger)), budget)
        assert view.report.fits
        if view.report.changed:
            over += 1
            held += view.segments[: len(last)] == last.segments
        last = view
    assert over > 250
    assert held / over >= 0.9


@pytest.mark.parametrize("low_water", [0.0, 0.5, 0.7, 0.9, 1.0])
def test_the_mark_says_how_much_is_left(low_water: float) -> None:
    turns = [user("word " * 10, id=str(number)) for number in range(200)]
    view = View.of([system("S"), *turns], counter=WORDS)
    after = fitted(DropOldest(low_water=low_water), view, Budget(1_000))
    assert after.report.tokens >= int(1_000 * low_water) - 10
    assert after.report.fits


def test_a_long_system_prompt_does_not_leave_the_conversation_without_room() -> None:
    turns = [user("word " * 10, id=str(number)) for number in range(200)]
    view = View.of([system("rule " * 400), *turns], counter=WORDS)
    after = fitted(DropOldest(low_water=0.5), view, Budget(1_000))
    assert after.report.tokens >= 400 + 600 // 2 - 20


@pytest.mark.parametrize("policy", [DropOldest(), ElideMiddle(min_characters=20)], ids=repr)
def test_of_a_view_that_was_fitted_only_one_more_turn_is_counted(policy: ContextPolicy) -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    counter = Counter("letters", True, count)
    ledger = Ledger(counter, [system(), *(user(f"{number} " + "w " * 30) for number in range(90))])

    def fit() -> View:
        return fitted(
            policy, View(counter=counter, _log=ledger, _length=len(ledger)), Budget(2_000)
        )

    fit()
    asked.clear()
    ledger.append(user("new"))
    assert fit().segments[-1].content == "new"
    assert set(asked) == {"new"}


def breaks(policy: ContextPolicy, room: int) -> tuple[int, int]:
    """Return at how many turns of a talk of long texts the view begins otherwise, and of how many.

    The talk has a question and an answer in turn, and more of it is elided as it goes on.
    """
    ledger = Ledger(WORDS, [system("S")])
    last: tuple[Segment, ...] = ()
    broken, over = 0, 0
    for number in range(300):
        said = (assistant if number % 2 else user)(f"{number} " + "word " * (50 + number * 37 % 50))
        ledger.append(said)
        view = fitted(policy, View(counter=WORDS, _log=ledger, _length=len(ledger)), Budget(room))
        over += view.report.changed
        broken += view.segments[: len(last)] != last
        last = view.segments
    return broken, over


@pytest.mark.parametrize("room", [1_500, 4_000])
@pytest.mark.parametrize("low_water", [0.5, 0.7])
def test_shortening_breaks_the_prefix_hardly_more_often_than_dropping(
    low_water: float, room: int
) -> None:
    dropping, over = breaks(DropOldest(low_water=low_water), room)
    shortening, also_over = breaks(ElideMiddle(low_water=low_water), room)
    assert over == also_over > 200
    assert shortening <= dropping + 3


class TestOnTheLoop:
    """Long texts are counted in a thread, and the conversation may go on meanwhile."""

    @pytest.mark.anyio
    async def test_other_tasks_go_on_while_a_long_text_is_fitted(self, anyio_backend: str) -> None:
        line = "Reading {}: 12.5 bar at the pump house; valve shut. 水泵停止。\n"
        text = anyio_backend + "".join(map(line.format, range(60_000)))  # over 4 MB
        policy = ElideMiddle()
        view = View.of([system(), user("Read."), call("a"), result("a", text), user("And?")])
        after = await while_others_go_on(lambda: policy.fit(view, Budget(2_000)))
        assert after.report.fits
        assert after.report.elided.results == 1

    @pytest.mark.anyio
    async def test_what_is_said_meanwhile_is_no_part_of_the_view(self) -> None:
        counting = threading.Event()

        def slow(text: str) -> int:
            if text.startswith("last"):
                counting.set()
                time.sleep(0.2)
            return len(text)

        counter = token_counter(slow)
        ledger = Ledger(counter, [system(), user("x" * 60_000), user("last " + "y" * 50)])
        view = View(counter=counter, _log=ledger, _length=len(ledger))
        views: list[View] = []

        async def fit(view: View) -> None:
            views.append(await DropOldest().fit(view, Budget(1_000)))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(fit, view)
            await anyio.to_thread.run_sync(counting.wait)
            ledger.append(user("said meanwhile"))
            tasks.start_soon(fit, View(counter=counter, _log=ledger, _length=len(ledger)))
        contents = sorted([one.content[:4] for one in view.segments[1:]] for view in views)
        assert contents == [["last"], ["last", "said"]]

    @pytest.mark.anyio
    async def test_a_cancelled_fit_returns_while_its_thread_goes_on(self) -> None:
        begun, left = threading.Event(), threading.Event()
        ended: list[bool] = []

        def slow(text: str) -> int:
            if len(text) > 50_000:
                begun.set()
                ended.append(left.wait(60))
            return len(text)

        view = View.of([user("x" * 60_000), user("y")], counter=token_counter(slow))
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(DropOldest().fit, view, Budget(1_000))
                await anyio.to_thread.run_sync(begun.wait)
                scope.cancel()
        assert scope.cancelled_caught
        assert not ended
        left.set()


def test_any_number_of_tiny_segments_takes_linear_time() -> None:
    def make(count: int) -> View:
        turns = [user("hi") if number % 2 else assistant("ho") for number in range(count)]
        return View.of([system(), *turns, user("now")])

    def run(view: View) -> None:
        for policy in (DropOldest(), ElideMiddle(), SlidingWindow(50)):
            assert anyio.run(policy.fit, view, Budget(4_000)).report.fits

    assert_linear(run, make, small=3_000)


def test_calls_that_wait_and_notes_between_turns_take_linear_time() -> None:
    def make(count: int) -> list[Segment]:
        return [
            one
            for at in range(count)
            for one in (user("hi"), call(f"c{at}"), note("n") if at % 7 == 0 else result("?"))
        ]

    def run(turns: list[Segment]) -> None:
        budget = Budget(len(turns) // 3)
        policy = ElideMiddle(drops=False, on_overflow="return")
        after = anyio.run(policy.fit, View.of(turns, counter=WORDS), budget)
        assert not after.report.fits
        drops = DropOldest(on_overflow="return")
        after = anyio.run(drops.fit, View.of(turns, counter=WORDS), budget)
        assert after.report.dropped_count > 0

    assert_linear(run, make, small=200)


def test_texts_that_all_have_to_be_shortened_take_linear_time() -> None:
    policy = ElideMiddle(drops=False, min_characters=10_000)

    def make(count: int) -> View:
        turns = [user("word " * 60, required=None) for _ in range(count)]
        return View.of([*turns, user("now")], counter=WORDS)

    def run(view: View) -> None:
        after = anyio.run(policy.fit, view, Budget(33 * len(view.segments)))
        assert after.report.fits

    assert_linear(run, make, small=200)


def test_one_huge_segment_takes_linear_time() -> None:
    def run(text: str) -> None:
        for turns in (
            [user(text), user("now")],
            [user("old"), user("read"), call("a"), result("a", text)],
        ):
            assert anyio.run(ElideMiddle().fit, View.of(turns), Budget(1_000)).report.fits

    assert_linear(run, repeating("0f"), small=600_000)


@st.composite
def abandoned(draw: st.DrawFn) -> View:
    """Conversations with two calls in one message, of which one is answered late, one never."""
    some = conversations(max_size=4)
    calls = (call("x", message="both"), call("y", message="both"))
    went_on = (user(draw(st.text(max_size=200))), assistant(draw(st.text(max_size=200))))
    parts = (draw(some), calls, went_on, draw(some), (result("x", "late"),), draw(some))
    segments = named([segment for part in parts for segment in part])
    counter, rules = draw(st.sampled_from(COUNTERS)), draw(st.sampled_from(RULES))
    return View.of(segments, counter=counter, rules=rules)


WITH_SUMMARIES: tuple[ContextPolicy, ...] = (Summarize(keep_recent=2), Summarize(keep_recent=1))


@pytest.mark.parametrize("policy", [*EVERY, *WITH_SUMMARIES], ids=repr)
@given(data=st.data(), view=abandoned())
@brief
def test_a_call_is_sent_without_a_result_only_where_it_waited_in_the_given_view(
    policy: ContextPolicy, data: st.DataObject, view: View
) -> None:
    budget = data.draw(budgets(view.tokens))
    try:
        after = run(policy, view, budget)
    except (BudgetExceededError, UnknownWindowError):
        return
    given_pairs, sent = Pairs(view.segments), Pairs(after.messages)
    dead = given_pairs.dead(view.segments)
    waiting = {view.segments[index].id for index in set(given_pairs.open) - set(dead)}
    assert {after.messages[index].id for index in sent.open} <= waiting
    assert after.report.dead == len(dead) > 0
    if after.report.fits:
        twice = run(policy, after, budget)
        assert (twice.segments, twice.messages) == (after.segments, after.messages)
        assert (twice.report, twice.positions) == (after.report, after.positions)


def run(policy: ContextPolicy, view: View, budget: Budget) -> View:
    async def fit() -> View:
        return await policy.fit(view, budget)

    return anyio.run(fit)


@pytest.mark.parametrize(
    "policy",
    [SlidingWindow(2), Summarize(keep_recent=2), Chain(Summarize(keep_recent=2))],
    ids=repr,
)
def test_a_dead_call_beside_an_answered_one_is_told_to_have_no_result(
    policy: ContextPolicy,
) -> None:
    calls = [call("1", message="m"), call("2", message="m")]
    went_on = [user("u1 " * 50), assistant("a1 " * 50)]
    view = View.of([*calls, *went_on, result("1", "late"), user("u3")])
    after = run(policy, view, Budget(120))
    sent = [one for one in finalize(after) if one.kind != "summary"]
    assert [(one.content, one.call_id) for one in sent] == [
        ("{}", "1"),
        ("{}", "2"),
        ("late", "1"),
        (NO_RESULT, "2"),
        ("u3", ""),
    ]
    assert (after.report.dead, after.report.pending) == (1, 0)
