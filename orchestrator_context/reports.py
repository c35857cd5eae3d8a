"""What the verbs give back. Every result tells what it cost and what it left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

from orchestrator_context.events import ContextReduced
from orchestrator_context.models import Note, Source, Usage
from orchestrator_context.wording import counted

SkipReason = Literal["empty", "title only"]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document that no model read, because there was nothing in it to read.

    Attributes:
        path: the document.
        index: its position in the source, from 0.
        reason: why it was not sent.
    """

    path: str
    index: int
    reason: SkipReason


@dataclass(frozen=True, slots=True)
class FailedChunk:
    """A chunk that has no note, because its calls failed and failures were to be skipped.

    Attributes:
        source: what was not read.
        reason: name of the last error and its message.
    """

    source: Source
    reason: str


@dataclass(frozen=True, slots=True)
class Citation:
    """A mark in the final text and what it stands for; a mark may have several citations.

    Attributes:
        mark: the mark as it stands in the text, such as `[S1]`.
        source: the passage it names.
        copies: other places of the corpus that hold the very same passage.
    """

    mark: str
    source: Source
    copies: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class DistillReport:
    """The account of a distillation.

    Attributes:
        documents: documents in the source.
        repeated_paths: documents with the path of an earlier one, whose citations look alike.
        chunks: pieces they were cut into.
        copied_chunks: chunks equal to an earlier one, answered by its note.
        irrelevant_chunks: chunks whose model found nothing on the question.
        truncated_notes: notes that stopped at their output limit.
        truncated_answer: whether the final text did.
        skipped: documents with nothing to read.
        failed: chunks without a note.
        coverage: share of the characters to read that was read, 0 to 1; 0 without a document.
        calls: calls that were paid for in this run, or may have been: those whose answer could
            not be used or was lost on the way are among them.
        resumed_calls: answers taken from the checkpoint instead.
        failed_attempts: calls that failed, whether or not a later attempt succeeded.
        usage: tokens of these calls, at their most where the service did not say.
        cost: US dollars for them, or None where the price is unknown.
        depth: rounds of reduction; 1 where one call saw all notes, 0 where there was none.
        output_tokens: tokens of the final text, as counted here.
        max_output_tokens: what it may have.
        exact: whether tokens were counted as the model counts, or estimated from above.
        citations: marks in the final text that name a passage.
        unknown_marks: marks in the final text that name no passage and were taken out.
        unknown_note_marks: how many such marks were taken out of notes.
    """

    documents: int = 0
    repeated_paths: int = 0
    chunks: int = 0
    copied_chunks: int = 0
    irrelevant_chunks: int = 0
    truncated_notes: int = 0
    truncated_answer: bool = False
    skipped: tuple[Skipped, ...] = ()
    failed: tuple[FailedChunk, ...] = ()
    coverage: float = 1.0
    calls: int = 0
    resumed_calls: int = 0
    failed_attempts: int = 0
    usage: Usage = Usage()
    cost: float | None = None
    depth: int = 0
    output_tokens: int = 0
    max_output_tokens: int = 0
    exact: bool = True
    citations: int = 0
    unknown_marks: tuple[str, ...] = ()
    unknown_note_marks: int = 0

    @property
    def fits(self) -> bool:
        """Whether the final text keeps to its limit."""
        return self.output_tokens <= self.max_output_tokens

    @property
    def complete(self) -> bool:
        """Whether there was a document, all text was read and nothing cut off on the way."""
        cut_off = self.truncated_notes or self.truncated_answer
        return self.documents > 0 and not self.failed and not cut_off and self.fits

    def summary(self) -> str:
        """Return one line of figures, without any content."""
        parts = [
            f"{counted(self.documents, 'document')}, {counted(self.chunks, 'chunk')}",
            counted(self.calls, "call")
            + (f" + {self.resumed_calls} resumed" * bool(self.resumed_calls)),
            f"{counted(self.usage.input_tokens, 'token')} in, {self.usage.output_tokens} out",
            f"depth {self.depth}",
            f"{self.coverage:.1%} read" if self.chunks else "NOTHING to read",
        ]
        if self.cost is not None:
            parts.insert(3, f"${self.cost:.4f}")
        counts = {
            ("copied chunk", ""): self.copied_chunks,
            ("irrelevant chunk", ""): self.irrelevant_chunks,
            ("document", " with nothing to read"): len(self.skipped),
            ("FAILED chunk", ""): len(self.failed),
            ("TRUNCATED note", ""): self.truncated_notes,
            ("TRUNCATED answer", ""): int(self.truncated_answer),
            ("failed attempt", ""): self.failed_attempts,
            ("mark", " without a source"): len(self.unknown_marks) + self.unknown_note_marks,
            ("REPEATED path", ""): self.repeated_paths,
        }
        parts += [counted(count, noun) + more for (noun, more), count in counts.items() if count]
        if self.output_tokens and not self.citations:
            parts.append("NO source cited")
        if not self.fits:
            parts.append(f"OVER its {counted(self.max_output_tokens, 'token')} by counting")
        if not self.exact:
            parts.append("tokens estimated from above")
        return "distilled " + ", ".join(parts)

    def metadata(self) -> dict[str, object]:
        """Return all figures as JSON-able data, without any content or path."""
        data: dict[str, object] = asdict(self)
        data["skipped"], data["failed"] = len(self.skipped), len(self.failed)
        data["unknown_marks"] = len(self.unknown_marks)
        return data | {"fits": self.fits, "complete": self.complete}


