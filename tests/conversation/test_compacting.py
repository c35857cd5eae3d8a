from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from orchestrator_context import distill
from orchestrator_context.conversation import HistoryOptions, HistoryPolicy, policy_from_mapping
from orchestrator_context.distill import DistillOptions
from orchestrator_context.events import ContextReduced, Event
from orchestrator_context.exceptions import (
    ConfigurationError,
    ContextOverflowError,
    ProviderUnavailableError,
)
from orchestrator_context.models import Document, Generation, Segment
from orchestrator_context.policies.chain import Chain
from orchestrator_context.policies.drop_oldest import DropOldest
from orchestrator_context.policies.sliding_window import SlidingWindow
from orchestrator_context.policies.strict import Strict
from orchestrator_context.policies.summarize import Summarize
from orchestrator_context.protocols import Generator, ModelProfile
from orchestrator_context.providers.openai import OpenAIGenerator
from orchestrator_context.retrying import RetryPolicy
from orchestrator_context.testing import ScriptedGenerator
from orchestrator_context.tokens import token_counter
from tests.conversation.talks import Reader, turns
from tests.loopback import Loopback, Request, fails, says
from tests.overflows import OPENAI_DIALECTS, WITHOUT_FIGURES, overflows

pytestmark = pytest.mark.anyio

COUNTER = token_counter()
SYSTEM = Segment("Be brief.", "system", "system")
OUTPUT = 500
PROMPT_ONLY = ("openai", "vllm", "llamacpp", "ollama", "lmstudio", "lmstudio-keep")


def counted(request: Request) -> int:
    """The tokens of a prompt as the server counts them, which is as we do."""
    messages = request.json["messages"]
    return COUNTER.count_messages([Segment(one["content"], one["role"]) for one in messages])


def server_with(window: int, dialect: str = "openai", more: float = 1.0) -> Any:
    """A behaviour: a window for prompt and answer, by a tokenizer that counts `more`.

    Some dialects tell the size of the prompt, some of the prompt and the answer together.
    """

    def behave(request: Request) -> Any:
        needed = int(counted(request) * more)
        told = needed if dialect in PROMPT_ONLY else needed + OUTPUT
        return overflows(dialect, told, window) if needed + OUTPUT > window else says("fine")

    return behave


def openai(server: Loopback, window: int | None) -> OpenAIGenerator:
    return OpenAIGenerator(
        "some-model",
        base_url=server.url,
        window=window,
        counter=COUNTER,
        retry=RetryPolicy(max_attempts=3, first_delay_seconds=0.001),
    )


def history(count: int = 200) -> list[Segment]:
    return [SYSTEM, *turns(count, 40), Segment("And now?")]


async def ask(model: Generator, messages: Sequence[Segment], output: int = OUTPUT) -> str:
    return (await model.generate(messages, max_output_tokens=output)).text


@pytest.mark.parametrize("mode", ["last_resort", "proactive"])
async def test_what_fits_is_sent_as_it_is_and_nobody_is_told(mode: Any) -> None:
    events: list[Event] = []
    with Loopback(behave=server_with(8_192)) as server:
        model = HistoryPolicy(mode).wrap(openai(server, 8_192), observer=events.append)
        messages = [SYSTEM, Segment(""), Segment("Hi", "assistant"), Segment("Hi again")]
        assert await ask(model, messages) == "fine"
        assert server.requests[0].texts == [one.content for one in messages]
    assert events == []
    assert len(server.requests) == 1


async def test_a_refused_request_is_compacted_and_sent_once_more() -> None:
    events: list[Event] = []
    with Loopback(behave=server_with(4_000)) as server:
        model = HistoryPolicy().wrap(openai(server, 8_000), observer=events.append)
        assert await ask(model, history()) == "fine"
    first, second = server.requests
    assert first.texts == [one.content for one in history()]
    assert second.texts[0] == SYSTEM.content
    assert second.texts[-1] == "And now?"
    assert counted(second) + OUTPUT <= 4_000
    (event,) = events
    assert isinstance(event, ContextReduced)
    assert (event.tokens, event.candidates) == (counted(second), len(history()))
    assert "turn-" not in repr(event)


