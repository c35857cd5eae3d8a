"""The newest turns of a conversation, whatever they cost."""

from __future__ import annotations

from collections.abc import Sequence, Set

from orchestrator_context.conversation.fitting import members
from orchestrator_context.conversation.grouping import is_user_turn
from orchestrator_context.conversation.ledger import Ledger
from orchestrator_context.conversation.protection import protect
from orchestrator_context.conversation.room import Change
from orchestrator_context.conversation.view import View
from orchestrator_context.messages import is_result
from orchestrator_context.models import Segment


def last_turns(
    view: View, keep_last: int, *, slide: int = 1, keep_framing: bool = True
) -> Change | None:
    """Return the last groups that are not required, beside those that are, or None if that is all.

    Groups are in the order of their last segments. Those that `protect` names are among them. The
    others begin with a user turn where some are left out, as `_opened` says.

    Args:
        view: what to take them from.
        keep_last: how many groups to keep at most, beside those that `protect` names.
        slide: the number of those that are left out is a multiple of it.
        keep_framing: whether to keep what is required by its kind; the newest of all stays anyway.
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
    newest = _newest(ledger, turns - len(stay) - out, stay)
    stay |= _opened(ledger, newest, stay.union(ledger.required)) if out else set(newest)
    kept = members(ledger, stay.union(ledger.required) - framing)
    if len(kept) == len(view):
        return None
    segments = tuple(ledger.segments[index] for index in kept)
    return Change(segments, tuple(kept), alone=tuple(ledger.alone[index] for index in kept))


def _newest(ledger: Ledger, count: int, beside: Set[int]) -> list[int]:
    """Return the roots of the last `count` groups not required nor among `beside`, newest first."""
    newest: dict[int, None] = {}
    index = ledger.counted
    while len(newest) < count:
        index -= 1
        root = ledger.grouper.root(index)
        if root not in beside and not ledger.is_required(root):
            newest[root] = None
    return list(newest)


def _opened(ledger: Ledger, newest: Sequence[int], stay: Set[int]) -> set[int]:
    """Return the groups of `newest` from the first user turn on.

    Where that is none of them, the user turn before them takes the place of the oldest, if there is
    more than one place. They all stay where they begin with none in the whole conversation either.

    Args:
        ledger: the account of the conversation.
        newest: roots of groups, the newest first.
        stay: roots of the groups that are kept beside them.
    """
    if not newest or _begins_well(ledger, min(newest), stay):
        return set(newest)
    first = min(newest)
    turns = (root for root in (*newest, *stay) if is_user_turn(ledger.segments[root]))
    turn = min((root for root in turns if root > first), default=first)
    behind, rest = {root for root in newest if root >= turn}, newest[:-1]
    if behind or not rest:
        return behind
    before = ledger.grouper.user_turn_before(min(rest))
    opens = before is not None and ledger.grouper.root(before) == before
    return {before, *rest} if before is not None and opens else behind


def _begins_well(ledger: Ledger, root: int, stay: Set[int]) -> bool:
    """Return whether a view may begin at `root`: no user turn that it follows is left out."""
    before = ledger.grouper.user_turn_before(root)
    answers = ledger.segments[root].role == "assistant" or is_result(ledger.segments[root])
    return before is None or not answers or ledger.grouper.root(before) in stay


def _framing(ledger: Ledger) -> set[int]:
    """Return the required groups of nothing but what is so by its kind, without the newest one."""
    newest = ledger.grouper.root(ledger.counted - 1)
    return {
        root
        for root in ledger.required
        if root != newest
        and all(_is_framing(ledger.segments[index]) for index in ledger.grouper.members(root))
    }


def _is_framing(segment: Segment) -> bool:
    return segment.required is None and segment.is_required
