"""What of a conversation is left alone while room is made."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from orchestrator_context.conversation.ledger import Ledger
from orchestrator_context.messages import is_result


@dataclass(frozen=True, slots=True)
class Protected:
    """What is left alone.

    Attributes:
        tail: index from which on everything is.
        roots: groups before it that are not dropped, in order.
        whole: those of them that are not shortened either.
    """

    tail: int
    roots: tuple[int, ...]
    whole: tuple[int, ...]

    def spares(self, root: int) -> bool:
        """Return whether the group at `root`, before the tail, is not shortened."""
        at = bisect_left(self.whole, root)
        return at < len(self.whole) and self.whole[at] == root


def protect(
    ledger: Ledger, keep_recent: int, *, spare_digests: bool = True, opens: bool = False
) -> Protected:
    """Return what has to stay, whatever it costs, beside what is required.

    That is the newest segments with their groups, the newest thing a user said, calls that wait
    for a result, and all of an unfinished turn that holds signed reasoning. What the user said
    before the newest segments may be shortened, since it is another thing after each of them.

    Args:
        ledger: the account of the conversation.
        keep_recent: how many of the newest segments.
        spare_digests: whether summaries stay too.
        opens: whether what the user said before the newest segments stays too.
    """
    grouper, length = ledger.grouper, ledger.counted
    tail = max(0, length - max(1, keep_recent))
    user = grouper.last_user_turn
    begin = -1 if user is None else user
    last = ledger.segments[length - 1] if length else None
    unfinished = last is not None and (last.kind == "tool_call" or is_result(last))
    if unfinished and ledger.last_signed > begin:
        tail = min(tail, max(0, begin))
    spared = [*grouper.pending(), *range(tail, length)]
    spared += [] if user is None else [user]
    spared += ledger.digests if spare_digests else []
    whole = {root for root in map(grouper.root, spared) if root < tail}
    opening = grouper.user_turn_before(tail) if opens else None
    first = tail if opening is None else grouper.root(opening)
    roots = whole | {first} if first < tail else whole
    return Protected(tail, tuple(sorted(roots)), tuple(sorted(whole)))
