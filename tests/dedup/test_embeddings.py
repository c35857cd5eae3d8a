"""Vectors for semantic deduplication: every text once, in batches, or a clear error."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from orchestrator_context.dedup import precompute_embeddings, semantic_duplicates
from orchestrator_context.exceptions import (
    ConfigurationError,
    ProviderResponseError,
    ProviderUnavailableError,
)
from orchestrator_context.retrying import RetryPolicy

pytestmark = pytest.mark.anyio
AT_ONCE = RetryPolicy(max_attempts=2, first_delay_seconds=0, max_delay_seconds=0)


class Letters:
    """Embeds a text by how often it holds each letter, and remembers what it was sent."""

    def __init__(self, *, failures: int = 0, short: bool = False) -> None:
        self.requests: list[list[str]] = []
        self._failures = failures
        self._short = short

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.requests.append(list(texts))
        if len(self.requests) <= self._failures:
            raise ProviderUnavailableError("busy", provider="letters")
        vectors = [[float(text.count(c)) for c in "abcdefghijklmnoprstuvw"] for text in texts]
        return vectors[1:] if self._short else vectors


async def test_each_text_is_sent_once_in_batches() -> None:
    embedder = Letters()
    texts = [f"The gate of {name} stands open." for name in "ana bo cy di eve".split()]
    vectors = await precompute_embeddings(
        [*texts, f"  {texts[0]}\n", *texts], embedder, batch_size=2
    )
    assert embedder.requests == [texts[:2], texts[2:4], texts[4:]]
    assert list(vectors) == texts
    assert vectors[texts[0]] == (await Letters().embed(texts[:1]))[0]


async def test_short_texts_code_and_data_are_not_sent() -> None:
    embedder = Letters()
    others = ["", "short", '{"a": "a long enough value"}', "def f(a, b):\n    return a + b\n"]
    assert await precompute_embeddings(others, embedder) == {}
    assert embedder.requests == []
    assert list(await precompute_embeddings(others, embedder, min_characters=5)) == ["short"]


async def test_vectors_lead_to_duplicates() -> None:
    texts = ["The gate stands wide open.", "Wide open stands the gate.", "The gate is not open."]
    vectors = await precompute_embeddings(texts, Letters())
    found = semantic_duplicates(vectors, texts={text: text for text in vectors})
    assert dict(found.canonical) == {texts[1]: texts[0]} or found.canonical == {texts[0]: texts[1]}


async def test_a_request_is_made_again() -> None:
    embedder = Letters(failures=1)
    text = "The gate stands wide open."
    assert list(await precompute_embeddings([text], embedder, retry=AT_ONCE)) == [text]
    assert embedder.requests == [[text], [text]]
    with pytest.raises(ProviderUnavailableError):
        await precompute_embeddings([text], Letters(failures=2), retry=AT_ONCE)


async def test_too_few_vectors_are_an_error() -> None:
    with pytest.raises(ProviderResponseError, match="1 vector came back for 2 texts"):
        await precompute_embeddings(
            ["The gate stands wide open.", "The mill stands by the river."],
            Letters(short=True),
            retry=AT_ONCE,
        )


@pytest.mark.parametrize("options", [{"batch_size": 0}, {"min_characters": 0}])
async def test_arguments_are_checked(options: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(options))):
        await precompute_embeddings([], Letters(), **options)  # type: ignore[arg-type]
