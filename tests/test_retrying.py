"""One retry layer: as often, as late and as visibly as the policy says, in virtual time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import anyio
import pytest

from orchestrator_context.exceptions import (
    ConfigurationError,
    ContextOverflowError,
    LimitExceededError,
    ProviderError,
    ProviderRejectedError,
    ProviderResponseError,
    ProviderUnavailableError,
)
from orchestrator_context.retrying import RetryPolicy, call_with_retry
from tests.virtual_time import virtual

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, Mapping[str, object]]:
    return virtual(str(request.param))


def busy(retry_after: float | None = None) -> ProviderUnavailableError:
    return ProviderUnavailableError("busy", provider="p", status=429, retry_after=retry_after)


@dataclass
class Service:
    """Raises its errors one after the other, then answers; keeps the times of its calls."""

    errors: list[BaseException]
    times: list[float] = field(default_factory=list)
    told: list[tuple[ProviderError, float | None]] = field(default_factory=list)

    async def __call__(self) -> str:
        self.times.append(anyio.current_time())
        if len(self.times) <= len(self.errors):
            raise self.errors[len(self.times) - 1]
        return "answer"

    def tell(self, error: ProviderError, delay: float | None) -> None:
        self.told.append((error, delay))

    async def ask(self, policy: RetryPolicy) -> str:
        return await call_with_retry(self, policy, on_failure=self.tell)

    @property
    def delays(self) -> list[float]:
        return [after - before for before, after in zip(self.times, self.times[1:], strict=False)]


async def test_an_answer_needs_one_call() -> None:
    service = Service([])
    assert await service.ask(RetryPolicy()) == "answer"
    assert (len(service.times), service.told) == (1, [])


@pytest.mark.parametrize("failures", [1, 2, 4])
async def test_failures_that_pass_are_told_and_got_over(failures: int) -> None:
    errors: list[BaseException] = [busy() for _ in range(failures)]
    service = Service(errors)
    assert await service.ask(RetryPolicy(max_attempts=5)) == "answer"
    assert [error for error, _ in service.told] == errors
    assert [delay for _, delay in service.told] == pytest.approx(service.delays)


@pytest.mark.parametrize("attempts", [1, 2, 5])
async def test_it_stops_after_so_many_attempts_and_says_so(attempts: int) -> None:
    errors: list[BaseException] = [busy() for _ in range(9)]
    service = Service(errors)
    with pytest.raises(ProviderUnavailableError) as caught:
        await service.ask(RetryPolicy(max_attempts=attempts))
    assert caught.value is errors[attempts - 1]
    assert caught.value.__notes__ == [f"{attempts} of at most {attempts} attempts were made"]
    assert len(service.times) == attempts
    assert [error for error, _ in service.told] == errors[:attempts]
    assert [delay is None for _, delay in service.told] == [False] * (attempts - 1) + [True]


async def test_an_unusable_answer_is_asked_for_again() -> None:
    service = Service([ProviderResponseError("blank", provider="p")])
    assert await service.ask(RetryPolicy()) == "answer"
    assert len(service.times) == 2


@pytest.mark.parametrize("kind", [ProviderError, ProviderRejectedError, ContextOverflowError])
async def test_what_will_not_pass_is_raised_at_once(kind: type[ProviderError]) -> None:
    error = kind("no", provider="p", status=400)
    service = Service([error])
    with pytest.raises(kind) as caught:
        await service.ask(RetryPolicy())
    assert caught.value is error
    assert error.__notes__ == ["1 of at most 5 attempts were made"]
    assert service.told == [(error, None)]


@pytest.mark.parametrize("error", [ValueError("bug"), LimitExceededError("all", limit="max_calls")])
async def test_what_is_no_failure_of_a_service_is_none_of_its_business(error: Exception) -> None:
    service = Service([error])
    with pytest.raises(type(error)):
        await service.ask(RetryPolicy())
    assert not hasattr(error, "__notes__")
    assert service.told == []


class TestDelays:
    async def test_the_service_is_not_asked_sooner_than_it_said(self) -> None:
        service = Service([busy(7.0), busy(120.0), busy(0.0)])
        await service.ask(RetryPolicy(first_delay_seconds=0.0))
        assert service.delays == pytest.approx([7.0, 120.0, 0.0])

    @pytest.mark.parametrize("asked", [120.001, 1e9, math.inf, math.nan])
    async def test_who_asks_for_too_much_is_not_waited_for(self, asked: float) -> None:
        service = Service([busy(asked)])
        with pytest.raises(ProviderUnavailableError):
            await service.ask(RetryPolicy())
        assert len(service.times) == 1

    async def test_random_delays_double_up_to_their_ceiling(self) -> None:
        policy = RetryPolicy(max_attempts=7, first_delay_seconds=1.0, max_delay_seconds=10.0)
        runs = [Service([busy() for _ in range(6)]) for _ in range(60)]
        for service in runs:
            await service.ask(policy)
        for step, ceiling in enumerate([1, 2, 4, 8, 10, 10]):
            delays = [service.delays[step] for service in runs]
            assert 0 <= min(delays) < ceiling / 4  # full jitter begins at nothing
            assert ceiling * 3 / 4 < max(delays) <= ceiling + 1e-6

    async def test_no_delay_where_none_is_wanted(self) -> None:
        service = Service([busy(), busy()])
        await service.ask(RetryPolicy(first_delay_seconds=0.0))
        assert service.delays == [0.0, 0.0]


class TestLayers:
    async def test_they_do_not_multiply(self) -> None:
        inner = Service([busy() for _ in range(99)])
        told: list[ProviderError] = []
        with pytest.raises(ProviderUnavailableError) as caught:
            await call_with_retry(
                lambda: inner.ask(RetryPolicy(max_attempts=10)),
                RetryPolicy(max_attempts=3),
                on_failure=lambda error, delay: told.append(error),
            )
        assert len(inner.times) == 3
        assert told == inner.errors[:3]
        assert inner.told == []
        assert caught.value.__notes__ == ["3 of at most 3 attempts were made"]

    async def test_the_same_holds_for_tasks_that_a_call_starts(self) -> None:
        inner = Service([busy() for _ in range(99)])

        async def call() -> None:
            async def part() -> None:
                with pytest.raises(ProviderUnavailableError):
                    await inner.ask(RetryPolicy(max_attempts=10))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(part)

        await call_with_retry(call, RetryPolicy())
        assert len(inner.times) == 1

    async def test_tasks_beside_it_retry_for_themselves(self) -> None:
        services = [Service([busy(), busy()]) for _ in range(5)]
        async with anyio.create_task_group() as tasks:
            for service in services:
                tasks.start_soon(service.ask, RetryPolicy())
        assert [len(service.times) for service in services] == [3] * 5

    async def test_afterwards_retrying_goes_on_as_before(self) -> None:
        with pytest.raises(ProviderUnavailableError):
            await Service([busy()]).ask(RetryPolicy(max_attempts=1))
        service = Service([busy()])
        assert await service.ask(RetryPolicy()) == "answer"


class TestCancellation:
    async def test_during_a_call(self) -> None:
        service = Service([])

        async def hangs() -> None:
            service.times.append(0)
            await anyio.sleep_forever()

        with anyio.move_on_after(1) as scope:
            await call_with_retry(hangs, RetryPolicy(), on_failure=service.tell)
        assert scope.cancelled_caught
        assert (len(service.times), service.told) == (1, [])

    async def test_during_a_delay(self) -> None:
        service = Service([busy(100.0)])
        with anyio.move_on_after(1) as scope:
            await service.ask(RetryPolicy())
        assert scope.cancelled_caught
        assert len(service.times) == 1
        assert [delay for _, delay in service.told] == [100.0]


class TestPolicy:
    @pytest.mark.parametrize(
        ("name", "bad"),
        [
            *[("max_attempts", bad) for bad in (0, -1, True, 2.0, None, "3")],
            *[
                (name, bad)
                for name in ("first_delay_seconds", "max_delay_seconds", "max_retry_after_seconds")
                for bad in (-0.1, math.nan, math.inf, True, None, "3")
            ],
        ],
    )
    def test_what_is_out_of_range_is_refused_by_name(self, name: str, bad: object) -> None:
        with pytest.raises(ConfigurationError, match=rf"^RetryPolicy\.{name} "):
            RetryPolicy(**{name: bad})  # type: ignore[arg-type]

    def test_a_mapping_is_read_strictly(self) -> None:
        assert RetryPolicy.from_mapping({"max_attempts": 2}) == RetryPolicy(max_attempts=2)
        with pytest.raises(ConfigurationError, match="no setting 'attempts'"):
            RetryPolicy.from_mapping({"attempts": 2})
