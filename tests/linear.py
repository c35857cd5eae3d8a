"""Whether the time that something takes grows with the text, and not faster."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(run: Callable[[str], object], text: str) -> float:
    start = time.perf_counter()
    run(text)
    return time.perf_counter() - start


def assert_linear(run: Callable[[str], object], piece: str) -> None:
    text = piece * (50_000 // len(piece))
    seconds(run, text[:1_000])
    assert seconds(run, text * 4) < 20 * max(seconds(run, text), 0.01)
