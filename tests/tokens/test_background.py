from __future__ import annotations

import threading

import anyio
import pytest
from anyio import to_thread

from orchestrator_context.tokens import count_async, token_counter
from tests.responsive import while_others_go_on

pytestmark = pytest.mark.anyio
LINE = "Reading {}: 12.5 bar at the pump house; valve shut. 水泵停止。\n"
TEXT = "".join(map(LINE.format, range(60_000)))  # over 4 MB


@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5"])
async def test_the_loop_goes_on_while_a_long_text_is_counted(
    model: str, anyio_backend: str
) -> None:
    counter = token_counter(model)
    text = f"{anyio_backend} {model} {TEXT}"  # no slice of it was counted before
    counted = await while_others_go_on(lambda: count_async(counter, text))
    assert counted == counter.count(text)


async def test_a_cancelled_count_returns_while_its_thread_goes_on() -> None:
    begun, left = threading.Event(), threading.Event()
    ended: list[bool] = []

    def slow(text: str) -> int:
        begun.set()
        ended.append(left.wait(60))
        return len(text)

    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(count_async, token_counter(slow), "x" * 100_000)
            await to_thread.run_sync(begun.wait)
            scope.cancel()
    assert scope.cancelled_caught
    assert not ended
    left.set()


async def test_counts_at_once_are_those_one_by_one() -> None:
    counter = token_counter()
    texts = [TEXT[: 50_000 + 7 * n] for n in range(6)]
    results: dict[int, int] = {}

    async def count(number: int) -> None:
        results[number] = await count_async(counter, texts[number])

    async with anyio.create_task_group() as tasks:
        for number in range(len(texts)):
            tasks.start_soon(count, number)
    fresh = token_counter(counter.count, name="fresh")
    assert [results[n] for n in range(6)] == [fresh.count(text) for text in texts]


async def test_short_texts_are_counted_in_place() -> None:
    assert await count_async(token_counter(), "Hello, world!") == 4
