"""What a summary keeps of planted facts: on the public kit, and on conversations of our own."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from compaction_kit import (
    Canary,
    CompactedContext,
    SeededSession,
    Turn,
    build_random_session,
    run_budget_benchmark,
    run_conformance,
)

from orchestrator_context.conversation.digest import digest
from orchestrator_context.models import ROLES, Role, Segment
from orchestrator_context.tokens import token_counter
from tests.conversation.digest.sessions import build_session

BUDGETS = (0.1, 0.2, 0.3)
ROUNDS = 5
CHARACTERS = token_counter(len, name="characters")

_LABEL = re.compile(r"^[A-Z][A-Z ]+: ")


class KitCompactor:
    """The summariser as the kit wants it; from the second round on, the one turn is the summary."""

    name = "extractive"

    def compact(
        self, turns: list[Turn], round_num: int = 1, budget_chars: int | None = None
    ) -> CompactedContext:
        assert budget_chars is not None
        previous, said = ("", turns) if round_num == 1 else (turns[0].text, [])
        segments = [Segment(turn.text, role=_role(turn.role)) for turn in said]
        text = digest(previous, segments, max_tokens=budget_chars, counter=CHARACTERS)
        return CompactedContext(text, self.name, round_num)


def _role(name: str) -> Role:
    return next(role for role in ROLES if role == name)


@dataclass(frozen=True)
class Score:
    """What was kept at one budget.

    Attributes:
        budget: share of the characters of the conversation.
        held: share of the planted facts that are kept.
        resolved: share of the updates whose new value is kept and whose old one is not.
        stale: old values that are still there.
        pairs: share of the look-alikes of which both are kept.
        compliant: whether no summary was over its budget.
    """

    budget: float
    held: float
    resolved: float
    stale: int
    pairs: float
    compliant: bool


def kit_scores(seeds: Sequence[int]) -> list[Score]:
    """Return the scores of the kit's own benchmark."""
    report = run_budget_benchmark(
        {"extractive": KitCompactor}, budgets=BUDGETS, seeds=seeds, rounds=ROUNDS
    )
    return [
        Score(
            entry["budget_fraction"],
            entry["randomized"]["overall_final_survival"],
            entry["semantic"]["resolved_rate"],
            entry["randomized"]["supersession"]["stale"] + entry["semantic"]["conflicts"]["stale"],
            entry["semantic"]["distinct_pair_rate"],
            entry["budget_compliant"],
        )
        for entry in report["entries"]
    ]


def unlabelled(turn: Turn) -> Turn:
    """Return a turn of the kit without the label that says what it is."""
    return replace(turn, text=_LABEL.sub("", turn.text))


def kit_held(seeds: Sequence[int], budget: float, change: Callable[[Turn], Turn]) -> float:
    """Return the share of the kit's facts that is kept where its turns were changed first."""
    held = total = 0
    for seed in seeds:
        session, canaries = build_random_session(seed)
        held += _survivors(session, canaries, budget, change)
        total += len(canaries)
    return held / total


def _survivors(
    session: SeededSession, canaries: list[Canary], budget: float, change: Callable[[Turn], Turn]
) -> int:
    changed = replace(session, turns=tuple(map(change, session.turns)))
    run = run_conformance(
        changed, KitCompactor(), rounds=ROUNDS, canaries=canaries, budget_fraction=budget
    )
    return sum(run.rounds[-1].survived.values())


def own_scores(seeds: Sequence[int], language: str, half: str) -> list[Score]:
    """Return the scores on conversations of our own, after as many rounds as in the kit."""
    return [_own_score(seeds, language, half, budget) for budget in BUDGETS]


def _own_score(seeds: Sequence[int], language: str, half: str, budget: float) -> Score:
    facts: list[bool] = []
    updates: list[bool] = []
    pairs: list[bool] = []
    stale, compliant = 0, True
    for seed in seeds:
        session = build_session(seed, language, half)
        most = int(session.characters * budget)
        said = [Segment(text, role=_role(role)) for role, text in session.turns]
        text = digest("", said, max_tokens=most, counter=CHARACTERS)
        for _ in range(ROUNDS - 1):
            text = digest(text, [], max_tokens=most, counter=CHARACTERS)
        compliant = compliant and len(text) <= most
        facts += [fact.is_held(text) for fact in session.facts]
        stale += sum(fact.leaks(text) for fact in session.facts)
        updates += [f.is_held(text) and not f.leaks(text) for f in session.facts if f.stale]
        pairs += [one.is_held(text) and other.is_held(text) for one, other in session.pairs]
    return Score(budget, _share(facts), _share(updates), stale, _share(pairs), compliant)


def _share(held: list[bool]) -> float:
    return sum(held) / len(held) if held else 1.0


def digest_quality(seeds: Sequence[int] = range(1, 9)) -> list[tuple[str, Score]]:
    """Return all scores, each with the name of what it was measured on."""
    named = [("kit", score) for score in kit_scores(seeds)]
    for half, languages in (
        ("tuning", "en de fr zh"),
        ("held_out", "en de es zh"),
        ("fresh", "en ru ja"),
    ):
        for language in languages.split():
            name = f"own {language} {half}"
            named += [(name, score) for score in own_scores(seeds, language, half)]
    return named
