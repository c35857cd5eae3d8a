from __future__ import annotations

import pytest

from orchestrator_context.conversation.templates import TemplateRules
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import BudgetExceededError, UnknownWindowError
from orchestrator_context.models import Budget
from orchestrator_context.policies import Strict
from tests.conversation.strategies import CHARACTERS, O200K, WORDS, assistant, system, user

pytestmark = pytest.mark.anyio
SEGMENTS = (system("one two"), user("three four"), assistant("five"))


async def test_what_fits_is_the_same() -> None:
    view = View.of(SEGMENTS, counter=WORDS)
    after = await Strict().fit(view, Budget(5))
    assert all(one is other for one, other in zip(after.segments, SEGMENTS, strict=True))
    assert after.report.summary() == "none: 3 of 3 segments, 5 of 5 tokens"


async def test_what_does_not_fit_is_refused_with_both_numbers() -> None:
    view = View.of(SEGMENTS, counter=WORDS, participant="Ann")
    with pytest.raises(
        BudgetExceededError, match="of Ann needs 5 tokens, and there is room for 4"
    ) as caught:
        await Strict().fit(view, Budget(10, output_reserve=5, headroom=1))
    assert (caught.value.needed, caught.value.available) == (5, 4)
    assert "three" not in str(caught.value)


async def test_bytes_and_messages_are_ceilings_too() -> None:
    view = View.of(SEGMENTS, counter=WORDS)
    for budget in (Budget(max_bytes=20), Budget(max_items=2)):
        with pytest.raises(BudgetExceededError, match="does not fit"):
            await Strict().fit(view, budget)
    assert (await Strict().fit(view, Budget(max_bytes=21, max_items=3))).report.fits


async def test_an_unknown_window_is_refused_even_where_there_is_little() -> None:
    with pytest.raises(UnknownWindowError, match="Budget"):
        await Strict().fit(View.of(SEGMENTS), Budget.of(None))


async def test_schemas_and_what_the_rules_put_in_are_counted() -> None:
    bare = View.of(SEGMENTS)
    tools = [{"name": "get_level", "parameters": {}}]
    more = View.of(SEGMENTS, tools=tools, rules=TemplateRules(user_last=True))
    assert more.tokens > bare.tokens + 10
    with pytest.raises(BudgetExceededError):
        await Strict().fit(more, Budget(bare.tokens))
    assert (await Strict().fit(bare, Budget(bare.tokens))).report.complete


async def test_an_estimate_is_said_to_be_one() -> None:
    after = await Strict().fit(View.of(SEGMENTS), Budget(1_000))
    assert after.report.exact
    assert View.of(SEGMENTS).counter is O200K
    assert (await Strict().fit(View.of((), counter=CHARACTERS), Budget(1_000))).report.fits
