"""`distill` against the ideal: calls x latency / concurrency, on a loopback server with latency.

The second figure is against a client that does nothing but write the same number of requests to
open sockets and read the answers, in the same run: what this machine and this server can give.

What was imported is kept from the garbage collector, which else stops a run now and then for 0.1 s.
"""

from __future__ import annotations

import gc
import json
import re
import statistics
import tempfile
import time
from itertools import islice
from pathlib import Path

import anyio
from anyio.abc import SocketStream

from orchestrator_context.distill import DistillOptions, distill
from orchestrator_context.models import Document
from orchestrator_context.providers.openai import OpenAIGenerator
from tests.benchmarks.latency_server import latency_server

LATENCY_SECONDS = 0.05
CONCURRENCY = 32
CHUNKS = 2_000
RUNS = 5
HEAD = b"POST /v1/chat/completions HTTP/1.1\r\nHost: bare\r\nContent-Length: %d\r\n\r\n"


def corpus(chunks: int) -> list[Document]:
    """Return documents of one chunk each, all different."""
    sentence = "Station {0} reported a pressure of {1} bar and a level of {2} percent at {3}:00.\n"
    return [
        Document(
            f"log/{i:05}.txt",
            "".join(sentence.format(i, line % 7, i % 100, line) for line in range(20)),
        )
        for i in range(chunks)
    ]


async def once(url: str, checkpoint: Path | None) -> tuple[int, float]:
    """Return the calls and seconds of one run."""
    client = OpenAIGenerator("gpt-4o", base_url=url)
    options = DistillOptions(concurrency=CONCURRENCY, max_output_tokens=512)
    source = corpus(CHUNKS)
    started = time.perf_counter()
    result = await distill(
        source, "What was reported?", client=client, options=options, checkpoint=checkpoint
    )
    return result.report.calls, time.perf_counter() - started


async def bare(url: str) -> float:
    """Return the seconds that as many calls take without any of our code, the last on its own."""
    text = corpus(1)[0].content
    body = json.dumps({"messages": [{"role": "user", "content": text}]}).encode()
    request = HEAD % len(body) + body
    host, port = url.removeprefix("http://").split(":")
    left = iter(range(CHUNKS))

    async def calls(most: int) -> None:
        async with await anyio.connect_tcp(host, int(port)) as stream:
            for _ in islice(left, most):
                await stream.send(request)
                await answered(stream)

    started = time.perf_counter()
    async with anyio.create_task_group() as tasks:
        for _ in range(CONCURRENCY):
            tasks.start_soon(calls, CHUNKS)
    left = iter(range(1))
    await calls(1)
    return time.perf_counter() - started


async def answered(stream: SocketStream) -> None:
    """Read one answer: its head, and as many bytes as that says."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += await stream.receive()
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    assert length is not None
    missing = int(length[1]) - len(body)
    while missing > 0:
        missing -= len(await stream.receive())


def main() -> None:
    gc.collect()
    gc.freeze()
    with (
        latency_server(LATENCY_SECONDS) as url,
        tempfile.TemporaryDirectory() as folder,
    ):
        for label in ("without checkpoint", "with checkpoint"):
            shares: list[float] = []
            ratios: list[float] = []
            for run in range(RUNS):
                path = Path(folder) / f"{run}.sqlite" if label == "with checkpoint" else None
                plain = anyio.run(bare, url)
                calls, seconds = anyio.run(once, url, path)
                ideal = calls * LATENCY_SECONDS / CONCURRENCY
                shares.append(ideal / seconds)
                ratios.append(plain / seconds)
            print(
                f"{label}: {calls} calls of {LATENCY_SECONDS * 1000:.0f} ms at concurrency "
                f"{CONCURRENCY}: {statistics.median(shares):.1%} of the ideal "
                f"(min {min(shares):.1%}, max {max(shares):.1%}; {seconds:.2f} s, ideal "
                f"{ideal:.2f} s); {statistics.median(ratios):.1%} of what a bare client reaches "
                f"(min {min(ratios):.1%}, max {max(ratios):.1%})"
            )
