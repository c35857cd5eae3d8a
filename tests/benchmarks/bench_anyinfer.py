"""`distill` against `anyinfer.context.distill`: the same corpus, server, chunk size, concurrency.

Every answer is as long as it may be, up to 900 words, so that the reduction is deep. AnyInfer asks
its client how much room is left; the client is told the same window that ours has.
"""

from __future__ import annotations

import dataclasses
import statistics
import time
from typing import Any

import anyinfer
import anyio
from anyinfer.context import ContextDocument
from anyinfer.context import distill as anyinfer_distill
from anyinfer.types import Sourced

from orchestrator_context.distill import DistillOptions, distill
from orchestrator_context.providers.openai import OpenAIGenerator
from tests.benchmarks.bench_throughput import corpus
from tests.loopback import loopback_process

LATENCY_SECONDS = 0.05
CONCURRENCY = 8
WINDOW = 8_192
CHUNKS = 400
RUNS = 3
QUESTION = "What was reported?"


class KnownWindow:
    """An AnyInfer client that knows the window of the loopback model."""

    def __init__(self, client: anyinfer.AsyncClient) -> None:
        self._client = client

    async def generate(self, messages: Any, *, target: Any, **options: Any) -> Any:
        return await self._client.generate(messages, target=target, **options)

    def budget(self, messages: Any, *, target: Any, **options: Any) -> Any:
        budget = self._client.budget(messages, target=target, **options)
        return dataclasses.replace(budget, context_window=Sourced(WINDOW, "override"))


async def theirs(url: str) -> tuple[int, int, float]:
    """Return calls, depth and seconds of AnyInfer."""
    settings = anyinfer.ProviderSettings("openai-compat", base_url=f"{url}/v1", api_key="none")
    documents = [ContextDocument.of(d.path, d.content) for d in corpus(CHUNKS)]
    async with anyinfer.AsyncClient([settings]) as client:
        started = time.perf_counter()
        result = await anyinfer_distill(
            documents,
            QUESTION,
            client=KnownWindow(client),
            target="openai-compat:loopback",
            chunk_tokens=1_000,
            concurrency=CONCURRENCY,
        )
        return result.calls, result.reduce_depth, time.perf_counter() - started


async def ours(url: str) -> tuple[int, int, float]:
    """Return calls, depth and seconds of this library."""
    client = OpenAIGenerator("gpt-4o", base_url=url, window=WINDOW)
    options = DistillOptions(concurrency=CONCURRENCY, chunk_tokens=1_000, note_tokens=384)
    documents = corpus(CHUNKS)
    started = time.perf_counter()
    result = await distill(documents, QUESTION, client=client, options=options)
    return result.report.calls, result.report.depth, time.perf_counter() - started


def main() -> None:
    ratios: list[float] = []
    with loopback_process(delay_seconds=LATENCY_SECONDS, words=900) as url:
        for _ in range(RUNS):
            calls, depth, seconds = anyio.run(ours, url)
            their_calls, their_depth, their_seconds = anyio.run(theirs, url)
            ratios.append(their_seconds / seconds)
    print(f"this library: {calls} calls, depth {depth}, {seconds:.2f} s")
    print(f"anyinfer:     {their_calls} calls, depth {their_depth}, {their_seconds:.2f} s")
    print(
        f"anyinfer / this library: {statistics.median(ratios):.2f} "
        f"(min {min(ratios):.2f}, max {max(ratios):.2f}) at concurrency {CONCURRENCY}, "
        f"{LATENCY_SECONDS * 1000:.0f} ms"
    )
