"""What people report of trimming in the wild: each of these went wrong somewhere."""

from __future__ import annotations

import threading

import anyio
import pytest
from anyio import to_thread

from orchestrator_context.conversation.formats import from_openai_chat
from orchestrator_context.conversation.grouping import group
from orchestrator_context.conversation.ledger import Ledger
from orchestrator_context.conversation.policy import ContextPolicy
from orchestrator_context.conversation.view import View, finalize
from orchestrator_context.exceptions import BudgetExceededError
from orchestrator_context.models import Budget, Media, Segment
from orchestrator_context.policies import Chain, DropOldest, ElideMiddle, SlidingWindow, Strict
from tests.conversation.references import Pairs
from tests.conversation.strategies import (
    O200K,
    PER_MESSAGE,
    WORDS,
    Words,
    assistant,
    call,
    named,
    ordinary,
    reasoning,
    result,
    system,
    user,
)

pytestmark = pytest.mark.anyio
POLICIES: tuple[ContextPolicy, ...] = (
    DropOldest(),
    ElideMiddle(),
    SlidingWindow(keep_last=3),
    Chain(ElideMiddle(drops=False), DropOldest(), mode="each"),
)
every = pytest.mark.parametrize("policy", POLICIES, ids=lambda one: str(one.kind))


async def fit(policy: ContextPolicy, segments: list[Segment], room: int) -> View:
    return await policy.fit(View.of(segments, counter=WORDS), Budget(room))


def loop(calls: int, words: int = 10) -> list[Segment]:
    """A task and a long run of calls: nobody says anything in between."""
    turns = [one for at in range(calls) for one in (call(f"c{at}"), result(f"c{at}", "w " * words))]
    return [system("S"), user("the task"), *turns]


@every
async def test_a_result_is_never_sent_without_its_call(policy: ContextPolicy) -> None:
    for room in range(14, 200, 7):
        after = await fit(policy, loop(20), room)
        assert not Pairs(after.segments).orphans
        assert Pairs(after.segments).open == []


@every
async def test_of_several_results_at_the_cut_none_is_kept_alone(policy: ContextPolicy) -> None:
    calls = [call(name, message="m") for name in "abc"]
    history = [
        system("S"),
        user("q"),
        *calls,
        *[result(name, "w " * 9) for name in "bca"],
        user("n"),
    ]
    for room in range(4, 60):
        kept = (await fit(policy, history, room)).segments
        assert sum(one.kind == "tool_result" for one in kept) in (0, 3)


@every
async def test_the_task_and_the_system_prompt_survive_a_run_of_calls(policy: ContextPolicy) -> None:
    after = await fit(policy, loop(50), 60)
    assert [one.content for one in after.segments[:2]] == ["S", "the task"]
    assert after.segments[-1].call_id == "c49"


@every
async def test_a_history_of_calls_alone_can_be_trimmed(policy: ContextPolicy) -> None:
    after = await fit(policy, loop(50)[2:], 60)
    assert 0 < len(after) < 100
    assert after.report.fits


@every
async def test_one_message_that_is_too_long_never_leaves_an_empty_request(
    policy: ContextPolicy,
) -> None:
    with pytest.raises(BudgetExceededError) as caught:
        await fit(policy, [system("S"), user("word " * 100)], 50)
    assert (caught.value.needed, caught.value.available) == (101, 50)


@every
async def test_the_newest_group_that_is_alone_too_much_is_not_excluded(
    policy: ContextPolicy,
) -> None:
    history = [system("S"), user("q"), call("a"), result("a", "w " * 300, locked=True)]
    with pytest.raises(BudgetExceededError) as caught:
        await fit(policy, history, 100)
    assert caught.value.needed == 303


async def test_a_budget_that_is_smaller_than_the_framing_is_one_clear_error() -> None:
    history = [system("rule " * 500), *[user("old " * 50)] * 10, user("ask " * 300)]
    for policy in (*POLICIES, Strict()):
        with pytest.raises(BudgetExceededError) as caught:
            await fit(policy, history, 400)
        assert caught.value.available == 400
        if not isinstance(policy, Strict):
            assert caught.value.needed == 800


@every
async def test_results_are_not_exempt_from_the_budget(policy: ContextPolicy) -> None:
    after = await fit(policy, [*loop(8, words=60), user("now")], 80)
    assert WORDS.count_messages(finalize(after)) <= 80


