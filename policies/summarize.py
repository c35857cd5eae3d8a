"""Put a summary in the place of the oldest turns."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from orchestrator_context import checks
from orchestrator_context.conversation.digest import ExtractiveSummarizer
from orchestrator_context.conversation.fitting import LOW_WATER, Manner
from orchestrator_context.conversation.memory import SummaryMemory
from orchestrator_context.conversation.policy import (
    GIVEN,
    OVERFLOWS,
    Overflow,
    in_background,
    settings,
)
from orchestrator_context.conversation.room import untouched
from orchestrator_context.conversation.summarised import Rolling, summarised
from orchestrator_context.conversation.summarizing import ModelSummarizer, Summarizer
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import BudgetExceededError, ConfigurationError
from orchestrator_context.models import Budget
from orchestrator_context.protocols import Generator

__all__ = ["Summarize"]

_SUMMARIZERS = ("summarizer", "fallback")
_EXTRACTIVE = "extractive"
_OF_FACTS, _OF_PROSE = 0.5, 0.25  # of the budget


@dataclass(frozen=True, slots=True)
class Summarize:
    """Puts one summary in the place of the oldest turns, and brings it up to date when more leave.

    Every turn is read once: a summary is made of the one before and the turns that leave now. It
    stands where the turns stood, says how many it covers, and never takes more than its share.
    Where it cannot be made, nothing changes: `fit` raises, and a `Chain` goes on with its next
    policy. Summaries are remembered by what they cover, so one object serves any number of
    participants and conversations; a view that is cut later than another one of the same turns,
    because its budget is larger, is cut where the summary ends that is there.

    Attributes:
        summarizer: a `Summarizer` such as `ExtractiveSummarizer()`, which needs no model, or any
            `Generator`; with None, a line says how many turns are left out.
        fallback: takes over where the summarizer fails; its summaries are kept as well.
        max_share: share of the budget that the summary may take, its heading included; None for a
            half with an `ExtractiveSummarizer`, whose facts are word for word, and else a quarter.
        keep_recent: newest segments that are never summarised.
        low_water: share of the room that is left filled when turns have to go; see `DropOldest`.
        timeout_seconds: time for one summary, or None for as long as it takes.
        on_overflow: "raise" where what must stay does not fit, or "return" the view as it is with
            `report.fits == False`.
        memory: keeps the summaries: a path for a file that outlasts the process, or the memory of
            another policy; by default they are kept as long as this object.
    """

    summarizer: Summarizer | Generator | None = None
    fallback: Summarizer | Generator | None = None
    max_share: float | None = None
    keep_recent: int = 4
    low_water: float = LOW_WATER
    timeout_seconds: float | None = 120.0
    on_overflow: Overflow = "raise"
    memory: SummaryMemory | str | os.PathLike[str] | None = field(
        default=None, repr=False, compare=False
    )
    kind: ClassVar[str] = "summarize"

    def __post_init__(self) -> None:
        for name, given in (("summarizer", self.summarizer), ("fallback", self.fallback)):
            if isinstance(given, type) or not isinstance(given, Summarizer | Generator | None):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise ConfigurationError(
                    f"Summarize.{name} must be a summarizer or a generator, not "
                    f"{checks.sort_of(given)}: ExtractiveSummarizer(), or load_generator(name)"
                )
        checks.number_or_none("Summarize.max_share", self.max_share, most=1, above=True)
        checks.whole("Summarize.keep_recent", self.keep_recent, least=1)
        checks.number("Summarize.low_water", self.low_water, least=0, most=1)
        checks.number_or_none("Summarize.timeout_seconds", self.timeout_seconds, above=True)
        checks.choice("Summarize.on_overflow", self.on_overflow, OVERFLOWS)
        if not isinstance(self.memory, SummaryMemory):
            object.__setattr__(self, "memory", SummaryMemory(self.memory))

    @classmethod
    def facts_first(
        cls, *, memory: SummaryMemory | str | os.PathLike[str] | None = None
    ) -> Summarize:
        """Return the policy that keeps the most facts: what is not the newest turn is summed up.

        The summary of an `ExtractiveSummarizer` has all the room beside it, and no older turn is
        left to contradict a newer value. The view changes at every turn, so a prompt cache has
        little of it.

        >>> Summarize.facts_first().max_share
        1.0
        """
        summarizer = ExtractiveSummarizer()
        return cls(summarizer, max_share=1.0, keep_recent=1, low_water=0.0, memory=memory)

    async def fit(self, view: View, budget: Budget) -> View:
        """Return `view` with a summary for its oldest turns, if it does not fit as it is.

        Raises:
            BudgetExceededError: what has to stay does not fit.
            SummaryError: the summary could not be made.
            CheckpointError: the file of the memory cannot be used.
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
        """Return the kind and the settings as JSON-able data.

        An `ExtractiveSummarizer` is "extractive". All else that summarises cannot be described, so
        it is "given", and `policy_from_mapping` asks for it. Of the memory, it is the path; one
        without a file is left out.
        """
        described = settings(self)
        for name in _SUMMARIZERS:
            described[name] = _described(getattr(self, name))
        path = self._memory.path
        del described["memory"]
        return described if path is None else described | {"memory": str(path)}

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Summarize:
        """Return the policy that `mapping` describes; unknown keys are refused.

        Raises:
            ConfigurationError: a setting cannot be used, or a summarizer has to be given.
        """
        known = checks.known_keys(cls, mapping)
        for name in _SUMMARIZERS:
            if isinstance(known.get(name), str):
                known[name] = _named(name, known[name])
        return cls(**known)

    @property
    def _share(self) -> float:
        if self.max_share is not None:
            return self.max_share
        return _OF_FACTS if isinstance(self.summarizer, ExtractiveSummarizer) else _OF_PROSE

    @property
    def _memory(self) -> SummaryMemory:
        assert isinstance(self.memory, SummaryMemory)  # `__post_init__` has seen to it
        return self.memory

    def _rolling(self) -> Rolling:
        return Rolling(
            Manner(low_water=self.low_water, keep_recent=self.keep_recent, starts_on_user=False),
            tuple(_summarizer(one) for one in (self.summarizer, self.fallback) if one is not None),
            self._share,
            self.timeout_seconds,
            self._memory,
            self.kind,
        )


def _summarizer(given: Summarizer | Generator) -> Summarizer:
    return given if isinstance(given, Summarizer) else ModelSummarizer(given)


def _described(given: Summarizer | Generator | None) -> str | None:
    if given is None:
        return None
    return _EXTRACTIVE if type(given) is ExtractiveSummarizer else GIVEN


def _named(name: str, described: str) -> ExtractiveSummarizer:
    if checks.choice(f"Summarize.{name}", described, (_EXTRACTIVE, GIVEN)) == _EXTRACTIVE:
        return ExtractiveSummarizer()
    raise ConfigurationError(
        f"Summarize.{name} was described without what summarises, which cannot be saved: pass "
        f"{name}=... along with the description, or put it in the place of {GIVEN!r}"
    )
