from __future__ import annotations

from hypothesis import given, settings

from orchestrator_context.conversation.blocks import NO_RESULT
from orchestrator_context.conversation.grouping import Grouper, group, repaired
from orchestrator_context.models import Segment
from tests.conversation.references import Pairs, naive_groups
from tests.conversation.strategies import (
    assistant,
    call,
    conversations,
    reasoning,
    result,
    system,
    user,
)
from tests.linear import assert_linear


@given(conversations(max_size=24))
@settings(deadline=None)
def test_groups_are_those_of_the_plainest_way(segments: tuple[Segment, ...]) -> None:
    found, pairs = group(segments), Pairs(segments)
    dead = pairs.dead(segments)
    assert list(found.groups) == naive_groups(segments)
    assert list(found.orphans) == pairs.orphans
    assert list(found.dead) == dead
    assert list(found.pending) == [index for index in pairs.open if index not in dead]


@given(conversations(max_size=24))
@settings(deadline=None)
def test_one_by_one_is_all_at_once_at_every_length(segments: tuple[Segment, ...]) -> None:
    grouper = Grouper()
    for length, segment in enumerate(segments, start=1):
        joined = grouper.add(segment)
        whole = group(segments[:length])
        assert tuple(grouper.members(root) for root in grouper.roots()) == whole.groups
        assert grouper.pending() == whole.pending
        assert grouper.count == len(whole.groups)
        assert grouper.root(length - 1) == joined.root
        assert not set(joined.absorbed) & set(grouper.roots())


@given(conversations(max_size=24))
@settings(deadline=None)
def test_what_is_repaired_has_a_result_for_every_call_that_was_left(
    segments: tuple[Segment, ...],
) -> None:
    whole = repaired(segments)
    again = Pairs(whole)
    assert not again.orphans
    assert not again.dead(whole)
    original = [one for one in whole if one.id]
    orphans = set(Pairs(segments).orphans)
    left = [one for at, one in enumerate(segments) if at not in orphans]
    if any(one.role != "system" for one in left):
        results = {
            one.id for one in left if one.kind == "tool_result"
        }  # a late one moves, or is told
        assert results <= {one.id for one in original}
        assert [one for one in original if one.id not in results] == [
            one for one in left if one.id not in results
        ]
    else:
        assert [one.id for one in original] == [one.id for one in segments]
    assert repaired(whole) == whole


class TestPairs:
    def test_several_calls_and_results_in_any_order(self) -> None:
        calls = [call(name, message="m") for name in "abc"]
        segments = [*calls, user("wait"), result("c"), result("a"), assistant("so"), result("b")]
        assert group(segments).groups == ((0, 1, 2, 4, 5, 7), (3,), (6,))

    def test_ids_that_are_used_again_pair_in_order(self) -> None:
        segments = [call("a"), result("a"), call("a"), call("a"), result("a")]
        found = group(segments)
        assert found.groups == ((0, 1), (2, 4), (3,))
        assert found.pending == (3,)

    def test_empty_ids_pair_in_order(self) -> None:
        assert group([call(""), call(""), result(""), result("")]).groups == ((0, 2), (1, 3))

    def test_an_interim_result_and_a_final_one_stay_together(self) -> None:
        segments = [call("a"), result("a", "started"), user("and?"), result("a", "done")]
        assert group(segments).groups == ((0, 1, 3), (2,))
        assert group(segments).orphans == ()

    def test_a_result_joins_groups_that_were_apart(self) -> None:
        segments = [user("1", group="g"), call("a"), user("2"), result("a", group="g")]
        grouper = Grouper()
        joined = [grouper.add(one) for one in segments]
        assert (joined[-1].root, joined[-1].absorbed) == (0, (1,))

    def test_reasoning_stays_with_what_it_led_to(self) -> None:
        segments = [user("q"), reasoning(), call("a"), result("a"), reasoning(), assistant("so")]
        assert group(segments).groups == ((0,), (1, 2, 3), (4, 5))

    def test_what_a_user_says_beside_results_is_free(self) -> None:
        segments = [call("a"), result("a", message="m"), user("note the date", message="m")]
        assert group(segments).groups == ((0, 1), (2,))


class TestLeftBehind:
    def test_a_call_is_left_behind_once_user_and_model_went_on(self) -> None:
        waiting = [user("q"), call("a")]
        assert group(waiting).pending == (1,)
        assert group([*waiting, user("hello?")]).pending == (1,)
        went_on = [*waiting, user("hello?"), assistant("Hi.")]
        assert (group(went_on).pending, group(went_on).dead) == ((), (1,))
        assert group([*went_on, result("a")]).dead == ()

    def test_a_call_that_was_left_behind_stays_so_until_its_result_comes(self) -> None:
        waiting = [call("a"), call("b"), user("u")]
        found = group(waiting, dead=(1,))
        assert (found.pending, found.dead) == ((0,), (1,))
        assert [one.content for one in repaired(waiting, (1,))] == [
            "{}",
            "{}",
            NO_RESULT,
            NO_RESULT,
            "u",
        ]
        answered = group([*waiting, result("a"), result("b")], dead=(1,))
        assert (answered.pending, answered.dead) == ((), ())

    def test_it_gets_a_result_behind_its_message(self) -> None:
        segments = [user("q"), call("a", message="m"), assistant("t", message="m"), user("x")]
        whole = repaired([*segments, assistant("y")])
        assert [one.content for one in whole] == ["q", "{}", "t", NO_RESULT, "x", "y"]
        assert (whole[3].kind, whole[3].call_id) == ("tool_result", "a")

    def test_a_result_without_a_call_is_left_out(self) -> None:
        segments = (system("S"), result("a"), user("x"))
        assert repaired(segments) == (segments[0], segments[2])

    def test_what_is_whole_is_the_same(self) -> None:
        segments = (user("q"), call("a"), result("a"))
        assert all(one is other for one, other in zip(repaired(segments), segments, strict=True))


def test_a_turn_in_the_middle_of_a_group_begins_nothing() -> None:
    grouper = Grouper()
    for segment in [user("text", message="m"), user("picture", message="m"), user("next")]:
        grouper.add(segment)
    assert [grouper.next_user_turn(at) for at in range(4)] == [0, 2, 2, None]
    assert [grouper.user_turn_before(at) for at in range(3)] == [0, 1, 2]


def test_long_chains_are_grouped_in_linear_time() -> None:
    def make(count: int) -> list[Segment]:
        calls = [call(f"c{at}", group="one" if at % 2 else "two") for at in range(count)]
        results = [result(f"c{at}") for at in range(1, count)]
        return [*calls, result("c0", group="one"), *results]

    def run(chain: list[Segment]) -> None:
        grouper = Grouper()
        for at, segment in enumerate(chain, 1):
            grouper.add(segment)
            assert grouper.count == (min(at, 2) if at <= len(chain) // 2 else 1)
        assert len(grouper.members(0)) == len(chain)

    assert_linear(run, make, small=1_250)


def test_results_without_a_call_stay_as_text_where_nothing_else_would_be_left() -> None:
    prompt = Segment("Be brief.", "system", "system")
    orphan = Segment("42", "tool", "tool_result", title="sum", call_id="c1")
    kept, shown = repaired([prompt, orphan])
    assert kept is prompt
    assert (shown.role, shown.kind, shown.call_id) == ("user", "turn", "")
    assert shown.content == "[result of sum]\n42"
    assert repaired([prompt, orphan, Segment("Hello")]) == (prompt, Segment("Hello"))
