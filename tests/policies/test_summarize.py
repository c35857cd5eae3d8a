from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.conversation import (
    Participant,
    TemplateRules,
    Transcript,
    View,
    group,
    policy_from_mapping,
)
from orchestrator_context.conversation.digest import ExtractiveSummarizer
from orchestrator_context.conversation.digest.entries import NOTHING
from orchestrator_context.conversation.formats import from_openai_chat, to_openai_chat
from orchestrator_context.conversation.memory import SummaryMemory
from orchestrator_context.conversation.policy import ContextPolicy
from orchestrator_context.exceptions import (
    BudgetExceededError,
    CheckpointError,
    ConfigurationError,
    SummaryError,
    UnknownWindowError,
)
from orchestrator_context.models import Budget, Generation, Segment
from orchestrator_context.policies.chain import Chain
from orchestrator_context.policies.drop_oldest import DropOldest
from orchestrator_context.policies.summarize import Summarize
from orchestrator_context.providers.openai import OpenAIGenerator
from orchestrator_context.retrying import RetryPolicy
from orchestrator_context.testing import ScriptedGenerator
from orchestrator_context.tokens import token_counter
from tests.conversation.talks import FEW, WORDS, Reader, turns
from tests.loopback import Loopback, fails, says, waits

pytestmark = pytest.mark.anyio

COUNTER = token_counter()
NUMBER = re.compile(r"turn-(\d+)")


def numbers(texts: Sequence[str]) -> list[int]:
    return [int(found) for text in texts for found in NUMBER.findall(text)]


def summaries(view: View) -> list[Segment]:
    return [one for one in view.segments if one.kind == "summary"]


def covered(segment: Segment) -> int:
    found = re.match(r"\[(?:Summary of )?(\d+) earlier turns", segment.content)
    assert found is not None
    return int(found[1])


def words(segments: Sequence[Segment]) -> View:
    return View.of(segments, counter=WORDS)


async def test_what_fits_is_left_as_it_is_and_nobody_is_asked() -> None:
    reader, view = Reader(), words(turns(10))
    fitted = await Summarize(reader).fit(view, Budget(100))
    assert fitted.segments == view.segments
    assert not fitted.report.changed
    assert reader.calls == 0


async def test_one_summary_stands_where_the_turns_stood() -> None:
    reader = Reader(lambda *_: "The gist.")
    said = turns(40)
    framing = Segment("Be brief.", "system", "system")
    note = Segment("No shouting.", kind="moderator")
    view = words([framing, *said[:3], note, *said[3:]])
    fitted = await Summarize(reader, keep_recent=4).fit(view, Budget(200))
    assert fitted.report.fits
    assert fitted.tokens <= 200
    system, summary, moderator, *rest = fitted.segments
    assert (system, moderator) == (framing, note)
    assert tuple(rest) == tuple(said[-len(rest) :])
    assert len(rest) >= 4
    gone = 40 - len(rest)
    assert summary.content == f"[Summary of {gone} earlier turns]\nThe gist."
    assert reader.read == [one.content for one in said[:gone]]
    assert fitted.report.summarised == ((1, 4), (5, 42 - len(rest)))
    assert not fitted.report.dropped
    assert fitted.report.policy == "summarize"
    assert fitted.positions is not None
    assert [view.segments[at] for at in fitted.positions if at != 1] == [system, moderator, *rest]


async def test_where_only_the_newest_have_room_exactly_those_stay() -> None:
    reader = Reader()
    fitted = await Summarize(reader, keep_recent=4).fit(words(turns(20, 30)), Budget(160))
    assert [one.content for one in fitted.segments[1:]] == [
        one.content for one in turns(20, 30)[-4:]
    ]
    assert len(reader.read) == 16


