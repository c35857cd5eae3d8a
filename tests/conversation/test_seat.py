from __future__ import annotations

from hypothesis import given

from orchestrator_context.conversation.participant import Participant
from orchestrator_context.conversation.seat import MODERATOR, Entry, Seat
from orchestrator_context.messages import message_runs
from orchestrator_context.models import Media, Segment
from tests.conversation.talks import FEW, NAMES, Said, scripts, transcript

TWO, THREE = (MODERATOR, "Ann", "Bob"), (MODERATOR, "Ann", "Bob", "Cy")


def heard(name: str, names: tuple[str, ...], *entries: Entry) -> tuple[Segment, ...]:
    return Seat(Participant(name), "", names).view(entries, ()).segments


def test_the_messages_of_one_turn_stay_apart_from_those_of_another() -> None:
    turn = Entry(
        "Ann",
        (
            Segment("why", "assistant", "reasoning", message="1"),
            Segment("{}", "assistant", "tool_call", call_id="c", message="1"),
            Segment("42", "user", "tool_result", call_id="c"),
            Segment("so 42"),
        ),
    )
    own = heard("Ann", TWO, turn, turn)
    assert [len(run) for run in message_runs(own)] == [2, 1, 1] * 2
    assert [one.role for one in own[:4]] == ["assistant", "assistant", "tool", "assistant"]
    assert [one.id for one in own] == [f"t{turn}.{part}" for turn in (1, 2) for part in range(1, 5)]


def test_neighbouring_turns_in_parts_are_two_messages() -> None:
    turn = Entry("Ann", (Segment("a", message="1"), Segment("b", message="1")))
    for name in ("Ann", "Bob"):
        assert [len(run) for run in message_runs(heard(name, TWO, turn, turn))] == [2, 2]


def test_what_another_says_in_parts_is_one_message_with_one_label() -> None:
    image = Media("image", url="https://example.org/a.png")
    turn = Entry(
        "Ann", (Segment("Look:"), Segment("", kind="media", media=(image,)), Segment("See?"))
    )
    for names, first in ((TWO, "Look:"), (THREE, "Ann: Look:")):
        parts = heard("Bob", names, turn)
        assert [one.content for one in parts] == [first, "", "See?"]
        assert parts[1].media == (image,)
        assert [len(run) for run in message_runs(parts)] == [3]
        assert [one.metadata["author"] for one in parts] == ["Ann"] * 3


def test_what_is_not_heard_takes_no_part_in_the_message() -> None:
    call = Segment("{}", "assistant", "tool_call", call_id="c", message="1")
    result = Segment("42", "tool", "tool_result", call_id="c")
    turn = Entry("Ann", (call, result, Segment("so", message="1")))
    (only,) = heard("Bob", THREE, turn)
    assert (only.content, only.message, only.id, only.role) == ("Ann: so", "", "t1", "user")


def test_a_turn_of_which_nothing_is_heard_leaves_the_count_of_turns() -> None:
    secret = Entry("Ann", (Segment("psst"),), frozenset({"Ann"}))
    assert [one.id for one in heard("Bob", THREE, secret, Entry("Cy", (Segment("x"),)))] == ["t2"]


def test_metadata_of_a_turn_stay_and_its_author_is_added() -> None:
    turn = Entry("Ann", (Segment("x", metadata={"openai-chat": {"name": "a"}}, author="Ann"),))
    for name in ("Ann", "Bob"):
        (only,) = heard(name, THREE, turn)
        assert only.metadata == {"openai-chat": {"name": "a"}, "author": "Ann"}
        assert only.author == ""


@FEW
@given(scripts())
def test_a_seat_that_is_taken_late_hears_the_same(script: list[Said]) -> None:
    early = transcript([])
    for one in script:
        one.tell(early, NAMES[:3])
        early.view("Ann")
    late = transcript(script)
    assert early.view("Ann").segments == late.view("Ann").segments
    assert early.view("Ann").tokens == late.view("Ann").tokens
