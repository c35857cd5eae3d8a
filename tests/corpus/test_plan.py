"""A plan: what its figures mean, and which strategy it recommends."""

from __future__ import annotations

import ast
import asyncio
import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings

from orchestrator_context import (
    Budget,
    Corpus,
    DistillOptions,
    Document,
    SelectOptions,
    estimate_distill,
    plan,
    select,
)
from orchestrator_context.corpus import Plan
from orchestrator_context.corpus.candidates import Candidates
from orchestrator_context.corpus.question import Question
from orchestrator_context.corpus.relevance import Relevance
from orchestrator_context.dedup import DedupOptions
from orchestrator_context.testing import ScriptedGenerator
from tests.corpus.corpora import QUERY, all_options, documents, station
from tests.corpus.test_properties import BUDGETS, QUERIES

ANSWER = "The pump stops at too much pressure, which is 9 bar."


def books(count: int) -> list[Document]:
    """Return long texts, each with one line on the matter among much else."""
    lunch = "".join(f"Line {at} is on soup and bread, and the lamp.\n\n" for at in range(200))
    return [
        Document.of(f"shelf{at % 3}/book{at}.md", f"# Book {at}\n\n{lunch}{ANSWER} {at}\n\n{lunch}")
        for at in range(count)
    ]


def best(planned: Plan) -> str:
    outlook = planned.best()
    assert outlook is not None
    return outlook.strategy


def test_what_fits_whole_is_sent_whole() -> None:
    planned = plan(station(), QUERY, budget=Budget(100_000))
    assert best(planned) == "whole"
    assert all(one.complete and one.relevance == 1.0 for one in planned.options)


def test_parts_are_recommended_where_they_hold_most_of_what_is_asked_for() -> None:
    corpus = books(12)
    planned = plan(corpus, QUERY, budget=Budget(1_200))
    found = {one.strategy: one.relevance for one in planned.options}
    assert best(planned) == "packed"
    assert found["packed"] == max(found.values())
    assert found["ranked"] == 0  # no book fits
    texts = {
        name: select(
            corpus, QUERY, budget=Budget(1_200), options=SelectOptions().merged(strategy=name)
        ).text
        for name in found
    }
    assert texts["packed"].count(ANSWER) == max(text.count(ANSWER) for text in texts.values())


def test_whole_documents_are_recommended_where_they_hold_most() -> None:
    answers = [Document(f"a{at}.md", f"{ANSWER} {at}") for at in range(6)]
    planned = plan([*answers, *books(2)], QUERY, budget=Budget(180))
    assert best(planned) == "whole"


def test_without_a_question_most_documents_are_best() -> None:
    readme = Document("README.md", "# Shelf\n\n" + "Books of the station. " * 60)
    planned = plan([*books(12), readme], "", budget=Budget(1_200))
    outlook = planned.best()
    assert outlook is not None
    assert {one.relevance for one in planned.options} == {0.0}
    assert outlook.selected == max(one.selected for one in planned.options)


def test_scores_count_as_what_is_asked_for() -> None:
    corpus = [Document(f"{name}.md", f"{name} " * 40) for name in "abc"]
    scores = {"a.md": -1.0, "b.md": -9.0}  # of a ranker that gives logits; c.md has none
    planned = plan(corpus, "", budget=Budget(100), scores=scores)
    ranked = planned.option("ranked")
    assert ranked is not None
    assert (ranked.selected, ranked.relevance) == (1, 1.0)


def test_a_document_counts_less_the_lower_it_is_ranked() -> None:
    corpus = [Document(f"{name}.md", name) for name in "abc"]
    scores = {"a.md": 2.0, "b.md": 1.0, "c.md": 1.0}
    planned = plan(corpus, "", budget=Budget(max_items=1), scores=scores)
    ranked = planned.option("ranked")
    assert ranked is not None
    assert ranked.relevance == pytest.approx(2 / (2 + 1 / math.log2(3) + 1 / 2), abs=1e-6)


