"""A server that takes next to no time but a given latency: each chat call gets the same answer.

The loopback server of the tests reads and hashes every request, on a single thread, so that on two
cores it would be the slower side of a measurement. Here a thread for each connection waits.
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection

_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_ANSWER = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "gpt-4o",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Nothing out of the ordinary."},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 900, "completion_tokens": 6, "total_tokens": 906},
    }
).encode()
_REPLY = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n" % len(_ANSWER)
) + _ANSWER


@contextmanager
def latency_server(latency_seconds: float) -> Iterator[str]:
    """Run the server in a process of its own, and yield its URL."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, latency_seconds), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}"
    finally:
        process.kill()
        process.join()


def _serve(parent: Connection, latency_seconds: float) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=128) as server:
        parent.send(server.getsockname()[1])
        while True:
            connection, _ = server.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            arguments = (connection, latency_seconds)
            threading.Thread(target=_answer, args=arguments, daemon=True).start()


def _answer(connection: socket.socket, latency_seconds: float) -> None:
    with closing(connection):
        data = b""
        while chunk := connection.recv(1 << 16):
            data += chunk
            head, found, body = data.partition(b"\r\n\r\n")
            length = _LENGTH.search(head) if found else None
            if length is not None and len(body) >= int(length[1]):
                data = b""  # the next request comes after the answer
                time.sleep(latency_seconds)
                connection.sendall(_REPLY)
