from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.conversation.cache import (
    diagnose_cache,
    hit_share,
    prefix_hashes,
    prefix_stability,
    segment_hashes,
    with_cache_locks,
)
from orchestrator_context.conversation.participant import Participant
from orchestrator_context.conversation.templates import TemplateRules
from orchestrator_context.conversation.transcript import Transcript
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Budget, Media, Segment
from orchestrator_context.policies import DropOldest
from orchestrator_context.tokens import token_counter
from tests.conversation.talks import WORDS
from tests.linear import assert_linear

S = Segment("S", "system", "system", id="s")
TOOLS = Segment("[]", "system", "tools", id="t")
A, B, C = (Segment(text, id=text.lower()) for text in "ABC")
VIEW = (S, TOOLS, A, B, C)

segments = st.builds(
    Segment,
    content=st.text(max_size=3),
    role=st.sampled_from(["system", "user", "assistant"]),
    id=st.sampled_from(["", "a", "b", "c", "d"]),
    message=st.sampled_from(["", "m"]),
    locked=st.booleans(),
)
prompts = st.lists(segments, max_size=6)


def locked(view: tuple[Segment, ...]) -> list[bool]:
    return [segment.locked for segment in view]


def test_system_messages_and_tool_definitions_are_locked() -> None:
    assert locked(with_cache_locks(VIEW)) == [True, True, False, False, False]
    assert locked(with_cache_locks((A, replace(TOOLS, role="user")))) == [False, True]
    assert locked(with_cache_locks(VIEW, tools=False)) == [True, True, False, False, False]
    assert not any(locked(with_cache_locks(VIEW, system=False, tools=False)))
    assert locked(with_cache_locks(VIEW, system=False)) == [False, True, False, False, False]


def test_the_first_segments_and_chosen_ones_are_locked() -> None:
    lock = partial(with_cache_locks, VIEW, system=False, tools=False)
    assert locked(lock(first=3)) == [True, True, True, False, False]
    assert locked(lock(first=99)) == [True] * 5
    assert locked(lock(where=lambda one: one.id == "b")) == [False, False, False, True, False]


@given(prompts, st.integers(0, 7), st.booleans())
def test_locks_are_only_added_and_nothing_else_is_changed(
    view: list[Segment], first: int, system: bool
) -> None:
    before = list(view)
    out = with_cache_locks(view, system=system, first=first)
    assert view == before
    for old, new in zip(view, out, strict=True):
        assert new.locked >= old.locked
        assert new == old or new == replace(old, locked=True)
        assert new is old or new.locked > old.locked


@pytest.mark.parametrize("model", ["gpt-4", "openai/gpt-4", "claude-2"])
def test_a_model_without_a_prompt_cache_gets_no_locks(model: str) -> None:
    mine = replace(A, locked=True)
    assert with_cache_locks((S, mine, B), first=9, model=model) == (S, mine, B)


@pytest.mark.parametrize(
    "model",
    ["gpt-4o", "gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro", "ft:gpt-4o:org::id",
     "llama3.1:8b", "a-model-of-my-own"],
)  # fmt: skip
def test_a_model_with_a_cache_or_an_unknown_one_gets_locks(model: str) -> None:
    assert with_cache_locks((S,), model=model)[0].locked


@pytest.mark.parametrize(
    "arguments",
    [{"first": -1}, {"first": True}, {"system": 1}, {"tools": "no"}, {"where": 3}, {"model": " "}],
)
def test_arguments_that_cannot_be_used_are_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(arguments))):
        with_cache_locks(VIEW, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"content": "other"},
        {"role": "assistant"},
        {"title": "t"},
        {"call_id": "c"},
        {"author": "Ann"},
        {"media": (Media("image"),)},
        {"kind": "reasoning"},
    ],
)
def test_a_digest_covers_what_a_service_sees(change: dict[str, object]) -> None:
    changed = replace(A, **change)  # type: ignore[arg-type]
    assert segment_hashes([changed]) != segment_hashes([A])
    assert prefix_hashes([changed]) != prefix_hashes([A])


