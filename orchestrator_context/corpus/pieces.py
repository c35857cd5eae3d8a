"""A document in parts: what any set of its chunks takes, with neighbours joined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from orchestrator_context.corpus.blocks import Block, Cost, Pricer, Spans, Whole
from orchestrator_context.corpus.envelope import Element, Fidelity, Lines, document_head
from orchestrator_context.corpus.tables import table_heads
from orchestrator_context.models import Chunk, Document


class Pieces:
    """The chunks of a document, and those of them that were taken.

    Chunks that follow each other stand in one element, below the head of the table that they begin
    inside of. A chunk is priced once, and one more of them in constant time.

    Attributes:
        document: it.
        chunks: all of them, in order.
        taken: numbers of those taken, in the order in which they were.
        chosen: the same, to be asked.
    """

    def __init__(
        self,
        document: Document,
        chunks: Sequence[Chunk],
        pricer: Pricer,
        *,
        beside: Element | None = None,
    ) -> None:
        """Begin with nothing taken.

        Args:
            document: the document.
            chunks: all of its chunks.
            pricer: prices them.
            beside: an element on the document that stays until all of it is there.
        """
        self.document, self.chunks = document, chunks
        self.taken: list[int] = []
        self.chosen: set[int] = set()
        self._pricer, self._beside = pricer, beside
        self._heads = table_heads(chunks)
        self._cost = Cost(items=1) if beside is None else pricer.element(beside)
        self._last: dict[int, int] = {}  # chunk of each span of neighbours, by its first one
        self._first: dict[int, int] = {}  # and the other way round
        self._prices: dict[int, Cost] = {}
        self._frames: dict[tuple[int, int], Cost] = {}  # of spans, by their first and last chunk
        self._offered: tuple[int, Cost] | None = None

    def with_(self, number: int) -> Block:
        """Return the block of the taken chunks and one more; of the document, if that is all."""
        if len(self.taken) + 1 == len(self.chunks):
            return Whole(self.document.path, self.document.content, self._pricer)
        return Some(self, self._cost_with(number), len(self.taken), number)

    def take(self, number: int) -> None:
        """Note that a chunk was taken."""
        if len(self.taken) + 1 < len(self.chunks):  # else nothing is left to be priced
            self._cost = self._cost_with(number)
            first, last = self._span_with(number)
            self._last.pop(number + 1, None)
            self._first.pop(number - 1, None)
            self._last[first], self._first[last] = last, first
        self._offered = None
        self.taken.append(number)
        self.chosen.add(number)

    def take_all(self) -> None:
        """Note that the document stands in the text as a whole."""
        self.taken = list(range(len(self.chunks)))
        self.chosen = set(self.taken)

    def _cost_with(self, number: int) -> Cost:
        if self._offered is None or self._offered[0] != number:
            first, last = self._span_with(number)
            cost = self._cost + self._price(number) + self._frame(first, last)
            for start, stop in ((first, number - 1), (number + 1, last)):
                if start <= stop:
                    cost -= self._frame(start, stop)
            self._offered = number, cost
        return self._offered[1]

    def _span_with(self, number: int) -> tuple[int, int]:
        return self._first.get(number - 1, number), self._last.get(number + 1, number)

    def _price(self, number: int) -> Cost:
        cost = self._prices.get(number)
        if cost is None:
            cost = self._prices[number] = self._pricer.text(self.chunks[number].text)
        return cost

    def _frame(self, first: int, last: int) -> Cost:
        """Return what a span takes beside the texts of its chunks."""
        cost = self._frames.get((first, last))
        if cost is None:
            pricer, above = self._pricer, self._heads[first]
            before = document_head(self.document.path, pricer.tag, self._lines(first, last))
            ending = pricer.ending("" if self.chunks[last].text.endswith("\n") else "\n")
            cost = pricer.text(before + ("" if above is None else above.text)) + ending
            self._frames[first, last] = cost
        return cost

    def _lines(self, first: int, last: int) -> Lines:
        span = (self.chunks[first].source.start_line, self.chunks[last].source.end_line)
        above = self._heads[first]
        return (span,) if above is None else (above.lines, span)

    def _element(self, first: int, last: int, content: str) -> Element:
        above, lines = self._heads[first], self._lines(first, last)
        text = content if above is None else above.text + content
        return Element(self.document.path, text, "partial", lines)

    def elements(self, numbers: Sequence[int]) -> tuple[Element, ...]:
        """Return the elements of these chunks, behind what stands beside them."""
        parts = self._elements(numbers)
        return tuple(parts) if self._beside is None else (self._beside, *parts)

    def spans(self, numbers: Sequence[int]) -> Spans:
        """Return the characters of the document that these chunks hold."""
        chunks = self.chunks
        return tuple((chunks[first].start, chunks[last].end) for first, last in _runs(numbers))

    def _elements(self, numbers: Sequence[int]) -> Iterator[Element]:
        for first, last in _runs(numbers):
            text = "".join(one.text for one in self.chunks[first : last + 1])
            yield self._element(first, last, text.removesuffix("\n"))


class Some(NamedTuple):
    """Chunks of a document, which are put together only where they are taken.

    Attributes:
        pieces: all of the document.
        cost: what these take.
        before: how many of those taken belong to it.
        number: one more.
    """

    pieces: Pieces
    cost: Cost
    before: int
    number: int
    fidelity: Fidelity = "partial"

    @property
    def key(self) -> str:
        """As in `Block`."""
        return self.pieces.document.path

    def price(self, _: int | None) -> Cost:
        """As in `Block`."""
        return self.cost

    def least(self) -> Cost:
        """As in `Block`."""
        return self.cost

    def make(self) -> tuple[Element, ...]:
        """As in `Block`."""
        return self.pieces.elements(self._numbers())

    def spans(self) -> Spans:
        """Return the characters of the document that they hold."""
        return self.pieces.spans(self._numbers())

    def _numbers(self) -> Sequence[int]:
        return (*self.pieces.taken[: self.before], self.number)


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last one of numbers that follow each other."""
    numbers = sorted(numbers)
    start = 0
    for at, number in enumerate(numbers, start=1):
        if at == len(numbers) or numbers[at] != number + 1:
            yield numbers[start], number
            start = at