async def test_what_is_known_not_to_fit_is_compacted_before_the_first_attempt() -> None:
    events: list[Event] = []
    with Loopback(behave=server_with(4_000)) as server:
        model = HistoryPolicy("proactive").wrap(openai(server, 4_000), observer=events.append)
        assert await ask(model, history()) == "fine"
    assert len(server.requests) == 1
    assert counted(server.requests[0]) + OUTPUT <= 4_000
    assert len(events) == 1


@pytest.mark.parametrize("more", [1.0, 1.5])
@pytest.mark.parametrize("window", [None, 100_000])
@pytest.mark.parametrize("dialect", [one for one in OPENAI_DIALECTS if one not in WITHOUT_FIGURES])
async def test_the_figures_of_the_service_decide(
    dialect: str, window: int | None, more: float
) -> None:
    with Loopback(behave=server_with(4_000, dialect, more)) as server:
        assert await ask(HistoryPolicy().wrap(openai(server, window)), history()) == "fine"
    assert len(server.requests) == 2
    assert int(counted(server.requests[1]) * more) > 1_500  # no more is lost than it must


@pytest.mark.parametrize("more", [0.9, 1.0, 1.02, 1.5])
@pytest.mark.parametrize("dialect", ["openai", "openai-completion"])
async def test_figures_are_understood_with_the_answer_and_without(
    dialect: str, more: float
) -> None:
    policy = HistoryPolicy(options=HistoryOptions(low_water=1.0))  # not a token more than it must
    with Loopback(behave=server_with(4_000, dialect, more)) as server:
        assert await ask(policy.wrap(openai(server, None)), history()) == "fine"
    assert len(server.requests) == 2
    assert int(counted(server.requests[1]) * more) > 2_900


@pytest.mark.parametrize("dialect", WITHOUT_FIGURES)
async def test_without_figures_the_known_window_decides(dialect: str) -> None:
    with Loopback(behave=server_with(4_000, dialect)) as server:
        assert await ask(HistoryPolicy().wrap(openai(server, 4_000)), history()) == "fine"
    assert len(server.requests) == 2
    with Loopback(behave=server_with(4_000, dialect, 1.2)) as server:  # it counts more than we do
        said = history(75)
        assert COUNTER.count_messages(said) + OUTPUT <= 4_000
        assert await ask(HistoryPolicy().wrap(openai(server, 4_000)), said) == "fine"
    assert len(server.requests) == 2


@pytest.mark.parametrize("dialect", WITHOUT_FIGURES)
@pytest.mark.parametrize("mode", ["last_resort", "proactive"])
async def test_where_nobody_knows_the_window_nothing_is_compacted(mode: Any, dialect: str) -> None:
    events: list[Event] = []
    with Loopback(behave=server_with(4_000, dialect)) as server:
        model = HistoryPolicy(mode).wrap(openai(server, None), observer=events.append)
        with pytest.raises(ContextOverflowError):
            await ask(model, history())
    assert len(server.requests) == 1
    assert events == []


@pytest.mark.parametrize("mode", ["last_resort", "proactive"])
async def test_a_window_with_no_room_beside_the_answer_is_left_alone(mode: Any) -> None:
    policy = HistoryPolicy(mode, options=HistoryOptions(on_overflow="return"))
    with (
        Loopback(behave=lambda request: overflows("openai", 9_000, 4_000)) as server,
        pytest.raises(ContextOverflowError),
    ):
        await ask(policy.wrap(openai(server, 4_000)), history(), output=4_000)
    assert [one.texts for one in server.requests] == [[one.content for one in history()]]


async def test_there_is_one_retry_and_no_more() -> None:
    with (
        Loopback(behave=lambda request: overflows("openai", 9_000, 4_000)) as server,
        pytest.raises(ContextOverflowError) as caught,
    ):
        await ask(HistoryPolicy().wrap(openai(server, 8_000)), history())
    assert len(server.requests) == 2
    assert server.requests[0].texts != server.requests[1].texts
    assert caught.value.available == 4_000


async def test_what_already_fits_is_not_sent_again_as_it_was() -> None:
    with (
        Loopback(behave=lambda request: overflows("openai", 100, 8_000)) as server,
        pytest.raises(ContextOverflowError),
    ):
        await ask(HistoryPolicy().wrap(openai(server, 8_000)), [SYSTEM, Segment("Hi")])
    assert len(server.requests) == 1


