"""The JSON call that HTTP providers share, against a real server that misbehaves."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import anyio
import httpx
import pytest
import trio
from anyio.abc import SocketAttribute, SocketStream
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
from orchestrator_context.providers._access import api_key_from, base_url_from
from orchestrator_context.providers._errors import (
    error_of,
    read_complaint,
    retry_after_seconds,
)
from orchestrator_context.providers._http import HttpClient, encode_json
from orchestrator_context.providers._overflow import find_overflow
from orchestrator_context.retrying import RetryPolicy, call_with_retry
from tests.loopback import (
    HTML,
    NOT_JSON,
    NOT_OBJECT,
    Behaviour,
    Loopback,
    cuts,
    fails,
    replies,
    says,
    waits,
)

KEY = "sk-very-secret-key"
PROMPT = "the-prompt-nobody-may-see"
PATH = "/chat/completions"
BODY = {"model": "m", "messages": [{"role": "user", "content": PROMPT}]}
QUICK = RetryPolicy(max_attempts=3, first_delay_seconds=0.001, max_delay_seconds=0.002)
ROOT = Path(__file__).parents[2]

Json = dict[str, object]
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.integers()
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def client_for(
    url: str,
    *,
    path: str = "/v1",
    retry: RetryPolicy = QUICK,
    timeout_seconds: float = 5.0,
    http_client: httpx.AsyncClient | None = None,
) -> HttpClient:
    return HttpClient(
        "openai",
        base_url_from(url + path),
        headers={"Authorization": f"Bearer {KEY}"},
        timeout_seconds=timeout_seconds,
        retry=retry,
        http_client=http_client,
    )


async def post(client: HttpClient) -> Json:
    return await client.retrying(lambda: client.post_json(PATH, BODY))


async def failure(client: HttpClient) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await post(client)
    return caught.value


def is_discreet(error: BaseException) -> bool:
    """Whether neither the error nor anything it carries shows the key or the prompt."""
    shown = f"{error} {error!r} {vars(error)}"
    vendors = (error.__cause__, error.__context__)
    return KEY not in shown and PROMPT not in shown and not any(map(_of_vendor, vendors))


def _of_vendor(error: BaseException | None) -> bool:
    return error is not None and type(error).__module__.startswith(("httpx", "httpcore", "h11"))


# --- statuses and attempts


@pytest.mark.anyio
@pytest.mark.parametrize("status", [301, 400, 401, 402, 403, 404, 413, 422])
async def test_a_permanent_status_is_not_tried_again(status: int) -> None:
    with Loopback(behave=lambda request: fails(status)) as server:
        error = await failure(client_for(server.url))
    assert type(error) is not ProviderError
    assert isinstance(error, ProviderRejectedError)
    assert (len(server.requests), error.status, error.provider) == (1, status, "openai")
    assert str(status) in str(error)
    assert is_discreet(error)


@pytest.mark.anyio
@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 501, 502, 503, 504, 529])
async def test_a_passing_status_is_tried_as_often_as_the_policy_says(status: int) -> None:
    with Loopback(behave=lambda request: fails(status)) as server:
        error = await failure(client_for(server.url))
    assert isinstance(error, ProviderUnavailableError)
    assert (len(server.requests), error.status) == (3, status)
    assert "3 of at most 3 attempts" in error.__notes__[0]
    assert is_discreet(error)


@pytest.mark.anyio
async def test_it_recovers() -> None:
    with Loopback([fails(503), cuts("middle")]) as server:
        answer = await post(client_for(server.url))
    assert answer["object"] == "chat.completion"
    assert len(server.requests) == 3


@pytest.mark.anyio
@pytest.mark.parametrize("where", ["before", "head", "middle"])
async def test_a_cut_connection_is_tried_again(where: str) -> None:
    with Loopback(behave=lambda request: cuts(where)) as server:  # type: ignore[arg-type]
        error = await failure(client_for(server.url))
    assert isinstance(error, ProviderUnavailableError)
    assert (len(server.requests), error.status) == (3, None)
    assert is_discreet(error)


@pytest.mark.anyio
async def test_nobody_listens() -> None:
    with Loopback() as server:
        url = server.url
    error = await failure(client_for(url))
    assert isinstance(error, ProviderUnavailableError)
    assert url in str(error)
    assert is_discreet(error)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "behaviour",
    [
        HTML,
        NOT_JSON,
        NOT_OBJECT,
        replies(b""),
        replies(b"\xff\xfe{}"),
        replies("[" * 100_000),
        replies({"error": {"message": "overheated", "type": "server_error"}}),
    ],
)
async def test_an_unusable_answer_is_tried_again(behaviour: Behaviour) -> None:
    with Loopback(behave=lambda request: behaviour) as server:
        error = await failure(client_for(server.url))
    assert isinstance(error, ProviderResponseError)
    assert len(server.requests) == 3
    assert is_discreet(error)


def test_an_answer_that_cannot_be_decompressed() -> None:
    garbled = replies(b"\x00\x01", headers=[("Content-Encoding", "gzip")])
    with Loopback(behave=lambda request: garbled) as server:
        error = asyncio.run(failure(client_for(server.url)))
    assert isinstance(error, ProviderResponseError)
    assert len(server.requests) == 3
    assert server.requests[0].headers["accept-encoding"] == "identity"
    assert is_discreet(error)


@pytest.mark.anyio
async def test_a_spent_account_is_not_asked_again() -> None:
    with Loopback(behave=lambda request: fails(429, code="insufficient_quota")) as server:
        error = await failure(client_for(server.url))
    assert isinstance(error, ProviderRejectedError)
    assert (len(server.requests), error.status) == (1, 429)
    assert "credit" in str(error)


@pytest.mark.anyio
async def test_nested_layers_do_not_multiply() -> None:
    with Loopback(behave=lambda request: fails(503)) as server:
        client = client_for(server.url)
        with pytest.raises(ProviderUnavailableError):
            await call_with_retry(lambda: post(client), QUICK)
    assert len(server.requests) == 3


# --- waiting


@pytest.mark.anyio
@pytest.mark.parametrize("headers", [{"retry-after": "0.2"}, {"retry-after-ms": "200"}])
async def test_it_waits_as_long_as_it_is_asked_to(headers: dict[str, str]) -> None:
    with Loopback([fails(429, headers=headers.items())]) as server:
        await post(client_for(server.url))
    first, second = (request.time for request in server.requests)
    assert 0.2 <= second - first < 2.0


@pytest.mark.anyio
async def test_it_does_not_wait_for_ever() -> None:
    with Loopback([fails(429, retry_after=3600)]) as server:
        error = await failure(client_for(server.url))
    assert isinstance(error, ProviderUnavailableError)
    assert (len(server.requests), error.retry_after) == (1, 3600)


def test_retry_after_in_all_its_forms() -> None:
    in_a_minute = datetime.now(UTC) + timedelta(seconds=60)
    written = format_datetime(in_a_minute, usegmt=True)
    assert retry_after_seconds({"retry-after": "7"}) == 7
    assert retry_after_seconds({"retry-after": " 1.5 "}) == 1.5
    assert retry_after_seconds({"retry-after-ms": "20", "retry-after": "7"}) == 0.02
    assert retry_after_seconds({"retry-after": written}) == pytest.approx(60, abs=5)
    assert retry_after_seconds({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    served = {"date": "Wed, 21 Oct 2015 07:27:30 GMT"}
    assert retry_after_seconds({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"} | served) == 30
    assert retry_after_seconds({}) is None


@pytest.mark.parametrize("value", ["", "soon", "-3", "nan", "inf", "1e999", "Wed, 99 Foo", "0x10"])
def test_a_nonsense_retry_after_is_ignored(value: str) -> None:
    assert retry_after_seconds({"retry-after": value, "retry-after-ms": value}) is None


@given(st.text(), st.text(), st.text())
def test_retry_after_is_a_number_or_nothing(seconds: str, milliseconds: str, date: str) -> None:
    headers = {"retry-after": seconds, "retry-after-ms": milliseconds, "date": date}
    found = retry_after_seconds(headers)
    assert found is None or 0 <= found < float("inf")


# --- time-outs and cancellation


@pytest.mark.anyio
async def test_an_attempt_that_takes_too_long_is_tried_again() -> None:
    with Loopback([waits(60)]) as server:
        answer = await post(client_for(server.url, timeout_seconds=1.0))
        assert answer["object"] == "chat.completion"
        assert [request.aborted for request in server.requests] == [True, False]


@pytest.mark.anyio
async def test_the_last_time_out_is_told() -> None:
    with Loopback(delay_seconds=60) as server:
        error = await failure(client_for(server.url, timeout_seconds=0.5))
    assert isinstance(error, ProviderUnavailableError)
    assert "timed out after 0.5 s" in str(error)
    assert len(server.requests) == 3


@pytest.mark.anyio
async def test_cancelling_a_call_ends_it_for_good() -> None:
    with Loopback(delay_seconds=60) as server:
        await cancel_when_asked(server, client_for(server.url))
        await _until(lambda: server.open_connections == 0)
        await anyio.sleep(0.1)
        assert len(server.requests) == 1


@pytest.mark.anyio
async def test_cancelling_the_back_off_ends_it_for_good() -> None:
    with Loopback(behave=lambda request: fails(503, retry_after=1)) as server:
        await cancel_when_asked(server, client_for(server.url))
        await anyio.sleep(1.2)
        assert len(server.requests) == 1


@pytest.mark.anyio
async def test_a_cancelled_call_does_not_harm_the_next_one() -> None:
    with Loopback([waits(60)]) as server:
        async with client_for(server.url) as client:
            await cancel_when_asked(server, client)
            answer = await post(client)
    assert answer["object"] == "chat.completion"


# --- connections


@pytest.mark.anyio
async def test_connections_stay_open_inside_the_block_and_no_longer() -> None:
    with Loopback() as server:
        client = client_for(server.url)
        async with client, client:
            await post(client)
            async with client:
                await post(client)
            await post(client)
            assert (server.connected, server.open_connections) == (1, 1)
        await _until(lambda: server.open_connections == 0)
        await post(client)
        await post(client)
        assert server.connected == 3
        await _until(lambda: server.open_connections == 0)


async def cancel_when_asked(server: Loopback, client: HttpClient) -> None:
    """Cancel a call a moment after it reached the server."""
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(post, client)
            await _until(lambda: bool(server.requests))
            await anyio.sleep(0.1)
            scope.cancel()
    assert scope.cancelled_caught


async def _until(condition: Callable[[], bool]) -> None:
    with anyio.fail_after(60):
        while not condition():  # noqa: ASYNC110 (the server runs in a thread)
            await anyio.sleep(0.01)


def hang_up(server: Loopback) -> None:
    for connection in list(server._server.connections):
        server._loop.call_soon_threadsafe(connection.transport.close)


@pytest.mark.anyio
async def test_a_connection_that_the_service_closed_is_replaced() -> None:
    with Loopback() as server:
        async with client_for(server.url, retry=RetryPolicy(max_attempts=1)) as client:
            await post(client)
            hang_up(server)
            await _until(lambda: server.open_connections == 0)
            await post(client)
        assert server.connected == 2


@pytest.mark.anyio
async def test_a_request_is_sent_as_one_piece() -> None:
    pieces: list[bytes] = []

    async def serve(stream: SocketStream) -> None:
        async with stream:
            pieces.append(await stream.receive())
            await stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        port = listener.extra(SocketAttribute.local_port)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, serve)
            assert await client_for(f"http://127.0.0.1:{port}").post_json(PATH, BODY) == {}
            tasks.cancel_scope.cancel()
    head, _, body = pieces[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:")
    assert json.loads(body) == BODY


@pytest.mark.anyio
async def test_an_answer_given_before_the_request_was_read_is_an_answer() -> None:
    async def refuse(stream: SocketStream) -> None:
        async with stream:
            head = b"HTTP/1.1 413 Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            await stream.send(head)
            await stream.send_eof()
            with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
                while True:
                    await stream.receive()

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        port = listener.extra(SocketAttribute.local_port)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, refuse)
            error = await failure(client_for(f"http://127.0.0.1:{port}"))
            tasks.cancel_scope.cancel()
    assert (type(error), error.status) == (ProviderRejectedError, 413)


@pytest.mark.anyio
async def test_an_answer_that_is_compressed_unasked_is_read() -> None:
    zipped = replies(gzip.compress(b'{"fine": 1}'), headers=[("Content-Encoding", "gzip")])
    with Loopback([zipped]) as server:
        assert await client_for(server.url).post_json(PATH, BODY) == {"fine": 1}


@pytest.mark.anyio
async def test_nothing_throttles_the_caller() -> None:
    with Loopback(delay_seconds=2) as server:  # that is time for all of them to come
        client = client_for(server.url, timeout_seconds=60)
        async with client, anyio.create_task_group() as tasks:
            for _ in range(150):
                tasks.start_soon(post, client)
        assert (len(server.requests), server.peak) == (150, 150)


@pytest.mark.anyio
async def test_a_client_that_was_passed_in_is_used_and_stays_open() -> None:
    with Loopback([fails(503)]) as server:
        async with httpx.AsyncClient(headers={"x-tenant": "blue"}) as mine:
            client = client_for(server.url, http_client=mine)
            async with client:
                await post(client)
            await post(client)
            assert not mine.is_closed
        assert {request.headers["x-tenant"] for request in server.requests} == {"blue"}
        with pytest.raises(ConfigurationError, match="closed"):
            await post(client)
    with pytest.raises(ConfigurationError, match=r"httpx\.AsyncClient, not str"):
        client_for("http://h", http_client="x")  # type: ignore[arg-type]


@pytest.mark.anyio
async def test_proxies_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with Loopback() as server:
        monkeypatch.setenv("http_proxy", server.url.removeprefix("http://"))
        await post(client_for("http://model.invalid"))
        assert server.requests[0].path == "http://model.invalid/v1/chat/completions"
        monkeypatch.setenv("http_proxy", "http://proxy.invalid:1")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        await post(client_for(server.url))
        assert len(server.requests) == 2
        monkeypatch.delenv("no_proxy")
        monkeypatch.setenv("http_proxy", "gopher://user:hidden@proxy.invalid:1")
        with pytest.raises(ConfigurationError, match="proxy") as caught:
            await post(client_for(server.url))
        assert "hidden" not in str(caught.value)


def test_one_object_serves_one_event_loop_after_the_other() -> None:
    with Loopback([fails(503)]) as server:
        client = client_for(server.url)

        async def job() -> None:
            async with client:
                for _ in range(4):
                    await post(client)
            await post(client)

        asyncio.run(job())
        asyncio.run(job())
        trio.run(job)
        assert len(server.requests) == 16


def test_one_object_serves_two_event_loops_at_once() -> None:
    with Loopback(delay_seconds=0.1) as server:
        client = client_for(server.url)

        async def job() -> None:
            async with client:
                await post(client)
                await post(client)

        threads = [threading.Thread(target=anyio.run, args=(job,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(server.requests), server.connected) == (4, 2)


def test_it_shuts_down_without_a_word() -> None:
    script = """
        import asyncio, anyio, trio
        from tests.loopback import Loopback, waits
        from tests.providers.test_http import client_for, post

        with Loopback([waits(5)]) as server:
            client = client_for(server.url)
            async def job():
                with anyio.move_on_after(0.2):
                    await post(client)
                async with anyio.create_task_group() as tasks:
                    for _ in range(8):
                        tasks.start_soon(post, client)
            asyncio.run(job())
            asyncio.run(job())
            trio.run(job)
        """
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", textwrap.dedent(script)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    said = [line for line in done.stderr.splitlines() if "took" not in line]  # slow task notes
    assert (done.returncode, said) == (0, [])


# --- what is sent, what is shown


@pytest.mark.anyio
async def test_text_that_is_no_utf8_is_sent_all_the_same() -> None:
    with Loopback() as server:
        client = client_for(server.url)
        texts = ["level \ud83d high", "level 😀 high", "\ud83d\ude00", "be\x00fore \u2028"]
        await client.post_json(PATH, {"messages": [{"content": text} for text in texts]})
    assert server.requests[0].texts == [
        "level \ufffd high",
        "level 😀 high",
        "😀",
        "be\x00fore \u2028",
    ]


@given(st.dictionaries(st.text(), json_values | st.text(st.characters())))
def test_every_body_is_valid_json_and_keeps_its_text(body: Json) -> None:
    whole = json.loads(json.dumps(body).encode("utf-8"))
    sent = encode_json(body)
    assert json.loads(sent) == json.loads(encode_json(json.loads(sent)))
    if not any("\ud800" <= char <= "\udfff" for char in json.dumps(body, ensure_ascii=False)):
        assert json.loads(sent) == whole


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object()])
def test_what_json_has_no_word_for_is_refused(value: object) -> None:
    with pytest.raises(ConfigurationError, match="JSON"):
        encode_json({"temperature": value})


@pytest.mark.anyio
async def test_the_headers() -> None:
    with Loopback() as server:
        await post(client_for(server.url))
    headers = server.requests[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["content-type"] == "application/json"
    assert headers["user-agent"] == "orchestrator-context"


@pytest.mark.anyio
async def test_logs_show_no_key_and_no_prompt(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with Loopback([fails(503), cuts("middle"), says()]) as server:
        client = client_for(server.url, path="/v1?key=other-secret")
        await post(client)
    shown = caplog.text + repr(client) + str(client.address)
    assert not any(secret in shown for secret in (KEY, PROMPT, "other-secret"))


@given(st.integers(200, 599), json_values)
def test_errors_show_no_text_of_the_service(status: int, value: object) -> None:
    secret = f"secret {PROMPT}"
    nested = {"message": secret, "details": value, "code": [secret], "type": secret}
    for body in (
        {"error": nested},
        {"error": secret},
        nested,
        secret,
        [secret],
        {"detail": secret},
    ):
        error = error_of("openai", status, read_complaint(body), {}, ["messages"])
        assert PROMPT not in f"{error} {error!r} {vars(error)}"


@given(json_values)
def test_a_body_of_any_shape_can_be_read(body: object) -> None:
    assert isinstance(read_complaint(body).label, str)


def test_a_deep_body_can_be_read() -> None:
    body: object = "x"
    for _ in range(20_000):
        body = [body]
    assert read_complaint({"error": {"inner": body, "type": "deep"}}).label == "deep"


def test_other_failures_are_no_overflow() -> None:
    for message in (
        "max_tokens is too large: 50000. This model supports at most 16384 completion tokens",
        "Rate limit reached for gpt-4: Limit 10000 TPM, Requested 12000",
        "Unsupported parameter: 'max_tokens' is not supported with this model.",
        "The model `context` does not exist",
        "",
    ):
        assert find_overflow(message) is None


@given(st.text())
def test_figures_of_an_overflow_are_counts(noise: str) -> None:
    found = find_overflow(f"prompt is too long {noise} n_ctx {noise}")
    assert found is not None
    assert all(figure is None or figure >= 0 for figure in (found.needed, found.available))


@pytest.mark.anyio
async def test_an_overflow_under_status_429_is_a_rate_limit() -> None:
    message = "Request too large: prompt is too long for your tokens per minute"
    with Loopback(behave=lambda request: fails(429, message=message)) as server:
        error = await failure(client_for(server.url))
    assert not isinstance(error, ContextOverflowError)
    assert isinstance(error, ProviderUnavailableError)


# --- keys and addresses


@pytest.mark.parametrize("key", ["sk-line\n", "sk two", "sk-schlüssel", "sk-\x00", "ключ"])
def test_a_key_that_no_header_can_carry(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", key.replace("\x00", "\t"))
    for given_key in (key, None):
        with pytest.raises(ConfigurationError, match="SOME_KEY") as caught:
            api_key_from(given_key, "SOME_KEY")
        assert key.strip() not in str(caught.value)


def test_keys_come_from_the_argument_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "env")
    assert api_key_from("given", "SOME_KEY") == "given"
    assert api_key_from(None, "SOME_KEY") == "env"
    assert api_key_from("", "SOME_KEY") is None
    monkeypatch.setenv("SOME_KEY", "")
    assert api_key_from(None, "SOME_KEY") is None


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8080", "ftp://h/v1", "http://", "http:///v1", "http://a..b", "http://h:99999999",
     "https://user:pass@h/v1", "http://\udcff/"],
)  # fmt: skip
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(ConfigurationError, match="base_url") as caught:
        base_url_from(url)
    assert "pass@" not in str(caught.value)


@given(st.text())
def test_any_text_is_an_address_or_a_configuration_error(text: str) -> None:
    for url in (text, f"http://{text}", f"https://host{text}"):
        try:
            found = base_url_from(url)
        except ConfigurationError:
            continue
        assert found.scheme in ("http", "https")


def test_what_is_shown_of_an_address() -> None:
    client = client_for("https://h.example/base")
    assert client.address == "https://h.example/base/v1"
    url = base_url_from("https://h.example/v1/?key=secret#x")
    hidden = HttpClient("openai", url, headers={}, timeout_seconds=1, retry=QUICK, http_client=None)
    assert hidden.address == "https://h.example/v1"
