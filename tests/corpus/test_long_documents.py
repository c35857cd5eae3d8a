"""A document that is long beside the room: small parts of it, without cutting all of it small."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context import Budget, Corpus, Document, SelectOptions, select
from orchestrator_context.corpus import cutting, parse
from orchestrator_context.rank import RankOptions
from tests.linear import assert_linear

QUESTION = "Why does the zebra valve stop?"
ANSWER = "The zebra valve stops at 9 bar."
PACKED = SelectOptions(strategy="packed")
KEPT = SelectOptions(strategy="packed", rank=RankOptions(carry_over_bonus=1_000))
NOTE = Document("note.md", "A mop.\n")


def log(lines: int, seed: int = 0) -> Document:
    """Return a log with the answer behind two thirds of it."""
    draw = random.Random(seed)
    words = "error info connection timeout retry queue worker memory disk cache user login".split()
    rows = [f"{number:06} {' '.join(draw.choices(words, k=8))}" for number in range(lines)]
    rows[lines * 2 // 3] = ANSWER
    return Document("big.log", "\n".join(rows) + "\n")


@pytest.mark.parametrize("tokens", [70, 200, 1_000])
def test_the_answer_is_found_among_few_parts(tokens: int) -> None:
    found = select([log(20_000), NOTE], QUESTION, budget=Budget(tokens), options=PACKED)
    assert ANSWER in found.text
    assert found.fits
    assert found.tokens <= tokens
    assert found.parts_available < 1_000  # of 20,000 that would be small enough


def test_what_was_sent_of_it_is_sent_again() -> None:
    corpus = Corpus([log(20_000), NOTE], options=KEPT)
    first = select(corpus, QUESTION, budget=Budget(200))
    again = select(corpus, "Which login timeout?", budget=Budget(200), previous=first.state())
    assert ANSWER in again.text
    assert again.text == first.text


@given(lines=st.integers(1, 400), seed=st.integers(0, 99), tokens=st.integers(1, 600))
def test_small_parts_are_true_ones(lines: int, seed: int, tokens: int) -> None:
    document = log(lines, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "_MANY", 2)
        patch.setattr(cutting, "_LEAST_LOOK", 2)
        patch.setattr(cutting, "_LOOK", 2)
        corpus = Corpus([document, NOTE])
        found = select(corpus, QUESTION, budget=Budget(tokens), options=PACKED)
    assert corpus.counter.count(found.text) == found.tokens
    assert found.tokens <= tokens
    rows = document.content.split("\n")
    for element in parse(found.text) if found.text else ():
        if element.path == "big.log" and element.lines:
            shown = [row for first, last in element.lines for row in rows[first - 1 : last]]
            assert element.content in "\n".join(shown)


def test_the_time_is_linear_where_there_is_hardly_any_room() -> None:
    def run(document: Document) -> None:
        assert select([document, NOTE], QUESTION, budget=Budget(70), options=PACKED).fits

    assert_linear(run, log, small=2_000)
