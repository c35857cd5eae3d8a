from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.conversation import Participant, TemplateRules, Transcript
from orchestrator_context.conversation.digest import ExtractiveSummarizer
from orchestrator_context.conversation.recipe import segment_from_mapping, segment_to_mapping
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import KINDS, ROLES, Budget, Media, Segment
from orchestrator_context.policies.chain import Chain
from orchestrator_context.policies.drop_oldest import DropOldest
from orchestrator_context.policies.sliding_window import SlidingWindow
from orchestrator_context.policies.summarize import Summarize
from tests.conversation.talks import (
    FEW,
    JSON,
    MEDIA,
    NAMES,
    TEXTS,
    WORDS,
    Reader,
    Said,
    scripts,
    transcript,
)

SEGMENTS = st.builds(
    Segment,
    TEXTS,
    st.sampled_from(ROLES),
    st.sampled_from(KINDS),
    **dict.fromkeys(("id", "title", "author", "source", "group", "message", "call_id"), TEXTS),
    priority=st.floats(0, 9),
    locked=st.booleans(),
    required=st.none() | st.booleans(),
    media=st.lists(MEDIA, max_size=2).map(tuple),
    metadata=st.dictionaries(TEXTS, JSON, max_size=3),
)  # fmt: skip


def full() -> Transcript:
    """A conversation with all that can be saved in it."""
    talk = Transcript(
        [
            Participant(
                "Ann",
                system="s",
                briefing="b",
                budget=Budget(900, 100, max_items=50, headroom=5, window_source="catalog"),
                policy=Chain(SlidingWindow(keep_last=3), DropOldest(low_water=0.5), mode="each"),
                model="gpt-5",
                rules=TemplateRules("none", alternating=True),
                tools=({"name": "look", "parameters": {"type": "object"}},),
                reasoning="shared",
            ),
            Participant("Bob", model="mistral-large"),
        ],
        shared_system="shared",
        opening="motion",
    )
    talk.append("Ann", [Segment("x", media=(Media("image", width=3),), metadata={"a": [1, None]})])
    talk.append("Bob", "whisper", visible_to=[])
    return talk


def through_json(data: dict[str, object]) -> dict[str, Any]:
    text = json.dumps(data, allow_nan=False)
    again: dict[str, Any] = json.loads(text)
    return again


@FEW
@given(SEGMENTS)
def test_a_segment_comes_back_from_json_as_it_was(segment: Segment) -> None:
    data = through_json(segment_to_mapping(segment))
    assert segment_from_mapping(data) == segment
    assert segment_to_mapping(segment_from_mapping(data)) == data


@FEW
@given(scripts(), scripts())
def test_a_conversation_comes_back_and_goes_on(before: list[Said], after: list[Said]) -> None:
    talk = transcript(before)
    again = Transcript.from_mapping(through_json(talk.to_mapping()))
    for one in after:
        one.tell(talk, NAMES[:3])
        one.tell(again, NAMES[:3])
    assert again.entries == talk.entries
    assert again.participants == talk.participants
    assert again.to_mapping() == talk.to_mapping()
    for name in NAMES[:3]:
        assert again.view(name).segments == talk.view(name).segments


def test_all_of_a_participant_is_saved() -> None:
    talk = full()
    again = Transcript.from_mapping(through_json(talk.to_mapping()))
    assert again.participants == talk.participants
    assert again.participants["Ann"].budget.window_source == "catalog"
    assert again.entries == talk.entries
    assert again.shared_system == "shared"
    assert len(again) == 3  # the opening is not said again


def test_what_was_written_does_not_change_with_the_conversation() -> None:
    metadata: dict[str, object] = {"list": [1]}
    talk = Transcript([Participant("Ann")])
    talk.append("Ann", [Segment("x", metadata=metadata)])
    data = talk.to_mapping()
    before = json.dumps(data)
    metadata["list"] = [2]
    talk.append("Ann", "y")
    assert json.dumps(data) == before
    again = Transcript.from_mapping(data)
    data["entries"][0]["segments"][0]["metadata"]["list"].append(3)  # type: ignore[index]
    assert again.entries[0].segments[0].metadata == {"list": [1]}


@pytest.mark.parametrize("version", [0, 2, "1", None, True, 1.5])
def test_another_version_is_refused(version: object) -> None:
    with pytest.raises(ConfigurationError, match="version"):
        Transcript.from_mapping(full().to_mapping() | {"version": version})


