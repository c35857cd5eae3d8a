"""Peak memory of `distill` over streamed corpora of growing size, each in a process of its own."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import anyio

from orchestrator_context.distill import DistillOptions, distill
from orchestrator_context.models import Document
from orchestrator_context.testing import Call, ScriptedGenerator

DOCUMENT_BYTES = 1_000_000


@dataclass(frozen=True)
class Case:
    """A run to measure: long notes are as long as they may be."""

    megabytes: int
    window: int = 32_000
    long_notes: bool = False
    keep_notes: bool = True


CASES = (
    Case(0),
    Case(10),
    Case(100),
    Case(1_000),
    Case(100, window=8_000, long_notes=True),
    Case(100, window=8_000, long_notes=True, keep_notes=False),
)


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


def measure(case: Case) -> None:
    """Run once and print chunks, seconds and the peak in kilobytes."""

    def script(call: Call) -> str:
        words = "word " * (call.max_output_tokens - 12) if case.long_notes else ""
        return f"A note [S1] number {call.number}. {words}"

    model = ScriptedGenerator(script, window=case.window)
    model.calls = Forgetful()

    async def run() -> int:
        options = DistillOptions(concurrency=16, keep_notes=case.keep_notes)
        source = stream(case.megabytes)
        result = await distill(source, "What was it?", client=model, options=options)
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
    for number, case in enumerate(CASES):
        command = [sys.executable, "-m", "tests.benchmarks.bench_memory", str(number)]
        output = subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
        ).stdout
        chunks, seconds, peak = output.split()
        idle = idle or int(peak)
        notes = ("long" if case.long_notes else "short") + " notes" + " kept" * case.keep_notes
        print(
            f"{case.megabytes:>5} MB, window {case.window:,}, {notes}: {chunks} chunks, "
            f"{float(seconds):.1f} s, peak {int(peak) / 1024:.0f} MiB, "
            f"{(int(peak) - idle) / 1024:.0f} MiB above idle",
            flush=True,
        )


if __name__ == "__main__":
    measure(CASES[int(sys.argv[1])])
