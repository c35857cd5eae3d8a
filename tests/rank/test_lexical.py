"""BM25 over small texts: what ranks first, in any script, and what never happens."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.rank import LexicalIndex
from tests.linear import assert_linear

PUMPS = ["pump alarm raised", "pump restarted today", "valve opened again", "filter changed twice"]
SCRIPTS = [
    "насос остановлен",
    "клапан открыт",
    "水泵已停机",
    "阀门已打开",
    "Zürich Ölpumpe",
    "café menu",
]
CODE = [
    "def fetch_station_id(): ...",
    "class OverflowGuard: ...",
    "parseHTTPReply(x)",
    "unrelated text",
]
INFLECTED = ["pumps were leaking", "sign-off pending", "nothing"]


def best(texts: list[str], query: str) -> int:
    scores = LexicalIndex.of(texts).scores(query)
    top = max(scores)
    assert top > 0
    assert scores.count(top) == 1
    return scores.index(top)


@pytest.mark.parametrize(
    ("texts", "query", "first"),
    [
        (SCRIPTS, "насос", 0),
        (SCRIPTS, "水泵", 2),
        (SCRIPTS, "Zu\u0308rich", 4),
        (SCRIPTS, "CAFÉ", 5),
        (CODE, "station id", 0),
        (CODE, "fetch_station_id", 0),
        (CODE, "OverflowGuard", 1),
        (CODE, "overflow guard", 1),
        (CODE, "http reply", 2),
        (INFLECTED, "pump leak", 0),
        (INFLECTED, "leaking", 0),
        (INFLECTED, "signoff", 1),
        (INFLECTED, "sign off", 1),
    ],
)
def test_what_matches_comes_first(texts: list[str], query: str, first: int) -> None:
    assert best(texts, query) == first


def test_a_word_in_half_of_the_texts_still_counts() -> None:
    index = LexicalIndex.of(PUMPS)
    scores = index.scores("pump")
    assert scores[0] > 0
    assert scores[1] > 0
    assert scores[2:] == (0.0, 0.0)
    assert index.idf("pump") == pytest.approx(math.log(2))


def test_a_word_in_all_texts_tells_them_apart_by_its_frequency() -> None:
    index = LexicalIndex.of(["pump one", "pump two", "pump pump three"])
    scores = index.scores("pump")
    assert index.idf("pump") == pytest.approx(0.1335, abs=1e-4)
    assert 0 < max(scores[:2]) < scores[2]


def test_the_whole_name_counts_more_than_one_of_its_parts() -> None:
    scores = LexicalIndex.of(["fetch_station_id()", "station house"]).scores("fetch_station_id")
    assert scores[0] > scores[1] > 0


def test_weighted_words() -> None:
    index = LexicalIndex([{"a": 1.0}, {"b": 1.0}])
    assert index.scores({"a": 2.0, "b": 1.0})[0] == 2 * index.scores({"a": 1.0})[0]


def test_a_field_counts_by_its_weight() -> None:
    low, high, _ = LexicalIndex([{"a": 1.0, "c": 2.0}, {"a": 2.0, "c": 1.0}, {"d": 3.0}]).scores(
        "a"
    )
    assert high > low > 0


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("reparaturen", ["kleinreparaturen"]),
        ("насоса", ["насос", "насосы"]),
        ("pump", []),  # too short to be taken for a root
        ("zebra", []),
    ],
)
def test_relatives(word: str, found: list[str]) -> None:
    index = LexicalIndex([{"kleinreparaturen": 1.0, "насосы": 1.0, "насос": 1.0, "pumps": 1.0}])
    assert index.relatives(word, most=4) == found
    assert index.relatives(word, most=1) == found[:1]


def test_nothing_to_find() -> None:
    assert LexicalIndex.of([]).scores("pump") == ()
    assert LexicalIndex.of(["", " "]).scores("pump") == (0.0, 0.0)
    assert LexicalIndex.of(PUMPS).scores("") == (0.0,) * 4
    assert LexicalIndex.of(PUMPS).scores("ｐｕｍｐ")[0] > 0
    assert len(LexicalIndex.of(PUMPS)) == 4


texts = st.lists(st.text("ab cдж水泵_", max_size=12), max_size=8)


@given(texts, st.text("ab cдж水泵_", max_size=12), st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_the_order(texts: list[str], query: str, random: object) -> None:
    order = list(range(len(texts)))
    random.shuffle(order)  # type: ignore[attr-defined]
    scores = LexicalIndex.of(texts).scores(query)
    moved = LexicalIndex.of([texts[at] for at in order]).scores(query)
    assert moved == pytest.approx([scores[at] for at in order])


@given(texts, st.text(max_size=12))
def test_scores_are_finite_and_never_negative(texts: list[str], query: str) -> None:
    scores = LexicalIndex.of(texts).scores(query)
    assert len(scores) == len(texts)
    assert all(0 <= score < math.inf for score in scores)


def test_frequency_counts_texts_not_occurrences() -> None:
    index = LexicalIndex.of(["pump pump pump", "pump", "alarm pump alarm", "filter"])
    assert [index.frequency(word) for word in ("pump", "alarm", "filter", "seal")] == [3, 1, 1, 0]


def test_lengths_are_totals_of_words() -> None:
    """BM25 by its formula, with all words of a text as its length, repeated ones included."""
    texts = ["pump valve valve valve valve", "pump filter", "seal"]
    mean, idf = 8 / 3, math.log1p((3 - 2 + 0.5) / (2 + 0.5))
    expected = [idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * length / mean)) for length in (5, 2)]
    assert LexicalIndex.of(texts).scores("pump") == pytest.approx([*expected, 0.0])


@given(texts, st.lists(st.text("ab cдж水泵_", max_size=12), min_size=1, max_size=6))
def test_an_index_that_was_asked_before_answers_like_a_new_one(
    texts: list[str], queries: list[str]
) -> None:
    index = LexicalIndex.of(texts)
    for query in [*queries, *reversed(queries)]:
        assert index.scores(query) == LexicalIndex.of(texts).scores(query)


def test_time_is_linear() -> None:
    def make(count: int) -> list[str]:
        return [f"pump {i} of station {i % 97}" for i in range(count)]

    assert_linear(lambda texts: LexicalIndex.of(texts).scores("pump 7"), make, small=2_500)
