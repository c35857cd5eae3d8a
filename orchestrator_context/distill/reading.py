"""The source as a stream of pieces, cut in worker threads a little ahead of the calls."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import AsyncIterable, Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from types import TracebackType

import anyio
from anyio import to_thread

from orchestrator_context.distill.cutting import Cutter, Piece
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document
from orchestrator_context.reports import Skipped

DistillSource = str | Document | Iterable[Document] | AsyncIterable[Document]

TEXT_PATH = "text"
"""Path of the one document that a bare string becomes."""

_BATCH_SECONDS = 0.005  # a thread that cuts holds up the calls
_BATCH_ITEMS = 8
_CLOSE_SECONDS = 5.0  # for what a generator has to tidy up, even where the run was stopped


@dataclass(frozen=True, slots=True)
class Opened:
    """A document was taken from the source; its pieces follow."""

    path: str


Item = Opened | Piece | Skipped


class Reader:
    """Iterates over what a source holds, in order. Leaving it closes the source, an iterator.

    Documents are cut in worker threads, in batches that are short in time. A synchronous iterable
    is advanced there too, by one thread at a time, since it may read files. When the run is
    cancelled, a thread is waited for: for the piece it is at, or for what the iterable waits for.

    Args:
        source: what to read.
        cutter: makes pieces of documents.

    Raises:
        ConfigurationError: the source is not one, or yields something that is not a document.
    """

    def __init__(self, source: DistillSource, cutter: Cutter) -> None:
        self._cutter = cutter
        self._ready: deque[Item] = deque()
        self._positions = count()
        self._documents = aiter(source) if isinstance(source, AsyncIterable) else None
        self._close = _closing(source)
        self._items: Iterator[Item] | None = None
        if not isinstance(source, AsyncIterable):
            self._items = (item for document in _documents(source) for item in self._cut(document))

    async def __aenter__(self) -> Reader:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        close = getattr(self._documents, "aclose", None)
        with anyio.move_on_after(_CLOSE_SECONDS, shield=True):
            if close is not None:
                await close()
            if self._close is not None:  # no thread is in it: each is waited for
                await to_thread.run_sync(self._close, abandon_on_cancel=True)

    def __aiter__(self) -> Reader:
        return self

    async def __anext__(self) -> Item:
        while not self._ready:
            if self._items is None:
                if self._documents is None:
                    raise StopAsyncIteration
                self._items = self._cut(await anext(self._documents))
            batch, ended = await to_thread.run_sync(_batch, self._items)
            self._ready.extend(batch)
            if ended:
                self._items = None
        return self._ready.popleft()

    def _cut(self, document: Document) -> Iterator[Item]:
        position = next(self._positions)
        yield Opened(_checked(document, position).path)
        yield from self._cutter.cut(document, position)


def length(source: DistillSource) -> int | None:
    """Return the characters of a source that lies in memory, None for one that streams.

    Raises:
        ConfigurationError: a list or tuple holds something that is not a document.
    """
    if isinstance(source, str):
        return len(source)
    if isinstance(source, Document):
        return len(source.content)
    if isinstance(source, list | tuple):
        return sum(len(_checked(item, position).content) for position, item in enumerate(source))
    return None


def _checked(document: Document, position: int) -> Document:
    if not isinstance(document, Document):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigurationError(
            f"source must yield Documents, but item {position} is a {type(document).__name__}; "
            "wrap texts as Document(path, text)"
        )
    return document


def _closing(source: DistillSource) -> Callable[[], None] | None:
    return getattr(source, "close", None) if isinstance(source, Iterator) else None


def _documents(source: str | Document | Iterable[Document]) -> Iterator[Document]:
    if isinstance(source, str):
        return iter((Document(TEXT_PATH, source),))
    if isinstance(source, Document):
        return iter((source,))
    if isinstance(source, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        return iter(source)
    raise ConfigurationError(
        f"source must be a str, a Document or an iterable of Documents, not {type(source).__name__}"
    )


def _batch(items: Iterator[Item]) -> tuple[list[Item], bool]:
    """Return the next items, and whether they are the last."""
    batch: list[Item] = []
    deadline = time.monotonic() + _BATCH_SECONDS
    for item in items:
        batch.append(item)
        if len(batch) >= _BATCH_ITEMS or time.monotonic() >= deadline:
            return batch, False
    return batch, True
