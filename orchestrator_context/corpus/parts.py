"""Parts of documents, the best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator_context.corpus.blocks import Ceilings, size_bytes
from orchestrator_context.corpus.candidates import Candidates, above_zero
from orchestrator_context.corpus.cutting import Cut, cut_documents
from orchestrator_context.corpus.envelope import Element
from orchestrator_context.corpus.fill import Filling, Offer
from orchestrator_context.corpus.order import Order
from orchestrator_context.corpus.part_index import PartIndex
from orchestrator_context.corpus.pieces import Pieces
from orchestrator_context.models import Document

_POOL: Final = 8  # texts of so many times the room are cut into parts
_TOKEN_BYTES: Final = 4
_LEAST_POOL: Final = 16  # documents, however long
_LEAST_POOL_BYTES: Final = 4_096  # unless there is next to no room


class Parts:
    """Parts of the best documents that are not in the text, as far as the room allows for many.

    They are numbered by the rank of their documents, then by place.

    Attributes:
        pieces: the documents in parts.
        all: number of the document, and of the chunk in it, of each part there is to choose from.
    """

    def __init__(self, filling: Filling, candidates: Candidates) -> None:
        """Cut the documents, and rank their parts."""
        self.filling, self.candidates = filling, candidates
        self._spans = dict(candidates.question.previous.parts)
        loose = candidates.loose
        self.numbers = self._pool([i for i, one in enumerate(loose) if not filling.has(one.path)])
        self._cuts = self._cut([loose[number] for number in self.numbers])
        self.pieces = [self._piece(loose[number]) for number in self.numbers]
        self.all = [
            (at, i)
            for at, one in enumerate(self.pieces)
            for i in self._cuts[one.document.path].offered
        ]
        chunks = [self.pieces[at].chunks[i] for at, i in self.all]
        self._carries = [candidates.carries(one) for one in chunks]
        self._index = PartIndex(candidates, chunks)
        self._worth, self._later = self._values(self._index.words()), self._last()
        self._order = self._ordered()

    @property
    def selected(self) -> int:
        """How many parts are in the text, or were until all of their document was."""
        return sum(len(one.taken) for one in self.pieces)

    def fill(self, ceilings: Ceilings | None = None) -> None:
        """Offer the parts that are not in the text, the best first.

        Args:
            ceilings: lower ones than those of the filling, where this is not the last time.
        """
        for at, piece in enumerate(self.pieces):
            block = self.filling.blocks.get(piece.document.path)
            if block is not None and block.fidelity == "extract":
                self.pieces[at] = self._piece(piece.document, beside=block.make()[0])
        if ceilings is None and self.candidates.bonus > max(self._worth, default=0.0):
            self.filling.fill(self._sent())
        self.filling.fill(self._offers(counts=ceilings is None), ceilings)

    def _sent(self) -> Iterator[Offer]:
        """Yield what was sent before of each document, all at once.

        One by one, parts take more for a while than they do together, and others would not fit.
        """
        sent: dict[int, list[int]] = {}
        for number, (at, index) in enumerate(self.all):
            if self._carries[number] and not self._later[number]:
                sent.setdefault(at, []).append(index)
        for at, indices in sent.items():
            path = self.pieces[at].document.path
            if self.filling.has(path):
                continue
            if len(indices) == len(self.pieces[at].chunks) and path not in self._spans:
                yield from self._sent_whole(at)
            else:
                yield from self._sent_parts(at, indices)

    def _sent_whole(self, at: int) -> Iterator[Offer]:
        document, forms = self.pieces[at].document, self.candidates.corpus.forms
        choices = forms.fullest(document, compacts=self.candidates.options.compacts)
        yield Offer(choices, counts=False)
        if self.filling.blocks.get(document.path) is choices[0]:
            self.pieces[at].take_all()

    def _sent_parts(self, at: int, indices: Sequence[int]) -> Iterator[Offer]:
        document = self.pieces[at].document
        piece, last = self._piece(document), indices[-1]
        for index in indices[:-1]:
            piece.take(index)
        block = piece.with_(last)
        yield Offer((block,), counts=False)
        if self.filling.blocks.get(document.path) is block:
            piece.take(last)
            self.pieces[at] = piece

    def _offers(self, *, counts: bool) -> Iterator[Offer]:
        def taken(number: int) -> bool:
            at, index = self.all[number]
            return index in self.pieces[at].chosen

        for number in self._order.walk(taken):
            at, index = self.all[number]
            piece = self.pieces[at]
            block = self.filling.blocks.get(piece.document.path)
            if block is not None and block.fidelity not in ("extract", "partial"):
                continue
            if index not in piece.chosen:
                block = piece.with_(index)
                yield Offer((block,), counts)
                if self.filling.blocks.get(block.key) is block:
                    piece.take(index)

    def _pool(self, numbers: Sequence[int]) -> list[int]:
        """Return the best of the documents, of many times the room, and those that were sent.

        Without a bonus, what was sent before has no say in it.
        """
        room = _room_bytes(self.filling)
        if room is None:
            return list(numbers)
        least = 1 if room < _LEAST_POOL_BYTES else _LEAST_POOL
        pool: list[int] = []
        for number in numbers:
            if room <= 0 and len(pool) >= least:
                break
            pool.append(number)
            room -= size_bytes(self.candidates.loose[number].content)
        rest = numbers[len(pool) :] if self.candidates.bonus else ()
        return [*pool, *(number for number in rest if self._was_sent(number))]

    def _was_sent(self, number: int) -> bool:
        """Return whether any of the content of a document was, not its declarations alone."""
        path = self.candidates.loose[number].path
        return path in self.candidates.carried and self._spans.get(path) != ()

    def _cut(self, documents: Sequence[Document]) -> dict[str, Cut]:
        room = self.filling.ceilings.room(self.filling.cost)
        return cut_documents(self.candidates, documents, room)

    def _piece(self, document: Document, beside: Element | None = None) -> Pieces:
        pricer = self.candidates.corpus.forms.pricer
        return Pieces(document, self._cuts[document.path].chunks, pricer, beside=beside)

    def _ordered(self) -> Order:
        return Order(
            self._worth,
            [self.candidates.bonus * carries for carries in self._carries],
            last=self._later,
            diversity=self.candidates.options.diversity,
            likeness=self._index.likeness,
        )

    def _values(self, words: list[float]) -> list[float]:
        """Return what each part is worth.

        That is its own score where it was given one; else what its words are worth, or where its
        document was given a score, half of that, and up to twice as much by its words.
        """
        question = self.candidates.question
        if question.documents is None:
            return words
        ranked = [self.candidates.score(number) for number in self.numbers]
        wholes = above_zero([one.score for one in ranked])
        most = [0.0] * len(self.pieces)
        for (at, _), word in zip(self.all, words, strict=True):
            most[at] = max(most[at], word)
        values = [
            wholes[at] / 2 * (1 + (word / most[at] if most[at] else 0))
            for (at, _), word in zip(self.all, words, strict=True)
        ]
        if not question.chunks:
            return values
        sources = (self.pieces[at].chunks[index].source for at, index in self.all)
        given = [question.chunks.get(source) for source in sources]
        moved = iter(above_zero([one for one in given if one is not None]))
        return [
            value if one is None else next(moved) for value, one in zip(values, given, strict=True)
        ]

    def _last(self) -> list[bool]:
        """Return which parts come after all others, as they have no score and others do."""
        question = self.candidates.question
        if not question.chunks:
            return [not self.candidates.score(self.numbers[at]).scored for at, _ in self.all]
        return [
            self.pieces[at].chunks[index].source not in question.chunks for at, index in self.all
        ]


def _room_bytes(filling: Filling) -> int | None:
    """Return the bytes of text to cut into parts, or None for all there is."""
    ceilings: Ceilings = filling.ceilings
    room = ceilings.room(filling.cost)
    if room is not None:
        return _POOL * _TOKEN_BYTES * room
    if ceilings.size_bytes is not None:
        return _POOL * (ceilings.size_bytes - filling.cost.size_bytes)
    return None
