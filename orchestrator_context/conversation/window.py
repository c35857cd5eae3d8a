"""The newest turns of a conversation, whatever they cost."""

from __future__ import annotations

from collections.abc import Container

from orchestrator_context.conversation.fitting import members
from orchestrator_context.conversation.ledger import Ledger
from orchestrator_context.conversation.protection import protect
from orchestrator_context.conversation.room import Change
from orchestrator_context.conversation.view import View
from orchestrator_context.models import Segment


def last_turns(
    view: View, keep_last: int, *, slide: int = 1, keep_framing: bool = True
) -> Change | None:
    """Return the last groups that are not required, beside those that are, or None if that is all.

    Groups are in the order of their last segments. Those that `protect` names are among them.

    Args:
        view: what to take them from.
        keep_last: how many groups to keep.
        slide: the number of those that are left out is a multiple of it.
        keep_framing: whether to keep what is required by its kind.
    """
    ledger = view.ledger
    protected = protect(ledger, 1, spare_digests=False)
    stay = {ledger.grouper.root(index) for index in range(protected.tail, ledger.counted)}
    stay = {root for root in (*protected.roots, *stay) if not ledger.is_required(root)}
    turns = ledger.grouper.count - len(ledger.required)
    out = -(-max(0, turns - keep_last) // slide) * slide
    framing = set[int]() if keep_framing or not turns else _framing(ledger)
    if out == 0 and not framing:
        return None
    stay |= _newest(ledger, turns - len(stay) - out, stay)
    kept = members(ledger, stay.union(ledger.required) - framing)
    if len(kept) == len(view):
        return None
    segments = tuple(ledger.segments[index] for index in kept)
    return Change(segments, tuple(kept), alone=tuple(ledger.alone[index] for index in kept))


def _newest(ledger: Ledger, count: int, beside: Container[int]) -> set[int]:
    """Return the roots of the last `count` groups that are not required nor among `beside`."""
    newest: set[int] = set()
    index = ledger.counted
    while len(newest) < count:
        index -= 1
        root = ledger.grouper.root(index)
        if root not in beside and not ledger.is_required(root):
            newest.add(root)
    return newest


def _framing(ledger: Ledger) -> set[int]:
    """Return the required groups that hold nothing but what is required by its kind."""
    return {
        root
        for root in ledger.required
        if all(_is_framing(ledger.segments[index]) for index in ledger.grouper.members(root))
    }


def _is_framing(segment: Segment) -> bool:
    return segment.required is None and segment.is_required