@st.composite
def histories(draw: st.DrawFn) -> list[Segment]:
    """Turns, calls that are answered at once, late, twice or never, and notes among them."""
    said: list[Segment] = []
    waiting: list[str] = []
    for number in range(draw(st.integers(3, 40))):
        text = " ".join([f"turn-{number}", *["word"] * draw(st.integers(0, 20))])
        what = draw(st.sampled_from(["user", "assistant", "assistant", "call", "result", "note"]))
        if what == "call":
            waiting.append(f"c{number}")
            said.append(Segment(text, "assistant", "tool_call", call_id=waiting[-1]))
        elif what == "result" and waiting:
            call = draw(st.sampled_from(waiting))  # an answered call may be answered again
            said.append(Segment(text, "tool", "tool_result", call_id=call))
        elif what == "note":
            said.append(Segment(f"turn-{number}", kind="moderator"))
        else:
            said.append(Segment(text, "assistant" if what == "assistant" else "user"))
    return said


@FEW
@given(histories(), st.integers(20, 300), st.integers(1, 6), st.sampled_from([0.0, 0.7, 1.0]))
async def test_what_comes_back_fits_and_nothing_is_missing(
    said: list[Segment], room: int, keep_recent: int, low_water: float
) -> None:
    reader = Reader(lambda previous, segments: "word " * 10**4)
    policy = Summarize(reader, keep_recent=keep_recent, low_water=low_water)
    view, budget = words(said), Budget(room)
    try:
        fitted = await policy.fit(view, budget)
    except BudgetExceededError:
        assert reader.calls == 0
        return
    assert fitted.tokens <= room
    assert fitted.tokens == WORDS.count_messages(fitted.messages)
    if not fitted.report.changed:
        assert fitted.segments == view.segments
        return
    (summary,) = summaries(fitted)
    assert reader.calls == 1
    assert WORDS.count(summary.content) <= room * 0.25
    assert fitted.segments[-keep_recent:] == view.segments[-keep_recent:]
    kept = [one for one in fitted.segments if one.kind != "summary"]
    assert [one for one in view.segments if one in kept] == kept
    assert all(one in kept for one in said if one.is_required)
    gone = [one for one in view.segments if one not in kept]
    assert Counter(reader.read) == Counter(one.content for one in gone)
    assert fitted.report.summarised_count == len(gone)
    whole, left = group(view.segments), group(kept)
    assert covered(summary) == len(whole.groups) - len(left.groups)
    assert len(left.pending) == len(whole.pending)
    assert len(left.orphans) <= len(whole.orphans)


@FEW
@given(histories(), st.lists(st.integers(60, 200), min_size=1, max_size=3), st.integers(1, 5))
async def test_every_turn_is_read_once_in_a_whole_life(
    said: list[Segment], rooms: list[int], step: int
) -> None:
    """A history grows, and is fitted to budgets that change, calls waiting for late results."""
    reader = Reader()
    policy = Summarize(reader, keep_recent=2)
    for number in range(1, len(said) + 1, step):
        view = words(said[:number])
        try:
            fitted = await policy.fit(view, Budget(rooms[number % len(rooms)]))
        except BudgetExceededError:
            continue
        shown = [one.content for one in fitted.segments]
        missing = [one.content for one in view.segments if one.content not in shown]
        assert set(missing) <= set(reader.read)
        assert len(summaries(fitted)) <= 1
    assert max(Counter(reader.read).values(), default=1) == 1


async def test_participants_share_a_policy_and_each_view_is_read_once() -> None:
    reader = Reader()
    policy = Summarize(reader)
    talk = Transcript(
        [
            Participant(name, budget=Budget(room), policy=policy, counter=WORDS)
            for name, room in (("Ann", 150), ("Bob", 200), ("Cy", 170))
        ]
    )
    for number in range(90):
        talk.append(("Ann", "Bob", "Cy")[number % 3], turns(1, first=number)[0].content)
        for name in ("Ann", "Bob", "Cy"):
            assert (await talk.fit(name)).report.fits
    read = Counter(numbers(reader.read))
    assert max(read.values()) == 3
    assert set(read) == set(range(max(read) + 1))


