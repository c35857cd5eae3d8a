"""What holds calls back: the service's capacity, its rate limits, and the caller's purse."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
from anyio.lowlevel import checkpoint_if_cancelled

from orchestrator_context.distill.options import DistillOptions
from orchestrator_context.exceptions import LimitExceededError
from orchestrator_context.models import Price, Usage
from orchestrator_context.wording import counted

_FIRST_SHARE = 2  # a run starts with this part of its concurrency


class AdaptiveLimiter:
    """Bounds the calls in flight and learns the bound from the service, as TCP learns a path.

    It starts at half of `most`, grows by one with every success (which doubles it with every
    round), halves when the service is overloaded, and from then on grows by one a round above half
    of what was too much (slow start and congestion avoidance, RFC 5681). Calls that were already in
    flight when it halved do not halve it again.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = float(max(1, most // _FIRST_SHARE))
        self._threshold = float(most)
        self._active = 0
        self._round = 0
        self._opens_at = -float("inf")
        self._waiting: deque[anyio.Event] = deque()

    @property
    def limit(self) -> int:
        """Calls that may be in flight now."""
        return int(self._limit)

    async def acquire(self) -> None:
        """Wait for a place, first come first served."""
        if self._active >= self.limit or self._waiting:
            turn = anyio.Event()
            self._waiting.append(turn)
            try:
                await turn.wait()
            except BaseException:
                self._leave(turn)
                raise
        else:
            self._active += 1
        try:
            await checkpoint_if_cancelled()  # a place that a failure freed starts no more calls
        except BaseException:
            self.release()
            raise

    @property
    def round(self) -> int:
        """The round a call starts in, for `overloaded`."""
        return self._round

    @property
    def is_paused(self) -> bool:
        """Whether no call may start now."""
        return anyio.current_time() < self._opens_at

    async def opened(self) -> None:
        """Wait until calls may start."""
        while self.is_paused:  # the pause may be prolonged during the sleep
            await _sleep_until(self._opens_at)

    def release(self) -> None:
        """Give the place back."""
        self._active -= 1
        self._admit()

    def succeeded(self) -> None:
        """Grow: the service kept up."""
        step = 1.0 if self._limit < self._threshold else 1.0 / self._limit
        self._limit = min(float(self._most), self._limit + step)
        self._admit()

    def overloaded(self, started_in: int, wait_seconds: float | None) -> None:
        """Halve, and start nothing before `wait_seconds` have passed."""
        if started_in == self._round:
            self._round += 1
            self._threshold = max(1.0, self._limit / 2)
            self._limit = self._threshold
        self._opens_at = max(self._opens_at, anyio.current_time() + (wait_seconds or 0.0))

    def _admit(self) -> None:
        while self._waiting and self._active < self.limit:
            self._active += 1
            self._waiting.popleft().set()

    def _leave(self, turn: anyio.Event) -> None:
        if turn.is_set():  # the place was given in the very moment of the cancellation
            self.release()
        else:
            self._waiting.remove(turn)


class Pace:
    """Spaces starts evenly, so that a minute holds at most one call more than its rates allow.

    A virtual scheduling algorithm (GCRA, ITU-T I.371) without burst tolerance, for two rates.
    """

    def __init__(self, requests_per_minute: float | None, tokens_per_minute: float | None) -> None:
        self._request_seconds = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._token_seconds = 60.0 / tokens_per_minute if tokens_per_minute else 0.0
        self._next_request = self._next_token = -float("inf")

    async def wait(self, tokens: int) -> None:
        """Wait until a call of `tokens` may start."""
        start = max(anyio.current_time(), self._next_request, self._next_token)
        self._next_request = start + self._request_seconds
        self._next_token = start + tokens * self._token_seconds
        await _sleep_until(start)


class Purse:
    """Keeps the run within `max_calls`, `max_tokens_spent` and `max_cost`.

    A call is admitted only if its worst case fits beside what was spent and what is in flight.
    One that does not waits for those in flight, which mostly turn out cheaper, before it is
    refused.
    """

    def __init__(self, options: DistillOptions, price: Price | None) -> None:
        self._options = options
        self._price = price
        limits = (options.max_calls, options.max_tokens_spent, options.max_cost)
        self._is_limited = any(limit is not None for limit in limits)
        self._calls = 0
        self._usage = Usage()
        self._reserved: list[Usage] = []
        self._settled = anyio.Event()

    @property
    def calls(self) -> int:
        """Calls paid for."""
        return self._calls

    @property
    def usage(self) -> Usage:
        """Tokens paid for."""
        return self._usage

    @property
    def cost(self) -> float | None:
        """US dollars spent, or None where the price is unknown."""
        return None if self._price is None else self._price.of(self._usage)

    @asynccontextmanager
    async def paying(self, worst: Usage) -> AsyncGenerator[None, None]:
        """Hold room for a call of at most `worst` tokens while the body runs.

        Raises:
            LimitExceededError: the call could pass a limit.
        """
        while self._is_limited and (limit := self._passed(worst)) is not None:
            if not self._reserved:
                raise LimitExceededError(self._refusal(limit, worst), limit=limit)
            await self._settled.wait()
        self._reserved.append(worst)
        try:
            yield
        finally:
            self._reserved.remove(worst)
            self._settled.set()
            self._settled = anyio.Event()

    def pay(self, usage: Usage) -> None:
        """Book a call that was answered."""
        self._calls += 1
        self._usage += usage

    def _passed(self, worst: Usage) -> str | None:
        """Return the name of a limit that the call could pass, or None."""
        options = self._options
        usage = sum(self._reserved, self._usage + worst)
        wanted = (
            ("max_calls", self._calls + len(self._reserved) + 1, options.max_calls),
            ("max_tokens_spent", usage.total, options.max_tokens_spent),
            ("max_cost", self._price.of(usage) if self._price else 0.0, options.max_cost),
        )
        passed = (name for name, value, most in wanted if most is not None and value > most)
        return next(passed, None)

    def _refusal(self, limit: str, worst: Usage) -> str:
        cost = "" if self.cost is None else f" and ${self.cost:.4f}"
        return (
            f"{limit}={getattr(self._options, limit)} would be passed: "
            f"{counted(self._calls, 'call')}, {counted(self._usage.total, 'token')}{cost} are "
            f"spent, and the next call takes up to {counted(worst.total, 'token')}. Raise the "
            "limit and run again: with a checkpoint, finished calls are not paid for twice"
        )


async def _sleep_until(moment: float) -> None:
    delay = moment - anyio.current_time()
    if delay > 0:
        await anyio.sleep(delay)
