from __future__ import annotations

import pytest

from orchestrator_context.conversation.formats import from_anthropic
from orchestrator_context.conversation.view import View, finalize
from orchestrator_context.exceptions import BudgetExceededError, ConfigurationError
from orchestrator_context.models import Budget, Segment
from orchestrator_context.policies import DropOldest
from tests.conversation.strategies import (
    PER_MESSAGE,
    WORDS,
    assistant,
    call,
    named,
    note,
    reasoning,
    result,
    system,
    user,
)

pytestmark = pytest.mark.anyio


async def left(segments: list[Segment], room: int, **settings: object) -> list[str]:
    policy = DropOldest(**settings)  # type: ignore[arg-type]
    after = await policy.fit(View.of(segments, counter=PER_MESSAGE), Budget(room))
    assert PER_MESSAGE.count_messages(finalize(after)) <= room
    return [one.content for one in after.segments]


async def test_what_is_left_begins_with_a_user_turn() -> None:
    history = [
        system("system"),
        user("u1"),
        call("a"),
        result("a"),
        assistant("t1"),
        user("u2"),
        assistant("t2"),
        user("u3"),
    ]
    for low_water in (0.7, 1.0):
        for room in (4, 5, 6, 7):
            kept = await left(history, room, low_water=low_water)
            assert kept == ["system", "u2", "t2", "u3"]
    assert await left(history, 3) == ["system", "u3"]
    assert len(await left(history, 8)) == 8


async def test_a_call_goes_with_all_its_results() -> None:
    history = [
        system("system"),
        user("u1"),
        *[call(name, message="m") for name in "abc"],
        *[result(name, name) for name in "abc"],
        assistant("t1"),
        user("u2"),
    ]
    assert await left(history, 5) == ["system", "u2"]
    whole = await left(history, 8)
    assert whole == [one.content for one in history]


async def test_blocks_of_calls_and_results_leave_together_and_what_the_user_said_stays() -> None:
    history = from_anthropic(
        [
            {"role": "user", "content": "check station 3"},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "looking"},
                    {"type": "tool_use", "id": "t1", "name": "get", "input": {}},
                    {"type": "tool_use", "id": "t2", "name": "get", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": "1.5 bar"},
                    {"type": "tool_result", "tool_use_id": "t2", "content": "2.5 bar"},
                    {"type": "text", "text": "also note the date"},
                ],
            },
            {"role": "assistant", "content": "done"},
            {"role": "user", "content": "thanks"},
        ]
    )
    after = await DropOldest(low_water=1).fit(View.of(history, counter=PER_MESSAGE), Budget(3))
    assert [one.content for one in after.segments] == ["also note the date", "done", "thanks"]


async def test_a_picture_leaves_with_its_text() -> None:
    history = [user("look", message="m"), user("here", message="m"), assistant("a"), user("now")]
    assert await left(history, 2) == ["now"]
    assert await left(history, 1, low_water=1) == ["now"]


async def test_notes_and_prompts_keep_their_places() -> None:
    history = [system("S"), user("1"), note("N"), user("2"), system("L"), user("3")]
    assert await left(history, 4) == ["S", "N", "L", "3"]


async def test_calls_that_wait_stay_and_those_left_behind_do_not() -> None:
    waiting = [user("1"), call("w", "{w}"), *[user(str(at)) for at in range(9)], user("now")]
    assert await left(waiting, 4) == ["{w}", "7", "8", "now"] or "{w}" in await left(waiting, 4)
    left_behind = [user("1"), call("d", "{d}"), user("2"), assistant("a"), user("3"), user("now")]
    assert "{d}" not in await left(left_behind, 3)


async def test_the_unfinished_turn_with_signed_reasoning_stays_whole() -> None:
    turn = [user("q"), reasoning(), call("a"), result("a"), reasoning(), call("b"), result("b")]
    history = named([user("old"), assistant("old"), *turn])
    after = await DropOldest().fit(View.of(history, counter=PER_MESSAGE), Budget(7))
    assert after.segments == history[2:]
    with pytest.raises(BudgetExceededError) as caught:
        await DropOldest().fit(View.of(history, counter=PER_MESSAGE), Budget(6))
    assert caught.value.needed == 7
    finished = named([*history, assistant("so"), user("next")])
    after = await DropOldest().fit(View.of(finished, counter=PER_MESSAGE), Budget(3))
    assert [one.content for one in after.segments] == ["next"]


async def test_a_summary_stays_as_long_as_there_is_room_for_it() -> None:
    summary = Segment("five words of a summary", kind="summary")
    history = [system("S"), summary, *[user("one two three") for _ in range(20)], user("now")]

    async def kept(room: int) -> bool:
        view = View.of(history, counter=WORDS)
        return summary in (await DropOldest().fit(view, Budget(room))).segments

    assert [await kept(room) for room in (2, 6, 7, 30)] == [False, False, True, True]


async def test_recent_turns_are_never_dropped_and_begin_with_the_question() -> None:
    history = [user("1"), assistant("2"), user("3"), assistant("4"), user("5"), assistant("6")]
    assert await left(history, 4, keep_recent=3) == ["3", "4", "5", "6"]
    assert await left(history, 3, keep_recent=3) == ["4", "5", "6"]
    with pytest.raises(BudgetExceededError):
        await left(history, 2, keep_recent=3)


async def test_the_newest_turn_stays_or_the_error_says_what_it_needs() -> None:
    view = View.of([system("one two"), user("three"), user("four five six")], counter=WORDS)
    with pytest.raises(BudgetExceededError) as caught:
        await DropOldest().fit(view, Budget(4))
    assert (caught.value.needed, caught.value.available) == (5, 4)
    after = await DropOldest(on_overflow="return").fit(view, Budget(4))
    assert [one.content for one in after.segments] == ["one two", "four five six"]
    assert not after.report.fits


async def test_few_messages_can_be_left_even_where_the_newest_is_most_of_the_text() -> None:
    view = View.of([user("a"), user("b"), user("word " * 5_000)])
    after = await DropOldest().fit(view, Budget(max_items=1))
    assert after.report.dropped == ((0, 2),)


@pytest.mark.parametrize(
    ("field", "value"),
    [("low_water", 1.1), ("low_water", "0.7"), ("keep_recent", 0), ("on_overflow", "warn")],
)
async def test_a_setting_that_cannot_be_used_is_named(field: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=f"DropOldest.{field}"):
        DropOldest(**{field: value})  # type: ignore[arg-type]