async def test_a_late_result_of_a_summarised_call_is_read_alone() -> None:
    reader = Reader()
    policy, budget = Summarize(reader, keep_recent=2), Budget(120)
    call = Segment("turn-900", "assistant", "tool_call", call_id="c")
    first = Segment("turn-901", "tool", "tool_result", call_id="c")
    late = Segment("turn-902", "tool", "tool_result", call_id="c")
    said = [call, first, *turns(20)]
    await policy.fit(words(said), budget)
    assert {900, 901} <= set(numbers(reader.read))
    said += [late, *turns(1, first=20)]
    fitted = await policy.fit(words(said), budget)
    assert {900, 901, 902} <= set(numbers([one.content for one in fitted.segments]))
    said += turns(20, first=21)
    fitted = await policy.fit(words(said), budget)
    assert 902 not in numbers([one.content for one in fitted.segments])
    assert max(Counter(numbers(reader.read)).values()) == 1
    assert 902 in numbers(reader.read)


async def test_a_pending_call_stays_and_is_read_with_its_result() -> None:
    reader = Reader()
    policy, budget = Summarize(reader, keep_recent=2), Budget(120)
    call = Segment("turn-900", "assistant", "tool_call", call_id="c")
    said = [Segment("turn-899"), call, *(one for one in turns(40) if one.role == "assistant")]
    fitted = await policy.fit(words(said), budget)
    assert call in fitted.segments
    assert fitted.report.pending == 1
    assert covered(summaries(fitted)[0]) + len(fitted) - 1 == len(said)
    said += [Segment("turn-901", "tool", "tool_result", call_id="c"), *turns(20, first=40)]
    fitted = await policy.fit(words(said), budget)
    assert call not in fitted.segments
    read = numbers(reader.read)
    assert read.index(900) < read.index(901)
    assert max(Counter(read).values()) == 1


async def test_fits_of_one_view_at_once_read_it_once() -> None:
    reader = Reader(delay_seconds=0.01)
    policy, view = Summarize(reader), words(turns(40))
    fitted: list[View] = []

    async def fit(view: View, room: int) -> None:
        fitted.append(await policy.fit(view, Budget(room)))

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(fit, view, 200)
    assert len({one.segments for one in fitted}) == 1
    assert (reader.calls, max(Counter(reader.read).values())) == (1, 1)
    async with anyio.create_task_group() as tasks:
        for length, room in ((43, 200), (47, 180), (45, 220), (43, 190)):
            tasks.start_soon(fit, words(turns(length)), room)
    assert max(Counter(reader.read).values()) == 1


async def test_different_conversations_do_not_wait_for_each_other() -> None:
    arrived, everybody = list[str](), anyio.Event()

    class Meeting(Reader):
        async def summarize(self, previous: str, *_: Any, **__: Any) -> str:
            arrived.append(previous)
            if len(arrived) == 8:
                everybody.set()
            await everybody.wait()
            return "The gist."

    policy, system = Summarize(Meeting()), Segment("You are helpful.", "system", "system")

    async def fit(number: int) -> None:
        said = [system, Segment(f"conversation {number}"), *turns(40)]
        await policy.fit(words(said), Budget(200))

    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(fit, number)


async def test_a_smaller_budget_shortens_the_summary_and_reads_nothing_again() -> None:
    reader = Reader(lambda previous, segments: previous or "word " * 45)
    policy, view = Summarize(reader), words(turns(60))
    await policy.fit(view, Budget(200))
    read = list(reader.read)
    fitted = await policy.fit(view, Budget(100))
    assert WORDS.count(summaries(fitted)[0].content) <= 25
    assert max(Counter(reader.read).values()) == 1
    assert reader.read[: len(read)] == read
    larger = await policy.fit(view, Budget(220))
    assert len(larger) > len(fitted)
    assert max(Counter(reader.read).values()) == 1


