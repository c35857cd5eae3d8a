"""Runs the benchmarks that are named, or all of them, and prints what was measured.

    python tests/benchmarks/run.py [throughput] [anyinfer] [memory] ...

Ratios compare both sides in the same run on the same machine; nothing here asserts anything.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMES = (
    "throughput",
    "anyinfer",
    "memory",
    "history",
    "prefix",
    "peers_history",
    "rank",
    "select",
    "dedup",
    "structure",
    "digest",
)


def main() -> None:
    sys.path.insert(0, str(ROOT))
    for name in sys.argv[1:] or NAMES:
        print(f"== {name}", flush=True)
        importlib.import_module(f"tests.benchmarks.bench_{name}").main()


if __name__ == "__main__":
    main()
