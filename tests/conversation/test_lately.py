from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation import accounts, compact_history
from orchestrator_context.conversation.formats import from_openai_responses
from orchestrator_context.conversation.lately import Lately, held
from orchestrator_context.models import Budget, Media, Segment


@dataclass
class Thing:
    name: str
    length: int = 8
    characters: int = 10

    def __len__(self) -> int:
        return self.length


def names(things: Lately[Thing]) -> set[str]:
    found: set[str] = set()
    while (thing := things.taken(lambda one: True)) is not None:
        found.add(thing.name)
    return found


def test_the_longest_that_suits_is_lent_to_one_only() -> None:
    things = Lately[Thing]()
    for length in (13, 15, 14, 16):
        things.keep(Thing(f"of {length}", length))
    found = things.taken(lambda one: one.length < 16)
    assert found is not None
    assert found.name == "of 15"
    assert names(things) == {"of 13", "of 14", "of 16"}
    things.keep(found)
    assert names(things) == {"of 15"}


def test_only_the_last_few_are_remembered() -> None:
    things = Lately[Thing]()
    for number in range(20):
        things.keep(Thing(str(number)))
    assert names(things) == {str(number) for number in range(12, 20)}


def test_what_is_large_pushes_the_oldest_out_and_what_is_too_large_nothing() -> None:
    things = Lately[Thing]()
    for number in range(3):
        things.keep(Thing(str(number), characters=7_000_000))
    things.keep(Thing("huge", characters=10**9))
    assert names(things) == {"1", "2"}


def test_a_large_one_is_kept_alone_up_to_what_services_take() -> None:
    things = Lately[Thing]()
    things.keep(Thing("small"))
    things.keep(Thing("large", characters=64_000_000))
    assert names(things) == {"large"}
    things.keep(Thing("large", characters=64_000_000))
    things.keep(Thing("small"))
    assert names(things) == {"small"}
    things.keep(Thing("larger", characters=64_000_001))
    assert names(things) == set()


def test_a_short_one_and_what_is_forgotten_are_not_there() -> None:
    things = Lately[Thing]()
    things.keep(Thing("empty", 0))
    things.keep(Thing("short", 7))
    assert names(things) == set()
    things.keep(Thing("one"))
    things.forget()
    assert names(things) == set()


def test_what_is_long_pushes_the_oldest_out_however_little_it_says() -> None:
    things = Lately[Thing]()
    for number in range(3):
        things.keep(Thing(str(number), 45_000))
    things.keep(Thing("endless", 100_001))
    assert names(things) == {"1", "2"}


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.binary(max_size=4)
NESTED = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


def texts(value: object) -> list[str | bytes]:
    if isinstance(value, str | bytes):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for one in pair for text in texts(one)]
    return [text for one in value for text in texts(one)] if isinstance(value, list) else []


@settings(max_examples=50)
@given(NESTED)
def test_what_is_held_is_each_text_once(value: object) -> None:
    once = {id(text): len(text) for text in texts(value)}
    assert held([value]) == held([value, value]) == sum(once.values())


def test_what_is_held_is_counted_at_any_depth_and_in_a_circle() -> None:
    deep: list[object] = ["end"]
    for _ in range(5_000):
        deep = [deep]
    deep.append(deep)
    assert held([deep, MappingProxyType({"key": bytearray(7)})]) == len("endkey") + 7


def of_size(number: int) -> str:
    return str(number) * 10**5


def signed(number: int) -> Segment:
    item = {"type": "reasoning", "summary": [], "encrypted_content": of_size(number)}
    return from_openai_responses([item])[0]


def pictured(number: int) -> Segment:
    media = Media("image", media_type="image/png", data=of_size(number))
    return Segment("", kind="media", media=(media,))


KINDS: dict[str, Callable[[int], Segment]] = {
    "text": lambda number: Segment(of_size(number)),
    "media": pictured,
    "original": signed,
    "metadata": lambda number: Segment("Hi", metadata={"of mine": [of_size(number), number]}),
}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_an_account_counts_all_that_its_segments_hold(
    make: Callable[[int], Segment], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Lately[Any]()
    monkeypatch.setattr(accounts, "_ACCOUNTS", kept)
    history = [make(number) for number in range(10)]
    for length in (8, 10):
        compact_history(history[:length], Budget(10**7))
    account: Any = kept.taken(lambda one: True)
    assert kept.taken(lambda one: True) is None
    assert 10**6 <= account.characters <= 10**6 + 10_000
