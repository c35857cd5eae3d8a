"""Whatever is handed over by mistake is refused by name, before any work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from orchestrator_context import (
    Budget,
    ConfigurationError,
    HistoryOptions,
    HistoryPolicy,
    Participant,
    Segment,
    Transcript,
    View,
    compact_history,
    diagnose_cache,
    finalize,
    from_openai_chat,
    hit_share,
    prefix_hashes,
    recall,
    segment_hashes,
    segment_to_mapping,
    to_anthropic,
    to_openai_chat,
    to_openai_responses,
    with_cache_locks,
)
from orchestrator_context.policies import (
    Chain,
    DropOldest,
    ElideMiddle,
    SlidingWindow,
    Strict,
    Summarize,
)
from orchestrator_context.testing import ScriptedGenerator

MESSAGES = cast("Any", [{"role": "user", "content": "confidential"}])
HISTORY = [Segment("Hello!")]
WRONG: list[Any] = [None, 5, True, "confidential", b"x", {"a": 1}, MESSAGES, [None], Segment]

TAKES_SEGMENTS: list[Callable[[Any], object]] = [
    View.of,
    to_anthropic,
    to_openai_chat,
    to_openai_responses,
    prefix_hashes,
    segment_hashes,
    with_cache_locks,
    lambda wrong: compact_history(wrong, Budget(100)),
    lambda wrong: diagnose_cache(wrong, HISTORY),
    lambda wrong: hit_share(HISTORY, wrong),
    lambda wrong: _debate().view("Ann", extra=wrong),
]


def _debate() -> Transcript:
    return Transcript([Participant("Ann"), Participant("Bob")])


@pytest.mark.parametrize("take", TAKES_SEGMENTS)
@pytest.mark.parametrize("wrong", WRONG)
def test_what_are_no_segments_is_refused(take: Callable[[Any], object], wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"must (hold|be a list of) segments") as caught:
        take(wrong)
    assert "confidential" not in str(caught.value)


def test_messages_in_the_place_of_segments_are_told_what_reads_them() -> None:
    with pytest.raises(ConfigurationError, match="from_openai_chat"):
        compact_history(MESSAGES, Budget(100))
    assert compact_history(from_openai_chat(MESSAGES), Budget(100)).fits


def test_segments_come_from_anything_that_can_be_gone_through() -> None:
    class Marked(Segment):
        __slots__ = ()

    given = [Marked("a"), Segment("b")]
    assert View.of(cast("Any", iter(given))).segments == tuple(given)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("counter", "gpt-5"),
        ("counter", DropOldest),
        ("rules", None),
        ("rules", "gemma"),
        ("tools", None),
        ("tools", {"name": "search"}),
        ("tools", ["search"]),
        ("participant", 5),
    ],
)
def test_a_view_refuses_what_it_cannot_use(name: str, wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match=name):
        View.of(HISTORY, **{name: wrong})


@pytest.mark.anyio
@pytest.mark.parametrize(
    "policy",
    [DropOldest(), ElideMiddle(), SlidingWindow(), Strict(), Summarize(), Chain(DropOldest())],
)
async def test_policies_refuse_what_is_no_view_and_no_budget(policy: Any) -> None:
    for wrong in (*WRONG, HISTORY):
        with pytest.raises(ConfigurationError, match="view must be a View"):
            await policy.fit(wrong, Budget(100))
        with pytest.raises(ConfigurationError, match="budget must be a Budget"):
            await policy.fit(View.of(HISTORY), wrong)


def test_what_is_no_view_rule_option_or_segment_is_refused() -> None:
    wrong = cast("Any", {"keep_recent": 1})
    with pytest.raises(ConfigurationError, match="view must be a View"):
        finalize(cast("Any", HISTORY))
    with pytest.raises(ConfigurationError, match="rules must be a TemplateRules"):
        finalize(View.of(HISTORY), wrong)
    with pytest.raises(ConfigurationError, match="options must be a HistoryOptions"):
        compact_history(HISTORY, Budget(100), options=wrong)
    with pytest.raises(ConfigurationError, match="not the class HistoryOptions"):
        compact_history(HISTORY, Budget(100), options=cast("Any", HistoryOptions))
    with pytest.raises(ConfigurationError, match="segment must be a Segment"):
        segment_to_mapping(wrong)


@pytest.mark.parametrize("wrong", [None, 5, "Ann", ["Ann"], Participant, {"Ann": 1}])
def test_a_transcript_refuses_what_are_no_participants(wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"[Pp]articipant"):
        Transcript(wrong)


@pytest.mark.parametrize("wrong", [None, 5, True, [], ["Ann"], {"Ann": 1}, [[]], object()])
def test_a_transcript_refuses_what_it_cannot_use(wrong: Any) -> None:
    debate = _debate()
    with pytest.raises(ConfigurationError, match="There is no participant"):
        debate.append(wrong, "Yes.")
    with pytest.raises(ConfigurationError, match="There is no participant"):
        debate.view(wrong)
    if wrong != []:  # a turn of no parts is one that says nothing
        with pytest.raises(ConfigurationError):
            debate.append("Ann", wrong)
    if wrong is not None and wrong not in ([], ["Ann"]):
        with pytest.raises(ConfigurationError):
            debate.moderate("Stop.", visible_to=wrong)
    assert all(not entry.segments for entry in debate.entries)


def test_names_come_from_anything_that_can_be_gone_through() -> None:
    debate = Transcript([Participant("Ann"), Participant("Bob"), Participant("Cy")])
    debate.append("Ann", "A secret.", visible_to=cast("Any", (name for name in ["Bob"])))
    assert [len(debate.view(name)) for name in ("Ann", "Bob", "Cy")] == [1, 1, 0]


def test_counters_and_policies_are_given_by_name() -> None:
    saved = _debate().to_mapping()
    for name in ("counters", "policies"):
        with pytest.raises(ConfigurationError, match=f"{name} must be a mapping"):
            Transcript.from_mapping(saved, **{name: cast("Any", [DropOldest()])})


@pytest.mark.anyio
async def test_recall_refuses_what_is_no_store() -> None:
    with pytest.raises(ConfigurationError, match="store must be an OffloadStore"):
        await recall("offload-1", store=cast("Any", "results.sqlite"))


@pytest.mark.parametrize("wrong", [None, 5, "openai:gpt-5", DropOldest, DropOldest(), lambda x: x])
def test_only_a_generator_is_wrapped(wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match="takes a generator"):
        HistoryPolicy().wrap(wrong)
    with pytest.raises(ConfigurationError, match="takes a generator"):
        HistoryPolicy(enabled=False).wrap(wrong)


def test_an_observer_is_a_function() -> None:
    with pytest.raises(ConfigurationError, match="observer must be a function"):
        HistoryPolicy().wrap(ScriptedGenerator(), observer=cast("Any", "print"))
