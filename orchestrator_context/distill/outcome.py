"""What a run leaves behind: its notes, its account, and the final text with its sources."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from orchestrator_context.distill.asking import Asker
from orchestrator_context.distill.mapping import Readings
from orchestrator_context.distill.notes import MarkedNote, cited, laid_out, understood
from orchestrator_context.distill.options import NoteReducer
from orchestrator_context.distill.reading import Opened
from orchestrator_context.exceptions import DistillError
from orchestrator_context.models import Generation, Note, Usage
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.reports import Distillation, DistillReport, Skipped
from orchestrator_context.wording import counted


@dataclass(slots=True)
class Collected:
    """What comes in while the source is read.

    Attributes:
        keep: whether notes are to be kept.
        documents: documents opened.
        skipped: those with nothing to read.
        notes: by position among the different texts.
        truncated: notes that stopped at their limit.
        unknown: marks in notes that named nothing.
        repeated_paths: documents with the path of an earlier one.
    """

    keep: bool
    documents: int = 0
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    notes: dict[int, MarkedNote] = field(default_factory=dict[int, MarkedNote])
    truncated: int = 0
    unknown: int = 0
    repeated_paths: int = 0
    _paths: set[int] = field(default_factory=set[int])

    def count(self, item: Opened | Skipped) -> None:
        """Take a document, or the reason why it is not read."""
        if isinstance(item, Skipped):
            self.skipped.append(item)
        else:
            self.documents += 1
            self.repeated_paths += hash(item.path) in self._paths
            self._paths.add(hash(item.path))

    def add(self, position: int, note: MarkedNote | None) -> None:
        """Take a note."""
        if note is None:
            return
        self.truncated += note.truncated
        self.unknown += len(note.unknown)
        if self.keep:
            self.notes[position] = note

    @property
    def in_order(self) -> list[MarkedNote]:
        """The notes in the order of the source."""
        return [note for _, note in sorted(self.notes.items())]

    @property
    def shown(self) -> tuple[Note, ...]:
        """The notes as callers see them."""
        return tuple(note.shown() for note in self.in_order)


def joined_by(reducer: NoteReducer, notes: list[MarkedNote]) -> MarkedNote | None:
    """Return what a caller's function makes of the notes, marks numbered in one row for it."""
    if not notes:
        return None
    texts, prefix, places = laid_out(notes)
    sources = tuple(place.source for place in places)
    shown = [Note(text, sources, note.truncated) for text, note in zip(texts, notes, strict=True)]
    try:
        text = reducer(shown)
    except Exception as error:
        raise DistillError(
            f"the reducer raised {type(error).__name__}", notes=tuple(shown)
        ) from error
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise DistillError(
            f"the reducer gave back {type(text).__name__} instead of str", notes=tuple(shown)
        )
    return understood(Generation(text), prefix, places)


def distillation(
    collected: Collected,
    readings: Readings,
    asker: Asker,
    answer: MarkedNote | None,
    report: DistillReport,
    counter: TokenCounter,
    usage: Usage | None,
) -> Distillation:
    """Return the result of a run.

    Args:
        collected: notes and skipped documents.
        readings: what became of the pieces.
        asker: knows what was spent.
        answer: the final note, or None where nothing was relevant.
        report: figures of the reduction; the others are filled in here.
        counter: counts the final text.
        usage: what the service counted for the final text, if it did.

    Raises:
        DistillError: every chunk failed.
    """
    failed = readings.failed()
    if failed and readings.characters_unread == readings.characters:
        raise DistillError(
            f"none of {counted(len(failed), 'chunk')} could be read; the first failed with "
            f"{failed[0].reason}"
        )
    text, citations = cited(answer, readings.copies) if answer else ("", ())
    report = replace(
        _figures(report, collected, readings, asker),
        truncated_answer=bool(answer and answer.truncated),
        output_tokens=_written(text, counter, usage),
        exact=counter.exact,
        citations=len(citations),
        unknown_marks=answer.unknown if answer else (),
    )
    return Distillation(text, citations, collected.shown, report)


def _figures(
    report: DistillReport, collected: Collected, readings: Readings, asker: Asker
) -> DistillReport:
    """Return the report with what was read and what it cost."""
    read = readings.characters - readings.characters_unread
    return replace(
        report,
        documents=collected.documents,
        repeated_paths=collected.repeated_paths,
        copied_chunks=readings.copied,
        irrelevant_chunks=readings.irrelevant,
        truncated_notes=report.truncated_notes + collected.truncated,
        skipped=tuple(collected.skipped),
        failed=readings.failed(),
        coverage=read / readings.characters
        if readings.characters
        else float(collected.documents > 0),
        calls=asker.purse.calls,
        resumed_calls=asker.tally.resumed,
        failed_attempts=asker.tally.failed_attempts,
        usage=asker.purse.usage,
        cost=asker.purse.cost,
        unknown_note_marks=report.unknown_note_marks + collected.unknown,
    )


def _written(text: str, counter: TokenCounter, usage: Usage | None) -> int:
    """Return the tokens of the answer; an estimate from above gives way to the service's count."""
    counted = counter.count(text)
    return counted if counter.exact or usage is None else min(counted, usage.output_tokens)
