"""A real HTTP/1.1 server on the loopback interface that answers like model services, or misbehaves.

In a test: `with Loopback() as server:` and point the provider at `server.url`. It knows the wire
shapes of OpenAI (`/v1/chat/completions`), Anthropic (`/v1/messages`, `/v1/messages/count_tokens`)
and Cohere (`/v2/chat`, `/v1/tokenize`), and `/rerank` as several have it. What it does with a
request is decided by the first of: the queue `server.script`, the function `behave`, a plain answer
whose text is `answer(request)`.

As a process: `python tests/loopback.py --delay-ms 50 --port 0 --log FILE` prints its URL;
`loopback_process` starts that and ends it.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

Cut = Literal["", "before", "head", "middle"]


@dataclass
class Request:
    """One request as it came in.

    `active` counts the requests that were under way then, this one included; `aborted` tells that
    the client went away before it had its answer.
    """

    method: str
    path: str
    headers: dict[str, str]  # names in lower case
    body: bytes
    time: float
    active: int = 1
    aborted: bool = False

    @cached_property
    def json(self) -> Any:
        return json.loads(self.body or b"null")

    @cached_property
    def service(self) -> Literal["openai", "anthropic", "cohere", "rerank"]:
        if self.path.endswith("/rerank"):
            return "rerank"
        if "/messages" in self.path:
            return "anthropic"
        return "cohere" if self.path.endswith(("/v2/chat", "/v1/tokenize")) else "openai"

    @cached_property
    def texts(self) -> list[str]:
        """The text of every message in order, the system prompt of Anthropic first."""
        messages = self.json.get("messages", []) if isinstance(self.json, dict) else []
        system = self.json.get("system", "") if isinstance(self.json, dict) else ""
        return [_text(system)] * bool(system) + [_text(m.get("content")) for m in messages]

    @property
    def hash(self) -> str:
        """SHA-256 of the messages: equal for equal prompts."""
        return hashlib.sha256(json.dumps(self.texts).encode()).hexdigest()


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return "" if content is None else str(content)


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes over the wire. `cut` closes the connection before it is complete."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = "application/json"
    delay_seconds: float = 0.0
    cut: Cut = ""


Behaviour = Callable[[Request], Reply]


def echo(request: Request) -> str:
    """The default answer: short, and decided by the prompt alone."""
    return f"echo {request.hash[:8]}"


def wordy(words: int) -> Callable[[Request], str]:
    """An answer of that many short words, but no more than the request allows tokens."""

    def answer(request: Request) -> str:
        body = request.json
        limit = body.get("max_tokens") or body.get("max_completion_tokens") or words
        return " ".join([echo(request), *(["word"] * (min(words, int(limit)) - 8))])

    return answer


def says(
    content: Any = echo, *, finish: str = "", usage: bool = True, delay_seconds: float = 0.0
) -> Behaviour:
    """A normal answer in the service's shape.

    Args:
        content: the text, a function that makes it from the request, None, or any JSON that is to
            stand where the text should be.
        finish: the finish reason in the service's own words; a normal end by default.
        usage: whether token counts are sent.
        delay_seconds: time before the answer.
    """

    def behave(request: Request) -> Reply:
        value = content(request) if callable(content) else content
        data = _ANSWERS[request.service](request, value, finish)
        if not usage:
            data.pop("usage", None)
        return replies(data, delay_seconds=delay_seconds)(request)

    return behave


def _openai(request: Request, content: Any, finish: str) -> dict[str, Any]:
    read, written = _usage(request, content)
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": request.json.get("model"),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content},
                "finish_reason": finish or "stop",
            }
        ],
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
        },
    }


def _anthropic(request: Request, content: Any, finish: str) -> dict[str, Any]:
    read, written = _usage(request, content)
    if request.path.endswith("/count_tokens"):
        return {"input_tokens": read}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request.json.get("model"),
        "content": [{"type": "text", "text": content}] if isinstance(content, str) else content,
        "stop_reason": finish or "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": read, "output_tokens": written},
    }


def _cohere(request: Request, content: Any, finish: str) -> dict[str, Any]:
    if request.path.endswith("/tokenize"):
        words = str(request.json.get("text", "")).split()
        return {
            "tokens": list(range(len(words))),
            "token_strings": words,
            "meta": {"api_version": {"version": "1"}},
        }
    read, written = _usage(request, content)
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    tokens = {"input_tokens": read, "output_tokens": written}
    return {
        "id": "c14c80c3-18eb-4519-9460-6c92edd8cfb4",
        "finish_reason": finish or "COMPLETE",
        "message": {"role": "assistant", "content": parts},
        "usage": {"billed_units": tokens, "tokens": tokens},
    }


def _rerank(request: Request, content: Any, finish: str) -> dict[str, Any]:
    """Score each text by the words it shares with the question; the best comes first."""
    asked = set(request.json["query"].lower().split())
    scored = [
        {"index": index, "relevance_score": len(asked & set(text.lower().split())) / len(asked)}
        for index, text in enumerate(request.json["documents"])
    ]
    return {
        "id": "r1",
        "results": sorted(scored, key=lambda result: -result["relevance_score"]),
        "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}},
    }


_ANSWERS = {"openai": _openai, "anthropic": _anthropic, "cohere": _cohere, "rerank": _rerank}


def _usage(request: Request, content: Any) -> tuple[int, int]:
    """Words read and written, for tokens."""
    return sum(len(text.split()) for text in request.texts), len(_text(content).split())


def replies(
    body: Any,
    status: int = 200,
    *,
    headers: Iterable[tuple[str, str]] = (),
    content_type: str = "application/json",
    delay_seconds: float = 0.0,
    cut: Cut = "",
) -> Behaviour:
    """Any reply; `body` is sent as it stands if it is bytes or str, as JSON otherwise."""
    if isinstance(body, str):
        body = body.encode("utf-8", "surrogatepass")
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    reply = Reply(status, data, tuple(headers), content_type, delay_seconds, cut)
    return lambda request: reply


def fails(
    status: int,
    *,
    message: str = "",
    kind: str = "",
    code: object = None,
    param: str | None = None,
    headers: Iterable[tuple[str, str]] = (),
    retry_after: str | float | None = None,
) -> Behaviour:
    """An error in the service's shape. Without a message it echoes the prompt and the headers."""
    extra = tuple(headers) + (
        (("Retry-After", str(retry_after)),) if retry_after is not None else ()
    )

    def behave(request: Request) -> Reply:
        text = message or f"no: {request.body!r} {request.headers}"
        error = {"message": text, "type": kind or f"error_{status}"}
        shapes: dict[str, dict[str, Any]] = {
            "openai": {"error": error | {"param": param, "code": code}},
            "anthropic": {"type": "error", "error": error, "request_id": "req_1"},
            "cohere": {"id": "e1", "message": text},
            "rerank": {"message": text},
        }
        return replies(shapes[request.service], status, headers=extra)(request)

    return behave


