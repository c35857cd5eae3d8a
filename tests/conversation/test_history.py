from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.blocks import NO_RESULT
from orchestrator_context.conversation.formats import to_openai_chat
from orchestrator_context.conversation.history import (
    HistoryCompaction,
    HistoryOptions,
    compact_history,
)
from orchestrator_context.exceptions import (
    BudgetExceededError,
    ConfigurationError,
    UnknownWindowError,
)
from orchestrator_context.models import Budget, Segment
from orchestrator_context.protocols import TokenCounter
from tests.conversation.references import Pairs
from tests.conversation.strategies import (
    COUNTERS,
    IMAGE,
    O200K,
    WORDS,
    assistant,
    call,
    conversations,
    named,
    note,
    result,
    system,
    user,
)

LONG = "word " * 300


def compacted(
    segments: list[Segment], room: int, *, counter: TokenCounter = WORDS, **options: object
) -> HistoryCompaction:
    made = HistoryOptions.from_mapping(options)
    return compact_history(segments, Budget(room), counter=counter, options=made)


def exchange(number: int, text: str = LONG, arguments: str = "{}") -> list[Segment]:
    name = f"c{number}"
    return [user(f"q{number}"), call(name, arguments), result(name, text), assistant(f"a{number}")]


def test_what_fits_is_the_same() -> None:
    history = [system(), *exchange(1), user("now")]
    done = compacted(history, 10_000)
    assert done.segments == tuple(history)
    assert done.fits
    assert not done.report.changed
    assert done.report.complete


@pytest.mark.parametrize("room", [10_000, 330])
def test_what_comes_back_has_a_result_for_every_call_that_was_left_behind(room: int) -> None:
    history = [
        *exchange(1), user("go"), call("x"), user("well?"), assistant("no"), result("?"), call("y")
    ]  # fmt: skip
    done = compacted(history, room)
    answer = next(one for one in done.segments if one.content == NO_RESULT)
    assert answer.call_id == "x"
    before, after = (done.segments[done.segments.index(answer) + at] for at in (-1, 1))
    assert before is history[5]
    assert after is history[6]
    assert done.segments[-1] is history[-1]
    assert all(one.call_id != "?" for one in done.segments)
    assert (done.report.dead, done.report.pending, done.report.orphans) == (1, 1, 1)
    assert not done.report.complete
    assert WORDS.count_messages(done.segments) == done.report.tokens <= room
    sent = to_openai_chat(done.segments)
    assert [one["tool_call_id"] for one in sent if one["role"] == "tool"][-1] == "x"


def test_results_go_before_arguments_and_texts_before_turns() -> None:
    history = named(
        [
            system("S"),
            user(LONG),
            call("a", '{"body": "' + LONG + '"}'),
            result("a", LONG),
            assistant(LONG),
            *[user("small") for _ in range(5)],
            user("now"),
        ]
    )
    seen: list[tuple[int, ...]] = []
    for room in range(1_250, 10, -10):
        try:
            report = compacted(list(history), room, low_water=1, keep_recent=1).report
        except BudgetExceededError:
            break
        elided = report.elided
        step = (elided.results, elided.arguments, elided.texts, report.dropped_count)
        seen += [step] if step not in seen[-1:] else []
    assert seen[:5] == [(0, 0, 0, 0), (1, 0, 0, 0), (1, 1, 0, 0), (1, 1, 1, 0), (1, 1, 2, 0)]
    assert all(dropped for *_, dropped in seen[5:])


def test_the_newest_segments_are_left_alone_as_long_as_that_is_possible() -> None:
    history = [system("S"), *exchange(1), *exchange(2), user("now")]
    done = compacted(history, 400, keep_recent=5, low_water=1)
    assert done.segments[-5:] == tuple(history[-5:])
    assert done.report.elided.results == 1
    tight = compacted(history, 200, keep_recent=5)
    assert tight.fits
    assert tight.segments[-1] == history[-1]


def test_short_texts_are_left_alone() -> None:
    history = [system("S"), *[user("word " * 39) for _ in range(9)], user("now")]
    done = compacted(history, 150)
    assert done.report.elided.total == 0
    assert done.report.dropped_count > 0


