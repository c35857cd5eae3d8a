from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.blocks import NO_RESULT
from orchestrator_context.conversation.ledger import Ledger
from orchestrator_context.conversation.room import Change, changed, excess, fits, settled
from orchestrator_context.conversation.templates import TemplateRules
from orchestrator_context.conversation.view import View, finalize
from orchestrator_context.exceptions import BudgetExceededError, UnknownWindowError
from orchestrator_context.models import Budget, Segment
from orchestrator_context.policies import Chain, DropOldest, ElideMiddle, Strict
from tests.conversation.references import fits_really, fitted, indices
from tests.conversation.strategies import (
    CHARACTERS,
    COUNTERS,
    O200K,
    RULES,
    WORDS,
    assistant,
    budgets,
    call,
    conversations,
    named,
    result,
    system,
    user,
)

STRICT = TemplateRules("none", alternating=True)


@given(
    st.builds(
        View.of, conversations(), counter=st.sampled_from(COUNTERS), rules=st.sampled_from(RULES)
    ),
    st.data(),
)
@settings(deadline=None)
def test_whether_it_fits_is_counted_on_what_is_sent(view: View, data: st.DataObject) -> None:
    budget = data.draw(budgets(view.tokens))
    assert (excess(view, budget) == 0) == fits(view, budget) == fits_really(view, budget)


def test_the_size_is_that_of_the_joined_messages() -> None:
    segments = [system("S"), user("A"), user("B"), assistant("C"), assistant("D"), user("E")]
    view = View.of(segments, rules=STRICT)
    sent = finalize(view)
    assert [one.content for one in sent] == ["S\n\nA\n\nB", "C\n\nD", "E"]
    assert view.tokens == O200K.count_messages(sent)
    assert fits(view, Budget(view.tokens))
    assert not fits(view, Budget(view.tokens - 1))
    single = TemplateRules("single", alternating=True)
    assert [one.content for one in finalize(view, single)] == ["S", "A\n\nB", "C\n\nD", "E"]


def test_arguments_parts_and_schemas_all_count() -> None:
    arguments = '{"body": "' + "lorem ipsum dolor sit amet " * 1_480 + '"}'
    view = View.of(
        [
            call("c1", arguments, title="write_file"),
            result("c1", "text part", message="m"),
            result("c1", "text part", message="m"),
            user(""),
        ]
    )
    assert O200K.count(arguments) == 7_406
    assert view.tokens > 7_406
    schema = {"name": "get_level", "parameters": {"type": "object", "x-mine": [1, None]}}
    assert View.of(view.segments, tools=[schema]).tokens > view.tokens + 10
    with pytest.raises(BudgetExceededError, match="needs 74"):
        fitted(Strict(), view, Budget(7_000))
    assert fitted(ElideMiddle(), view, Budget(7_000)).report.elided.total > 0


def test_a_budget_without_any_ceiling_is_refused() -> None:
    view = View.of([user("x")])
    for ask in (fits, excess):
        with pytest.raises(UnknownWindowError, match="max_tokens"):
            ask(view, Budget())
    assert fits(view, Budget(max_items=1))
    assert not fits(View.of([user("xy")]), Budget(max_bytes=1))


def test_a_view_of_a_transcript_is_what_it_was_when_it_was_made() -> None:
    ledger = Ledger(CHARACTERS, [user("one")])
    old = View(counter=CHARACTERS, _log=ledger, _length=1)
    assert old.uncounted == 3
    ledger.append(user("two"))
    new = View(counter=CHARACTERS, _log=ledger, _length=2)
    assert new.ledger is ledger
    assert new.uncounted == 0
    assert [one.content for one in old.segments] == ["one"]
    assert old.ledger is not ledger
    assert old.ledger.total == CHARACTERS.count_messages(old.segments)
    assert old.uncounted == 0


