"""Which parts of a content are shown where it does not fit, and the marks that say so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from anyio import to_thread

from orchestrator_context.conversation.offload.cutting import beginning, shrunk
from orchestrator_context.conversation.offload.handles import Handle
from orchestrator_context.conversation.offload.lines import Span, line_count, lines_of
from orchestrator_context.conversation.offload.passages import cut, relevant
from orchestrator_context.conversation.offload.preview import Entry, outline, outline_text
from orchestrator_context.conversation.offload.recalled import Recalled
from orchestrator_context.exceptions import BudgetExceededError
from orchestrator_context.prompts import free_nonce
from orchestrator_context.protocols import TokenCounter

_MARKS = "Marks like this one tell what is left out; to read it, name its lines"
_PASSAGES = 12  # how many of them an answer to a query has room for
_PASSAGE_CHARACTERS = (80, 2_000)
_SAMPLE_CHARACTERS = 4_000
_MISSES = 24  # passages in a row that do not fit before no more are tried
_INLINE_CHARACTERS = 4_000  # the event loop should not wait for more than this


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that may be the answer, and the parts of the content that it shows."""

    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Reading:
    """A request and the content that it is made to.

    Attributes:
        content: all of it.
        handle: what it was stored under.
        span: the part that is asked for.
        query: what to look for, or None.
        max_tokens: tokens of the answer at most.
        counter: counts them.
    """

    content: str = field(repr=False)
    handle: Handle
    span: Span
    query: str | None
    max_tokens: int
    counter: TokenCounter

    async def recalled(self) -> Recalled:
        """Return the answer, found in a worker thread where the content is long.

        Raises:
            BudgetExceededError: `max_tokens` has no room for one character and the marks.
        """
        if len(self.content) <= _INLINE_CHARACTERS:
            return self.answer()
        return await to_thread.run_sync(self.answer, abandon_on_cancel=True)

    def answer(self) -> Recalled:
        """Return the answer."""
        start, end = self.span
        if beginning(self.content, self.span, self.max_tokens, self.counter.count) == end:
            spans = (self.span,) if start < end else ()
            return self._result(Draft(self.content[start:end], spans), complete=True)
        if self.query is None:
            return self._result(self._shrunk(self._first_lines))
        passages = list(cut(self.content, self.span, self._passage_characters()))
        order = relevant(self.query, self.content, passages, title=self.handle.title)
        ranking = [passages[at] for at in order]

        def best(room: int) -> Draft:
            return self._best(ranking, room)

        draft = self._shrunk(best if ranking else self._outlined)
        return self._result(draft, matches=len(ranking))

    def _first_lines(self, room: int) -> Draft:
        opening = f"a part of {self._whence} {_MARKS}"
        return self._written(opening, (self._head(room),))

    def _outlined(self, room: int) -> Draft:
        told = outline_text(self._outline, room // 3, self.counter.count)
        opening = f"nothing matches the query in {self._whence} Try other words, or `lines`"
        if told:
            opening += f"]\n[{self._nonce}: outline]\n{told}\n[{self._nonce}: the beginning"
        return self._written(opening, (self._head(room - self.counter.count(told)),))

    def _best(self, ranking: Sequence[Span], room: int) -> Draft:
        spans = self._affordable(ranking, room)
        if not spans:
            start, _ = first = ranking[0]
            spans = [(start, beginning(self.content, first, room, self.counter.count))]
        passages = f"{len(spans)} of {len(ranking)} passages that match the query"
        opening = f"{passages}, from {self._whence} {_MARKS}"
        return self._written(opening, _merged(spans))

    def _affordable(self, ranking: Sequence[Span], room: int) -> list[Span]:
        """Return as many of the passages as fit one by one, of equal ones the first."""
        chosen: dict[str, Span] = {}
        misses = 0
        last = (self.span[1] - 1, self.span[1])  # its mark is as long as any
        mark = self.counter.count(self._mark(last, last))
        for start, end in ranking:
            text = self.content[start:end]
            if text in chosen:
                continue
            price = self.counter.count(text) + mark
            if price <= room:
                chosen[text] = (start, end)
                room -= price
                misses = 0
            elif (misses := misses + 1) == _MISSES:
                break
        return list(chosen.values())

    def _head(self, room: int) -> Span:
        return self.span[0], beginning(self.content, self.span, max(0, room), self.counter.count)

    def _written(self, opening: str, spans: Sequence[Span]) -> Draft:
        """Return the parts, each under a mark that tells its lines and those left out before it."""
        shown = tuple(span for span in spans if span[0] < span[1])
        lines = [f"[{self._nonce}: {opening}]"]
        at = self.span[0]
        for span in shown:
            lines.append(self._mark((at, span[0]), span))
            lines.append(self.content[slice(*span)].removesuffix("\n"))
            at = span[1]
        if at < self.span[1]:
            lines.append(self._mark((at, self.span[1])))
        return Draft("\n".join(lines), shown)

    def _mark(self, left_out: Span, shown: Span | None = None) -> str:
        parts: list[str] = []
        if left_out[0] < left_out[1]:
            parts.append(f"left out: lines {lines_of(self.content, left_out)}")
        if shown is not None:
            parts.append(f"here: lines {lines_of(self.content, shown)}")
        return f"[{self._nonce}: {'; '.join(parts)}]"

    def _shrunk(self, make: Callable[[int], Draft]) -> Draft:
        """Return the draft that fits.

        Raises:
            BudgetExceededError: none does that shows anything.
        """
        draft = shrunk(make, self._tokens, self.max_tokens)
        if draft is None or not draft.spans:
            needed = self._tokens(make(1)) + 8
            raise BudgetExceededError(
                f"max_tokens is {self.max_tokens}, and a part of a content takes {needed} tokens "
                "with the marks that tell what is left out; raise it",
                needed=needed,
                available=self.max_tokens,
            )
        return draft

    def _tokens(self, draft: Draft) -> int:
        return self.counter.count(draft.text)

    def _result(
        self, draft: Draft, *, complete: bool = False, matches: int | None = None
    ) -> Recalled:
        return Recalled(
            text=draft.text,
            handle=self.handle.name,
            lines=tuple(lines_of(self.content, span) for span in draft.spans),
            total_lines=self._total,
            tokens=self._tokens(draft),
            max_tokens=self.max_tokens,
            complete=complete,
            exact=self.counter.exact,
            matches=matches,
        )

    def _passage_characters(self) -> int:
        """Return the length of a passage of which several fit, by the tokens of the first ones."""
        sample = self.content[self.span[0] : min(self.span[0] + _SAMPLE_CHARACTERS, self.span[1])]
        tokens = max(1, self.counter.count(sample))
        least, most = _PASSAGE_CHARACTERS
        return max(least, min(most, self.max_tokens * len(sample) // (tokens * _PASSAGES)))

    @cached_property
    def _nonce(self) -> str:
        return free_nonce(self.content)

    @cached_property
    def _total(self) -> int:
        return line_count(self.content)

    @cached_property
    def _outline(self) -> tuple[Entry, ...]:
        return outline(self.content, self.handle.title, self._nonce)

    @property
    def _whence(self) -> str:
        whole = self.span == (0, len(self.content))
        part = "" if whole else f"lines {lines_of(self.content, self.span)} of "
        return f"{part}{self.handle}, which has {self._total} line{'s' * (self._total != 1)}."


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Return the spans in order, those that touch as one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged
