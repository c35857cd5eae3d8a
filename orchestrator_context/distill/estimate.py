"""What a run will take, from the source and the sizes alone."""

from __future__ import annotations

import math

from anyio import to_thread

from orchestrator_context.distill.cutting import Cutter, Piece
from orchestrator_context.distill.options import DistillOptions
from orchestrator_context.distill.prompts import PromptBook
from orchestrator_context.distill.reading import DistillSource, Opened, Reader
from orchestrator_context.distill.run import prompt_book
from orchestrator_context.distill.sizing import Sizing, sizing
from orchestrator_context.distill.tree import Tree, Work
from orchestrator_context.models import Usage
from orchestrator_context.protocols import Generator
from orchestrator_context.reports import DistillEstimate, Skipped

# A note of n tokens takes more in the next prompt: its marks are renumbered with more digits, one
# is added where it has none, and an estimating counter may count what the model wrote as more.
_GROWTH = 1.5
_ESTIMATED_GROWTH = 3.0
_ADDED_TOKENS = 10


async def estimate_distill(
    source: DistillSource,
    query: str,
    *,
    client: Generator,
    options: DistillOptions = DistillOptions(),
) -> DistillEstimate:
    """Return how many calls, tokens and dollars `distill` will take at most, without any call.

    The source is read and cut just as by `distill`, and every note is taken to be as long as it
    may be. Retries are not foreseen, nor answers longer than their limit.

    Args:
        source: what `distill` will be given. An iterator is used up.
        query: as for `distill`.
        client: as for `distill`; it is not called.
        options: as for `distill`.

    Raises:
        ConfigurationError: as `distill` does; `UnknownWindowError` where the window is needed.
        WindowTooSmallError: as `distill` does.
    """
    book = prompt_book(query, client, options)
    sizes = await to_thread.run_sync(sizing, book, options)
    reduction = _Reduction(book, sizes, options)
    documents = chunks = skipped = 0
    usage = Usage()
    seen: set[bytes] = set()
    async with Reader(source, Cutter(book, sizes, options.passage_tokens)) as reader:
        async for item in reader:
            documents += isinstance(item, Opened)
            skipped += isinstance(item, Skipped)
            chunks += isinstance(item, Piece)
            if isinstance(item, Piece) and item.digest not in seen:
                seen.add(item.digest)
                usage += item.prompt.worst
                reduction.note(len(seen) - 1)
    reduction.close(len(seen))
    usage += reduction.usage
    price = client.profile.price
    return DistillEstimate(
        documents=documents,
        chunks=chunks,
        copied_chunks=chunks - len(seen),
        skipped=skipped,
        calls=len(seen) + reduction.calls,
        usage=usage,
        cost=None if price is None else price.of(usage),
        exact=client.profile.counter.exact,
    )


class _Reduction:
    """The reduce tree of a run in which every note is as long as it may be."""

    def __init__(self, book: PromptBook, sizes: Sizing, options: DistillOptions) -> None:
        self.calls = 0
        self.usage = Usage()
        self._free = options.reducer is not None
        self._exact = book.profile.counter.exact
        self._reasoning = book.profile.reasoning_tokens
        self._sizes = sizes
        self._tree: Tree[int] = Tree(sizes.batch_tokens, int, self._count)
        self._note = self._grown(sizes.note_tokens)
        self._merged = self._grown(sizes.merged_tokens)

    def note(self, position: int) -> None:
        """Add the note of a chunk."""
        if not self._free:
            self._tree.put(0, position, self._note)

    def close(self, total: int) -> None:
        """Say that there are `total` notes."""
        if not self._free:
            self._tree.close(0, total)

    def _count(self, work: Work[int]) -> None:
        final = work.step == "answer"
        written = self._sizes.answer_tokens if final else self._sizes.merged_tokens
        self.calls += 1
        self.usage += Usage(self._sizes.reduce_tokens + sum(work.items), written + self._reasoning)
        if not final:
            self._tree.put(work.level, work.position, self._merged)

    def _grown(self, tokens: int) -> int:
        """Return what a note of `tokens` may take in a prompt, but no more than its fair room."""
        growth = _GROWTH if self._exact else _ESTIMATED_GROWTH
        return min(math.ceil(tokens * growth) + _ADDED_TOKENS, self._sizes.batch_tokens // 2)
