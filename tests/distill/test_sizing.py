"""The window is the prompt, the reserved output and the content: exactly, and never more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.distill.cutting import Cutter, Piece
from orchestrator_context.distill.options import DistillOptions
from orchestrator_context.distill.prompts import PromptBook
from orchestrator_context.distill.sizing import LEAST_CHUNK_TOKENS, Sizing, sizing
from orchestrator_context.exceptions import (
    ConfigurationError,
    UnknownWindowError,
    WindowTooSmallError,
)
from orchestrator_context.models import Document, Segment, Source
from orchestrator_context.protocols import ModelProfile, TokenCounter
from orchestrator_context.tokens import token_counter

CHARS = token_counter(len, name="characters")
LINES = st.integers(1, 9_999_999)


@dataclass(frozen=True)
class Words:
    """Counts words split at white space; a request takes no more than its texts."""

    name: str = "words"
    exact: bool = True

    def count(self, text: str) -> int:
        return len(text.split())

    def count_messages(
        self, messages: Sequence[Segment], *, tools: Sequence[Mapping[str, object]] = ()
    ) -> int:
        return len(tools) + sum(self.count(message.content) for message in messages)


def book(
    window: int | None, counter: TokenCounter = Words(), instructions: str | None = None
) -> PromptBook:
    profile = ModelProfile("model", counter, window)
    return PromptBook("what?", profile, instructions, instructions)


def overhead(prompts: PromptBook, output: int) -> tuple[int, int]:
    """Return the tokens of an empty map prompt and of the longer of the empty reduce prompts."""
    reduce = max(
        prompts.merge((), "S", output).tokens,
        prompts.answer((), "S", output).tokens,
    )
    return prompts.read(Source("", 1, 1), (), output).tokens, reduce


def padded(prompt_tokens: int, output: int) -> str:
    """Return instructions that make an empty map prompt just so long."""
    shortest, _ = overhead(book(None, instructions="word"), output)
    return " ".join(["word"] * (1 + prompt_tokens - shortest))


@given(st.integers(800, 20_000), st.integers(1, 500))
def test_prompt_output_and_content_are_the_window(window: int, output: int) -> None:
    prompts = book(window)
    sizes = sizing(prompts, DistillOptions(max_output_tokens=output))
    read, reduce = overhead(prompts, output)
    assert read + output + sizes.chunk_room == window
    assert reduce + output + sizes.batch_tokens == window
    assert sizes.prompt_room == window - output
    assert sizes.answer_tokens == output


def cut(
    document: Document, prompts: PromptBook, options: DistillOptions
) -> tuple[Sizing, list[Piece]]:
    sizes = sizing(prompts, options)
    cutter = Cutter(prompts, sizes, options.passage_tokens)
    pieces = [piece for piece in cutter.cut(document, 0) if isinstance(piece, Piece)]
    return sizes, pieces


@pytest.mark.parametrize("passage_tokens", [8, 256, 10_000])
def test_a_window_of_1000_less_120_and_300_leaves_580(passage_tokens: int) -> None:
    prompts = book(1_000, instructions=padded(120, 300))
    assert overhead(prompts, 300)[0] == 120
    document = Document("", " ".join(f"w{i:04}" for i in range(1, 2_001)))
    options = DistillOptions(max_output_tokens=300, passage_tokens=passage_tokens)
    sizes, pieces = cut(document, prompts, options)
    assert sizes.chunk_room == 580
    counts = [len(piece.chunk.text.split()) for piece in pieces]
    assert max(counts) <= 580
    assert all(piece.prompt.tokens + 300 <= 1_000 for piece in pieces)
    assert len(pieces) >= 4
    assert "".join(piece.chunk.text for piece in pieces) == document.content
    if passage_tokens >= 256:
        assert len(pieces) == 4  # no room is wasted


@given(LINES, LINES, LINES, st.none() | LINES)
def test_no_place_in_a_document_takes_more_than_was_reserved(
    first: int, last: int, column: int, end: int | None
) -> None:
    prompts = book(2_000, CHARS)
    sizes = sizing(prompts, DistillOptions(max_output_tokens=100))
    place = Source("", min(first, last), max(first, last), column, end)
    prompt = prompts.read(place, (), 100)
    assert prompt.tokens + 100 + sizes.chunk_room <= 2_000


@given(st.text(min_size=1, max_size=3_000), st.text(max_size=40), st.integers(1, 400))
def test_every_prompt_fits_whatever_the_text_and_its_path(
    content: str, path: str, passage_tokens: int
) -> None:
    prompts = book(1_900, CHARS)
    options = DistillOptions(max_output_tokens=50, passage_tokens=passage_tokens)
    _, pieces = cut(Document(path, content), prompts, options)
    assert all(piece.prompt.tokens + 50 <= 1_900 for piece in pieces)


def test_the_smallest_window_that_does_and_the_largest_that_does_not() -> None:
    options = DistillOptions(max_output_tokens=200)
    needed = max(overhead(book(None), 200)) + 200 + LEAST_CHUNK_TOKENS
    sizes = sizing(book(needed), options)
    assert min(sizes.chunk_room, sizes.batch_tokens) == LEAST_CHUNK_TOKENS
    with pytest.raises(WindowTooSmallError) as caught:
        sizing(book(needed - 1), options)
    assert (caught.value.needed, caught.value.available) == (needed, needed - 1)
    for figure in (needed - 1, needed, 200, LEAST_CHUNK_TOKENS):
        assert str(figure) in str(caught.value)


def test_an_unknown_window_is_not_a_small_one() -> None:
    with pytest.raises(UnknownWindowError, match="chunk_tokens") as caught:
        sizing(book(None), DistillOptions())
    assert isinstance(caught.value, ConfigurationError)
    assert "'model'" in str(caught.value)


def test_an_unknown_window_is_bounded_by_the_chunks() -> None:
    sizes = sizing(book(None), DistillOptions(chunk_tokens=400, max_output_tokens=1_000))
    assert (sizes.prompt_room, sizes.chunk_tokens, sizes.batch_tokens) == (None, 400, 400)
    assert sizes.note_tokens == 50
    assert sizes.merged_tokens == 100


def test_chunk_tokens_is_a_ceiling_and_no_demand() -> None:
    assert (
        sizing(book(1_000), DistillOptions(max_output_tokens=100, chunk_tokens=70)).chunk_tokens
        == 70
    )
    sizes = sizing(book(1_000), DistillOptions(max_output_tokens=100, chunk_tokens=100_000))
    assert sizes.chunk_tokens == sizes.chunk_room
    tiny = max(overhead(book(None), 100)) + 100 + 5
    assert (
        sizing(book(tiny), DistillOptions(max_output_tokens=100, chunk_tokens=5)).chunk_tokens == 5
    )


@given(st.integers(800, 20_000), st.integers(1, 500), st.none() | st.integers(1, 5_000))
def test_notes_are_small_enough_that_every_round_shrinks(
    window: int, output: int, note_tokens: int | None
) -> None:
    options = DistillOptions(max_output_tokens=output, note_tokens=note_tokens)
    sizes = sizing(book(window), options)
    assert 1 <= sizes.note_tokens <= sizes.merged_tokens <= output
    assert 4 * sizes.merged_tokens <= sizes.batch_tokens
    if note_tokens is not None:
        assert sizes.note_tokens <= note_tokens


@given(st.integers(100, 5_000), st.integers(0, 5_000), st.integers(1, 5_000))
def test_text_leaves_room_for_its_name_and_marks(room: int, name: int, passage: int) -> None:
    sizes = Sizing(None, room, room, 10, 10, 100, 100, 50)
    text = sizes.text_tokens(name, passage)
    assert 1 <= text <= max(1, room - name)
    assert text >= min(room, max(1, room - name) // 2)
