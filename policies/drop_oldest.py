"""Drop the oldest turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from orchestrator_context import checks
from orchestrator_context.conversation.fitting import LOW_WATER, Manner
from orchestrator_context.conversation.policy import (
    OVERFLOWS,
    Overflow,
    in_background,
    settings,
    trimmed,
)
from orchestrator_context.conversation.view import View
from orchestrator_context.models import Budget

__all__ = ["DropOldest"]


@dataclass(frozen=True, slots=True)
class DropOldest:
    """Drops whole turns, oldest first, until the view fits.

    What is required stays, and so do the newest turn, calls that wait for a result and, as long as
    there is room for it, a summary. What is left begins with a user turn.

    Attributes:
        low_water: share of the room that is left filled when something has to go; the room is the
            budget without the system prompt and all else that opens the view and has to stay.
            Below 1, more is dropped than has to be, and the beginning of the view then stays
            byte-identical for many turns, which prompt caches need. 1 drops no more than it must.
        keep_recent: newest segments that are never dropped.
        on_overflow: "raise" where what must stay does not fit, or "return" it with
            `report.fits == False`.
    """

    low_water: float = LOW_WATER
    keep_recent: int = 1
    on_overflow: Overflow = "raise"
    kind: ClassVar[str] = "drop_oldest"

    def __post_init__(self) -> None:
        checks.number("DropOldest.low_water", self.low_water, least=0, most=1)
        checks.whole("DropOldest.keep_recent", self.keep_recent, least=1)
        checks.choice("DropOldest.on_overflow", self.on_overflow, OVERFLOWS)

    async def fit(self, view: View, budget: Budget) -> View:
        """Return `view` without its oldest turns.

        Raises:
            BudgetExceededError: what has to stay does not fit.
            UnknownWindowError: the budget has no ceiling.
        """
        manner = Manner(low_water=self.low_water, keep_recent=self.keep_recent)

        def work(view: View) -> View:
            return trimmed(view, budget, manner, policy=self.kind, on_overflow=self.on_overflow)

        return await in_background(view, work)

    def to_mapping(self) -> dict[str, object]:
        """Return the kind and the settings as JSON-able data."""
        return settings(self)
