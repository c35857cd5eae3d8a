"""What holds for every selection, whatever the corpus, the settings and the budget."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.corpus import (
    Corpus,
    Outlook,
    Reduction,
    ReductionState,
    SelectOptions,
    parse,
    plan,
    select,
)
from orchestrator_context.models import Budget, Document
from tests.corpus.corpora import QUERY, all_options, counters, documents, forms, station

COUNTERS = st.sampled_from(sorted(counters()))
TOKENS = st.one_of(st.integers(1, 60), st.integers(1, 1_000))
BYTES = st.integers(1, 2_000)
ITEMS = st.integers(1, 5)
BUDGETS = st.one_of(
    st.builds(Budget, max_tokens=TOKENS, max_bytes=st.none() | BYTES, max_items=st.none() | ITEMS),
    st.builds(Budget, max_bytes=BYTES, max_items=st.none() | ITEMS),
    st.builds(Budget, max_items=ITEMS),
)
QUERIES = st.sampled_from(["", QUERY, "水泵 valve", "\ud800"])
few = settings(max_examples=60, deadline=None)


def check(reduction: Reduction, corpus: list[Document], name: str) -> None:
    text, budget = reduction.text, reduction.budget
    size = len(text.encode("utf-8", "surrogatepass"))
    assert reduction.tokens == (counters()[name].count(text) if text else 0)
    assert reduction.size_bytes == size
    assert budget.available is None or reduction.tokens <= budget.available
    assert budget.max_bytes is None or size <= budget.max_bytes
    assert budget.max_items is None or len(reduction.documents) <= budget.max_items
    check_account(reduction, corpus)


def check_account(reduction: Reduction, corpus: list[Document]) -> None:
    elements = parse(reduction.text) if reduction.text else ()
    contents = {one.path: one.content for one in corpus}
    there = forms(reduction)
    assert {one.path for one in reduction.documents} == set(there)
    for one, fidelity in zip(reduction.documents, reduction.fidelities, strict=True):
        assert there[one.path][-1] == fidelity
    pointers = [one for one in elements if one.fidelity == "pointer"]
    for pointer in pointers:
        assert pointer.same_as in there
        if pointer.identical:
            assert contents[pointer.path] == contents[pointer.same_as]
    assert reduction.collapsed_exact + reduction.collapsed_near == len(pointers)
    assert reduction.omitted == len(corpus) - len(there) - len(pointers) >= 0
    sent = {one.path: one.content for one in elements if one.fidelity == "whole"}
    sent |= {one.path: sent[one.same_as] for one in pointers if one.same_as in sent}
    assert reduction.complete == (sent == contents != {})
    gone = {one.path for one in corpus if one.pinned} - set(there) - {p.path for p in pointers}
    shown = {contents[path] for path in there}  # an equal one is enough
    assert {one for one in gone if contents[one] not in shown} <= set(reduction.required_omitted)
    assert set(reduction.required_omitted) <= gone
    lacking = reduction.omitted > 0 or bool(set(reduction.fidelities) - {"whole"})
    assert bool(reduction.binding) == lacking


@few
@given(documents(), QUERIES, all_options(), BUDGETS, COUNTERS)
def test_no_ceiling_is_passed_and_the_account_is_true(
    corpus: list[Document], query: str, options: SelectOptions, budget: Budget, name: str
) -> None:
    reduction = select(corpus, query, budget=budget, options=options, counter=counters()[name])
    check(reduction, corpus, name)


@few
@given(QUERIES, all_options(), BUDGETS, COUNTERS)
def test_that_holds_for_a_code_base_too(
    query: str, options: SelectOptions, budget: Budget, name: str
) -> None:
    reduction = select(station(), query, budget=budget, options=options, counter=counters()[name])
    check(reduction, list(station()), name)


@few
@given(documents(), QUERIES, all_options(), BUDGETS, st.randoms())
def test_the_order_of_documents_does_not_matter(
    corpus: list[Document], query: str, options: SelectOptions, budget: Budget, draw: object
) -> None:
    first = select(corpus, query, budget=budget, options=options)
    assert select(iter(corpus[::-1]), query, budget=budget, options=options) == first
    made = Corpus(corpus, options=options)
    assert [select(made, query, budget=budget) for _ in range(2)] == [first, first]


@few
@given(documents(), QUERIES, all_options(), BUDGETS)
def test_a_plan_says_what_a_selection_gives(
    corpus: list[Document], query: str, options: SelectOptions, budget: Budget
) -> None:
    planned = plan(corpus, query, budget=budget, options=options)
    assert [one.strategy for one in planned.options] == ["whole", "ranked", "tiered", "packed"]
    for outlook in planned.options:
        chosen = replace(options, strategy=outlook.strategy)
        again = select(corpus, query, budget=budget, options=chosen)
        assert Outlook.of(again, outlook.relevance) == outlook
    assert plan(corpus[::-1], query, budget=budget, options=options).metadata() == (
        planned.metadata()
    )


@few
@given(documents(), QUERIES, all_options(), BUDGETS)
def test_the_same_corpus_gives_the_same_text_again(
    corpus: list[Document], query: str, options: SelectOptions, budget: Budget
) -> None:
    first = select(corpus, query, budget=budget, options=options)
    state = ReductionState.from_mapping(first.state().to_mapping())
    assert state == first.state()
    again = select(corpus, query, budget=budget, options=options, previous=state)
    assert again.text == first.text
    assert again.carried_over == len(first.documents)


@few
@given(QUERIES, all_options(), BUDGETS)
def test_a_code_base_gives_the_same_text_again(
    query: str, options: SelectOptions, budget: Budget
) -> None:
    first = select(station(), query, budget=budget, options=options)
    again = select(station(), query, budget=budget, options=options, previous=first.state())
    assert again.text == first.text


@few
@given(st.lists(QUERIES, max_size=3), QUERIES, all_options(), BUDGETS)
def test_what_was_asked_before_does_not_change_that(
    earlier: list[str], query: str, options: SelectOptions, budget: Budget
) -> None:
    state = ReductionState()
    for one in (*earlier, query):
        asked = select(station(), one, budget=budget, options=options, previous=state)
        state = ReductionState.from_mapping(asked.state().to_mapping())
    again = select(station(), query, budget=budget, options=options, previous=state)
    assert (again.text, again.state()) == (asked.text, asked.state())
    if options.rank.carry_over_bonus:
        assert again.carried_over == len(asked.documents)


@few
@given(documents(), QUERIES, all_options(), st.integers(1, 400))
def test_pinned_documents_come_before_all_others(
    corpus: list[Document], query: str, options: SelectOptions, tokens: int
) -> None:
    pinned = [one for one in corpus if one.pinned]
    alone = select(
        pinned, query, budget=Budget(tokens), options=replace(options, strategy="ranked")
    )
    longer_tag = 4 * (len(pinned) + 1)  # others may hold the name of the shorter one
    reduction = select(corpus, query, budget=Budget(tokens + longer_tag), options=options)
    if alone.complete and alone.text:
        assert reduction.required_omitted == ()
        assert all(forms(reduction)[one.path] == ["whole"] for one in alone.documents)


@pytest.mark.parametrize("name", ["exact", "characters", "upper", "falling"])
@pytest.mark.parametrize("strategy", ["ranked", "tiered", "packed"])
def test_a_budget_is_used(name: str, strategy: str) -> None:
    counter = counters()[name]
    total = sum(counter.count(one.content) for one in station())
    options = SelectOptions().merged(strategy=strategy, chunk_tokens=total // 100)
    budget = Budget(total // 2)
    reduction = select(station(), QUERY, budget=budget, options=options, counter=counter)
    assert reduction.tokens > 0.85 * total // 2
