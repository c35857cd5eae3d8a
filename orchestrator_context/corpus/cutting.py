"""Documents cut into parts: small ones, but in a long document only where the question looks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple

from orchestrator_context.corpus.blocks import Spans, size_bytes
from orchestrator_context.corpus.candidates import Candidates
from orchestrator_context.corpus.part_index import PartIndex
from orchestrator_context.models import Chunk, Document
from orchestrator_context.source import passages

_LEAST: Final = 16  # tokens of a part
_ROOM_SHARE: Final = 4  # parts that fill the room
_MANY: Final = 2_048  # small parts of a document; where there would be more, most stay large
_LOOK: Final = 64  # about as many small parts of it are there to choose from
_LEAST_LOOK: Final = 8  # large parts of it that are cut to small ones
_TOKEN_BYTES: Final = 4


class Cut(NamedTuple):
    """A document in parts.

    Attributes:
        chunks: all of it, in order.
        offered: numbers of those there are to choose from.
    """

    chunks: tuple[Chunk, ...]
    offered: Sequence[int]


def cut_documents(
    candidates: Candidates, documents: Sequence[Document], room: int | None
) -> dict[str, Cut]:
    """Return the parts of each document, by path.

    A part has no more than a quarter of the room, if the parts are ours. A document that would fall
    into thousands of them is cut into parts of the usual size first, and of these, those that the
    question finds are cut smaller.

    Args:
        candidates: the question, and the corpus that `documents` are of.
        documents: what to cut.
        room: tokens that are left for parts, or None for no limit.
    """
    most = candidates.options.chunk_tokens
    size = most
    if room is not None and not candidates.question.chunks:
        size = min(most, max(_LEAST, room // _ROOM_SHARE))
    long = [one for one in documents if size < most and _is_long(one, size)]
    cuts = _cut_long(candidates, long, size) if long else {}
    for one in documents:
        if one.path not in cuts:
            chunks = candidates.corpus.chunks(one.path, size)
            cuts[one.path] = Cut(chunks, range(len(chunks)))
    return cuts


def _is_long(document: Document, size: int) -> bool:
    return size_bytes(document.content) > _MANY * _TOKEN_BYTES * size


def _cut_long(candidates: Candidates, documents: Sequence[Document], size: int) -> dict[str, Cut]:
    corpus, most = candidates.corpus, candidates.options.chunk_tokens
    large = {one.path: corpus.chunks(one.path, most) for one in documents}
    words = iter(PartIndex(candidates, list(chain.from_iterable(large.values()))).words())
    sent = dict(candidates.question.previous.parts)
    look = max(_LEAST_LOOK, _LOOK * size // most)
    cuts: dict[str, Cut] = {}
    for path, chunks in large.items():
        bonus = candidates.bonus if path in candidates.carried else 0.0
        spans = sent.get(path, ())
        worth = [next(words) + bonus * _touches(one, spans) for one in chunks]
        best = sorted(range(len(chunks)), key=lambda at: (-worth[at], at))[:look]
        cuts[path] = _refined(candidates, chunks, frozenset(best), size)
    return cuts


def _touches(chunk: Chunk, spans: Spans) -> bool:
    return any(start < chunk.end and chunk.start < end for start, end in spans)


def _refined(
    candidates: Candidates, chunks: Sequence[Chunk], best: frozenset[int], size: int
) -> Cut:
    """Return the parts of a document of which the best are cut to a size."""
    parts: list[Chunk] = []
    offered: list[int] = []
    for at, chunk in enumerate(chunks):
        if at in best:
            small = passages(chunk, size, counter=candidates.corpus.counter)
            offered.extend(range(len(parts), len(parts) + len(small)))
            parts.extend(small)
        else:
            parts.append(chunk)
    return Cut(tuple(parts), offered)
