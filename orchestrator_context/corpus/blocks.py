"""Blocks: what can stand in the text, and what it takes of each ceiling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, NamedTuple

from orchestrator_context.corpus.envelope import (
    SHOWN,
    Element,
    Fidelity,
    closing,
    element_text,
    opening,
)
from orchestrator_context.protocols import TokenCounter

Constraint = Literal["document count", "bytes", "tokens"]

CONSTRAINTS: Final[tuple[Constraint, ...]] = ("document count", "bytes", "tokens")

_PROBED: Final = 8  # characters for a token that there is room for
_FAR: Final = 1.25  # what a beginning takes is a little more than its share at times
_LEAST_ROOM: Final = 16  # tokens; less than most elements take


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


@dataclass(frozen=True, slots=True)
class Ceilings:
    """What a text may take; None where there is no such ceiling."""

    tokens: int | None = None
    size_bytes: int | None = None
    items: int | None = None

    def broken_by(self, cost: Cost) -> Constraint | None:
        """Return the first ceiling that `cost` passes, or None."""
        if self.items is not None and cost.items > self.items:
            return "document count"
        if self.size_bytes is not None and cost.size_bytes > self.size_bytes:
            return "bytes"
        if self.tokens is not None and cost.tokens > self.tokens:
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


class Block(NamedTuple):
    """Elements that are admitted together.

    Attributes:
        key: the document, or what else it stands for; one block of a key is in a text.
        fidelity: in what form the document stands here.
        price: returns what the elements take, given the tokens that there is room for; where they
            take more, that may be a lower bound.
        make: returns the elements.
        least: returns what they take at least, without counting any tokens.
    """

    key: str
    fidelity: Fidelity
    price: Callable[[int | None], Cost]
    make: Callable[[], tuple[Element, ...]]
    least: Callable[[], Cost] = Cost


class Pricer:
    """Prices elements, each once.

    Attributes:
        counter: counts tokens.
        tag: name of the tag that the elements stand in.
    """

    def __init__(self, counter: TokenCounter, tag: str) -> None:
        self.counter = counter
        self.tag = tag
        self._costs: dict[Element, Cost] = {}

    def wrapper(self) -> Cost:
        """Return what the envelope takes without any element."""
        return self.text(opening(self.tag) + closing(self.tag))

    def block(self, key: str, element: Element) -> Block:
        """Return the block of one element."""
        return Block(
            key,
            element.fidelity,
            partial(self.price, element),
            lambda: (element,),
            lambda: _uncounted(element),
        )

    def price(self, element: Element, room: int | None = None) -> Cost:
        """Return what an element takes, or a lower bound where that is more than `room` tokens.

        Of a long text only the beginning is counted, where that does not fit by far.
        """
        cost = self._costs.get(element)
        if cost is None:
            least = self._least(element.content, room)
            if least is not None:
                return _uncounted(element, least)
            text = element_text(element, self.tag)
            cost = Cost(self.counter.count(text), size_bytes(text), element.fidelity in SHOWN)
            self._costs[element] = cost
        return cost

    def text(self, text: str) -> Cost:
        """Return what a text takes."""
        return Cost(self.counter.count(text), size_bytes(text))

    def _least(self, content: str, room: int | None) -> int | None:
        """Return a count that is far above `room` and below that of `content`, if there is one."""
        if room is None:
            return None
        allowed = max(room, _LEAST_ROOM)
        if len(content) <= _PROBED * allowed:
            return None
        tokens = self.counter.count(content[: _PROBED * allowed])
        return tokens if tokens > _FAR * allowed else None


def _uncounted(element: Element, tokens: int = 0) -> Cost:
    """Return what an element takes at least, if that many tokens."""
    return Cost(tokens, size_bytes(element.content), element.fidelity in SHOWN)


def size_bytes(text: str) -> int:
    """Return the length of `text` in UTF-8; a lone surrogate takes three bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