async def test_a_smaller_share_shortens_the_summary_and_reads_nothing_again() -> None:
    reader = Reader(lambda previous, segments: previous or "word " * 45)
    policy, view = Summarize(reader), words(turns(60))
    before = await policy.fit(view, Budget(200))
    smaller = Summarize(reader, max_share=0.11, memory=policy.memory)
    fitted = await smaller.fit(view, Budget(200))
    assert fitted.report.summarised == before.report.summarised
    assert WORDS.count(summaries(fitted)[0].content) <= 22
    assert max(Counter(reader.read).values()) == 1
    assert (await smaller.fit(view, Budget(200))).segments == fitted.segments
    assert reader.calls == 2


async def test_the_conversation_may_go_on_while_a_summary_is_written() -> None:
    reader = Reader(delay_seconds=0.02)
    policy = Summarize(reader)
    ann = Participant("Ann", budget=Budget(200), policy=policy, counter=WORDS)
    talk = Transcript([ann, Participant("Bob", counter=WORDS)])
    for one in turns(40):
        talk.append("Bob", one.content)
    before = talk.view("Ann")
    fitted: list[View] = []

    async def fit() -> None:
        fitted.append(await policy.fit(before, Budget(200)))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(fit)
        await anyio.sleep(0.005)
        for one in turns(30, first=40):
            talk.append("Bob", one.content)
        later = await talk.fit("Ann")
    assert fitted[0].segments[-1].content == turns(40)[-1].content
    assert later.segments[-1].content == turns(70)[-1].content
    fresh = await Summarize(Reader()).fit(words(before.segments), Budget(200))
    assert [one.content for one in fitted[0].segments] == [one.content for one in fresh.segments]
    assert max(Counter(reader.read).values()) == 1


def raises(error: BaseException) -> Callable[..., str]:
    def answer(*_: object) -> str:
        raise error

    return answer


FAILURES: dict[str, Reader] = {
    "BlankSummary": Reader(lambda *_: "  \n"),
    "ConnectionError": Reader(raises(ConnectionError("lost"))),
    "TimeoutError": Reader(delay_seconds=30),
    "AttributeError": Reader(lambda *_: None),  # type: ignore[arg-type]
}


PATIENCE = {"TimeoutError": 0.02}


@pytest.mark.parametrize("name", FAILURES)
async def test_a_failure_changes_nothing_and_the_next_fit_works(name: str) -> None:
    failing, view, budget = FAILURES[name], words(turns(60)), Budget(200)
    good = Reader()
    policy = Summarize(failing, timeout_seconds=PATIENCE.get(name))
    segments, report = view.segments, view.report
    with pytest.raises(SummaryError) as caught:
        await policy.fit(view, budget)
    assert caught.value.failures == (name,)
    assert (view.segments, view.report) == (segments, report)
    again = Summarize(good, memory=policy.memory)
    fitted = await again.fit(view, budget)
    assert fitted.report.fits
    assert fitted.segments == (await Summarize(Reader()).fit(view, budget)).segments


@pytest.mark.parametrize("name", FAILURES)
async def test_a_chain_goes_on_with_its_next_policy_and_says_why(name: str) -> None:
    failing = Summarize(FAILURES[name], timeout_seconds=PATIENCE.get(name))
    policy = Chain(failing, DropOldest())
    fitted = await policy.fit(words(turns(60)), Budget(200))
    assert fitted.report.failures == (name,)
    assert fitted.report.policy == "drop_oldest"
    assert fitted.report.fits
    assert not summaries(fitted)
    assert name in fitted.report.summary()
    assert set(fitted.segments) <= set(turns(60))


async def test_in_a_chain_that_goes_on_from_each_nothing_is_read_twice() -> None:
    reader = Reader()
    policy = Chain(Summarize(reader), DropOldest(), mode="each")
    for length in range(30, 60):
        await policy.fit(words(turns(length)), Budget(200))
    assert max(Counter(reader.read).values()) == 1


