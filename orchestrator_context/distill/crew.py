"""Tasks of one run: the first failure stops the others and is raised as it is."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup

from orchestrator_context.exceptions import DistillError


class Crew:
    """Starts tasks in a task group without letting it wrap their failures in a group."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self.failure: BaseException | None = None

    def start(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run `job` beside the others."""
        self._tasks.start_soon(self._run, job)

    def fail(self, error: BaseException) -> None:
        """Stop all tasks. The first error will be raised, unless an interrupt follows it.

        Later errors are noted on it.
        """
        interrupts = not isinstance(error, Exception) and isinstance(self.failure, Exception)
        if self.failure is None or interrupts:
            self.failure = error
            self._tasks.cancel_scope.cancel()
            return
        note = f"meanwhile another task failed with {type(error).__name__}"
        if error is not self.failure and note not in getattr(self.failure, "__notes__", ()):
            self.failure.add_note(note)

    async def _run(self, job: Callable[[], Awaitable[None]]) -> None:
        try:
            await job()
        except anyio.get_cancelled_exc_class():
            # asyncio drops a task that ends like this without a word, and its result with it.
            if anyio.current_effective_deadline() > -math.inf:
                self.fail(DistillError("a call was cancelled by code inside of it"))
            raise
        except BaseException as error:  # KeyboardInterrupt too, or the group would wrap it
            self.fail(error)


@asynccontextmanager
async def crew() -> AsyncGenerator[Crew, None]:
    """Run tasks until all have ended; leaving waits for them.

    Raises:
        BaseException: the first failure, of a task or of the body, as itself: never in a group.
    """
    tasks = anyio.create_task_group()
    started = Crew(tasks)
    async with tasks:
        try:
            yield started
        except anyio.get_cancelled_exc_class():
            raise
        except BaseException as error:
            started.fail(error)
    if started.failure is not None:
        raise started.failure
