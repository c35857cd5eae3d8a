from __future__ import annotations

from dataclasses import dataclass

from orchestrator_context.conversation.lately import Lately


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


def test_a_short_one_and_what_is_forgotten_are_not_there() -> None:
    things = Lately[Thing]()
    things.keep(Thing("empty", 0))
    things.keep(Thing("short", 7))
    assert names(things) == set()
    things.keep(Thing("one"))
    things.forget()
    assert names(things) == set()
