"""How the time that something takes grows with its size, on a busy machine too.

Time is that of the processor, worker threads included: what a neighbour takes does not count. The
least of several attempts is compared, without the garbage collector, and the first that is good
enough will do: only what is slow each time fails.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

ATTEMPTS = 6
FLOOR_SECONDS = 0.0005  # what takes less is as quick as this
Input = TypeVar("Input")


def assert_linear(
    run: Callable[[Input], object], make: Callable[[int], Input], *, small: int, factor: int = 16
) -> None:
    """Fail if the time of `run(make(size))` grows much faster than the size from `small` on.

    Four times linear growth is let pass: with a factor of 16 that is a quarter of quadratic growth.
    Only `run` is timed, and each time with an input of its own. Where it remembers what it saw,
    `make` must make something new each time.
    """
    _assert_growth(run, make, small, factor, limit=4 * factor)


def assert_constant(
    run: Callable[[Input], object], make: Callable[[int], Input], *, small: int, factor: int = 64
) -> None:
    """Fail if the time of `run(make(size))` grows with the size: by the root of the factor."""
    _assert_growth(run, make, small, factor, limit=factor**0.5)


def repeating(piece: str) -> Callable[[int], str]:
    """Return what makes a text of about so many characters, all of it this piece."""
    return lambda characters: piece * (characters // len(piece))


@contextmanager
def no_collection() -> Iterator[None]:
    """Keep the garbage collector, which takes a time of its own, out of a measure."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _assert_growth(
    run: Callable[[Input], object],
    make: Callable[[int], Input],
    small: int,
    factor: int,
    limit: float,
) -> None:
    few = many = float("inf")
    for _ in range(ATTEMPTS):
        few = min(few, *(_seconds(run, make(small)) for _ in range(3)))
        many = min(many, _seconds(run, make(small * factor)))
        growth = many / max(few, FLOOR_SECONDS)
        if growth < limit:
            return
    raise AssertionError(
        f"{factor} times the size takes {growth:.0f} times as long, and at most {limit:.0f} is"
        f" right: {few:.4f} s for {small}, {many:.4f} s for {small * factor}"
    )


def _seconds(run: Callable[[Input], object], given: Input) -> float:
    with no_collection():
        started = time.process_time()
        run(given)
        return time.process_time() - started
