"""Connections that stay open between the calls of one event loop."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.request import getproxies, proxy_bypass

import anyio
import httpcore
import httpx

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.providers._access import trusted
from orchestrator_context.providers._sockets import Sockets

OUT_OF_REACH = (
    httpcore.ConnectError,
    httpcore.ConnectTimeout,
    httpcore.ProxyError,
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.ProxyError,
)
"""Failures before anything was sent, here or in an `httpx.AsyncClient`."""

FAILURES = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.TimeoutException,
    httpcore.UnsupportedProtocol,
    httpx.HTTPError,
)
"""All failures of a call, here or in an `httpx.AsyncClient`."""

Connection = httpcore.AsyncHTTPConnection | httpcore.AsyncHTTPProxy | httpcore.AsyncSOCKSProxy

_KEEP_SECONDS = 5.0
_CLOSE_SECONDS = 5.0


class ConnectionPool:
    """The connections of one event loop: one for each call at a time, last used first.

    An `httpx.AsyncClient` for all calls would be simpler. But the pool inside it looks at every
    connection on every call, and again for each idle one: at 32 calls at once that costs 3 ms of
    processor time a call, against 0.4 ms here. It also logs every address with its query.
    """

    def __init__(self, url: httpx.URL) -> None:
        self._origin = _target(url).origin
        self._proxy = _proxy_for(url)
        self._idle: list[Connection] = []

    async def post(
        self,
        url: httpx.URL,
        headers: Sequence[tuple[bytes, bytes]],
        content: bytes,
        connect_seconds: float,
    ) -> httpx.Response:
        """Return the whole answer. The connection is kept only if all went well.

        Raises:
            Exception: one of `FAILURES`.
        """
        size = b"%d" % len(content)
        request = httpcore.Request(
            "POST",
            _target(url),
            headers=[(b"Host", url.netloc), *headers, (b"Content-Length", size)],
            content=content,
            extensions={"timeout": {"connect": connect_seconds}},
        )
        connection = await self._taken()
        try:
            answer = await connection.handle_async_request(request)
            body = await answer.aread()
            await answer.aclose()
        except BaseException:
            await _close(connection)
            raise
        self._idle.append(connection)
        return httpx.Response(answer.status, headers=answer.headers, content=body)

    async def aclose(self) -> None:
        """Close all connections."""
        for connection in self._idle:
            await connection.aclose()

    async def _taken(self) -> Connection:
        """Return a connection that is still good, or a new one."""
        while self._idle:
            connection = self._idle.pop()
            if not _is_stale(connection):
                return connection
            await _close(connection)
        if self._proxy is not None:
            return _proxied(self._proxy)
        return httpcore.AsyncHTTPConnection(
            self._origin, trusted(), _KEEP_SECONDS, network_backend=Sockets()
        )


def _target(url: httpx.URL) -> httpcore.URL:
    return httpcore.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )


def _is_stale(connection: Connection) -> bool:
    """Return whether a connection was closed or is too old; one through a proxy sees to itself."""
    return isinstance(connection, httpcore.AsyncHTTPConnection) and (
        connection.is_closed() or connection.has_expired()
    )


def _proxy_for(url: httpx.URL) -> str | None:
    """Return the proxy that the environment names for `url`, by the usual variables."""
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(url.host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _proxied(address: str) -> httpcore.AsyncHTTPProxy | httpcore.AsyncSOCKSProxy:
    try:
        proxy = httpx.Proxy(address)
        http = proxy.url.scheme.startswith("http")
        kind = httpcore.AsyncHTTPProxy if http else httpcore.AsyncSOCKSProxy
        return kind(
            _target(proxy.url),
            proxy.raw_auth,
            ssl_context=trusted(),
            keepalive_expiry=_KEEP_SECONDS,
            network_backend=Sockets(),
        )
    except (RuntimeError, ValueError, httpx.InvalidURL) as error:
        reason = type(error).__name__
    raise ConfigurationError(
        f"The proxy that the environment names cannot be used ({reason}); check HTTPS_PROXY, "
        "HTTP_PROXY and ALL_PROXY, and that socksio is installed for a SOCKS proxy"
    )


async def _close(connection: Connection) -> None:
    with anyio.move_on_after(_CLOSE_SECONDS, shield=True):
        await connection.aclose()
