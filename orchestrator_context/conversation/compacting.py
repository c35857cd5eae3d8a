"""A model whose history is compacted when it does not fit: before the call, or once it failed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from orchestrator_context import checks
from orchestrator_context.conversation.history import HistoryOptions, compacted
from orchestrator_context.conversation.policy import ContextPolicy, in_background
from orchestrator_context.conversation.view import View
from orchestrator_context.events import Observer
from orchestrator_context.exceptions import ContextOverflowError
from orchestrator_context.models import Budget, Generation, Segment
from orchestrator_context.protocols import Generator, ModelProfile

Mode = Literal["last_resort", "proactive"]

_MODES: tuple[Mode, ...] = ("last_resort", "proactive")


@dataclass(frozen=True, slots=True)
class HistoryPolicy:
    """When and how the history of a model's calls is compacted.

    Attributes:
        mode: "last_resort" sends every request as it is, and compacts it where the service says
            that it is too large, to be sent once more; "proactive" also compacts before the
            first attempt what is known not to fit.
        policy: compacts; None for `compact_history` with `options`.
        options: how `compact_history` does it.
        enabled: False for a policy that does nothing.
    """

    mode: Mode = "last_resort"
    policy: ContextPolicy | None = None
    options: HistoryOptions = HistoryOptions()
    enabled: bool = True

    def __post_init__(self) -> None:
        checks.choice("HistoryPolicy.mode", self.mode, _MODES)
        checks.flag("HistoryPolicy.enabled", self.enabled)

    def wrap(self, generator: Generator, *, observer: Observer | None = None) -> Generator:
        """Return `generator` with this policy, or as it is where the policy does nothing.

        Args:
            generator: any model.
            observer: is told of every compaction.
        """
        return _Compacting(generator, self, observer) if self.enabled else generator


class _Compacting:
    """A generator that compacts what does not fit."""

    def __init__(
        self, generator: Generator, policy: HistoryPolicy, observer: Observer | None
    ) -> None:
        self._generator = generator
        self._policy = policy
        self._observer = observer
        self._stack = AsyncExitStack()

    @property
    def profile(self) -> ModelProfile:
        return self._generator.profile

    async def generate(self, messages: Sequence[Segment], *, max_output_tokens: int) -> Generation:
        checks.whole("max_output_tokens", max_output_tokens, least=1)
        view = View.of(messages, counter=self.profile.counter)
        if self._policy.mode == "proactive" and self.profile.window is not None:
            view = await self._fitted(view, Budget(self.profile.window, max_output_tokens))
        try:
            return await self._generator.generate(
                view.segments, max_output_tokens=max_output_tokens
            )
        except ContextOverflowError as error:
            budget = _budget_after(error, view, self.profile.window, max_output_tokens)
            if budget is None:
                raise
            smaller = await self._fitted(view, budget)
            if smaller.segments == view.segments:
                raise
        return await self._generator.generate(smaller.segments, max_output_tokens=max_output_tokens)

    async def _fitted(self, view: View, budget: Budget) -> View:
        if not budget.available:
            return view
        chosen, options = self._policy.policy, self._policy.options
        if chosen is None:
            fitted = await in_background(view, lambda one: compacted(one, budget, options))
        else:
            fitted = await chosen.fit(view, budget)
        if self._observer is not None and fitted.report.changed:
            self._observer(fitted.report.event())
        return fitted

    async def __aenter__(self) -> Self:
        if hasattr(self._generator, "__aenter__"):
            await self._stack.enter_async_context(self._generator)  # type: ignore[arg-type]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.__aexit__(kind, error, trace)


def _budget_after(
    error: ContextOverflowError, view: View, window: int | None, max_output_tokens: int
) -> Budget | None:
    """Return what to compact to after the service refused, or None where nothing is known.

    The service's figures go before what was known; where it counted more than we did, the room is
    less by the same share.
    """
    room = error.available or window
    if room is None:
        return None
    counted = view.tokens + max_output_tokens
    if error.needed is not None and error.needed > counted:
        room = room * counted // error.needed
    elif error.needed is None and counted <= room:
        room = room * _GUESS // 100
    return Budget(room, max_output_tokens)


_GUESS = 70  # percent of the room to try where the service counts otherwise and does not say how
