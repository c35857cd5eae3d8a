"""What holds for every message, however odd, in each of the formats."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.formats import (
    from_anthropic,
    from_openai_chat,
    from_openai_responses,
    to_anthropic,
    to_openai_chat,
    to_openai_responses,
)
from orchestrator_context.exceptions import FormatError
from orchestrator_context.messages import message_runs
from orchestrator_context.models import Segment
from tests.conversation.formats.nasty import (
    ANTHROPIC_MESSAGE,
    CHAT_MESSAGE,
    RESPONSES_ITEM,
    SYSTEM,
    Json,
    subset,
)

Reader = Callable[[Sequence[Json]], tuple[Segment, ...]]
Writer = Callable[[Sequence[Segment]], list[Json]]


few = settings(max_examples=40)


def anthropic_messages(segments: Sequence[Segment]) -> list[Json]:
    return to_anthropic(segments).messages


@dataclass(frozen=True)
class Format:
    """One of the formats; its message strategy has a representation too long to show."""

    read: Reader
    write: Writer
    message: st.SearchStrategy[Json] = field(repr=False)

    def messages(self, data: st.DataObject, least: int = 0, most: int = 3) -> list[Json]:
        return data.draw(st.lists(self.message, min_size=least, max_size=most))


FORMATS = {
    "openai_chat": Format(from_openai_chat, to_openai_chat, CHAT_MESSAGE),
    "openai_responses": Format(from_openai_responses, to_openai_responses, RESPONSES_ITEM),
    "anthropic": Format(from_anthropic, anthropic_messages, ANTHROPIC_MESSAGE),
}
each_format = pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)


@each_format
@few
@given(data=st.data())
def test_a_round_trip_changes_no_byte(form: Format, data: st.DataObject) -> None:
    messages = form.messages(data)
    before = copy.deepcopy(messages)
    again = form.write(form.read(messages))
    assert messages == before
    assert again == messages
    assert json.dumps(again) == json.dumps(messages)


@few
@given(system=SYSTEM, messages=st.lists(ANTHROPIC_MESSAGE, max_size=2))
def test_a_system_prompt_comes_back(system: str | list[Json] | None, messages: list[Json]) -> None:
    request = to_anthropic(from_anthropic(messages, system=system))
    assert json.dumps([request.system, request.messages]) == json.dumps([system, messages])


@each_format
@few
@given(data=st.data())
def test_ids_are_unique_and_stay_when_messages_follow(form: Format, data: st.DataObject) -> None:
    messages = form.messages(data)
    segments = form.read(messages)
    ids = [segment.id for segment in segments]
    assert len(set(ids)) == len(ids)
    shorter = form.read(messages[: data.draw(st.integers(0, len(messages)))])
    assert segments[: len(shorter)] == shorter
    assert len(list(message_runs(segments))) == len(messages)


@each_format
@few
@given(data=st.data())
def test_what_is_dropped_leaves_and_all_else_stays(form: Format, data: st.DataObject) -> None:
    messages = form.messages(data)
    segments = form.read(messages)
    kept = subset(data, segments)
    written = form.write(kept)
    whole = {run[0].message for run in message_runs(segments) if set_of(run) <= set_of(kept)}
    expected = [messages[int(key[1:])] for key in (run[0].message for run in message_runs(kept))]
    assert len(written) == len(expected)
    for run, new, old in zip(message_runs(kept), written, expected, strict=True):
        assert new == old if run[0].message in whole else set(new) <= set(old)
        assert new.get("content") != [] or old.get("content") == []
        assert new.get("tool_calls") != [] or old.get("tool_calls") == []
    assert [part.content for part in form.read(written)] == [part.content for part in kept]


def set_of(segments: Sequence[Segment]) -> set[str]:
    return {segment.id for segment in segments}


@each_format
@few
@given(data=st.data())
def test_a_changed_text_stands_where_the_old_one_stood(form: Format, data: st.DataObject) -> None:
    messages = form.messages(data, 1)
    segments = list(form.read(messages))
    at = data.draw(st.integers(0, len(segments) - 1))
    new = '{"elided":9}'
    edited = replace(segments[at], content=new)
    if edited.kind == "media":
        edited = replace(edited, kind="turn", media=())
    changed = [*segments[:at], edited, *segments[at + 1 :]]
    if segments[at].locked:
        with pytest.raises(FormatError, match=f"'{segments[at].id}'"):
            form.write(changed)
        return
    again = form.read(form.write(changed))
    assert [part.content for part in again] == [part.content for part in changed]
    if segments[at].kind != "media":
        assert [part.kind for part in again] == [part.kind for part in changed]
    assert [part.call_id for part in again] == [part.call_id for part in changed]


@each_format
@few
@given(data=st.data())
def test_what_a_caller_changes_in_the_messages_does_not_reach_the_segments(
    form: Format, data: st.DataObject
) -> None:
    messages = form.messages(data, 1)
    segments = form.read(messages)
    expected = json.dumps(messages)
    for sent in (messages, form.write(segments), form.write(segments)):
        spoil(sent)
    assert json.dumps(form.write(segments)) == expected


def spoil(value: object) -> None:
    if isinstance(value, dict):
        box = cast("dict[str, object]", value)
        for item in list(box.values()):
            spoil(item)
        box["spoilt"] = True
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            spoil(item)


@each_format
@few
@given(data=st.data())
def test_segments_can_be_stored_as_json(form: Format, data: st.DataObject) -> None:
    messages = form.messages(data)
    segments = form.read(messages)
    stored = [
        replace(part, metadata=json.loads(json.dumps(dict(part.metadata)))) for part in segments
    ]
    assert json.dumps(form.write(stored)) == json.dumps(messages)


@each_format
@few
@given(data=st.data())
def test_two_conversations_in_a_row_do_not_run_together(form: Format, data: st.DataObject) -> None:
    messages = form.messages(data, 1)
    segments = form.read(messages)
    assert form.write([*segments, *segments]) == messages * 2


WORDS = st.text("ab \n水", max_size=6)
NATIVE = st.builds(
    Segment,
    content=WORDS | st.just("{}"),
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    kind=st.sampled_from(["turn", "summary", "tool_call", "tool_result", "memory", "document"]),
    id=st.sampled_from(["", "n1", "n2"]),
    title=st.sampled_from(["", "tool"]),
    author=st.sampled_from(["", "bob", "Dr. Bob"]),
    message=st.sampled_from(["", "m0", "m1"]),
    call_id=st.sampled_from(["", "c1", "c|1"]),
)


@each_format
@few
@given(data=st.data())
def test_segments_of_any_origin_give_messages_or_a_typed_error(
    form: Format, data: st.DataObject
) -> None:
    pool = data.draw(st.lists(NATIVE, max_size=4))
    for other in (form, *FORMATS.values()):
        pool += other.read(other.messages(data, 0, 2))
    try:
        written = form.write(data.draw(st.permutations(pool)))
    except FormatError:
        return
    form.read(written)


@each_format
@few
@given(data=st.data())
def test_anything_at_all_gives_segments_or_a_typed_error(form: Format, data: st.DataObject) -> None:
    keys = st.sampled_from(
        ["role", "content", "type", "tool_calls", "function", "output", "summary"]
    )
    values = st.recursive(
        st.none()
        | st.integers()
        | st.sampled_from(["user", "tool", "reasoning", "text", "function"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
        max_leaves=10,
    )
    messages = data.draw(values)
    try:
        segments = form.read(cast("list[Json]", messages))
    except FormatError:
        return
    assert form.write(segments) == messages


def test_parts_inside_parts_without_end_are_refused() -> None:
    block: Json = {"type": "text", "text": "a"}
    for _ in range(3_000):
        block = {"type": "tool_result", "tool_use_id": "t1", "content": [block]}
    with pytest.raises(FormatError, match=r"messages\[0\] holds parts inside parts too deeply"):
        from_anthropic([{"role": "user", "content": [block]}])
    with pytest.raises(FormatError, match="system holds parts inside parts too deeply"):
        from_anthropic([], system=[block])
