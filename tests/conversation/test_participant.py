from __future__ import annotations

from typing import Any

import pytest

from orchestrator_context.conversation import Participant, TemplateRules, template_rules
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Budget
from orchestrator_context.policies.drop_oldest import DropOldest
from orchestrator_context.tokens import token_counter
from tests.conversation.talks import WORDS


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "a\nb"},
        {"system": None},
        {"briefing": 3},
        {"budget": 8_000},
        {"policy": "drop_oldest"},
        {"policy": DropOldest},
        {"model": None},
        {"counter": len},
        {"rules": {}},
        {"reasoning": "mine"},
    ],
)
def test_what_cannot_be_used_is_refused_by_name(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        Participant(**{"name": "Ann"} | wrong)


def test_the_model_decides_what_is_not_given() -> None:
    plain, known = Participant("Ann"), Participant("Ann", model="google/gemma-3-27b-it")
    assert plain.own_counter == token_counter()
    assert plain.own_rules == TemplateRules()
    assert known.own_rules == template_rules("gemma-3-27b-it")
    assert known.own_counter == token_counter("google/gemma-3-27b-it")
    given = Participant("Ann", model="gemma-3-27b-it", counter=WORDS, rules=TemplateRules())
    assert given.own_counter is WORDS
    assert given.own_rules == TemplateRules()


def test_a_counter_that_looks_empty_is_still_used() -> None:
    class Empty(type(WORDS)):  # type: ignore[misc]
        def __len__(self) -> int:
            return 0

    counter = Empty()
    assert Participant("Ann", counter=counter).own_counter is counter


def test_budget_and_policy_change_nothing_of_what_is_seen() -> None:
    one = Participant("Ann", tools=({"name": "look"},))
    assert one.sees_like(
        Participant("Ann", tools=({"name": "look"},), budget=Budget(9), policy=DropOldest())
    )
    assert not one.sees_like(Participant("Ann"))
    assert not one.sees_like(Participant("Ann", tools=({"name": "look"},), system="x"))


def test_what_is_private_does_not_stand_in_the_repr() -> None:
    shown = repr(Participant("Ann", system="secret", briefing="secret", tools=({"secret": 1},)))
    assert "secret" not in shown
