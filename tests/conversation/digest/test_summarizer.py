"""The promises of the summariser: it fits, it is deterministic, it rolls, it invents nothing."""

from __future__ import annotations

import re

import anyio
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.digest import ExtractiveSummarizer, digest, parse
from orchestrator_context.conversation.digest.entries import FULL, NOTHING
from orchestrator_context.conversation.policy import Overflow
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Budget, Segment
from orchestrator_context.policies.summarize import Summarize
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.text import clean
from orchestrator_context.tokens import token_counter
from tests.linear import assert_linear, repeating

CHARACTERS = token_counter(len, name="characters")
TOKENS = token_counter()

PIECES = st.sampled_from(
    [
        "The port is 8080.", "Never open valve V-12!", "The limit is now 450; not 300.",
        "Okay, thanks.", "I prefer tea.", "# Rules", "@bob: hi", "- item 1,000.50", "A (b 7) c",
        "数据库端口是5432。", "次は点検AB-1です。", "Bis zum 5. April.", "\ud800", "👩‍👩‍👧",
        "\x00", "\r\n", "a" * 300, '{"k": [1, 2.50, "x"]}', "Which one?", "```\nx=1\n```",
        "**bold** __init__ 2**10", "Forget the rule about valves.", "\u2028",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=6).map(" ".join))
SEGMENTS = st.lists(
    st.builds(
        Segment,
        content=TEXTS,
        role=st.sampled_from(["user", "assistant", "system", "tool"]),
        kind=st.sampled_from(["turn", "tool_call", "tool_result", "document", "summary"]),
        author=st.sampled_from(["", "alice", "bob"]),
    ),
    max_size=6,
)
COUNTERS = st.sampled_from([CHARACTERS, TOKENS])


@settings(deadline=None)
@given(TEXTS, SEGMENTS, st.integers(0, 300), COUNTERS)
def test_it_fits_and_is_the_same_each_time(
    previous: str, segments: list[Segment], most: int, counter: TokenCounter
) -> None:
    text = digest(previous, segments, max_tokens=most, counter=counter)
    assert counter.count(text) <= most
    assert text == digest(previous, segments, max_tokens=most, counter=counter)


@settings(deadline=None)
@given(SEGMENTS, st.integers(1, 300))
def test_numbers_and_identifiers_stand_in_the_input(segments: list[Segment], most: int) -> None:
    text = digest("", segments, max_tokens=most, counter=CHARACTERS)
    given_text = "\n".join(clean(segment.content) for segment in segments)
    for entry in parse(text):
        for word in re.findall(r"[A-Za-z0-9_$€%./:+-]*[0-9][A-Za-z0-9_$€%/]*", entry.text):
            assert word.lstrip("./:+-") in given_text


@settings(deadline=None)
@given(TEXTS, SEGMENTS, st.integers(0, 300))
@example("", [Segment(FULL)], 40)
@example("", [Segment(NOTHING, author="bob")], 80)
def test_without_news_it_does_not_change(previous: str, segments: list[Segment], most: int) -> None:
    text = digest(previous, segments, max_tokens=most, counter=CHARACTERS)
    assert digest(text, [], max_tokens=most, counter=CHARACTERS) == text


@settings(deadline=None)
@given(SEGMENTS)
def test_every_line_of_it_is_an_entry_or_a_heading(segments: list[Segment]) -> None:
    text = digest("", segments, max_tokens=2_000, counter=CHARACTERS)
    lines = [line for line in text.splitlines() if line not in (NOTHING, FULL)]
    assert sum(not line.startswith("#") for line in lines) == len(parse(text))


def test_it_shrinks_with_the_room_and_loses_the_chatter_first() -> None:
    said = [
        Segment("Good morning! How are you?"),
        Segment("Never feed the parrot chocolate."),
        Segment("The parrot is called Lora and the vet is Dr. Amara Osei."),
        Segment("The sky was grey and the wind came from the west all day."),
    ]
    sizes = [
        len(digest("", said, max_tokens=most, counter=CHARACTERS)) for most in range(0, 260, 10)
    ]
    assert sizes[0] == 0
    tight = digest("", said, max_tokens=110, counter=CHARACTERS)
    assert "chocolate" in tight
    assert "Amara Osei" in tight
    assert "sky" not in tight
    assert "morning" not in digest("", said, max_tokens=1_000, counter=CHARACTERS)


def test_all_kinds_have_room() -> None:
    rules = [Segment(f"Never touch the red button number {number}.") for number in range(1, 30)]
    others = [
        Segment("We decided to take the train to Graz."),
        Segment("The next step is painting the fence."),
        Segment("I prefer window seats."),
        Segment("The gate code is 4711."),
    ]
    text = digest("", [*others, *rules], max_tokens=400, counter=CHARACTERS)
    assert {entry.kind for entry in parse(text)} == {
        "rule", "decision", "task", "preference", "fact",
    }  # fmt: skip


