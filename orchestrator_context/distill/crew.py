"""Tasks of one run: the first failure stops the others and is raised as it is."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup


class Crew:
    """Starts tasks in a task group without letting it wrap their failures in a group."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self.failure: Exception | None = None

    def start(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run `job` beside the others."""
        self._tasks.start_soon(self._run, job)

    def fail(self, error: Exception) -> None:
        """Stop all tasks. The first error will be raised; later ones are noted on it."""
        if self.failure is None:
            self.failure = error
            self._tasks.cancel_scope.cancel()
        elif error is not self.failure:
            self.failure.add_note(f"meanwhile another task failed with {type(error).__name__}")

    async def _run(self, job: Callable[[], Awaitable[None]]) -> None:
        try:
            await job()
        except Exception as error:
            self.fail(error)


@asynccontextmanager
async def crew() -> AsyncGenerator[Crew, None]:
    """Run tasks until all have ended; leaving waits for them.

    Raises:
        Exception: the first failure, of a task or of the body, as itself: never an ExceptionGroup.
    """
    tasks = anyio.create_task_group()
    started = Crew(tasks)
    try:
        async with tasks:
            try:
                yield started
            except Exception as error:
                started.fail(error)
    except BaseExceptionGroup as group:  # KeyboardInterrupt and the like inside a task
        raise _first(group) from None  # pyright: ignore[reportUnknownArgumentType]
    if started.failure is not None:
        raise started.failure


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    errors = (error for error in group.exceptions if not isinstance(error, BaseExceptionGroup))
    return next(errors, group.exceptions[0])