HTML = replies("<html><body>502 Bad Gateway</body></html>", content_type="text/html")
NOT_JSON = replies('{"choices": [')
NOT_OBJECT = replies([1, 2])


def cuts(where: Cut = "before") -> Behaviour:
    """Close the connection before any byte, after half the head, or in the middle of the body."""
    return lambda request: replace(says()(request), cut=where)


def waits(seconds: float, then: Behaviour | None = None) -> Behaviour:
    """Do `then` (a normal answer by default) after a while."""
    return lambda request: replace((then or says())(request), delay_seconds=seconds)


_REASONS = {200: "OK", 400: "Bad Request", 429: "Too Many Requests", 529: "Overloaded"}


def _wire(reply: Reply) -> bytes:
    head = [f"HTTP/1.1 {reply.status} {_REASONS.get(reply.status, 'Status')}"]
    head.append(f"Content-Type: {reply.content_type}\r\nContent-Length: {len(reply.body)}")
    head += [f"{name}: {value}" for name, value in reply.headers]
    return "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + reply.body


@dataclass
class _Server:
    """State shared by all connections; touched by the server's thread alone, read by tests."""

    decide: Behaviour
    log_descriptor: int | None = None
    requests: list[Request] = field(default_factory=list)
    keep: bool = True
    active: int = 0
    peak: int = 0
    connections: set[_Connection] = field(default_factory=set)
    connected: int = 0

    def arrived(self, request: Request) -> None:
        self.active += 1
        request.active = self.active
        self.peak = max(self.peak, self.active)
        if self.keep:
            self.requests.append(request)
        if self.log_descriptor is not None:
            os.write(self.log_descriptor, request.hash.encode() + b"\n")


