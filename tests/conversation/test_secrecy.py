"""Neither a repr nor an error nor a log tells what was said."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import structlog

from orchestrator_context import (
    Budget,
    ContextError,
    ExtractiveSummarizer,
    HistoryOptions,
    HistoryPolicy,
    Media,
    ModelSummarizer,
    OffloadStore,
    Participant,
    Segment,
    SummaryMemory,
    Transcript,
    View,
    compact_history,
    diagnose_cache,
    finalize,
    from_anthropic,
    from_openai_chat,
    log_events,
    policy_from_mapping,
    segment_from_mapping,
    segment_to_mapping,
    to_anthropic,
    to_openai_chat,
)
from orchestrator_context.conversation import group
from orchestrator_context.conversation.rolling import Covered, Summary
from orchestrator_context.events import Event
from orchestrator_context.policies import (
    Chain,
    DropOldest,
    ElideMiddle,
    Offload,
    SlidingWindow,
    Strict,
    Summarize,
)
from orchestrator_context.testing import ScriptedGenerator

SECRET = "xyzzy"
LONG = f"{SECRET} pump " * 300

SAID = (
    Segment(f"{SECRET} rules", "system", "system"),
    Segment(LONG, media=(Media("image", url=SECRET, data=SECRET),), metadata={"raw": SECRET}),
    Segment(json.dumps({SECRET: LONG}), "assistant", "tool_call", title="look", call_id="c"),
    Segment(LONG, "tool", "tool_result", title="look", call_id="c"),
    Segment(LONG, "assistant"),
    Segment(f"{SECRET}?"),
)


def debate() -> Transcript:
    people = [
        Participant("Ann", system=SECRET, briefing=SECRET, tools=({"name": SECRET},)),
        Participant("Bob"),
    ]
    talk = Transcript(people, shared_system=SECRET, opening=SECRET)
    talk.append("Ann", SECRET)
    return talk


@pytest.mark.parametrize(
    "make",
    [
        lambda: SAID,
        lambda: View.of(SAID, tools=[{"name": SECRET}]),
        lambda: finalize(View.of(SAID)),
        lambda: debate().participants,
        lambda: debate().entries,
        lambda: debate().view("Bob"),
        lambda: group(SAID),
        lambda: compact_history(SAID, Budget(900)),
        lambda: to_anthropic(SAID[:1] + SAID[-1:]),
        lambda: (Summary(SECRET), Covered(Summary(SECRET), 3)),
        lambda: ModelSummarizer(ScriptedGenerator(lambda _: SECRET), SECRET),
        lambda: HistoryPolicy().wrap(ScriptedGenerator(lambda _: SECRET)),
        lambda: diagnose_cache(View.of(SAID), View.of(SAID[1:])).metadata(),
        lambda: diagnose_cache(View.of(SAID), View.of(SAID[1:])),
    ],
)
def test_no_repr_tells_it(make: Callable[[], object]) -> None:
    assert SECRET not in repr(make())


@pytest.mark.anyio
async def test_no_report_event_or_log_tells_it(tmp_path: Path) -> None:
    async with OffloadStore(tmp_path / "store.sqlite") as store:
        for policy in (
            DropOldest(),
            SlidingWindow(keep_last=1),
            ElideMiddle(),
            Summarize(ExtractiveSummarizer(), keep_recent=1),
            Chain(Offload(store, min_tokens=50), ElideMiddle(), mode="each"),
        ):
            view = await policy.fit(View.of(SAID), Budget(600))
            assert view.report.changed
            told = [repr(view), view.report.summary(), json.dumps(view.report.metadata())]
            assert SECRET not in "".join([*told, logged(view.report.event()), repr(policy)])


def logged(event: Event) -> str:
    with structlog.testing.capture_logs() as entries:
        log_events()(event)
    assert entries
    return repr(entries)


def refuse(_: object) -> Exception:
    return RuntimeError(SECRET)


BROKEN = Segment(f'{{"{SECRET}', "assistant", "tool_call", title="look", call_id="c")


@pytest.mark.anyio
@pytest.mark.parametrize(
    "policy",
    [
        Strict(),
        DropOldest(),
        SlidingWindow(),
        ElideMiddle(drops=False),
        Summarize(ExtractiveSummarizer()),
        Summarize(ScriptedGenerator(refuse), keep_recent=1),
        Chain(Summarize(ScriptedGenerator(refuse)), Strict()),
    ],
    ids=lambda policy: policy.kind,
)
async def test_no_policy_tells_it_when_it_fails(policy: Any) -> None:
    room = 10 if not isinstance(policy, Summarize) or policy.keep_recent > 1 else 700
    with pytest.raises(ContextError) as caught:
        await policy.fit(View.of(SAID), Budget(room))
    assert SECRET not in str(caught.value) + repr(caught.value)


@pytest.mark.parametrize(
    "use",
    [
        lambda: debate().append(LONG, "Ann"),
        lambda: debate().append("Ann", [SECRET]),  # type: ignore[list-item]
        lambda: debate().append("Ann", [Segment(SECRET, "system", "system")]),
        lambda: debate().append("Ann", [Segment(SECRET)], visible_to=SECRET),
        lambda: Participant("Ann", policy=SECRET),  # type: ignore[arg-type]
        lambda: Participant("Ann", counter=SECRET),  # type: ignore[arg-type]
        lambda: Participant("Ann", budget=SECRET),  # type: ignore[arg-type]
        lambda: Summarize(SECRET),  # type: ignore[arg-type]
        lambda: Summarize(fallback=SECRET),  # type: ignore[arg-type]
        lambda: ModelSummarizer(SECRET),  # type: ignore[arg-type]
        lambda: HistoryPolicy(policy=SECRET),  # type: ignore[arg-type]
        lambda: HistoryPolicy(options=SECRET),  # type: ignore[arg-type]
        lambda: HistoryOptions.from_mapping(SECRET),  # type: ignore[arg-type]
        lambda: policy_from_mapping([SECRET]),
        lambda: policy_from_mapping({"kind": LONG}),
        lambda: policy_from_mapping({"kind": "summarize", LONG: 1}),
        lambda: policy_from_mapping({"kind": "summarize", "summarizer": LONG}),
        lambda: policy_from_mapping({"kind": "strict"}, summarizer=SECRET),
        lambda: DropOldest(keep_recent=LONG),  # type: ignore[arg-type]
        lambda: Participant("Ann", reasoning=LONG),  # type: ignore[arg-type]
        lambda: Segment("x", LONG),  # type: ignore[arg-type]
        lambda: segment_from_mapping(SECRET),
        lambda: segment_from_mapping({"content": SECRET, "media": SECRET}),
        lambda: segment_to_mapping(Segment(SECRET, metadata={"raw": SECRET.encode()})),
        lambda: Transcript.from_mapping({"version": 1, "entries": [SECRET]}),
        lambda: to_anthropic([BROKEN]),
        lambda: to_openai_chat([Segment(SECRET, "assistant", media=(Media("image"),))]),
        lambda: from_openai_chat([{"role": "user", "content": 3, "name": SECRET}]),
        lambda: from_anthropic([{"role": "user", "content": {SECRET: SECRET}}]),
    ],
)
def test_no_refusal_tells_it(use: Callable[[], object]) -> None:
    with pytest.raises(ContextError) as caught:
        use()
    assert SECRET not in str(caught.value)


@pytest.mark.anyio
async def test_no_damaged_memory_tells_it(tmp_path: Path) -> None:
    path = tmp_path / "summaries.sqlite"
    policy = Summarize(ExtractiveSummarizer(), keep_recent=1, memory=path)
    await policy.fit(View.of(SAID), Budget(700))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE summaries SET covered = ?", (f"[{SECRET}",))
    connection.close()
    again = Summarize(ExtractiveSummarizer(), keep_recent=1, memory=SummaryMemory(path))
    with pytest.raises(ContextError) as caught:
        await again.fit(View.of(SAID), Budget(700))
    assert SECRET not in str(caught.value)
