"""Tasks of one run: a failure stops the others and is raised as it is."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup

from orchestrator_context.exceptions import CallsFailedError, DistillError


class Crew:
    """Starts tasks in a task group without letting it wrap their failures in a group."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._failures: list[BaseException] = []

    def start(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run `job` beside the others."""
        self._tasks.start_soon(self._run, job)

    def fail(self, error: BaseException) -> None:
        """Stop all tasks. What fails only because it is stopped is noted on the first failure."""
        if any(error is known for known in self._failures):
            return
        if self._failures and isinstance(error, Exception) and _came_of_stopping(error):
            note = f"meanwhile another task failed with {type(error).__name__}"
            if note not in getattr(self._failures[0], "__notes__", ()):
                self._failures[0].add_note(note)
            return
        self._failures.append(error)
        self._tasks.cancel_scope.cancel()

    @property
    def failure(self) -> BaseException | None:
        """What is to be raised: an interrupt, the one failure, or all where they differ."""
        for error in self._failures:
            if not isinstance(error, Exception):
                return error
        failures = tuple(error for error in self._failures if isinstance(error, Exception))
        if len({type(error) for error in failures}) < 2:
            return next(iter(failures), None)
        names = ", ".join(type(error).__name__ for error in failures)
        several = CallsFailedError(f"{len(failures)} calls failed: {names}", failures=failures)
        several.__cause__ = failures[0]
        return several

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
        BaseException: the failure of a task or of the body, as itself.
        CallsFailedError: several failed by themselves, and in different ways. Never a group.
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
    if (failure := started.failure) is not None:
        raise failure


def _came_of_stopping(error: BaseException) -> bool:
    """Return whether `error` was raised while a cancellation was being handled."""
    context = error.__context__
    while context is not None and not isinstance(context, anyio.get_cancelled_exc_class()):
        context = context.__context__
    return context is not None
