"""What a summary covers, and how it is brought up to date: every turn is read once."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import anyio

from orchestrator_context.conversation.report import Span
from orchestrator_context.conversation.summarizing import Summarizer, attributed, cut_to
from orchestrator_context.exceptions import SummaryError
from orchestrator_context.models import Segment
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.text import is_blank

_HEADING = re.compile(
    r"\A\[(?:Summary of (\d{1,9}) earlier turns|(\d{1,9}) earlier turns left out)\]\n?"
)


@dataclass(frozen=True, slots=True)
class Summary:
    """What stands for the turns that left the window.

    Attributes:
        text: the summary itself; "" where nobody wrote one.
        inherited: turns it covers beyond those it was made of, through summaries among them.
    """

    text: str = field(default="", repr=False)
    inherited: int = 0

    def segment(self, turns: int) -> Segment:
        """Return the summary as a part of a view, in the place of so many turns."""
        turns += self.inherited
        content = f"[{turns} earlier turns left out]"
        if self.text:
            content = f"[Summary of {turns} earlier turns]\n{self.text}"
        return Segment(content, kind="summary", id="summary")


def read_summary(segment: Segment, *, opens: bool = False) -> Summary | None:
    """Return the summary that a segment holds, or None where it is none.

    Args:
        segment: a part of a view.
        opens: whether nothing else that may leave stands before it. There, and only there, a
            heading makes a summary of any text of the user's, as of one that went through a chat
            format and back: nobody can say one later on.
    """
    known = segment.kind == "summary" or (opens and segment.role in ("user", "system"))
    found = _HEADING.match(segment.content) if known else None
    if found is not None:
        return Summary(segment.content[found.end() :], max(0, int(found[1] or found[2]) - 1))
    return Summary(segment.content) if segment.kind == "summary" else None


@dataclass(frozen=True, slots=True)
class Covered:
    """A summary, and which segments were read for it.

    Attributes:
        summary: it.
        length: those before this index,
        but: without these, which stood in the view then,
        ahead: and these behind it, which are of groups that began before it.
    """

    summary: Summary = Summary()
    length: int = 0
    but: tuple[int, ...] = ()
    ahead: tuple[int, ...] = ()

    @property
    def reach(self) -> int:
        """Index behind the last segment that was read."""
        return max(self.length, *(index + 1 for index in self.ahead), 0)

    @property
    def read(self) -> int:
        """How many segments were read."""
        return self.length - len(self.but) + len(self.ahead)

    def fresh(self, gone: Sequence[Span], kept: Collection[int]) -> list[int]:
        """Return what is in the spans that left the view, and was not read yet."""
        late = [index for index in self.but if index not in kept]
        read = frozenset(self.ahead)
        new = (index for start, stop in gone for index in range(max(start, self.length), stop))
        return late + [index for index in new if index not in read]

    def extended(
        self, summary: Summary, cut: int, fresh: Sequence[int], kept: Collection[int]
    ) -> Covered:
        """Return what `summary` covers, for which `fresh` was read too, of a view cut at `cut`."""
        unread, read = frozenset(self.but), frozenset(self.ahead)
        stood = (
            index
            for index in sorted(kept)
            if index < cut and (index in unread or (index >= self.length and index not in read))
        )
        ahead = (index for index in (*self.ahead, *fresh) if index >= cut)
        return Covered(summary, cut, tuple(stood), tuple(sorted(ahead)))


@dataclass(frozen=True, slots=True)
class Roller:
    """Brings a summary up to date.

    Attributes:
        summarizers: the first writes the summary, the next takes over where it fails.
        counter: counts its tokens.
        max_tokens: tokens of its text, at most.
        timeout_seconds: time for one of them, or None for as long as it takes.
    """

    summarizers: tuple[Summarizer, ...]
    counter: TokenCounter
    max_tokens: int
    timeout_seconds: float | None

    async def rolled(
        self, summary: Summary | None, segments: Sequence[Segment]
    ) -> tuple[Summary, tuple[str, ...]]:
        """Return the summary of what `summary` covers and of `segments`, and what failed for it.

        Summaries among the segments are not read as turns, but replaced with it. Without a
        summary so far, the first segment may be one.

        Raises:
            SummaryError: no summarizer could make it: it failed, wrote nothing or took too long.
        """
        found = [
            (segment, read_summary(segment, opens=summary is None and at == 0))
            for at, segment in enumerate(segments)
        ]
        older = [one for one in (summary, *(one for _, one in found)) if one is not None]
        fresh = [attributed(segment) for segment, one in found if one is None]
        previous = "\n".join(one.text for one in older if one.text)
        inherited = sum(one.inherited for one in older)
        if not fresh and self.counter.count(previous) <= self.max_tokens:
            return Summary(previous, inherited), ()
        failed: list[SummaryError] = []
        for summarizer in self.summarizers:
            try:
                text = await self._written(summarizer, previous, fresh)
            except SummaryError as error:
                failed.append(error)
            else:
                return Summary(text, inherited), _names(failed)
        raise SummaryError(str(failed[-1]), failures=_names(failed)) from failed[-1]

    async def _written(
        self, summarizer: Summarizer, previous: str, segments: Sequence[Segment]
    ) -> str:
        text = ""
        try:
            with anyio.move_on_after(self.timeout_seconds) as scope:
                text = await summarizer.summarize(
                    previous, segments, max_tokens=self.max_tokens, counter=self.counter
                )
            if scope.cancelled_caught:
                raise self._late()
            text = _bare(text)
        except SummaryError:
            raise
        except Exception as error:  # whatever a summariser does, the history stays as it is
            raise SummaryError(
                f"The turns could not be summarised ({type(error).__name__}); the history is "
                f"unchanged",
                failures=(type(error).__name__,),
            ) from error
        text = cut_to(text, self.max_tokens, self.counter)
        if is_blank(text):
            raise SummaryError(
                "The summary is blank; the history is unchanged", failures=("BlankSummary",)
            )
        return text

    def _late(self) -> SummaryError:
        return SummaryError(
            f"The summary was not there after {self.timeout_seconds} seconds; the history is "
            f"unchanged. Raise timeout_seconds, or pass None to wait for as long as it takes",
            failures=("TimeoutError",),
        )


def _names(failed: Sequence[SummaryError]) -> tuple[str, ...]:
    return tuple(name for error in failed for name in error.failures or ("SummaryError",))


def _bare(text: str) -> str:
    """Return what a summariser wrote without headings that it may have written itself."""
    text = text.strip()
    while (found := _HEADING.match(text)) is not None:
        text = text[found.end() :].strip()
    return text
