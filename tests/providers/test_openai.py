"""OpenAI-compatible chat completions, against a real server that speaks many dialects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.catalog import model_profile
from orchestrator_context.exceptions import (
    ConfigurationError,
    ContextOverflowError,
    ProviderRejectedError,
    ProviderResponseError,
)
from orchestrator_context.models import Generation, Media, Price, Segment, Usage
from orchestrator_context.plugins import load_generator
from orchestrator_context.protocols import Generator
from orchestrator_context.providers.openai import OpenAIGenerator, _without_thinking
from orchestrator_context.retrying import RetryPolicy
from tests.loopback import Behaviour, Loopback, Request, fails, replies, says
from tests.overflows import OPENAI_DIALECTS, WITHOUT_FIGURES, overflows

QUICK = RetryPolicy(max_attempts=3, first_delay_seconds=0.001, max_delay_seconds=0.002)
KEY = "sk-very-secret-key"
PROMPT = "the-prompt-nobody-may-see"
MESSAGES = [Segment("be brief", role="system", kind="system"), Segment(PROMPT)]


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def generator(url: str, model: str = "m", **options: Any) -> OpenAIGenerator:
    defaults: dict[str, Any] = {"base_url": url, "api_key": KEY, "retry": QUICK}
    return OpenAIGenerator(model, **defaults | options)


async def ask(model: Generator, limit: int = 50) -> Generation:
    return await model.generate(MESSAGES, max_output_tokens=limit)


async def answer_to(behaviour: Behaviour, **options: Any) -> Generation:
    with Loopback([behaviour]) as server:
        return await ask(generator(server.url, **options))


# --- what is sent


@pytest.mark.anyio
async def test_the_request() -> None:
    history = [*MESSAGES, Segment("hello", role="assistant"), Segment("go on")]
    with Loopback() as server:
        model = generator(server.url, temperature=0.0, extra_body={"top_p": 0.5})
        answer = await model.generate(history, max_output_tokens=7)
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.json == {
        "model": "m",
        "temperature": 0.0,
        "top_p": 0.5,
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": PROMPT},
            {"role": "assistant", "content": "hello"},
            {"role": "user", "content": "go on"},
        ],
        "max_tokens": 7,
    }
    assert answer == Generation(f"echo {request.hash[:8]}", Usage(6, 2), "stop")


@pytest.mark.anyio
@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
async def test_addresses_that_mean_the_same(path: str) -> None:
    with Loopback() as server:
        await ask(generator(server.url + path))
    assert server.requests[0].path == "/v1/chat/completions"


@pytest.mark.anyio
async def test_an_address_with_a_path_of_its_own() -> None:
    with Loopback() as server:
        await ask(generator(server.url + "/openai/deployments/x?api-version=1"))
    assert server.requests[0].path == "/openai/deployments/x/chat/completions?api-version=1"


@pytest.mark.anyio
async def test_no_key_no_header() -> None:
    with Loopback() as server:
        await ask(generator(server.url, api_key=None))
    assert "authorization" not in server.requests[0].headers


@pytest.mark.anyio
async def test_address_and_key_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with Loopback() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-env")
        await ask(OpenAIGenerator("m"))
    assert server.requests[0].headers["authorization"] == "Bearer sk-env"


@pytest.mark.parametrize(
    "segment",
    [
        Segment("42", role="tool", kind="tool_result"),
        Segment("f(1)", role="assistant", kind="tool_call"),
        Segment("see", media=(Media("image"),)),
    ],
)
def test_what_cannot_be_said_is_refused_before_any_call(segment: Segment) -> None:
    with Loopback() as server, pytest.raises(ConfigurationError, match=segment.kind):
        anyio.run(lambda: generator(server.url).generate([segment], max_output_tokens=5))
    assert server.requests == []


@pytest.mark.parametrize("limit", [0, -1, True, 1.5])
def test_the_output_limit_is_checked(limit: Any) -> None:
    with pytest.raises(ConfigurationError, match="max_output_tokens"):
        anyio.run(lambda: ask(generator("http://h"), limit))
    with pytest.raises(ConfigurationError, match="at least one segment"):
        anyio.run(lambda: generator("http://h").generate([], max_output_tokens=5))


# --- the two names of the output limit


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o-mini", "max_tokens"),
        ("llama3.1:8b", "max_tokens"),
        ("gpt-oss:20b", "max_tokens"),
        ("gpt-5-mini", "max_completion_tokens"),
        ("openai/o3-mini", "max_completion_tokens"),
    ],
)
async def test_the_name_by_the_model(model: str, name: str) -> None:
    with Loopback() as server:
        await ask(generator(server.url, model))
    assert set(server.requests[0].json) == {"model", "messages", name}


def _knows_only(name: str) -> Any:
    other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[name]

    def behave(request: Request) -> Behaviour | None:
        if other not in request.json:
            return None
        return fails(
            400,
            kind="invalid_request_error",
            code="unsupported_parameter",
            param=other,
            message=f"Unsupported parameter: '{other}' is not supported with this model. Use "
            f"'{name}' instead.",
        )

    return behave


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("model", "name"), [("m", "max_completion_tokens"), ("gpt-5", "max_tokens")]
)
async def test_a_server_that_knows_the_other_name(model: str, name: str) -> None:
    once = RetryPolicy(max_attempts=1)
    with Loopback(behave=_knows_only(name)) as server:
        client = generator(server.url, model, retry=once)
        for _ in range(3):
            await ask(client)
    assert len(server.requests) == 4  # refused once, then remembered
    assert server.requests[-1].json[name] == 50 + client.profile.reasoning_tokens


@pytest.mark.anyio
async def test_many_calls_at_once_find_the_other_name() -> None:
    once = RetryPolicy(max_attempts=1)
    with Loopback(behave=_knows_only("max_completion_tokens"), delay_seconds=0.02) as server:
        async with (
            generator(server.url, retry=once) as client,
            anyio.create_task_group() as tasks,
        ):
            for _ in range(32):
                tasks.start_soon(ask, client)
        await ask(client)
        names = [set(request.json) - {"model", "messages"} for request in server.requests]
    assert names.count({"max_completion_tokens"}) == 33
    assert names.count({"max_tokens"}) <= 32


@pytest.mark.anyio
async def test_a_server_that_knows_neither_name() -> None:
    def behave(request: Request) -> Behaviour:
        return fails(422, message="max_tokens, max_completion_tokens: extra_forbidden")

    with Loopback(behave=behave) as server:
        client = generator(server.url)
        for _ in range(2):
            with pytest.raises(ProviderRejectedError):
                await ask(client)
    assert ["max_tokens" in request.json for request in server.requests] == [True, False] * 2


@pytest.mark.anyio
async def test_another_unsupported_parameter_switches_nothing() -> None:
    refusal = fails(
        400,
        code="unsupported_value",
        param="temperature",
        message="Unsupported value: 'temperature' does not support 0.2. (max_tokens is fine)",
    )
    with Loopback(behave=lambda request: refusal) as server, pytest.raises(ProviderRejectedError):
        await ask(generator(server.url, temperature=0.2))
    assert len(server.requests) == 1


# --- reasoning


@pytest.mark.parametrize(
    ("model", "given", "room"),
    [("gpt-5-mini", None, 4_096), ("o4-mini", None, 4_096), ("gpt-4o", None, 0), ("gpt-5", 9, 9)],
)
def test_models_that_reason_get_room_for_it(model: str, given: int | None, room: int) -> None:
    profile = generator("http://h", model, reasoning_tokens=given).profile
    assert profile.reasoning_tokens == room
    assert profile.window == (model_profile(model).window or 0) - room


@pytest.mark.anyio
async def test_room_for_reasoning_is_added_to_the_limit_and_taken_off_the_window() -> None:
    with Loopback() as server:
        model = generator(server.url, window=8_000, reasoning_tokens=3_000)
        await ask(model, 500)
    assert server.requests[0].json["max_tokens"] == 3_500
    assert model.profile.window == 5_000
    with pytest.raises(ConfigurationError, match="leave nothing"):
        generator("http://h", window=3_000, reasoning_tokens=3_000)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<think>hm</think>\n\nParis", "Paris"),
        ("\n<think>\n\n</think>\nParis </think>", "Paris </think>"),
        ("It says <think>hm</think> there", "It says <think>hm</think> there"),
        ("Paris</think>", "Paris</think>"),
    ],
)
async def test_thinking_at_the_start_is_taken_off(written: str, read: str) -> None:
    assert (await answer_to(says(written))).text == read


# --- what comes back


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
        ([{"type": "thinking", "text": "hm"}, {"type": "text", "text": "b"}], "b"),
        ("  kept as it is \n", "  kept as it is \n"),
        ("half \ud83d", "half \ufffd"),
    ],
)
async def test_the_text(content: object, text: str) -> None:
    assert (await answer_to(says(content))).text == text


@pytest.mark.anyio
@pytest.mark.parametrize(
    "content",
    [None, "", "  \n", "\u200b\ufeff", [], [{"type": "image"}], 7, "<think>hm</think>", "<think>h"],
)
async def test_no_text_is_a_failure_and_tried_again(content: object) -> None:
    with (
        Loopback(behave=lambda request: says(content)) as server,
        pytest.raises(ProviderResponseError, match="without any text") as caught,
    ):
        await ask(generator(server.url))
    assert len(server.requests) == 3
    assert PROMPT not in str(caught.value)


@pytest.mark.anyio
async def test_a_blank_answer_may_be_followed_by_a_good_one() -> None:
    with Loopback([says(""), says("  "), says("fine")]) as server:
        assert (await ask(generator(server.url))).text == "fine"


@pytest.mark.anyio
async def test_output_spent_on_reasoning() -> None:
    with (
        Loopback(behave=lambda request: says("", finish="length")) as server,
        pytest.raises(ProviderResponseError, match="raise reasoning_tokens"),
    ):
        await ask(generator(server.url))


@pytest.mark.anyio
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"choices": []},
        {"choices": {}},
        {"choices": [None]},
        {"choices": [{"message": "x"}]},
        {"choices": [{"message": {"content": {"text": "x"}}}]},
    ],
)
async def test_an_answer_of_another_shape(body: object) -> None:
    with (
        Loopback(behave=lambda request: replies(body)) as server,
        pytest.raises(ProviderResponseError),
    ):
        await ask(generator(server.url))
    assert len(server.requests) == 3


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message", [{"content": None, "refusal": "no"}, {"content": "", "refusal": "no"}]
)
async def test_a_refusal_is_not_tried_again(message: Mapping[str, object]) -> None:
    refusal = replies({"choices": [{"message": message, "finish_reason": "stop"}]})
    filtered = says(None, finish="content_filter")
    for behaviour in (refusal, filtered):
        with (
            Loopback([behaviour]) as server,
            pytest.raises(ProviderRejectedError, match="refused to answer"),
        ):
            await ask(generator(server.url))
        assert len(server.requests) == 1


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("finish", "reason"),
    [("stop", "stop"), ("eos", "stop"), ("length", "length"), ("tool_calls", "other")],
)
async def test_finish_reasons(finish: str, reason: str) -> None:
    assert (await answer_to(says("x", finish=finish))).finish_reason == reason


@pytest.mark.anyio
@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": 3},
        {"prompt_tokens": "3", "completion_tokens": 1},
        {"prompt_tokens": -1, "completion_tokens": 1},
        {"prompt_tokens": True, "completion_tokens": 1},
        {"prompt_tokens": 10**400, "completion_tokens": 1},
    ],
)
async def test_usage_that_is_none(usage: object) -> None:
    body = {"choices": [{"message": {"content": "x"}, "finish_reason": None}], "usage": usage}
    answer = await answer_to(replies(body))
    assert answer == Generation("x", None, "other")


# --- overflow


@pytest.mark.anyio
@pytest.mark.parametrize("dialect", OPENAI_DIALECTS)
async def test_every_dialect_of_overflow(dialect: str) -> None:
    with (
        Loopback(behave=lambda request: overflows(dialect, 9_000, 8_192)) as server,
        pytest.raises(ContextOverflowError) as caught,
    ):
        await ask(generator(server.url))
    error = caught.value
    figures = (None, None) if dialect in WITHOUT_FIGURES else (9_000, 8_192)
    assert (error.needed, error.available) == figures
    assert len(server.requests) == 1
    assert error.status == (500 if dialect == "ollama-bare" else 200 if "200" in dialect else 400)


# --- construction


def test_openai_itself_needs_a_key() -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        OpenAIGenerator("gpt-5")
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        OpenAIGenerator("gpt-5", base_url="https://api.openai.com/v1", api_key="")


def test_nothing_shows_the_key() -> None:
    model = generator("http://host:1/v1?key=other-secret")
    assert repr(model) == "OpenAIGenerator('m', base_url='http://host:1/v1')"


@pytest.mark.parametrize(
    "options",
    [
        {"temperature": -0.1},
        {"temperature": float("nan")},
        {"reasoning_tokens": -1},
        {"timeout_seconds": 0},
        {"extra_body": {"messages": []}},
        {"extra_body": "x"},
        {"extra_body": {"max_tokens": 5}},
        {"extra_body": {"x": float("nan")}},
        {"window": 0},
        {"base_url": "localhost"},
        {"api_key": "sk\n"},
    ],
)
def test_arguments_that_cannot_be_used(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        generator("http://h", **options)


def test_the_profile() -> None:
    known = generator("http://h", "gpt-4o")
    assert known.profile.window == 128_000
    assert known.profile.counter.exact
    mine = generator("http://h", "mine", window=4_096, price=Price(1.0, 2.0))
    assert (mine.profile.name, mine.profile.window, mine.profile.price) == (
        "mine", 4_096, Price(1.0, 2.0),
    )  # fmt: skip
    assert generator("http://h", "mine").profile.window is None


def test_it_is_found_by_name() -> None:
    model = load_generator("openai:llama3.1:8b", base_url="http://h")
    assert isinstance(model, OpenAIGenerator)
    assert model.profile.name == "llama3.1:8b"


@pytest.mark.anyio
async def test_it_keeps_its_connection_inside_the_block() -> None:
    with Loopback() as server:
        async with generator(server.url) as model:
            await ask(model)
            await ask(model)
        assert server.connected == 1


@given(st.text())
def test_an_answer_is_never_cut_in_its_middle(text: str) -> None:
    assert text.endswith(_without_thinking(text))
    assert _without_thinking("<think>" + text.replace("</think>", "") + "</think>ok") == "ok"
