"""Rerankers at the wire: the SDK of Cohere, and the shape that other services share."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import pytest

from orchestrator_context.exceptions import (
    ConfigurationError,
    ProviderError,
    ProviderRejectedError,
    ProviderResponseError,
    ProviderUnavailableError,
)
from orchestrator_context.plugins import load_reranker
from orchestrator_context.protocols import Reranker
from orchestrator_context.providers.cohere_rerank import CohereReranker
from orchestrator_context.providers.rerank import HttpReranker
from orchestrator_context.retrying import RetryPolicy
from tests.loopback import NOT_JSON, NOT_OBJECT, Loopback, cuts, fails, replies, waits

KEY = "k-7731"
SECRET = "the pump stops"
TEXTS = ["the valve", "the pump stops at 3 bar", "nothing"]
QUERY = "pump stops"
QUICK = RetryPolicy(max_attempts=3, first_delay_seconds=0.001, max_delay_seconds=0.001)
Make = Callable[..., CohereReranker | HttpReranker]


def cohere(url: str, **options: Any) -> CohereReranker:
    return CohereReranker("m-1", base_url=url, api_key=KEY, retry=QUICK, **options)


def http(url: str, **options: Any) -> HttpReranker:
    return HttpReranker("m-1", base_url=f"{url}/v1", api_key=KEY, retry=QUICK, **options)


both = pytest.mark.parametrize("make", [cohere, http])


@both
@pytest.mark.anyio
async def test_a_request_and_its_answer(make: Make) -> None:
    with Loopback() as server:
        reranker = make(server.url)
        assert isinstance(reranker, Reranker)
        assert await reranker.rerank(QUERY, TEXTS) == [0.0, 1.0, 0.0]
        assert await reranker.rerank(QUERY, []) == []
    (request,) = server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.json == {"model": "m-1", "query": QUERY, "documents": TEXTS}
    assert KEY not in repr(reranker)


@pytest.mark.anyio
async def test_each_has_its_address_and_options() -> None:
    with Loopback() as server:
        await cohere(server.url, max_tokens_per_doc=99).rerank(QUERY, TEXTS)
        await http(server.url, extra_body={"truncation": False}).rerank(QUERY, TEXTS)
    one, other = server.requests
    assert (one.path, one.json["max_tokens_per_doc"]) == ("/v2/rerank", 99)
    assert (other.path, other.json["truncation"]) == ("/v1/rerank", False)


@both
@pytest.mark.anyio
async def test_what_the_service_leaves_out_has_no_score(make: Make) -> None:
    answer = {"id": "r", "results": [{"index": 2, "relevance_score": 0.5}]}
    with Loopback([replies(answer)]) as server:
        assert await make(server.url).rerank(QUERY, TEXTS) == [None, None, 0.5]


@pytest.mark.anyio
async def test_other_words_for_the_same() -> None:
    answer = {"data": [{"index": 0, "score": -3}, {"index": 1, "relevance_score": 0.25}]}
    with Loopback([replies(answer)]) as server:
        assert await http(server.url).rerank(QUERY, TEXTS) == [-3.0, 0.25, None]


@pytest.mark.parametrize(
    "results",
    [
        None,
        7,
        [7],
        [{"index": 3, "relevance_score": 1.0}],
        [{"index": -1, "relevance_score": 1.0}],
        [{"index": 0, "relevance_score": 1.0}] * 2,
        [{"index": 0}],
        [{"index": 0, "relevance_score": "1"}],
        [{"index": 0, "relevance_score": float("nan")}],
        [{"index": 0, "relevance_score": 10**400}],
    ],
)
@both
@pytest.mark.anyio
async def test_what_are_no_scores_is_asked_for_again(make: Make, results: object) -> None:
    with Loopback([replies({"id": "r", "results": results})] * 3) as server:
        with pytest.raises(ProviderResponseError):
            await make(server.url).rerank(QUERY, TEXTS)
        assert len(server.requests) == 3
    with Loopback([replies({"id": "r", "results": results})]) as server:
        assert await make(server.url).rerank(QUERY, TEXTS) == [0.0, 1.0, 0.0]


@both
@pytest.mark.parametrize(
    ("behaviour", "kind", "calls"),
    [
        (fails(429), ProviderUnavailableError, 3),
        (fails(500), ProviderUnavailableError, 3),
        (fails(401), ProviderRejectedError, 1),
        (fails(400), ProviderRejectedError, 1),
        (cuts(), ProviderUnavailableError, 3),
        (NOT_JSON, ProviderResponseError, 3),
        (NOT_OBJECT, ProviderResponseError, 3),
    ],
)
@pytest.mark.anyio
async def test_failures(make: Make, behaviour: Any, kind: type[ProviderError], calls: int) -> None:
    with Loopback([behaviour] * 3) as server:
        with pytest.raises(kind) as caught:
            await make(server.url).rerank(SECRET, TEXTS)
        assert len(server.requests) == calls
    shown = "".join(traceback.format_exception(caught.value)) + str(vars(caught.value))
    assert KEY not in shown
    assert SECRET not in shown.replace(__file__, "").replace('SECRET = "the pump stops"', "")


@both
@pytest.mark.anyio
async def test_a_service_that_is_too_slow(make: Make) -> None:
    with (
        Loopback([waits(5.0)] * 3) as server,
        pytest.raises(ProviderUnavailableError, match=r"0\.05 s"),
    ):
        await make(server.url, timeout_seconds=0.05).rerank(QUERY, TEXTS)


@both
@pytest.mark.anyio
async def test_connections_are_kept_in_a_block(make: Make) -> None:
    with Loopback() as server:
        async with make(server.url) as reranker:
            for _ in range(3):
                await reranker.rerank(QUERY, TEXTS)
        assert server.connected == 1


def test_they_are_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CO_API_KEY", KEY)
    assert isinstance(load_reranker("cohere:rerank-v3.5"), CohereReranker)
    assert isinstance(load_reranker("http:m", base_url="http://127.0.0.1:1"), HttpReranker)
    for spec in ("cohere", "cohere: ", "nobody:m", "http:m"):
        with pytest.raises(ConfigurationError):
            load_reranker(spec)


@pytest.mark.parametrize(
    "make",
    [
        lambda: HttpReranker("", base_url="http://x"),
        lambda: HttpReranker("m", base_url="nowhere"),
        lambda: HttpReranker("m", base_url="http://x", extra_body={"query": "q"}),
        lambda: CohereReranker(" ", api_key=KEY),
        lambda: CohereReranker("m", api_key=KEY, max_tokens_per_doc=0),
        lambda: CohereReranker("m", api_key=KEY, timeout_seconds=0),
    ],
)
def test_bad_arguments(make: Callable[[], object]) -> None:
    with pytest.raises(ConfigurationError):
        make()
