"""Blocks: what can stand in the text, and what it takes of each ceiling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol

from orchestrator_context.corpus.envelope import (
    SHOWN,
    Element,
    Fidelity,
    closing,
    document_head,
    element_text,
    end,
    opening,
)
from orchestrator_context.protocols import TokenCounter

Constraint = Literal["document count", "bytes", "tokens"]

Key = str | tuple[Fidelity, str]
"""What a block stands for: the path of a document, or what else it is and of what."""

Spans = tuple[tuple[int, int], ...]
"""First character and the one behind the last of each span of a document, counted from 0."""

CONSTRAINTS: Final[tuple[Constraint, ...]] = ("document count", "bytes", "tokens")

_SAMPLE: Final = 64  # characters that tell how many a token has
_ENOUGH: Final = 1.1  # of the characters that too many tokens should take
_FAR: Final = 1.0625  # a text takes a few tokens less than its pieces
_LEAST_ROOM: Final = 8  # tokens; less than most elements take


@dataclass(frozen=True, slots=True)
class Cost:
    """What a text takes of each ceiling. Addable.

    Attributes:
        tokens: as the counter counts.
        size_bytes: in UTF-8.
        items: documents that stand in it, in whatever form but a pointer.
    """

    tokens: int = 0
    size_bytes: int = 0
    items: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.tokens + other.tokens,
            self.size_bytes + other.size_bytes,
            self.items + other.items,
        )

    def __sub__(self, other: Cost) -> Cost:
        return Cost(
            self.tokens - other.tokens,
            self.size_bytes - other.size_bytes,
            self.items - other.items,
        )


NOTHING: Final = Cost()


@dataclass(frozen=True, slots=True)
class Ceilings:
    """What a text may take; None where there is no such ceiling."""

    tokens: int | None = None
    size_bytes: int | None = None
    items: int | None = None

    def broken_by(self, cost: Cost, beside: Cost = NOTHING) -> Constraint | None:
        """Return the first ceiling that both costs pass together, or None."""
        if self.items is not None and cost.items + beside.items > self.items:
            return "document count"
        if self.size_bytes is not None and cost.size_bytes + beside.size_bytes > self.size_bytes:
            return "bytes"
        if self.tokens is not None and cost.tokens + beside.tokens > self.tokens:
            return "tokens"
        return None

    @property
    def beside_tokens(self) -> bool:
        """Whether anything but tokens is limited."""
        return self.items is not None or self.size_bytes is not None

    def share(self, cost: Cost, share: float) -> Ceilings:
        """Return ceilings that allow, beside `cost`, a share of what remains."""

        def between(taken: int, most: int | None) -> int | None:
            return None if most is None else taken + int(max(0, most - taken) * share)

        return Ceilings(
            between(cost.tokens, self.tokens),
            between(cost.size_bytes, self.size_bytes),
            self.items,
        )

    def room(self, cost: Cost) -> int | None:
        """Return the tokens that remain beside `cost`, or None where nothing limits them."""
        return None if self.tokens is None else self.tokens - cost.tokens


class Block(Protocol):
    """Elements that are admitted together."""

    @property
    def key(self) -> Key:
        """The document, or what else it stands for; one block of a key is in a text."""
        ...

    @property
    def fidelity(self) -> Fidelity:
        """In what form the document stands here."""
        ...

    def price(self, room: int | None, /) -> Cost:
        """Return what the elements take, given the tokens that there is room for.

        Where they take more, it may be less than they take.
        """
        ...

    def least(self) -> Cost:
        """Return what they take at least, without counting any tokens."""
        ...

    def make(self) -> tuple[Element, ...]:
        """Return the elements."""
        ...


class Pricer:
    """Prices texts, each once.

    Attributes:
        counter: counts tokens.
        tag: name of the tag that the elements stand in.
        known: tokens of the contents of documents, by path, where they were counted before.
    """

    def __init__(
        self, counter: TokenCounter, tag: str, *, known: Mapping[str, int] | None = None
    ) -> None:
        """Begin with no prices.

        Args:
            counter: counts tokens.
            tag: name of the tag.
            known: tokens of the contents of documents, by path, where they were counted before.
        """
        self.counter = counter
        self.tag = tag
        self.known = known or {}
        self._elements: dict[Element, Cost] = {}
        self._wholes: dict[str, Cost] = {}
        self._endings: dict[str, Cost] = {}

    def wrapper(self) -> Cost:
        """Return what the envelope takes without any element."""
        return self.text(opening(self.tag) + closing(self.tag))

    def text(self, text: str, items: int = 0) -> Cost:
        """Return what a text takes that this many documents stand in."""
        return Cost(self.counter.count(text), size_bytes(text), items)

    def ending(self, before: str) -> Cost:
        """Return what the end of a part takes, with what stands before it."""
        cost = self._endings.get(before)
        if cost is None:
            cost = self._endings[before] = self.text(before + end(self.tag))
        return cost

    def element(self, element: Element, room: int | None = None) -> Cost:
        """Return what an element takes, or less where that is more than `room` tokens."""
        cost = self._elements.get(element)
        if cost is None:
            far = self._far_above(room, element.content)
            if far is not None:
                return Cost(far)
            text = element_text(element, self.tag)
            cost = self._elements[element] = self.text(text, element.fidelity in SHOWN)
        return cost

    def whole(self, path: str, content: str, room: int | None = None) -> Cost:
        """Return what a whole document takes, or less where that is more than `room` tokens."""
        cost = self._wholes.get(path)
        if cost is None:
            known = self.known.get(path)
            far = self._far_above(room, content) if known is None else _above(room, known)
            if far is not None:
                return Cost(far)
            text = f"{document_head(path, self.tag)}{content}\n{end(self.tag)}"
            cost = self._wholes[path] = self.text(text, 1)
        return cost

    def _far_above(self, room: int | None, content: str) -> int | None:
        """Return a count far above `room` that the beginning of a text has, if there is one.

        It is counted in a few pieces, each as long as it has to be by what those before it take.
        """
        if room is None:
            return None
        most = far_above(room)
        start, stop, tokens = 0, _SAMPLE, 0
        while most < len(content) > stop:
            tokens += self.counter.count(content[start:stop])
            if tokens > most:
                return tokens
            wanted = int(_ENOUGH * (most - tokens) * stop / max(1, tokens))
            start, stop = stop, stop + max(stop // 2, wanted)
        return None


class Single(NamedTuple):
    """A block of one element."""

    key: Key
    element: Element
    pricer: Pricer

    @property
    def fidelity(self) -> Fidelity:
        """As in `Block`."""
        return self.element.fidelity

    def price(self, room: int | None) -> Cost:
        """As in `Block`."""
        return self.pricer.element(self.element, room)

    def least(self) -> Cost:
        """As in `Block`."""
        text = element_text(self.element, self.pricer.tag)
        return Cost(0, size_bytes(text), self.fidelity in SHOWN)

    def make(self) -> tuple[Element, ...]:
        """As in `Block`."""
        return (self.element,)


class Whole(NamedTuple):
    """A document as it is; its element is made only where it is taken.

    Attributes:
        key: its path.
        content: its text.
        pricer: prices it.
        patience: times the room up to which it is counted, for who has to know.
    """

    key: str
    content: str
    pricer: Pricer
    patience: int = 1
    fidelity: Fidelity = "whole"

    def price(self, room: int | None) -> Cost:
        """As in `Block`."""
        most = None if room is None else self.patience * room
        return self.pricer.whole(self.key, self.content, most)

    def least(self) -> Cost:
        """As in `Block`."""
        tag = self.pricer.tag
        frame = f"{document_head(self.key, tag)}\n{end(tag)}"
        return Cost(0, size_bytes(frame) + size_bytes(self.content), 1)

    def make(self) -> tuple[Element, ...]:
        """As in `Block`."""
        return (Element(self.key, self.content),)


def far_above(room: int) -> float:
    """Return the tokens above which a text with them is more than `room`."""
    return max(room, _LEAST_ROOM) * _FAR + _LEAST_ROOM


def _above(room: int | None, tokens: int) -> int | None:
    return tokens if room is not None and tokens > far_above(room) else None


def size_bytes(text: str) -> int:
    """Return the length of `text` in UTF-8; a lone surrogate takes three bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
