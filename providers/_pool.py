"""Connections that stay open between the calls of one event loop."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING
from urllib.request import getproxies, proxy_bypass

import anyio
import httpx

from orchestrator_context.exceptions import ConfigurationError

if TYPE_CHECKING:
    import ssl

_CLOSE_SECONDS = 5.0


class ConnectionPool:
    """The connections of one event loop: a transport for each call at a time, last used first.

    An `httpx.AsyncClient` for all calls would be simpler. But the pool inside it looks at every
    connection on every call, and again for each idle one: at 32 calls at once that costs 3 ms of
    processor time a call, against 0.5 ms here. It also logs every address with its query.

    Attributes:
        users: open blocks and calls that need the connections.
        forget: what to call when there are no users any more.
    """

    def __init__(self, url: httpx.URL) -> None:
        self.users = 0
        self.forget: Callable[[], None] = lambda: None
        self._proxy = _proxy_for(url)
        self._idle: list[httpx.AsyncHTTPTransport] = []

    async def send(self, request: httpx.Request) -> httpx.Response:
        """Return the whole answer. The connection is kept only if all went well."""
        transport = self._idle.pop() if self._idle else self._open()
        try:
            response = await transport.handle_async_request(request)
            await response.aread()
        except BaseException:
            await _close([transport])
            raise
        self._idle.append(transport)
        return response

    async def close(self) -> None:
        """Close all connections."""
        await _close(self._idle)

    def _open(self) -> httpx.AsyncHTTPTransport:
        try:
            return httpx.AsyncHTTPTransport(verify=_trusted(), proxy=self._proxy)
        except (ImportError, ValueError, httpx.InvalidURL) as error:
            kind = type(error).__name__
        raise ConfigurationError(
            f"The proxy that the environment names cannot be used ({kind}); check HTTPS_PROXY, "
            "HTTP_PROXY and ALL_PROXY, and that socksio is installed for a SOCKS proxy"
        )


def _proxy_for(url: httpx.URL) -> str | None:
    """Return the proxy that the environment names for `url`, by the usual variables."""
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(url.host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


@cache
def _trusted() -> ssl.SSLContext:
    return httpx.create_ssl_context()  # takes 20 ms or more, so all transports share one


async def _close(transports: list[httpx.AsyncHTTPTransport]) -> None:
    with anyio.move_on_after(_CLOSE_SECONDS, shield=True):
        for transport in transports:
            await transport.aclose()
