"""Summaries that grow with a conversation: every turn is read once, and one summary stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio

from orchestrator_context.conversation.ledger import Ledger
from orchestrator_context.conversation.report import Span
from orchestrator_context.conversation.summarizing import Summarizer, attributed, cut_to
from orchestrator_context.exceptions import SummaryError
from orchestrator_context.models import Segment
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.text import is_blank

_HEADING = re.compile(r"\A\[(?:Summary of (\d+) earlier turns|(\d+) earlier turns left out)\]\n?")
_REMEMBERED = 1_024  # summaries


@dataclass(frozen=True, slots=True)
class Summary:
    """What stands for the turns that left the window.

    Attributes:
        text: the summary itself; "" where nobody wrote one.
        inherited: turns it covers beyond those it was made of, through summaries among them.
    """

    text: str = ""
    inherited: int = 0

    def segment(self, turns: int) -> Segment:
        """Return the summary as a part of a view, in the place of so many turns."""
        turns += self.inherited
        heading = f"[Summary of {turns} earlier turns]\n"
        content = heading + self.text if self.text else f"[{turns} earlier turns left out]"
        return Segment(content, kind="summary", id="summary")


def read_summary(segment: Segment) -> Summary | None:
    """Return the summary that a segment holds, or None where it is none.

    One that went through a chat format and back is known by its heading.
    """
    found = _HEADING.match(segment.content) if segment.role in ("user", "system") else None
    if found is not None:
        return Summary(segment.content[found.end() :], int(found[1] or found[2]) - 1)
    return Summary(segment.content) if segment.kind == "summary" else None


@dataclass(frozen=True, slots=True)
class Covered:
    """How far a summary goes.

    Attributes:
        summary: it.
        length: it covers the segments before this index,
        but: without these, which stood in the view when it was made,
        ahead: and these behind it.
    """

    summary: Summary = Summary()
    length: int = 0
    but: tuple[int, ...] = ()
    ahead: tuple[int, ...] = ()

    def fresh(self, gone: Sequence[Span], kept: Collection[int]) -> list[int]:
        """Return what is in the spans that left the view and not in the summary yet."""
        late = [index for index in self.but if index not in kept]
        read = frozenset(self.ahead)
        new = (index for start, stop in gone for index in range(max(start, self.length), stop))
        return late + [index for index in new if index not in read]

    def extended(
        self, summary: Summary, cut: int, fresh: Sequence[int], kept: Collection[int]
    ) -> Covered:
        """Return how far `summary` goes, which covers `fresh` too, of a view cut at `cut`."""
        stood = [index for index in kept if index < cut]
        ahead = [index for index in (*self.ahead, *fresh) if index >= cut]
        return Covered(summary, cut, tuple(stood), tuple(ahead))


class SummaryMemory:
    """The summaries made so far, by the turns they cover. It holds 1,024, the last used."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, Covered] = OrderedDict()
        self._lengths: list[int] = []
        self._locks: dict[bytes, anyio.Lock] = {}

    @asynccontextmanager
    async def reading(self, ledger: Ledger) -> AsyncGenerator[None]:
        """Keep two from reading the turns of one conversation at once."""
        key = ledger.digest(min(1, len(ledger)))
        lock = self._locks.setdefault(key, anyio.Lock())
        async with lock:
            yield
        if not lock.statistics().tasks_waiting:
            self._locks.pop(key, None)

    def longest(self, ledger: Ledger, length: int, key: bytes) -> Covered:
        """Return the summary of most of the first `length` segments."""
        for at in range(bisect_right(self._lengths, length) - 1, -1, -1):
            name = key + ledger.digest(self._lengths[at])
            if name in self._known:
                self._known.move_to_end(name)
                return self._known[name]
        return Covered()

    def keep(self, ledger: Ledger, covered: Covered, key: bytes) -> None:
        """Remember a summary."""
        self._known[key + ledger.digest(covered.length)] = covered
        at = bisect_right(self._lengths, covered.length)
        if at == 0 or self._lengths[at - 1] != covered.length:
            self._lengths.insert(at, covered.length)
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)


@dataclass(frozen=True, slots=True)
class Roller:
    """Brings a summary up to date.

    Attributes:
        summarizer: writes it.
        counter: counts its tokens.
        max_tokens: tokens of its text, at most.
        timeout_seconds: time for it, or None for as long as it takes.
    """

    summarizer: Summarizer
    counter: TokenCounter
    max_tokens: int
    timeout_seconds: float | None

    async def rolled(self, summary: Summary, segments: Sequence[Segment]) -> Summary:
        """Return the summary of what `summary` covers and of `segments`.

        Raises:
            SummaryError: it could not be made, was blank or came too late.
        """
        older = [found for found in map(read_summary, segments) if found is not None]
        texts = [one.text for one in (summary, *older) if one.text]
        fresh = [attributed(segment) for segment in segments if read_summary(segment) is None]
        text = await self._written("\n".join(texts), fresh)
        return Summary(text, summary.inherited + sum(one.inherited for one in older))

    async def _written(self, previous: str, segments: Sequence[Segment]) -> str:
        try:
            with anyio.fail_after(self.timeout_seconds):
                text = await self.summarizer.summarize(
                    previous, segments, max_tokens=self.max_tokens, counter=self.counter
                )
        except SummaryError:
            raise
        except Exception as error:  # whatever a summariser does, the history stays as it is
            raise SummaryError(
                f"The turns could not be summarised ({type(error).__name__}); the history is "
                f"unchanged",
                failures=(type(error).__name__,),
            ) from error
        text = cut_to(text.strip(), self.max_tokens, self.counter)
        if is_blank(text):
            raise SummaryError(
                "The summary is blank; the history is unchanged", failures=("BlankSummary",)
            )
        return text
