"""Shorten what is long before anything is dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from orchestrator_context.conversation.history import HistoryOptions, compacted
from orchestrator_context.conversation.policy import in_background, settings
from orchestrator_context.conversation.view import View
from orchestrator_context.models import Budget

__all__ = ["ElideMiddle"]


@dataclass(frozen=True, slots=True)
class ElideMiddle(HistoryOptions):
    """Takes the cheapest loss first: tool results, arguments, long texts, then whole turns.

    Each step goes from the oldest turn on, and no further than it must. What is shortened keeps
    its beginning and its end around a marker that says how much is missing; the arguments of a
    call stay valid JSON. Where the newest turns alone are too much, their tool results are
    shortened to the room there is. The settings are those of `HistoryOptions`.
    """

    kind: ClassVar[str] = "elide_middle"

    async def fit(self, view: View, budget: Budget) -> View:
        """Return `view` with what is long and old shortened, and the oldest dropped if need be.

        Raises:
            BudgetExceededError: what has to stay does not fit.
            UnknownWindowError: the budget has no ceiling.
        """
        return await in_background(view, lambda one: compacted(one, budget, self, policy=self.kind))

    def to_mapping(self) -> dict[str, object]:
        """Return the kind and the settings as JSON-able data."""
        return settings(self)
