"""How far a run is, told to an observer."""

from __future__ import annotations

from dataclasses import dataclass, field

import anyio

from orchestrator_context.distill.asking import Asker
from orchestrator_context.events import DistillProgressed, Observer


@dataclass(slots=True)
class Progress:
    """Counts chunks and estimates the time left from the share of the source that is done.

    Attributes:
        asker: knows what was spent.
        observer: is told of every step, if there is one.
        characters: length of the whole source, or None where it is not known beforehand.
    """

    asker: Asker
    observer: Observer | None
    characters: int | None
    chunks: int = 0
    chunks_done: int = 0
    characters_done: int = 0
    cut: bool = False
    _started: float = field(default_factory=anyio.current_time)

    def step(self) -> None:
        """Tell where the run stands."""
        if self.observer is None:
            return
        elapsed = anyio.current_time() - self._started
        reading = not self.cut or self.chunks_done < self.chunks
        self.observer(
            DistillProgressed(
                phase="map" if reading else "reduce",
                chunks_done=self.chunks_done,
                chunks_total=self.chunks if self.cut else None,
                calls=self.asker.purse.calls,
                resumed_calls=self.asker.tally.resumed,
                tokens=self.asker.purse.usage.total,
                cost=self.asker.purse.cost,
                elapsed_seconds=elapsed,
                remaining_seconds=self._remaining(elapsed),
            )
        )

    def _remaining(self, elapsed: float) -> float | None:
        """Extrapolate to the end of the map phase from the calls made; None in the reduce phase."""
        made = self.asker.purse.calls
        if not made or (self.cut and self.chunks_done == self.chunks):
            return None
        if self.cut:
            left = float(self.chunks - self.chunks_done)
        elif self.characters and self.characters_done:
            left = (self.characters / self.characters_done - 1) * self.chunks_done
        else:
            return None
        return max(0.0, left) * elapsed / made