def test_pinned_documents_are_ranked_by_their_worth_too() -> None:
    corpus = [Document("a.md", "pump"), Document("z.md", "pump", pinned=True)]
    options = SelectOptions(collapse_duplicates=False)
    scores = {"a.md": 2.0, "z.md": 1.0}
    planned = plan(corpus, "", budget=Budget(max_items=1), options=options, scores=scores)
    ranked = planned.option("ranked")
    assert ranked is not None
    assert ranked.relevance == pytest.approx(1 / math.log2(3) / (2 + 1 / math.log2(3)), abs=1e-6)


def test_similar_documents_count_for_the_words_that_stand_there() -> None:
    steps = "\n".join(f"Step {at}: open the lid, check the seal, close it." for at in range(60))
    owners = [
        Document("a.md", f"{steps}\nOwner is Miller."),
        Document("ops/b.md", f"{steps}\nOwner is Kowalski."),
        Document("ops/old/b.md", f"{steps}\nOwner is Kowalski."),
    ]
    options = SelectOptions(dedup=DedupOptions(threshold=0.9))

    def relevance(corpus: list[Document], asked: str, name: str) -> float:
        outlook = plan(corpus, asked, budget=Budget(6_000), options=options).option(name)
        assert outlook is not None
        assert outlook.collapsed
        return outlook.relevance

    for name in ("ranked", "tiered", "packed"):
        assert relevance(owners, "Kowalski", name) == 1.0  # that one stands for the other
        assert relevance(owners[1:], "Kowalski", name) == 1.0  # a copy lacks nothing
        both = relevance(owners, "Kowalski Miller", name)
        assert 0.5 < both < 0.9
        assert both < relevance(owners, "Kowalski Miller lid seal", name) < 1.0
    assert relevance(owners, "Kowalski Miller", "whole") == 1.0


def test_there_is_no_best_where_nothing_fits() -> None:
    for corpus in ([], list(station())):
        planned = plan(corpus, QUERY, budget=Budget(9))
        assert planned.best() is None
        assert planned.metadata()["best"] is None
        assert "nothing to select" in planned.summary()


def test_strategies_are_found_by_name() -> None:
    planned = plan(station(), QUERY, budget=Budget(900))
    outlook = planned.option(" Packed ")
    assert outlook is planned.options[3]
    assert planned.option("distill") is None
    assert planned.option("") is None


@settings(max_examples=40, deadline=None)
@given(documents(), QUERIES, all_options(), BUDGETS)
def test_relevance_is_a_share_and_all_of_it_where_all_is_there(
    corpus: list[Document], query: str, options: SelectOptions, budget: Budget
) -> None:
    planned = plan(corpus, query, budget=budget, options=options)
    for one in planned.options:
        assert 0 <= one.relevance <= 1
        if one.complete and one.selected:
            assert one.relevance in (0, 1)
    outlook = planned.best()
    if outlook is not None and not any(one.complete for one in planned.options):
        assert outlook.relevance == max(one.relevance for one in planned.options)


def test_a_part_counts_for_the_words_of_the_question_in_it() -> None:
    corpus = Corpus(books(1), options=SelectOptions(strategy="packed", chunk_tokens=64))

    def relevance(query: str, asked: str) -> float:
        reduction = select(corpus, query, budget=Budget(150))
        assert reduction.fidelities == ("partial",)
        return Relevance(Candidates(corpus, Question.of(asked, None, None), corpus.options)).of(
            reduction
        )

    assert relevance("too much pressure", "pressure") == 1.0
    assert relevance("too much pressure", "pressure shelf0") == 1.0  # that is in its path
    assert relevance("soup line", "pressure") == 0.0
    assert 0 < relevance("too much pressure", "pressure heading") <= 1.0


