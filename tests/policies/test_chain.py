from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import ClassVar, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.policy import OVERFLOWS, ContextPolicy
from orchestrator_context.conversation.view import View, finalize
from orchestrator_context.exceptions import (
    BudgetExceededError,
    ConfigurationError,
    SummaryError,
    UnknownWindowError,
)
from orchestrator_context.models import Budget, Segment
from orchestrator_context.policies import (
    Chain,
    DropOldest,
    ElideMiddle,
    SlidingWindow,
    Strict,
    Summarize,
)
from tests.conversation.references import fitted
from tests.conversation.strategies import (
    WORDS,
    assistant,
    call,
    conversations,
    result,
    system,
    user,
)

pytestmark = pytest.mark.anyio
LONG = "word " * 300
VIEW = View.of(
    [
        system("S"),
        user("q"),
        call("a"),
        result("a", LONG),
        *[user("three more words")] * 40,
        user("now"),
    ],
    counter=WORDS,
)
ELIDES = ElideMiddle(drops=False)


@dataclass(frozen=True)
class Fails:
    """A policy whose model is out of reach."""

    kind: ClassVar[str] = "fails"

    async def fit(self, view: View, budget: Budget) -> View:  # noqa: ARG002 - as the protocol
        raise SummaryError("no luck", failures=("TimeoutError",))

    def to_mapping(self) -> dict[str, object]:
        return {"kind": self.kind}


async def test_the_first_that_can_wins_and_sees_the_view_as_it_was() -> None:
    chain = Chain(ELIDES, SlidingWindow(keep_last=3), DropOldest())
    cheap = await chain.fit(VIEW, Budget(200))
    assert cheap.report.policy == "elide_middle"
    assert cheap.report.dropped == ()
    dear = await chain.fit(VIEW, Budget(60))
    assert dear.report.policy == "sliding_window"
    assert (dear.report.elided.total, len(dear)) == (0, 4)


async def test_each_goes_on_with_what_the_one_before_has_left() -> None:
    chain = Chain(ELIDES, DropOldest(low_water=1), mode="each")
    after = await chain.fit(VIEW, Budget(100))
    assert after.report.policy == "elide_middle+drop_oldest"
    assert after.report.fits
    only = await DropOldest(low_water=1).fit(VIEW, Budget(100))
    assert len(after) >= len(only)


@pytest.mark.parametrize("nested", [False, True])
async def test_what_a_later_policy_made_fit_is_left_alone_the_next_time(nested: bool) -> None:
    whole = ElideMiddle(truncates_newest=True, keep_recent=1, low_water=1)
    chain = Chain(SlidingWindow(2), Chain(Strict(), whole) if nested else whole)
    talk = View.of([*[user("short")] * 9, user(LONG)], counter=WORDS)
    once = await chain.fit(talk, Budget(200))
    assert once.report.policy == "elide_middle"
    assert len(once) > 2
    twice = await chain.fit(once, Budget(200))
    assert (twice.segments, twice.report) == (once.segments, once.report)
    less = await chain.fit(once, Budget(100))
    assert less.report.fits
    assert less.report.tokens <= 100


SHORT = View.of([user(f"turn {number} of ten") for number in range(10)], counter=WORDS)


@pytest.mark.parametrize("elsewhere", [SlidingWindow(8), DropOldest(low_water=1)], ids=repr)
async def test_what_another_policy_of_the_same_kind_has_fitted_is_not_left_alone(
    elsewhere: ContextPolicy,
) -> None:
    budget = Budget(35)
    before = await elsewhere.fit(SHORT, budget)
    assert len(before) == 8
    chain = Chain(SlidingWindow(4), DropOldest())
    after = await chain.fit(before, budget)
    assert len(after) == 4
    assert (await chain.fit(after, budget)).segments == after.segments
    other = Chain(SlidingWindow(2), DropOldest())
    assert len(await other.fit(after, budget)) == 2
    same = Chain(SlidingWindow(4), DropOldest())
    assert (await same.fit(after, budget)).segments == after.segments


async def test_what_was_changed_after_a_chain_is_not_left_alone() -> None:
    whole = ElideMiddle(truncates_newest=True, keep_recent=1, low_water=1)
    chain = Chain(SlidingWindow(2), whole)
    talk = View.of([*[user("short")] * 9, user(LONG)], counter=WORDS)
    once = await chain.fit(talk, Budget(200))
    less = await SlidingWindow(4).fit(once, Budget(200))
    assert (len(once), len(less), len(await chain.fit(less, Budget(200)))) == (10, 4, 2)


