"""Notes on their way through the tree: text whose marks are passages of known place."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator_context.models import Generation, Note, Source
from orchestrator_context.prompts import (
    NOTHING_RELEVANT,
    MarkedText,
    free_prefix,
    mark,
    read_marks,
    write_marks,
)
from orchestrator_context.reports import Citation
from orchestrator_context.text import clean

_NO_LETTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A citable place.

    Attributes:
        source: document and lines.
        chunk: digest of the chunk it is part of, by which copies of it are found.
        members: the places it stands for, where one mark names several.
    """

    source: Source
    chunk: bytes = b""
    members: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedNote:
    """A note with its passages.

    Attributes:
        marked: the text; its indexes point into `passages`.
        passages: the places it cites, each once.
        truncated: the model stopped at its output limit.
        unknown: marks the model wrote that name nothing; they are not in `marked`.
    """

    marked: MarkedText
    passages: tuple[Passage, ...]
    truncated: bool = False
    unknown: tuple[str, ...] = ()

    def shown(self) -> Note:
        """Return the note as callers see it."""
        note = _single(self)
        prefix = free_prefix([note.marked.plain])
        sources = tuple(passage.source for passage in note.passages)
        return Note(write_marks(note.marked, prefix), sources, note.truncated)


def understood(
    answer: Generation, prefix: str, passages: Sequence[Passage], whole: Sequence[Passage] = ()
) -> MarkedNote | None:
    """Return what a model wrote with its marks resolved, or None where it found nothing relevant.

    Args:
        answer: the model's text.
        prefix: letters of the marks in its prompt.
        passages: what the marks name, in the order of their numbers.
        whole: cited for the text as a whole where it holds no valid mark.
    """
    written = read_marks(clean(answer.text).strip(), prefix)
    if _says_nothing(written.plain):
        return None
    unknown = tuple(mark(i, prefix) for i in written.indexes if not 0 <= i < len(passages))
    used = [i for i in written.indexes if 0 <= i < len(passages)]
    numbers = {old: new for new, old in enumerate(used)}
    note = MarkedNote(
        marked=written.renumbered(numbers.get),
        passages=tuple(passages[i] for i in used),
        truncated=answer.finish_reason == "length",
        unknown=unknown,
    )
    if used or not whole:
        return note
    marked = MarkedText((*note.marked.pieces, " ", *range(len(whole))))
    return replace(note, marked=marked, passages=tuple(whole))


def spanning(passages: Sequence[Passage]) -> list[Passage]:
    """Return one passage that stands for all: for each document, from its first to its last.

    One, so that text whose model writes no marks does not grow with the number of its sources.
    """
    documents: dict[str, list[Passage]] = {}
    for passage in passages:
        for member in passage.members or (passage,):
            documents.setdefault(member.source.path, []).append(member)
    each = tuple(
        found[0] if len(found) == 1 else Passage(_span([one.source for one in found]))
        for found in documents.values()
    )
    return list(each) if len(each) < 2 else [Passage(each[0].source, members=each)]


def _span(sources: Sequence[Source]) -> Source:
    first = min(sources, key=lambda source: (source.start_line, source.start_column))
    last = max(sources, key=lambda source: (source.end_line, source.end_column or sys.maxsize))
    return replace(first, end_line=last.end_line, end_column=last.end_column)


def joined(notes: Sequence[MarkedNote]) -> MarkedNote:
    """Return several notes as one, unchanged, one below the other."""
    places, numbered = _numbered(notes)
    pieces: list[str | int] = []
    for marked in numbered:
        pieces += ["\n\n", *marked.pieces] if pieces else marked.pieces
    return MarkedNote(
        marked=MarkedText(tuple(pieces)),
        passages=places,
        truncated=any(note.truncated for note in notes),
        unknown=tuple(name for note in notes for name in note.unknown),
    )


def laid_out(
    notes: Sequence[MarkedNote], question: str = ""
) -> tuple[list[str], str, tuple[Passage, ...]]:
    """Return notes for one prompt: their texts, the prefix of their marks, and what those name.

    Args:
        notes: what the prompt will show.
        question: what else it shows; no mark is to look like a part of it.
    """
    places, numbered = _numbered(notes)
    prefix = free_prefix([question, *(marked.plain for marked in numbered)])
    return [write_marks(marked, prefix, ranges=True) for marked in numbered], prefix, places


def cited(
    note: MarkedNote, copies: dict[bytes, tuple[Source, list[Source]]]
) -> tuple[str, tuple[Citation, ...]]:
    """Return the final text and its citations.

    Args:
        note: the answer.
        copies: for the digest of a chunk that occurs more than once, where it stood first and
            where else.
    """
    order = note.marked.indexes
    numbers = {old: new for new, old in enumerate(order)}
    marked = note.marked.renumbered(numbers.get)
    prefix = free_prefix([marked.plain])
    citations = tuple(
        Citation(mark(number, prefix), passage.source, _copies(passage, copies))
        for number, old in enumerate(order)
        for passage in note.passages[old].members or (note.passages[old],)
    )
    return write_marks(marked, prefix).strip(), citations


def _says_nothing(text: str) -> bool:
    """Return whether `text` is `NOTHING_RELEVANT`, however it is marked up."""
    return _NO_LETTERS.sub(" ", text).strip().upper() == NOTHING_RELEVANT


def _single(note: MarkedNote) -> MarkedNote:
    """Return the note with a mark for each place."""
    if not any(passage.members for passage in note.passages):
        return note
    places: list[Passage] = []
    numbers: list[range] = []
    for passage in note.passages:
        start = len(places)
        places += passage.members or (passage,)
        numbers.append(range(start, len(places)))
    pieces = [
        single
        for piece in note.marked.pieces
        for single in ((piece,) if isinstance(piece, str) else numbers[piece])
    ]
    return replace(note, marked=MarkedText(tuple(pieces)), passages=tuple(places))


def _numbered(notes: Sequence[MarkedNote]) -> tuple[tuple[Passage, ...], list[MarkedText]]:
    """Number the passages of all notes in one row, a passage that several cite only once."""
    places: dict[Passage, int] = {}
    for note in notes:
        for passage in note.passages:
            places.setdefault(passage, len(places))
    texts = [_renumbered(note, places) for note in notes]
    return tuple(places), texts


def _renumbered(note: MarkedNote, places: dict[Passage, int]) -> MarkedText:
    return note.marked.renumbered(lambda index: places[note.passages[index]])


def _copies(
    passage: Passage, copies: dict[bytes, tuple[Source, list[Source]]]
) -> tuple[Source, ...]:
    if passage.chunk not in copies:
        return ()
    first, others = copies[passage.chunk]
    return tuple(_moved(passage.source, first, other) for other in others)


def _moved(source: Source, first: Source, other: Source) -> Source:
    """Return `source`, which lies inside `first`, as it lies inside the equal text `other`."""
    lines = other.start_line - first.start_line
    columns = other.start_column - first.start_column

    def column(line: int, value: int) -> int:
        return value + columns if line == first.start_line else value

    end = source.end_column
    if (source.end_line, end) == (first.end_line, first.end_column):  # the last passage of both
        end = other.end_column
    elif end is not None:
        end = column(source.end_line, end)
    return Source(
        path=other.path,
        start_line=source.start_line + lines,
        end_line=source.end_line + lines,
        start_column=column(source.start_line, source.start_column),
        end_column=end,
    )