@pytest.mark.anyio
async def test_a_distillation_reads_at_least_the_parts_that_a_plan_says() -> None:
    corpus = [
        *books(3),
        Document("blank.md", " \n" * 400),
        Document("title.md", "# Pumps\n"),
        Document("copy.md", books(1)[0].content),
        *station(),
    ]
    for options in (
        SelectOptions(chunk_tokens=64),
        SelectOptions(chunk_tokens=300, collapse_duplicates=False),
        SelectOptions(chunk_tokens=300, dedup=DedupOptions(threshold=0.5)),
    ):
        planned = plan(corpus, QUERY, budget=Budget(900), options=options)
        estimate = await estimate_distill(
            corpus,
            QUERY,
            client=ScriptedGenerator(),
            options=DistillOptions(chunk_tokens=options.chunk_tokens),
        )
        assert 0 < planned.distill_chunks <= estimate.chunks
        assert planned.distill_calls == planned.distill_chunks + 1
    nothing = [Document("blank.md", " \n"), Document("title.md", "# Pumps\n")]
    assert plan(nothing, QUERY, budget=Budget(900)).distill_chunks == 0
    copies = [Document(f"{name}.md", ANSWER) for name in "abc"]
    each = SelectOptions(collapse_duplicates=False)
    assert plan(copies, QUERY, budget=Budget(900), options=each).distill_chunks == 1
    assert plan([], QUERY, budget=Budget(900)).distill_calls == 0


@cache
def questions() -> tuple[Corpus, list[tuple[str, str]]]:
    """Return a package of the standard library without docstrings, and what they said.

    Each question is a first sentence, and comes with the head of the definition that answers it.
    """
    corpus: list[Document] = []
    asked: list[tuple[str, str]] = []
    for path in sorted(Path(asyncio.__file__).parent.glob("*.py")):
        lines = path.read_text(encoding="utf-8").split("\n")
        gone: set[int] = set()
        for question, head, first, last in _docstrings("\n".join(lines)):
            if lines.count(lines[head]) == 1 and len(question.split()) > 7:
                asked.append((question, lines[head].strip()))
            gone.update(range(first, last))
        text = "\n".join(line for at, line in enumerate(lines) if at not in gone)
        corpus.append(Document.of(f"asyncio/{path.name}", text))
    return Corpus(corpus), asked


def _docstrings(text: str) -> Iterator[tuple[str, int, int, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            said = re.split(r"(?<=[.!?])\s|\n\s*\n", ast.get_docstring(node) or "", maxsplit=1)[0]
            if said and len(node.body) > 1:
                value = node.body[0]
                yield (
                    " ".join(said.split()),
                    node.lineno - 1,
                    value.lineno - 1,
                    value.end_lineno or 0,
                )


def test_what_is_recommended_answers_about_as_many_questions_as_the_best_strategy() -> None:
    """About, since the package and so the questions are those of the Python that runs."""
    corpus, asked = questions()
    found = dict.fromkeys(("ranked", "tiered", "packed", "recommended"), 0)
    for question, answer in asked[::8]:
        budget = Budget(1_500)
        chosen = best(plan(corpus, question, budget=budget)).replace("whole", "ranked")
        for name in ("ranked", "tiered", "packed"):
            options = corpus.options.merged(strategy=name)
            text = select(corpus, question, budget=budget, options=options).text
            found[name] += answer in text
            found["recommended"] += answer in text and name == chosen
    assert found["recommended"] >= 0.7 * max(found.values())


def test_an_index_says_which_documents_hold_words() -> None:
    index = Corpus([Document("src/pump.md", "It stops."), Document("b.md", "A lamp.")]).index
    assert index.holding(["stops"]) == {"src/pump.md"}
    assert index.holding(["pump"]) == {"src/pump.md"}  # in its path
    assert index.holding(["lamp", "stops", "nowhere"]) == {"src/pump.md", "b.md"}
    assert index.holding(["nowhere"]) == index.holding([]) == frozenset()
