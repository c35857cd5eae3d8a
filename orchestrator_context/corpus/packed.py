"""The packed strategy: the best parts of documents, with neighbours joined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from orchestrator_context.corpus.blocks import Block, Cost, Pricer
from orchestrator_context.corpus.candidates import Candidate, Candidates
from orchestrator_context.corpus.envelope import Element, end, head
from orchestrator_context.corpus.fill import Filling, Offer
from orchestrator_context.models import Document
from orchestrator_context.rank import RankIndex
from orchestrator_context.source import split_document

_SEPARATOR = "\0"  # between the path of a document and the number of its part


def fill_packed(filling: Filling, candidates: Candidates) -> tuple[int, int]:
    """Offer pinned documents whole, then parts of the others, the best first.

    Returns:
        How many parts there were, and how many were taken.
    """
    pinned = [one.document for one in candidates.ranked if one.document.pinned]
    filling.fill(Offer(candidates.choices(candidates.whole(one))) for one in pinned)
    loose = [one for one in candidates.ranked if not one.document.pinned]
    pieces = {one.document.path: _Pieces(one.document, candidates) for one in loose}
    order = _order(candidates, loose, pieces)
    filling.fill(_offers(filling, pieces, order))
    return len(order), sum(len(piece.taken) for piece in pieces.values())


def _offers(
    filling: Filling, pieces: dict[str, _Pieces], order: Sequence[tuple[str, int]]
) -> Iterator[Offer]:
    for path, index in order:
        piece = pieces[path]
        choices = piece.choices(index)
        yield Offer(choices)
        taken = filling.blocks.get(path)
        if any(taken is choice for choice in choices):
            piece.take(index, with_pointers=taken is choices[0])


def _order(
    candidates: Candidates, loose: Sequence[Candidate], pieces: dict[str, _Pieces]
) -> list[tuple[str, int]]:
    """Return all parts, the best first.

    A part is scored as a document of its own that has the path of the whole. Scores that were
    given for whole documents come first, and words decide among the parts of one.
    """
    parts = [
        Document(f"{path}{_SEPARATOR}{chunk.index:09}", chunk.text)
        for path, piece in pieces.items()
        for chunk in piece.chunks
    ]
    options = replace(candidates.options.rank, salience_weight=0.0, anchor_bonus=0.0)
    index = RankIndex.build(parts, options=options)
    weights = candidates.index.weights(candidates.question.query)
    own = dict(zip(index.paths, index.scores(weights).tolist(), strict=True))
    whole = {one.document.path: one.worth for one in loose}
    given = candidates.question.scores is not None
    carried = candidates.question.previous.unchanged(candidates.documents)
    bonus = candidates.options.rank.carry_over_bonus

    def key(name: str) -> tuple[float, float, str]:
        path = name.partition(_SEPARATOR)[0]
        words = own[name] + bonus * (path in carried)
        return (-whole[path], -words, name) if given else (-words, -whole[path], name)

    return [
        (path, int(number))
        for path, _, number in (name.partition(_SEPARATOR) for name in sorted(own, key=key))
    ]


class _Pieces:
    """The parts of one document, and those that were taken.

    Attributes:
        chunks: all parts, in order.
        taken: numbers of those taken, in the order in which they were.
    """

    def __init__(self, document: Document, candidates: Candidates) -> None:
        size, counter = candidates.options.chunk_tokens, candidates.pricer.counter
        self.chunks = tuple(split_document(document, size, counter=counter))
        self.taken: list[int] = []
        self._document = document
        self._pricer: Pricer = candidates.pricer
        self._pointers = candidates.pointers(document.path)
        self._with_pointers = False
        self._cost = Cost(items=1)
        self._ends: dict[int, int] = {}  # of each span of neighbours, by its beginning
        self._starts: dict[int, int] = {}  # and the other way round
        self._price: list[Cost | None] = [None] * len(self.chunks)

    def choices(self, index: int) -> tuple[Block, ...]:
        """Return the document's block with one part more, with pointers if they may still come."""
        if not self.taken and self._pointers:
            return self._block(index, self._pointers), self._block(index, ())
        return (self._block(index, self._pointers if self._with_pointers else ()),)

    def take(self, index: int, *, with_pointers: bool) -> None:
        """Note that a part was taken."""
        if not self.taken:
            self._with_pointers = with_pointers and bool(self._pointers)
        self._cost = self._cost_with(index)
        first, last = self._span_with(index)
        for edge in (first, index + 1):
            self._ends.pop(edge, None)
        for edge in (last, index - 1):
            self._starts.pop(edge, None)
        self._ends[first], self._starts[last] = last, first
        self.taken.append(index)

    def _block(self, index: int, pointers: Sequence[Element]) -> Block:
        extra = sum(map(self._pricer.price, pointers), Cost())
        if len(self.taken) + 1 == len(self.chunks):
            whole = Element(self._document.path, self._document.content)
            return self._pricer.block(self._document.path, whole, *pointers)
        taken, count = self.taken, len(self.taken)

        def make() -> tuple[Element, ...]:
            return (*self._elements((*taken[:count], index)), *pointers)

        return Block(self._document.path, "partial", self._cost_with(index) + extra, make)

    def _cost_with(self, index: int) -> Cost:
        first, last = self._span_with(index)
        cost = self._cost + self._chunk(index) + self._frame(first, last)
        for start, stop in ((first, index - 1), (index + 1, last)):
            if start <= stop:
                cost -= self._frame(start, stop)
        return cost

    def _span_with(self, index: int) -> tuple[int, int]:
        return self._starts.get(index - 1, index), self._ends.get(index + 1, index)

    def _chunk(self, index: int) -> Cost:
        cost = self._price[index]
        if cost is None:
            text = self.chunks[index].text
            cost = self._price[index] = self._pricer.text(text)
        return cost

    def _frame(self, first: int, last: int) -> Cost:
        """Return what a span takes beside the texts of its parts."""
        break_ = "" if self.chunks[last].text.endswith("\n") else "\n"
        tag = self._pricer.tag
        return self._pricer.text(head(self._element(first, last), tag)) + self._pricer.text(
            break_ + end(tag)
        )

    def _element(self, first: int, last: int, content: str = "") -> Element:
        lines = (self.chunks[first].source.start_line, self.chunks[last].source.end_line)
        return Element(self._document.path, content, "partial", (lines,))

    def _elements(self, numbers: Sequence[int]) -> Iterator[Element]:
        numbers = sorted(numbers)
        start = 0
        for at, number in enumerate(numbers, start=1):
            if at == len(numbers) or numbers[at] != number + 1:
                span = numbers[start:at]
                text = "".join(self.chunks[one].text for one in span)
                yield self._element(span[0], span[-1], text.removesuffix("\n"))
                start = at
