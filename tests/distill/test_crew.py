"""One failure stops the others and leaves as itself; cancellation stays cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import anyio
import pytest

from orchestrator_context.distill.crew import crew
from orchestrator_context.exceptions import CallsFailedError, DistillError

pytestmark = pytest.mark.anyio


Job = Callable[[], Awaitable[None]]


class Interrupt(BaseException):
    """Stands for KeyboardInterrupt, which would end the test run."""


async def fails() -> None:
    raise ValueError("first")


async def sleeps() -> None:
    await anyio.sleep_forever()


async def ends() -> None:
    pass


async def run(*jobs: Job, then: Job = ends) -> None:
    """Start the jobs one after the other, and make `then` the body."""
    async with crew() as tasks:
        for job in jobs:
            tasks.start(job)
            await anyio.wait_all_tasks_blocked()
        await then()


async def test_leaving_waits_for_all_tasks_and_those_they_start() -> None:
    done: list[str] = []
    async with crew() as tasks:

        async def second() -> None:
            await anyio.sleep(0.001)
            done.append("second")

        async def first() -> None:
            await anyio.sleep(0.001)
            done.append("first")
            tasks.start(second)

        tasks.start(first)
    assert done == ["first", "second"]


async def test_the_failure_of_a_task_is_raised_as_it_is_and_stops_the_rest() -> None:
    stopped: list[bool] = []

    async def is_stopped() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            stopped.append(True)

    with pytest.raises(ValueError, match="first") as caught:  # no ExceptionGroup
        await run(is_stopped, fails, then=sleeps)
    assert stopped == [True]
    assert not hasattr(caught.value, "__notes__")


async def test_the_failure_of_the_body_is_raised_as_it_is_and_stops_the_tasks() -> None:
    with pytest.raises(ValueError, match="first"):
        await run(sleeps, then=fails)


@pytest.mark.parametrize("reverse", [False, True])
async def test_failures_of_different_kinds_are_raised_as_one_error_that_lists_them(
    reverse: bool,
) -> None:
    errors: list[Exception] = [ValueError("secret"), OSError("secret"), ValueError("secret")]
    if reverse:
        errors.reverse()
    go = anyio.Event()

    def failing(error: Exception) -> Job:
        async def job() -> None:
            await go.wait()
            raise error

        return job

    async def release() -> None:
        go.set()
        await anyio.sleep_forever()

    with pytest.raises(CallsFailedError, match="3 calls failed") as caught:
        await run(*map(failing, errors), then=release)
    assert set(map(id, caught.value.failures)) == set(map(id, errors))
    assert caught.value.__cause__ is caught.value.failures[0]
    assert "secret" not in str(caught.value)


async def test_failures_of_one_kind_are_raised_as_the_first_of_them() -> None:
    go = anyio.Event()

    async def waits_and_fails() -> None:
        await go.wait()
        raise ValueError("one of several")

    async def release() -> None:
        go.set()
        await anyio.sleep_forever()

    with pytest.raises(ValueError, match="one of several"):
        await run(waits_and_fails, waits_and_fails, then=release)


async def test_later_failures_are_noted_by_name_without_their_message() -> None:
    async def fails_when_stopped() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            raise OSError("secret")

    with pytest.raises(ValueError, match="first") as caught:
        await run(fails_when_stopped, fails)
    assert caught.value.__notes__ == ["meanwhile another task failed with OSError"]


@pytest.mark.parametrize("where", ["task", "body"])
async def test_an_interrupt_is_not_wrapped_either(where: str) -> None:
    async def interrupts() -> None:
        raise Interrupt

    with pytest.raises(Interrupt):
        await (run(sleeps, interrupts) if where == "task" else run(sleeps, then=interrupts))


async def test_cancellation_from_outside_is_no_failure() -> None:
    with anyio.move_on_after(0.01) as scope:
        await run(sleeps, then=sleeps)
    assert scope.cancelled_caught


async def test_cancellation_from_outside_wins_over_failures_that_follow_it() -> None:
    async def fails_when_stopped() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            raise ValueError("late")

    with anyio.move_on_after(0.01) as scope:
        await run(fails_when_stopped, then=sleeps)
    assert scope.cancelled_caught


async def test_a_cancelled_scope_inside_a_task_is_its_own_affair() -> None:
    done: list[bool] = []

    async def gives_up() -> None:
        with anyio.move_on_after(0):
            await anyio.sleep_forever()
        done.append(True)

    await run(gives_up)
    assert done == [True]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
class TestAsyncio:
    """There a library may cancel a task behind the back of all scopes."""

    async def test_a_task_that_was_cancelled_from_within_is_not_lost_in_silence(self) -> None:
        async def awaits_what_was_cancelled() -> None:
            future = asyncio.get_running_loop().create_future()
            future.cancel()
            await future

        with pytest.raises(DistillError, match="cancelled"):
            await run(sleeps, awaits_what_was_cancelled)

    async def test_cancelling_the_whole_task_is_cancellation(self) -> None:
        task = asyncio.create_task(run(sleeps, then=sleeps))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def test_the_end_of_the_loop_is_cancellation(self) -> None:
        ended: list[str] = []

        async def job() -> None:
            try:
                await run(sleeps)
            except BaseException as error:
                ended.append(type(error).__name__)
                raise

        def other_thread() -> None:
            async def main() -> None:
                task = asyncio.create_task(job())
                await asyncio.sleep(0.01)
                assert not task.done()

            asyncio.run(main())  # cancels what is left, each task by itself

        await anyio.to_thread.run_sync(other_thread)
        assert ended == ["CancelledError"]
