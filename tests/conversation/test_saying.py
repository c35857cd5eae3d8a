"""What cannot be sent later is refused when it is said, with what to do about it."""

from __future__ import annotations

import re

import pytest

from orchestrator_context.conversation import Participant, Transcript
from orchestrator_context.conversation.formats import (
    from_openai_chat,
    from_openai_responses,
    to_anthropic,
    to_openai_chat,
    to_openai_responses,
)
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Segment
from tests.conversation.strategies import call, result


def talk() -> Transcript:
    return Transcript([Participant("Ann"), Participant("Bob")])


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        (
            [Segment("Wait."), call("")],
            "content[1].call_id is '', and without it no service takes a tool call: pass "
            "Segment(..., 'assistant', 'tool_call', call_id=...), the id that the model gave the",
        ),
        (
            [call("1"), result("")],
            "content[1].call_id is '', and without it no service takes a tool result: pass "
            "Segment(..., 'tool', 'tool_result', call_id=...)",
        ),
        (
            [call("1", title="")],
            "content[0].title is '', and without it no service takes a tool call: pass "
            "Segment(..., 'assistant', 'tool_call', title=...), the name of the tool",
        ),
        (
            [call("1"), call("2"), call("1")],
            "content[2].call_id is '1', and a call of that id waits for its result still: append "
            "the result first",
        ),
        (["Hello."], "content[0] must be a Segment, not str: content is one text"),
        ([Segment("Hi."), {"role": "user"}], "content[1] must be a Segment, not dict"),
        (7, 'content must be a list of segments, such as [Segment("Hello.")], or a str, not int'),
    ],
)
def test_what_no_service_takes_is_refused_at_the_door(parts: object, told: str) -> None:
    transcript = talk()
    with pytest.raises(ConfigurationError, match=re.escape(told)):
        transcript.append("Ann", parts)  # type: ignore[arg-type]
    assert len(transcript) == 0
    transcript.append("Ann", [call("1")])


def test_a_call_with_the_id_of_one_that_waits_is_refused_until_that_is_answered() -> None:
    transcript = talk()
    transcript.append("Ann", [call("1")])
    transcript.append("Bob", [call("1")])  # another's calls are seen by nobody else
    branch = transcript.branch()
    for one in (transcript, branch, Transcript.from_mapping(transcript.to_mapping())):
        with pytest.raises(ConfigurationError, match="waits for its result still"):
            one.append("Ann", [call("1")])
        one.append("Ann", [result("1"), call("1")])
    branch.append("Ann", [result("1")])
    assert [len(one.view("Ann")) for one in (transcript, branch)] == [3, 4]


def test_calls_as_services_make_them_are_taken() -> None:
    nameless = {"type": "computer_call", "call_id": "c", "action": {"type": "click"}}
    old: list[dict[str, object]] = [
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "42"},
    ]
    transcript = talk()
    transcript.append("Ann", from_openai_responses([nameless]))
    assert to_openai_responses(transcript.view("Ann").messages) == [nameless]
    for _ in range(2):
        transcript.append("Bob", from_openai_chat(old))
    assert to_openai_chat(transcript.view("Bob").messages) == old * 2


def test_what_is_taken_can_be_sent_in_every_format() -> None:
    transcript = talk()
    transcript.append("Ann", [Segment("Let me look."), call("1", "{}"), result("1", "42")])
    messages = transcript.view("Ann").messages
    for told in (to_openai_chat(messages), to_openai_responses(messages)):
        assert "42" in str(told)
    assert "42" in str(to_anthropic(messages).messages)
