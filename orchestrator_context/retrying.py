"""One retry layer: full-jitter back-off that honours what the service asked for.

Layers never multiply. While one `Retrying` runs, those inside it make a single attempt, so a
provider that retries on its own and a verb that retries around it still stay within
`max_attempts` together, and the outer one sees every failure.

The back-off is "full jitter" of Marc Brooker, "Exponential Backoff And Jitter" (AWS, 2015).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

import anyio
import tenacity

from orchestrator_context import checks
from orchestrator_context.exceptions import (
    ProviderError,
    ProviderResponseError,
    ProviderUnavailableError,
)

Result = TypeVar("Result")
OnFailure = Callable[[ProviderError, float | None], None]

_retrying: ContextVar[bool] = ContextVar("orchestrator_context_retrying", default=False)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When and how often a failed call is made again.

    Attributes:
        max_attempts: calls in all, the first included.
        first_delay_seconds: ceiling of the first random delay; it doubles with every attempt.
        max_delay_seconds: ceiling of every random delay.
        max_retry_after_seconds: a service that asks for a longer wait is not waited for.
    """

    max_attempts: int = 5
    first_delay_seconds: float = 0.5
    max_delay_seconds: float = 30.0
    max_retry_after_seconds: float = 120.0

    def __post_init__(self) -> None:
        checks.whole("RetryPolicy.max_attempts", self.max_attempts, least=1)
        checks.number("RetryPolicy.first_delay_seconds", self.first_delay_seconds)
        checks.number("RetryPolicy.max_delay_seconds", self.max_delay_seconds)
        checks.number("RetryPolicy.max_retry_after_seconds", self.max_retry_after_seconds)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> RetryPolicy:
        """Return the policy that `mapping` describes; unknown keys are refused."""
        return cls(**checks.known_keys(cls, mapping))


async def call_with_retry(
    call: Callable[[], Awaitable[Result]],
    policy: RetryPolicy,
    *,
    on_failure: OnFailure | None = None,
) -> Result:
    """Return what `call` returns, made again after failures that may pass.

    Args:
        call: one attempt.
        policy: how often and how long.
        on_failure: told of every failed attempt and of the delay before the next one in seconds,
            None where there is none.

    Raises:
        ProviderError: the last failure, with a note that counts the attempts.
    """
    if _retrying.get():
        return await call()
    token = _retrying.set(True)
    try:
        return await call()  # mostly this is all, and costs nothing beside the call
    except ProviderError as error:
        return await _after(error, call, policy, on_failure)
    finally:
        _retrying.reset(token)


async def _after(
    first: ProviderError,
    call: Callable[[], Awaitable[Result]],
    policy: RetryPolicy,
    on_failure: OnFailure | None,
) -> Result:
    """Return what `call` returns after its first attempt failed with `first`."""
    failed = [first]

    async def attempt() -> Result:
        if failed:
            raise failed.pop()
        return await call()

    def tell(state: tenacity.RetryCallState) -> None:
        if on_failure is not None:
            on_failure(_failure(state), state.next_action.sleep if state.next_action else None)

    attempts = tenacity.AsyncRetrying(
        stop=tenacity.stop_after_attempt(policy.max_attempts),
        retry=tenacity.retry_if_exception(lambda error: _passing(error, policy)),
        wait=_Backoff(policy),
        before_sleep=tell,
        sleep=anyio.sleep,
        reraise=True,
    )
    try:
        return await attempts(attempt)
    except ProviderError as error:
        made = attempts.statistics.get("attempt_number", 1)
        error.add_note(f"{made} of at most {policy.max_attempts} attempts were made")
        if on_failure is not None:
            on_failure(error, None)
        raise


def _passing(error: BaseException, policy: RetryPolicy) -> bool:
    if isinstance(error, ProviderUnavailableError):
        return (error.retry_after or 0.0) <= policy.max_retry_after_seconds
    return isinstance(error, ProviderResponseError)


class _Backoff(tenacity.wait.wait_base):
    """Full jitter, but never sooner than the service asked."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._jitter = tenacity.wait_random_exponential(
            multiplier=policy.first_delay_seconds, max=policy.max_delay_seconds
        )

    def __call__(self, retry_state: tenacity.RetryCallState) -> float:
        asked = getattr(_failure(retry_state), "retry_after", None) or 0.0
        return max(asked, self._jitter(retry_state))


def _failure(state: tenacity.RetryCallState) -> ProviderError:
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, ProviderError)  # `_passing` lets no other failure come this far
    return error
