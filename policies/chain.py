"""Several policies, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, ClassVar, Literal, cast

from orchestrator_context import checks
from orchestrator_context.conversation.policy import (
    OVERFLOWS,
    ContextPolicy,
    Overflow,
    in_background,
    over_budget,
    policy_from_mapping,
    settings,
)
from orchestrator_context.conversation.room import need_ceiling, untouched
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import (
    BudgetExceededError,
    ConfigurationError,
    SummaryError,
    UnknownWindowError,
)
from orchestrator_context.models import Budget

__all__ = ["Chain"]

Failure = BudgetExceededError | SummaryError | UnknownWindowError
Mode = Literal["first", "each"]

_MODES: tuple[Mode, ...] = ("first", "each")
_DEEPEST = 31  # chains in chains, which are 64 values deep in a description


@dataclass(frozen=True, slots=True)
class Chain:
    """Tries policies in order until the view fits.

    A view that a chain of the same settings has fitted, and that fits still, is left as it is: what
    a later policy made of it is not for an earlier one that could not help before.

    Attributes:
        policies: the cheapest loss first; at least one.
        mode: "first" gives every policy the view as it was, and the first that makes it fit wins;
            "each" gives every policy what the one before has left.
        on_overflow: "raise" where none makes it fit, or "return" the last result, or the view
            itself, with `report.fits == False`.
    """

    policies: tuple[ContextPolicy, ...]
    mode: Mode = "first"
    on_overflow: Overflow = "raise"
    kind: ClassVar[str] = "chain"

    def __init__(
        self, *policies: ContextPolicy, mode: Mode = "first", on_overflow: Overflow = "raise"
    ) -> None:
        object.__setattr__(self, "policies", _checked(policies))
        object.__setattr__(self, "mode", checks.choice("Chain.mode", mode, _MODES))
        overflow = checks.choice("Chain.on_overflow", on_overflow, OVERFLOWS)
        object.__setattr__(self, "on_overflow", overflow)

    async def fit(self, view: View, budget: Budget) -> View:
        """Return `view`, fitted by the first policy that can.

        Raises:
            BudgetExceededError: none of them can. It names what the last one needed.
            SummaryError: the last one failed.
            OffloadError: a store cannot be used.
            CheckpointError: the file of a memory cannot be used.
            UnknownWindowError: the budget has no ceiling, or none that the last one can work with.
        """
        need_ceiling(budget)
        checks.instance("view", view, View, "View.of(segments)")
        described = self.to_mapping()
        if view.chained == described:
            before = await in_background(view, lambda one: untouched(one, budget))
            if before.report.fits:
                return before
        left, failed = view, list[Failure]()
        for policy in self.policies:
            try:
                fitted = await (policy if self.mode == "first" else _lenient(policy)).fit(
                    left, budget
                )
            except (BudgetExceededError, SummaryError, UnknownWindowError) as error:
                failed.append(error)
                continue
            if fitted.report.fits:
                return _noted(fitted, failed, described)
            left = fitted if self.mode == "each" else left
        if self.on_overflow == "return":
            return _noted(untouched(left, budget), failed)
        raise failed[-1] if failed else over_budget(left, budget, self.kind)

    def to_mapping(self) -> dict[str, object]:
        """Return the kind, the settings and the policies as JSON-able data."""
        policies = [policy.to_mapping() for policy in self.policies]
        return settings(self) | {"policies": policies}

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Chain:
        """Return the chain that `mapping` describes; unknown keys and kinds are refused."""
        known = checks.known_keys(cls, mapping)
        policies = known.pop("policies")
        if not isinstance(policies, list | tuple):
            raise ConfigurationError(
                f"Chain.policies must be a list of policies, not {type(policies).__name__}"
            )
        return cls(*map(policy_from_mapping, cast("list[object]", policies)), **known)


def _checked(policies: Sequence[object]) -> tuple[ContextPolicy, ...]:
    for policy in policies:
        if isinstance(policy, type) or not isinstance(policy, ContextPolicy):
            raise ConfigurationError(
                f"Chain takes policies, and {checks.sort_of(policy)} is none: "
                f"Chain(ElideMiddle(), DropOldest())"
            )
    if not policies:
        raise ConfigurationError(
            "Chain needs at least one policy: Chain(ElideMiddle(), DropOldest())"
        )
    if _depth(policies) > _DEEPEST:
        raise ConfigurationError(f"Chain holds chains more than {_DEEPEST} deep; make them one")
    return cast("tuple[ContextPolicy, ...]", tuple(policies))


def _depth(policies: Sequence[object]) -> int:
    return 1 + max((_depth(one.policies) for one in policies if isinstance(one, Chain)), default=0)


def _lenient(policy: ContextPolicy) -> ContextPolicy:
    """Return `policy` so that it leaves the next one what it could do, where it has the choice."""
    if isinstance(policy, Chain):
        return Chain(*policy.policies, mode=policy.mode, on_overflow="return")
    if is_dataclass(policy) and "on_overflow" in {one.name for one in fields(policy)}:
        changes = {"on_overflow": "return"}
        return cast("ContextPolicy", replace(cast("Any", policy), **changes))
    return policy


def _noted(
    view: View, failed: Sequence[Failure], chained: Mapping[str, object] | None = None
) -> View:
    names = [
        failure for error in failed if isinstance(error, SummaryError) for failure in error.failures
    ]
    report = replace(view.report, failures=(*view.report.failures, *names))
    return view.with_report(report, chained=chained)
