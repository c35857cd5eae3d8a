from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.elision import Elide
from orchestrator_context.conversation.grouping import repaired
from orchestrator_context.conversation.ledger import Ledger
from orchestrator_context.conversation.view import View
from orchestrator_context.models import Segment
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens import token_counter
from tests.conversation.references import Pairs, naive_groups, required
from tests.conversation.strategies import (
    CHARACTERS,
    COUNTERS,
    IMAGE,
    TOOLS,
    WORDS,
    assistant,
    call,
    conversations,
    note,
    result,
    system,
    user,
)

ELIDE = Elide(frozenset({"tool_result", "turn", "tool_call"}), 20)


def counted(ledger: Ledger) -> Ledger:
    ledger.catch_up(len(ledger))
    return ledger


def figures(ledger: Ledger) -> object:
    roots = ledger.grouper.roots()
    savings = ledger.savings(ELIDE)
    return (
        ledger.total,
        ledger.required,
        [(ledger.droppable.at(one), ledger.turns.at(one), savings.at(one)) for one in roots],
        [ledger.droppable.before(at) for at in range(len(ledger) + 1)],
        [savings.before(at) for at in range(len(ledger) + 1)],
        ledger.turns.before(len(ledger)),
        savings.shorter.keys() - members(ledger),
        ledger.digests,
        ledger.last_signed,
        ledger.digest(len(ledger)),
    )


def members(ledger: Ledger) -> set[int]:
    """What is required may have been shortened by way of trial, before it was required."""
    return {index for root in ledger.required for index in ledger.grouper.members(root)}


@given(conversations(max_size=20), st.sampled_from(COUNTERS), st.booleans(), st.data())
@settings(deadline=None)
def test_one_by_one_is_all_at_once(
    segments: tuple[Segment, ...], counter: TokenCounter, joins: bool, data: st.DataObject
) -> None:
    growing = Ledger(counter, joins=joins)
    for length, segment in enumerate(segments, start=1):
        growing.append(segment)
        if data.draw(st.booleans()):
            batch = counted(Ledger(counter, segments[:length], joins=joins))
            assert figures(counted(growing)) == figures(batch)


@given(conversations(max_size=20), st.sampled_from(COUNTERS), st.sampled_from(TOOLS))
@settings(deadline=None)
def test_the_figures_are_those_of_the_plainest_way(
    segments: tuple[Segment, ...],
    counter: TokenCounter,
    tools: tuple[dict[str, object], ...],
) -> None:
    ledger = counted(Ledger(counter, segments, tools=tools))
    groups, needed = naive_groups(segments), required(segments)
    assert ledger.required == [one[0] for one in groups if needed & set(one)]
    assert ledger.turns.before(len(segments)) == len(groups) - len(ledger.required)
    assert all(ledger.droppable.at(root) == 0 for root in ledger.required)
    plain = tuple(one for one in segments if not one.author)
    left = [one for at, one in enumerate(plain) if at not in Pairs(plain).orphans]
    if repaired(plain) == tuple(left):  # what is put in or moved costs something too
        view = View.of(plain, counter=counter, tools=tools)
        assert view.ledger.total == view.tokens


def test_nothing_is_counted_before_it_is_asked_for_and_all_only_once() -> None:
    texts: list[str] = []

    def count(text: str) -> int:
        texts.append(text)
        return len(text)

    ledger = Ledger(token_counter(count), [user("first"), user("second")])
    assert "first" not in texts
    ledger.catch_up(1)
    assert (ledger.counted, len(ledger)) == (1, 2)
    assert texts.count("first") == 1
    assert "second" not in texts
    counted(ledger)
    ledger.append(user("third"))
    counted(ledger)
    assert [texts.count(one) for one in ("first", "second", "third")] == [1, 1, 1]


def test_a_counter_that_fails_leaves_the_account_as_it_was() -> None:
    broken = [True]

    def count(text: str) -> int:
        if broken[0] and text == "bad":
            raise ZeroDivisionError
        return len(text)

    ledger = Ledger(token_counter(count), [user("good"), user("bad"), result("a")])
    with pytest.raises(ZeroDivisionError):
        counted(ledger)
    broken[0] = False
    whole = counted(Ledger(token_counter(count), ledger.segments))
    assert figures(counted(ledger)) == figures(whole)


def test_a_group_becomes_required_when_something_required_joins_it() -> None:
    ledger = Ledger(CHARACTERS, [user("1", group="g"), call("a"), user("2")])
    assert counted(ledger).required == []
    ledger.append(result("a"))
    ledger.append(note("n"))
    ledger.append(Segment("x", required=True, group="g"))
    assert counted(ledger).required == [0, 4]
    ledger.append(result("a", group="g"))
    assert counted(ledger).required == [0, 4]
    assert ledger.turns.before(len(ledger)) == 1


def test_a_result_that_nobody_asked_for_costs_nothing_since_it_is_not_sent() -> None:
    ledger = counted(Ledger(CHARACTERS, [system("S"), result("?", "x" * 900), user("u")]))
    assert ledger.total == CHARACTERS.count_messages([system("S"), user("u")])


def test_shortening_that_saves_no_tokens_is_not_done() -> None:
    ledger = counted(Ledger(WORDS, [user("x" * 900), user("word " * 100)]))
    assert list(ledger.savings(ELIDE).shorter) == [1]


def test_a_digest_tells_conversations_apart() -> None:
    one = [user("a"), assistant("b")]
    others = [
        [user("ab"), assistant("")],
        [user("a"), user("b")],
        [user("a", media=(IMAGE,)), assistant("b")],
        [user("a"), assistant("b", author="Ann")],
    ]
    digests = {Ledger(WORDS, some).digest(2) for some in (one, *others)}
    assert len(digests) == len(others) + 1
    assert Ledger(WORDS, one).digest(1) == Ledger(WORDS, [*one, user("c")]).digest(1)


def test_a_call_that_is_known_to_be_dead_does_not_add_up() -> None:
    segments = [user("u"), call("a")]
    assert counted(Ledger(CHARACTERS, segments)).adds_up
    known = counted(Ledger(CHARACTERS, segments, dead=(1,)))
    assert not known.adds_up
    assert not counted(Ledger(CHARACTERS, [*segments, user("v")])).adds_up
    assert (known.grouper.dead(), known.grouper.pending()) == ((1,), ())
