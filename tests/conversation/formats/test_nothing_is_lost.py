"""A conversation of one format said in another: all of it arrives, or an error says why not."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import cast

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from orchestrator_context.exceptions import FormatError
from orchestrator_context.models import Segment
from tests.conversation.formats.nasty import Json
from tests.conversation.formats.talks_of_formats import IDLE, MEANT, ODD, READ, SANE, read, write

pairs = pytest.mark.parametrize(("source", "target"), [*permutations(READ, 2)])
many = settings(max_examples=60, suppress_health_check=list(HealthCheck))


@pairs
@many
@given(data=st.data())
def test_everything_arrives_or_an_error_says_what_does_not(
    source: str, target: str, data: st.DataObject
) -> None:
    rounds = [data.draw(SANE[source](number)) for number in range(data.draw(st.integers(1, 2)))]
    check([message for one in rounds for message in one], source, target)


@pairs
@many
@given(data=st.data())
def test_so_it_is_with_odd_messages(source: str, target: str, data: st.DataObject) -> None:
    check(data.draw(st.lists(ODD[source], min_size=1, max_size=2)), source, target)


def check(messages: list[Json], source: str, target: str) -> None:
    segments = READ[source](messages)
    try:
        written = write(target, segments)
    except FormatError as error:
        event("refused: " + str(error).partition(": ")[2][:30])
        return
    event("said")
    back = read(target, written)
    plain = "\n".join(one.content for one in back).replace("\\", "")
    for name, value in meant(messages):
        assert json.dumps(name) in plain, f"{name} is lost: {value!r}"
    assert media_of(segments) == media_of(back)
    for one in segments:
        kept = [other for other in back if other.call_id and same_id(one.call_id, other.call_id)]
        if one.kind == "tool_call":
            calls = [other for other in kept if other.kind == "tool_call"]
            assert (one.title, arguments(one)) in [(call.title, arguments(call)) for call in calls]
            continue
        blank = target == "anthropic" and not one.content.strip()  # which the service refuses
        assert blank or one.content.replace("\\", "") in plain
        if one.kind == "document" or (one.kind == "media" and one.title):
            assert one.title in plain or one.title in {other.title for other in back}
        if one.kind == "tool_result":
            assert any(other.kind == "tool_result" for other in kept)
    names = {one.author for one in segments if one.author and one.role != "assistant"}
    assert all(f"{name}: " in plain or name in {one.author for one in back} for name in names)
    blocks = [part for message in messages for part in parts_of(message)]
    told = [one for one in blocks if one.get("is_error") is True and "tool_use_id" in one]
    assert sum(one.content.startswith("Error: ") for one in back) >= len(told)
    for part in blocks:
        context = part.get("context")
        if part.get("type") == "document" and isinstance(context, str) and context:
            assert "[context of the document] " in plain


def same_id(one: str, other: str) -> bool:
    return one == other or other.startswith(re.sub(r"[^a-zA-Z0-9_-]", "_", one) + "_")


def arguments(call: Segment) -> object:
    return json.loads(call.content or "{}")


def media_of(segments: Sequence[Segment]) -> Counter[tuple[str, str, str]]:
    return Counter(
        (one.type, one.data or one.url, one.detail) for part in segments for one in part.media
    )


def parts_of(message: Json) -> list[Json]:
    content = message.get("content")
    return [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []


def meant(value: object, *, inside: bool = False) -> Iterator[tuple[str, object]]:
    """Yield the fields that mean something and are put in by nobody but these tests."""
    if isinstance(value, list):
        for one in cast("list[object]", value):
            yield from meant(one)
    elif isinstance(value, dict):
        box = cast("Json", value)
        for name, one in box.items():
            if name in MEANT and not empty(one):
                yield name, one
            elif name not in ("input", "arguments", *IDLE, *MEANT):
                yield from meant(one)


def empty(value: object) -> bool:
    if isinstance(value, dict | list):
        box = cast("dict[str, object] | list[object]", value)
        return all(map(empty, box.values() if isinstance(box, dict) else box))
    return value is None or value == ""
