"""What views must be like, told in the plainest way, however slow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import pytest

from orchestrator_context.conversation.grouping import repaired
from orchestrator_context.conversation.policy import ContextPolicy
from orchestrator_context.conversation.report import Span
from orchestrator_context.conversation.view import View, finalize
from orchestrator_context.messages import message_runs
from orchestrator_context.models import Budget, Segment


def fitted(policy: ContextPolicy, view: View, budget: Budget) -> View:
    """Fit a small view, which never waits for anything."""
    fitting = policy.fit(view, budget)
    with pytest.raises(StopIteration) as done:
        fitting.send(None)
    after = done.value.value
    assert isinstance(after, View)
    return after


def is_user_turn(segment: Segment) -> bool:
    return segment.role == "user" and segment.kind in ("turn", "media", "document", "custom")


class Pairs:
    """Which result answers which call: by id, the first call that waits, else the last answered."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.pairs: list[tuple[int, int]] = []
        self.orphans: list[int] = []
        self.open: list[int] = []
        answered: list[int] = []
        for index, segment in enumerate(segments):
            if segment.kind == "tool_call":
                self.open.append(index)
            elif segment.kind == "tool_result":
                waiting = [one for one in self.open if segments[one].call_id == segment.call_id]
                done = [one for one in answered if segments[one].call_id == segment.call_id]
                if waiting:
                    self.open.remove(waiting[0])
                    answered.append(waiting[0])
                    self.pairs.append((waiting[0], index))
                elif done:
                    self.pairs.append((done[-1], index))
                else:
                    self.orphans.append(index)

    def dead(self, segments: Sequence[Segment]) -> list[int]:
        def left_behind(index: int) -> bool:
            turns = [at for at in range(index + 1, len(segments)) if is_user_turn(segments[at])]
            return bool(turns) and any(
                one.role == "assistant" and one.kind != "reasoning"
                for one in segments[turns[0] + 1 :]
            )

        return [index for index in self.open if left_behind(index)]


def naive_groups(segments: Sequence[Segment]) -> list[tuple[int, ...]]:
    """Put together what hangs together, until nothing more does."""
    links = set(Pairs(segments).pairs)
    start = 0
    for run in message_runs(segments):
        parts = [start + at for at, one in enumerate(run) if one.kind != "tool_result"]
        links |= set(combinations(parts, 2))
        start += len(run)
    for one, other in combinations(range(len(segments)), 2):
        if segments[one].group and segments[one].group == segments[other].group:
            links.add((one, other))
        if other == one + 1 and segments[one].kind == "reasoning":
            follows = segments[other].role == "assistant" and segments[other].kind != "tool_result"
            links |= {(one, other)} if follows else set()
    groups = [{index} for index in range(len(segments))]
    for one, other in links:
        first = next(group for group in groups if one in group)
        second = next(group for group in groups if other in group)
        if first is not second:
            groups.remove(second)
            first |= second
    return sorted(tuple(sorted(group)) for group in groups)


def fits_really(view: View, budget: Budget) -> bool:
    """Count what is sent, as nobody in the library does."""
    sent = finalize(view)
    tokens = view.counter.count_messages(sent, tools=view.tools)
    size = sum(len(one.content.encode("utf-8", "surrogatepass")) for one in sent)
    items = len(list(message_runs(sent)))
    return (
        (budget.available is None or tokens <= budget.available)
        and (budget.max_bytes is None or size <= budget.max_bytes)
        and (budget.max_items is None or items <= budget.max_items)
    )


def indices(spans: Sequence[Span]) -> list[int]:
    return [index for start, stop in spans for index in range(start, stop)]


def must_stay(segments: Sequence[Segment]) -> set[int]:
    """Name what no policy may drop: all but what is required."""
    if not segments:
        return set()
    pairs = Pairs(segments)
    users = [index for index, one in enumerate(segments) if is_user_turn(one)]
    signed = [at for at, one in enumerate(segments) if one.kind == "reasoning" and one.locked]
    stays = {len(segments) - 1, *users[-1:], *(set(pairs.open) - set(pairs.dead(segments)))}
    last_user = users[-1] if users else -1
    unfinished = segments[-1].kind in ("tool_call", "tool_result")
    if unfinished and signed and signed[-1] > last_user:
        stays |= set(range(max(0, last_user), len(segments)))
    return stays


def required(segments: Sequence[Segment]) -> set[int]:
    return {index for index, one in enumerate(segments) if one.is_required}


def is_framing(segment: Segment) -> bool:
    return segment.is_required and segment.required is None


def check_view(before: View, after: View, budget: Budget, *, framing: bool = True) -> None:
    """Check every promise of a view that a policy without summaries made of another one."""
    kept = range(len(after)) if after.positions is None else after.positions
    check_account(before, after, budget, list(kept))
    stays = must_stay(before.segments) | required(before.segments)
    if not framing:
        stays -= {at for at, one in enumerate(before.segments) if is_framing(one)}
    assert stays <= set(kept), "what has to stay is gone"
    for group in naive_groups(before.segments):
        assert len(set(group) & set(kept)) in (0, len(group)), "a group was torn"
    for index, segment in zip(kept, after.segments, strict=True):
        check_segment(before.segments[index], segment)
    if repaired(before.segments) and not set(kept) <= set(Pairs(before.segments).orphans):
        assert finalize(after), "an empty request"


def check_account(before: View, after: View, budget: Budget, kept: list[int]) -> None:
    report = after.report
    gone = set(Pairs(before.segments).dead(before.segments))
    dead_still = frozenset(index for index, at in enumerate(kept) if at in gone)
    plain = replace(
        View.of(after.segments, counter=after.counter, rules=after.rules, tools=after.tools),
        _dead=dead_still,
    )
    assert (after.messages, after.tokens) == (plain.messages, plain.tokens)
    assert report.fits == fits_really(after, budget)
    if report.fits:
        assert report.tokens == after.counter.count_messages(finalize(after), tools=after.tools)
    assert kept == sorted(set(kept))
    assert [before.segments[at].id for at in kept] == [one.id for one in after.segments]
    assert indices(report.dropped) == sorted(set(range(len(before))) - set(kept))
    assert (report.original_segments, report.segments) == (len(before), len(after))
    pairs = [(before.segments[at], one) for at, one in zip(kept, after.segments, strict=True)]
    assert report.elided.total == sum(old != new for old, new in pairs)
    assert report.changed == (len(kept) < len(before) or report.elided.total > 0)
    calls = Pairs(before.segments)
    dead = calls.dead(before.segments)
    assert (report.dead, report.orphans) == (len(dead), len(calls.orphans))
    assert report.pending == len(calls.open) - len(dead)
    assert report.budget == budget
    json.dumps(report.metadata())


def check_segment(old: Segment, new: Segment) -> None:
    if old == new:
        return
    assert not old.locked
    assert not old.is_required
    assert len(new.content) < len(old.content)
    if old.kind == "tool_call":
        assert isinstance(json.loads(new.content), dict)
