"""The one JSON call that all HTTP providers share: pooled, retried, with typed errors."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TypeVar, cast

import anyio
import httpx

from orchestrator_context import checks
from orchestrator_context.exceptions import (
    ConfigurationError,
    ProviderError,
    ProviderResponseError,
    ProviderUnavailableError,
)
from orchestrator_context.providers._errors import error_of, overflow_error, read_complaint
from orchestrator_context.providers._lifetime import KeepsOpen, PerLoop
from orchestrator_context.providers._pool import FAILURES, OUT_OF_REACH, ConnectionPool
from orchestrator_context.retrying import RetryPolicy, call_with_retry

Result = TypeVar("Result")

_CONNECT_SECONDS = 10.0


def encode_json(body: Mapping[str, object]) -> bytes:
    """Return `body` as UTF-8 JSON, with U+FFFD in the place of lone surrogates.

    Raises:
        ConfigurationError: it holds NaN, infinity or something JSON has no word for.
    """
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"The request cannot be written as JSON: {error}") from None
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


class HttpClient(KeepsOpen):
    """One service reached over HTTP.

    `async with` opens its connections; inner ones share them, the last exit closes them. A call
    outside any opens them for itself. Each event loop has connections of its own, so an object
    made at import time works in all of them, one after another or at once. A client that was
    passed in is used as it is and never closed.
    """

    def __init__(
        self,
        provider: str,
        base_url: httpx.URL,
        *,
        headers: Mapping[str, str],
        timeout_seconds: float,
        retry: RetryPolicy,
        http_client: httpx.AsyncClient | None,
    ) -> None:
        self._provider = provider
        self._base_url = base_url
        self._urls: dict[str, httpx.URL] = {}
        self._headers = httpx.Headers(
            {
                "User-Agent": "orchestrator-context",
                "Accept": "application/json",
                "Accept-Encoding": "identity",  # answers are short
                "Content-Type": "application/json",
                **headers,
            }
        )
        self._timeout_seconds = checks.number("timeout_seconds", timeout_seconds, above=True)
        self._connect_seconds = min(_CONNECT_SECONDS, self._timeout_seconds)
        self._retry = retry
        self._given = _async_client(http_client)
        self._pools = PerLoop(f"{provider} connections", lambda: ConnectionPool(base_url))
        super().__init__(self._pools)

    @property
    def address(self) -> str:
        """Where the service is, without anything that could be a secret."""
        return str(self._base_url.copy_with(query=None))

    async def retrying(self, attempt: Callable[[], Awaitable[Result]]) -> Result:
        """Return what `attempt` returns, made again after failures that may pass."""
        async with self:
            return await call_with_retry(attempt, self._retry)

    async def post_json(self, path: str, body: Mapping[str, object]) -> dict[str, object]:
        """Return the JSON object that the service answers to one request, without a retry.

        Raises:
            ProviderUnavailableError: overload, time-out, lost connection.
            ProviderRejectedError: the service refused; `ContextOverflowError` for its window.
            ProviderResponseError: the answer is no JSON object.
        """
        content = encode_json(body)
        async with self._pools as pool:
            with anyio.move_on_after(self._timeout_seconds):
                return self._read(await self._send(pool, self._url(path), content), body)
        raise ProviderUnavailableError(
            f"{self._provider} timed out after {self._timeout_seconds:g} s; raise timeout_seconds "
            "if its answers take that long",
            provider=self._provider,
            may_be_charged=True,
        )

    async def _send(self, pool: ConnectionPool, url: httpx.URL, content: bytes) -> httpx.Response:
        # Reading has no limit of its own: a model may think for long before its first byte.
        try:
            if self._given is None:
                return await pool.post(url, self._headers.raw, content, self._connect_seconds)
            if self._given.is_closed:
                raise ConfigurationError("The http_client is closed; pass one that is open")
            timeout = httpx.Timeout(None, connect=self._connect_seconds)
            return await self._given.post(
                url, headers=self._headers, content=content, timeout=timeout
            )
        except FAILURES as error:
            failure = self._lost(error)
        raise failure  # out here, so that the vendor's error, which holds the request, is let go

    def _lost(self, error: Exception) -> ProviderError:
        kind = type(error).__name__
        if isinstance(error, httpx.DecodingError):
            return self._unusable("something that cannot be decompressed")
        out_of_reach = isinstance(error, OUT_OF_REACH)
        if out_of_reach:
            message = (
                f"{self._provider} could not be reached at {self.address} ({kind}); check that it "
                "runs there and that the network lets you through"
            )
        else:
            message = f"{self._provider} broke the connection ({kind}); it may work later"
        return ProviderUnavailableError(
            message, provider=self._provider, may_be_charged=not out_of_reach
        )

    def _url(self, path: str) -> httpx.URL:
        if path not in self._urls:  # parsing one takes longer than all else done here
            self._urls[path] = self._base_url.copy_with(path=self._base_url.path + path)
        return self._urls[path]

    def _read(self, response: httpx.Response, sent: Iterable[str]) -> dict[str, object]:
        status, answer = response.status_code, _parsed(response.content)
        if not 200 <= status < 300:
            complaint = read_complaint(answer)
            raise error_of(self._provider, status, complaint, response.headers, sent)
        if not isinstance(answer, dict):
            raise self._unusable("something that is no JSON object", status)
        data = cast("dict[str, object]", answer)
        if data.get("error"):
            complaint = read_complaint(data)
            raise overflow_error(self._provider, status, complaint) or self._unusable(
                f"an error ({complaint.label or 'of unknown type'})", status
            )
        return data

    def _unusable(self, what: str, status: int | None = None) -> ProviderResponseError:
        return ProviderResponseError(
            f"{self._provider} answered with {what}; check that base_url, {self.address}, is that "
            "of its API",
            provider=self._provider,
            status=status,
        )


def _async_client(client: object) -> httpx.AsyncClient | None:
    if client is not None and not isinstance(client, httpx.AsyncClient):
        raise ConfigurationError(
            f"http_client must be an httpx.AsyncClient, not {type(client).__name__}"
        )
    return client


def _parsed(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
