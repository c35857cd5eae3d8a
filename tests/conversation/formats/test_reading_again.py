"""A conversation that is read again is read on from where it ended, and never told wrongly."""

from __future__ import annotations

import copy
import gc
import json
import random
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from itertools import chain
from operator import is_
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation import compact_history
from orchestrator_context.conversation.formats import (
    from_anthropic,
    from_openai_chat,
    from_openai_responses,
    to_anthropic,
    to_openai_chat,
)
from orchestrator_context.exceptions import FormatError
from orchestrator_context.models import Budget, Segment
from orchestrator_context.tokens.counter import Counter
from tests.conversation.formats.nasty import Json
from tests.conversation.formats.test_format_promises import FORMATS, Format, each_format


def talk(name: str) -> list[Json]:
    """Return a question, a call without an id, its result, and an answer, with a name in them."""
    function = {"name": "read", "arguments": json.dumps({"station": name, "hours": [1, 2]})}
    return [
        {"role": "user", "content": f"How high is {name}?"},
        {"role": "assistant", "content": None, "tool_calls": [{"function": function}]},
        {"role": "tool", "content": "3 m"},
        {"role": "assistant", "content": [{"type": "text", "text": f"{name}: 3 m"}], "n": 1},
    ]


def anew(messages: list[Json]) -> tuple[Segment, ...]:
    """Read messages as nobody did before, and give the segments their names back."""
    first: Json = {"role": "user", "content": f"never said before {random.random()}"}
    return from_openai_chat([first, *copy.deepcopy(messages)])[1:]


def said(segments: tuple[Segment, ...]) -> list[object]:
    return [(one.content, one.role, one.kind, one.title, one.media) for one in segments]


@each_format
@settings(max_examples=40)
@given(data=st.data())
def test_a_list_that_grows_reads_as_one_that_is_whole(form: Format, data: st.DataObject) -> None:
    messages = form.messages(data, least=1) * 8
    grown = [form.read(messages[:length]) for length in range(len(messages) + 1)]
    for spoiled in FORMATS.values():
        for number in range(8):  # conversations of others, so that ours is forgotten
            spoiled.read([{"role": "user", "content": f"other {number}"}] * 8)
    whole = form.read(copy.deepcopy(messages))
    assert [one.metadata for one in grown[-1]] == [one.metadata for one in whole]
    assert grown[-1] == whole
    assert all(whole[: len(part)] == part for part in grown)
    assert json.dumps(form.write(grown[-1])) == json.dumps(messages)


def test_messages_that_did_not_change_give_the_same_segments() -> None:
    messages = [*talk("S-0"), *talk("S-1")]
    before = from_openai_chat(messages)
    after = from_openai_chat([*copy.deepcopy(messages), *talk("S-2")])
    assert all(one is other for one, other in zip(before, after, strict=False))
    assert after[6].title == "read"
    assert after[10].call_id == after[9].call_id == "call_m9"


