"""What is opened once in each event loop, shared there, and closed when its last user leaves."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

import anyio
from anyio.lowlevel import RunVar

_CLOSE_SECONDS = 5.0
_numbers = itertools.count()


class Closable(Protocol):
    """Something with connections."""

    async def aclose(self) -> None:
        """Close them."""
        ...


Held = TypeVar("Held", bound=Closable)


class PerLoop(Generic[Held]):
    """Opens something on entering; inner blocks are given the same, the last exit closes it.

    Each event loop has its own, so an object made at import time works in all of them, one after
    another or at once.

    Args:
        name: for whoever looks into the event loop.
        opened: makes what is held.
    """

    def __init__(self, name: str, opened: Callable[[], Held]) -> None:
        self._opened = opened
        self._uses: RunVar[_Use[Held]] = RunVar(f"{name} {next(_numbers)}")

    async def __aenter__(self) -> Held:
        use = self._uses.get(None)
        if use is None:
            use = _Use(self._opened())
            use.forget = partial(self._uses.reset, self._uses.set(use))
        use.users += 1
        return use.held

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        use = self._uses.get()
        use.users -= 1
        if not use.users:
            use.forget()
            with anyio.move_on_after(_CLOSE_SECONDS, shield=True):
                await use.held.aclose()


class _Use(Generic[Held]):
    """What is held in one event loop, and how many are using it."""

    def __init__(self, held: Held) -> None:
        self.held = held
        self.users = 0
        self.forget: Callable[[], None] = lambda: None


class KeepsOpen:
    """Base of what, as an async context manager, enters the one it stands on and returns itself.

    Args:
        inner: what to enter.
    """

    def __init__(self, inner: AbstractAsyncContextManager[object]) -> None:
        self._inner = inner

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._inner.__aexit__(exc_type, exc, traceback)
