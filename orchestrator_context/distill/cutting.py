"""From documents to pieces: what one map call reads, cut so that its prompt fits the window."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from orchestrator_context.distill.prompts import Prompt, PromptBook, shown_path
from orchestrator_context.distill.sizing import Sizing, shared
from orchestrator_context.exceptions import WindowTooSmallError
from orchestrator_context.languages.detect import detect_language
from orchestrator_context.models import Chunk, Document
from orchestrator_context.reports import Skipped
from orchestrator_context.source.chunk import passages, split_document
from orchestrator_context.text import clean, is_blank, is_title_only

_PROSE = (None, "markdown", "restructuredtext")


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk that is ready to be sent.

    Attributes:
        chunk: the text and where it stands.
        passages: its citable parts.
        prompt: the map call that reads it.
        digest: hash of the text.
    """

    chunk: Chunk
    passages: tuple[Chunk, ...]
    prompt: Prompt
    digest: bytes


@dataclass(frozen=True, slots=True)
class Cutter:
    """Cuts documents for one run.

    Attributes:
        book: writes the prompts.
        sizes: what fits.
        passage_tokens: size of the citable parts.
    """

    book: PromptBook
    sizes: Sizing
    passage_tokens: int

    def cut(self, document: Document, index: int) -> Iterator[Piece | Skipped]:
        """Yield the pieces of a document in order, or why there is nothing in it to read."""
        document = _cleaned(document)
        if is_blank(document.content):
            yield Skipped(document.path, index, "empty")
        elif _is_prose(document) and is_title_only(document.content):
            yield Skipped(document.path, index, "title only")
        else:
            counter = self.book.profile.counter
            name_tokens = counter.count(shown_path(document.path))
            room = self.sizes.text_tokens(name_tokens, self.passage_tokens)
            for chunk in split_document(document, room, counter=counter):
                yield from self._fitted(chunk, room)

    def halves(self, piece: Piece) -> list[Piece]:
        """Return the piece cut in about two, for a server that finds it too large.

        Their notes together may be as long as its note: a server that finds pieces too large
        would find the notes too large as well.
        """
        counter = self.book.profile.counter
        size = -(-counter.count(piece.chunk.text) // 2)
        if size < 1 or len(parts := passages(piece.chunk, max(1, size), counter=counter)) < 2:
            return []
        each = shared(piece.prompt.max_output_tokens, len(parts))
        return [self._piece(part, each) for part in parts]

    def _fitted(self, chunk: Chunk, room: int) -> Iterator[Piece]:
        """Yield the chunk, or smaller ones where tokens joined across marks came out too many."""
        if is_blank(chunk.text):
            return
        piece = self._piece(chunk, self.sizes.note_tokens)
        limit = self.sizes.prompt_room
        if limit is None or piece.prompt.tokens <= limit:
            yield piece
            return
        if room <= 1:
            raise WindowTooSmallError(
                f"not even one token of a document fits beside its path of "
                f"{len(chunk.source.path)} characters and the prompt; use a larger window",
                needed=piece.prompt.tokens,
                available=limit,
            )
        smaller = room // 2
        for part in passages(chunk, smaller, counter=self.book.profile.counter):
            yield from self._fitted(part, smaller)

    def _piece(self, chunk: Chunk, note_tokens: int) -> Piece:
        parts = passages(chunk, self.passage_tokens, counter=self.book.profile.counter)
        prompt = self.book.read(chunk.source, parts, note_tokens)
        return Piece(chunk, parts, prompt, _digest(chunk.text))


def _cleaned(document: Document) -> Document:
    path, content = clean(document.path), clean(document.content)
    if path is document.path and content is document.content:
        return document
    return replace(document, path=path, content=content)


def _is_prose(document: Document) -> bool:
    """Return whether `#` begins a heading there, not the comment of a program."""
    return (document.language or detect_language(document.path)) in _PROSE


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
