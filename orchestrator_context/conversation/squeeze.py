"""Shortening what has to stay, where that alone is too much: as far as it must, and no further."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from orchestrator_context.conversation.elision import elided_arguments, elided_text
from orchestrator_context.conversation.room import Change, changed, excess
from orchestrator_context.conversation.view import View
from orchestrator_context.models import Budget, Segment
from orchestrator_context.protocols import TokenCounter

_LEAST_KEPT = 40  # characters of a shortened text; less says nothing
_TEXTS = ("turn", "document", "summary", "memory", "tool_call")


def squeezed(view: View, budget: Budget, *, newest: bool, bare: bool) -> tuple[View, Change] | None:
    """Return `view` with its longest segments shortened until it fits, or None if it cannot.

    Tool results come first, then other texts. What is required or locked is left alone.

    Args:
        view: with no more than has to stay.
        budget: what it must fit.
        newest: whether the newest user turn may be shortened too.
        bare: whether no more than the markers may be left, where less is not enough.
    """
    segments, elided = list(view.segments), set[int]()
    candidates = product(
        (_LEAST_KEPT, 0) if bare else (_LEAST_KEPT,), _candidates(view, newest=newest)
    )
    while left := excess(view, budget):
        found = _shortened(segments, candidates, left, view.counter)
        if not found:
            return None
        for index, shorter in found.items():
            segments[index] = shorter
        elided.update(found)
        view = changed(view, _change(segments, elided))
    return view, _change(segments, elided)


def _change(segments: Sequence[Segment], elided: Iterable[int]) -> Change:
    return Change(tuple(segments), tuple(range(len(segments))), tuple(sorted(elided)))


def _candidates(view: View, *, newest: bool) -> list[int]:
    """Return what may be shortened, in the order in which to do it."""
    segments, user = view.segments, view.ledger.grouper.last_user_turn
    free = [
        index
        for index, segment in enumerate(segments)
        if segment.kind in ("tool_result", *_TEXTS)
        and not (segment.locked or segment.is_required)
        and (newest or index != user)
    ]

    def order(index: int) -> tuple[bool, bool, int]:
        segment = segments[index]
        return index == user, segment.kind != "tool_result", -len(segment.content)

    return sorted(free, key=order)


def _shortened(
    segments: Sequence[Segment],
    candidates: Iterator[tuple[int, int]],
    over: int,
    counter: TokenCounter,
) -> dict[int, Segment]:
    """Return shorter forms of as many candidates as it takes to save `over` tokens, by index."""
    found: dict[int, Segment] = {}
    for least, index in candidates:
        shorter, saved = _shorter(found.get(index, segments[index]), over, least, counter)
        if saved > 0:
            found[index] = shorter
            over -= saved
        if over <= 0:
            break
    return found


def _shorter(segment: Segment, over: int, least: int, counter: TokenCounter) -> tuple[Segment, int]:
    """Return `segment` with up to about `over` tokens less, and how many they are.

    At least `least` characters of it are kept.
    """
    text, best = segment.content, segment.content
    shorten = elided_arguments if segment.kind == "tool_call" else elided_text
    tokens, kept, saved = counter.count(text), len(text), 0
    while kept > least and saved < over:
        share = max(0.0, 1 - over / max(1, tokens))
        kept = max(least, min(int(len(text) * share), kept * 7 // 8))
        best = shorten(text, kept)
        saved = tokens - counter.count(best)
    return replace(segment, content=best), saved if len(best) < len(text) else 0
