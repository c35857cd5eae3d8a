"""Who takes part in a conversation, and what each of them brings along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from orchestrator_context import checks
from orchestrator_context.budget import Budget
from orchestrator_context.conversation import given
from orchestrator_context.conversation.names import check_name
from orchestrator_context.conversation.policy import ContextPolicy
from orchestrator_context.conversation.room import need_ceiling
from orchestrator_context.conversation.templates import TemplateRules, template_rules
from orchestrator_context.exceptions import UnknownWindowError
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens import token_counter

Reasoning = Literal["strip", "own", "shared"]

_POLICY: type[object] = ContextPolicy  # protocols, which a check at run time takes as well
_COUNTER: type[object] = TokenCounter

REASONING: tuple[Reasoning, ...] = ("strip", "own", "shared")


@dataclass(frozen=True, slots=True)
class Participant:
    """One of those who talk, with a window of its own.

    Attributes:
        name: unique in its transcript; it labels what the participant says to the others.
        system: the system prompt. Nobody else sees it.
        briefing: what only this participant is told, at the beginning.
        budget: the window. Unknown by default, which `Transcript.fit` refuses.
        policy: how a view is brought into the budget; None for one that raises where it does not
            fit.
        model: name of the model; it decides `counter` and `rules` where they are not given.
        counter: counts the model's tokens.
        rules: what the model demands of its messages.
        tools: schemas that go along with every request.
        reasoning: whose reasoning the participant sees: nobody's ("strip"), its "own", or also
            what others "shared" sees, as text.
    """

    name: str
    system: str = field(default="", repr=False)
    briefing: str = field(default="", repr=False)
    budget: Budget = Budget()
    policy: ContextPolicy | None = None
    model: str = ""
    counter: TokenCounter | None = field(default=None, repr=False)
    rules: TemplateRules | None = None
    tools: tuple[Mapping[str, object], ...] = field(default=(), repr=False, hash=False)
    reasoning: Reasoning = "own"

    def __post_init__(self) -> None:
        check_name("Participant.name", self.name)
        checks.text("Participant.system", self.system)
        checks.text("Participant.briefing", self.briefing)
        checks.text("Participant.model", self.model)
        checks.choice("Participant.reasoning", self.reasoning, REASONING)
        checks.instance("Participant.budget", self.budget, Budget, "Budget(tokens of the window)")
        if self.policy is not None:
            checks.instance("Participant.policy", self.policy, _POLICY, "such as DropOldest()")
        if self.counter is not None:
            checks.instance(
                "Participant.counter", self.counter, _COUNTER, "token_counter(name of the model)"
            )
        if self.rules is not None:
            checks.instance(
                "Participant.rules", self.rules, TemplateRules, "template_rules(name of the model)"
            )
        object.__setattr__(self, "tools", given.schemas("Participant.tools", self.tools))

    def sees_like(self, other: Participant) -> bool:
        """Return whether the two see a conversation alike, whatever their budgets and policies."""
        return replace(self, budget=other.budget, policy=other.policy) == other

    @property
    def own_counter(self) -> TokenCounter:
        """What counts the participant's tokens: the counter given, or that of the model."""
        return token_counter(self.model or None) if self.counter is None else self.counter

    @property
    def own_rules(self) -> TemplateRules:
        """What the model demands: the rules given, or those known of the model."""
        if self.rules is None and self.model:
            return template_rules(self.model)
        return self.rules or TemplateRules()


def need_window(participant: Participant) -> None:
    """Raise where nothing can be fitted to the budget of `participant`.

    Raises:
        UnknownWindowError: it has no ceiling.
    """
    try:
        need_ceiling(participant.budget)
    except UnknownWindowError:
        raise UnknownWindowError(
            f"The window of {participant.name} is unknown, so nothing can be fitted to it: pass "
            f"Participant({participant.name!r}, budget=Budget(max_tokens=...))"
        ) from None