async def test_a_fallback_takes_over_and_its_summary_is_kept() -> None:
    fallback, view, budget = Reader(), words(turns(60)), Budget(200)
    policy = Summarize(FAILURES["ConnectionError"], fallback=fallback)
    fitted = await policy.fit(view, budget)
    assert fitted.report.fits
    assert fitted.report.failures == ("ConnectionError",)
    assert (await policy.fit(view, budget)).segments == fitted.segments
    assert fallback.calls == 1


async def test_who_is_cancelled_in_the_middle_loses_nothing() -> None:
    slow = Reader(delay_seconds=30)
    policy, view, budget = Summarize(slow), words(turns(60)), Budget(200)
    with anyio.move_on_after(0.02) as scope:
        await policy.fit(view, budget)
    assert scope.cancelled_caught
    assert (slow.active, slow.read) == (0, [])
    slow.delay_seconds = 0
    assert (await policy.fit(view, budget)).report.fits
    assert max(Counter(slow.read).values()) == 1


async def test_rounds_of_compaction_keep_one_summary_within_its_limit() -> None:
    def everything(previous: str, segments: Sequence[Segment]) -> str:
        return " ".join([previous, *(one.content for one in segments)])

    reader, history, said = Reader(everything), list[Segment](), 0
    policy, budget = Summarize(reader, low_water=0.0), Budget(800)
    for _ in range(5):
        history += turns(20, 30, first=said)
        said += 20
        fitted = await policy.fit(words(history), budget)
        history = list(fitted.segments)
        if not fitted.report.changed and not summaries(fitted):
            continue
        (summary,) = summaries(fitted)
        assert WORDS.count(summary.content) <= 200
        assert fitted.tokens <= 800
        assert summary.content.count("earlier turns") == 1
        assert covered(summary) + len(history) - 1 == said
    assert reader.calls >= 3
    assert all("earlier turns" not in one for one in reader.previous)
    assert max(Counter(numbers(reader.read)).values()) == 1
    assert any(numbers([previous]) for previous in reader.previous)


async def test_a_compacted_history_adds_up_after_a_chat_format() -> None:
    reader = Reader(lambda *_: "The gist.")
    policy, budget = Summarize(reader), Budget(900, 100)
    history: list[Segment] = [Segment("Be brief.", "system", "system")]
    for round_ in range(8):
        history += turns(20, 12, first=20 * round_)
        fitted = await policy.fit(View.of(history), budget)
        history = list(from_openai_chat(to_openai_chat(fitted.messages)))
        plain = [one for one in history if one.content.startswith("[Summary of")]
        assert len(plain) == (1 if round_ else 0) or round_ < 3
        if plain:
            assert covered(plain[0]) + len(history) - 2 == 20 * (round_ + 1)
            assert plain[0].content.count("The gist.") == 1
    assert max(Counter(numbers(reader.read)).values()) == 1


async def test_what_must_stay_is_too_much_before_anybody_is_asked() -> None:
    reader = Reader()
    system = Segment("word " * 500, "system", "system")
    view = words([system, *turns(10, 50), Segment("word " * 300)])
    for policy in (Summarize(reader, keep_recent=1), Summarize(keep_recent=1)):
        with pytest.raises(BudgetExceededError) as caught:
            await policy.fit(view, Budget(400))
        assert (caught.value.needed, caught.value.available) == (800, 400)
    with pytest.raises(BudgetExceededError, match="summary") as caught:
        await Summarize(reader, keep_recent=1).fit(view, Budget(805))
    assert caught.value.needed > 805 == caught.value.available
    assert reader.calls == 0
    whole = await Summarize(reader, keep_recent=1, on_overflow="return").fit(view, Budget(400))
    assert whole.segments == view.segments
    assert not whole.report.fits
    assert (await Summarize(reader, keep_recent=1).fit(view, Budget(850))).report.fits


async def test_a_budget_without_tokens_is_refused() -> None:
    for budget in (Budget(), Budget(max_items=3)):
        with pytest.raises(UnknownWindowError):
            await Summarize(Reader()).fit(words(turns(60)), budget)


