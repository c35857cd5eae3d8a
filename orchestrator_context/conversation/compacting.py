"""A model whose history is compacted when it does not fit: before the call, or once it failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from orchestrator_context import checks
from orchestrator_context.conversation.history import HistoryOptions, compacted
from orchestrator_context.conversation.jsonable import mapping
from orchestrator_context.conversation.policy import (
    ContextPolicy,
    in_background,
    policy_from_mapping,
)
from orchestrator_context.conversation.view import View
from orchestrator_context.events import Observer
from orchestrator_context.exceptions import (
    BudgetExceededError,
    ConfigurationError,
    ContextOverflowError,
    SummaryError,
)
from orchestrator_context.models import Budget, Generation, Segment
from orchestrator_context.protocols import Generator, ModelProfile

Mode = Literal["last_resort", "proactive"]

_POLICY: type[object] = ContextPolicy  # a protocol, which a check at run time takes as well
_MODES: tuple[Mode, ...] = ("last_resort", "proactive")
_ALIKE = 1.05  # times our own count
_GUESS = 70  # percent of the room to try where the service counts otherwise and does not say how


@dataclass(frozen=True, slots=True)
class HistoryPolicy:
    """When and how the history of a model's calls is compacted.

    A request that fits is sent as it is. Where nobody knows the window, or where it has no room
    beside the answer, nothing is compacted. What compaction cannot make fit is sent as it was, and
    what the service says of that is raised.

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
        if self.policy is not None:
            checks.instance("HistoryPolicy.policy", self.policy, _POLICY, "such as DropOldest()")
        if not isinstance(self.options, HistoryOptions):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigurationError(
                f"HistoryPolicy.options must be HistoryOptions, not {type(self.options).__name__}"
            )

    def wrap(self, generator: Generator, *, observer: Observer | None = None) -> Generator:
        """Return `generator` with this policy, or as it is where the policy does nothing.

        Args:
            generator: any model. One that a policy was wrapped around has this one in its place,
                so a single request can be made with another policy than the rest, or with none.
            observer: is told of every compaction.

        Raises:
            ConfigurationError: one of them is not what it has to be.
        """
        _check_wrapped(generator, observer)
        bare = generator.generator if isinstance(generator, _Compacting) else generator
        return _Compacting(bare, self, observer) if self.enabled else bare

    def to_mapping(self) -> dict[str, object]:
        """Return the settings as JSON-able data, without what a policy cannot describe."""
        return {
            "mode": self.mode,
            "policy": None if self.policy is None else self.policy.to_mapping(),
            "options": self.options.to_mapping(),
            "enabled": self.enabled,
        }

    @classmethod
    def from_mapping(cls, data: Mapping[str, object], /, **given: object) -> HistoryPolicy:
        """Return the policy that `data` describes; unknown keys and kinds are refused.

        What cannot be described has to be given again, as with `policy_from_mapping`:
        `HistoryPolicy.from_mapping(data, summarizer=model)`.

        Args:
            data: what `to_mapping` gave. `policy` may also be a context policy already.
            given: takes the place of every setting of its name that is "given".

        Raises:
            ConfigurationError: a setting is unknown or cannot be used, what has to be given is
                not, or nothing asks for what is given.
        """
        known = checks.known_keys(cls, data)
        policy = known.get("policy")
        if policy is not None and not isinstance(policy, ContextPolicy):
            known["policy"] = policy_from_mapping(policy, **given)
        elif given:
            name = checks.shown(next(iter(given)))
            raise ConfigurationError(
                f"HistoryPolicy.policy has no description that asks for {name}; leave it out"
            )
        if "options" in known:
            options = mapping(known["options"], "HistoryPolicy.options")
            known["options"] = HistoryOptions.from_mapping(options)
        return cls(**known)


def _check_wrapped(generator: object, observer: object) -> None:
    if isinstance(generator, type) or not isinstance(generator, Generator):
        raise ConfigurationError(
            f"HistoryPolicy.wrap takes a generator, not {checks.sort_of(generator)}; "
            f"load_generator makes one of a name, and FunctionGenerator of a function"
        )
    checks.function_or_none("observer", observer)


class _Compacting:
    """A generator that compacts what does not fit."""

    def __init__(
        self, generator: Generator, policy: HistoryPolicy, observer: Observer | None
    ) -> None:
        self.generator = generator
        self._policy = policy
        self._observer = observer

    @property
    def profile(self) -> ModelProfile:
        return self.generator.profile

    def __repr__(self) -> str:
        return f"{self._policy.mode} compaction of {self.generator!r}"

    async def generate(self, messages: Sequence[Segment], *, max_output_tokens: int) -> Generation:
        checks.whole("max_output_tokens", max_output_tokens, least=1)
        view, window = View.of(messages, counter=self.profile.counter), self.profile.window
        sent = view.segments
        if self._policy.mode == "proactive" and window is not None:
            if window > max_output_tokens:
                view = await self._fitted(view, Budget(window, max_output_tokens)) or view
            sent = view.messages
        try:
            return await self.generator.generate(sent, max_output_tokens=max_output_tokens)
        except ContextOverflowError as error:
            budget = _budget_after(error, view, window, max_output_tokens)
            smaller = None if budget is None else await self._fitted(view, budget)
            if smaller is None or smaller.segments == view.segments:
                raise
        return await self.generator.generate(smaller.messages, max_output_tokens=max_output_tokens)

    async def _fitted(self, view: View, budget: Budget) -> View | None:
        """Return what is sent in the place of `view`, or None where nothing smaller can be."""
        chosen, options = self._policy.policy, self._policy.options
        try:
            if chosen is not None:
                fitted = await chosen.fit(view, budget)
            else:
                fitted = await in_background(view, lambda one: compacted(one, budget, options))
        except (BudgetExceededError, SummaryError):
            return None
        if not fitted.report.fits:
            return None
        if self._observer is not None and fitted.report.changed:
            self._observer(fitted.report.event())
        return fitted

    async def __aenter__(self) -> Self:
        if isinstance(self.generator, AbstractAsyncContextManager):
            await self.generator.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(self.generator, AbstractAsyncContextManager):
            await self.generator.__aexit__(kind, error, trace)


def _budget_after(
    error: ContextOverflowError, view: View, window: int | None, max_output_tokens: int
) -> Budget | None:
    """Return what to compact to after the service refused, or None where nothing is known.

    The service's figures go before what was known. Where it counts more for the prompt than we do,
    there is room for less by the same share.
    """
    room = error.available or window
    if room is None:
        return None
    tokens, available = view.tokens, room - max_output_tokens
    if available <= 0:
        return None
    if error.needed is None:
        return Budget(max(1, available * (_GUESS if tokens <= available else 100) // 100))
    theirs = _prompt_of(error.needed, tokens, max_output_tokens)
    return Budget(max(1, available * tokens // max(tokens, theirs, 1)))


def _prompt_of(needed: int, tokens: int, max_output_tokens: int) -> int:
    """Return what the service counted for the prompt: some add the output, and do not say so.

    Where the rest is about what we count, they did; else more is taken off than it must.
    """
    less = needed - max_output_tokens
    added = abs(less - tokens) < abs(needed - tokens) and less <= tokens * _ALIKE
    return less if added else needed