@pytest.mark.parametrize("mode", ["last_resort", "proactive"])
async def test_what_cannot_be_compacted_is_the_services_to_refuse(mode: Any) -> None:
    messages = [SYSTEM, *turns(10), Segment("word " * 5_000)]
    for policy in (
        HistoryPolicy(mode),
        HistoryPolicy(mode, policy=Strict()),
        HistoryPolicy(mode, policy=Summarize(Reader(lambda *_: ""))),
        HistoryPolicy(mode, options=HistoryOptions(on_overflow="return")),
    ):
        with (
            Loopback(behave=server_with(4_000)) as server,
            pytest.raises(ContextOverflowError) as caught,
        ):
            await ask(policy.wrap(openai(server, 4_000)), messages)
        assert caught.value.needed is not None
        assert [one.texts for one in server.requests] == [[one.content for one in messages]]


async def test_our_count_does_not_refuse_what_the_service_takes() -> None:
    with Loopback() as server:
        model = HistoryPolicy("proactive").wrap(openai(server, 1_000))
        assert (await ask(model, [Segment("word " * 5_000)])).startswith("echo")


async def test_other_failures_come_through_and_are_not_compacted() -> None:
    with (
        Loopback(behave=lambda request: fails(503)) as server,
        pytest.raises(ProviderUnavailableError),
    ):
        await ask(HistoryPolicy().wrap(openai(server, 8_000)), history())
    assert len(server.requests) == 3
    assert len({one.hash for one in server.requests}) == 1


async def test_a_policy_of_ones_own_compacts() -> None:
    reader = Reader(lambda *_: "The gist.")
    policy = Chain(Summarize(reader), DropOldest())
    with Loopback(behave=server_with(4_000)) as server:
        model = HistoryPolicy(policy=policy).wrap(openai(server, 8_000))
        assert await ask(model, history()) == "fine"
    assert "The gist." in server.requests[1].texts[1]
    assert reader.calls == 1


async def test_connections_are_kept_as_long_as_somebody_uses_the_model() -> None:
    with Loopback() as server:
        model: Any = HistoryPolicy().wrap(openai(server, 8_000))
        async with model:
            async with model:
                await ask(model, [Segment("one")])
            await ask(model, [Segment("two")])
            assert server.open_connections == 1
        assert server.connected == 1
        await ask(model, [Segment("three")])
        assert server.connected == 2


async def test_a_model_that_is_no_context_manager_may_be_entered() -> None:
    scripted = ScriptedGenerator(lambda call: "yes")
    model: Any = HistoryPolicy().wrap(scripted)
    async with model:
        assert await ask(model, [Segment("Is it?")]) == "yes"
    assert model.profile == scripted.profile
    assert isinstance(model, Generator)


async def test_distill_works_with_a_wrapped_model() -> None:
    """A chunk that the service finds too large is split by distill, not shortened on the way."""
    text = "\n\n".join(f"Pump {number} runs at {number * 7} bar." for number in range(400))
    asked: list[str] = []

    def behave(request: Request) -> Any:
        asked.append(request.texts[-1])
        window = 2_500
        needed = counted(request) + 300
        if needed > window:
            return overflows("openai", needed, window)
        return says("Pumps run. [S1]")

    with Loopback(behave=behave) as server:
        model = HistoryPolicy().wrap(openai(server, 6_000))
        found = await distill(
            [Document("pumps.txt", text)],
            "Which pressure?",
            client=model,
            options=DistillOptions(concurrency=2),
        )
    assert found.report.complete
    assert found.report.failed_attempts > 0
    read = "\n".join(one for one in asked if COUNTER.count(one) < 2_200)
    assert all(f"Pump {number} runs" in read for number in range(400))


async def test_a_policy_that_is_off_wraps_nothing() -> None:
    model = ScriptedGenerator()
    assert HistoryPolicy(enabled=False).wrap(model) is model


