"""A conversation carried from one service to another."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.finalize import TemplateRules, finalize_segments
from orchestrator_context.conversation.formats import (
    from_anthropic,
    from_openai_chat,
    from_openai_responses,
    to_anthropic,
    to_openai_chat,
    to_openai_responses,
)
from orchestrator_context.exceptions import FormatError
from orchestrator_context.models import Segment
from tests.conversation.formats.nasty import PNG_URL, Json
from tests.linear import assert_linear

Carry = Callable[[Sequence[Segment]], tuple[Segment, ...]]


def by_anthropic(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    request = to_anthropic(segments)
    return from_anthropic(request.messages, system=request.system)


def by_chat(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    return from_openai_chat(to_openai_chat(segments))


def by_responses(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    return from_openai_responses(to_openai_responses(segments))


WORDS = st.text(min_size=1, max_size=9).filter(str.strip)
BLANK = st.text(" \t\r\n\u00a0\u3000", max_size=4)
IMAGE: Json = {"type": "image_url", "image_url": {"url": PNG_URL}}
LINKED: Json = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}


@st.composite
def rounds(draw: st.DrawFn) -> list[Json]:
    """Draw a conversation of users, calls that are all answered, and answers."""
    messages: list[Json] = (
        [{"role": "system", "content": draw(WORDS)}] if draw(st.booleans()) else []
    )
    for number in range(draw(st.integers(1, 3))):
        parts = [
            {"type": "text", "text": draw(WORDS)},
            *draw(st.lists(st.sampled_from([IMAGE, LINKED]), max_size=2)),
        ]
        messages.append({"role": "user", "content": parts if draw(st.booleans()) else draw(WORDS)})
        ids = [f"call_{number}_{call}" for call in range(draw(st.integers(0, 3)))]
        if ids:
            calls = [
                {
                    "id": name,
                    "type": "function",
                    "function": {
                        "name": "f",
                        "arguments": json.dumps(
                            {"a": draw(WORDS)}, ensure_ascii=False, separators=(",", ":")
                        ),
                    },
                }
                for name in ids
            ]
            text = draw(st.none() | WORDS)
            messages.append({"role": "assistant", "content": text, "tool_calls": calls})
            order = draw(st.permutations(ids))
            messages += [
                {"role": "tool", "tool_call_id": name, "content": draw(WORDS)} for name in order
            ]
        messages.append({"role": "assistant", "content": draw(WORDS)})
    return messages


def told(segments: Sequence[Segment]) -> list[tuple[object, ...]]:
    return [(p.role, p.kind, p.content, p.title, p.call_id, p.media) for p in segments]


@settings(max_examples=40)
@given(messages=rounds(), order=st.permutations([by_anthropic, by_responses, by_chat]))
def test_a_plain_conversation_says_the_same_everywhere(
    messages: list[Json], order: list[Carry]
) -> None:
    segments = from_openai_chat(messages)
    expected = told(segments)
    for carry in order:
        segments = carry(segments)
        assert told(segments) == expected
    assert told(by_chat(segments)) == expected


@settings(max_examples=40)
@given(messages=rounds())
def test_every_service_gets_calls_and_results_where_it_wants_them(messages: list[Json]) -> None:
    segments = from_openai_chat(messages)
    request = to_anthropic(segments)
    assert to_openai_chat(from_anthropic(request.messages, system=request.system)) == plain(
        messages
    )
    assert to_openai_chat(from_openai_responses(to_openai_responses(segments))) == plain(messages)
    for before, message in zip(request.messages, request.messages[1:], strict=False):
        assert ids(message, "tool_result", "tool_use_id") == ids(before, "tool_use", "id")


@given(messages=rounds(), blanks=st.lists(BLANK, min_size=1, max_size=4), data=st.data())
def test_anthropic_gets_no_text_of_white_space_alone(
    messages: list[Json], blanks: list[str], data: st.DataObject
) -> None:
    for blank in blanks:
        message = data.draw(st.sampled_from(messages))
        if message["role"] != "tool":
            message["content"] = (
                blank if data.draw(st.booleans()) else [{"type": "text", "text": blank}]
            )
    request = to_anthropic(from_openai_chat(messages))
    sent: list[Json] = [{"content": request.system or "-"}, *request.messages]
    for message in sent:
        content = message["content"]
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        assert blocks
        assert all(str(block["text"]).strip() for block in blocks if block["type"] == "text")
    for before, message in zip(request.messages, request.messages[1:], strict=False):
        assert ids(message, "tool_result", "tool_use_id") == ids(before, "tool_use", "id")


@given(
    contents=st.lists(st.sampled_from(["", "a"]), min_size=2, max_size=6), name=st.text(max_size=1)
)
def test_empty_messages_do_not_part_what_a_template_joined(contents: list[str], name: str) -> None:
    rules = TemplateRules(alternating=True)
    asked: list[Json] = [{"role": "user", "content": content} for content in contents]
    segments = [replace(part, message=name) for part in from_openai_chat(asked)]
    messages = to_openai_chat(finalize_segments([Segment("before"), *segments], rules))
    assert [message["role"] for message in messages] == ["user"]


def plain(messages: list[Json]) -> list[Json]:
    """Return messages as they are made anew: a text alone is no list."""
    return [
        {**message, "content": message["content"][0]["text"]}
        if isinstance(message["content"], list) and len(message["content"]) == 1
        else message
        for message in messages
    ]


def ids(message: Json, kind: str, key: str) -> set[str]:
    blocks = message["content"] if isinstance(message["content"], list) else []
    return {block[key] for block in blocks if block["type"] == kind}


@pytest.mark.parametrize("write", [to_openai_chat, to_openai_responses])
def test_signed_thinking_and_server_tools_stay_where_they_were_made(
    write: Callable[[Sequence[Segment]], list[Json]],
) -> None:
    blocks: list[Json] = [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        {"type": "new_block"},
    ]
    for segment in from_anthropic([{"role": "assistant", "content": blocks}]):
        with pytest.raises(FormatError, match=f"'{segment.id}'.*leave it out"):
            write([segment])


def test_a_file_kept_by_one_service_is_not_asked_of_another() -> None:
    block: Json = {"type": "image", "source": {"type": "file", "file_id": "file_1"}}
    segments = from_anthropic([{"role": "user", "content": [block]}])
    with pytest.raises(FormatError, match="kept by another service; send it as data"):
        to_openai_responses(segments)
    file: Json = {"type": "input_file", "file_id": "file-1"}
    kept = from_openai_responses([{"role": "user", "content": [file]}])
    assert to_openai_chat(kept) == [
        {"role": "user", "content": [{"type": "file", "file": {"file_id": "file-1"}}]}
    ]


def test_results_come_before_the_words_of_the_user() -> None:
    blocks: list[Json] = [
        {"type": "text", "text": "hurry"},
        {"type": "tool_result", "tool_use_id": "t1", "content": "42"},
    ]
    assert [
        m["role"] for m in to_openai_chat(from_anthropic([{"role": "user", "content": blocks}]))
    ] == [
        "tool",
        "user",
    ]


def test_time_is_linear() -> None:
    def make(count: int) -> list[Json]:
        question: Json = {"role": "user", "content": [{"type": "text", "text": "a"}] * count}
        answer: Json = {"role": "assistant", "content": "b"}
        return [question, *[answer] * count]

    def run(messages: list[Json]) -> None:
        assert to_openai_chat(from_openai_chat(messages)) == messages

    assert_linear(run, make, small=300)