class _Connection(asyncio.Protocol):
    def __init__(self, server: _Server) -> None:
        self._server = server
        self._buffer = bytearray()
        self._request: Request | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._server.connections.add(self)
        self._server.connected += 1

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._server.connections.discard(self)
        if self._timer is not None:
            self._timer.cancel()
        if self._request is not None:
            self._request.aborted = True
            self._done()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._request is None:
            self._next()

    def _next(self) -> None:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        first, *lines = bytes(self._buffer[:end]).decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)
        }
        size = end + 4 + int(headers.get("content-length", 0))
        if len(self._buffer) < size:
            return
        body = bytes(self._buffer[end + 4 : size])
        del self._buffer[:size]
        method, path, _ = first.split(" ")
        self._request = Request(method, path, headers, body, time.monotonic())
        self._server.arrived(self._request)
        self._answer(self._server.decide(self._request))

    def _answer(self, reply: Reply) -> None:
        if reply.delay_seconds:
            later = asyncio.get_running_loop().call_later
            self._timer = later(reply.delay_seconds, self._send, reply)
        else:
            self._send(reply)

    def _send(self, reply: Reply) -> None:
        data = _wire(reply)
        body = len(reply.body)
        kept = {"": len(data), "before": 0, "head": 20, "middle": len(data) - (body + 1) // 2}
        self.transport.write(data[: kept[reply.cut]])
        self._done()
        if reply.cut:
            self.transport.close()
        elif self._buffer:
            self._next()

    def _done(self) -> None:
        self._server.active -= 1
        self._request = self._timer = None


class Loopback:
    """A server in a thread of its own, from `with` to the end of the block.

    Attributes:
        url: such as `http://127.0.0.1:54321`, without a path.
        script: behaviours for the next requests, first come, first served; add to it at any time.
        requests: everything that came in.
        peak: most requests under way at once. Only replies with a delay can overlap.
        connected: connections that were opened.
    """

    def __init__(
        self,
        script: Iterable[Behaviour] = (),
        *,
        behave: Callable[[Request], Behaviour | None] | None = None,
        answer: Callable[[Request], Any] = echo,
        delay_seconds: float = 0.0,
        port: int = 0,
        log: str | Path | None = None,
        keep: bool = True,
    ) -> None:
        self.script = deque(script)
        self._behave = behave
        self._normal = says(answer, delay_seconds=delay_seconds)
        self._port = port
        self._log = log
        self._server = _Server(self._decide, keep=keep)
        self._started = threading.Event()
        self.url = ""

    requests = property(lambda self: self._server.requests)
    peak = property(lambda self: self._server.peak)
    connected = property(lambda self: self._server.connected)
    open_connections = property(lambda self: len(self._server.connections))

    def _decide(self, request: Request) -> Reply:
        try:
            behaviour = self.script.popleft() if self.script else None
            if behaviour is None and self._behave is not None:
                behaviour = self._behave(request)
            return (behaviour or self._normal)(request)
        except Exception as error:  # the test should see it, not wait for an answer
            return Reply(418, repr(error).encode(), content_type="text/plain")

    def __enter__(self) -> Loopback:
        self._thread = threading.Thread(target=self.run, name="loopback", daemon=True)
        self._thread.start()
        if not self._started.wait(10):
            raise RuntimeError("the loopback server did not start")
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def run(self, ready: Callable[[str], None] = lambda url: None) -> None:
        """Serve until stopped; `ready` is told the URL."""
        asyncio.run(self._run(ready))

    async def _run(self, ready: Callable[[str], None]) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        if self._log is not None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            self._server.log_descriptor = os.open(self._log, flags, 0o644)
        listener = await self._loop.create_server(
            lambda: _Connection(self._server), "127.0.0.1", self._port, backlog=1024
        )
        self.url = "http://{}:{}".format(*listener.sockets[0].getsockname())
        ready(self.url)
        self._started.set()
        await self._stop.wait()
        listener.close()
        for connection in list(self._server.connections):
            connection.transport.abort()
        await asyncio.sleep(0)
        if self._server.log_descriptor is not None:
            os.close(self._server.log_descriptor)


@contextmanager
def loopback_process(
    *, delay_seconds: float = 0.0, words: int = 0, log: str | Path | None = None
) -> Iterator[str]:
    """Yield the URL of a server in a process of its own, for benchmarks and kill tests."""
    command = [sys.executable, __file__, "--delay-ms", str(delay_seconds * 1000)]
    command += ["--words", str(words)]
    command += [] if log is None else ["--log", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def main() -> None:
    """Serve from the command line until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay-ms", type=float, default=0.0)
    parser.add_argument("--words", type=int, default=0, help="length of the answers, 0 for short")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", help="append the hash of every prompt, one a line")
    args = parser.parse_args()
    server = Loopback(
        answer=wordy(args.words) if args.words else echo,
        delay_seconds=args.delay_ms / 1000,
        port=args.port,
        log=args.log,
        keep=False,
    )
    server.run(lambda url: print(url, flush=True))  # noqa: T201


if __name__ == "__main__":
    main()
