"""Sockets that send a request as one piece."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from contextlib import suppress
from typing import cast

import httpcore


class Sockets(httpcore.AsyncNetworkBackend):
    """Connects as httpcore does by itself, but gathers what is written until something is read.

    httpcore writes the head and the body of a request apart. Together they take one system call
    and one packet or TLS record, and wake the service once.
    """

    def __init__(self) -> None:
        # For type checkers it may be a stand-in, for where anyio is not installed.
        self._plain = cast("httpcore.AsyncNetworkBackend", httpcore.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 (httpcore's interface)
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Return a stream to `host`."""
        return _Gathering(
            await self._plain.connect_tcp(host, port, timeout, local_address, socket_options)
        )


class _Gathering(httpcore.AsyncNetworkStream):
    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self._written: list[bytes] = []

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109
        self._written.append(buffer)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        if self._written:
            data = b"".join(self._written)
            self._written.clear()
            with suppress(httpcore.WriteError):  # it may have answered before it closed
                await self._stream.write(data, timeout)
        return await self._stream.read(max_bytes, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> httpcore.AsyncNetworkStream:
        return _Gathering(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)