CHANGES: dict[str, Callable[[Any], object]] = {
    "text": lambda some: some[0].update(content="How low?"),
    "text of a part": lambda some: some[3]["content"][0].update(text="4 m"),
    "arguments": lambda some: some[1]["tool_calls"][0]["function"].update(arguments="{}"),
    "type of a number": lambda some: some[3].update(n=True),
    "order of fields": lambda some: some[2].update(role=some[2].pop("role")),
    "order of fields inside": lambda some: some[3]["content"][0].update(
        type=some[3]["content"][0].pop("type")
    ),
    "message that is gone": lambda some: some.pop(0),
    "message in between": lambda some: some.insert(1, {"role": "user", "content": "And?"}),
    "role": lambda some: some[0].update(role="system"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_changed_in_place_is_read_anew(change: Callable[[Any], object]) -> None:
    messages = [*talk("S-1"), *talk("S-2")]
    from_openai_chat(messages)
    change(messages)
    segments = from_openai_chat(messages)
    assert said(segments) == said(anew(messages))
    assert json.dumps(to_openai_chat(segments)) == json.dumps(messages)


def test_conversations_with_one_beginning_go_their_own_ways() -> None:
    start, ways = [*talk("S-1"), *talk("S-2")], [talk(f"S-{number}") for number in range(20)]
    for number, way in chain(enumerate(ways), enumerate(ways)):
        messages = [*start, *way[: 1 + number % 4]]
        assert said(from_openai_chat(messages)) == said(anew(messages))


def test_a_message_that_is_refused_spoils_nothing() -> None:
    messages = [*talk("S-0"), *talk("S-1")]
    before = from_openai_chat(messages)
    with pytest.raises(FormatError, match=r"messages\[9\]"):
        from_openai_chat([*messages, *talk("S-2")[:1], {"role": "nobody"}])
    assert from_openai_chat(messages) == before
    assert said(from_openai_chat([*messages, *talk("S-3")])) == said(anew(messages + talk("S-3")))


class Touchy:
    """Refuses to be compared."""

    def __eq__(self, other: object) -> bool:
        raise ValueError("ambiguous")

    __hash__ = object.__hash__


def test_what_is_no_plain_data_is_read_each_time() -> None:
    plain = [*talk("S-8"), *talk("S-9")]
    assert from_openai_chat(plain)[0] is from_openai_chat(plain)[0]
    messages: list[Json] = [{"role": "user", "content": "Hello", "extra": Touchy()}, *plain]
    assert from_openai_chat(messages)[0] is not from_openai_chat(messages)[0]
    messages[0]["extra"] = Touchy()
    assert from_openai_chat(messages)[0].content == "Hello"


BLOCK: Json = {"type": "text", "text": "Be brief.", "n": 1}
TURNS: list[Json] = [{"role": "user", "content": f"Turn {number}"} for number in range(10)]


@pytest.mark.parametrize("system", ["Be brief.", [BLOCK], (BLOCK, BLOCK)])
def test_a_system_prompt_that_did_not_change_gives_the_same_segments(system: Any) -> None:
    others: Any
    for others in ([], ["another"], [[BLOCK], [], "another"]):
        before = from_anthropic(TURNS, system=system)
        for other in others:
            from_anthropic(TURNS, system=other)
        after = from_anthropic(TURNS, system=copy.deepcopy(system))
        assert all(map(is_, before, after))
        assert len(after) == len(before)


def test_a_system_prompt_that_changed_is_read_anew_and_the_messages_are_not() -> None:
    system = [copy.deepcopy(BLOCK)]
    messages = from_anthropic(TURNS, system=system)[1:]
    system[0]["text"] = "Be kind."
    other: list[Any] = ["Be long.", [{**BLOCK, "n": True}], [dict(reversed(BLOCK.items()))], []]
    for changed in (system, *other, system, [BLOCK, BLOCK]):
        segments = from_anthropic(TURNS, system=changed)
        assert json.dumps(to_anthropic(segments).system) == json.dumps(changed)
        assert all(map(is_, segments[-len(TURNS) :], messages))
    assert from_anthropic(TURNS) == messages
    with pytest.raises(FormatError, match="system"):
        from_anthropic(TURNS, system=3)  # type: ignore[arg-type]


def test_a_system_prompt_that_is_no_plain_data_is_read_each_time() -> None:
    system = [{**BLOCK, "extra": Fraction(1)}]
    before = from_anthropic(TURNS, system=system)
    assert from_anthropic(TURNS, system=system)[0] is not before[0]
    assert from_anthropic(TURNS, system=system)[1] is before[1]


def test_a_history_with_a_system_prompt_is_counted_once() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    counter = Counter("length", exact=True, function=count, own=count)
    for length in (10, 11):
        counted.clear()
        segments = from_anthropic([*TURNS, *TURNS][:length], system="Be brief.")
        compact_history(segments, Budget(10_000), counter=counter)
        assert (TURNS[3]["content"] in counted) == (length == 10)


LARGE: dict[str, Callable[[str], Json]] = {
    "opaque part": lambda text: {"type": "reasoning", "summary": [], "encrypted_content": text},
    "unknown field": lambda text: {"role": "user", "content": "Hello", "of mine": text},
    "unknown item": lambda text: {"type": "new", "id": "n", "data": [{"deep": text}]},
    "key": lambda text: {"role": "user", "content": "Hello", text: 1},
    "text": lambda text: {"role": "user", "content": text},
    "part": lambda text: {"role": "user", "content": [{"type": "input_text", "text": text}]},
}


def held_of(read: Callable[[], object]) -> int:
    """Return how many bytes more are in memory after `read`, whose result is let go."""
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        read()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("make", LARGE.values(), ids=LARGE)
def test_what_is_remembered_keeps_to_its_bound(make: Callable[[str], Json]) -> None:
    def read() -> None:
        for number in range(6):
            from_openai_responses([make(f"{number}.{one}" + "x" * 500_000) for one in range(10)])

    assert held_of(read) < 17_000_000


def test_a_conversation_within_the_bound_is_remembered_whatever_it_holds() -> None:
    for make in LARGE.values():
        items = [make(f"{number}" + "x" * 500_000) for number in range(10)]
        before = from_openai_responses(items)
        assert all(map(is_, before, from_openai_responses(items)))


def test_a_system_prompt_counts_too() -> None:
    def read() -> None:
        for number in range(6):
            from_anthropic([*TURNS, talk(f"{number}")[0]], system="x" * 5_000_000 + f"{number}")

    assert held_of(read) < 17_000_000
