"""The Messages API of Anthropic, against a real server that speaks it."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from orchestrator_context.exceptions import (
    ConfigurationError,
    ContextOverflowError,
    ProviderRejectedError,
    ProviderResponseError,
    ProviderUnavailableError,
)
from orchestrator_context.models import Generation, Media, Segment, Usage
from orchestrator_context.plugins import load_generator
from orchestrator_context.providers.anthropic import AnthropicGenerator
from orchestrator_context.retrying import RetryPolicy
from tests.loopback import Behaviour, Loopback, fails, replies, says
from tests.overflows import ANTHROPIC_DIALECTS, overflows

QUICK = RetryPolicy(max_attempts=3, first_delay_seconds=0.001, max_delay_seconds=0.002)
KEY = "sk-ant-very-secret-key"
PROMPT = "the-prompt-nobody-may-see"
MESSAGES = [Segment("be brief", role="system", kind="system"), Segment(PROMPT)]


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def generator(url: str, **options: Any) -> AnthropicGenerator:
    defaults: dict[str, Any] = {"base_url": url, "api_key": KEY, "retry": QUICK}
    return AnthropicGenerator("claude-sonnet-4-5", **defaults | options)


async def ask(model: AnthropicGenerator) -> Generation:
    return await model.generate(MESSAGES, max_output_tokens=50)


async def answer_to(behaviour: Behaviour) -> Generation:
    with Loopback([behaviour]) as server:
        return await ask(generator(server.url))


@pytest.mark.anyio
async def test_the_request() -> None:
    history = [
        *MESSAGES,
        Segment("hello", role="assistant"),
        Segment("be kind", role="system"),
        Segment("one"),
        Segment("two"),
    ]
    with Loopback() as server:
        model = generator(server.url, temperature=0.0)
        answer = await model.generate(history, max_output_tokens=7)
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/v1/messages")
    assert request.headers["x-api-key"] == KEY
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in request.headers
    assert request.json == {
        "model": "claude-sonnet-4-5",
        "system": "be brief\n\nbe kind",
        "temperature": 0.0,
        "messages": [
            {"role": "user", "content": PROMPT},
            {"role": "assistant", "content": "hello"},
            {"role": "user", "content": "one"},
            {"role": "user", "content": "two"},
        ],
        "max_tokens": 7,
    }
    assert answer == Generation(f"echo {request.hash[:8]}", Usage(8, 2), "stop")


@pytest.mark.anyio
@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
async def test_addresses_that_mean_the_same(path: str) -> None:
    with Loopback() as server:
        await ask(generator(server.url + path))
        await ask(generator(server.url + "/gate" + path))
    assert [r.path for r in server.requests] == ["/v1/messages", "/gate/v1/messages"]


@pytest.mark.anyio
async def test_it_counts_tokens() -> None:
    with Loopback([fails(529)]) as server:
        model = generator(server.url, temperature=0.5)
        assert await model.count_tokens(MESSAGES) == 3
    request = server.requests[-1]
    assert request.path == "/v1/messages/count_tokens"
    assert set(request.json) == {"model", "system", "messages"}


@pytest.mark.anyio
@pytest.mark.parametrize("count", [None, "3", -1, True, 1.5])
async def test_a_count_that_is_none(count: object) -> None:
    with (
        Loopback(behave=lambda request: replies({"input_tokens": count})) as server,
        pytest.raises(ProviderResponseError, match="count of tokens"),
    ):
        await generator(server.url).count_tokens(MESSAGES)
    assert len(server.requests) == 3


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "b"}], "b"),
    ],
)
async def test_the_text(content: object, text: str) -> None:
    assert (await answer_to(says(content))).text == text


@pytest.mark.anyio
@pytest.mark.parametrize("content", [None, "", "  \n", [], [{"type": "thinking"}]])
async def test_no_text_is_a_failure_and_tried_again(content: object) -> None:
    with (
        Loopback(behave=lambda request: says(content, finish="max_tokens")) as server,
        pytest.raises(ProviderResponseError, match="raise max_output_tokens"),
    ):
        await ask(generator(server.url))
    assert len(server.requests) == 3


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "other"),
    ],
)
async def test_finish_reasons(finish: str, reason: str) -> None:
    assert (await answer_to(says("x", finish=finish))).finish_reason == reason


@pytest.mark.anyio
async def test_a_refusal_is_not_tried_again() -> None:
    with (
        Loopback([says("I will not", finish="refusal")]) as server,
        pytest.raises(ProviderRejectedError, match="refused to answer"),
    ):
        await ask(generator(server.url))
    assert len(server.requests) == 1


@pytest.mark.anyio
async def test_cached_tokens_were_read_too() -> None:
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 10,
        "cache_read_input_tokens": 200,
        "output_tokens": 5,
    }
    body = {"content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn", "usage": usage}
    assert (await answer_to(replies(body))).usage == Usage(213, 5)
    assert (await answer_to(says("x", usage=False))).usage is None


@pytest.mark.anyio
@pytest.mark.parametrize("dialect", ANTHROPIC_DIALECTS)
async def test_every_dialect_of_overflow(dialect: str) -> None:
    with (
        Loopback(behave=lambda request: overflows(dialect, 209_000, 200_000)) as server,
        pytest.raises(ContextOverflowError) as caught,
    ):
        await ask(generator(server.url))
    assert (caught.value.needed, caught.value.available) == (209_000, 200_000)
    assert len(server.requests) == 1


@pytest.mark.anyio
async def test_overload_passes_and_a_spending_limit_does_not() -> None:
    with (
        Loopback(behave=lambda request: fails(529, kind="overloaded_error")) as server,
        pytest.raises(ProviderUnavailableError, match=r"529 \(overloaded_error\)") as caught,
    ):
        await ask(generator(server.url))
    assert len(server.requests) == 3
    assert KEY not in str(caught.value)
    assert PROMPT not in str(caught.value)
    error = {"type": "rate_limit_error", "details": {"error_code": "enforced_spend_limit_reached"}}
    with (
        Loopback([replies({"type": "error", "error": error}, 429)]) as server,
        pytest.raises(ProviderRejectedError, match="credit"),
    ):
        await ask(generator(server.url))


@pytest.mark.parametrize(
    ("segments", "match"),
    [
        ([Segment("42", role="tool", kind="tool_result")], "no call_id"),
        ([Segment("see", media=(Media("image"),))], "neither data nor a url"),
        ([Segment("only", role="system", kind="system")], "without a user segment"),
        ([], "at least one segment"),
    ],
)
def test_what_cannot_be_sent_is_refused_before_any_call(
    segments: list[Segment], match: str
) -> None:
    with Loopback() as server:
        model = generator(server.url)
        with pytest.raises(ConfigurationError, match=match):
            anyio.run(lambda: model.generate(segments, max_output_tokens=5))
        with pytest.raises(ConfigurationError, match=match):
            anyio.run(model.count_tokens, segments)
    assert server.requests == []


def test_anthropic_itself_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="ANTHROPIC_API_KEY"):
        AnthropicGenerator("claude-sonnet-4-5")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    model = AnthropicGenerator("claude-sonnet-4-5")
    shown = "AnthropicGenerator('claude-sonnet-4-5', base_url='https://api.anthropic.com/v1')"
    assert repr(model) == shown
    assert AnthropicGenerator("m", base_url="http://gate:1", api_key="").profile.window is None


def test_the_profile() -> None:
    profile = generator("http://h").profile
    assert profile.window == 200_000
    assert not profile.counter.exact
    assert profile.price is not None
    with pytest.raises(ConfigurationError, match="temperature"):
        generator("http://h", temperature=1.5)


def test_it_is_found_by_name() -> None:
    model = load_generator("anthropic:claude-sonnet-4-5", base_url="http://h")
    assert isinstance(model, AnthropicGenerator)


@pytest.mark.anyio
async def test_it_keeps_its_connection_inside_the_block() -> None:
    with Loopback() as server:
        async with generator(server.url) as model:
            await ask(model)
            await model.count_tokens(MESSAGES)
        assert server.connected == 1
