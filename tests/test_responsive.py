from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

import pytest
from anyio import to_thread

from tests.responsive import while_others_go_on

pytestmark = pytest.mark.anyio


def compute() -> int:
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    return 7


async def in_a_thread() -> int:
    return await to_thread.run_sync(compute)


async def on_the_loop() -> int:
    return compute()


async def mostly_on_the_loop() -> int:
    await in_a_thread()
    return min(compute() for _ in range(3))


async def test_work_in_a_thread_passes() -> None:
    assert await while_others_go_on(in_a_thread) == 7


@pytest.mark.parametrize("work", [on_the_loop, mostly_on_the_loop])
async def test_what_holds_up_the_loop_fails(work: Callable[[], Awaitable[int]]) -> None:
    with pytest.raises(AssertionError, match="turn"):
        await while_others_go_on(work)
