from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator_context.budget import Budget
from orchestrator_context.corpus import Corpus, SelectOptions, plan, select
from orchestrator_context.corpus.report import Strategy
from orchestrator_context.exceptions import ConfigurationError, RankIndexError
from orchestrator_context.models import Document
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.rank import RankIndex, RankOptions
from orchestrator_context.tokens import token_counter

QUESTION = "When does the pump stop?"
DOCUMENTS = tuple(
    Document(f"notes/{at:03}.md", f"# Pump {at}\n\n" + f"The pump {at} stops at {at} bar.\n" * at)
    for at in range(60)
)


class Counting:
    """A counter that notes what it was asked to count."""

    def __init__(self) -> None:
        self.counted: list[str] = []
        counter = token_counter()
        self._count = counter.count
        self.name, self.exact = counter.name, True
        self.count_messages = counter.count_messages

    def count(self, text: str) -> int:
        self.counted.append(text)
        return self._count(text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["whole", "ranked", "tiered", "packed", "auto"]),
    st.integers(1, 20_000),
    st.none() | st.integers(1, 20),
    st.booleans(),
)
def test_what_was_kept_gives_the_same_bytes(
    tmp_path: Path, strategy: Strategy, tokens: int, most: int | None, compacts: bool
) -> None:
    file, options = tmp_path / "corpus", SelectOptions(strategy=strategy, compacts=compacts)
    Corpus(DOCUMENTS, options=options).save(file)
    kept = Corpus.load(file, reversed(DOCUMENTS), options=options)
    budget = Budget(tokens, max_items=most)
    made = select(DOCUMENTS, QUESTION, budget=budget, options=options)
    assert select(kept, QUESTION, budget=budget) == made


def test_documents_are_not_counted_again(tmp_path: Path) -> None:
    Corpus(DOCUMENTS).save(tmp_path / "corpus")
    counter = Counting()
    kept = Corpus.load(tmp_path / "corpus", DOCUMENTS, counter=counter)
    assert kept.tokens == Corpus(DOCUMENTS).tokens
    assert kept.counts == Corpus(DOCUMENTS).counts
    assert not counter.counted
    options = SelectOptions(strategy="ranked")
    assert select(kept, QUESTION, budget=Budget(300), options=options).documents
    counted, all_there_is = map(
        len, ("".join(counter.counted), "".join(one.content for one in DOCUMENTS))
    )
    assert counted < all_there_is / 4


def test_a_plan_is_the_same(tmp_path: Path) -> None:
    Corpus(DOCUMENTS).save(tmp_path / "corpus")
    kept, budget = Corpus.load(tmp_path / "corpus", DOCUMENTS), Budget(500)
    assert plan(kept, QUESTION, budget=budget) == plan(DOCUMENTS, QUESTION, budget=budget)


def test_what_another_counter_counted_is_not_used(tmp_path: Path) -> None:
    Corpus(DOCUMENTS).save(tmp_path / "corpus")
    other = token_counter("cl100k_base")
    kept = Corpus.load(tmp_path / "corpus", DOCUMENTS, counter=other)
    assert kept.tokens == sum(other.count(one.content) for one in DOCUMENTS)


@pytest.mark.parametrize(
    ("counter", "is_kept"),
    [
        (token_counter(), True),
        (token_counter(len, name="characters"), True),
        (token_counter(lambda text: len(text)), False),
    ],
)
def test_counts_are_kept_by_the_name_of_a_vocabulary(
    tmp_path: Path, counter: TokenCounter, is_kept: bool
) -> None:
    Corpus(DOCUMENTS, counter=counter).save(tmp_path / "corpus")
    index = RankIndex.load(tmp_path / "corpus", DOCUMENTS)
    assert bool(index.beside) is is_kept


@pytest.mark.parametrize("tokens", [[1], [[1]] * len(DOCUMENTS), [0.5] * len(DOCUMENTS)])
def test_counts_that_are_not_one_number_for_each_document_are_not_used(
    tmp_path: Path, tokens: list[object]
) -> None:
    beside = {"tokens by o200k_base": np.array(tokens)}
    RankIndex.build(DOCUMENTS).save(tmp_path / "index", beside=beside)
    kept = Corpus.load(tmp_path / "index", DOCUMENTS)
    assert kept.counts == Corpus(DOCUMENTS).counts
    assert select(kept, QUESTION, budget=Budget(500)).documents


def test_a_function_without_a_name_does_not_take_counts_of_its_name(tmp_path: Path) -> None:
    nameless = token_counter(lambda text: len(text))
    named = token_counter(lambda text: 1, name=nameless.name)
    Corpus(DOCUMENTS, counter=named).save(tmp_path / "corpus")
    kept = Corpus.load(tmp_path / "corpus", DOCUMENTS, counter=nameless)
    assert kept.tokens == sum(len(one.content) for one in DOCUMENTS)


def test_an_index_alone_will_do(tmp_path: Path) -> None:
    RankIndex.build(DOCUMENTS).save(tmp_path / "index")
    assert Corpus.load(tmp_path / "index", DOCUMENTS).tokens == Corpus(DOCUMENTS).tokens


def test_a_corpus_without_documents_is_kept(tmp_path: Path) -> None:
    Corpus([]).save(tmp_path / "corpus")
    assert Corpus.load(tmp_path / "corpus", []).tokens == 0


def test_other_documents_or_options_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "corpus"
    Corpus(DOCUMENTS).save(file)
    with pytest.raises(RankIndexError, match="corpus"):
        Corpus.load(file, DOCUMENTS[1:])
    with pytest.raises(RankIndexError, match="options"):
        Corpus.load(file, DOCUMENTS, options=SelectOptions(rank=RankOptions(stem=True)))
    with pytest.raises(RankIndexError, match="cannot be read"):
        Corpus.load(tmp_path / "nothing", DOCUMENTS)
    with pytest.raises(ConfigurationError, match="documents"):
        Corpus.load(file, [1])  # type: ignore[list-item]