CHAINS = st.builds(
    lambda policies, mode: Chain(*policies, mode=mode, on_overflow="return"),
    st.lists(
        st.builds(SlidingWindow, st.integers(1, 6), on_overflow=st.sampled_from(OVERFLOWS))
        | st.builds(DropOldest, st.sampled_from([0.0, 0.5, 1.0]), keep_recent=st.integers(1, 3))
        | st.builds(ElideMiddle, min_characters=st.integers(1, 50), truncates_newest=st.booleans())
        | st.just(Strict()),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["first", "each"]),
)


@settings(max_examples=100, deadline=None)
@given(CHAINS, conversations(), st.floats(0.05, 1), st.floats(0.05, 1))
def test_what_a_chain_made_fit_it_leaves_alone(
    chain: Chain, segments: tuple[Segment, ...], share: float, before: float
) -> None:
    view = View.of(segments, counter=WORDS)
    view = fitted(DropOldest(on_overflow="return"), view, Budget(max(1, int(view.tokens * before))))
    budget = Budget(max(1, int(view.tokens * share)))
    once = fitted(chain, view, budget)
    if once.report.fits:
        twice = fitted(chain, once, budget)
        assert (twice.segments, twice.report) == (once.segments, once.report)
        copied = pickle.loads(pickle.dumps(once))
        assert fitted(chain, copied, budget).segments == once.segments


async def test_a_chain_in_a_chain_does_its_part() -> None:
    inner = Chain(ELIDES, Strict(), mode="each")
    after = await Chain(inner, DropOldest(), mode="each").fit(VIEW, Budget(50))
    assert after.report.fits
    assert after.report.policy.endswith("+drop_oldest")
    after = await Chain(Chain(ELIDES), Chain(DropOldest())).fit(VIEW, Budget(50))
    assert after.report.policy == "drop_oldest"


async def test_where_none_can_the_last_says_what_it_needs() -> None:
    for mode in ("first", "each"):
        with pytest.raises(BudgetExceededError) as caught:
            await Chain(ELIDES, DropOldest(), mode=mode).fit(VIEW, Budget(1))
        assert (caught.value.needed, caught.value.available) == (2, 1)
    view = await Chain(Strict(), on_overflow="return").fit(VIEW, Budget(1))
    assert view.segments == VIEW.segments
    assert not view.report.fits


async def test_a_policy_that_fails_is_noted_and_the_next_goes_on() -> None:
    after = await Chain(Fails(), DropOldest()).fit(VIEW, Budget(50))
    assert after.report.fits
    assert after.report.failures == ("TimeoutError",)
    assert "FAILED TimeoutError" in after.report.summary()
    with pytest.raises(SummaryError):
        await Chain(Strict(), Fails()).fit(VIEW, Budget(50))


async def test_what_fits_is_the_same() -> None:
    after = await Chain(ELIDES, DropOldest(), mode="each").fit(VIEW, Budget(10_000))
    assert after.segments == VIEW.segments
    assert after.report.policy == "none"


async def test_an_unknown_window_is_refused_by_all() -> None:
    with pytest.raises(UnknownWindowError):
        await Chain(Strict(), DropOldest()).fit(VIEW, Budget())


async def test_what_is_no_policy_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="at least one policy"):
        Chain()
    with pytest.raises(ConfigurationError, match="str is none"):
        Chain("drop_oldest")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r"Chain\.mode"):
        Chain(Strict(), mode="last")  # type: ignore[arg-type]
    assert isinstance(Chain(Strict()), ContextPolicy)


@pytest.mark.parametrize("mode", ["first", "each"])
async def test_what_is_a_little_over_is_counted_as_it_is_sent(
    mode: Literal["first", "each"],
) -> None:
    bare = [user("one"), call("a"), user("two"), assistant("yes"), user("now")]
    view = View.of(bare, counter=WORDS)  # a result is put in for the call
    budget = Budget(view.tokens - 1)
    over = await Chain(Strict(), mode=mode, on_overflow="return").fit(view, budget)
    assert not over.report.fits
    assert over.report.tokens == view.tokens == WORDS.count_messages(finalize(over))
    assert view.ledger.total != view.tokens  # or the sum of the segments would do as well


@pytest.mark.anyio
async def test_a_policy_that_needs_tokens_gives_way_where_only_bytes_are_known() -> None:
    said = [Segment("word " * 20) for _ in range(9)]
    view = await Chain(Summarize(), DropOldest()).fit(View.of(said), Budget(max_bytes=300))
    assert view.report.fits
    assert view.report.policy == "drop_oldest"
