"""Time that passes only while everybody sleeps, so that waits of minutes take no time at all."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Mapping

from trio.testing import MockClock


class _Jumping(selectors.DefaultSelector):
    """Instead of waiting for a time, moves the clock on by it."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(None if timeout is None else 0)
        if not ready and timeout:
            self.now += timeout
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _Jumping()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


def virtual(backend: str) -> tuple[str, Mapping[str, object]]:
    """Return what makes an `anyio_backend` fixture run its tests in virtual time."""
    if backend == "asyncio":
        return backend, {"loop_factory": _Loop}
    return backend, {"clock": MockClock(autojump_threshold=0)}
