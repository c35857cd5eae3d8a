"""Errors that a new user meets say what is wrong, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

import anyio
import pytest

from orchestrator_context import Budget, Participant, Transcript, load_generator, load_reranker
from orchestrator_context.conversation import HistoryPolicy, View, policy_from_mapping
from orchestrator_context.exceptions import BudgetExceededError, ConfigurationError
from orchestrator_context.models import Segment
from orchestrator_context.policies import Chain, DropOldest, Offload, Strict, Summarize

WRONG = cast("Any", "wrong")
TALK = Transcript([Participant("Ann"), Participant("Bob")])


@pytest.mark.parametrize(
    ("do", "told"),
    [
        (lambda: Transcript([WRONG]), 'not str: such as Participant("Ann")'),
        (
            lambda: Transcript([Participant("moderator")]),
            "cannot be named 'moderator': so is who speaks by Transcript.moderate",
        ),
        (lambda: TALK.append("moderator", "x"), "notes of the moderator go by Transcript.moderate"),
        (lambda: Participant("Ann", budget=WRONG), "Budget(tokens of the window)"),
        (lambda: Participant("Ann", policy=WRONG), "such as DropOldest()"),
        (lambda: Participant("Ann", counter=WRONG), "token_counter(name of the model)"),
        (lambda: Participant("Ann", rules=WRONG), "template_rules(name of the model)"),
        (lambda: Transcript.from_mapping({}), "pass what Transcript.to_mapping gave, whole"),
        (
            lambda: policy_from_mapping({}),
            'has no "kind"; add one, such as {"kind": "drop_oldest"}',
        ),
        (lambda: policy_from_mapping("strict"), 'a mapping, not str: {"kind": "drop_oldest"}'),
        (lambda: HistoryPolicy(policy=WRONG), "not str: such as DropOldest()"),
        (lambda: Summarize(WRONG), "ExtractiveSummarizer(), or load_generator(name)"),
        (lambda: Chain(cast("Any", [DropOldest()])), "Chain(ElideMiddle(), DropOldest())"),
        (lambda: Offload(WRONG), "OffloadStore(path)"),
        (lambda: load_generator("gpt-5"), "as 'openai:gpt-5' is; installed are: anthropic, "),
        (lambda: load_reranker("rerank"), "as 'cohere:rerank-v3.5' is; installed are: cohere"),
    ],
)
def test_what_is_not_taken_is_named_with_what_is(do: Callable[[], object], told: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(told)):
        do()


@pytest.mark.parametrize(
    ("policy", "budget", "told"),
    [
        (
            DropOldest(),
            Budget(30, output_reserve=10),
            "The view of Ann needs 108 tokens, and there is room for 20 (30 less 10 kept free), "
            "even without all that drop_oldest may take away. Raise the budget, shorten what has "
            "to stay, or let the newest turn be shortened too",
        ),
        (Strict(), Budget(30), "room for 30. Raise the budget, shorten what has to stay, or pass"),
        (DropOldest(), Budget(max_bytes=30), "does not fit 30 bytes, even without all"),
        (
            DropOldest(),
            Budget(max_bytes=30, max_items=4),
            "does not fit 30 bytes and 4 messages, even without all",
        ),
    ],
)
def test_what_does_not_fit_says_what_is_left_and_what_helps(
    policy: DropOldest | Strict, budget: Budget, told: str
) -> None:
    view = View.of([Segment("hello " * 100)], participant="Ann")
    with pytest.raises(BudgetExceededError, match=re.escape(told)):
        anyio.run(policy.fit, view, budget)


def test_without_a_policy_the_way_out_is_one() -> None:
    talk = Transcript([Participant("Ann", budget=Budget(20))], opening="hello " * 100)
    with pytest.raises(BudgetExceededError, match=r"a policy that makes room, such as ElideMiddle"):
        anyio.run(talk.fit, "Ann")