@pytest.mark.parametrize("ceiling", [{"max_items": 12}, {"max_bytes": 600}])
async def test_other_ceilings_hold_too(ceiling: dict[str, int]) -> None:
    reader = Reader(lambda *_: "The gist.")
    budget = Budget(10_000, **ceiling)  # type: ignore[arg-type]
    fitted = await Summarize(reader).fit(words(turns(60)), budget)
    assert fitted.report.fits
    assert len(fitted) <= ceiling.get("max_items", 60)
    assert sum(len(one.content) for one in fitted.segments) <= ceiling.get("max_bytes", 10**5)
    assert max(Counter(reader.read).values()) == 1


async def test_without_a_summarizer_a_line_says_what_is_left_out_and_adds_up() -> None:
    policy, budget = Summarize(), Budget(200)
    history, said = list[Segment](), 0
    for _ in range(6):
        history += turns(15, first=said)
        said += 15
        fitted = await policy.fit(words(history), budget)
        history = [Segment(one.content, one.role) for one in fitted.segments]
        lines = [one for one in history if "left out" in one.content]
        if fitted.report.changed:
            assert lines[0].content == f"[{covered(lines[0])} earlier turns left out]"
            assert covered(lines[0]) + len(history) - 1 == said
        assert len(lines) <= 1
    assert fitted.report.summarised_count > 0


async def test_the_same_twice_gives_the_same_bytes() -> None:
    async def run() -> list[tuple[Segment, ...]]:
        policy = Summarize(ExtractiveSummarizer())
        return [
            (await policy.fit(View.of(turns(length)), Budget(700))).segments
            for length in range(20, 80, 7)
        ]

    assert await run() == await run()


@pytest.mark.parametrize("tokens", [40, 5])
async def test_the_beginning_stays_the_same_for_nine_turns_of_ten(tokens: int) -> None:
    reader = Reader(lambda *_: "word " * tokens)
    policy, before, same, cut = Summarize(reader), tuple[Segment, ...](), 0, 0
    talk = Transcript([Participant("Ann", counter=WORDS, system="Be brief.")])
    for one in turns(360):
        talk.append("Ann", one.content)
        fitted = await policy.fit(talk.view("Ann"), Budget(600))
        if fitted.report.changed:
            cut += 1
            same += fitted.segments[: len(before)] == before
        before = fitted.segments
    assert cut > 200
    assert same >= 0.9 * cut
    assert reader.calls <= 0.1 * cut


@pytest.mark.parametrize(
    "rules",
    [
        TemplateRules("none", alternating=True, user_first=True, tools=False),
        TemplateRules("single", alternating=True, user_first=True, user_last=True),
    ],
)
async def test_it_fits_as_the_model_gets_it(rules: TemplateRules) -> None:
    talk = Transcript(
        [
            Participant("Ann", system="Be brief.", briefing="Win.", rules=rules),
            Participant("Bob"),
        ],
        opening="The motion.",
    )
    policy = Summarize(Reader(lambda *_: "word " * 500))
    for number, one in enumerate(turns(120)):
        talk.append(("Ann", "Bob")[number % 3 == 0], one.content)
        fitted = await policy.fit(talk.view("Ann"), Budget(500))
        assert fitted.tokens <= 500
        assert COUNTER.count_messages(fitted.messages) <= 500
    assert fitted.report.changed


def openai(server: Loopback, window: int | None = 4_000) -> OpenAIGenerator:
    retry = RetryPolicy(max_attempts=2, first_delay_seconds=0.001)
    return OpenAIGenerator(
        "some-model", base_url=server.url, window=window, counter=COUNTER, retry=retry
    )


async def test_a_model_behind_a_server_summarises() -> None:
    view, budget = View.of(turns(100, 20)), Budget(1_000)
    with Loopback(answer=lambda request: "Decided: pump 3.") as server:
        policy = Summarize(openai(server))
        fitted = await policy.fit(view, budget)
        assert await policy.fit(view, budget) == fitted
    (summary,) = summaries(fitted)
    assert summary.content.endswith("Decided: pump 3.")
    assert len(server.requests) == 1
    read = numbers([server.requests[0].texts[1]])
    assert read == list(range(len(read)))
    assert len(read) == fitted.report.summarised_count


