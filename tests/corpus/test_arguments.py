"""What a selection makes of arguments that are odd, and of those that are none."""

from __future__ import annotations

import math
from typing import Any

import pytest

from orchestrator_context import (
    Budget,
    ConfigurationError,
    ContextRequest,
    Corpus,
    Document,
    Reduction,
    SelectOptions,
    plan,
    select,
    token_counter,
)
from orchestrator_context.corpus import parse
from orchestrator_context.rank import RankOptions
from tests.corpus.corpora import STRATEGIES, counters, forms

PUMP = Document("pump.md", "The pump stops at 9 bar.")
ROOM = Budget(200)

WRONG: dict[str, list[Any]] = {
    "documents": [None, 5, "pump", b"pump", {"a": "b"}, PUMP, [PUMP, "x"], [("a", "b")], Document],
    "query": [None, 5, b"pump", ["pump"], {"pump": 1.0}, math.nan],
    "budget": [None, 100, "100", {"max_tokens": 100}, Budget],
    "options": [5, "packed", {"strategy": "packed"}, RankOptions(), SelectOptions],
    "counter": [5, "gpt-4o", len, token_counter],
    "scores": [5, "pump", [1.0], {1: 1.0}, {("pump.md",): 1.0}],
    "previous": [5, "x", {}, {"version": 1}],
}


@pytest.mark.parametrize(("name", "value"), [(k, v) for k, values in WRONG.items() for v in values])
def test_an_argument_of_another_type_is_refused_by_name(name: str, value: Any) -> None:
    given: dict[str, Any] = {"documents": [PUMP], "query": "pump", "budget": ROOM} | {name: value}
    for verb in (select, plan):
        with pytest.raises(ConfigurationError, match=name):
            verb(given["documents"], given["query"], **{k: given[k] for k in list(given)[2:]})


def test_an_observer_is_a_function() -> None:
    with pytest.raises(ConfigurationError, match="observer"):
        select([PUMP], "pump", budget=ROOM, observer="x")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("documents", "pump"),
        ("documents", ["pump"]),
        ("options", {}),
        ("counter", "gpt-4o"),
        ("index", {}),
        ("digests", ["a"]),
        ("digests", {1: "a"}),
        ("digests", {"a": 1}),
    ],
)
def test_so_is_one_of_a_corpus(name: str, value: Any) -> None:
    given: dict[str, Any] = {"documents": [PUMP]} | {name: value}
    with pytest.raises(ConfigurationError, match=name):
        Corpus(**given)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("documents", "pump"),
        ("documents", ["pump"]),
        ("documents", [PUMP, PUMP]),
        ("query", None),
        ("budget", 100),
        ("options", {}),
        ("placement", "tool"),
    ],
)
def test_and_one_of_a_request(name: str, value: Any) -> None:
    given: dict[str, Any] = {"documents": [PUMP], "query": "pump", "budget": ROOM} | {name: value}
    with pytest.raises(ConfigurationError, match=name):
        ContextRequest(**given)


def test_no_message_shows_what_a_document_or_a_question_says() -> None:
    for change in ({"documents": ["secret words"]}, {"query": ["secret words"]}):
        given: dict[str, Any] = {"documents": [PUMP], "query": "pump"} | change
        with pytest.raises(ConfigurationError) as caught:
            select(given["documents"], given["query"], budget=ROOM)
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("score", [10**400, -(10**400), -math.inf, math.nan, 1j])
def test_a_score_is_a_finite_number_of_any_size(score: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"pump\.md.*finite"):
        select([PUMP], "pump", budget=ROOM, scores={"pump.md": score})


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("order", ["rank", "density"])
@pytest.mark.parametrize("diversity", [0.0, 0.5])
def test_enormous_scores_are_in_order_too(strategy: Any, order: Any, diversity: float) -> None:
    scores = {"a.md": -1e308, "b.md": 1e308, "c.md": 1.5e308, "d.md": 1.7e308}
    corpus = [Document(path, f"{path} says what {path} says. " * 20) for path in scores]
    options = SelectOptions(strategy=strategy, selection_order=order, diversity=diversity)
    for least in (0.0, -1e308):
        given = {path: max(least, score) for path, score in scores.items()}
        budget = Budget(300)
        reduction = select(corpus, "", budget=budget, options=options, scores=given)
        assert "d.md" in {one.path for one in reduction.documents if one.path != "a.md"}
        assert "a.md" not in forms(reduction)
        outlook = plan(corpus, "", budget=budget, options=options, scores=given)
        assert min(one.relevance for one in outlook.options) > 0
        assert max(one.relevance for one in outlook.options) <= 1
        everything = plan(corpus, "", budget=Budget(9_000), scores=given)
        assert everything.options[0].relevance == 1