def test_images_are_not_shortened_and_one_token_too_much_takes_no_whole_text() -> None:
    history = [user("look", media=(IMAGE,)), result("?"), *exchange(1, "x " * 3_000), user("now")]
    view_tokens = O200K.count_messages([one for one in history if one.call_id != "?"])
    done = compacted(history, view_tokens - 1, counter=O200K, keep_recent=1)
    shorter = next(one for one in done.segments if one.call_id == "c1" and one.role == "tool")
    assert shorter.content.startswith("x x")
    assert shorter.content.endswith("x x ")
    assert "[... 5400 characters elided ...]" in shorter.content
    assert done.segments[0] == history[0]
    assert done.report.orphans == 1


def test_huge_arguments_are_shortened_before_the_whole_turn_goes() -> None:
    history = [system("S"), *exchange(1, "ok", '{"body": "' + "word " * 26_000 + '"}'), user("now")]
    done = compacted(history, 1_000, keep_recent=1)
    assert done.report.elided.arguments == 1
    assert done.report.dropped_count == 0
    assert len(done.segments) == len(history)


class TestWhatHasToStayIsTooMuch:
    SYSTEM = system("rule " * 500)
    HISTORY = (SYSTEM, *[user("old " * 50) for _ in range(10)], user("ask " * 300))

    @pytest.mark.parametrize("room", [400, 799])
    def test_the_error_says_how_much_is_needed(self, room: int) -> None:
        with pytest.raises(BudgetExceededError, match="800") as caught:
            compacted(list(self.HISTORY), room)
        assert (caught.value.needed, caught.value.available) == (800, room)

    def test_what_is_just_enough_is_enough(self) -> None:
        done = compacted(list(self.HISTORY), 800)
        assert done.segments == (self.HISTORY[0], self.HISTORY[-1])

    @pytest.mark.parametrize("room", [0, -5])
    def test_no_room_is_no_budget(self, room: int) -> None:
        with pytest.raises(ConfigurationError, match="max_tokens"):
            compacted(list(self.HISTORY), room)

    def test_an_unknown_window_is_refused(self) -> None:
        with pytest.raises(UnknownWindowError):
            compact_history(self.HISTORY, Budget(), counter=WORDS)

    @pytest.mark.parametrize("room", [530, 600, 700, 799])
    def test_the_newest_turn_is_shortened_where_that_is_asked_for(self, room: int) -> None:
        done = compacted(list(self.HISTORY), room, truncates_newest=True)
        assert done.fits
        assert WORDS.count_messages(done.segments) <= room
        assert done.segments[0] is self.SYSTEM
        assert "characters elided ...]" in done.segments[-1].content
        shortened = ["elided ...]" in one.content for one in done.segments]
        assert done.report.elided.texts == sum(shortened)

    def test_or_it_comes_back_and_says_so(self) -> None:
        done = compacted(list(self.HISTORY), 400, on_overflow="return")
        assert done.segments == (self.HISTORY[0], self.HISTORY[-1])
        assert not done.fits
        assert "OVER its budget" in done.summary()
        assert done.metadata()["fits"] is False
        assert not done.event().complete


def test_a_huge_newest_result_is_shortened_and_leaves_room_for_the_turns_before() -> None:
    history = [
        system("S"),
        *exchange(1, "small result"),
        user("read"),
        call("a"),
        result("a", LONG * 9),
    ]
    done = compacted(history, 500)
    assert done.fits
    assert done.report.elided.results == 1
    assert done.report.dropped_count == 0
    assert len(done.segments[-1].content) > 500


def test_without_dropping_everything_stays_in_some_form() -> None:
    history = [system("S"), *exchange(1), *exchange(2), note("n"), user("now")]
    done = compacted(history, 200, drops=False)
    assert [one.kind for one in done.segments] == [one.kind for one in history]
    with pytest.raises(BudgetExceededError):
        compacted(history, 10, drops=False)


