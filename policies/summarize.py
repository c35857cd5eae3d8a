"""Put a summary in the place of the oldest turns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from orchestrator_context import checks
from orchestrator_context.conversation.fitting import Manner
from orchestrator_context.conversation.policy import OVERFLOWS, Overflow, in_background, settings
from orchestrator_context.conversation.rolling import SummaryMemory
from orchestrator_context.conversation.room import untouched
from orchestrator_context.conversation.summarised import Rolling, summarised
from orchestrator_context.conversation.summarizing import ModelSummarizer, Summarizer
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import BudgetExceededError, ConfigurationError
from orchestrator_context.models import Budget
from orchestrator_context.protocols import Generator

__all__ = ["Summarize"]


@dataclass(frozen=True, slots=True)
class Summarize:
    """Puts one summary in the place of the oldest turns, and brings it up to date when more leave.

    Every turn is read once: a summary is made of the one before and the turns that leave now. It
    stands where the turns stood, says how many it covers, and never takes more than its share.
    Where it cannot be made, nothing changes: `fit` raises, and a `Chain` goes on with its next
    policy. Summaries are remembered by what they cover, so one object serves any number of
    participants and conversations.

    Attributes:
        summarizer: a `Summarizer` such as `ExtractiveSummarizer()`, which needs no model, or any
            `Generator`; with None, a line says how many turns are left out.
        fallback: takes over where the summarizer fails.
        max_share: share of the budget that the summary may take.
        keep_recent: newest segments that are never summarised.
        low_water: share of the budget that is left filled when turns have to go; see `DropOldest`.
        timeout_seconds: time for one summary, or None for as long as it takes.
        on_overflow: "raise" where what must stay does not fit, or "return" the view as it is with
            `report.fits == False`.
    """

    summarizer: Summarizer | Generator | None = None
    fallback: Summarizer | Generator | None = None
    max_share: float = 0.25
    keep_recent: int = 4
    low_water: float = 0.7
    timeout_seconds: float | None = 120.0
    on_overflow: Overflow = "raise"
    _memory: SummaryMemory = field(
        default_factory=SummaryMemory, init=False, repr=False, compare=False
    )
    kind: ClassVar[str] = "summarize"

    def __post_init__(self) -> None:
        for name, given in (("summarizer", self.summarizer), ("fallback", self.fallback)):
            if not (given is None or isinstance(given, Summarizer | Generator)):
                raise ConfigurationError(
                    f"Summarize.{name} must be a summarizer or a generator, "
                    f"not {type(given).__name__}"
                )
        checks.number("Summarize.max_share", self.max_share, most=1, above=True)
        checks.whole("Summarize.keep_recent", self.keep_recent, least=1)
        checks.number("Summarize.low_water", self.low_water, least=0, most=1)
        checks.number_or_none("Summarize.timeout_seconds", self.timeout_seconds, above=True)
        checks.choice("Summarize.on_overflow", self.on_overflow, OVERFLOWS)

    async def fit(self, view: View, budget: Budget) -> View:
        """Return `view` with a summary for its oldest turns, if it does not fit as it is.

        Raises:
            BudgetExceededError: what has to stay does not fit.
            SummaryError: the summary could not be made.
            UnknownWindowError: the budget names no tokens.
        """
        whole = await in_background(view, lambda one: untouched(one, budget))
        if whole.report.fits:
            return whole
        try:
            return await summarised(view, budget, self._rolling())
        except BudgetExceededError:
            if self.on_overflow == "return":
                return whole
            raise

    def to_mapping(self) -> dict[str, object]:
        """Return the kind and the settings as JSON-able data, without what summarises."""
        left_out = ("summarizer", "fallback", "_memory")
        return {key: value for key, value in settings(self).items() if key not in left_out}

    def _rolling(self) -> Rolling:
        return Rolling(
            Manner(low_water=self.low_water, keep_recent=self.keep_recent, starts_on_user=False),
            tuple(_summarizer(one) for one in (self.summarizer, self.fallback) if one is not None),
            self.max_share,
            self.timeout_seconds,
            self._memory,
            self.kind,
        )


def _summarizer(given: Summarizer | Generator) -> Summarizer:
    return given if isinstance(given, Summarizer) else ModelSummarizer(given)
