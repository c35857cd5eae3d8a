"""Scores of documents, or of parts of them, by a model that reads them with the question."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import SupportsFloat, TypeGuard, cast, overload

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
        retry: how often a request is made again; by default that is left to the reranker.

    Raises:
        ConfigurationError: an argument cannot be used.
    """

    def __init__(
        self,
        reranker: Reranker | str,
        *,
        batch_size: int = 1_000,
        retry: RetryPolicy | None = None,
    ) -> None:
        found = load_reranker(reranker) if isinstance(reranker, str) else reranker
        usable = isinstance(found, Reranker) and checks.is_async(found.rerank)  # pyright: ignore[reportUnnecessaryIsInstance]
        if isinstance(found, type) or not usable:
            raise ConfigurationError(
                f"reranker must have an async rerank(query, texts), or be the name of one such as "
                f"'cohere:rerank-v3.5', which {checks.sort_of(reranker)} has not"
            )
        self._reranker = found
        self._batch_size = checks.whole("batch_size", batch_size, least=1)
        self._retry = None if retry is None else checks.instance("retry", retry, RetryPolicy)

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
        texts = _keyed(items)
        known = await self._by_text(query, [*dict.fromkeys(texts.values())])
        found = ((key, known.get(text)) for key, text in texts.items())
        scores = {key: score for key, score in found if score is not None}
        return cast("dict[str, float] | dict[Source, float]", scores)

    async def _by_text(self, query: str, texts: Sequence[str]) -> dict[str, float | None]:
        wanted = [text for text in texts if not is_blank(text)]
        known: dict[str, float | None] = {}
        if not wanted:
            return known
        held = self._reranker
        async with held if isinstance(held, AbstractAsyncContextManager) else nullcontext():
            for start in range(0, len(wanted), self._batch_size):
                batch = wanted[start : start + self._batch_size]
                ask = partial(self._asked, query, batch)
                scores = await (call_with_retry(ask, self._retry) if self._retry else ask())
                known.update(zip(batch, scores, strict=True))
        return known

    async def _asked(self, query: str, batch: Sequence[str]) -> list[float | None]:
        scores: object = await self._reranker.rerank(query, batch)
        found = [_score(one) for one in scores] if _is_sequence(scores) else None
        if found is None or len(found) != len(batch) or any(map(_is_wrong, found)):
            raise ProviderResponseError(
                f"what came back are not {len(batch)} finite numbers, one for each text; nothing "
                "of it is used",
                provider=type(self._reranker).__name__,
            )
        return found


def _is_sequence(scores: object) -> TypeGuard[Sequence[object]]:
    """Return whether these may be scores in order; arrays of numpy are no `Sequence`."""
    return hasattr(scores, "__len__") and hasattr(scores, "__getitem__")


def _score(value: object) -> float | None:
    """Return a score as a float, NaN for what is none."""
    if value is None:
        return None
    if isinstance(value, bool | str) or not isinstance(value, SupportsFloat):
        return math.nan
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        return math.nan


def _is_wrong(score: float | None) -> bool:
    return score is not None and not math.isfinite(score)


def _keyed(items: object) -> dict[str | Source, str]:
    """Return the texts by what their scores are to be known by."""
    texts: dict[str | Source, str] = {}
    key: str | Source
    for item in checks.sequence("items", items, "documents or chunks"):
        if isinstance(item, Document):
            key, text = item.path, item.content
        elif isinstance(item, Chunk):
            key, text = item.source, item.text
        else:
            raise ConfigurationError(
                f"items must be Documents or Chunks, not {checks.sort_of(item)}"
            )
        if texts.setdefault(key, text) != text:
            raise ConfigurationError(f"two different items are called {str(key)!r}; rename one")
    return texts
