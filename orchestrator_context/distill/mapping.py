"""The map phase: one note for each piece, each different text read once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import anyio

from orchestrator_context.distill.asking import Asker
from orchestrator_context.distill.crew import Crew
from orchestrator_context.distill.cutting import Cutter, Piece
from orchestrator_context.distill.notes import MarkedNote, Passage, joined, understood
from orchestrator_context.distill.options import DistillOptions
from orchestrator_context.distill.progress import Progress
from orchestrator_context.exceptions import (
    CheckpointError,
    ContextError,
    ContextOverflowError,
    DistillError,
    ProviderRejectedError,
)
from orchestrator_context.models import Source
from orchestrator_context.reports import FailedChunk

Put = Callable[[int, MarkedNote | None], None]

_HOPELESS = frozenset({401, 403, 404})  # what fails like this fails for every chunk
_TASKS_PER_CALL = 2  # pieces waiting for each call in flight


@dataclass(frozen=True, slots=True)
class Unread:
    """A chunk whose calls failed.

    Attributes:
        source: where it stands.
        digest: hash of its text.
        characters: length of its text.
        reason: the last error.
    """

    source: Source
    digest: bytes
    characters: int
    reason: str


@dataclass(slots=True)
class Readings:
    """What became of the pieces.

    Attributes:
        unread: chunks without a note, by position among the different texts.
        irrelevant: chunks that say nothing on the question.
        copied: chunks equal to an earlier one.
        characters: of all chunks.
        copies: for the digest of a chunk, where it stood first and where else.
    """

    unread: dict[int, Unread] = field(default_factory=dict[int, Unread])
    irrelevant: int = 0
    copied: int = 0
    characters: int = 0
    copies: dict[bytes, tuple[Source, list[Source]]] = field(
        default_factory=dict[bytes, tuple[Source, list[Source]]]
    )

    @property
    def characters_unread(self) -> int:
        """Characters of all chunks without a note, copies of them included."""
        return sum(
            unread.characters * (1 + len(self._copies(unread))) for unread in self.unread.values()
        )

    def failed(self) -> tuple[FailedChunk, ...]:
        """Return the chunks without a note in the order of the source, each with its copies."""
        return tuple(
            FailedChunk(source, unread.reason)
            for _, unread in sorted(self.unread.items())
            for source in (unread.source, *self._copies(unread))
        )

    def _copies(self, unread: Unread) -> list[Source]:
        return self.copies[unread.digest][1] if unread.digest in self.copies else []


class Mapper:
    """Reads pieces as they come.

    Args:
        asker: makes the calls.
        cutter: halves pieces that the service finds too large.
        options: what a failed call means, and the concurrency, which bounds the pieces held.
        progress: is told of every piece.
        crew: runs the calls.
        put: receives each note with its position among the different texts.
    """

    def __init__(
        self,
        asker: Asker,
        cutter: Cutter,
        options: DistillOptions,
        progress: Progress,
        crew: Crew,
        put: Put,
    ) -> None:
        self.readings = Readings()
        self._asker = asker
        self._cutter = cutter
        self._on_error = options.on_error
        self._progress = progress
        self._crew = crew
        self._put = put
        self._places = anyio.Semaphore(_TASKS_PER_CALL * options.concurrency)
        self._first: dict[bytes, Source] = {}

    @property
    def texts(self) -> int:
        """Different texts seen so far."""
        return len(self._first)

    async def add(self, piece: Piece) -> None:
        """Start reading a piece; waits while enough of them are under way."""
        self._progress.chunks += 1
        self.readings.characters += len(piece.chunk.text)
        source = piece.chunk.source
        first = self._first.setdefault(piece.digest, source)
        if first is not source:
            self.readings.copied += 1
            self.readings.copies.setdefault(piece.digest, (first, []))[1].append(source)
            self._done(piece)
            return
        position = len(self._first) - 1
        await self._places.acquire()
        self._crew.start(partial(self._read, position, piece))

    async def _read(self, position: int, piece: Piece) -> None:
        note = None
        try:
            note = await self._noted(piece, piece.digest)
            self.readings.irrelevant += note is None
        except (DistillError, CheckpointError):
            raise
        except Exception as error:
            if self._on_error == "raise" or _is_hopeless(error):
                raise
            self.readings.unread[position] = Unread(
                source=piece.chunk.source,
                digest=piece.digest,
                characters=len(piece.chunk.text),
                reason=_reason(error),
            )
        finally:
            self._places.release()
        self._put(position, note)
        self._done(piece)

    async def _noted(self, piece: Piece, digest: bytes) -> MarkedNote | None:
        """Return the note on a piece, or None where it says nothing on the question.

        Args:
            piece: what to read.
            digest: of the whole chunk, also where the piece is a half of it.
        """
        try:
            answer = await self._asker.ask(piece.prompt)
        except ContextOverflowError:
            if not (halves := self._cutter.halves(piece)):
                raise
            notes = [note for half in halves if (note := await self._noted(half, digest))]
            return joined(notes) if notes else None
        places = [Passage(passage.source, digest) for passage in piece.passages]
        whole = [Passage(piece.chunk.source, digest)]
        return understood(answer, piece.prompt.prefix, places, whole)

    def _done(self, piece: Piece) -> None:
        self._progress.chunks_done += 1
        self._progress.characters_done += len(piece.chunk.text)
        self._progress.step()


def _reason(error: Exception) -> str:
    """Return the error in words; those of others may quote what they were given."""
    name = type(error).__name__
    return f"{name}: {error}" if isinstance(error, ContextError) else name


def _is_hopeless(error: Exception) -> bool:
    return isinstance(error, ProviderRejectedError) and error.status in _HOPELESS
