"""`distill` against the ideal: calls x latency / concurrency, on a loopback server with latency."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import anyio

from orchestrator_context.distill import DistillOptions, distill
from orchestrator_context.models import Document
from orchestrator_context.providers.openai import OpenAIGenerator
from tests.loopback import loopback_process

LATENCY_SECONDS = 0.05
CONCURRENCY = 32
CHUNKS = 2_000
RUNS = 3


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


def main() -> None:
    with (
        loopback_process(delay_seconds=LATENCY_SECONDS) as url,
        tempfile.TemporaryDirectory() as folder,
    ):
        for label in ("without checkpoint", "with checkpoint"):
            shares: list[float] = []
            for run in range(RUNS):
                path = Path(folder) / f"{run}.sqlite" if label == "with checkpoint" else None
                calls, seconds = anyio.run(once, url, path)
                ideal = calls * LATENCY_SECONDS / CONCURRENCY
                shares.append(ideal / seconds)
            print(
                f"{label}: {calls} calls of {LATENCY_SECONDS * 1000:.0f} ms at concurrency "
                f"{CONCURRENCY}: {statistics.median(shares):.1%} of the ideal "
                f"(min {min(shares):.1%}, max {max(shares):.1%}; {seconds:.2f} s, "
                f"ideal {ideal:.2f} s)"
            )
