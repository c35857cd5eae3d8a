"""Refuse what does not fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from orchestrator_context.conversation.policy import in_background, over_budget
from orchestrator_context.conversation.room import fits, untouched
from orchestrator_context.conversation.view import View
from orchestrator_context.models import Budget

__all__ = ["Strict"]


@dataclass(frozen=True, slots=True)
class Strict:
    """Leaves a view as it is, and raises where it does not fit: losing content is to be asked for.

    The policy of every participant that names none.
    """

    kind: ClassVar[str] = "strict"

    async def fit(self, view: View, budget: Budget) -> View:
        """Return `view`.

        Raises:
            BudgetExceededError: it does not fit.
            UnknownWindowError: the budget has no ceiling.
        """

        def work(view: View) -> View:
            if fits(view, budget):
                return untouched(view, budget)
            raise over_budget(view, budget, self.kind)

        return await in_background(view, work)

    def to_mapping(self) -> dict[str, object]:
        """Return the kind as JSON-able data."""
        return {"kind": self.kind}
