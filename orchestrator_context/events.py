"""Events tell figures, never content. An observer is any callable that takes one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

import structlog


@dataclass(frozen=True, slots=True)
class DistillProgressed:
    """A step of a distillation was made.

    Attributes:
        phase: "map" while chunks are read, "reduce" once all of them are.
        chunks_done: chunks with a note, copies and failures included.
        chunks_total: chunks in the source, or None until it has been cut to its end.
        calls: calls that were answered.
        resumed_calls: answers from the checkpoint.
        tokens: tokens read and written.
        cost: US dollars so far, or None where the price is unknown.
        elapsed_seconds: time since the start.
        remaining_seconds: estimated time until all chunks are read, or None while there is no
            ground for an estimate: before the first answer, for a stream of unknown length, and in
            the reduce phase.
    """

    phase: str
    chunks_done: int
    chunks_total: int | None
    calls: int
    resumed_calls: int
    tokens: int
    cost: float | None
    elapsed_seconds: float
    remaining_seconds: float | None


@dataclass(frozen=True, slots=True)
class CallFailed:
    """An attempt failed.

    Attributes:
        provider: the service.
        error: type of the error.
        status: HTTP status, or None.
        retry_in_seconds: delay before the next attempt, or None where there is none.
        concurrency: calls that may be in flight from now on.
    """

    provider: str
    error: str
    status: int | None
    retry_in_seconds: float | None
    concurrency: int


@dataclass(frozen=True, slots=True)
class ContextReduced:
    """A verb finished: what it was given and what it made of that.

    Attributes:
        strategy: the verb or strategy, such as "distill".
        candidates: items it was given.
        selected: items that reached the result.
        tokens: tokens of the result.
        max_tokens: what it may have.
        calls: paid calls.
        complete: whether nothing was lost on the way.
        omitted: items that are in the result in no form.
        binding: names of the ceilings that kept something out, with commas between.
    """

    strategy: str
    candidates: int
    selected: int
    tokens: int
    max_tokens: int
    calls: int
    complete: bool
    omitted: int = 0
    binding: str = ""


Event = DistillProgressed | CallFailed | ContextReduced
Observer = Callable[[Event], None]


def log_events(logger: structlog.typing.FilteringBoundLogger | None = None) -> Observer:
    """Return an observer that writes each event to structlog: failures as warnings, others as info.

    Args:
        logger: where to write; the logger named "orchestrator_context" by default. Where structlog
            is not set up, it prints to standard output.
    """
    target = structlog.get_logger("orchestrator_context") if logger is None else logger

    def observe(event: Event) -> None:
        write = target.warning if isinstance(event, CallFailed) else target.info
        write(_snake(type(event).__name__), **asdict(event))

    return observe


def _snake(name: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")
