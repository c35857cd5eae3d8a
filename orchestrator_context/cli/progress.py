"""How far a run is, on standard error: a live bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from orchestrator_context.cli.writing import say
from orchestrator_context.events import CallFailed, DistillProgressed, Event
from orchestrator_context.wording import counted

_LINE_SECONDS = 5.0


class Narrator:
    """An observer that shows progress while its `with` block runs.

    Attributes:
        answers: answers so far, those from a checkpoint included.
    """

    def __init__(self, *, quiet: bool) -> None:
        live = not quiet and _is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        self.answers = 0
        self._quiet = quiet
        self._failures = 0
        self._last_line = time.monotonic()
        self._bar = _bar() if live else None
        self._task = self._bar.add_task("starting", total=None) if self._bar else None

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, event: Event) -> None:
        """Take an event."""
        if isinstance(event, CallFailed):
            self._failures += 1
        elif isinstance(event, DistillProgressed):
            self.answers = event.calls + event.resumed_calls
            self._show(event)

    def _show(self, event: DistillProgressed) -> None:
        line = figures(event, self._failures)
        if self._bar is not None and self._task is not None:
            share = _share(event)
            total = None if share is None else 1.0
            self._bar.update(self._task, description=line, completed=share or 0.0, total=total)
        elif not self._quiet and time.monotonic() - self._last_line >= _LINE_SECONDS:
            self._last_line = time.monotonic()
            say(line)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()  # None where it was closed before the start


def figures(event: DistillProgressed, failures: int) -> str:
    """Return one line that tells how far a run is."""
    chunks = counted(event.chunks_done, "chunk", spec=",")
    if event.chunks_total is not None:
        chunks = f"{event.chunks_done:,} of {counted(event.chunks_total, 'chunk', spec=',')}"
    parts = [chunks]
    if event.phase != "map":
        parts.append("joining notes")
    parts.append(counted(event.calls, "call", spec=","))
    if event.resumed_calls:
        parts.append(f"{event.resumed_calls:,} resumed")
    parts.append(counted(event.tokens, "token", spec=","))
    if event.cost is not None:
        parts.append(f"${event.cost:.4f}")
    if failures:
        parts.append(counted(failures, "failed attempt", spec=","))
    if event.phase == "map" and event.remaining_seconds is not None:
        parts.append(f"about {_clock(event.remaining_seconds)} left")
    return ", ".join(parts)


def _share(event: DistillProgressed) -> float | None:
    """Return how much of the reading is done, or None where that is not known."""
    left = event.remaining_seconds
    if left is None or event.phase != "map":
        return None
    return event.elapsed_seconds / max(event.elapsed_seconds + left, 1e-9)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _bar() -> Progress:
    return Progress(
        SpinnerColumn(),
        BarColumn(bar_width=16),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