def test_rolling_loses_no_more_than_one_step() -> None:
    said = [Segment(f"The {name} is at gate {gate}.") for gate, name in enumerate(NAMES, start=101)]
    once = digest("", said, max_tokens=800, counter=CHARACTERS)
    rolled = ""
    for segment in said:
        rolled = digest(rolled, [segment], max_tokens=800, counter=CHARACTERS)
    assert len(parse(rolled)) >= len(parse(once)) == len(NAMES)


NAMES = "ferry tram museum bakery florist library cinema garage harbour stadium".split()


def test_a_blank_start_and_nothing_said() -> None:
    assert digest("", [], max_tokens=100, counter=TOKENS) == ""
    assert digest(" \n", [Segment("ok")], max_tokens=100, counter=TOKENS) == NOTHING
    assert digest(NOTHING, [Segment("ok")], max_tokens=100, counter=TOKENS) == NOTHING
    assert digest(NOTHING, [Segment("ok")], max_tokens=2, counter=TOKENS) == ""
    rule = digest(NOTHING, [Segment("Never run.")], max_tokens=100, counter=TOKENS)
    assert "Never run." in rule
    assert NOTHING not in rule
    assert digest("Never run.", [], max_tokens=0, counter=TOKENS) == ""


@pytest.mark.parametrize("most", [-1, 1.5, True])
def test_a_limit_that_is_none(most: int) -> None:
    with pytest.raises(ConfigurationError, match="max_tokens"):
        digest("", [], max_tokens=most, counter=TOKENS)


@pytest.mark.anyio
async def test_the_async_face_gives_the_same() -> None:
    for count in (1, 400):
        said = [Segment("Never open valve V-12. The port is 8080.")] * count
        text = await ExtractiveSummarizer().summarize("", said, max_tokens=60, counter=TOKENS)
        assert text == digest("", said, max_tokens=60, counter=TOKENS)
        assert "V-12" in text


def test_time_is_linear_in_a_long_turn() -> None:
    words = "server port limit guest deploy window invoice branch report token cache index".split()

    def make(sentences: int) -> str:
        return " ".join(
            f"The {words[n % 12]} {words[n % 11]} of {words[n % 7]} {n} is {n * 7}."
            for n in range(sentences)
        )

    def run(text: str) -> None:
        digest("", [Segment(text)], max_tokens=300, counter=TOKENS)

    assert_linear(run, make, small=125)


@pytest.mark.parametrize("piece", ["x", "[", "a, ", "是", "7 "])
def test_odd_long_texts_take_linear_time(piece: str) -> None:
    def run(text: str) -> None:
        digest(text, [Segment(text)], max_tokens=100, counter=TOKENS)

    assert_linear(run, repeating(piece), small=10_000)


def test_where_no_fact_fits_it_says_so() -> None:
    long = Segment("Never open valve V-12 " + "or the large red valves beside it " * 20)
    text = digest("", [long], max_tokens=20, counter=CHARACTERS)
    assert text == FULL
    assert digest(text, [], max_tokens=200, counter=CHARACTERS) == FULL
    assert digest(text, [Segment("Okay.")], max_tokens=200, counter=CHARACTERS) == FULL
    fits = digest(text, [Segment("The port is 8080.")], max_tokens=200, counter=CHARACTERS)
    assert FULL not in fits
    assert "8080" in fits


@pytest.mark.parametrize("said", ["Never open valve V-12 without asking.", "Okay, thanks."])
def test_where_not_even_that_fits_it_is_blank(said: str) -> None:
    assert digest("", [Segment(said)], max_tokens=len(FULL) - 1, counter=CHARACTERS) == ""
    assert digest("", [Segment(said)], max_tokens=len(FULL), counter=CHARACTERS) == FULL


@pytest.mark.anyio
@pytest.mark.parametrize("on_overflow", ["raise", "return"])
async def test_a_policy_whose_share_no_fact_fits_says_so(on_overflow: Overflow) -> None:
    long = "must never open valve " + "alpha beta gamma delta omega " * 30
    turns = [Segment(long)] * 6 + [Segment("Go on.")] * 6
    policy = Summarize(ExtractiveSummarizer(), max_share=0.1, on_overflow=on_overflow)
    view = await policy.fit(View.of(turns), Budget(400))
    assert view.report.fits
    assert view.segments[0].content.splitlines()[1:] == [FULL]


@pytest.mark.anyio
async def test_who_waits_no_longer_goes_on_at_once() -> None:
    turns = [
        Segment(f"The limit of pump {at} is {at}7; the spare {at} is blue.") for at in range(4_000)
    ]
    with anyio.fail_after(20):
        with anyio.move_on_after(0.05) as scope:
            await ExtractiveSummarizer().summarize("", turns, max_tokens=500, counter=TOKENS)
        assert scope.cancelled_caught
        assert anyio.current_time() - scope.deadline < 2
