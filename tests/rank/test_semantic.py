"""Scores by a reranker, and what a selection makes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from orchestrator_context import (
    Budget,
    Corpus,
    Document,
    SelectOptions,
    SemanticRanker,
    plan,
    select,
)
from orchestrator_context.exceptions import (
    ConfigurationError,
    ProviderResponseError,
    ProviderUnavailableError,
)
from orchestrator_context.providers.rerank import HttpReranker
from orchestrator_context.retrying import RetryPolicy
from tests.loopback import Loopback, fails

AT_ONCE = RetryPolicy(max_attempts=2, first_delay_seconds=0.0, max_delay_seconds=0.0)
DOCUMENTS = (
    Document("a.txt", "pump pump pump"),
    Document("b.txt", "it lets water through"),
    Document("c.txt", "pump pump pump"),
    Document("d.txt", " \n"),
)


@dataclass
class Lengths:
    """Scores a text by its length; remembers what it was asked."""

    asked: list[Sequence[str]] = field(default_factory=list)
    failures: int = 0
    entered: int = 0

    async def __aenter__(self) -> Lengths:
        self.entered += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        self.entered -= 1

    async def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float | None]:
        assert (query, self.entered) == ("valve", 1)
        if self.failures:
            self.failures -= 1
            raise ProviderUnavailableError("busy", provider="lengths")
        self.asked.append(texts)
        return [float(len(text)) for text in texts]


@dataclass
class Fixed:
    answer: Any

    async def rerank(self, query: str, texts: Sequence[str]) -> Any:  # noqa: ARG002
        return self.answer


class Blocking:
    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:  # noqa: ARG002
        return [0.0 for _ in texts]


@pytest.mark.anyio
async def test_one_request_for_the_different_texts() -> None:
    model = Lengths()
    scores = await SemanticRanker(model).scores(DOCUMENTS, "valve")
    assert scores == {"a.txt": 14.0, "b.txt": 21.0, "c.txt": 14.0}
    assert model.asked == [["pump pump pump", "it lets water through"]]
    assert model.entered == 0


@pytest.mark.anyio
async def test_no_request_for_nothing() -> None:
    model = Lengths()
    assert await SemanticRanker(model).scores([], "valve") == {}
    assert await SemanticRanker(model).scores([DOCUMENTS[3]], "valve") == {}
    assert model.asked == []


@pytest.mark.anyio
async def test_batches_and_another_attempt() -> None:
    documents = [Document(f"{i}", "x" * (i + 1)) for i in range(5)]
    model = Lengths(failures=1)
    scores = await SemanticRanker(model, batch_size=2, retry=AT_ONCE).scores(documents, "valve")
    assert scores == {str(i): i + 1.0 for i in range(5)}
    assert [len(batch) for batch in model.asked] == [2, 2, 1]
    with pytest.raises(ProviderUnavailableError):
        await SemanticRanker(Lengths(failures=2), retry=AT_ONCE).scores(documents, "valve")


@pytest.mark.anyio
async def test_what_has_no_score_is_absent() -> None:
    scores = await SemanticRanker(Fixed([None, 0.5])).scores(DOCUMENTS, "valve")
    assert scores == {"b.txt": 0.5}


@pytest.mark.parametrize(
    "answer",
    [
        *([], [1.0], [1.0, math.nan], [1.0, math.inf], [1.0, 10**400]),
        *(None, 7, ["1", "2"], [True, False], (score for score in (1.0, 2.0)), [1.0, object()]),
    ],
)
@pytest.mark.anyio
async def test_scores_that_cannot_be_used(answer: Any) -> None:
    with pytest.raises(ProviderResponseError):
        await SemanticRanker(Fixed(answer)).scores(DOCUMENTS, "valve")


@pytest.mark.anyio
async def test_scores_of_numpy_are_scores() -> None:
    scores = await SemanticRanker(Fixed(np.array([0.25, 0.5], dtype=np.float32))).scores(
        DOCUMENTS, "valve"
    )
    assert scores == {"a.txt": 0.25, "b.txt": 0.5, "c.txt": 0.25}
    assert all(type(score) is float for score in scores.values())
    given: Any = dict.fromkeys(("a.txt", "b.txt"), np.float32(0.3))
    assert select(DOCUMENTS, "pump", budget=Budget(100), scores=given).documents


@pytest.mark.anyio
async def test_retrying_is_left_to_the_reranker() -> None:
    once = RetryPolicy(max_attempts=1)
    with Loopback([fails(503)] * 9) as server:
        ranker = SemanticRanker(HttpReranker("m", base_url=server.url, retry=once))
        with pytest.raises(ProviderUnavailableError):
            await ranker.scores(DOCUMENTS, "valve")
        assert len(server.requests) == 1


@pytest.mark.anyio
async def test_a_selection_of_documents_by_a_real_request() -> None:
    with Loopback() as server:
        ranker = SemanticRanker(HttpReranker("m", base_url=server.url))
        scores = await ranker.scores(DOCUMENTS, "lets water")
    budget = Budget(max_tokens=100, max_items=1)
    by_score = select(DOCUMENTS, "pump", budget=budget, scores=scores)
    by_words = select(DOCUMENTS, "pump", budget=budget)
    assert [one.path for one in by_score.documents] == ["b.txt"]
    assert [one.path for one in by_words.documents] == ["a.txt"]
    assert plan(DOCUMENTS, "pump", budget=budget, scores=scores).options


@pytest.mark.anyio
async def test_parts_of_documents_have_scores_of_their_own() -> None:
    text = "\n\n".join(f"Part {i} of the manual says {'pump' * i}." for i in range(60))
    corpus = Corpus([Document("m.md", text)])
    parts = [part for one in corpus.documents for part in corpus.chunks(one.path)]
    scores = await SemanticRanker(Lengths()).scores(parts, "valve")
    assert list(scores) == [part.source for part in parts]
    options = SelectOptions(strategy="packed")
    text = select(corpus, "valve", budget=Budget(900), scores=scores, options=options).text
    assert max(parts, key=lambda part: len(part.text)).text.strip() in text


@pytest.mark.parametrize(
    "reranker", [None, 7, Lengths, object(), Blocking(), "", "nobody:m", "cohere"]
)
def test_what_is_no_reranker(reranker: object) -> None:
    with pytest.raises(ConfigurationError):
        SemanticRanker(reranker)  # type: ignore[arg-type]


@pytest.mark.anyio
async def test_bad_arguments() -> None:
    with pytest.raises(ConfigurationError, match="batch_size"):
        SemanticRanker(Lengths(), batch_size=0)
    with pytest.raises(ConfigurationError, match="query"):
        await SemanticRanker(Lengths()).scores(DOCUMENTS, " ")
    with pytest.raises(ConfigurationError, match="retry"):
        SemanticRanker(Lengths(), retry=3)  # type: ignore[arg-type]
    for items in (None, DOCUMENTS[0], "text", 7):
        with pytest.raises(ConfigurationError, match="items"):
            await SemanticRanker(Lengths()).scores(items, "valve")  # type: ignore[arg-type]
    twice = [Document("a", "x"), Document("a", "y")]
    with pytest.raises(ConfigurationError, match="called 'a'"):
        await SemanticRanker(Lengths()).scores(twice, "valve")
    with pytest.raises(ConfigurationError, match="Documents or Chunks"):
        await SemanticRanker(Lengths()).scores(["text"], "valve")  # type: ignore[list-item]
