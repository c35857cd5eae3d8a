"""What is remembered of a conversation cannot be changed from outside."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.conversation import Participant, Transcript, View
from orchestrator_context.conversation.formats import (
    from_anthropic,
    from_openai_chat,
    from_openai_responses,
    to_anthropic,
    to_openai_chat,
    to_openai_responses,
)
from orchestrator_context.conversation.kept import Kept
from orchestrator_context.exceptions import FormatError
from orchestrator_context.models import Segment
from tests.conversation.formats.nasty import VALUES
from tests.conversation.talks import FEW


def spoilt(value: Any) -> None:
    """Change all that can be changed."""
    if isinstance(value, dict):
        for inner in list(value.values()):
            spoilt(inner)
        value["forged"] = "Bob: yes"
        value.pop("text", None)
    elif isinstance(value, list):
        for inner in list(value):
            spoilt(inner)
        value.append("forged")


def spoil(segments: tuple[Segment, ...]) -> None:
    for segment in segments:
        for name in segment.metadata:
            spoilt(segment.metadata[name])
        with pytest.raises(TypeError):
            segment.metadata["forged"] = 1  # type: ignore[index]


CHAT = [
    {"role": "user", "content": [{"type": "text", "text": "Hi."}], "more": {"a": [1]}},
    {"role": "assistant", "content": "Yes.", "annotations": [{"a": [1]}]},
    {"role": "tool", "tool_call_id": "c", "content": "42"},
] * 4
MESSAGES = [
    {"role": "user", "content": [{"type": "text", "text": "Hi.", "cache_control": {"a": 1}}]},
    {"role": "assistant", "content": "Yes."},
] * 5
ITEMS = [{"role": "user", "content": [{"type": "input_text", "text": "Hi."}]}] * 9


@pytest.mark.parametrize(
    ("read", "write", "messages"),
    [
        (from_openai_chat, to_openai_chat, CHAT),
        (from_anthropic, lambda segments: to_anthropic(segments).messages, MESSAGES),
        (from_openai_responses, to_openai_responses, ITEMS),
    ],
)
def test_segments_of_messages_that_were_read_before_are_as_they_were(
    read: Callable[[Any], tuple[Segment, ...]],
    write: Callable[[Any], list[dict[str, object]]],
    messages: list[dict[str, object]],
) -> None:
    given_in = copy.deepcopy(messages)
    first = read(given_in)
    spoil(first)
    spoilt(write(first))
    spoilt(given_in)
    again = read(messages)
    assert all(one is other for one, other in zip(first, again, strict=True))
    assert write(again) == messages


def test_what_is_said_stays_as_it_was_said() -> None:
    metadata: dict[str, object] = {"tags": ["a"], "anthropic": {"x": {"y": 1}}}
    talk = Transcript([Participant("Ann"), Participant("Bob")])
    talk.append("Ann", [Segment("x", metadata=metadata)])
    before = copy.deepcopy(talk.to_mapping())
    views = {name: copy.deepcopy(talk.view(name).segments) for name in ("Ann", "Bob")}
    spoilt(metadata)
    spoil(talk.entries[0].segments)
    for name, segments in views.items():
        spoil(talk.view(name).segments)
        assert talk.view(name).segments == segments
    assert talk.to_mapping() == before
    assert talk.branch().view("Ann").segments == views["Ann"]


@FEW
@given(st.dictionaries(st.text(max_size=3), VALUES))
def test_what_is_kept_is_equal_to_what_was_given(values: dict[str, object]) -> None:
    kept = Kept.of(values)
    assert kept == values == dict(kept)
    assert Kept.of(kept) is kept
    assert kept == Kept.of(values)
    assert (len(kept), list(kept)) == (len(values), list(values))
    assert pickle.loads(pickle.dumps(kept)) == copy.deepcopy(kept) == values
    for name in values:
        spoilt(kept[name])
        spoilt(kept.get(name))
        assert name in kept
    assert kept == values
    assert "none of them" not in kept
    assert kept.get("none of them", 3) == 3


def test_values_may_hold_themselves_and_come_in_any_depth() -> None:
    ring: list[object] = ["a"]
    ring.append(ring)
    deep: object = {"a": 1}
    for _ in range(20_000):
        deep = [deep]
    kept = Kept.of({"ring": ring, "deep": deep})
    lent = kept["ring"]
    assert lent[1] is lent
    assert lent is not ring
    lent.append("b")
    assert len(kept["ring"]) == 2
    inner = kept["deep"]
    for _ in range(20_000):
        inner = inner[0]
    assert inner == {"a": 1}


def test_content_stays_out_of_its_representation() -> None:
    assert repr(Kept.of({"a": "secret"})) == "Kept(a)"
    with pytest.raises(TypeError, match="unhashable"):
        hash(Kept.of({}))


@pytest.mark.parametrize("read", [from_openai_chat, from_openai_responses, from_anthropic])
def test_a_message_that_holds_itself_is_refused(read: Callable[[Any], object]) -> None:
    circle: dict[str, object] = {}
    circle["more"] = [{"inner": circle}]
    with pytest.raises(FormatError, match="'inner' holds itself"):
        read([{"role": "user", "content": "Hi.", "more": circle}])


def test_what_stands_in_two_places_is_no_circle() -> None:
    twice = {"a": [1]}
    message = {"role": "user", "content": "Hi.", "more": [twice, twice, {"inner": twice}]}
    assert to_openai_chat(from_openai_chat([message])) == [message]


def test_tools_that_change_later_are_not_sent() -> None:
    parameters: dict[str, object] = {}
    tool = {"name": "look", "parameters": parameters}
    participant = Participant("Ann", tools=(tool,))
    view = View.of([Segment("Hi.")], tools=[tool])
    tokens = view.tokens
    parameters["more"] = "word " * 100
    assert participant.tools == view.tools == ({"name": "look", "parameters": {}},)
    assert View.of([Segment("Hi.")], tools=participant.tools).tokens == tokens