async def test_a_server_that_fails_twice_leaves_the_history_as_it_was() -> None:
    view, budget = View.of(turns(100, 20)), Budget(1_000)
    behaviours = [
        fails(503),
        waits(30),
        says("  "),
        says("  "),
        says("one two three", finish="length"),
    ]
    with Loopback(behaviours, answer=lambda request: "fine") as server:
        model, memory = openai(server), SummaryMemory()
        for name in ("TimeoutError", "ProviderResponseError", "TruncatedSummary"):
            seconds = 1.0 if name == "TimeoutError" else None
            policy = Summarize(model, timeout_seconds=seconds, memory=memory)
            with pytest.raises(SummaryError) as caught:
                await policy.fit(view, budget)
            assert caught.value.failures == (name,)
        assert (await policy.fit(view, budget)).report.fits


async def test_a_model_that_returns_too_much_is_cut() -> None:
    model = ScriptedGenerator(lambda call: Generation("word " * 10_000))
    fitted = await Summarize(model, max_share=0.1).fit(View.of(turns(100)), Budget(1_000))
    assert COUNTER.count(summaries(fitted)[0].content) <= 100


async def test_a_run_that_starts_again_goes_on_with_what_a_file_remembers() -> None:
    async with anyio.TemporaryDirectory() as folder:
        path, reader = Path(folder, "memory.sqlite"), Reader()
        for length in range(30, 90, 10):
            policy = Summarize(reader, memory=path)  # as after a restart
            fitted = await policy.fit(words(turns(length)), Budget(200))
        assert reader.calls > 2
        assert max(Counter(reader.read).values()) == 1
        stored = policy_from_mapping(policy.to_mapping(), summarizer=reader)
        assert isinstance(stored, Summarize)
        again = Summarize(FAILURES["ConnectionError"], memory=stored.memory)
        assert (await again.fit(words(turns(80)), Budget(200))).segments == fitted.segments


async def test_a_file_that_cannot_be_used_is_an_error_of_its_own() -> None:
    async with anyio.TemporaryDirectory() as folder:
        policy = Chain(Summarize(Reader(), memory=folder), DropOldest())
        with pytest.raises(CheckpointError):
            await policy.fit(words(turns(60)), Budget(200))


async def test_policies_can_share_a_memory() -> None:
    memory, one, other = SummaryMemory(), Reader(), Reader()
    await Summarize(one, memory=memory).fit(words(turns(60)), Budget(200))
    await Summarize(other, memory=memory).fit(words(turns(60)), Budget(200))
    assert (one.calls, other.calls) == (1, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"summarizer": "gpt-5"},
        {"summarizer": ExtractiveSummarizer},
        {"fallback": 3},
        {"max_share": 0},
        {"max_share": 1.5},
        {"keep_recent": 0},
        {"keep_recent": True},
        {"low_water": 2},
        {"timeout_seconds": 0},
        {"on_overflow": "drop"},
        {"memory": 3},
    ],
)
async def test_settings_that_cannot_be_used_are_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        Summarize(**wrong)


async def test_settings_are_described_without_what_summarises() -> None:
    policy = Summarize(Reader(), keep_recent=7, timeout_seconds=None, memory="x.sqlite")
    data = policy.to_mapping()
    assert data == {
        "kind": "summarize",
        "summarizer": "given",
        "fallback": None,
        "max_share": None,
        "keep_recent": 7,
        "low_water": 0.5,
        "timeout_seconds": None,
        "on_overflow": "raise",
        "memory": "x.sqlite",
    }
    assert policy_from_mapping(data, summarizer=policy.summarizer) == policy
    assert policy_from_mapping(data | {"summarizer": policy.summarizer}) == policy
    assert "Reader" not in repr(data)
    with pytest.raises(ConfigurationError):
        policy_from_mapping(data | {"keep": 3}, summarizer=policy.summarizer)


