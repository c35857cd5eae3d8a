"""Calls in flight, starts in a minute and money spent stay within their bounds, in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator_context.distill.limits import AdaptiveLimiter, Pace, Purse
from orchestrator_context.distill.options import DistillOptions
from orchestrator_context.exceptions import LimitExceededError
from orchestrator_context.models import Price, Usage
from tests.virtual_time import virtual

pytestmark = pytest.mark.anyio
on_both = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, Mapping[str, object]]:
    return virtual(str(request.param))


async def together(*jobs: Callable[[], Coroutine[Any, Any, object]]) -> None:
    async with anyio.create_task_group() as tasks:
        for job in jobs:
            tasks.start_soon(job)


async def begin(limiter: AdaptiveLimiter) -> int:
    """Begin a call as an asker does; returns the round."""
    await limiter.acquire()
    try:
        await limiter.opened()
        return limiter.round
    except BaseException:
        limiter.release()
        raise


async def full(limiter: AdaptiveLimiter) -> None:
    """Take every place there is, and make sure that there is not one more."""
    for _ in range(limiter.limit):
        with anyio.fail_after(0.5):
            await begin(limiter)
    with anyio.move_on_after(0.5) as scope:
        await begin(limiter)
    assert scope.cancelled_caught


class TestLimiter:
    @pytest.mark.parametrize(("most", "first"), [(1, 1), (3, 1), (8, 4), (64, 32)])
    async def test_it_starts_at_a_half(self, most: int, first: int) -> None:
        limiter = AdaptiveLimiter(most)
        assert limiter.limit == first
        await full(limiter)

    async def test_it_doubles_with_every_round_up_to_the_most(self) -> None:
        limiter = AdaptiveLimiter(7)
        seen = [limiter.limit]
        for _ in range(3):
            for _ in range(limiter.limit):
                limiter.succeeded()
            seen.append(limiter.limit)
        assert seen == [3, 6, 7, 7]

    async def test_it_halves_once_in_a_round(self) -> None:
        limiter = AdaptiveLimiter(16)
        rounds = [await begin(limiter) for _ in range(8)]
        for started_in in rounds:
            limiter.overloaded(started_in, None)
            limiter.release()
        assert limiter.limit == 4
        limiter.overloaded(await begin(limiter), None)
        assert limiter.limit == 2

    async def test_from_then_on_it_grows_by_one_in_a_round(self) -> None:
        limiter = AdaptiveLimiter(16)
        limiter.overloaded(await begin(limiter), None)
        assert limiter.limit == 4
        for _ in range(5):
            limiter.succeeded()
        assert limiter.limit == 5

    async def test_it_never_goes_below_one(self) -> None:
        limiter = AdaptiveLimiter(4)
        for _ in range(5):
            limiter.overloaded(await begin(limiter), None)
            limiter.release()
        assert limiter.limit == 1
        await full(limiter)

    async def test_after_halving_nothing_starts_until_enough_have_ended(self) -> None:
        limiter = AdaptiveLimiter(8)
        rounds = [await begin(limiter) for _ in range(4)]
        limiter.overloaded(rounds[0], None)
        for active in (4, 3, 2):
            with anyio.move_on_after(1) as scope:
                await begin(limiter)
            assert scope.cancelled_caught, active
            limiter.release()
        await begin(limiter)

    async def test_first_come_first_served(self) -> None:
        limiter = AdaptiveLimiter(1)
        served: list[int] = []

        async def call(number: int) -> None:
            await anyio.sleep(number / 1000)
            await begin(limiter)
            served.append(number)
            await anyio.sleep(1)
            limiter.release()

        await together(*(lambda n=n: call(n) for n in range(6)))
        assert served == [0, 1, 2, 3, 4, 5]

    async def test_success_lets_waiting_calls_start(self) -> None:
        limiter = AdaptiveLimiter(3)
        await begin(limiter)

        async def succeed() -> None:
            await anyio.wait_all_tasks_blocked()
            limiter.succeeded()

        with anyio.fail_after(1):
            await together(limiter.acquire, succeed)

    async def test_a_pause_holds_back_all_and_may_be_prolonged(self) -> None:
        limiter = AdaptiveLimiter(8)
        start = anyio.current_time()
        limiter.overloaded(await begin(limiter), 3.0)
        limiter.release()
        began: list[float] = []

        async def call() -> None:
            await begin(limiter)
            began.append(anyio.current_time() - start)
            limiter.release()

        async def prolong() -> None:
            await anyio.sleep(2)
            limiter.overloaded(0, 5.0)
            limiter.overloaded(0, 1.0)  # does not shorten it

        await together(call, call, call, prolong)
        assert min(began) >= 7
        assert max(began) < 8

    async def test_a_call_that_gives_up_waiting_leaves_no_gap(self) -> None:
        limiter = AdaptiveLimiter(1)
        await begin(limiter)
        with anyio.move_on_after(1) as scope:
            await begin(limiter)
        assert scope.cancelled_caught
        limiter.release()
        await full(limiter)

    async def test_a_place_given_in_the_moment_of_cancellation_is_given_on(self) -> None:
        limiter = AdaptiveLimiter(1)
        await begin(limiter)
        scope = anyio.CancelScope()
        reached: list[str] = []

        async def gives_up() -> None:
            with scope:
                await begin(limiter)
                reached.append("first")

        async def is_next() -> None:
            await begin(limiter)
            reached.append("second")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(gives_up)
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(is_next)
            await anyio.wait_all_tasks_blocked()
            limiter.release()
            scope.cancel()
        assert reached == ["second"]
        limiter.release()
        await full(limiter)

    async def test_giving_up_during_a_pause_gives_the_place_back(self) -> None:
        limiter = AdaptiveLimiter(1)
        limiter.overloaded(await begin(limiter), 60.0)
        limiter.release()
        with anyio.move_on_after(1) as scope:
            await begin(limiter)
        assert scope.cancelled_caught
        await anyio.sleep(60)
        await full(limiter)

    async def test_a_place_freed_by_a_failure_starts_nothing_in_a_cancelled_task(self) -> None:
        limiter = AdaptiveLimiter(1)
        with anyio.CancelScope() as scope:
            scope.cancel()
            await begin(limiter)
            pytest.fail("started in a cancelled task")
        await full(limiter)

    @on_both
    @given(
        st.integers(1, 12),
        st.lists(
            st.tuples(
                st.sampled_from(["ok", "overloaded", "failed", "gives up"]),
                st.integers(0, 4),
                st.integers(0, 3),
            ),
            max_size=30,
        ),
    )
    async def test_no_course_of_events_passes_the_most_or_loses_a_place(
        self, most: int, calls: list[tuple[str, int, int]]
    ) -> None:
        limiter = AdaptiveLimiter(most)
        active = 0

        async def call(what: str, seconds: int, delay: int) -> None:
            nonlocal active
            await anyio.sleep(delay)
            with anyio.move_on_after(seconds if what == "gives up" else 10_000):
                started_in = await begin(limiter)
                active += 1
                try:
                    assert active <= most
                    await anyio.sleep(2 * seconds)
                    if what == "overloaded":
                        limiter.overloaded(started_in, seconds)
                finally:
                    active -= 1
                    limiter.release()
                if what == "ok":
                    limiter.succeeded()
                assert 1 <= limiter.limit <= most

        await together(*(lambda c=c: call(*c) for c in calls))
        await anyio.sleep(10)
        await full(limiter)


class TestPace:
    async def test_starts_are_spaced_evenly(self) -> None:
        pace = Pace(30, None)
        start = anyio.current_time()
        for number in range(10):
            await pace.wait(1)
            assert anyio.current_time() - start == pytest.approx(2 * number)

    async def test_without_a_rate_nothing_waits(self) -> None:
        pace, start = Pace(None, None), anyio.current_time()
        for _ in range(1_000):
            await pace.wait(10**9)
        assert anyio.current_time() == start

    async def test_idle_time_is_not_saved_up(self) -> None:
        pace = Pace(60, None)
        await anyio.sleep(1_000)
        start = anyio.current_time()
        await together(*[lambda: pace.wait(1)] * 5)
        assert anyio.current_time() - start == pytest.approx(4)

    async def test_large_units_hold_back_what_follows(self) -> None:
        pace, start = Pace(None, 100), anyio.current_time()
        await pace.wait(500)
        assert anyio.current_time() == start
        await pace.wait(1)
        assert anyio.current_time() - start == pytest.approx(300)

    async def test_both_rates_hold_at_once(self) -> None:
        pace, start = Pace(60, 600), anyio.current_time()
        starts: list[float] = []
        for tokens in (1, 1, 100, 1, 1):
            await pace.wait(tokens)
            starts.append(anyio.current_time() - start)
        assert starts == pytest.approx([0, 1, 2, 12, 13])

    @on_both
    @given(
        st.floats(0.5, 1_000),
        st.lists(st.tuples(st.integers(1, 400), st.floats(0, 90)), min_size=1, max_size=30),
    )
    async def test_a_minute_holds_no_more_beside_its_last_start(
        self, per_minute: float, calls: list[tuple[int, float]]
    ) -> None:
        pace = Pace(None, per_minute)
        starts: list[tuple[float, int]] = []

        async def call(units: int, delay: float) -> None:
            await anyio.sleep(delay)
            await pace.wait(units)
            starts.append((anyio.current_time(), units))

        await together(*(lambda c=c: call(*c) for c in calls))
        starts.sort()
        for first, (begin, _) in enumerate(starts):
            minute = [units for at, units in starts[first:] if at < begin + 59.999]
            assert sum(minute[:-1]) <= per_minute * 1.001


LIMITS = ["max_calls", "max_tokens_spent", "max_cost"]
DOLLAR = Price(1_000_000, 1_000_000)  # one for each token


def purse(limit: str, most: float) -> Purse:
    options = DistillOptions.from_mapping({limit: most})
    return Purse(options, DOLLAR)


class TestPurse:
    async def test_without_limits_all_is_allowed_and_counted(self) -> None:
        held = Purse(DistillOptions(), Price(2.0, 10.0))
        async with held.paying(Usage(10**9, 10**9)):
            held.pay(Usage(1_000_000, 100_000))
        assert (held.calls, held.usage, held.cost) == (1, Usage(1_000_000, 100_000), 3.0)
        assert Purse(DistillOptions(), None).cost is None

    @pytest.mark.parametrize("limit", LIMITS)
    async def test_the_limit_itself_may_be_reached_but_not_passed(self, limit: str) -> None:
        unit = Usage(1, 0)
        held = purse(limit, 3)
        for _ in range(3):
            async with held.paying(unit):
                held.pay(unit)
        with pytest.raises(LimitExceededError) as caught:
            await held.paying(unit).__aenter__()
        assert caught.value.limit == limit
        assert str(caught.value).startswith(f"{limit}=3")
        assert "3 calls, 3 tokens and $3.0000 are spent" in str(caught.value)

    async def test_cents_are_not_lost_to_rounding(self) -> None:
        held = Purse(DistillOptions(max_cost=0.3), Price(0.1, 0.0))
        for _ in range(3):
            async with held.paying(Usage(1_000_000, 0)):
                held.pay(Usage(1_000_000, 0))
        assert held.cost == pytest.approx(0.3)

    @pytest.mark.parametrize("limit", LIMITS)
    async def test_a_limit_of_nothing_refuses_the_first_call(self, limit: str) -> None:
        with pytest.raises(LimitExceededError):
            await purse(limit, 0).paying(Usage(1, 0)).__aenter__()

    async def test_it_waits_for_calls_in_flight_before_it_refuses(self) -> None:
        held = purse("max_tokens_spent", 100)
        order: list[str] = []

        async def dear_but_cheap_in_the_end() -> None:
            async with held.paying(Usage(80, 0)):
                await anyio.sleep(1)
                held.pay(Usage(10, 0))
                order.append("first")

        async def waits() -> None:
            await checkpoint()
            async with held.paying(Usage(80, 0)):
                order.append("second")
                held.pay(Usage(80, 0))

        await together(dear_but_cheap_in_the_end, waits)
        assert order == ["first", "second"]
        assert held.usage.total == 90

    async def test_what_failed_or_was_cancelled_gives_its_room_back(self) -> None:
        held = purse("max_tokens_spent", 100)
        with pytest.raises(ValueError, match="failed"):
            async with held.paying(Usage(100, 0)):
                raise ValueError("failed")
        with anyio.move_on_after(1):
            async with held.paying(Usage(100, 0)):
                await anyio.sleep_forever()
        async with held.paying(Usage(100, 0)):
            pass
        assert held.usage.total == 0

    async def test_giving_up_while_waiting_holds_nothing(self) -> None:
        held = purse("max_calls", 1)
        async with held.paying(Usage(1, 0)):
            with anyio.move_on_after(1) as scope:
                await held.paying(Usage(1, 0)).__aenter__()
            assert scope.cancelled_caught
        async with held.paying(Usage(1, 0)):
            pass

    @on_both
    @given(
        st.sampled_from(LIMITS),
        st.integers(0, 300),
        st.lists(
            st.tuples(
                st.integers(0, 80),
                st.sampled_from([0.0, 0.3, 1.0]),
                st.integers(0, 3),
                st.integers(0, 4),
                st.booleans(),
            ),
            max_size=20,
        ),
    )
    async def test_spent_and_the_worst_of_all_in_flight_never_pass_a_limit(
        self, limit: str, most: int, calls: list[tuple[int, float, int, int, bool]]
    ) -> None:
        most = most // 20 if limit == "max_calls" else most
        held = purse(limit, most)
        flying: list[Usage] = []
        refused = 0

        def within() -> None:
            worst = sum(flying, held.usage)
            value = held.calls + len(flying) if limit == "max_calls" else worst.total
            assert value <= most

        async def call(tokens: int, share: float, delay: int, seconds: int, fails: bool) -> None:
            nonlocal refused
            await anyio.sleep(delay)
            worst, used = Usage(tokens, tokens), Usage(int(tokens * share), tokens)
            try:
                async with held.paying(worst):
                    flying.append(worst)
                    within()
                    await anyio.sleep(seconds)
                    flying.remove(worst)
                    if not fails:
                        held.pay(used)
                    within()
            except LimitExceededError:
                assert not flying
                refused += 1

        await together(*(lambda c=c: call(*c) for c in calls))
        failed = sum(fails for *_, fails in calls)
        assert held.calls + refused <= len(calls) <= held.calls + refused + failed
        if limit != "max_calls" and sum(2 * tokens for tokens, *_ in calls) <= most:
            assert refused == 0
