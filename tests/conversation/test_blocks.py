from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation import Participant, Transcript, View, compact_history
from orchestrator_context.conversation.blocks import NO_RESULT
from orchestrator_context.conversation.formats import (
    from_anthropic,
    from_openai_chat,
    from_openai_responses,
    to_anthropic,
    to_openai_chat,
)
from orchestrator_context.conversation.grouping import Grouper, group, repaired
from orchestrator_context.models import Budget, Segment
from tests.conversation.strategies import assistant, call, named, result, system, user
from tests.linear import assert_linear

IDS = ("a", "b", "c")


@st.composite
def interleavings(draw: st.DrawFn) -> tuple[Segment, ...]:
    """A conversation in which calls, results and all else stand anyhow, each with its own text."""
    kinds = draw(st.lists(st.sampled_from(("user", "assistant", "call", "result")), max_size=14))
    segments: list[Segment] = [user("opening")]
    for number, kind in enumerate(kinds):
        text, message = f"text {number}.", draw(st.sampled_from(("", "", "m", "n")))
        name = draw(st.sampled_from(IDS))
        made = {
            "user": user(text),
            "assistant": assistant(text),
            "call": call(name, f'{{"q": "{text}"}}'),
            "result": result(name, text),
        }[kind]
        segments.append(replace(made, message=message if kind in ("assistant", "call") else ""))
    return named(segments)


def check_chat(messages: list[dict[str, Any]]) -> None:
    """Check that every message with calls is followed by a result of each, and by none else."""
    owed: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] in owed
            owed.remove(message["tool_call_id"])
            continue
        assert owed == []
        owed = [one["id"] for one in message.get("tool_calls") or ()]
    assert not owed or messages[-1]["role"] in ("assistant", "tool")


def check_anthropic(messages: list[dict[str, Any]]) -> None:
    """Check the same where neighbouring messages of one role are one, as the service has it."""
    owed: list[str] = []
    role = ""
    blocks: list[tuple[str, dict[str, Any]]] = []
    for message in messages:
        content = message["content"]
        parts = [{"type": "text"}] if isinstance(content, str) else content
        blocks += [(message["role"], part) for part in parts]
    for said_by, part in blocks:
        if part["type"] == "tool_result":
            assert part["tool_use_id"] in owed
            owed.remove(part["tool_use_id"])
        elif said_by == "user" or role == "user":
            assert owed == []
        if part["type"] == "tool_use":
            owed.append(part["id"])
        role = said_by


@given(interleavings())
@settings(deadline=None, max_examples=300)
def test_every_call_is_followed_by_its_results_and_nothing_is_lost(
    segments: tuple[Segment, ...],
) -> None:
    sent = repaired(segments)
    check_chat(to_openai_chat(sent))
    check_anthropic(to_anthropic(sent).messages)
    orphans = {segments[at].id for at in group(segments).orphans}
    assert Counter(one.id for one in sent if one.id) == Counter(
        one.id for one in segments if one.id not in orphans
    )
    for one in segments:
        assert one.id in orphans or any(one.content in other.content for other in sent)
    assert [
        one.id for one in sent if one.kind != "tool_result" and one.id in _others(segments)
    ] == [one.id for one in segments if one.id in _others(segments)]
    assert repaired(sent) == sent


def _others(segments: tuple[Segment, ...]) -> set[str]:
    return {one.id for one in segments if one.kind != "tool_result"}


@given(interleavings())
@settings(deadline=None)
def test_what_is_said_to_be_in_order_is_sent_as_it_stands(segments: tuple[Segment, ...]) -> None:
    for length in range(len(segments) + 1):
        grouper = Grouper()
        for segment in segments[:length]:
            grouper.add(segment)
        sent = repaired(segments[:length])
        if grouper.in_order and not grouper.dead():
            assert sent == segments[:length]
        view = View.of(segments[:length])
        compaction = compact_history(segments[:length], Budget(10_000))
        assert compaction.segments == view.messages == sent
        assert compaction.report.tokens == view.counter.count_messages(sent)
        assert compaction.report.late == len(grouper.blocks.late)


ASK, LATER = user("q"), user("interrupt")


