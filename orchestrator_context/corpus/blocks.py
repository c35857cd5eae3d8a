"""Blocks: rendered elements with their exact cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from orchestrator_context.corpus.envelope import (
    Element,
    Fidelity,
    closing,
    element_text,
    opening,
)
from orchestrator_context.protocols import TokenCounter


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
class Block:
    """One or more elements that are admitted together.

    Attributes:
        key: the document, or what else it stands for; one block of a key is in a result.
        fidelity: in what form the document stands here.
        cost: of the elements as text.
        make: returns the elements, the document first, then pointers of those that equal it.
    """

    key: str
    fidelity: Fidelity
    cost: Cost
    make: Callable[[], tuple[Element, ...]] = field(repr=False, compare=False)


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

    def block(self, key: str, *elements: Element) -> Block:
        """Return the block of `elements`."""
        cost = sum(map(self.price, elements), Cost())
        return Block(key, elements[0].fidelity, cost, lambda: elements)

    def price(self, element: Element) -> Cost:
        """Return what an element takes."""
        cost = self._costs.get(element)
        if cost is None:
            cost = self.text(element_text(element, self.tag))
            if element.fidelity in ("whole", "compact", "partial", "extract"):
                cost += Cost(items=1)
            self._costs[element] = cost
        return cost

    def text(self, text: str) -> Cost:
        """Return what a text takes."""
        return Cost(self.counter.count(text), len(text.encode("utf-8", "surrogatepass")))
