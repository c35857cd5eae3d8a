"""Rerankers behind the `/rerank` address that most services and servers share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import httpx

from orchestrator_context import checks
from orchestrator_context.providers._access import api_key_from, base_url_from
from orchestrator_context.providers._http import HttpClient
from orchestrator_context.providers._lifetime import KeepsOpen
from orchestrator_context.providers._requests import extra_fields
from orchestrator_context.providers._rerank import scores_of
from orchestrator_context.retrying import RetryPolicy

__all__ = ["HttpReranker"]

_RESERVED = ("model", "query", "documents", "top_n", "top_k")


class HttpReranker(KeepsOpen):
    """A model behind `POST {base_url}/rerank`, as Jina, Voyage, vLLM and llama.cpp have it.

    As an async context manager it keeps its connections open until the end of the block. One
    object may be used in any number of tasks and event loops.

    Args:
        model: as the service calls it.
        base_url: such as `https://api.jina.ai/v1` or `http://127.0.0.1:8000/v1`.
        api_key: by default `RERANK_API_KEY` from the environment; local servers need none.
        timeout_seconds: time for one attempt.
        retry: when and how often a failed call is made again.
        http_client: a client to use instead of own connections; it is never closed.
        extra_body: more fields for the request, such as `{"return_documents": False}`.

    Raises:
        ConfigurationError: an argument cannot be used.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        api_key: str | None = None,
        timeout_seconds: float = 120.0,
        retry: RetryPolicy = RetryPolicy(),
        http_client: httpx.AsyncClient | None = None,
        extra_body: Mapping[str, object] | None = None,
    ) -> None:
        self._model = checks.text("model", model, blank=False)
        self._extra = extra_fields(extra_body, _RESERVED)
        key = api_key_from(api_key, "RERANK_API_KEY")
        self._http = HttpClient(
            "rerank",
            base_url_from(base_url),
            headers={} if key is None else {"Authorization": f"Bearer {key}"},
            timeout_seconds=timeout_seconds,
            retry=retry,
            http_client=http_client,
        )
        super().__init__(self._http)

    def __repr__(self) -> str:
        return f"HttpReranker({self._model!r}, base_url={self._http.address!r})"

    async def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        """Return one score for each of `texts`, None for those that the service left out.

        Raises:
            ProviderUnavailableError: overload, time-out or no connection, after all attempts.
            ProviderRejectedError: a refused request.
            ProviderResponseError: an answer that holds no scores, after all attempts.
        """
        if not texts:
            return []
        body = {"model": self._model, "query": query, "documents": [*texts], **self._extra}

        async def attempt() -> list[float | None]:
            answer = await self._http.post_json("/rerank", body)
            return scores_of(answer.get("results", answer.get("data")), len(texts), "rerank")

        return await self._http.retrying(attempt)
