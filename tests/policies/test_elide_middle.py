from __future__ import annotations

import json

import pytest

from orchestrator_context.conversation.history import HistoryOptions, compact_history
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import BudgetExceededError
from orchestrator_context.models import Budget
from orchestrator_context.policies import ElideMiddle
from tests.conversation.strategies import O200K, call, ordinary, result, system, user

pytestmark = pytest.mark.anyio


async def test_it_does_what_compact_history_does() -> None:
    segments = ordinary(40)
    for room in (300, 1_000, 3_000, 100_000):
        after = await ElideMiddle(low_water=0.9).fit(View.of(segments), Budget(room))
        same = compact_history(segments, Budget(room), options=HistoryOptions(low_water=0.9))
        assert after.segments == same.segments
        assert O200K.count_messages(after.segments) <= room


async def test_old_results_are_shortened_first_and_new_ones_not() -> None:
    text = "level 12.5 bar; " * 200
    turns = [one for at in range(6) for one in (call(f"c{at}"), result(f"c{at}", text))]
    view = View.of([system(), user("go"), *turns])
    after = await ElideMiddle(low_water=1, keep_recent=4).fit(view, Budget(5_600))
    lengths = [len(one.content) for one in after.segments if one.kind == "tool_result"]
    assert after.report.dropped == ()
    assert lengths == sorted(lengths)
    assert lengths[0] < 700
    assert lengths[-2:] == [len(text)] * 2


async def test_a_locked_text_is_never_shortened() -> None:
    text = "level 12.5 bar; " * 200
    segments = [user("go"), call("a"), result("a", text, locked=True), user("now")]
    policy = ElideMiddle(drops=False, keep_recent=1)
    with pytest.raises(BudgetExceededError):
        await policy.fit(View.of(segments), Budget(200))
    after = await ElideMiddle(keep_recent=1).fit(View.of(segments), Budget(200))
    assert after.segments == (segments[3],)


async def test_one_huge_result_alone_is_no_reason_to_fail() -> None:
    view = View.of([system(), user("read it"), call("a"), result("a", "0f" * 100_000)])
    after = await ElideMiddle().fit(view, Budget(2_000))
    assert [one.kind for one in after.segments] == ["system", "turn", "tool_call", "tool_result"]
    assert 500 < after.report.tokens <= 2_000


async def test_huge_arguments_of_a_call_that_waits_stay_json() -> None:
    arguments = json.dumps({"body": "lorem ipsum " * 5_000, "path": "a.txt"})
    view = View.of([system(), user("write it"), call("a", arguments)])
    after = await ElideMiddle().fit(view, Budget(1_000))
    assert after.report.pending == 1
    assert json.loads(after.segments[-1].content)["elided_characters"] > 50_000
