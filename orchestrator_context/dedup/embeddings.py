"""Vectors of texts that are to be compared by meaning; each text is embedded once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from orchestrator_context import checks
from orchestrator_context.dedup.structured import is_code, is_data
from orchestrator_context.exceptions import ConfigurationError, ProviderResponseError
from orchestrator_context.protocols import Embedder, Vector
from orchestrator_context.retrying import RetryPolicy, call_with_retry
from orchestrator_context.wording import counted


async def precompute_embeddings(
    texts: Iterable[str],
    embedder: Embedder,
    *,
    min_characters: int = 20,
    batch_size: int = 96,
    retry: RetryPolicy = RetryPolicy(),
) -> dict[str, Vector]:
    """Return the vectors of `texts`, by text without the white space around it.

    They are what `semantic_duplicates` asks for, with `texts={text: text for text in vectors}`.
    Short texts, code and data (JSON, CSV, markup) have none. Equal texts are sent once, in requests
    of up to `batch_size` texts, one after the other.

    Args:
        texts: such as the paragraphs of documents.
        embedder: the model.
        min_characters: shorter texts are left out.
        batch_size: texts in one request.
        retry: how often a request is made again.

    Raises:
        ConfigurationError: an argument cannot be used.
        ProviderResponseError: another number of vectors came back than texts were sent.
        ProviderError: the last failure of a request.
    """
    given = checks.instances("texts", texts, str, "texts")
    if isinstance(embedder, type) or not checks.is_async(getattr(embedder, "embed", None)):
        raise ConfigurationError(
            f"embedder must have an async embed(texts), which {checks.sort_of(embedder)} has not"
        )
    checks.instance("retry", retry, RetryPolicy)
    checks.whole("min_characters", min_characters, least=1)
    checks.whole("batch_size", batch_size, least=1)
    stripped = dict.fromkeys(text.strip() for text in given)
    wanted = [
        text
        for text in stripped
        if len(text) >= min_characters and not is_data(text) and not is_code(text)
    ]
    vectors: dict[str, Vector] = {}
    for start in range(0, len(wanted), batch_size):
        batch = wanted[start : start + batch_size]
        found = await call_with_retry(partial(_embedded, embedder, batch), retry)
        vectors.update(zip(batch, found, strict=True))
    return vectors


async def _embedded(embedder: Embedder, batch: Sequence[str]) -> Sequence[Vector]:
    found = await embedder.embed(batch)
    if len(found) != len(batch):
        raise ProviderResponseError(
            f"{counted(len(found), 'vector')} came back for {counted(len(batch), 'text')}; nothing "
            "of them is used",
            provider=type(embedder).__name__,
        )
    return found
