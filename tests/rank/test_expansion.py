"""Queries that are widened by what the best documents say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.models import Document
from orchestrator_context.rank import RankIndex, RankOptions
from tests.rank.corpora import corpora, queries, quick

BODIES = RankOptions(path_weight=0)
CHAIN = [
    Document("a.txt", "authentication login gate"),
    Document("b.txt", "login session form"),
    Document("c.txt", "session cookie jar"),
    Document("d.txt", "rain and snow"),
    Document("e.txt", "gate form jar"),
]


def matched(rounds: int, query: str = "authentication") -> set[str]:
    settings = replace(BODIES, expansion_rounds=rounds, feedback_documents=2)
    ranking = RankIndex.build(CHAIN, options=settings).rank(query)
    return {ranked.path for ranked in ranking if ranked.matched}


def test_each_round_leads_one_document_further() -> None:
    assert matched(0) == {"a.txt"}
    assert matched(1) == {"a.txt", "b.txt", "e.txt"}
    assert matched(2) == {"a.txt", "b.txt", "c.txt", "e.txt"}


def test_words_that_occur_together_are_found() -> None:
    settings = replace(BODIES, expansion_rounds=1)
    ranking = RankIndex.build(CHAIN[:4], options=settings).rank("authentication")
    assert [ranked.path for ranked in ranking[:2]] == ["a.txt", "b.txt"]
    assert ranking[1].matched


@pytest.mark.parametrize("query", ["", "zebra", "..."])
def test_nothing_is_added_to_a_query_without_an_answer(query: str) -> None:
    assert matched(2, query) == set()
    weights = RankIndex.build(CHAIN, options=replace(BODIES, expansion_rounds=2)).weights(query)
    assert len(weights) <= 1


def test_a_word_of_one_document_and_function_words_are_not_added() -> None:
    index = RankIndex.build(CHAIN, options=replace(BODIES, expansion_rounds=1))
    assert set(index.weights("rain")) == {"rain"}


def test_what_a_later_round_adds_counts_less() -> None:
    weights = [
        RankIndex.build(
            CHAIN,
            options=replace(
                BODIES,
                expansion_rounds=rounds,
                feedback_documents=2,
                expansion_weight=0.8,
                expansion_decay=0.5,
            ),
        ).weights("authentication")
        for rounds in (1, 2)
    ]
    added = [weights[0].keys() - {"authentication"}, weights[1].keys() - weights[0].keys()]
    assert [max(weights[1][word] for word in words) for words in added] == [0.8, 0.4]


def test_the_suffix_of_a_path_is_not_added() -> None:
    index = RankIndex.build(CHAIN, options=RankOptions(expansion_rounds=2))
    assert "txt" not in index.weights("authentication")
    assert {ranked.path for ranked in index.rank("authentication") if not ranked.matched} == {
        "d.txt"
    }


@quick
@given(
    corpora,
    queries,
    st.integers(1, 3),
    st.integers(0, 4),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_what_is_added_keeps_to_the_settings(
    corpus: list[Document], query: str, rounds: int, terms: int, weight: float, decay: float
) -> None:
    settings = RankOptions(
        expansion_rounds=rounds,
        expansion_terms=terms,
        expansion_weight=weight,
        expansion_decay=decay,
    )
    plain = RankIndex.build(corpus).weights(query)
    index = RankIndex.build(corpus, options=settings)
    widened = index.weights(query)
    added = {word: widened[word] for word in widened.keys() - plain.keys()}
    assert {word: widened[word] for word in plain} == plain
    assert len(added) <= rounds * terms
    assert all(0 <= each <= weight for each in added.values())
    assert widened == RankIndex.build(corpus[::-1], options=settings).weights(query)
    for path in index.paths:
        for part in index.explain(query, path).parts:
            assert (part.kind == "expansion") == (part.word in added)
