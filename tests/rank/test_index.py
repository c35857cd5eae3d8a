"""Document ranking: what comes first, in any script, and what every ranking keeps to."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document
from orchestrator_context.rank import Ranked, RankIndex, RankOptions
from orchestrator_context.words import words
from tests.linear import assert_linear, repeating
from tests.rank.corpora import corpora, options, queries, quick

BODIES = RankOptions(path_weight=0, title_weight=0, anchor_bonus=0, function_word_weight=1)


def documents(*texts: str) -> list[Document]:
    return [Document(f"{number}.txt", text) for number, text in enumerate(texts)]


def best(index: RankIndex, query: str) -> str:
    first, second = index.rank(query, limit=2)
    assert first.score > second.score
    assert first.matched
    return first.path


SCRIPTS = {
    "japanese": ("ポンプは金曜日に停止しました。", "ポンプの停止"),
    "russian": ("Насос остановлен в пятницу.", "насос"),
    "accented": ("La pompe a été arrêtée, Zürich, naïve Ölpumpe.", "ÉTÉ Zu\u0308rich"),
    "chinese": ("水泵已停机，阀门已打开。", "水泵"),
    "korean": ("금요일에 펌프가 정지했다.", "펌프"),
    "thai": ("ปั๊มหยุดทำงานในวันศุกร์", "ปั๊มหยุด"),
    "arabic": ("توقفت المضخة يوم الجمعة", "المضخة"),
    "hindi": ("शुक्रवार को पंप रुक गया", "पंप"),
    "emoji": ("🚀🚨 The compressor tripped 👩‍🚒👍🏽", "🚨compressor🚀"),
    "emoji alone": ("The tools: 🧯🪣❤️", "❤"),
    "flag alone": ("Sent to 🇩🇪 and 🇫🇷", "🇫🇷"),
    "symbol alone": ("Add up: ∑ → ∞", "∑"),
    "hex": ("fault 0xDEADBEEF9021 at 7f3a90c4e2", "0xdeadbeef9021"),
    "full width": ("ｏｖｅｒｐｒｅｓｓｕｒｅ", "overpressure"),
    "code": ("def fetch_station_id(): return parseHTTPReply()", "station http reply"),
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_is_found(script: str) -> None:
    corpus = [Document(f"{name}.txt", text) for name, (text, _) in SCRIPTS.items()]
    index = RankIndex.build(corpus, options=BODIES)
    assert best(index, SCRIPTS[script][1]) == f"{script}.txt"


def test_an_identifier_is_found_as_a_whole_and_by_part() -> None:
    index = RankIndex.build(documents("resolve_credentials()", "resolve it", "credentials"))
    assert best(index, "resolveCredentials") == "0.txt"
    assert (index.scores("credentials") > 0).tolist() == [True, False, True]
    assert index.frequency("resolve_credentials") == 1


def test_paths_and_titles_count_more_than_bodies() -> None:
    corpus = [
        Document("src/credentials.py", "x = 1\n" * 3),
        Document("src/rotate.py", '"""Credentials."""\nx = 1\nx = 2\n'),
        Document("src/other.py", "x = 1\nx = 2\nuse(credentials)\n"),
    ]
    ranking = RankIndex.build(corpus).rank("credentials")
    assert [ranked.path for ranked in ranking] == [document.path for document in corpus]
    index = RankIndex.build(corpus, options=BODIES)
    found = {ranked.path for ranked in index.rank("credentials") if ranked.matched}
    assert found == {"src/rotate.py", "src/other.py"}


def test_stems_are_an_option() -> None:
    corpus = documents("pumps were leaking", "nothing")
    assert not RankIndex.build(corpus).scores("pump leak").any()
    stemmed = RankIndex.build(corpus, options=RankOptions(stem=True))
    assert best(stemmed, "pump leak") == "0.txt"
    assert best(stemmed, "leaking") == "0.txt"


def test_function_words_count_less() -> None:
    corpus = documents("how to", "valve", "pump")
    lower = RankIndex.build(corpus).scores("how valve")
    assert 0 < lower[0] < lower[1]
    dropped = RankIndex.build(corpus, options=RankOptions(function_word_weight=0))
    assert not dropped.scores("how to").any()


def test_a_word_in_all_documents_still_counts() -> None:
    index = RankIndex.build(documents("pump one", "pump two", "pump pump three"), options=BODIES)
    assert index.idf("pump") == pytest.approx(0.1335, abs=1e-4)
    assert index.idfs(("one", "pump")) == {word: index.idf(word) for word in ("one", "pump")}
    assert [ranked.path for ranked in index.rank("pump")] == ["2.txt", "0.txt", "1.txt"]


def test_an_empty_query_gives_anchors_then_depth_then_paths() -> None:
    paths = ["b.py", "a/b.py", "a/README.md", "README", "a.py", "docs/index.html", "index_file.py"]
    ranking = RankIndex.build([Document(path, "x") for path in paths]).rank("")
    assert [ranked.path for ranked in ranking] == [
        "README", "a/README.md", "docs/index.html", "a.py", "b.py", "index_file.py", "a/b.py",
    ]  # fmt: skip
    assert [ranked.score for ranked in ranking] == [0.25] * 3 + [0.0] * 4
    assert not any(ranked.matched for ranked in ranking)


def test_one_path_twice_is_an_error_that_names_it() -> None:
    with pytest.raises(ConfigurationError, match=r"'a\.py'"):
        RankIndex.build([Document("a.py", "x"), Document("a.py", "y")])


def test_nothing_to_rank() -> None:
    index = RankIndex.build([])
    assert index.rank("pump") == ()
    assert index.scores("pump").shape == (0,)
    assert len(index) == 0
    assert RankIndex.build(documents("", "\0\ud800 \n", "x")).rank("x")[0].path == "2.txt"


@pytest.mark.parametrize(
    "query", [b"pump", 3, {"pump": -1.0}, {"pump": math.nan}, {"pump": math.inf}, {1: 1.0}]
)
def test_queries_that_cannot_be_used(query: object) -> None:
    with pytest.raises(ConfigurationError):
        RankIndex.build(documents("x")).scores(query)  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [-1, True, 1.5])
def test_limits_that_cannot_be_used(limit: object) -> None:
    with pytest.raises(ConfigurationError, match="limit"):
        RankIndex.build(documents("x")).rank("x", limit=limit)  # type: ignore[arg-type]


def bm25f(corpus: Sequence[Document], query: str, k1: float, b: float) -> dict[str, float]:
    """Return the scores by the formula, for bodies and paths of weight 3."""
    fields = {"path": 3.0, "content": 1.0}
    bags = {
        (each.path, field): Counter(words(getattr(each, field)))
        for each in corpus
        for field in fields
    }
    means = {
        field: sum(bags[each.path, field].total() for each in corpus) / max(1, len(corpus))
        for field in fields
    }
    scores: dict[str, float] = {}
    for each in corpus:
        scores[each.path] = 0.0
        for word in words(query):
            held = sum(any(bags[other.path, f][word] for f in fields) for other in corpus)
            tf = sum(
                weight * bags[each.path, field][word]
                / (1 - b + b * bags[each.path, field].total() / (means[field] or 1))
                for field, weight in fields.items()
                if bags[each.path, field][word]
            )  # fmt: skip
            idf = math.log(1 + (len(corpus) - held + 0.5) / (held + 0.5))
            scores[each.path] += idf * (k1 + 1) * tf / (k1 + tf) if tf else 0.0
    return scores


@quick
@given(corpora, queries, st.sampled_from([0.5, 1.2]), st.sampled_from([0.0, 0.75, 1.0]))
def test_scores_are_those_of_the_formula(
    corpus: list[Document], query: str, k1: float, b: float
) -> None:
    index = RankIndex.build(
        corpus,
        options=RankOptions(
            title_weight=0, saturation=k1, length_penalty=b, function_word_weight=1
        ),
    )
    expected = bm25f(corpus, query, k1, b)
    found = dict(zip(index.paths, index.scores(query).tolist(), strict=True))
    assert found == pytest.approx(expected, rel=1e-5)


def test_a_large_corpus_in_many_batches_is_counted_like_a_small_one() -> None:
    draw = random.Random(1)
    long = "overpressure" * 5
    corpus = [
        Document(f"{at}.txt", " ".join(draw.choices(["pump", long, f"w{at}", "水泵"], k=5_000)))
        for at in range(60)
    ]
    index = RankIndex.build(corpus, options=BODIES)
    assert index.frequency("pump") == 60
    found = dict(zip(index.paths, index.scores("pump w59").tolist(), strict=True))
    counts = {each.path: Counter(words(each.content)) for each in corpus}
    mean = sum(bag.total() for bag in counts.values()) / 60
    for path, bag in counts.items():
        norm = 1.2 * (0.4 + 0.6 * bag.total() / mean)
        expected = sum(
            index.idf(word) * 2.2 * bag[word] / (bag[word] + norm) for word in ("pump", "w59")
        )
        assert found[path] == pytest.approx(expected, rel=1e-5)


@quick
@given(corpora, queries, options, st.randoms(use_true_random=False))
def test_nothing_depends_on_the_order_of_documents(
    corpus: list[Document], query: str, settings: RankOptions, draw: random.Random
) -> None:
    moved = corpus[::-1]
    draw.shuffle(moved)
    first, second = (RankIndex.build(each, options=settings) for each in (corpus, moved))
    assert first.rank(query) == second.rank(query)
    assert first.weights(query) == second.weights(query)
    assert first.digest == second.digest


@quick
@given(corpora, queries, options)
def test_the_order_is_total(corpus: list[Document], query: str, settings: RankOptions) -> None:
    ranking = RankIndex.build(corpus, options=settings).rank(query)
    pinned = {each.path: each.pinned for each in corpus}
    assert sorted(ranked.path for ranked in ranking) == sorted(pinned)
    keys = [
        (not pinned[r.path], -r.score, r.path.count("/") + r.path.count("\\"), r.path)
        for r in ranking
    ]
    assert keys == sorted(keys)


@quick
@given(corpora, queries, options, st.integers(0, 9))
def test_a_limit_takes_the_beginning(
    corpus: list[Document], query: str, settings: RankOptions, limit: int
) -> None:
    index = RankIndex.build(corpus, options=settings)
    assert index.rank(query, limit=limit) == index.rank(query)[:limit]


@quick
@given(corpora, queries, options)
def test_no_match_is_exactly_zero(
    corpus: list[Document], query: str, settings: RankOptions
) -> None:
    index = RankIndex.build(corpus, options=settings)
    asked = set(index.weights(query))
    for ranked, score in zip(
        sorted(index.rank(query), key=lambda r: index.paths.index(r.path)),
        index.scores(query).tolist(),
        strict=True,
    ):
        parts = index.explain(query, ranked.path).parts
        held = {part.word for part in parts if part.word}
        assert held <= asked
        assert (score > 0) == bool(held) == ranked.matched
        assert score >= 0
        assert math.isfinite(score)


@quick
@given(corpora, queries, options, st.booleans(), st.booleans())
def test_the_parts_of_an_explanation_sum_up_to_the_score(
    corpus: list[Document], query: str, settings: RankOptions, carry: bool, give: bool
) -> None:
    index = RankIndex.build(corpus, options=settings)
    previous = {each.path: each.sha256 for each in corpus[::2]} if carry else None
    scores = {each.path: -1.5 for each in corpus[1::2]} if give else None
    for ranked in index.rank(query, scores=scores, previous=previous):
        explanation = index.explain(query, ranked.path, scores=scores, previous=previous)
        assert explanation.score == pytest.approx(ranked.score, rel=1e-9, abs=1e-12)


@quick
@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 3))
def test_a_rare_word_counts_more_than_a_common_one(rare: int, more: int, mentions: int) -> None:
    texts = ["rare " * mentions + "common " * mentions] * rare + [
        "common filler " * mentions
    ] * more
    index = RankIndex.build(documents(*texts), options=BODIES)
    assert index.scores("rare")[0] > index.scores("common")[0] > 0


def test_the_explanation_names_words_and_fields() -> None:
    corpus = [Document("pump.md", "# Pump house\n\npump valve"), Document("b.md", "valve")]
    parts = RankIndex.build(corpus).explain("pump valve", "pump.md").parts
    assert [(part.kind, part.word, part.field) for part in parts] == [
        ("word", "pump", "path"),
        ("word", "pump", "title"),
        ("word", "pump", "body"),
        ("word", "valve", "body"),
    ]
    assert all(part.weight == 1 and part.idf > 0 and part.score > 0 for part in parts)
    with pytest.raises(ConfigurationError, match=r"nowhere"):
        RankIndex.build(corpus).explain("pump", "nowhere.md")


def test_weights_of_words_are_taken_as_they_are() -> None:
    index = RankIndex.build(documents("pump", "valve"), options=BODIES)
    assert index.scores({"pump": 2.0})[0] == 2 * index.scores("pump")[0]
    assert index.scores({"pump": 2.0})[0] == index.scores("pump pump")[0]


def test_documents_of_before_are_lifted_where_they_did_not_change() -> None:
    corpus = documents("pump", "pump", "pump valve")
    index = RankIndex.build(corpus, options=RankOptions(carry_over_bonus=5))
    previous = {"1.txt": corpus[1].sha256, "2.txt": "of another text", "gone.txt": "x"}
    ranking = index.rank("pump", previous=previous)
    assert [ranked.path for ranked in ranking] == ["1.txt", "0.txt", "2.txt"]
    assert ranking == index.rank("pump", previous=dict(reversed(previous.items())))
    assert index.explain("pump", "1.txt", previous=previous).parts[-1].kind == "carry_over"
    given = {"0.txt": 0.9, "1.txt": 0.1, "2.txt": 0.2}
    assert index.rank("pump", previous=previous, scores=given)[0].path == "1.txt"
    plain = RankIndex.build(corpus)
    assert plain.rank("pump", previous=previous) == plain.rank("pump")


def test_given_scores_replace_those_of_words() -> None:
    corpus = [*documents("pump", "valve", "pump pump", "x"), Document("4.txt", "", pinned=True)]
    given = {"1.txt": -3.0, "3.txt": -7, "elsewhere.txt": 1.0}
    ranking = RankIndex.build(corpus).rank("pump", scores=given)
    assert [(ranked.path, ranked.scored) for ranked in ranking] == [
        ("4.txt", False),
        ("1.txt", True),
        ("3.txt", True),
        ("2.txt", False),  # missing is behind all that have a score, not 0
        ("0.txt", False),
    ]
    assert [ranked.score for ranked in ranking[1:3]] == [-3.0, -7.0]
    assert [ranked.matched for ranked in ranking] == [False, True, True, True, True]


@quick
@given(corpora, st.randoms(use_true_random=False))
def test_given_scores_have_the_same_ties(corpus: list[Document], draw: random.Random) -> None:
    index = RankIndex.build(corpus)
    given = {each.path: float(draw.randrange(2)) for each in corpus if draw.random() < 0.7}
    ranking = index.rank("pump", scores=given)
    keys = [
        (not r.pinned, not r.scored, -r.score, r.path.count("/") + r.path.count("\\"), r.path)
        for r in ranking
    ]
    assert keys == sorted(keys)
    assert {r.path for r in ranking if r.scored} == set(given)
    assert ranking == index.rank("pump", scores=dict(reversed(given.items())))


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, None, "1", True])
def test_given_scores_that_cannot_be_used(score: object) -> None:
    index = RankIndex.build(documents("x"))
    with pytest.raises(ConfigurationError, match=r"'0\.txt'"):
        index.rank("x", scores={"0.txt": score})  # type: ignore[dict-item]
    with pytest.raises(ConfigurationError, match=r"'0\.txt'"):
        index.explain("x", "0.txt", scores={"0.txt": score})  # type: ignore[dict-item]


@quick
@given(corpora, corpora, st.sets(st.integers(0, 7)), options, queries)
def test_a_changed_index_equals_a_new_one(
    old: list[Document], more: list[Document], gone: set[int], settings: RankOptions, query: str
) -> None:
    paths = {each.path for each in more}
    removed = [each.path for at, each in enumerate(old) if at in gone or each.path in paths]
    changed = RankIndex.build(old, options=settings).updated(added=more, removed=removed)
    cold = RankIndex.build(
        [*more, *(each for each in old if each.path not in removed)], options=settings
    )
    assert_equal(changed, cold, query)


def assert_equal(one: RankIndex, other: RankIndex, query: str) -> None:
    assert one.paths == other.paths
    assert one.digest == other.digest
    assert one.options == other.options
    assert one.weights(query) == other.weights(query)
    assert one.scores(query).tolist() == other.scores(query).tolist()
    assert one.rank(query) == other.rank(query)
    assert [one.frequency(word) for word in words(query)] == [
        other.frequency(word) for word in words(query)
    ]
    for path in one.paths:
        assert one.explain(query, path) == other.explain(query, path)


def test_changes_that_cannot_be_made() -> None:
    index = RankIndex.build(documents("pump"))
    with pytest.raises(ConfigurationError, match=r"gone\.txt"):
        index.updated(removed=["gone.txt"])
    with pytest.raises(ConfigurationError, match=r"0\.txt"):
        index.updated(added=[Document("0.txt", "valve")])
    changed = index.updated(added=[Document("0.txt", "valve")], removed=["0.txt"])
    assert changed.rank("valve")[0].matched
    assert index.rank("pump")[0].matched  # the old one stays as it is


def test_a_ranking_is_of_plain_data() -> None:
    assert RankIndex.build(documents("pump")).rank("zebra") == (
        Ranked("0.txt", 0.0, pinned=False, matched=False, scored=True),
    )


@quick
@given(corpora, queries, queries, options)
def test_what_was_asked_before_does_not_change_what_is_found(
    corpus: list[Document], query: str, other: str, settings: RankOptions
) -> None:
    index = RankIndex.build(corpus, options=settings)
    first = index.rank(query)
    assert index.rank(query) == first
    asked = RankIndex.build(corpus, options=settings)
    assert asked.rank(other) == index.rank(other)
    assert asked.rank(query) == index.rank(query) == first


def test_time_is_linear() -> None:
    def make(count: int) -> list[Document]:
        return [Document(f"{i}", f"pump {i} of station {i % 97} " * 10) for i in range(count)]

    assert_linear(lambda corpus: RankIndex.build(corpus).rank("pump 7"), make, small=500)


@pytest.mark.parametrize("piece", ["deadbeef", "水泵", "a_", "-'"])
def test_one_endless_line(piece: str) -> None:
    def run(text: str) -> None:
        assert len(RankIndex.build([Document("a", text)])) == 1

    assert_linear(run, repeating(piece), small=50_000)


def test_an_index_knows_its_documents_in_any_order() -> None:
    documents = [Document("a.md", "Pumps."), Document("b.md", "Valves.", language="markdown")]
    index = RankIndex.build(documents)
    assert index.is_of(reversed(documents))
    assert not index.is_of(documents[:1])
    assert not index.is_of([documents[0], documents[0]])
    for other in (
        Document("b.md", "Valves!", language="markdown"),
        Document("c.md", "Valves.", language="markdown"),
        Document("b.md", "Valves."),
        Document("b.md", "Valves.", language="markdown", pinned=True),
    ):
        assert not index.is_of([documents[0], other])