@pytest.mark.parametrize(
    "change",
    [
        {"metadata": {"openai": 1}},
        {"locked": True},
        {"priority": 0.1},
        {"required": True},
        {"group": "g"},
        {"kind": "summary"},
        {"message": "m"},
        {"source": "file"},
    ],
)
def test_a_digest_leaves_out_what_it_does_not(change: dict[str, object]) -> None:
    changed = replace(A, **change)  # type: ignore[arg-type]
    assert segment_hashes([changed]) == segment_hashes([A])
    assert prefix_hashes([changed]) == prefix_hashes([A])


def test_media_count_by_all_they_hold() -> None:
    one = replace(A, media=(Media("image", data="QUJD"),))
    other = replace(A, media=(Media("image", data="QUJE"),))
    assert segment_hashes([one]) != segment_hashes([other])


def test_fields_do_not_run_into_each_other() -> None:
    one, other = Segment("bc", title="a", id="x"), Segment("c", title="ab", id="x")
    assert segment_hashes([one]) != segment_hashes([other])
    assert segment_hashes([Segment("\ud800", id="x"), Segment("no id")]).keys() == {"x"}


def test_a_prefix_digest_tells_where_messages_end() -> None:
    parts = (replace(A, message="m"), replace(B, message="m"))
    apart = prefix_hashes((A, B))
    assert prefix_hashes(parts)[0] == apart[0]
    assert prefix_hashes(parts)[1] != apart[1]
    renamed = (replace(A, message="n"), replace(B, message="n"))
    assert prefix_hashes(renamed) == prefix_hashes(parts)


@given(prompts, prompts)
def test_equal_prefixes_have_equal_digests(one: list[Segment], other: list[Segment]) -> None:
    assert prefix_hashes([*one, *other])[: len(one)] == prefix_hashes(one)
    assert len(set(prefix_hashes(one))) == len(one)


def test_another_order_keeps_all_hits_and_no_prefix() -> None:
    assert hit_share([A, B, C], [C, A, B]) == 1.0
    assert prefix_stability([A, B, C], [C, A, B]) == 0.0


def test_shares_are_of_the_previous_prompt() -> None:
    assert prefix_stability([S, A], [S, A, B, C]) == 1.0
    assert prefix_stability([S, A, B, C], [S, A]) == 0.5
    assert hit_share([S, A], [B, S]) == 0.5
    assert prefix_stability([], [A]) == hit_share([], [A]) == 1.0
    assert prefix_stability([A], []) == hit_share([A], []) == 0.0


def test_a_prefix_can_be_weighed_by_tokens() -> None:
    counter = token_counter("gpt-4o")
    long = Segment("word " * 500, "system")
    share = prefix_stability([long, A], [long, B], counter=counter)
    assert 0.98 < share < 1
    assert diagnose_cache([long, A], [long, B], counter=counter).prefix_share == share


@given(prompts, prompts)
def test_shares_lie_between_0_and_1(one: list[Segment], other: list[Segment]) -> None:
    found = diagnose_cache(one, other)
    for share in (found.hit_share, found.prefix_share, found.stable_share):
        assert 0 <= share <= 1
    assert found.hit_share == hit_share(one, other)
    assert found.prefix_share == prefix_stability(one, other)
    assert (found.cause is None) == (found.broken_index is None) == (found.prefix_share == 1)


@given(prompts, prompts)
def test_what_is_appended_breaks_nothing(one: list[Segment], more: list[Segment]) -> None:
    found = diagnose_cache(one, [*one, *more])
    assert found.cause is None
    assert found.prefix_share == found.hit_share == 1


CHANGED_B = replace(B, content="other")


@pytest.mark.parametrize(
    ("current", "index", "name", "cause"),
    [
        ([A, B, C], None, "", None),
        ([A, CHANGED_B, C], 1, "b", "changed"),
        ([A, C], 1, "b", "removed"),
        ([A, B], 2, "c", "removed"),
        ([S, A, B, C], 0, "s", "inserted"),
        ([A, S, B, C], 1, "s", "inserted"),
        ([A, S, C], 1, "b", "removed"),
        ([C, A, B], 0, "a", "moved"),
        ([], 0, "a", "removed"),
    ],
)
def test_the_segment_that_broke_the_prefix_is_named(
    current: list[Segment], index: int | None, name: str, cause: str | None
) -> None:
    found = diagnose_cache([A, B, C], current)
    assert (found.broken_index, found.broken_id, found.cause) == (index, name, cause)
    assert bool(found.recommendations) == (cause is not None)


