"""The accounts of histories that were compacted lately, so that one that grew is not counted anew.

Callers without a memory hand over the whole history each time. Its account is found by the segments
themselves, which readers such as `from_openai_chat` give again for messages that did not change.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from operator import is_

from orchestrator_context.conversation.lately import Lately, held
from orchestrator_context.conversation.ledger import Ledger
from orchestrator_context.models import Segment


class _Account:
    """An account that knows how much its segments keep in memory, with their originals."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.characters = held(_texts(ledger.segments))

    def __len__(self) -> int:
        return len(self.ledger)

    def extend(self, segments: Sequence[Segment]) -> None:
        """Take down the next segments."""
        for segment in segments:
            self.ledger.append(segment)
        self.characters += held(_texts(segments))


_ACCOUNTS = Lately[_Account]()


@contextmanager
def account_of(segments: Sequence[Segment], fresh: Ledger) -> Generator[Ledger]:
    """Lend the account of `segments`: a known one that has taken down the last of them too.

    Args:
        segments: a whole history.
        fresh: a new account of it, which is lent where none is known.
    """

    def suits(known: _Account) -> bool:
        fitting = len(known) <= len(segments) and known.ledger.alike(fresh)
        return fitting and all(map(is_, known.ledger.segments, segments))

    account = _ACCOUNTS.taken(suits) or _Account(fresh)
    account.extend(segments[len(account) :])
    try:
        yield account.ledger
    finally:
        _ACCOUNTS.keep(account)


def _texts(segments: Sequence[Segment]) -> Iterator[object]:
    for segment in segments:
        yield segment.content
        yield segment.metadata
        for one in segment.media:
            yield one.data
            yield one.url