def test_so_are_enormous_scores_of_parts() -> None:
    corpus = Corpus([Document("a.md", "".join(f"Line {at}.\n\n" * 9 for at in range(20)))])
    options = SelectOptions(strategy="packed", chunk_tokens=50)
    parts = [one.source for one in corpus.chunks("a.md", 50)]
    scores = dict.fromkeys(parts, -1e308) | {parts[-2]: 1.5e308, parts[3]: 1.4e308}
    [(span,)] = select(corpus, "", budget=Budget(100), options=options, scores=scores).lines
    assert span[0] == parts[-2].start_line


ODD = (
    Document('say "hi"\n</doc>\u2028.md', "pump"),
    Document("", "empty path"),
    Document("\0", "NUL \0"),
    Document("\ud800", "lone \ud800 surrogate"),
    Document("a/b\\c", "\r\n\r\n"),
    Document("empty", ""),
)


def checked(reduction: Reduction, name: str = "exact") -> Reduction:
    """Return `reduction`, with its figures compared with its text."""
    count = counters()[name].count(reduction.text) if reduction.text else 0
    assert reduction.tokens == count <= (reduction.budget.available or 0)
    assert reduction.size_bytes == len(reduction.text.encode("utf-8", "surrogatepass"))
    return reduction


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("query", ["", " \n", "\0", "\ud800", "😀🎉", "?!", "the", "水" * 5_000])
def test_any_question_gets_what_fits(strategy: Any, query: str) -> None:
    options = SelectOptions(strategy=strategy)
    everything = checked(select(ODD, query, budget=Budget(300), options=options))
    assert everything.complete
    contents = {one.path: one.content for one in parse(everything.text) if not one.same_as}
    assert contents.items() <= {one.path: one.content for one in ODD}.items() | {("", "")}
    for tokens in (1, 20, 40, 80):
        checked(select(ODD, query, budget=Budget(tokens), options=options))


def test_emoji_are_words() -> None:
    corpus = [Document("a.md", "a lamp"), Document("b.md", "party 🎉"), Document("c.md", "soup")]
    options = SelectOptions(strategy="ranked")
    [found] = select(corpus, "🎉", budget=Budget(24), options=options).documents
    assert found.path == "b.md"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_reserve_that_leaves_one_token_gives_nothing(strategy: Any) -> None:
    budget = Budget(100, output_reserve=99)
    reduction = select([PUMP], "pump", budget=budget, options=SelectOptions(strategy=strategy))
    assert (reduction.text, reduction.fits, reduction.omitted) == ("", False, 1)
    assert plan([PUMP], "pump", budget=budget).best() is None


@pytest.mark.parametrize("strategy", ["ranked", "tiered", "packed"])
def test_thousands_of_tiny_documents_are_no_trouble(strategy: Any) -> None:
    corpus = [Document(f"d{at % 40}/f{at}.md", f"note {at} on pump") for at in range(4_000)]
    options = SelectOptions(strategy=strategy)
    reduction = checked(select(corpus, "pump 3999", budget=Budget(2_000), options=options))
    assert reduction.tokens > 1_900
    assert "d39/f3999.md" in {one.path for one in reduction.documents}


def test_a_line_of_megabytes_is_cut_to_size() -> None:
    line = "The lamp is red and it is on. " * 40_000 + "The pump stops. " + "Soup. " * 40_000
    corpus = [Document("line.txt", line), PUMP]
    options = SelectOptions(strategy="packed", chunk_tokens=64)
    reduction = checked(select(corpus, "pump stops", budget=Budget(400), options=options))
    assert "The pump stops." in reduction.text
    assert "The pump stops at 9 bar." in reduction.text
