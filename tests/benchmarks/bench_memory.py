"""Peak memory of `distill` over streamed corpora of growing size, each in a process of its own."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import anyio

from orchestrator_context.distill import DistillOptions, distill
from orchestrator_context.models import Document
from orchestrator_context.testing import ScriptedGenerator

SIZES_MB = (0, 10, 100, 1_000)
DOCUMENT_BYTES = 1_000_000
WINDOW = 32_000


def stream(megabytes: int) -> Iterator[Document]:
    """Yield documents of about a megabyte, all different."""
    line = "At {0}:{1:02} the level of tank {2} was {3} percent and its pressure {4} bar.\n"
    for number in range(megabytes):
        lines: list[str] = []
        size = 0
        while size < DOCUMENT_BYTES:
            count = len(lines)
            text = line.format(count // 60, count % 60, number, count % 101, count % 17)
            lines.append(text)
            size += len(text)
        yield Document(f"tank-{number}.log", "".join(lines))


def measure(megabytes: int) -> None:
    """Run once and print chunks, seconds and the peak in kilobytes."""
    model = ScriptedGenerator(lambda call: f"A note [S1] number {call.number}.", window=WINDOW)
    model.calls = Forgetful()

    async def run() -> int:
        options = DistillOptions(concurrency=16, keep_notes=True)
        result = await distill(stream(megabytes), "What was it?", client=model, options=options)
        return result.report.chunks

    started = time.perf_counter()
    chunks = anyio.run(run)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(chunks, time.perf_counter() - started, peak)


class Forgetful(list):  # type: ignore[type-arg]
    """A list that keeps nothing, so that the double's memory is not measured."""

    def append(self, item: object) -> None:
        del item


def main() -> None:
    idle = 0
    for megabytes in SIZES_MB:
        command = [sys.executable, "-m", "tests.benchmarks.bench_memory", str(megabytes)]
        output = subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
        ).stdout
        chunks, seconds, peak = output.split()
        idle = idle or int(peak)
        print(
            f"{megabytes:>5} MB: {chunks:>6} chunks, {float(seconds):7.1f} s, peak "
            f"{int(peak) / 1024:6.0f} MiB, {(int(peak) - idle) / 1024:5.0f} MiB above idle",
            flush=True,
        )


if __name__ == "__main__":
    measure(int(sys.argv[1]))
