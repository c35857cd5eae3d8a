"""Shortening what has to stay, where that alone is too much: as far as it must, and no further."""

from __future__ import annotations

from dataclasses import replace

from orchestrator_context.conversation.elision import elided_arguments, elided_text
from orchestrator_context.conversation.report import Elisions
from orchestrator_context.conversation.room import Change, changed, excess
from orchestrator_context.conversation.view import View
from orchestrator_context.models import Budget, Segment
from orchestrator_context.protocols import TokenCounter

_LEAST_KEPT = 40  # characters of a shortened text; less says nothing
_TEXTS = ("turn", "document", "summary", "memory", "tool_call")


def squeezed(view: View, budget: Budget, *, newest: bool) -> tuple[View, Change] | None:
    """Return `view` with its longest segments shortened until it fits, or None if it cannot.

    Tool results come first, then other texts. What is required or locked is left alone.

    Args:
        view: with no more than has to stay.
        budget: what it must fit.
        newest: whether the newest user turn may be shortened too.
    """
    segments = list(view.segments)
    kinds: list[str] = []
    for index in _candidates(view, newest=newest):
        left = excess(view, budget)
        if left == 0:
            break
        shorter = _shortened(segments[index], left, view.counter)
        if shorter is not None:
            segments[index] = shorter
            kinds.append(shorter.kind)
            view = changed(view, Change(tuple(segments), tuple(range(len(segments)))))
    if excess(view, budget):
        return None
    return view, Change(tuple(segments), tuple(range(len(segments))), Elisions.of(kinds))


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


def _shortened(segment: Segment, over: int, counter: TokenCounter) -> Segment | None:
    """Return `segment` with about `over` tokens less, or None where it has little to give."""
    text, best = segment.content, segment.content
    shorten = elided_arguments if segment.kind == "tool_call" else elided_text
    tokens, kept = counter.count(text), len(text)
    while kept > _LEAST_KEPT and tokens - counter.count(best) < over:
        share = max(0.0, 1 - over / max(1, tokens))
        kept = max(_LEAST_KEPT, min(int(len(text) * share), kept * 7 // 8))
        best = shorten(text, kept)
    return replace(segment, content=best) if len(best) < len(text) else None
