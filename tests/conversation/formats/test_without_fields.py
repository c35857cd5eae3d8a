"""The way out where a format has no place for a field: segments whose originals lack it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import permutations
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context import segment_from_mapping, segment_to_mapping
from orchestrator_context.conversation import Participant, Transcript
from orchestrator_context.conversation.formats import (
    from_anthropic,
    from_openai_chat,
    to_anthropic,
    to_openai_chat,
    without_fields,
)
from orchestrator_context.exceptions import ConfigurationError, FormatError
from orchestrator_context.messages import message_runs
from orchestrator_context.models import Segment
from orchestrator_context.tokens import token_counter
from tests.conversation.formats.nasty import Json
from tests.conversation.formats.talks_of_formats import ODD, READ, SANE, write
from tests.linear import assert_linear

MARK: Json = {"cache_control": {"type": "ephemeral"}}
TEXT: Json = {"type": "text", "text": "Hi."}
NESTED: Json = {
    "type": "tool_result",
    "tool_use_id": "t1",
    "content": [TEXT | MARK, {"type": "search_result", "source": "s", "title": "t"} | MARK],
}
each_format = pytest.mark.parametrize("source", READ)
few = settings(max_examples=40)


def test_a_field_goes_from_parts_messages_and_parts_inside_parts() -> None:
    call: Json = {"type": "tool_use", "id": "t1", "name": "f", "input": {"cache_control": 1}}
    marked: list[Json] = [
        {"role": "user", "content": [TEXT | MARK, TEXT], **MARK},
        {"role": "assistant", "content": [call | MARK]},
        {"role": "user", "content": [NESTED | MARK]},
    ]
    request = to_anthropic(without_fields(from_anthropic(marked), "cache_control"))
    plain = {**NESTED, "content": [TEXT, {"type": "search_result", "source": "s", "title": "t"}]}
    assert request.messages == [
        {"role": "user", "content": [TEXT, TEXT]},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [plain]},
    ]


def test_the_marks_of_a_system_prompt_go_too() -> None:
    marked = from_anthropic([], system=[TEXT | MARK])
    assert to_anthropic(without_fields(marked, "cache_control")).system == [TEXT]


def test_what_a_segment_says_itself_stays() -> None:
    call: Json = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    said: list[Json] = [
        {"role": "assistant", "tool_calls": [call], "content": "Hi."},
        {"role": "tool", "tool_call_id": "c1", "name": "f", "content": [TEXT]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a.org"}}]},
    ]
    names = "role", "type", "content", "text", "name", "arguments", "id", "url", "tool_calls"
    left = without_fields(from_openai_chat(said), *names, "tool_call_id")
    assert json.dumps(to_openai_chat(left)) == json.dumps(said)


def test_a_name_takes_the_author_along() -> None:
    said: list[Json] = [{"role": "user", "name": "bob", "content": [TEXT, TEXT]}]
    parts = without_fields(from_openai_chat(said), "name")
    assert [part.author for part in parts] == ["", ""]
    assert to_openai_chat(parts) == [{"role": "user", "content": [TEXT, TEXT]}]
    assert to_anthropic(parts).messages == [{"role": "user", "content": [TEXT, TEXT]}]
    other = replace(from_openai_chat(said)[0], author="amy")
    assert without_fields([other], "name")[0].author == "amy"


def test_what_is_told_in_words_can_be_left_out() -> None:
    result: Json = {"type": "tool_result", "tool_use_id": "t1", "content": "42", "is_error": True}
    (segment,) = without_fields(from_anthropic([{"role": "user", "content": [result]}]), "is_error")
    (message,) = to_openai_chat([segment])
    assert message["content"] == "42"
    assert "opaque" not in segment.metadata


def test_what_is_paid_for_beside_the_text_goes_with_it() -> None:
    extra: Json = {"reasoning_details": [{"data": "x" * 3_000}]}
    said: list[Json] = [{"role": "assistant", "content": [TEXT, TEXT], **extra}]
    counter = token_counter()
    whole = from_openai_chat(said)
    assert counter.count_messages(whole) > 1_000
    plain = from_openai_chat([{"role": "assistant", "content": [TEXT, TEXT]}])
    left = without_fields(whole, "reasoning_details")
    assert counter.count_messages(left) == counter.count_messages(plain)


def test_what_is_signed_is_still_paid_for() -> None:
    block: Json = {"type": "thinking", "thinking": "", "signature": "s" * 900}
    (signed,) = without_fields(
        from_anthropic([{"role": "assistant", "content": [block | MARK]}]), "cache_control"
    )
    assert signed.metadata["opaque"] == 900
    assert to_anthropic([signed]).messages == [{"role": "assistant", "content": [block]}]


def test_segments_of_no_format_and_of_no_such_field_are_the_same_objects() -> None:
    segments = (
        Segment("a", metadata={"mine": 1}),
        *from_openai_chat([{"role": "user", "content": "b"}]),
    )
    again = without_fields(segments, "nobody's")
    assert all(new is old for new, old in zip(again, segments, strict=True))


def test_participants_take_them() -> None:
    talk = Transcript([Participant("Ann"), Participant("Bob")])
    talk.append(
        "Ann",
        without_fields(
            from_anthropic([{"role": "user", "content": [TEXT | MARK]}]), "cache_control"
        ),
    )
    assert to_openai_chat(talk.view("Ann").messages) == [{"role": "assistant", "content": "Hi."}]


@pytest.mark.parametrize(
    ("segments", "fields", "told"),
    [
        ("Hi.", ("name",), "segments must be a list of segments, not str"),
        ([{"role": "user"}], ("name",), "from_openai_chat and from_anthropic make them"),
        ([], (), 'Name at least one field to leave out, such as "cache_control"'),
        ([], (["name"],), "each of fields must be a str, not list"),
        ([], ("name", " "), "each of fields must not be blank"),
    ],
)
def test_wrong_arguments_are_named(segments: Any, fields: Any, told: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(told)):
        without_fields(segments, *fields)


@pytest.mark.parametrize(("source", "target"), [*permutations(READ, 2)])
@few
@given(data=st.data())
def test_the_way_out_of_an_error_leads_out(source: str, target: str, data: st.DataObject) -> None:
    messages = data.draw(SANE[source](0) | st.lists(ODD[source], min_size=1, max_size=2))
    segments = READ[source](messages)
    told = [(one.content, one.title, one.call_id, one.role, one.kind) for one in segments]
    for _ in range(20):
        try:
            write(target, segments)
        except FormatError as error:
            named = re.search(r"without_fields\(segments, (.*)\)", str(error))
            if named is None:
                return
            names = re.findall(r"'([\w.:+-]*)'", named[1])
            segments = without_fields(segments, *filter(None, names))
            assert told_of(segments) == told or "encrypted_content" in names or "x" in names
        else:
            return
    raise AssertionError("the way out goes in circles")


def told_of(segments: tuple[Segment, ...]) -> list[tuple[str, str, str, str, str]]:
    return [(one.content, one.title, one.call_id, one.role, one.kind) for one in segments]


@each_format
@few
@given(data=st.data())
def test_what_is_left_still_goes_back_where_it_came_from(source: str, data: st.DataObject) -> None:
    messages = data.draw(SANE[source](0))
    segments = READ[source](messages)
    names = data.draw(st.lists(st.sampled_from(["cache_control", "x", "annotations"]), min_size=1))
    left = without_fields(segments, *names)
    assert write(source, left) == bare(messages, frozenset(names))
    assert json.dumps(write(source, segments)) == json.dumps(messages)
    assert len(list(message_runs(left))) == len(messages)
    stored = [segment_from_mapping(segment_to_mapping(one)) for one in left]
    assert json.dumps(write(source, stored)) == json.dumps(write(source, left))
    assert without_fields(left, *names) == left


def bare(value: object, names: frozenset[str]) -> Any:
    """Return messages without these fields, but for those in the arguments of calls."""
    if isinstance(value, list):
        return [bare(one, names) for one in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    return {
        name: one if name in ("input", "arguments", "x") else bare(one, names)
        for name, one in cast("Json", value).items()
        if name not in names
    }


@each_format
@few
@given(data=st.data())
def test_odd_messages_give_segments_or_stay(source: str, data: st.DataObject) -> None:
    segments = READ[source](data.draw(st.lists(ODD[source], max_size=2)))
    names = data.draw(st.lists(st.sampled_from(["x", "cache_control", "text", "id"]), min_size=1))
    left = without_fields(segments, *names)
    assert [(one.id, one.role, one.kind, one.call_id) for one in left] == [
        (one.id, one.role, one.kind, one.call_id) for one in segments
    ]
    assert READ[source](write(source, left)) is not None


def test_time_is_linear() -> None:
    def make(count: int) -> tuple[Segment, ...]:
        around = dict.fromkeys(map(str, range(count)))
        return from_anthropic(
            [{"role": "user", "content": [TEXT | MARK] * count, **MARK, **around}]
        )

    assert_linear(lambda segments: without_fields(segments, "cache_control"), make, small=200)
