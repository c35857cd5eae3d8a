"""Rerankers of Cohere, through its own SDK."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cohere

from orchestrator_context import checks
from orchestrator_context.providers._cohere import ONE_ATTEMPT, PROVIDER, Sdk
from orchestrator_context.providers._lifetime import KeepsOpen
from orchestrator_context.providers._rerank import scores_of
from orchestrator_context.retrying import RetryPolicy

__all__ = ["CohereReranker"]


class CohereReranker(KeepsOpen):
    """A model behind Cohere's `/v2/rerank`.

    As an async context manager it keeps its connections open until the end of the block. One
    object may be used in any number of tasks and event loops.

    Args:
        model: as Cohere calls it, such as `rerank-v3.5`.
        api_key: by default `CO_API_KEY` from the environment.
        base_url: by default `CO_API_URL` from the environment, or Cohere.
        max_tokens_per_doc: where Cohere cuts a text off; by default its own, 4,096.
        timeout_seconds: time for one attempt.
        retry: when and how often a failed call is made again. The SDK's own retries are off.
        client: a client to use instead of an own one, with its key and address; it is never closed.

    Raises:
        ConfigurationError: an argument cannot be used, or there is no key.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        max_tokens_per_doc: int | None = None,
        timeout_seconds: float = 120.0,
        retry: RetryPolicy = RetryPolicy(),
        client: cohere.AsyncClientV2 | None = None,
    ) -> None:
        self._model = checks.text("model", model, blank=False)
        most = checks.whole_or_none("max_tokens_per_doc", max_tokens_per_doc, least=1)
        self._options: dict[str, Any] = {} if most is None else {"max_tokens_per_doc": most}
        self._sdk = Sdk(
            api_key=api_key,
            base_url=base_url,
            timeout_seconds=timeout_seconds,
            retry=retry,
            client=client,
        )
        super().__init__(self._sdk)

    def __repr__(self) -> str:
        return f"CohereReranker({self._model!r})"

    async def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        """Return one score for each of `texts`, None for those that the service left out.

        Raises:
            ProviderUnavailableError: overload, time-out or no connection, after all attempts.
            ProviderRejectedError: a refused request.
            ProviderResponseError: an answer that holds no scores, after all attempts.
        """
        if not texts:
            return []

        async def ask(client: cohere.AsyncClientV2) -> list[float | None]:
            answer = await client.rerank(
                model=self._model,
                query=query,
                documents=[*texts],
                request_options=ONE_ATTEMPT,
                **self._options,
            )
            results = [result.model_dump(warnings=False) for result in answer.results]
            return scores_of(results, len(texts), PROVIDER)

        return await self._sdk.retrying(ask)
