"""Keep the last turns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from orchestrator_context import checks
from orchestrator_context.conversation.fitting import Manner
from orchestrator_context.conversation.policy import (
    OVERFLOWS,
    Overflow,
    in_background,
    settings,
    trimmed,
)
from orchestrator_context.conversation.room import changed, need_ceiling, settled, untouched
from orchestrator_context.conversation.view import View
from orchestrator_context.conversation.window import last_turns
from orchestrator_context.exceptions import BudgetExceededError
from orchestrator_context.models import Budget

__all__ = ["SlidingWindow"]


@dataclass(frozen=True, slots=True)
class SlidingWindow:
    """Keeps the last turns, however few tokens they take, and then drops more if it must.

    A call with its results is one turn. What is required keeps its place and is not counted. The
    newest thing that a user said and calls that wait for a result are among those that are kept.

    Where something has to go, the other turns begin with a user turn: those before the first one go
    too. Where that would be all of them, and they are two or more, what the user said before takes
    the place of the oldest instead. Turns that no user turn stood before stay as they are.

    A view that fits stays whole where its last turns do not fit, because of what a model's template
    puts between them.

    Attributes:
        keep_last: turns that are kept at most; more only where those that have to be are more, or
            all are. No answer begins what is left, so of questions and answers in turn that end
            with a question, 3 keeps the last three, 4 keeps no more, and 2 the newest alone.
        slide: turns that leave at a time. With more than 1 the window holds up to `slide - 1` less,
            and the beginning of the view stays byte-identical for about that many turns.
        keep_framing: whether system prompt, briefing and moderator's notes stay. Without it, one
            that is the newest of all stays still, for it is what the model is to answer.
        on_overflow: "raise" where what must stay does not fit, or "return" it with
            `report.fits == False`.
    """

    keep_last: int = 20
    slide: int = 1
    keep_framing: bool = True
    on_overflow: Overflow = "raise"
    kind: ClassVar[str] = "sliding_window"

    def __post_init__(self) -> None:
        checks.whole("SlidingWindow.keep_last", self.keep_last, least=1)
        checks.whole("SlidingWindow.slide", self.slide, least=1)
        checks.flag("SlidingWindow.keep_framing", self.keep_framing)
        checks.choice("SlidingWindow.on_overflow", self.on_overflow, OVERFLOWS)

    async def fit(self, view: View, budget: Budget) -> View:
        """Return the last turns of `view`.

        Raises:
            BudgetExceededError: the newest turn does not fit beside what is required.
            UnknownWindowError: the budget has no ceiling.
        """
        need_ceiling(budget)
        return await in_background(view, lambda one: self._fitted(one, budget))

    def to_mapping(self) -> dict[str, object]:
        """Return the kind and the settings as JSON-able data."""
        return settings(self)

    def _fitted(self, view: View, budget: Budget) -> View:
        manner = Manner(low_water=1.0)
        trim = partial(trimmed, budget=budget, manner=manner, policy=self.kind)
        change = last_turns(view, self.keep_last, slide=self.slide, keep_framing=self.keep_framing)
        if change is None:
            return trim(view, on_overflow=self.on_overflow)
        last = settled(view, changed(view, change), change, budget, self.kind)
        try:
            return trim(last)
        except BudgetExceededError:  # what a template puts in can make fewer turns cost more
            whole = untouched(view, budget)
        return whole if whole.report.fits else trim(last, on_overflow=self.on_overflow)
