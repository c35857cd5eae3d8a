"""Whether other tasks of an event loop get their turns while something works."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from tests.linear import no_collection

Result = TypeVar("Result")


async def while_others_go_on(work: Callable[[], Awaitable[Result]]) -> Result:
    """Return what `work` returns, or fail where it held up the event loop.

    A busy machine holds everybody up, so no time of waiting counts: another task must have turns
    meanwhile, and between two of them the loop's thread must never do half of all that is computed.
    """
    turns, last, longest = 0, 0.0, 0.0

    def turn() -> None:
        nonlocal turns, last, longest
        now = time.thread_time()
        turns, last, longest = turns + 1, now, max(longest, now - last)

    async def others() -> None:
        while True:
            await anyio.sleep(0.001)
            turn()

    with no_collection():
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(others)
            await anyio.wait_all_tasks_blocked()
            turns, last, longest = 0, time.thread_time(), 0.0
            started = time.process_time()
            result = await work()
            computed = time.process_time() - started
            turn()
            tasks.cancel_scope.cancel()
    assert turns > 3, f"others had {turns - 1} turns"
    assert longest < computed / 2, f"{longest:.3f} s of {computed:.3f} s without a turn of others"
    return result
