"""What a selection says of itself."""

from __future__ import annotations

import json
import re

import pytest

from orchestrator_context import (
    Budget,
    Corpus,
    Document,
    SelectOptions,
    plan,
    select,
    token_counter,
)
from orchestrator_context.corpus import parse
from tests.corpus.corpora import QUERY, counters, station

LONG = "The pump stops at too much pressure. " * 60


def test_all_figures_are_json() -> None:
    reduction = select(station(), QUERY, budget=Budget(900, max_bytes=9_000, max_items=9))
    planned = plan(station(), QUERY, budget=Budget(900))
    for data in (reduction.metadata(), planned.metadata(), reduction.state().metadata()):
        assert json.loads(json.dumps(data)).keys() == data.keys()
    assert reduction.metadata()["documents"] == len(reduction.documents)
    assert reduction.metadata()["fidelities"] == {
        form: reduction.count(form) for form in set(reduction.fidelities)
    }


def test_ceilings_that_bind_are_named_in_one_order() -> None:
    corpus = [Document("long.md", LONG), *(Document(f"{at}.md", "pump") for at in range(4))]
    options = SelectOptions(strategy="ranked", collapse_duplicates=False)
    both = select(corpus, QUERY, budget=Budget(100, max_items=2), options=options)
    assert both.binding == ("document count", "tokens")
    count = Budget(max_bytes=300, max_items=2)
    assert select(corpus, QUERY, budget=count, options=options).binding == (
        "document count",
        "bytes",
    )


def test_what_keeps_to_a_share_of_the_room_binds_nothing() -> None:
    digests = {"src": "The station. " * 400}
    corpus = Corpus(station(), options=SelectOptions(strategy="tiered"), digests=digests)
    reduction = select(corpus, QUERY, budget=Budget(3_500, max_items=3))
    assert reduction.digests == 0
    assert reduction.binding == ("document count",)


def test_digests_come_by_name_whatever_their_order() -> None:
    digests = {"src/valve": "Valves close. " * 8, "src/pump": "Pumps stop. " * 8}
    options = SelectOptions(strategy="tiered")
    for given in (digests, dict(sorted(digests.items()))):
        corpus = Corpus(station(), options=options, digests=given)
        reduction = select(corpus, QUERY, budget=Budget(500))
        shown = [one.path for one in parse(reduction.text) if one.fidelity == "digest"]
        assert shown == ["src/pump"]


def test_a_text_of_few_tokens_for_its_length_is_priced_exactly() -> None:
    spaced = "".join(f"pump{' ' * 60}" for _ in range(200))
    corpus = [Document("a.md", spaced), Document("b.md", "a lamp, no pump")]
    tokens = token_counter().count(spaced)
    options = SelectOptions(strategy="ranked")
    for room in (tokens // 2, tokens * 3 // 4, tokens - 1, tokens + 20):
        reduction = select(corpus, "pump", budget=Budget(room), options=options)
        expected = ["a.md"] if room > tokens else ["b.md"]
        assert [one.path for one in reduction.documents] == expected


@pytest.mark.parametrize("strategy", ["ranked", "tiered", "packed"])
def test_no_ceiling_binds_where_all_is_there(strategy: str) -> None:
    options = SelectOptions().merged(strategy=strategy, chunk_tokens=16)
    for number in range(1, 12):
        corpus = [Document("a.md", "The pump stops. \n" * number), Document("b.md", "lamp")]
        everything = select(corpus, "", budget=Budget(10_000), options=options)
        exactly = select(corpus, "", budget=Budget(everything.tokens), options=options)
        if exactly.complete:
            assert exactly.binding == ()
    assert select([], QUERY, budget=Budget(1)).binding == ()


def test_an_estimate_is_called_one() -> None:
    for name, said in (("exact", False), ("upper", True)):
        reduction = select(station(), QUERY, budget=Budget(900), counter=counters()[name])
        assert reduction.exact is not said
        assert ("(estimated)" in reduction.summary()) is said


def test_more_documents_are_there_without_comments() -> None:
    comments = "".join(f"# nothing of interest, number {at}\n" for at in range(60))
    corpus = [
        Document.of(f"src/pump{at}.py", f"{comments}def stop{at}():\n    return {at}\n")
        for at in range(4)
    ]
    budget = Budget(1_000)
    for strategy in ("ranked", "tiered", "packed"):
        plain = SelectOptions().merged(strategy=strategy, overview_share=0.05)
        shown = [
            select(corpus, QUERY, budget=budget, options=options)
            for options in (plain, plain.merged(compacts=True))
        ]
        whole = [one.count("whole") + one.count("compact") for one in shown]
        assert whole[0] < whole[1], strategy
        assert all(one.tokens <= 1_000 for one in shown)
        elided = [one.elided_lines for one in parse(shown[1].text) if one.fidelity == "compact"]
        assert elided
        assert min(elided) >= 60


def test_a_comment_that_goes_joins_no_tag() -> None:
    comments = "".join(f"# nothing of interest, number {at}\n" for at in range(60))
    code = f"{comments}doc, a = 1, 2\nx = (a <\n# between\ndoc)\ny = (a <\n# between\ndocs)\n"
    document = Document.of("src/pump.py", code)
    options = SelectOptions(strategy="ranked", compacts=True)
    plain = select(
        [Document.of("src/pump.py", code.replace("doc", "pod"))],
        QUERY,
        budget=Budget(300),
        options=options,
    )
    assert plain.fidelities == ("compact",)
    reduction = select([document], QUERY, budget=Budget(300), options=options)
    elements = parse(reduction.text)
    tags = re.findall(r"<\s*/?\s*docs?\b", reduction.text)
    assert len(tags) == 2 * len(elements) + 2


@pytest.mark.parametrize("strategy", ["whole", "ranked", "tiered", "packed"])
def test_a_counter_whose_counts_do_not_add_up_is_kept_to(strategy: str) -> None:
    counter = counters()["rising"]
    options = SelectOptions().merged(strategy=strategy, chunk_tokens=200)
    for tokens in (1_500, 4_000):
        reduction = select(
            station(), QUERY, budget=Budget(tokens), options=options, counter=counter
        )
        assert 0 < counter.count(reduction.text) == reduction.tokens <= tokens


def test_what_remains_beside_the_overview_and_declarations_goes_to_parts() -> None:
    corpus = [Document("long.md", "".join(f"Line {at} is on lamps.\n" for at in range(900)))]
    options = SelectOptions(strategy="tiered", chunk_tokens=32)
    reduction = select(corpus, "lamps", budget=Budget(3_000), options=options)
    assert reduction.fidelities == ("partial",)
    assert reduction.tokens > 2_900


def test_only_what_is_there_again_is_carried_over() -> None:
    corpus = [Document(f"{name}.md", f"pump {name} " * 20) for name in "abcd"]
    options = SelectOptions(strategy="ranked")
    first = select(corpus, "c", budget=Budget(70), options=options)
    other = select(corpus, "a", budget=Budget(70), options=options, previous=first.state())
    assert [one.path for one in other.documents] == ["a.md"]
    assert other.carried_over == 0


def test_a_corpus_counts_each_text_that_stands_for_itself_once() -> None:
    corpus = Corpus([Document("a.md", "Same."), Document("b.md", "Same."), Document("c.md", "No.")])
    assert corpus.counts == {"a.md": 2, "c.md": 2}
    assert corpus.tokens == 4