def test_segments_without_ids_are_told_apart_by_what_they_hold() -> None:
    one, two, three = (Segment(text) for text in ("1", "2", "3"))
    assert diagnose_cache([one, two], [one, three]).cause == "changed"
    assert diagnose_cache([one, two], [two, one]).cause == "moved"
    assert diagnose_cache([one, two], [two]).cause == "removed"
    assert diagnose_cache([one, two], [three, one, two]).cause == "inserted"


def test_new_and_removed_segments_are_not_unstable() -> None:
    found = diagnose_cache([A, B], [CHANGED_B, C])
    assert [one.id for one in found.unstable] == ["b"]
    assert found.unstable[0].previous == segment_hashes([B])["b"]
    assert found.unstable[0].current == segment_hashes([CHANGED_B])["b"]
    assert found.stable_share == 0
    assert diagnose_cache([A], [B]).stable_share == 1
    assert diagnose_cache([A], [B]).unstable == ()


def test_advice_fits_the_cause() -> None:
    moved = diagnose_cache([A, B, C], [C, A, B]).recommendations
    assert len(moved) == 2
    assert "order" in moved[0]
    locked_one = diagnose_cache([replace(B, locked=True)], [CHANGED_B]).recommendations
    assert "locked" in locked_one[-1]


def test_what_is_reported_holds_no_content() -> None:
    secret = Segment("secret", "system", id="hidden-name")
    found = diagnose_cache([secret, A], [replace(secret, content="secret 2"), A])
    shown = found.summary() + json.dumps(found.metadata()) + "".join(found.recommendations)
    assert "secret" not in shown
    assert "hidden-name" not in shown
    assert "broken at segment 0: changed" in found.summary()
    assert found.metadata()["unstable"] == 1
    assert diagnose_cache([], []).summary() == (
        "cache: 100.0% of the prefix shared (0 segments), 100.0% of the segments"
    )


def test_of_views_it_is_what_is_sent_that_counts() -> None:
    rules = TemplateRules("single", alternating=True)
    before = View.of([S, A, B], rules=rules)
    broken = View.of([S, CHANGED_B, B], rules=rules)
    answered = View.of([S, A, B, Segment("answer", "assistant"), C], rules=rules)
    for now in (before, broken, answered):
        found = diagnose_cache(before, now)
        assert found == diagnose_cache(before.messages, now.messages)
        assert found.prefix_share == prefix_stability(before, now)
        assert found.hit_share == hit_share(before, now)
    assert diagnose_cache(before, answered).cause is None
    joined = diagnose_cache(before, View.of([S, A, B, C], rules=rules))
    assert (joined.broken_index, joined.cause) == (1, "changed")  # one message, and it is longer


def test_other_tool_schemas_break_the_prefix_of_a_view() -> None:
    schema, other = {"name": "look"}, {"name": "look", "strict": True}
    before = View.of([S, A], tools=[schema])
    assert diagnose_cache(before, View.of([S, A, B], tools=[schema])).cause is None
    found = diagnose_cache(before, View.of([S, A, B], tools=[other]))
    assert (found.broken_index, found.broken_id, found.prefix_share) == (0, "tools", 0.0)
    assert found.hit_share == hit_share(before, View.of([S, A], tools=[other])) == 2 / 3


@pytest.mark.anyio
async def test_of_a_debate_it_says_where_a_policy_cut() -> None:
    talk = Transcript(
        [Participant(name, system="S", counter=WORDS) for name in ("Ann", "Bob")], opening="Motion"
    )
    views: list[View] = []
    for number in range(60):
        talk.append(("Ann", "Bob")[number % 2], f"turn {number}")
        views.append(await DropOldest(low_water=0.7).fit(talk.view("Ann"), Budget(60)))
    found = [diagnose_cache(one, two) for one, two in pairwise(views)]
    cuts = [one for one in found if one.cause]
    assert 2 <= len(cuts) <= 6
    assert all((one.broken_index, one.cause) == (2, "removed") for one in cuts)
    assert all(one.hit_share > 0.5 > one.prefix_share for one in cuts)


def test_diagnosing_takes_linear_time() -> None:
    def make(size: int) -> list[Segment]:
        return [Segment(str(index), id=f"i{index}") for index in range(size)]

    assert_linear(lambda view: diagnose_cache(view, view[::-1]), make, small=1_000)