@pytest.mark.parametrize("field", ["summarizer", "fallback"])
@pytest.mark.parametrize("wrap", [lambda one: one, Chain, lambda one: Chain(Chain(one))])
async def test_no_policy_loses_what_summarises_on_its_way(
    field: str, wrap: Callable[[Summarize], ContextPolicy]
) -> None:
    model = Reader()
    given: dict[str, Any] = {field: model}
    data = json.loads(json.dumps(wrap(Summarize(**given)).to_mapping()))
    with pytest.raises(ConfigurationError, match=rf"Summarize\.{field} .*pass {field}=\.\.\."):
        policy_from_mapping(data)
    assert policy_from_mapping(data, **given) == wrap(Summarize(**given))
    extractive: dict[str, Any] = {field: ExtractiveSummarizer()}
    whole = wrap(Summarize(**extractive))
    assert policy_from_mapping(json.loads(json.dumps(whole.to_mapping()))) == whole


async def test_a_summarizer_of_ones_own_is_never_taken_for_the_extractive_one() -> None:
    class Own(ExtractiveSummarizer):
        pass

    assert Summarize(Own()).to_mapping()["summarizer"] == "given"


async def test_what_summarises_is_given_to_somebody_who_asks() -> None:
    for data in (Summarize().to_mapping(), Summarize(ExtractiveSummarizer()).to_mapping()):
        with pytest.raises(ConfigurationError, match="No setting 'summarizer'"):
            policy_from_mapping(data, summarizer=Reader())
    with pytest.raises(ConfigurationError, match=r"Summarize\.summarizer must be"):
        policy_from_mapping({"kind": "summarize", "summarizer": "given"}, summarizer=3)
    with pytest.raises(ConfigurationError, match="one of extractive, given, not 'gpt-5'"):
        policy_from_mapping({"kind": "summarize", "summarizer": "gpt-5"})


CHATTER = [Segment("Thanks a lot, ok!", role) for role in ("user", "assistant")] * 40


async def test_where_nothing_is_worth_keeping_the_summary_says_so() -> None:
    policy, budget = Summarize(ExtractiveSummarizer()), Budget(150)
    for length in (60, 60, 70, 80):
        fitted = await policy.fit(words(CHATTER[:length]), budget)
        (line,) = summaries(fitted)
        gone = length - len(fitted) + 1
        assert line.content == f"[Summary of {gone} earlier turns]\n{NOTHING}"
        assert fitted.report.fits
        assert not fitted.report.failures
        assert fitted.report.summarised_count == length - len(fitted) + 1
    rule = Segment("Never deploy on Fridays.")
    fitted = await policy.fit(words([*CHATTER, rule, *CHATTER]), budget)
    assert "Never deploy on Fridays." in summaries(fitted)[0].content
    assert NOTHING not in summaries(fitted)[0].content


async def test_an_empty_summary_is_a_failure_and_changes_nothing() -> None:
    class Silent:
        async def summarize(self, *_: object, **__: object) -> str:
            return ""

    view, budget = words(turns(40)), Budget(200)
    with pytest.raises(SummaryError):
        await Summarize(Silent()).fit(view, budget)
    fitted = await Summarize(Silent(), fallback=ExtractiveSummarizer()).fit(view, budget)
    assert fitted.report.failures == ("BlankSummary",)
    assert (await Chain(Summarize(Silent()), DropOldest()).fit(view, budget)).report.fits


async def test_a_summary_of_which_nothing_holds_any_more_leaves_a_line() -> None:
    policy, budget = Summarize(ExtractiveSummarizer()), Budget(200)
    said = [Segment("Never deploy on Fridays."), *CHATTER]
    assert "Fridays" in summaries(await policy.fit(words(said), budget))[0].content
    said += [Segment("Forget the rule about Friday deploys."), *CHATTER]
    (line,) = summaries(await policy.fit(words(said), budget))
    assert line.content.endswith(NOTHING)