class TestPlaces:
    def test_a_late_result_moves_up_to_its_call(self) -> None:
        segments = (ASK, call("a"), LATER, assistant("so"), result("a"), user("go"))
        assert repaired(segments) == (
            ASK,
            call("a"),
            result("a"),
            LATER,
            assistant("so"),
            user("go"),
        )

    def test_it_stands_behind_the_other_results_of_its_message(self) -> None:
        calls = [call(name, message="m") for name in "abc"]
        segments = [*calls, result("c"), LATER, result("a"), assistant("so"), result("b")]
        found = [*calls, result("c"), result("a"), result("b"), LATER, assistant("so")]
        assert list(repaired(segments)) == found

    def test_it_goes_before_the_text_that_shares_its_message(self) -> None:
        text = user("beside", message="m")
        answer = result("a", message="m")
        assert repaired([call("a"), text, answer]) == (call("a"), answer, text)

    def test_a_second_result_becomes_text_behind_the_others(self) -> None:
        segments = [call("a"), call("b"), result("a", "1"), result("a", "2"), result("b")]
        sent = repaired(segments)
        assert [(one.role, one.content) for one in sent[2:]] == [
            ("tool", "1"),
            ("tool", "ok"),
            ("user", "[result of search]\n2"),
        ]

    def test_a_real_result_takes_the_place_of_one_that_says_there_is_none(self) -> None:
        before = [call("a"), result("a", NO_RESULT), LATER]
        assert repaired([*before, result("a", "42")]) == (call("a"), result("a", "42"), LATER)
        again = [call("a"), result("a", "42"), result("a", NO_RESULT), LATER]
        assert repaired(again) == (call("a"), result("a", "42"), LATER)

    def test_a_call_that_waits_gets_a_result_once_something_stands_behind_it(self) -> None:
        assert repaired([ASK, call("a")]) == (ASK, call("a"))
        sent = repaired([ASK, call("a"), LATER])
        assert [one.content for one in sent] == ["q", "{}", NO_RESULT, "interrupt"]

    def test_calls_of_two_chat_messages_are_answered_one_by_one(self) -> None:
        def said(name: str) -> dict[str, object]:
            function = {"name": "f", "arguments": "{}"}
            calls = [{"id": name, "type": "function", "function": function}]
            return {"role": "assistant", "content": None, "tool_calls": calls}

        results = [{"role": "tool", "tool_call_id": name, "content": name} for name in "ab"]
        history = from_openai_chat([said("a"), said("b"), *results])
        assert to_openai_chat(repaired(history)) == [said("a"), results[0], said("b"), results[1]]


class TestInOrder:
    def test_what_services_gave_stays_the_same_object_by_object(self) -> None:
        thought = {"type": "thinking", "thinking": "t", "signature": "s"}
        use = [{"type": "tool_use", "id": name, "name": "f", "input": {}} for name in "ab"]
        server = [
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
            {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
        ]
        answers = [{"type": "tool_result", "tool_use_id": name, "content": "r"} for name in "ab"]
        text = {"type": "text", "text": "t"}
        claude = from_anthropic(
            [
                {"role": "user", "content": "q"},
                {"role": "assistant", "content": [text, *server, text, thought, *use]},
                {"role": "user", "content": [*answers, text]},
            ]
        )
        items: list[dict[str, object]] = [{"role": "user", "content": "q"}]
        for name in "ab":
            items += [
                {"type": "reasoning", "id": f"r{name}", "summary": [], "encrypted_content": "x"},
                {"type": "function_call", "call_id": name, "name": "f", "arguments": "{}"},
            ]
        items += [{"type": "function_call_output", "call_id": one, "output": "r"} for one in "ab"]
        for history in (claude, from_openai_responses(items)):
            sent = repaired(history)
            assert all(one is other for one, other in zip(sent, history, strict=True))


def test_what_a_participant_is_told_while_its_tool_works_can_be_sent() -> None:
    talk = Transcript([Participant("Ann"), Participant("Bob")])
    talk.append("Ann", [call("c1")])
    talk.append("Bob", "Well?")
    check_chat(to_openai_chat(talk.view("Ann").messages))
    talk.append("Ann", [result("c1", "42")])
    messages = to_openai_chat(talk.view("Ann").messages)
    assert [one["role"] for one in messages] == ["assistant", "tool", "user"]
    assert messages[1]["content"] == "42"


@pytest.mark.parametrize("kind", ["turn", "document", "custom", "media", "tool_result"])
def test_what_has_the_role_of_a_tool_is_a_result_everywhere(kind: str) -> None:
    secret = Segment("secret", "tool", kind, call_id="c1")  # type: ignore[arg-type]
    assert group([call("c1"), user("x"), secret]).groups == ((0, 2), (1,))
    assert [one.content for one in repaired([call("c1"), secret])] == ["{}", "secret"]
    talk = Transcript([Participant("Ann"), Participant("Bob")])
    talk.append("Ann", [call("c1")])
    talk.append("Ann", [secret])
    assert talk.view("Bob").segments == ()
    _, answer = to_openai_chat(talk.view("Ann").messages)
    assert answer == {"role": "tool", "tool_call_id": "c1", "content": "secret"}


def test_order_is_kept_in_linear_time() -> None:
    def make(count: int) -> list[Segment]:
        calls = [call(f"c{at}") for at in range(count)]
        late = [result(f"c{at}") for at in reversed(range(count))]
        return [system(), *calls, user("x"), *late, *late]

    assert_linear(repaired, make, small=1_000)