@dataclass(frozen=True, slots=True)
class Distillation:
    """What `distill` found, where it stands in the source, and what it cost.

    Attributes:
        text: the answer; "" where nothing in the source was relevant.
        citations: its marks, in the order in which they first appear.
        notes: one note for each chunk that had something to say, in the order of the source.
        report: the account.
    """

    text: str = field(repr=False)
    citations: tuple[Citation, ...] = ()
    notes: tuple[Note, ...] = field(default=(), repr=False)
    report: DistillReport = DistillReport()

    def summary(self) -> str:
        """Return one line of figures, without any content."""
        return self.report.summary()

    def metadata(self) -> Mapping[str, object]:
        """Return all figures as JSON-able data, without any content."""
        return self.report.metadata()

    def event(self) -> ContextReduced:
        """Return the event that tells of this result."""
        report = self.report
        return ContextReduced(
            strategy="distill",
            candidates=report.chunks,
            selected=report.chunks - len(report.failed),
            tokens=report.output_tokens,
            max_tokens=report.max_output_tokens,
            calls=report.calls,
            complete=report.complete,
        )


@dataclass(frozen=True, slots=True)
class DistillEstimate:
    """What a distillation will take at most, as far as it can be known before the first call.

    A run stays within it while every call succeeds at once and no answer is longer than the
    output limit it was given.

    Attributes:
        documents: documents in the source.
        chunks: pieces they are cut into.
        copied_chunks: chunks that an earlier one answers.
        skipped: documents with nothing to read.
        calls: map and reduce calls, at most.
        usage: tokens, at most.
        cost: US dollars, at most, or None where the price is unknown.
        exact: whether tokens were counted as the model counts, or estimated from above.
    """

    documents: int
    chunks: int
    copied_chunks: int
    skipped: int
    calls: int
    usage: Usage
    cost: float | None
    exact: bool

    def summary(self) -> str:
        """Return one line of figures, without any content."""
        cost = "price unknown" if self.cost is None else f"at most ${self.cost:.4f}"
        kind = "exact" if self.exact else "estimated"
        return (
            f"{counted(self.documents, 'document')}, {counted(self.chunks, 'chunk')} "
            f"({counted(self.copied_chunks, 'copy')}), at most {counted(self.calls, 'call')}, "
            f"{counted(self.usage.input_tokens, 'token')} in and "
            f"{self.usage.output_tokens} out ({kind}), {cost}"
        )

    def metadata(self) -> dict[str, object]:
        """Return all figures as JSON-able data."""
        return asdict(self)
