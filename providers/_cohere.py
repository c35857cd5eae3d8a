"""The SDK of Cohere: opened once in each event loop, retried by us, with our errors."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import anyio
import cohere
import httpx
from cohere.core.api_error import ApiError
from cohere.core.request_options import RequestOptions

from orchestrator_context import checks
from orchestrator_context.exceptions import (
    ConfigurationError,
    ContextError,
    ProviderResponseError,
    ProviderUnavailableError,
)
from orchestrator_context.providers._access import api_key_from, base_url_from, trusted
from orchestrator_context.providers._errors import error_of, read_complaint
from orchestrator_context.providers._lifetime import KeepsOpen, PerLoop
from orchestrator_context.retrying import RetryPolicy, call_with_retry

Result = TypeVar("Result")
Ask = Callable[[cohere.AsyncClientV2], Awaitable[Result]]

PROVIDER = "cohere"
ONE_ATTEMPT: RequestOptions = {"max_retries": 0}

_HOST = "https://api.cohere.com"
_CONNECT_SECONDS = 10.0


class Sdk(KeepsOpen):
    """Cohere's client, one for each event loop.

    `async with` opens its connections; inner ones share them, the last exit closes them. A client
    that was passed in is used as it is and never closed.
    """

    def __init__(
        self,
        *,
        api_key: str | None,
        base_url: str | None,
        timeout_seconds: float,
        retry: RetryPolicy,
        client: cohere.AsyncClientV2 | None,
    ) -> None:
        if client is not None and (api_key is not None or base_url is not None):
            raise ConfigurationError("Pass a client, or api_key and base_url, but not both")
        self._key = _key(api_key) if client is None else ""
        self._address = _address(base_url)
        self._timeout_seconds = checks.number("timeout_seconds", timeout_seconds, above=True)
        self._retry = retry
        self._given = _async_client(client)
        self._sessions = PerLoop("cohere session", self._session)
        super().__init__(self._sessions)

    def _session(self) -> _Session:
        if self._given is not None:
            return _Session(self._given)
        # Reading has no limit of its own: a model may think for long before its first byte.
        timeout = httpx.Timeout(None, connect=min(_CONNECT_SECONDS, self._timeout_seconds))
        own = httpx.AsyncClient(verify=trusted(), timeout=timeout)
        name = "orchestrator-context"
        client = cohere.AsyncClientV2(
            self._key, base_url=self._address, client_name=name, httpx_client=own
        )
        return _Session(client, own)

    async def retrying(self, ask: Ask[Result]) -> Result:
        """Return what `ask` gets from the client, made again after failures that may pass.

        Raises:
            ProviderError: the last failure, never one of the SDK's own.
        """
        async with self._sessions as session:
            return await call_with_retry(lambda: self._attempt(session.client, ask), self._retry)

    async def _attempt(self, client: cohere.AsyncClientV2, ask: Ask[Result]) -> Result:
        with anyio.move_on_after(self._timeout_seconds):
            try:
                return await ask(client)
            except ContextError:
                raise
            except Exception as error:
                failure = _translated(error)
            raise failure  # out here, so that the SDK's error, which may hold the prompt, is let go
        raise ProviderUnavailableError(
            f"cohere timed out after {self._timeout_seconds:g} s; raise timeout_seconds if its "
            "answers take that long",
            provider=PROVIDER,
            may_be_charged=True,
        )


@dataclass(frozen=True, slots=True)
class _Session:
    """A client in one event loop, and the connections below it, if they are ours."""

    client: cohere.AsyncClientV2
    own: httpx.AsyncClient | None = None

    async def aclose(self) -> None:
        """Close the connections."""
        if self.own is not None:
            await self.own.aclose()


def _async_client(client: object) -> cohere.AsyncClientV2 | None:
    if client is not None and not isinstance(client, cohere.AsyncClientV2):
        raise ConfigurationError(
            f"client must be a cohere.AsyncClientV2, not {type(client).__name__}"
        )
    return client


def _key(api_key: str | None) -> str:
    key = api_key_from(api_key, "CO_API_KEY")
    if key is None:
        raise ConfigurationError("Cohere needs a key: set CO_API_KEY or pass api_key")
    return key


def _address(base_url: str | None) -> str:
    """Return the address without the version, which the SDK adds."""
    url = base_url_from(base_url or os.environ.get("CO_API_URL") or _HOST)
    return str(url).rstrip("/").removesuffix("/v1").removesuffix("/v2")


def _translated(error: Exception) -> ContextError:
    """Return our error for one of the SDK or of the HTTP client below it."""
    if isinstance(error, ApiError):
        status = error.status_code or 0
        if 200 <= status < 300:
            return unusable("something that is no JSON", status)
        return error_of(PROVIDER, status, read_complaint(error.body), error.headers or {})
    if isinstance(error, httpx.HTTPError) and not isinstance(error, httpx.DecodingError):
        return ProviderUnavailableError(
            f"cohere could not be reached, or broke the connection ({type(error).__name__}); check "
            "base_url and that the network lets you through",
            provider=PROVIDER,
            may_be_charged=not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout),
        )
    if isinstance(error, RuntimeError) and "has been closed" in str(error):
        return ConfigurationError("The client is closed; pass one that is open")
    return unusable(f"something the SDK cannot read ({type(error).__name__})")


def unusable(what: str, status: int | None = None) -> ProviderResponseError:
    """Return the error for an answer with `what` in it."""
    return ProviderResponseError(
        f"cohere answered with {what}; call it again, and check base_url if that goes on",
        provider=PROVIDER,
        status=status,
    )