async def test_parts_and_pictures_are_trimmed_like_all_else() -> None:
    url = "data:image/png;base64," + "A" * 100_000
    picture = {"type": "image_url", "image_url": {"url": url}}
    parts = [{"type": "text", "text": "word " * 50}, picture]
    history = from_openai_chat([{"role": "user", "content": parts}] * 4)
    view = View.of(history)
    assert view.tokens < 10_000  # not the length of the base64 text
    after = await DropOldest().fit(view, Budget(view.tokens // 2))
    assert after.report.fits
    assert [one.kind for one in after.segments[:2]] == [one.kind for one in history[:2]]


async def test_a_part_of_an_unknown_kind_is_counted_and_no_reason_to_fail() -> None:
    odd = {"role": "user", "content": [{"type": "hologram", "cells": ["x" * 90]}]}
    history = from_openai_chat([odd, {"role": "user", "content": "now"}])
    after = await DropOldest().fit(View.of(history), Budget(20))
    assert [one.content for one in after.segments] == ["now"]


async def test_arguments_and_schemas_are_counted() -> None:
    history = [user("q"), call("a", "w " * 5_000), result("a"), user("now")]
    after = await fit(DropOldest(), history, 100)
    assert [one.content for one in after.segments] == ["now"]
    tools = [{"name": "get", "description": "word " * 300}]
    view = View.of([user("now")], tools=tools)
    with pytest.raises(BudgetExceededError):
        await DropOldest().fit(view, Budget(200))


@every
async def test_a_call_that_waits_for_the_user_is_never_lost(policy: ContextPolicy) -> None:
    history = [system("S"), user("q"), call("w", "approve"), *[user("w " * 9) for _ in range(20)]]
    after = await fit(policy, history, 40)
    assert any(one.call_id == "w" for one in after.segments)
    assert after.report.pending == 1


@every
async def test_a_call_that_was_never_answered_does_not_block_anything(
    policy: ContextPolicy,
) -> None:
    history = [system("S"), user("q"), call("dead"), *ordinary(20, words=4)[1:], user("now")]
    after = await fit(policy, history, 60)
    assert after.report.fits
    assert after.report.dead == 1
    assert not any(one.call_id == "dead" for one in finalize(after))
    view = View.of(history[:6], counter=WORDS)
    sent = finalize(await Strict().fit(view, Budget(1_000)))
    assert not group(sent).dead
    assert not group(sent).pending


@every
async def test_the_final_result_of_a_long_call_is_no_orphan(policy: ContextPolicy) -> None:
    history = [user("q"), call("l"), result("l", "started"), *[user("w " * 9) for _ in range(20)]]
    after = await fit(policy, [*history, result("l", "done")], 60)
    kept = [one.content for one in after.segments if one.call_id == "l"]
    assert kept == ["{}", "started", "done"]


@every
async def test_ids_may_be_empty_or_used_again(policy: ContextPolicy) -> None:
    for name in ("", "same"):
        turns = [one for _ in range(20) for one in (call(name), result(name, "w " * 9))]
        after = await fit(policy, [system("S"), user("q"), *turns, user("now")], 60)
        calls = Pairs(after.segments)
        assert not calls.orphans
        assert not calls.open


@every
async def test_signed_reasoning_of_the_unfinished_turn_is_sent_as_it_was(
    policy: ContextPolicy,
) -> None:
    turn = [
        user("q"),
        reasoning("t1"),
        call("a"),
        result("a"),
        reasoning("t2"),
        call("b"),
        result("b"),
    ]
    history = named([system("S"), *[user("w " * 9) for _ in range(20)], *turn])
    after = await fit(policy, list(history), 40)
    assert after.segments[-len(turn) :] == history[-len(turn) :]


async def test_what_is_left_begins_with_the_user() -> None:
    history = [one for at in range(20) for one in (user(f"q{at} w w"), assistant("a w w"))]
    for policy in (DropOldest(), DropOldest(low_water=1), ElideMiddle()):
        for room in range(3, 110):
            after = await fit(policy, [system("S"), *history, user("now")], room)
            assert after.segments[1].role == "user"


async def test_no_request_is_fitted_again_and_again() -> None:
    ledger = Ledger(WORDS, [system("S")])
    budget, cuts, over = Budget(400), 0, 0
    gone = 0
    for _ in range(300):
        ledger.append(user("w " * 10))
        view = await DropOldest().fit(View(counter=WORDS, _log=ledger, _length=len(ledger)), budget)
        over += view.report.changed
        cuts += view.report.dropped_count != gone
        gone = view.report.dropped_count
    assert over > 200
    assert cuts < over / 8
    again = await DropOldest().fit(view, budget)
    assert again.segments == view.segments


async def test_one_huge_result_does_not_overflow_a_window_of_few_turns() -> None:
    history = [user("q"), call("a"), result("a", "w " * 5_000), assistant("read"), user("now")]
    after = await fit(SlidingWindow(keep_last=10), history, 100)
    assert [one.content for one in after.segments] == ["now"]
    cheap = await fit(Chain(ElideMiddle(keep_recent=1), SlidingWindow()), history, 500)
    assert len(cheap) == len(history)


async def test_shortened_results_are_really_short() -> None:
    text = "reading 12.5 bar at noon; " * 400
    history = [user("q"), call("a"), result("a", text), user("now")]
    after = await ElideMiddle(keep_recent=1).fit(View.of(history), Budget(1_500))
    assert len(after.segments[2].content) < len(text) / 10
    assert str(len(text) - 600) in after.segments[2].content


async def test_the_cheapest_loss_comes_first_and_stops_as_soon_as_it_fits() -> None:
    history = [user("q"), call("a"), result("a", "w " * 400), user("old " * 400), user("now")]
    chain = Chain(ElideMiddle(drops=False, keep_recent=1, low_water=1), DropOldest())
    after = await fit(chain, history, 600)
    assert (after.report.elided.results, after.report.elided.texts) == (1, 0)
    assert after.report.dropped_count == 0


async def test_the_output_is_part_of_the_window() -> None:
    view = View.of([*[user("w " * 10) for _ in range(20)], user("now")], counter=WORDS)
    after = await DropOldest().fit(view, Budget(150, output_reserve=90, headroom=10))
    assert WORDS.count_messages(after.segments) <= 50


async def test_each_participant_has_a_window_of_its_own() -> None:
    segments = [*[user("word " * 10) for _ in range(20)], user("now")]
    small = await DropOldest().fit(View.of(segments, counter=WORDS), Budget(50))
    large = await DropOldest().fit(View.of(segments, counter=O200K), Budget(150))
    assert 0 < len(small) < len(large) < len(segments)


async def test_the_history_itself_is_never_touched() -> None:
    segments = [*loop(20), user("now")]
    before = list(segments)
    view = View.of(segments, counter=WORDS)
    for policy in POLICIES:
        after = await policy.fit(view, Budget(50))
        assert len(after) < len(view)
    assert segments == before
    assert view.segments == tuple(before)


async def test_every_turn_is_counted_once_however_long_the_talk() -> None:
    counted: list[int] = []

    class Counting(Words):
        def count(self, text: str) -> int:
            counted.append(1)
            return super().count(text)

    costs = []
    for turns in (100, 200):
        counted.clear()
        counter = Counting()
        ledger = Ledger(counter, [system("S")])
        for _ in range(turns):
            ledger.append(user("w " * 10))
            view = View(counter=counter, _log=ledger, _length=len(ledger))
            await DropOldest().fit(view, Budget(100))
        costs.append(len(counted))
    assert costs[1] < 2.5 * costs[0]


async def test_a_slow_counter_does_not_hold_up_the_loop() -> None:
    begun, seen = threading.Event(), threading.Event()

    class Slow(Words):
        def count(self, text: str) -> int:
            if len(text) > 50_000:
                begun.set()
                assert seen.wait(60)  # until another task has had a turn, which the loop gives it
            return super().count(text)

    async def look() -> None:
        await to_thread.run_sync(begun.wait)
        seen.set()

    view = View.of([user("w " * 30_000), user("now")], counter=Slow())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(look)
        await DropOldest().fit(view, Budget(10))


async def test_an_image_costs_what_an_image_costs() -> None:
    image = Media("image", width=512, height=512, data="A" * 100_000)
    view = View.of([user("look", media=(image,)), user("now")])
    assert view.tokens < 400
    assert (await Strict().fit(view, Budget(400))).report.fits


@every
async def test_absurd_budgets_end_in_an_error_and_not_in_a_loop(policy: ContextPolicy) -> None:
    history = [*loop(10), user("now then")]
    for counter in (WORDS, PER_MESSAGE, O200K):
        with pytest.raises(BudgetExceededError):
            await policy.fit(View.of(history, counter=counter), Budget(1))