async def test_one_request_may_go_by_another_policy_than_the_rest() -> None:
    model, told = ScriptedGenerator(lambda _: "fine", window=2_000), list[Event]()
    usual = HistoryPolicy("proactive").wrap(model, observer=told.append)
    await ask(usual, history())
    assert len(model.calls[-1].messages) < len(history())
    await ask(HistoryPolicy(enabled=False).wrap(usual), history())
    assert list(model.calls[-1].messages) == history()
    window = HistoryPolicy("proactive", policy=SlidingWindow(keep_last=3))
    await ask(window.wrap(usual), history())
    assert len(model.calls[-1].messages) == 4
    assert len(told) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"mode": "always"},
        {"enabled": 1},
        {"policy": "drop_oldest"},
        {"policy": DropOldest},
        {"options": {"keep_recent": 3}},
    ],
)
async def test_settings_that_cannot_be_used_are_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        HistoryPolicy(**wrong)


async def test_a_policy_is_described_and_made_again() -> None:
    for policy in (
        HistoryPolicy(),
        HistoryPolicy("proactive", DropOldest(low_water=0.5), HistoryOptions(keep_recent=2), False),
    ):
        assert HistoryPolicy.from_mapping(policy.to_mapping()) == policy
    assert HistoryPolicy.from_mapping({}) == HistoryPolicy()
    for wrong in ({"modes": "x"}, {"options": 3}, {"options": {"x": 1}}, {"policy": {"kind": "x"}}):
        with pytest.raises(ConfigurationError):
            HistoryPolicy.from_mapping(wrong)


async def test_what_cannot_be_described_is_given_again() -> None:
    first, second = Reader(lambda *_: "one"), Reader(lambda *_: "two")
    policy = HistoryPolicy("proactive", Chain(Summarize(first, fallback=second), DropOldest()))
    described = policy.to_mapping()
    again = HistoryPolicy.from_mapping(described, summarizer=first, fallback=second)
    assert again == policy
    with pytest.raises(ConfigurationError, match=r"pass summarizer=\.\.\. along with"):
        HistoryPolicy.from_mapping(described)
    with pytest.raises(ConfigurationError, match="'model'"):
        HistoryPolicy.from_mapping(described, summarizer=first, fallback=second, model=first)
    for bare in ({}, {"policy": None}, {"policy": DropOldest()}):
        with pytest.raises(ConfigurationError, match="'summarizer'"):
            HistoryPolicy.from_mapping(bare, summarizer=first)


async def test_a_policy_in_a_description_may_be_one_already() -> None:
    made = policy_from_mapping(Summarize(reader := Reader()).to_mapping(), summarizer=reader)
    described = HistoryPolicy().to_mapping() | {"policy": made}
    assert HistoryPolicy.from_mapping(described) == HistoryPolicy(policy=made)


async def test_an_output_limit_that_is_none_is_refused_before_any_call() -> None:
    model = ScriptedGenerator()
    with pytest.raises(ConfigurationError, match="max_output_tokens"):
        await ask(HistoryPolicy().wrap(model), [Segment("x")], output=0)
    assert not model.calls


@pytest.mark.parametrize("mode", ["proactive", "last_resort"])
async def test_a_compacted_history_is_sent_with_a_result_for_every_call(mode: str) -> None:
    def call(number: str) -> Segment:
        return Segment("{}", "assistant", "tool_call", title="f", call_id=number, message="m")

    said = [*history(), call("1"), call("2"), Segment("late", "tool", "tool_result", call_id="1")]
    model = _Refuses(window=3_000)
    wrapped = HistoryPolicy(mode=mode).wrap(model)  # type: ignore[arg-type]
    await wrapped.generate([*said, Segment("Go on."), *turns(2)], max_output_tokens=OUTPUT)
    (sent,) = model.answered
    calls = {one.call_id for one in sent if one.kind == "tool_call"}
    assert calls <= {one.call_id for one in sent if one.kind == "tool_result"}
    assert COUNTER.count_messages(sent) + OUTPUT <= 3_000


class _Refuses:
    """A model that refuses what does not fit, and remembers what it answered."""

    def __init__(self, window: int) -> None:
        self.profile = ModelProfile("small", COUNTER, window)
        self.answered: list[Sequence[Segment]] = []

    async def generate(self, messages: Sequence[Segment], *, max_output_tokens: int) -> Generation:
        needed = COUNTER.count_messages(messages) + max_output_tokens
        assert self.profile.window is not None
        if needed > self.profile.window:
            raise ContextOverflowError(
                "too large", provider="small", needed=needed, available=self.profile.window
            )
        self.answered.append(messages)
        return Generation("fine")
