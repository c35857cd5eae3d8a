from __future__ import annotations

import time

import anyio
import pytest

from orchestrator_context.tokens import count_async, token_counter

pytestmark = pytest.mark.anyio
TEXT = "Reading 12.5 bar at the pump house; valve shut. 水泵停止。\n" * 60_000  # over 4 MB


async def longest_gap(stop: anyio.Event) -> float:
    longest, last = 0.0, time.perf_counter()
    while not stop.is_set():
        await anyio.sleep(0.005)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return longest


@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5"])
async def test_the_loop_goes_on_while_a_long_text_is_counted(model: str) -> None:
    counter = token_counter(model)
    gaps: list[float] = []
    stop = anyio.Event()

    async def watch() -> None:
        gaps.append(await longest_gap(stop))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        await anyio.sleep(0.02)
        counted = await count_async(counter, TEXT + model)
        stop.set()
    assert counted == counter.count(TEXT + model)
    assert gaps[0] < 0.5  # a fifth of it where the machine is idle


async def test_a_cancelled_count_returns_at_once() -> None:
    def slow(text: str) -> int:
        time.sleep(1.5)
        return len(text)

    start = time.perf_counter()
    with anyio.move_on_after(0.05) as scope:
        await count_async(token_counter(slow), "x" * 100_000)
    assert scope.cancelled_caught
    assert time.perf_counter() - start < 1.0


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
