"""`distill` against the ideal: calls x latency / concurrency, on a loopback server with latency.

The second figure is the share of what can be reached here: the server takes a little longer than
it is told to, and the last call has to wait for all others.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path

import anyio

from orchestrator_context.distill import DistillOptions, distill
from orchestrator_context.models import Document
from orchestrator_context.providers.openai import OpenAIGenerator
from tests.loopback import loopback_process

LATENCY_SECONDS = 0.05
CONCURRENCY = 32
CHUNKS = 2_000
RUNS = 5
LONE_CALLS = 40


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


def measured_latency(url: str) -> float:
    """Return the median seconds of calls made one after the other, without any of our code."""
    connection = HTTPConnection(url.removeprefix("http://"))
    text = corpus(1)[0].content
    body = json.dumps({"messages": [{"role": "user", "content": text}]})
    taken: list[float] = []
    for _ in range(LONE_CALLS):
        started = time.perf_counter()
        connection.request("POST", "/v1/chat/completions", body)
        connection.getresponse().read()
        taken.append(time.perf_counter() - started)
    connection.close()
    return statistics.median(taken)


def main() -> None:
    with (
        loopback_process(delay_seconds=LATENCY_SECONDS) as url,
        tempfile.TemporaryDirectory() as folder,
    ):
        latency = measured_latency(url)
        for label in ("without checkpoint", "with checkpoint"):
            shares: list[float] = []
            for run in range(RUNS):
                path = Path(folder) / f"{run}.sqlite" if label == "with checkpoint" else None
                calls, seconds = anyio.run(once, url, path)
                ideal = calls * LATENCY_SECONDS / CONCURRENCY
                shares.append(ideal / seconds)
            share = statistics.median(shares)
            reachable = (calls - 1) * latency / CONCURRENCY + latency
            print(
                f"{label}: {calls} calls of {LATENCY_SECONDS * 1000:.0f} ms at concurrency "
                f"{CONCURRENCY}: {share:.1%} of the ideal "
                f"(min {min(shares):.1%}, max {max(shares):.1%}; {seconds:.2f} s, "
                f"ideal {ideal:.2f} s); {share * reachable / ideal:.1%} of what can be reached "
                f"with calls of {latency * 1000:.1f} ms and a last one on its own"
            )
