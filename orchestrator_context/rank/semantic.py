"""Scores of documents, or of parts of them, by a model that reads them with the question."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import overload

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError, ProviderResponseError
from orchestrator_context.models import Chunk, Document, Source
from orchestrator_context.plugins import load_reranker
from orchestrator_context.protocols import Reranker
from orchestrator_context.retrying import RetryPolicy, call_with_retry
from orchestrator_context.text import is_blank


class SemanticRanker:
    """Scores for `select` and `plan`, from a reranker.

    Each different text is sent once; blank ones are not. Rerankers cut long texts off without a
    word, at a few hundred or thousand tokens, so of long documents rank the parts:
    `Corpus.chunks` gives them.

    Args:
        reranker: a `Reranker`, or the name of one for `load_reranker`: `"cohere:rerank-v3.5"`.
        batch_size: texts in one request; more are sent in several, one after the other.
        retry: how often a request is made again.

    Raises:
        ConfigurationError: an argument cannot be used.
    """

    def __init__(
        self,
        reranker: Reranker | str,
        *,
        batch_size: int = 1_000,
        retry: RetryPolicy = RetryPolicy(),
    ) -> None:
        found = load_reranker(reranker) if isinstance(reranker, str) else reranker
        if isinstance(found, type) or not isinstance(found, Reranker):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigurationError(
                f"reranker must have an async rerank(query, texts), or be the name of one such as "
                f"'cohere:rerank-v3.5', not {checks.sort_of(reranker)}"
            )
        self._reranker = found
        self._batch_size = checks.whole("batch_size", batch_size, least=1)
        self._retry = retry

    @overload
    async def scores(self, items: Iterable[Document], query: str) -> dict[str, float]: ...

    @overload
    async def scores(self, items: Iterable[Chunk], query: str) -> dict[Source, float]: ...

    async def scores(
        self, items: Iterable[Document] | Iterable[Chunk], query: str
    ) -> dict[str, float] | dict[Source, float]:
        """Return the scores by path, or of chunks by source; what the model left out has none.

        Raises:
            ConfigurationError: an argument cannot be used.
            ProviderResponseError: another number of scores came back than texts were sent, or one
                is not finite.
            ProviderError: the last failure of a request.
        """
        checks.text("query", query, blank=False)
        texts = dict(map(_keyed, items))
        known = await self._by_text(query, [*dict.fromkeys(texts.values())])
        found = ((key, known.get(text)) for key, text in texts.items())
        return {key: score for key, score in found if score is not None}  # type: ignore[return-value]

    async def _by_text(self, query: str, texts: Sequence[str]) -> dict[str, float | None]:
        wanted = [text for text in texts if not is_blank(text)]
        known: dict[str, float | None] = {}
        if not wanted:
            return known
        held = self._reranker
        async with held if isinstance(held, AbstractAsyncContextManager) else nullcontext():
            for start in range(0, len(wanted), self._batch_size):
                batch = wanted[start : start + self._batch_size]
                scores = await call_with_retry(partial(self._asked, query, batch), self._retry)
                known.update(zip(batch, scores, strict=True))
        return known

    async def _asked(self, query: str, batch: Sequence[str]) -> Sequence[float | None]:
        scores = await self._reranker.rerank(query, batch)
        usable = all(score is None or math.isfinite(score) for score in scores)
        if len(scores) != len(batch) or not usable:
            raise ProviderResponseError(
                f"{len(scores)} scores came back for {len(batch)} texts, or one is not finite; "
                "nothing of them is used",
                provider=type(self._reranker).__name__,
            )
        return scores


def _keyed(item: object) -> tuple[str | Source, str]:
    if isinstance(item, Document):
        return item.path, item.content
    if isinstance(item, Chunk):
        return item.source, item.text
    raise ConfigurationError(f"items must be Documents or Chunks, not {checks.sort_of(item)}")
