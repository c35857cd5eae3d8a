"""The source as a stream of pieces, cut in worker threads a little ahead of the calls."""

from __future__ import annotations

import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

from anyio import to_thread

from orchestrator_context.distill.cutting import Cutter, Piece
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document
from orchestrator_context.reports import Skipped

Source = str | Document | Iterable[Document] | AsyncIterable[Document]
Item = TypeVar("Item")

TEXT_PATH = "text"
"""Path of the one document that a bare string becomes."""

_BATCH_SECONDS = 0.02
_BATCH_ITEMS = 32


@dataclass(frozen=True, slots=True)
class Opened:
    """A document was taken from the source; its pieces follow."""

    characters: int


async def read(source: Source, cutter: Cutter) -> AsyncIterator[Opened | Piece | Skipped]:
    """Yield what the source holds, in order.

    A synchronous iterable is advanced in worker threads, by one at a time, since it may read files.

    Raises:
        ConfigurationError: the source is not one, or yields something that is not a document.
    """
    if isinstance(source, AsyncIterable):
        position = 0
        async for document in source:
            async for item in _in_threads(_cut(document, position, cutter)):
                yield item
            position += 1
    else:
        async for item in _in_threads(_cut_all(documents_of(source), cutter)):
            yield item


def documents_of(source: str | Document | Iterable[Document]) -> Iterator[Document]:
    """Return the documents of a source that is not asynchronous."""
    if isinstance(source, str):
        return iter((Document(TEXT_PATH, source),))
    if isinstance(source, Document):
        return iter((source,))
    if isinstance(source, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        return iter(source)
    raise ConfigurationError(
        f"source must be a str, a Document or an iterable of Documents, not {type(source).__name__}"
    )


def _cut_all(documents: Iterator[Document], cutter: Cutter) -> Iterator[Opened | Piece | Skipped]:
    for position, document in zip(count(), documents, strict=False):
        yield from _cut(document, position, cutter)


def _cut(document: Document, position: int, cutter: Cutter) -> Iterator[Opened | Piece | Skipped]:
    if not isinstance(document, Document):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigurationError(
            f"source must yield Documents, but item {position} is a {type(document).__name__}; "
            "wrap texts as Document(path, text)"
        )
    yield Opened(len(document.content))
    yield from cutter.cut(document, position)


async def _in_threads(items: Iterator[Item]) -> AsyncIterator[Item]:
    """Yield `items`, taken in worker threads in batches that are short in time."""
    while batch := await to_thread.run_sync(_batch, items):
        for item in batch:
            yield item


def _batch(items: Iterator[Item]) -> list[Item]:
    batch: list[Item] = []
    deadline = time.monotonic() + _BATCH_SECONDS
    for item in items:
        batch.append(item)
        if len(batch) >= _BATCH_ITEMS or time.monotonic() >= deadline:
            break
    return batch
