"""The reduce phase: makes the calls that the tree asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from anyio import to_thread

from orchestrator_context.distill.asking import Asker
from orchestrator_context.distill.crew import Crew
from orchestrator_context.distill.notes import MarkedNote, joined, laid_out, spanning, understood
from orchestrator_context.distill.options import DistillOptions
from orchestrator_context.distill.progress import Progress
from orchestrator_context.distill.prompts import Prompt, PromptBook
from orchestrator_context.distill.sizing import Sizing, shared
from orchestrator_context.distill.tree import Tree, Work
from orchestrator_context.exceptions import (
    ContextOverflowError,
    DistillError,
    NotReducedError,
    ProviderError,
)
from orchestrator_context.models import Document, Generation, Usage
from orchestrator_context.prompts import MarkedText, write_marks
from orchestrator_context.source.chunk import split_document

_WIDEST_INDEX = 9_999
_SHRUNK = 0.9  # a condensed note is at most this share of what it was
_CONDENSED_SHARE = 4  # and should become this part of the room
_INLINE_CHARACTERS = 100_000  # counting more than that would hold up other tasks


class Reducer:
    """Joins notes until one call can see them all.

    Attributes:
        answer: the final note, once it is there; None if the model found nothing relevant.
        has_answered: whether it is there.
        answer_usage: what the service counted for it.
        truncated: merged notes that stopped at their output limit.
        unknown: marks in merged notes that named nothing.

    Args:
        asker: makes the calls.
        book: writes the prompts.
        sizes: what fits.
        options: what a failed call means.
        progress: is told of every call.
        crew: runs the calls.
    """

    def __init__(
        self,
        asker: Asker,
        book: PromptBook,
        sizes: Sizing,
        options: DistillOptions,
        progress: Progress,
        crew: Crew,
    ) -> None:
        self.answer: MarkedNote | None = None
        self.has_answered = False
        self.answer_usage: Usage | None = None
        self.truncated = self.unknown = 0
        self._on_error = options.on_error
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

    @property
    def standing(self) -> list[MarkedNote]:
        """The notes that hold what was read so far: those in the tree and those under way."""
        return [*self.tree.standing, *(note for work in self._under_way for note in work.items)]

    async def _do(self, work: Work[MarkedNote]) -> None:
        try:
            await self._done(work)
        except ProviderError as error:
            if self._on_error == "raise":
                raise
            raise DistillError(
                f"the notes could not be joined: {type(error).__name__}: {error}"
            ) from error
        self._progress.step()

    async def _done(self, work: Work[MarkedNote]) -> None:
        if work.step == "answer":
            self.answer = await self._answered(work.items)
            self.has_answered = True
            return
        if work.step == "merge":
            note = await self._merged(work.items, self._sizes.merged_tokens)
        else:
            note = await self._condensed(work.items[0])
        self._under_way.remove(work)
        self.tree.put(work.level, work.position, note)

    async def _answered(self, notes: Sequence[MarkedNote]) -> MarkedNote | None:
        texts, prefix, places = laid_out(notes, self._book.question)
        prompt = await self._written(self._book.answer, texts, prefix, self._sizes.answer_tokens)
        try:
            answer = await self._ask(prompt)
        except ContextOverflowError:
            if len(halves := self._halves(notes)) < 2:
                raise
            return await self._answered_in_halves(notes, halves)
        self.answer_usage = answer.usage
        return understood(answer, prefix, places)

    async def _answered_in_halves(
        self, notes: Sequence[MarkedNote], halves: Sequence[Sequence[MarkedNote]]
    ) -> MarkedNote | None:
        """Return the answer from the merged halves of notes that came out too many for a call."""
        merged = [await self._merged(half, self._sizes.merged_tokens) for half in halves]
        before, after = self._sum(notes), self._sum(merged)
        if after > _SHRUNK * before:
            raise self._not_reduced(before, after, others=0)
        return await self._answered(merged)

    async def _merged(self, notes: Sequence[MarkedNote], limit: int) -> MarkedNote:
        """Return one note for several. One without a source gets all of theirs.

        A model that finds nothing relevant in notes that are is not believed.
        """
        texts, prefix, places = laid_out(notes, self._book.question)
        prompt = await self._written(self._book.merge, texts, prefix, limit)
        try:
            answer = await self._ask(prompt)
        except ContextOverflowError:
            if len(halves := self._halves(notes)) < 2:
                raise
            # Together no longer than one note may be, or what is too large for the service grows.
            each = shared(limit, len(halves))
            return joined([await self._merged(half, each) for half in halves])
        note = understood(answer, prefix, places, spanning(places))
        if note is None:
            return joined(notes)
        self.truncated += note.truncated
        self.unknown += len(note.unknown)
        return note

    async def _condensed(self, note: MarkedNote) -> MarkedNote:
        """Return the note made smaller; one that fits no call is condensed in parts."""
        parts = list(self._parts(note, self._sizes.batch_tokens))
        limit = max(1, self._sizes.batch_tokens // (_CONDENSED_SHARE * len(parts)))
        before, smaller = self._tokens(note), list[MarkedNote]()
        for part in parts:
            smaller.append(await self._merged([part], limit))
            if (after := self._sum(smaller)) > _SHRUNK * before:  # the rest would be in vain
                raise self._not_reduced(before, after, self._sum(self.standing) - before)
        return joined(smaller)

    def _not_reduced(self, before: int, after: int, others: int) -> NotReducedError:
        """Return the error for notes of `before` tokens of which `after` are left beside others."""
        budget = self._sizes.batch_tokens
        reached = after + others
        return NotReducedError(
            f"the model does not shorten its notes: {before} tokens came back as {after}, and all "
            f"notes together take {reached} where one call has room for {budget}. Use a model "
            "with a larger window, a smaller note_tokens, or a reducer",
            budget=budget,
            reached=reached,
        )

    def _sum(self, notes: Sequence[MarkedNote]) -> int:
        return sum(map(self._tokens, notes))

    async def _written(
        self,
        write: Callable[[Sequence[str], str, int], Prompt],
        texts: Sequence[str],
        prefix: str,
        limit: int,
    ) -> Prompt:
        """Return a prompt; a large one is written and counted in a worker thread."""
        if sum(map(len, texts)) < _INLINE_CHARACTERS:
            return write(texts, prefix, limit)
        return await to_thread.run_sync(write, texts, prefix, limit)

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
        return self._book.profile.counter.count(write_marks(widest, ranges=True)) + 1

    def _halves(self, notes: Sequence[MarkedNote]) -> Sequence[Sequence[MarkedNote]]:
        """Return the notes in two groups, a single one in parts; one group if it has none."""
        if len(notes) > 1:
            middle = len(notes) // 2
            return notes[:middle], notes[middle:]
        return [[part] for part in self._parts(notes[0], max(1, self._tokens(notes[0]) // 2))]

    def _parts(self, note: MarkedNote, room: int) -> Iterator[MarkedNote]:
        """Yield the note in parts of at most `room` tokens, marks at their statements."""
        if self._tokens(note) <= room:
            yield note
            return
        part, tokens = list[str | int](), 0
        for piece in self._small_pieces(note.marked, max(1, room // 2)):
            taken = self._tokens(_with(note, [piece]))
            if part and tokens + taken > room:
                part, rest = _cut(part, piece)
                yield _with(note, part)
                part, tokens = rest, sum(self._tokens(_with(note, [one])) for one in rest)
            part.append(piece)
            tokens += taken
        yield _with(note, part)

    def _small_pieces(self, marked: MarkedText, size: int) -> Iterator[str | int]:
        for piece in marked.pieces:
            if isinstance(piece, str):
                cut = split_document(Document("", piece), size, counter=self._book.profile.counter)
                yield from (chunk.text for chunk in cut)
            else:
                yield piece


def _cut(part: list[str | int], following: str | int) -> tuple[list[str | int], list[str | int]]:
    """Return a full part, and what must go with the piece behind it: a mark has its statement."""
    strings = (at for at in range(len(part) - 1, 0, -1) if isinstance(part[at], str))
    cut = next(strings, 0) if isinstance(following, int) else 0
    return (part[:cut], part[cut:]) if cut else (part, [])


def _with(note: MarkedNote, pieces: list[str | int]) -> MarkedNote:
    """Return a note of some pieces of another, with the passages that they name."""
    marked = MarkedText(tuple(pieces))
    used = marked.indexes
    numbers = {old: new for new, old in enumerate(used)}
    places = tuple(note.passages[index] for index in used) or note.passages
    return replace(note, marked=marked.renumbered(numbers.get), passages=places)
