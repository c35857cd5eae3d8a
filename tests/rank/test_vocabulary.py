"""Words as numbers: the same words as `orchestrator_context.words.words` gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.rank.spellings import FACTORS, same, spelled
from orchestrator_context.rank.vocabulary import Vocabulary, Words, encode
from orchestrator_context.words import raw_words, words

spelling = st.text("aAbB19_-'", max_size=40)
texts = (
    st.text()
    | st.text("aB_-'’9 é\u0308水ﬁ①\ud800ปั<\u0338😀\u200d\ufe0f🇩→", max_size=200)
    | st.lists(spelling, max_size=5).map(" ".join)
)
found_in_practice = pytest.mark.parametrize(
    "text",
    [
        "parseHTTPReply get_value MAX_SIZE x86_64-pc-linux-gnu-gcc-4 don't the pump's",
        "00E6 00E6's TN3270E X1 F1F a-_-_-_-_-b _-_a __init__ ___ - ' -- a--b 'q' -x-",
        "A1B2C3D4E5F6G7a A-B-C-D-E " + "Ab" * 15 + " " + "A_" * 20 + " " + "x" * 300,
        "a≠b =\u0338x ﬁne ½ 🎉🎉 中文泵的阀门在九巴停止 naïve-ﬁ a\x00b a\ud800b \r\n\ufeff",
    ],
)


def words_as_numbered(texts: list[str], *, stem: bool) -> list[list[str]]:
    """Return the words of each text, by way of spellings and numbers."""
    vocabulary = Vocabulary(stem=stem)
    found = spelled(texts)
    numbers = vocabulary.numbers(found.different)[found.numbers]
    flat, ends = vocabulary.words()
    by_number = {number: word for word, number in vocabulary.word_ids.items()}
    result: list[list[str]] = []
    for own in np.split(numbers, np.cumsum(found.sizes))[:-1]:
        spans = [flat[ends[number] : ends[number + 1]].tolist() for number in own.tolist()]
        result.append([by_number[word] for span in spans for word in span])
    return result


@settings(deadline=None)
@given(texts)
def test_words_are_those_of_their_spellings(text: str) -> None:
    assert words(text) == [word for raw in raw_words(text) for word in words(raw)]


@settings(deadline=None, max_examples=300)
@given(st.lists(texts, max_size=4), st.booleans())
def test_numbers_stand_for_the_words_of_a_text(found: list[str], stem: bool) -> None:
    assert words_as_numbered(found, stem=stem) == [words(text, stem=stem) for text in found]


@found_in_practice
def test_numbers_stand_for_the_words_of_what_is_found_in_practice(text: str) -> None:
    assert words_as_numbered([text, text], stem=False) == [words(text)] * 2


def test_a_vocabulary_keeps_its_numbers_from_one_batch_to_the_next() -> None:
    vocabulary = Vocabulary(stem=False)
    pump, stop = vocabulary.numbers([b"pump", b"stopPump"]).tolist()
    again = vocabulary.numbers([b"stopPump", b"valve", b"pump"]).tolist()
    assert again == [stop, max(again), pump]
    assert len(set(again)) == 3


def check_same(keys: list[int]) -> None:
    numbers = same(np.array(keys, dtype=np.uint64)).tolist()
    assert len(set(zip(keys, numbers, strict=True))) == len(set(keys)) == len(set(numbers))
    assert set(numbers) == set(range(len(set(numbers))))


@settings(deadline=None)
@given(st.lists(st.integers(1, 2**64 - 1) | st.integers(1, 20), max_size=300))
def test_equal_keys_have_the_same_number_and_no_others(keys: list[int]) -> None:
    check_same(keys)


def test_more_keys_than_a_table_holds_are_told_apart() -> None:
    check_same([1 + (at * 7_919) % 270_000 for at in range(300_000)])


def test_keys_that_share_a_place_in_a_table_are_told_apart() -> None:
    in_one_place = [
        at * pow(factor, -1, 2**64) % 2**64 for factor in FACTORS for at in range(1, 100)
    ]
    check_same(in_one_place * 2)


@settings(deadline=None)
@given(st.sets(st.text()), st.text())
def test_sorted_words_are_found(found: set[str], other: str) -> None:
    ordered = sorted(found)
    kept = Words.of([encode(word) for word in ordered])
    assert [kept.find(word) for word in ordered] == list(range(len(ordered)))
    assert [kept.word(number) for number in range(len(kept))] == ordered
    assert (kept.find(other) is None) == (other not in found)
