"""The reduce phase: makes the calls that the tree asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from orchestrator_context.distill.asking import Asker
from orchestrator_context.distill.crew import Crew
from orchestrator_context.distill.notes import MarkedNote, joined, laid_out, understood
from orchestrator_context.distill.progress import Progress
from orchestrator_context.distill.prompts import Prompt, PromptBook
from orchestrator_context.distill.sizing import Sizing
from orchestrator_context.distill.tree import Tree, Work
from orchestrator_context.exceptions import ContextOverflowError, NotReducedError
from orchestrator_context.models import Document, Generation, Usage
from orchestrator_context.prompts import MarkedText, write_marks
from orchestrator_context.source.chunk import split_document

_WIDEST_INDEX = 9_999
_SHRUNK = 0.9  # a condensed note is at most this share of what it was
_CONDENSED_SHARE = 4  # and should become this part of the room


class Reducer:
    """Joins notes until one call can see them all.

    Args:
        asker: makes the calls.
        book: writes the prompts.
        sizes: what fits.
        progress: is told of every call.
        crew: runs the calls.
    """

    def __init__(
        self, asker: Asker, book: PromptBook, sizes: Sizing, progress: Progress, crew: Crew
    ) -> None:
        self.answer: MarkedNote | None = None
        self.answer_usage: Usage | None = None
        self.truncated = 0
        self.tree: Tree[MarkedNote] = Tree(sizes.batch_tokens, self._tokens, self._start)
        self._asker = asker
        self._book = book
        self._sizes = sizes
        self._progress = progress
        self._crew = crew
        self._under_way: list[Work[MarkedNote]] = []

    def _start(self, work: Work[MarkedNote]) -> None:
        self._under_way.append(work)
        self._crew.start(partial(self._do, work))

    async def _do(self, work: Work[MarkedNote]) -> None:
        if work.step == "answer":
            self.answer = await self._answered(work.items)
        elif work.step == "merge":
            note = await self._merged(work.items, self._sizes.merged_tokens)
            self._put(work, note)
        else:
            self._put(work, await self._condensed(work))
        self._progress.step()

    def _put(self, work: Work[MarkedNote], note: MarkedNote | None) -> None:
        self._under_way.remove(work)
        self.tree.put(work.level, work.position, note)

    async def _answered(self, notes: Sequence[MarkedNote]) -> MarkedNote | None:
        texts, prefix, places = laid_out(notes, self._book.question)
        prompt = self._book.answer(texts, prefix, self._sizes.answer_tokens)
        try:
            answer = await self._ask(prompt)
        except ContextOverflowError:
            if len(notes) == 1:
                raise
            return await self._answered_in_halves(notes)
        self.answer_usage = answer.usage
        return understood(answer, prefix, places)

    async def _answered_in_halves(self, notes: Sequence[MarkedNote]) -> MarkedNote | None:
        """Return the answer from the merged halves of notes that came out too many for a call."""
        halves = [await self._merged(half, self._sizes.merged_tokens) for half in _halves(notes)]
        kept = [note for note in halves if note]
        before, after = self._sum(notes), self._sum(kept)
        if after > _SHRUNK * before:
            raise self._not_reduced(before, after)
        return await self._answered(kept) if kept else None

    async def _merged(self, notes: Sequence[MarkedNote], limit: int) -> MarkedNote | None:
        texts, prefix, places = laid_out(notes, self._book.question)
        prompt = self._book.merge(texts, prefix, limit)
        try:
            answer = await self._ask(prompt)
        except ContextOverflowError:
            if len(notes) == 1:
                raise
            halves = [await self._merged(half, limit) for half in _halves(notes)]
            kept = [note for note in halves if note]
            return joined(kept) if kept else None
        note = understood(answer, prefix, places)
        if note is not None and note.truncated:
            self.truncated += 1
        return note

    async def _condensed(self, work: Work[MarkedNote]) -> MarkedNote | None:
        """Return the note made smaller; one that fits no call is condensed in parts."""
        (note,) = work.items
        parts = list(self._parts(note))
        limit = max(1, self._sizes.batch_tokens // (_CONDENSED_SHARE * len(parts)))
        smaller = [await self._merged([part], limit) for part in parts]
        kept = [part for part in smaller if part]
        result = joined(kept) if kept else None
        before, after = self._tokens(note), self._tokens(result) if result else 0
        if after > _SHRUNK * before:
            raise self._not_reduced(before, after)
        return result

    def _not_reduced(self, before: int, after: int) -> NotReducedError:
        """Return the error for notes of `before` tokens of which `after` are left."""
        budget = self._sizes.batch_tokens
        held = sum(self._sum(work.items) for work in self._under_way)
        reached = self._sum(self.tree.standing) + held - before + after
        return NotReducedError(
            f"the model does not shorten its notes: {before} tokens came back as {after}, and all "
            f"notes together take {reached} where one call has room for {budget}. Use a model "
            "with a larger window, a smaller note_tokens, or a reducer",
            budget=budget,
            reached=reached,
        )

    def _sum(self, notes: Sequence[MarkedNote]) -> int:
        return sum(map(self._tokens, notes))

    async def _ask(self, prompt: Prompt) -> Generation:
        room = self._sizes.prompt_room
        if room is not None and prompt.tokens > room:
            raise ContextOverflowError(
                f"a reduce prompt of {prompt.tokens} tokens does not fit {room}",
                provider=self._book.profile.name,
                needed=prompt.tokens,
                available=room,
            )
        return await self._asker.ask(prompt)

    def _tokens(self, note: MarkedNote) -> int:
        """Count a note as it takes room in a prompt: with the widest marks, and a separator."""
        widest = note.marked.renumbered(lambda index: _WIDEST_INDEX + index)
        return self._book.profile.counter.count(write_marks(widest)) + 1

    def _parts(self, note: MarkedNote) -> Iterator[MarkedNote]:
        """Yield the note in parts that fit a call each, marks at their statements."""
        room = self._sizes.batch_tokens
        if self._tokens(note) <= room:
            yield note
            return
        part, tokens = list[str | int](), 0
        for piece in self._small_pieces(note.marked):
            taken = self._tokens(_with(note, [piece]))
            if part and tokens + taken > room:
                yield _with(note, part)
                part, tokens = [], 0
            part.append(piece)
            tokens += taken
        yield _with(note, part)

    def _small_pieces(self, marked: MarkedText) -> Iterator[str | int]:
        size = max(1, self._sizes.batch_tokens // 2)
        for piece in marked.pieces:
            if isinstance(piece, str):
                cut = split_document(Document("", piece), size, self._book.profile.counter)
                yield from (chunk.text for chunk in cut)
            else:
                yield piece


def _halves(notes: Sequence[MarkedNote]) -> tuple[Sequence[MarkedNote], Sequence[MarkedNote]]:
    middle = len(notes) // 2
    return notes[:middle], notes[middle:]


def _with(note: MarkedNote, pieces: list[str | int]) -> MarkedNote:
    return replace(note, marked=MarkedText(tuple(pieces)))