WRONG: dict[str, Callable[[dict[str, Any]], object]] = {
    "more": lambda data: data.update(more=1),
    "shared_system": lambda data: data.pop("shared_system"),
    "entries": lambda data: data.update(entries={}),
    r"participants\[0\]": lambda data: data["participants"][0].update(age=3),
    r"participants\[1\]": lambda data: data["participants"][1].pop("name"),
    r"participants\[0\].budget": lambda data: data["participants"][0]["budget"].update(
        max_tokens="9"
    ),
    "rules": lambda data: data["participants"][0]["rules"].update(tools="yes"),
    "tools": lambda data: data["participants"][0].update(tools=["x"]),
    "policy": lambda data: data["participants"][0]["policy"]["settings"].update(kind="nothing"),
    "low_water": lambda data: data["participants"][0]["policy"]["settings"]["policies"][1].update(
        low_water=True
    ),
    "policy must have": lambda data: data["participants"][0].update(policy={}),
    "is_whole": lambda data: data["participants"][0]["policy"].pop("is_whole"),
    "Eve": lambda data: data["entries"][1].update(author="Eve"),
    r"entries\[2\].*Zoe": lambda data: data["entries"][2].update(visible_to=["Zoe"]),
    r"entries\[2\].visible_to": lambda data: data["entries"][2].update(visible_to="Bob"),
    r"entries\[1\].segments\[0\].*speed": lambda data: data["entries"][1]["segments"][0].update(
        speed=1
    ),
    r"entries\[1\].segments\[0\].*content": lambda data: data["entries"][1]["segments"][0].pop(
        "content"
    ),
    r"segments\[0\].*\.locked": lambda data: data["entries"][1]["segments"][0].update(locked=1),
    r"segments\[0\].*\.call_id": lambda data: data["entries"][1]["segments"][0].update(call_id=1),
    r"segments\[0\].*\.required": lambda data: data["entries"][1]["segments"][0].update(required=0),
    r"segments\[0\].*role": lambda data: data["entries"][1]["segments"][0].update(role="king"),
    r"segments\[0\].media": lambda data: data["entries"][1]["segments"][0].update(media={}),
    r"media\[0\].*pixels": lambda data: data["entries"][1]["segments"][0]["media"][0].update(
        pixels=1
    ),
    r"media\[0\].*\.url": lambda data: data["entries"][1]["segments"][0]["media"][0].update(url=1),
    r"segments\[0\].metadata": lambda data: data["entries"][1]["segments"][0].update(metadata=[]),
    "kind 'system'": lambda data: data["entries"][1]["segments"][0].update(kind="system"),
    "moderator": lambda data: data["entries"][0]["segments"][0].update(kind="turn"),
}


@pytest.mark.parametrize("where", WRONG)
def test_what_is_wrong_in_a_description_is_named(where: str) -> None:
    data = through_json(full().to_mapping())
    WRONG[where](data)
    with pytest.raises(ConfigurationError, match=where):
        Transcript.from_mapping(data)


@pytest.mark.parametrize("data", [None, [], "x", {}])
def test_what_is_no_description_is_refused(data: Any) -> None:
    with pytest.raises(ConfigurationError):
        Transcript.from_mapping(data)


DEEP: list[object] = []
for _ in range(2_000):
    DEEP = [DEEP]
ROUND: dict[str, object] = {}
ROUND["again"] = ROUND


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, b"x", math.nan, math.inf, {1: 2}, [lambda: 0], DEEP, ROUND]
)
def test_what_json_cannot_say_is_refused_before_anything_is_written(value: object) -> None:
    talk = Transcript([Participant("Ann")])
    talk.append("Ann", [Segment("secret", metadata={"key": value})])
    with pytest.raises(ConfigurationError, match=r"JSON|deep") as caught:
        talk.to_mapping()
    assert "secret" not in str(caught.value)
    with pytest.raises(ConfigurationError):
        Transcript([Participant("Ann", tools=({"key": value},))]).to_mapping()


def test_a_counter_of_ones_own_has_to_be_given_again() -> None:
    talk = Transcript([Participant("Ann", counter=WORDS), Participant("Bob")])
    talk.append("Bob", "one two three")
    data = through_json(talk.to_mapping())
    with pytest.raises(ConfigurationError, match=r"counters=.*Ann"):
        Transcript.from_mapping(data)
    again = Transcript.from_mapping(data, counters={"Ann": WORDS})
    assert again.participants == talk.participants
    assert again.view("Ann").tokens == 3


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_policy_with_a_summarizer_has_to_be_given_again(wrapped: bool) -> None:
    policy = Summarize(Reader())
    held = Chain(policy, DropOldest()) if wrapped else policy
    data = through_json(Transcript([Participant("Ann", policy=held)]).to_mapping())
    with pytest.raises(ConfigurationError, match=r"policies=.*Ann"):
        Transcript.from_mapping(data)
    assert Transcript.from_mapping(data, policies={"Ann": held}).participants["Ann"].policy is held


@pytest.mark.parametrize("summarizer", [None, ExtractiveSummarizer()])
def test_a_policy_without_a_model_is_saved_whole(summarizer: ExtractiveSummarizer | None) -> None:
    held = Chain(Summarize(summarizer, keep_recent=7, timeout_seconds=None), DropOldest())
    data = through_json(Transcript([Participant("Ann", policy=held)]).to_mapping())
    assert Transcript.from_mapping(data).participants["Ann"].policy == held


def test_another_policy_may_be_given_but_not_to_nobody() -> None:
    data = full().to_mapping()
    again = Transcript.from_mapping(data, policies={"Bob": DropOldest()})
    assert again.participants["Bob"].policy == DropOldest()
    with pytest.raises(ConfigurationError, match="Eve"):
        Transcript.from_mapping(data, policies={"Eve": DropOldest()})
    with pytest.raises(ConfigurationError, match="Eve"):
        Transcript.from_mapping(data, counters={"Eve": WORDS})
