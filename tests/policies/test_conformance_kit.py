"""The public conformance kit, on a policy: what a view keeps of facts planted in a conversation.

What the summariser alone keeps through five rounds of summing up its own summary is tested beside
it; a view that fits is left as it is, so here the first round decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import anyio
import pytest
from compaction_kit import CompactedContext, Turn, run_budget_benchmark

from orchestrator_context import Budget, ExtractiveSummarizer, Segment, View, finalize
from orchestrator_context.models import ROLES
from orchestrator_context.policies import Summarize

BUDGETS = (0.1, 0.2, 0.3)
GOALS = {0.1: 0.6, 0.2: 0.95, 0.3: 1.0}

NEXT = Segment("Go on.")  # what the history is compacted for; it stays, and is not measured


class Characters:
    """Counts characters, and a line break between messages, as the kit does."""

    name = "characters"
    exact = True

    def count(self, text: str) -> int:
        return len(text)

    def count_messages(
        self,
        messages: Sequence[Segment],
        *,
        tools: Sequence[Mapping[str, object]] = (),  # noqa: ARG002 - there are none
    ) -> int:
        return sum(len(message.content) + 1 for message in messages)


class PolicyCompactor:
    """`Summarize` as the kit calls it."""

    name = "summarize"

    def policy(self) -> Summarize:
        return Summarize.facts_first()

    def compact(
        self, turns: list[Turn], round_num: int = 1, budget_chars: int | None = None
    ) -> CompactedContext:
        policy = self.policy()
        segments = [
            Segment(turn.text, next(role for role in ROLES if role == turn.role), "turn")
            for turn in turns
        ]
        view = View.of([*segments, NEXT], counter=Characters())
        budget = Budget((budget_chars or 0) + Characters().count_messages([NEXT]))
        *history, newest = finalize(anyio.run(policy.fit, view, budget))
        assert newest == NEXT
        text = "\n".join(message.content for message in history)
        return CompactedContext(text, self.name, round_num)


def test_summarize_keeps_what_was_planted() -> None:
    report = run_budget_benchmark(
        {"summarize": PolicyCompactor}, budgets=BUDGETS, seeds=(31, 32), rounds=5
    )
    for entry in report["entries"]:
        assert entry["budget_compliant"]
        held = entry["randomized"]["overall_final_survival"]
        assert held >= GOALS[entry["budget_fraction"]]
        assert entry["randomized"]["supersession"]["stale"] == 0
        assert entry["semantic"]["conflicts"]["stale"] == 0


class AsItComes(PolicyCompactor):
    """`Summarize` as it is without settings, which leaves the newest turns word for word."""

    def policy(self) -> Summarize:
        return Summarize(ExtractiveSummarizer())


def test_without_settings_it_keeps_most_of_it_beside_the_newest_turns() -> None:
    report = run_budget_benchmark({"it": AsItComes}, budgets=BUDGETS, seeds=(31, 32), rounds=1)
    goals = {0.1: 0.3, 0.2: 0.7, 0.3: 0.9}
    for entry in report["entries"]:
        assert entry["budget_compliant"]
        held = entry["randomized"]["overall_final_survival"]
        assert held >= goals[entry["budget_fraction"]]


if __name__ == "__main__":
    pytest.main([__file__])
