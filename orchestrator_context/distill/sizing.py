"""Window arithmetic: how much text, how long a note, how many notes fit one call."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator_context.distill.options import DistillOptions
from orchestrator_context.distill.prompts import PromptBook
from orchestrator_context.exceptions import UnknownWindowError, WindowTooSmallError
from orchestrator_context.models import Source

LEAST_CHUNK_TOKENS = 64
"""Below this a chunk says too little to be worth a call."""

LEAST_NOTE_TOKENS = 32
"""Below this a note says too little."""

_MARK_TOKENS = 6  # "[S123]\n", in any known vocabulary
_CHUNK_TO_NOTE = 8
_LEAST_NOTES = 4  # notes of full length that one reduce call holds, so that every round shrinks
_WIDEST = Source("", 9_999_998, 9_999_999, 9_999_999, 9_999_999)  # a place with the longest label


@dataclass(frozen=True, slots=True)
class Sizing:
    """The sizes of one run, in tokens.

    Attributes:
        prompt_room: ceiling of a whole map prompt, or None while the window is unknown.
        chunk_room: text and marks in a map prompt whose document has no name.
        chunk_tokens: what the options allow in a chunk, if less.
        note_tokens: ceiling of a note.
        merged_tokens: ceiling of a note made of notes.
        batch_tokens: notes in one reduce prompt.
        answer_tokens: ceiling of the final answer.
        reduce_tokens: a reduce prompt without its notes.
    """

    prompt_room: int | None
    chunk_room: int
    chunk_tokens: int
    note_tokens: int
    merged_tokens: int
    batch_tokens: int
    answer_tokens: int
    reduce_tokens: int

    def text_tokens(self, name_tokens: int, passage_tokens: int) -> int:
        """Return the ceiling for the text of a chunk beside its name and its marks."""
        room = max(1, self.chunk_room - name_tokens)
        marks = _MARK_TOKENS * (1 + room // max(1, passage_tokens // 2))
        return max(1, min(self.chunk_tokens, room - min(marks, room // 2)))


def sizing(book: PromptBook, options: DistillOptions) -> Sizing:
    """Return the sizes for a model and options.

    Raises:
        UnknownWindowError: neither the window nor `chunk_tokens` is known.
        WindowTooSmallError: the window leaves no room to work in.
    """
    window, output = book.profile.window, options.max_output_tokens
    if window is None:
        return _unbounded(book, options)
    read, reduce = book.read(_WIDEST, (), output).tokens, _reduce_tokens(book, output)
    least = min(LEAST_CHUNK_TOKENS, options.chunk_tokens or LEAST_CHUNK_TOKENS)
    chunk_room = window - read - output
    batch_room = window - reduce - output
    if chunk_room < least or batch_room < least:
        needed = max(read, reduce) + output + least
        raise WindowTooSmallError(
            f"the window of {window} tokens is too small: the prompt takes {max(read, reduce)}, "
            f"the answer reserves {output} and the text needs {least}, together {needed}. "
            "Choose a model with a larger window, or a smaller max_output_tokens",
            needed=needed,
            available=window,
        )
    chunk_tokens = min(options.chunk_tokens or chunk_room, chunk_room)
    return _sizes(options, window - output, chunk_room, chunk_tokens, batch_room, reduce)


def shared(tokens: int, parts: int) -> int:
    """Return what each of several notes may take that stand for one of `tokens`."""
    return max(min(tokens, LEAST_NOTE_TOKENS), tokens // parts)


def _reduce_tokens(book: PromptBook, output: int) -> int:
    return max(book.merge((), "S", output).tokens, book.answer((), "S", output).tokens)


def _unbounded(book: PromptBook, options: DistillOptions) -> Sizing:
    if options.chunk_tokens is None:
        raise UnknownWindowError(
            f"the context window of {book.profile.name!r} is unknown: name it (window=...) where "
            "the client is made, or set chunk_tokens in DistillOptions"
        )
    size = options.chunk_tokens
    reduce = _reduce_tokens(book, options.max_output_tokens)
    return _sizes(options, None, 2 * size, size, size, reduce)


def _sizes(
    options: DistillOptions,
    prompt_room: int | None,
    chunk_room: int,
    chunk: int,
    batch: int,
    reduce: int,
) -> Sizing:
    output = options.max_output_tokens
    shortest = max(1, min(output, batch // _LEAST_NOTES))
    note = options.note_tokens or max(LEAST_NOTE_TOKENS, chunk // _CHUNK_TO_NOTE)
    return Sizing(
        prompt_room=prompt_room,
        chunk_room=chunk_room,
        chunk_tokens=chunk,
        note_tokens=min(note, shortest),
        merged_tokens=shortest,
        batch_tokens=batch,
        answer_tokens=output,
        reduce_tokens=reduce,
    )