@given(conversations(), st.sampled_from(COUNTERS), st.integers(1, 300))
@settings(deadline=None)
def test_calls_and_results_stay_together_and_again_changes_nothing(
    segments: tuple[Segment, ...], counter: TokenCounter, room: int
) -> None:
    options = HistoryOptions(on_overflow="return", min_characters=20)
    done = compact_history(segments, Budget(room), counter=counter, options=options)
    before, after = Pairs(segments), Pairs(done.segments)
    ids = [segment.id for segment in segments]
    kept = [segment.id for segment in done.segments if segment.content != NO_RESULT]
    assert sorted(kept) == sorted(one for one in ids if one in kept)
    others = [one.id for one in segments if one.kind != "tool_result" and one.id in kept]
    assert [one for one in kept if one in others] == others
    for one, other in before.pairs:
        assert (ids[one] in kept) == (ids[other] in kept)
    assert not after.orphans
    waiting = {ids[at] for at in set(before.open) - set(before.dead(segments))}
    assert {done.segments[at].id for at in after.open} <= waiting
    if done.fits:
        assert counter.count_messages(done.segments) == done.report.tokens <= room
        again = compact_history(done.segments, Budget(room), counter=counter, options=options)
        assert again.segments == done.segments


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("keep_recent", -1),
        ("keep_recent", "3"),
        ("low_water", 1.5),
        ("low_water", True),
        ("min_characters", 0),
        ("drops", 1),
        ("truncates_newest", "no"),
        ("on_overflow", "ignore"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(field: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=f"HistoryOptions.{field}"):
        HistoryOptions.from_mapping({field: value})


def test_options_are_data() -> None:
    options = HistoryOptions(keep_recent=2, low_water=0.5, drops=False)
    assert HistoryOptions.from_mapping(options.to_mapping()) == options
    with pytest.raises(ConfigurationError, match="keep_last"):
        HistoryOptions.from_mapping({"keep_last": 1})


@dataclass(frozen=True)
class Tally:
    """Counts words, and notes what it was asked to count."""

    asked: list[str] = field(default_factory=list[str], compare=False)
    name: str = "tally"
    exact: bool = True

    def count(self, text: str) -> int:
        return len(text.split())

    def count_messages(
        self, messages: Sequence[Segment], *, tools: Sequence[Mapping[str, object]] = ()
    ) -> int:
        self.asked.extend(one.content for one in messages)
        return WORDS.count_messages(messages, tools=tools)


class TestTheSameHistoryAgain:
    def test_what_was_counted_is_not_counted_again(self) -> None:
        history = named([user(f"{number} " + "word " * 9) for number in range(200)])
        counter = Tally()
        compact_history(history, Budget(300), counter=counter)
        counter.asked.clear()
        more = (*history, user("and 7 more"))
        done = compact_history(more, Budget(300), counter=counter)
        kept = {one.content for one in done.segments}
        assert set(counter.asked) <= {"", "and 7 more", *kept}
        assert more[-1] is done.segments[-1]

    @given(
        conversations(min_size=8, max_size=14),
        st.sampled_from(COUNTERS),
        st.integers(1, 200),
        st.data(),
    )
    @settings(deadline=None)
    def test_a_history_that_grows_is_compacted_as_one_that_is_new(
        self,
        segments: tuple[Segment, ...],
        counter: TokenCounter,
        room: int,
        data: st.DataObject,
    ) -> None:
        options = HistoryOptions(on_overflow="return", min_characters=20, low_water=0.7)

        def outcome(history: tuple[Segment, ...]) -> object:
            done = compact_history(history, Budget(room), counter=counter, options=options)
            return done.segments, done.report

        for length in range(8, len(segments) + 1):
            part = segments[: data.draw(st.integers(7, length))]
            fresh = tuple(map(replace, part))
            assert outcome(part) == outcome(fresh)

    def test_another_counter_and_other_tools_count_for_themselves(self) -> None:
        history = [system(), *[user("word " * 20) for _ in range(30)]]
        tools = [{"name": "read", "description": "level " * 50}]
        for counter in (O200K, WORDS, O200K):
            for given_tools in ((), tools, ()):
                done = compact_history(history, Budget(400), counter=counter, tools=given_tools)
                assert done.report.tokens == counter.count_messages(
                    done.segments, tools=given_tools
                )
                assert done.fits
