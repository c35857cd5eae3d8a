from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context import (
    Budget,
    ConfigurationError,
    ContextRequest,
    Document,
    Segment,
    SelectOptions,
    UnknownWindowError,
    token_counter,
)

PUMP = Document("pump.md", "The pump stops at 9 bar.")
SYSTEM = Segment("Be brief.", "system", "system")
ASKED = Segment("When does the pump stop?")

documents = st.builds(
    Document,
    path=st.text(min_size=1),
    content=st.text(max_size=40),
    pinned=st.booleans(),
    language=st.none() | st.just("python"),
    extract=st.text(max_size=10),
)


@settings(max_examples=60, deadline=None)
@given(
    given=st.lists(documents, max_size=4, unique_by=lambda one: one.path),
    query=st.text(max_size=20),
    room=st.integers(1, 400),
    placement=st.sampled_from(["user", "system"]),
    strategy=st.sampled_from(["auto", "whole", "ranked", "tiered", "packed"]),
)
def test_a_request_travels_as_json_and_keeps_to_its_budget(
    given: list[Document], query: str, room: int, placement: str, strategy: str
) -> None:
    options = SelectOptions(strategy=strategy)  # type: ignore[arg-type]
    request = ContextRequest(tuple(given), query, Budget(room), options, placement)  # type: ignore[arg-type]
    again = ContextRequest.from_mapping(json.loads(json.dumps(request.to_mapping())))
    assert again == request
    reduction = again.reduction()
    assert token_counter().count(reduction.text) <= room
    assert reduction.text == request.reduction().text


def test_it_stands_in_front_of_the_newest_user_turn() -> None:
    messages = [SYSTEM, Segment("Hello"), Segment("Hi", "assistant"), ASKED]
    placed = ContextRequest((PUMP,), ASKED.content, Budget(200)).placed(messages)
    assert [one.kind for one in placed] == ["system", "turn", "turn", "document", "turn"]
    assert placed[3].role == "user"
    assert placed[3].locked
    assert PUMP.content in placed[3].content
    assert [one for one in placed if one.kind != "document"] == messages


def test_it_stands_behind_the_system_prompt() -> None:
    request = ContextRequest((PUMP,), ASKED.content, Budget(200), placement="system")
    assert [one.role for one in request.placed([SYSTEM, ASKED])] == ["system", "system", "user"]
    assert [one.role for one in request.placed([ASKED])] == ["system", "user"]
    greeted = [SYSTEM, Segment("Hi", "assistant"), ASKED]
    assert [one.kind for one in request.placed(greeted)] == ["system", "document", "turn", "turn"]


def test_nothing_is_put_in_where_nothing_fits() -> None:
    for tokens in (1, 12):  # the second has room for an envelope
        assert ContextRequest((PUMP,), "pump", Budget(tokens)).placed([ASKED]) == (ASKED,)
    assert ContextRequest((), "pump", Budget(100)).placed([ASKED]) == (ASKED,)


def test_an_unknown_window_is_refused_before_anything_is_read() -> None:
    with pytest.raises(UnknownWindowError):
        ContextRequest((PUMP,), "pump", Budget())


def test_what_is_too_much_for_a_request_is_refused() -> None:
    many = tuple(Document(f"{number}.md", "") for number in range(1_001))
    with pytest.raises(ConfigurationError, match="1001"):
        ContextRequest(many, "", Budget(100))
    with pytest.raises(ConfigurationError, match="distill"):
        ContextRequest((Document("a", "a" * 6_000_000),), "", Budget(100))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"placement": "assistant"}, "placement"),
        ({"query": 5}, "query"),
        ({"documents": "pump.md"}, "documents"),
        ({"documents": [{"path": "a"}]}, "path and content"),
        ({"documents": [{"path": "a", "content": "b", "colour": "red"}]}, "nothing else"),
        ({"documents": [{"path": 3, "content": "b"}]}, "path"),
        ({"budget": {"max_tokens": 0}}, "max_tokens"),
        ({"options": {"strategy": "distill"}}, "strategy"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_field_that_cannot_be_used_is_named(change: dict[str, object], message: str) -> None:
    mapping = ContextRequest((PUMP,), "pump", Budget(100)).to_mapping() | change
    with pytest.raises(ConfigurationError, match=message):
        ContextRequest.from_mapping(mapping)


def test_no_repr_shows_content() -> None:
    assert "9 bar" not in repr(ContextRequest((PUMP,), "when at 9 bar?", Budget(100)))
