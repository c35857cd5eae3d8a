"""The real SDK of Cohere against a real server that misbehaves."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable

import anyio
import cohere
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.exceptions import (
    ConfigurationError,
    ContextOverflowError,
    ProviderError,
    ProviderRejectedError,
    ProviderResponseError,
    ProviderUnavailableError,
)
from orchestrator_context.models import Generation, Media, Price, Segment, Usage
from orchestrator_context.protocols import Generator
from orchestrator_context.providers.cohere import CohereGenerator, _parts
from orchestrator_context.retrying import RetryPolicy
from orchestrator_context.tokens import precount, token_counter
from orchestrator_context.tokens.framing import UPPER
from tests.loopback import (
    HTML,
    NOT_JSON,
    NOT_OBJECT,
    Behaviour,
    Loopback,
    Request,
    cuts,
    fails,
    replies,
    says,
    waits,
)
from tests.overflows import overflows

KEY = "co-very-secret-key"
SECRET = "the-prompt-nobody-may-see"
PROMPT = [Segment("Be brief.", role="system"), Segment(SECRET), Segment("So", role="assistant")]
FRAME = UPPER.request + UPPER.message
QUICK = RetryPolicy(max_attempts=3, first_delay_seconds=0.001, max_delay_seconds=0.002)


def generator_for(
    url: str, *, retry: RetryPolicy = QUICK, timeout_seconds: float = 5.0, **options: object
) -> CohereGenerator:
    return CohereGenerator(
        "command-a-03-2025",
        api_key=KEY,
        base_url=url,
        retry=retry,
        timeout_seconds=timeout_seconds,
        **options,  # type: ignore[arg-type]
    )


async def generate(generator: CohereGenerator) -> Generation:
    return await generator.generate(PROMPT, max_output_tokens=9)


async def failure(url: str, **options: float) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await generate(generator_for(url, **options))  # type: ignore[arg-type]
    shown = "".join(traceback.format_exception(caught.value)) + str(vars(caught.value))
    assert KEY not in shown
    assert SECRET not in shown
    context = caught.value.__context__
    assert context is None or not type(context).__module__.startswith(("cohere", "httpx"))
    return caught.value


# --- answers


@pytest.mark.anyio
async def test_a_request_and_its_answer() -> None:
    with Loopback([says("An answer.")]) as server:
        generator = generator_for(server.url, temperature=0)
        assert isinstance(generator, Generator)
        answer = await generate(generator)
    (request,) = server.requests
    assert request.path == "/v2/chat"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.json == {
        "model": "command-a-03-2025",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": SECRET},
            {"role": "assistant", "content": "So"},
        ],
        "max_tokens": 9,
        "temperature": 0.0,
        "stream": False,
    }
    assert answer == Generation("An answer.", Usage(4, 2), "stop")


@pytest.mark.anyio
async def test_nothing_is_sent_for_what_was_left_to_the_service() -> None:
    with Loopback() as server:
        await generate(generator_for(server.url))
    assert "temperature" not in server.requests[0].json


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("COMPLETE", "stop"),
        ("STOP_SEQUENCE", "stop"),
        ("MAX_TOKENS", "length"),
        ("TOOL_CALL", "other"),
        ("NEW_REASON", "other"),
    ],
)
async def test_finish_reasons(reason: str, finish: str) -> None:
    with Loopback([says("text", finish=reason)]) as server:
        assert (await generate(generator_for(server.url))).finish_reason == finish


@pytest.mark.anyio
@pytest.mark.parametrize("reason", ["ERROR", "TIMEOUT"])
async def test_an_answer_that_broke_off_is_asked_for_again(reason: str) -> None:
    with Loopback([says("half an ans", finish=reason), says("whole")]) as server:
        assert (await generate(generator_for(server.url))).text == "whole"


@pytest.mark.anyio
async def test_text_is_that_of_the_text_parts() -> None:
    parts = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "one "},
        {"type": "text", "text": "two"},
    ]
    with Loopback([says(parts)]) as server:
        assert (await generate(generator_for(server.url))).text == "one two"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"billed_units": {"input_tokens": 5, "output_tokens": 2}}, Usage(5, 2)),
        (
            {
                "billed_units": {"input_tokens": 5.0, "output_tokens": 2.0},
                "tokens": {"input_tokens": 496, "output_tokens": 3},
            },
            Usage(5, 2),
        ),
        ({"tokens": {"input_tokens": 496, "output_tokens": 3}}, Usage(496, 3)),
        ({"billed_units": {"input_tokens": 5}}, None),
        ({"billed_units": {"input_tokens": "5", "output_tokens": -1}}, None),
        ({}, None),
        (None, None),
    ],
)
async def test_usage_is_what_is_billed(usage: object, counted: Usage | None) -> None:
    def behave(request: Request) -> Behaviour:
        body = {
            "id": "1",
            "finish_reason": "COMPLETE",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "x"}]},
            "usage": usage,
        }
        return replies(body)

    with Loopback(behave=behave) as server:
        assert (await generate(generator_for(server.url))).usage == counted


@pytest.mark.anyio
@pytest.mark.parametrize(
    "behaviour",
    [
        says(""),
        says(" \n\u200b"),
        says([]),
        says(None),
        says(7),
        says({"text": "x"}),
        says([{"type": "thinking", "thinking": "all"}], finish="MAX_TOKENS"),
        HTML,
        NOT_JSON,
        NOT_OBJECT,
        replies({}),
        replies({"message": None}),
        replies({"message": "text", "finish_reason": ["COMPLETE"]}),
        replies("null"),
        replies('"text"'),
    ],
)
async def test_an_answer_without_text_is_asked_for_again(behaviour: Behaviour) -> None:
    with Loopback(behave=lambda request: behaviour) as server:
        error = await failure(server.url)
    assert isinstance(error, ProviderResponseError)
    assert len(server.requests) == QUICK.max_attempts
    with Loopback([behaviour]) as server:
        assert (await generate(generator_for(server.url))).text.startswith("echo")


@pytest.mark.anyio
async def test_any_text_can_be_sent() -> None:
    text = "é 漢字 👩‍👩‍👧 \ud800 \0 \u2028 end"
    with Loopback() as server:
        await generator_for(server.url).generate([Segment(text)], max_output_tokens=9)
    assert server.requests[0].texts == [text.replace("\ud800", "\ufffd").replace("\0", "\ufffd")]


# --- failures


@pytest.mark.anyio
@pytest.mark.parametrize("status", [301, 400, 401, 402, 403, 404, 413, 422, 498, 499])
async def test_a_permanent_status_is_not_tried_again(status: int) -> None:
    with Loopback(behave=lambda request: fails(status)) as server:
        error = await failure(server.url)
    assert isinstance(error, ProviderRejectedError)
    assert (error.provider, error.status) == ("cohere", status)
    assert len(server.requests) == 1


@pytest.mark.anyio
@pytest.mark.parametrize("status", [408, 409, 429, 500, 501, 502, 503, 504, 529])
async def test_a_passing_status_is_tried_again_by_one_layer_only(status: int) -> None:
    with Loopback(behave=lambda request: fails(status)) as server:
        error = await failure(server.url)
    assert isinstance(error, ProviderUnavailableError)
    assert error.status == status
    assert error.__notes__ == ["3 of at most 3 attempts were made"]
    assert len(server.requests) == 3


@pytest.mark.anyio
async def test_the_service_says_how_long_to_wait() -> None:
    patient = RetryPolicy(max_attempts=2, first_delay_seconds=0, max_retry_after_seconds=1)
    with Loopback([fails(429, retry_after=0.2), says("later")]) as server:
        assert (await generate(generator_for(server.url, retry=patient))).text == "later"
    first, second = server.requests
    assert second.time - first.time >= 0.2
    too_long = fails(429, retry_after=2)
    with (
        Loopback(behave=lambda request: too_long) as server,
        pytest.raises(ProviderUnavailableError) as caught,
    ):
        await generate(generator_for(server.url, retry=patient))
    assert caught.value.retry_after == 2
    assert len(server.requests) == 1


@pytest.mark.anyio
async def test_a_prompt_larger_than_the_window() -> None:
    with Loopback([overflows("cohere", needed=140_000, available=131_072)]) as server:
        error = await failure(server.url)
    assert isinstance(error, ContextOverflowError)
    assert (error.needed, error.available) == (140_000, 131_072)
    assert len(server.requests) == 1


@pytest.mark.anyio
@pytest.mark.parametrize("cut", [cuts("before"), cuts("head"), cuts("middle")])
async def test_a_lost_connection_is_tried_again(cut: Behaviour) -> None:
    with Loopback(behave=lambda request: cut) as server:
        error = await failure(server.url)
        assert len(server.requests) == 3
        server.script.append(cut)
    assert isinstance(error, ProviderUnavailableError)
    assert error.status is None


@pytest.mark.anyio
async def test_a_refused_connection() -> None:
    with Loopback() as server:
        url = server.url
    error = await failure(url)
    assert isinstance(error, ProviderUnavailableError)
    assert "ConnectError" in str(error)


@pytest.mark.anyio
async def test_each_attempt_has_its_time_limit() -> None:
    with Loopback([waits(30)]) as server:
        generator = generator_for(server.url, timeout_seconds=1.0)
        assert (await generate(generator)).text.startswith("echo")
        assert len(server.requests) == 2
    with Loopback(behave=lambda request: waits(30)) as server:
        error = await failure(server.url, timeout_seconds=0.1)
    assert isinstance(error, ProviderUnavailableError)
    assert "timed out after 0.1 s" in str(error)


@pytest.mark.anyio
async def test_cancellation_passes_through() -> None:
    with Loopback(behave=lambda request: waits(30)) as server:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(generate, generator_for(server.url))
                with anyio.fail_after(60):
                    while not server.requests:  # noqa: ASYNC110 (the server has its own thread)
                        await anyio.sleep(0.01)
                scope.cancel()
        assert scope.cancelled_caught
        await anyio.sleep(0.1)
        assert len(server.requests) == 1


# --- connections


async def four_calls(generator: CohereGenerator) -> None:
    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(generate, generator)


@pytest.mark.parametrize("entered", [False, True])
def test_one_object_works_in_any_number_of_event_loops(entered: bool) -> None:
    with Loopback() as server:
        generator = generator_for(server.url)

        async def job() -> None:
            if entered:
                async with generator:
                    await four_calls(generator)
            else:
                await four_calls(generator)

        asyncio.run(job())
        asyncio.run(job())
        trio.run(job)
        assert len(server.requests) == 12
        asyncio.run(closed(server))


async def closed(server: Loopback) -> None:
    with anyio.fail_after(60):
        while server.open_connections:  # noqa: ASYNC110 (the server has a thread of its own)
            await anyio.sleep(0.01)


@pytest.mark.anyio
async def test_connections_live_as_long_as_the_outermost_block() -> None:
    with Loopback() as server:
        generator = generator_for(server.url)
        async with generator:
            async with generator:
                await generate(generator)
            await generate(generator)
            assert server.connected == 1
        await closed(server)
        await generate(generator)
        await closed(server)
        assert server.connected == 2


@pytest.mark.anyio
async def test_a_client_that_was_passed_in_is_used_and_never_closed() -> None:
    with Loopback() as server:
        async with cohere.AsyncClientV2("other-key", base_url=server.url) as client:
            generator = CohereGenerator("m", client=client, retry=QUICK)
            async with generator:
                await generate(generator)
            await generate(generator)
            assert server.open_connections == 1
        assert {r.headers["authorization"] for r in server.requests} == {"Bearer other-key"}
        with pytest.raises(ConfigurationError, match="client is closed"):
            await generate(generator)


# --- counting


@pytest.mark.anyio
async def test_tokens_are_counted_by_the_service() -> None:
    with Loopback() as server:
        counted = await generator_for(server.url).count_tokens(PROMPT)
    assert counted == UPPER.request + 3 * UPPER.message + 4
    assert {request.path for request in server.requests} == {"/v1/tokenize"}
    assert server.requests[0].json == {"text": "Be brief.", "model": "command-a-03-2025"}


@pytest.mark.anyio
async def test_nothing_is_asked_for_no_text() -> None:
    with Loopback() as server:
        assert await generator_for(server.url).count_tokens([Segment("")]) == FRAME
        assert not server.requests


@pytest.mark.anyio
@pytest.mark.parametrize("behaviour", [replies({}), replies({"tokens": "many"}), NOT_OBJECT])
async def test_a_count_that_is_none_is_an_error(behaviour: Behaviour) -> None:
    with (
        Loopback(behave=lambda request: behaviour) as server,
        pytest.raises(ProviderResponseError),
    ):
        await generator_for(server.url).count_tokens(PROMPT)
    assert len(server.requests) == 3


@pytest.mark.anyio
async def test_long_texts_are_counted_in_parts_cut_between_words() -> None:
    text = "some words here " * 12_000
    with Loopback() as server:
        assert await generator_for(server.url).count_tokens([Segment(text)]) == FRAME + 36_000
    parts = [request.json["text"] for request in server.requests]
    assert "".join(parts) == text
    assert max(map(len, parts)) <= 65_536
    assert len(parts) == 3
    assert all(part[0] == " " for part in parts[1:])


@pytest.mark.anyio
@pytest.mark.parametrize("text", ["x" * 150_000, "👩‍👩‍👧" * 30_000, "漢字" * 70_000, " " * 70_000])
async def test_texts_without_words_are_counted_in_whole_characters(text: str) -> None:
    with Loopback() as server:
        await generator_for(server.url).count_tokens([Segment(text)])
    parts = [request.json["text"] for request in server.requests]
    assert "".join(parts) == text
    assert max(map(len, parts)) <= 65_536
    assert not any(part.startswith("\u200d") for part in parts)


@pytest.mark.anyio
async def test_it_can_count_beforehand_for_a_counter() -> None:
    with Loopback() as server:
        counter = await precount(["one two", "three"], generator_for(server.url))
    assert [counter.count("one two"), counter.count("three")] == [2, 1]


# --- configuration


def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CO_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="CO_API_KEY"):
        CohereGenerator("command-r")
    monkeypatch.setenv("CO_API_KEY", KEY)
    assert KEY not in repr(CohereGenerator("command-r"))
    monkeypatch.setenv("CO_API_KEY", KEY + "\n")
    with pytest.raises(ConfigurationError) as caught:
        CohereGenerator("command-r")
    assert KEY not in str(caught.value)


@pytest.mark.anyio
@pytest.mark.parametrize("version", ["", "/", "/v1", "/v2", "/v2/"])
async def test_the_address_may_end_with_the_version(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Loopback() as server:
        monkeypatch.setenv("CO_API_URL", server.url + version)
        await generate(CohereGenerator("m", api_key=KEY))
    assert server.requests[0].path == "/v2/chat"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CohereGenerator("m", client="no"), "AsyncClientV2"),  # type: ignore[arg-type]
        (lambda: CohereGenerator("m", client=cohere.ClientV2("k")), "AsyncClientV2"),  # type: ignore[arg-type]
        (lambda: generator_for("ftp://x"), "base_url"),
        (lambda: generator_for("http://x", timeout_seconds=0), "timeout_seconds"),
        (lambda: generator_for("http://x", temperature=-1), "temperature"),
        (lambda: generator_for("http://x", window=0), "window"),
        (lambda: CohereGenerator(" ", api_key=KEY), "name"),
        (
            lambda: CohereGenerator("m", api_key=KEY, client=cohere.AsyncClientV2("k")),
            "not both",
        ),
    ],
)
def test_arguments_are_checked(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        make()


@pytest.mark.anyio
async def test_what_cannot_be_said_is_refused_before_any_call() -> None:
    with Loopback() as server:
        generator = generator_for(server.url)
        with pytest.raises(ConfigurationError, match="neither data nor a url"):
            await generator.generate([Segment("x", media=(Media("image"),))], max_output_tokens=4)
        with pytest.raises(ConfigurationError, match="max_output_tokens"):
            await generator.generate(PROMPT, max_output_tokens=0)
        assert not server.requests


def test_the_profile() -> None:
    known = CohereGenerator("command-a-03-2025", api_key=KEY).profile
    assert known.name == "command-a-03-2025"
    assert known.price is not None
    price, counter = Price(1, 2), token_counter(len, name="letters")
    own = CohereGenerator("m", api_key=KEY, window=9, counter=counter, price=price).profile
    assert (own.window, own.counter, own.price) == (9, counter, price)


@given(st.text(), st.integers(1, 40), st.integers(50, 200))
def test_parts_put_together_are_the_text(text: str, repeats: int, limit: int) -> None:
    whole = f"{text} " * repeats
    parts = list(_parts(whole, limit))
    assert "".join(parts) == whole
    assert all(1 <= len(part) <= limit for part in parts)
