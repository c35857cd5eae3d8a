"""A copy of a conversation, be it in memory or by pickle, shows the same and lives on alone."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.conversation import Participant, Transcript, View, compact_history
from orchestrator_context.conversation.offload import OffloadStore
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Budget, Segment
from orchestrator_context.policies import Chain, DropOldest, ElideMiddle, Offload, Summarize
from orchestrator_context.tokens import token_counter
from tests.conversation.references import fitted
from tests.conversation.strategies import RULES, TOOLS, call, conversations, result
from tests.conversation.talks import FEW

Copier = Callable[[Any], Any]
NAMES = ("Ann", "Bob", "Cy")
COPIERS = (copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing)))
copiers = pytest.mark.parametrize("copied", COPIERS, ids=["copy", "deepcopy", "pickle"])

entries = st.lists(st.tuples(st.sampled_from((*NAMES, "")), st.text(max_size=30)), max_size=8)


def said(talk: Transcript, script: list[tuple[str, str]]) -> Transcript:
    for author, text in script:
        if author:
            talk.append(author, text, visible_to=NAMES[:2] if "a" in text else None)
        else:
            talk.moderate(text)
    return talk


def seen(talk: Transcript) -> list[tuple[tuple[Segment, ...], tuple[Segment, ...], int]]:
    views = map(talk.view, NAMES)
    return [(view.segments, view.messages, view.tokens) for view in views]


@FEW
@given(before=entries, after=entries, looked=st.booleans(), rules=st.sampled_from(RULES))
@copiers
def test_a_copied_transcript_shows_the_same_and_lives_on_alone(
    copied: Copier,
    before: list[tuple[str, str]],
    after: list[tuple[str, str]],
    looked: bool,
    rules: object,
) -> None:
    people = [
        Participant(name, name, model="gpt-5", tools=TOOLS[1], policy=DropOldest())
        for name in NAMES
    ]
    talk = said(Transcript(people, shared_system="Be brief."), before)
    talk.append("Ann", [call("a", metadata={"kept": [1]})])
    if looked:
        seen(talk)
    other, told = copied(talk), seen(talk)
    assert (seen(other), other.entries) == (told, talk.entries)
    assert other.participants == talk.participants
    with pytest.raises(ConfigurationError, match="waits"):
        other.append("Ann", [call("a")])
    said(other, [*after, ("Bob", "only here")])
    assert seen(talk) == told
    assert seen(said(talk, [*after, ("Bob", "only here")])) == seen(other)
    talk.append("Ann", [result("a")])
    assert len(other) == len(talk) - 1


@copiers
def test_nobody_can_change_what_a_copy_has_heard(copied: Copier) -> None:
    talk = Transcript([Participant("Ann"), Participant("Bob")])
    talk.append("Ann", [Segment("x", "assistant", metadata={"marks": ["a"]})])
    other = copied(talk)
    other.entries[0].segments[0].metadata["marks"].append("b")
    for one in (talk, other):
        assert one.view("Ann").segments[0].metadata["marks"] == ["a"]


@FEW
@given(segments=conversations(max_size=8), share=st.floats(0.2, 1), rules=st.sampled_from(RULES))
@copiers
def test_a_copied_view_is_fitted_alike(
    copied: Copier, segments: tuple[Segment, ...], share: float, rules: object
) -> None:
    view = View.of(segments, tools=TOOLS[1])
    budget = Budget(max(1, int(view.tokens * share)))
    after = fitted(ElideMiddle(on_overflow="return"), view, budget)
    for one in (view, after):
        other = copied(one)
        assert (other.segments, other.messages, other.tokens) == (
            one.segments,
            one.messages,
            one.tokens,
        )
        assert (other.report, other.positions, other.elided) == (
            one.report,
            one.positions,
            one.elided,
        )
        again, same = (fitted(DropOldest(on_overflow="return"), it, budget) for it in (one, other))
        assert (again.segments, again.report) == (same.segments, same.report)
    assert copied(after.report) == after.report
    assert copied(segments) == segments


@copiers
@pytest.mark.parametrize("name", [None, "gpt-5", "claude-sonnet-4-5", "gemma-3-27b-it"])
def test_a_counter_of_a_model_can_be_copied(name: str | None, copied: Copier) -> None:
    counter = token_counter(name)
    assert copied(counter) == counter


def test_a_counter_of_a_function_goes_where_the_function_can() -> None:
    view = View.of([Segment("abc")], counter=token_counter(len, name="characters"))
    assert pickle.loads(pickle.dumps(view)).tokens == view.tokens
    local = View.of([Segment("abc")], counter=token_counter(lambda text: len(text)))
    assert copy.deepcopy(local).tokens == view.tokens
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(local)


@pytest.mark.anyio
@copiers
async def test_a_copied_memory_knows_the_same_summaries(copied: Copier) -> None:
    read = list[int]()

    class Counts:
        async def summarize(self, *_: object, **__: object) -> str:
            read.append(1)
            return "They talked."

    one = Summarize(Counts(), keep_recent=1)
    talk = Transcript([Participant("Ann", budget=Budget(120), policy=one)])
    for number in range(20):
        talk.append("Ann", f"{number} " + "word " * 9)
    view = await talk.fit("Ann")
    assert read
    memory = copied(one.memory)
    again = await Summarize(Counts(), keep_recent=1, memory=memory).fit(
        talk.view("Ann"), Budget(120)
    )
    assert (again.segments, len(read)) == (view.segments, 1)


@pytest.mark.anyio
async def test_a_copied_store_holds_the_same(tmp_path: Path) -> None:
    async with OffloadStore(":memory:") as store:
        handle = await store.put("text")
        people = copy.deepcopy(Participant("Ann", policy=Chain(Offload(store), DropOldest())))
        assert isinstance(people.policy, Chain)
        assert people.policy.policies[0].store is store  # type: ignore[attr-defined]
        with pytest.raises(ConfigurationError, match="name a file"):
            pickle.dumps(people)
    async with OffloadStore(tmp_path / "store.sqlite") as store:
        handle = await store.put("text")
        async with pickle.loads(pickle.dumps(store)) as other:
            assert await other.get(handle) == "text"


@pytest.mark.anyio
@copiers
async def test_a_compacted_history_can_be_copied(copied: Copier) -> None:
    done = compact_history([Segment("word " * 99)] * 9, Budget(400))
    assert copied(done) == done
