"""Words as numbers: the same words as `orchestrator_context.text.words` gives."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.rank.vocabulary import Vocabulary, Words, encode
from orchestrator_context.text import raw_words, words

texts = st.text() | st.text("aB_-'’9 é\u0308水ﬁ①\ud800ปั", max_size=200)


@settings(deadline=None)
@given(texts)
def test_words_are_those_of_their_spellings(text: str) -> None:
    assert words(text) == [word for raw in raw_words(text) for word in words(raw)]


@settings(deadline=None)
@given(st.lists(texts, max_size=4), st.booleans())
def test_numbers_stand_for_the_words_of_a_text(found: list[str], stem: bool) -> None:
    vocabulary = Vocabulary(stem=stem)
    spellings = np.array([n for text in found for n in vocabulary.spellings(text)], dtype=np.int32)
    numbers, sizes = vocabulary.words_of(spellings)
    by_number = {number: word for word, number in vocabulary.word_ids.items()}
    expected = [word for text in found for word in words(text, stem=stem)]
    assert [by_number[number] for number in numbers.tolist()] == expected
    assert sizes.sum() == len(expected)


@settings(deadline=None)
@given(st.sets(st.text()), st.text())
def test_sorted_words_are_found(found: set[str], other: str) -> None:
    ordered = sorted(found)
    kept = Words.of([encode(word) for word in ordered])
    assert [kept.find(word) for word in ordered] == list(range(len(ordered)))
    assert [kept.word(number) for number in range(len(kept))] == ordered
    assert (kept.find(other) is None) == (other not in found)
