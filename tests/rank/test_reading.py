"""Postings of some words, and of all: the first question is answered as every other one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.models import Document
from orchestrator_context.rank import RankIndex, RankOptions
from orchestrator_context.rank.reading import Reading
from orchestrator_context.rank.word_index import WordIndex

words = st.sampled_from("pump valve stopPump x_y STOP 9 阀门 ﬁne don't".split())
text = st.lists(words, max_size=12).map(" ".join)
fields = st.lists(st.tuples(text, text, text), max_size=6)
asked = st.sets(st.sampled_from("pump stop stoppump x 阀门 fine t none".split()))


@settings(deadline=None)
@given(fields, asked)
def test_postings_of_some_words_are_those_of_all(
    found: list[tuple[str, str, str]], only: set[str]
) -> None:
    reading = Reading(found, stem=False)
    every, some = reading.postings(), reading.postings(only)
    assert len(some.words) == sum(every.words.find(word) is not None for word in only)
    assert np.array_equal(every.lengths, some.lengths)
    for word in only:
        one, other = slice(*every.bounds(word)), slice(*some.bounds(word))
        assert np.array_equal(every.documents[one], some.documents[other])
        for column, part in zip(every.counts, some.counts, strict=True):
            assert np.array_equal(column[one], part[other])


@settings(deadline=None)
@given(st.lists(text, min_size=1, max_size=6), text, text)
def test_the_first_question_is_answered_as_every_other_one(
    contents: list[str], first: str, second: str
) -> None:
    documents = [Document(f"{number}.md", content) for number, content in enumerate(contents)]
    fresh, used = RankIndex.build(documents), RankIndex.build(documents)
    for word in "abc":
        used.frequency(word)
    for query in (first, second, first):
        assert fresh.rank(query) == used.rank(query)
        assert np.array_equal(fresh.scores(query), used.scores(query))


def test_all_words_are_sorted_at_the_second_question_only() -> None:
    index = WordIndex(Reading([("", "", "pump valve")] * 2, stem=False), RankOptions())
    first = index.of(("pump", "none"))
    assert len(first.postings.words) == 1
    assert index.of(("pump",)) is first
    assert index.of(("valve",)) is index.all is index.of(("pump",))
    assert len(index.all.postings.words) == 2