def test_each_counter_has_its_own_view_of_one_conversation() -> None:
    segments = named([system("S"), *[user("word " * 9) for _ in range(20)], user("now")])
    sizes = set()
    for counter in COUNTERS:
        view = View.of(segments, counter=counter)
        after = fitted(DropOldest(), view, Budget(view.tokens // 2))
        sizes.add(counter.count_messages(after.segments))
        assert after.report.tokens <= view.tokens // 2
    assert len(sizes) > 2


class TestTheAccount:
    """Kept, dropped and summarised segments are together all that there were."""

    def summarised(self, view: View, start: int, stop: int, budget: Budget) -> View:
        summary = Segment("[Summary of earlier turns]", kind="summary", id="summary")
        kept = [at for at in range(len(view)) if not start <= at < stop]
        segments = [view.segments[at] for at in kept]
        segments.insert(start, summary)
        kept.insert(start, start)
        change = Change(tuple(segments), tuple(kept), summarised=((start, stop),))
        return settled(view, changed(view, change), change, budget, "summarize")

    def check(self, view: View, after: View) -> None:
        report = after.report
        assert after.positions is not None
        stands = [
            at
            for at, one in zip(after.positions, after.segments, strict=True)
            if one.id != "summary"
        ]
        everything = [*stands, *indices(report.dropped), *indices(report.summarised)]
        assert sorted(everything) == list(range(len(view)))

    def test_a_summary_of_a_summary_stands_for_all_of_it(self) -> None:
        budget = Budget(10_000)
        view = View.of(named([system("S"), *[user(f"turn {at}") for at in range(9)]]))
        once = self.summarised(view, 1, 4, budget)
        assert once.report.summarised == ((1, 4),)
        self.check(view, once)
        twice = self.summarised(once, 1, 3, budget)
        assert twice.report.summarised == ((1, 5),)
        self.check(view, twice)
        assert twice.report.policy == "summarize"

    def test_what_a_summary_stood_for_is_dropped_with_it(self) -> None:
        view = View.of(named([system("S"), *[user("word " * 30) for _ in range(9)]]), counter=WORDS)
        once = self.summarised(view, 1, 4, Budget(10_000))
        after = fitted(DropOldest(), once, Budget(35))
        assert [one.id for one in after.segments] == ["s0", "summary", "s9"]
        assert (after.report.summarised, after.report.dropped) == (((1, 4),), ((4, 9),))
        self.check(view, after)
        after = fitted(DropOldest(), once, Budget(32))
        assert [one.id for one in after.segments] == ["s0", "s9"]
        assert (after.report.summarised, after.report.dropped) == ((), ((1, 9),))
        assert after.report.policy == "summarize+drop_oldest"

    def test_what_was_shortened_and_then_dropped_is_dropped(self) -> None:
        segments = named([user("q"), call("a"), result("a", "word " * 400), user("now")])
        policy = Chain(ElideMiddle(drops=False), DropOldest(), mode="each")
        after = fitted(policy, View.of(segments), Budget(15))
        assert [one.id for one in after.segments] == ["s3"]
        assert (after.report.elided.total, after.report.dropped_count) == (0, 3)


LEFT_BEHIND = (call("a"), user("u"), assistant("A"), user("v"))


def test_a_dead_call_stays_dead_whatever_is_left_out_behind_it() -> None:
    view = View.of(LEFT_BEHIND, counter=WORDS)
    once = view.with_segments((LEFT_BEHIND[0], LEFT_BEHIND[1], LEFT_BEHIND[3]), (0, 1, 3))
    twice = once.with_segments((LEFT_BEHIND[0], LEFT_BEHIND[3]), (0, 2))
    assert [one.content for one in finalize(once)] == ["{}", NO_RESULT, "u", "v"]
    assert [one.content for one in finalize(twice)] == ["{}", NO_RESULT, "v"]
    assert twice.positions == (0, 3)
    assert (twice.ledger.grouper.dead(), twice.ledger.grouper.pending()) == ((0,), ())


def test_a_call_that_waits_does_so_whatever_is_left_out() -> None:
    view = View.of([user("u"), user("v"), call("a")], counter=WORDS)
    assert [one.content for one in finalize(view.with_segments(view.segments[::2], (0, 2)))] == [
        "u",
        "{}",
    ]


def test_what_stands_in_the_place_of_a_dead_call_is_none() -> None:
    view = View.of(LEFT_BEHIND, counter=WORDS)
    summary = user("earlier", kind="summary")
    new = view.with_segments((summary, LEFT_BEHIND[3]), (0, 3))
    assert new.messages == new.segments


def test_whether_a_call_is_dead_is_told_of_the_view_not_of_what_came_later() -> None:
    ledger = Ledger(WORDS, LEFT_BEHIND)
    old = View(counter=WORDS, _log=ledger, _length=2)
    ledger.catch_up(len(ledger))
    assert finalize(old.with_segments(old.segments[:1], (0,))) == LEFT_BEHIND[:1]
    new = View(counter=WORDS, _log=ledger, _length=4)
    assert len(finalize(new.with_segments(new.segments[:1], (0,)))) == 2
