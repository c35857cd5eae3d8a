"""One paid answer: from the checkpoint, or from the model within all limits, journalled at once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import anyio

from orchestrator_context.distill.checkpoint import Checkpoint
from orchestrator_context.distill.limits import AdaptiveLimiter, Pace, Purse
from orchestrator_context.distill.options import DistillOptions
from orchestrator_context.distill.prompts import Prompt
from orchestrator_context.events import CallFailed
from orchestrator_context.exceptions import (
    CheckpointError,
    ConfigurationError,
    ProviderError,
    ProviderRejectedError,
    ProviderResponseError,
    ProviderUnavailableError,
)
from orchestrator_context.models import Generation, Usage
from orchestrator_context.protocols import Generator
from orchestrator_context.retrying import call_with_retry
from orchestrator_context.text import is_blank

_OVERLOADED = frozenset({429, 503, 529})
_FIRST_LOOK_SECONDS = 0.02  # at what another run asks for; then twice as long each time
_LONGEST_LOOK_SECONDS = 0.25


@dataclass(slots=True)
class Tally:
    """What came of the calls so far."""

    resumed: int = 0
    failed_attempts: int = 0


class Asker:
    """Asks a model, once for each prompt.

    Args:
        client: the model.
        options: limits, retries and time-outs.
        checkpoint: an open journal, or None.
        observe: is told of failed attempts.
    """

    def __init__(
        self,
        client: Generator,
        options: DistillOptions,
        checkpoint: Checkpoint | None,
        observe: Callable[[CallFailed], None],
    ) -> None:
        self.tally = Tally()
        self.purse = Purse(options, client.profile.price)
        self._client = client
        self._options = options
        self._checkpoint = checkpoint
        self._observe = observe
        self._limiter = AdaptiveLimiter(options.concurrency)
        self._pace = Pace(options.requests_per_minute, options.tokens_per_minute)
        self._late: set[bytes] = set()  # keys that another run asks for, but does not come back

    async def ask(self, prompt: Prompt) -> Generation:
        """Return the answer to `prompt`, be it that another run pays for it in this moment.

        Raises:
            LimitExceededError: the call could pass a spending limit.
            ProviderError: every attempt failed.
        """
        if (known := self._known(prompt)) is not None:
            return known
        return await call_with_retry(
            lambda: self._answer(prompt), self._options.retry, on_failure=self._failed
        )

    async def _answer(self, prompt: Prompt) -> Generation:
        """Return the answer; to wait for another run that asks is no attempt of its own."""
        while (answer := await self._attempt(prompt)) is None:
            await self._asked_elsewhere(prompt)
            if (known := self._known(prompt)) is not None:
                return known
        return answer

    def _known(self, prompt: Prompt) -> Generation | None:
        known = None if self._checkpoint is None else self._checkpoint.get(prompt.key)
        self.tally.resumed += known is not None
        return known

    async def _attempt(self, prompt: Prompt) -> Generation | None:
        """Return the answer, or None where another run asks for it."""
        async with self.purse.paying(prompt.worst):
            await self._limiter.acquire()
            try:
                return await self._held(prompt)
            except Exception as error:
                if _may_be_charged(error):
                    self.purse.pay(prompt.worst)
                raise
            finally:
                self._limiter.release()

    async def _held(self, prompt: Prompt) -> Generation | None:
        """Make the call while a place is held, once rates and pauses allow it."""
        await self._pace.wait(prompt.worst.total)
        while self._limiter.is_paused:
            await self._limiter.opened()
            await self._pace.wait(prompt.worst.total)  # the old start is over: take a new one
        with self._claim(prompt) as mine:
            if not mine and prompt.key not in self._late:
                return None
            if (known := self._known(prompt)) is not None:  # by another run, meanwhile
                return known
            answer = await self._answered(prompt)
            self.purse.pay(self._paid(prompt, answer))
            if self._checkpoint is not None:  # before its place is given to another call
                answer = await self._checkpoint.put(prompt.key, answer)
        self._limiter.succeeded()
        return answer

    def _claim(self, prompt: Prompt) -> AbstractContextManager[bool]:
        if self._checkpoint is None:
            return nullcontext(True)
        return self._checkpoint.claim(prompt.key)

    async def _asked_elsewhere(self, prompt: Prompt) -> None:
        """Wait until nobody else asks for `prompt`, but no longer than a call may take."""
        assert self._checkpoint is not None  # without one there is no other run
        seconds = _FIRST_LOOK_SECONDS
        with anyio.move_on_after(self._options.call_timeout_seconds) as scope:
            while self._checkpoint.is_claimed(prompt.key):
                await anyio.sleep(seconds)
                seconds = min(2 * seconds, _LONGEST_LOOK_SECONDS)
        if scope.cancelled_caught:
            self._late.add(prompt.key)

    async def _answered(self, prompt: Prompt) -> Generation:
        started_in = self._limiter.round
        try:
            answer = await self._timed(prompt)
        except ProviderUnavailableError as error:
            if error.status in _OVERLOADED:
                self._limiter.overloaded(started_in, self._pause(error))
            raise
        if is_blank(answer.text):
            raise ProviderResponseError(
                "the model answered with a blank text; a reasoning model may need more output "
                "tokens",
                provider=self._client.profile.name,
            )
        return answer

    async def _timed(self, prompt: Prompt) -> Generation:
        seconds = self._options.call_timeout_seconds
        with anyio.move_on_after(seconds) as scope:
            return await self._client.generate(
                prompt.messages, max_output_tokens=prompt.max_output_tokens
            )
        assert scope.cancelled_caught
        raise ProviderUnavailableError(
            f"no answer within call_timeout_seconds={seconds:g}",
            provider=self._client.profile.name,
            may_be_charged=True,
        )

    def _pause(self, error: ProviderUnavailableError) -> float | None:
        """Return how long all calls are to wait, None where that is too long to be waited for."""
        asked = error.retry_after
        most = self._options.retry.max_retry_after_seconds
        return None if asked is None or asked > most else asked

    def _paid(self, prompt: Prompt, answer: Generation) -> Usage:
        """Return what the service counted, or our count where it says nothing or nothing but 0."""
        if answer.usage is not None and answer.usage.total > 0:
            return answer.usage
        return Usage(prompt.tokens, self._client.profile.counter.count(answer.text))

    def _failed(self, error: ProviderError, retry_in_seconds: float | None) -> None:
        self.tally.failed_attempts += 1
        self._observe(
            CallFailed(
                provider=error.provider,
                error=type(error).__name__,
                status=error.status,
                retry_in_seconds=retry_in_seconds,
                concurrency=self._limiter.limit,
            )
        )


def _may_be_charged(error: Exception) -> bool:
    """Return whether a failed call may cost: it was answered, lost, or failed in unknown ways."""
    if isinstance(error, ProviderUnavailableError):
        return error.may_be_charged
    return not isinstance(error, ProviderRejectedError | ConfigurationError | CheckpointError)
