"""The accounts of histories that were compacted lately, so that one that grew is not counted anew.

Callers without a memory hand over the whole history each time. Its account is found by the segments
themselves, which readers such as `from_openai_chat` give again for messages that did not change.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from operator import is_

from orchestrator_context.conversation.lately import Lately
from orchestrator_context.conversation.ledger import Ledger
from orchestrator_context.models import Segment

_ACCOUNTS = Lately[Ledger]()


@contextmanager
def account_of(segments: Sequence[Segment], fresh: Ledger) -> Generator[Ledger]:
    """Lend the account of `segments`: a known one that has taken down the last of them too.

    Args:
        segments: a whole history.
        fresh: a new account of it, which is lent where none is known.
    """

    def suits(known: Ledger) -> bool:
        fitting = len(known) <= len(segments) and known.alike(fresh)
        return fitting and all(map(is_, known.segments, segments))

    ledger = _ACCOUNTS.taken(suits) or fresh
    for segment in segments[len(ledger) :]:
        ledger.append(segment)
    try:
        yield ledger
    finally:
        _ACCOUNTS.keep(ledger)
