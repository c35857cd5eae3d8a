"""The one filler: blocks are offered in order of worth, and what fits under all ceilings stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from orchestrator_context.corpus.blocks import Block, Cost

Constraint = Literal["document count", "bytes", "tokens"]

CONSTRAINTS: Final[tuple[Constraint, ...]] = ("document count", "bytes", "tokens")


@dataclass(frozen=True, slots=True)
class Ceilings:
    """What a text may take; None where there is no such ceiling."""

    tokens: int | None = None
    size_bytes: int | None = None
    items: int | None = None

    def broken_by(self, cost: Cost) -> Iterator[Constraint]:
        """Yield the names of the ceilings that `cost` passes, in a fixed order."""
        if self.items is not None and cost.items > self.items:
            yield "document count"
        if self.size_bytes is not None and cost.size_bytes > self.size_bytes:
            yield "bytes"
        if self.tokens is not None and cost.tokens > self.tokens:
            yield "tokens"

    def part(self, cost: Cost, share: float) -> Ceilings:
        """Return ceilings that leave, beside `cost`, a share of the tokens and bytes there are."""

        def between(taken: int, most: int | None) -> int | None:
            return None if most is None else taken + int((most - taken) * share)

        return Ceilings(
            between(cost.tokens, self.tokens),
            between(cost.size_bytes, self.size_bytes),
            self.items,
        )


@dataclass(frozen=True, slots=True)
class Offer:
    """Blocks of one key, the best first; the first that fits is taken.

    Attributes:
        choices: the blocks. One that is taken replaces the block of its key that was there.
        loses: whether something is lost when none of them fits: False for a better form of what
            is there already.
    """

    choices: tuple[Block, ...]
    loses: bool = True


@dataclass(slots=True)
class Filling:
    """Blocks taken so far, and what they take.

    Attributes:
        ceilings: what they may take.
        cost: what they take, wrapper included.
        blocks: by key.
        binding: ceilings that kept something out.
    """

    ceilings: Ceilings
    cost: Cost
    blocks: dict[str, Block] = field(default_factory=dict[str, Block])
    binding: set[Constraint] = field(default_factory=set[Constraint])
    _taken: list[tuple[str, Block | None]] = field(default_factory=list["tuple[str, Block | None]"])

    def fill(self, offers: Iterable[Offer], ceilings: Ceilings | None = None) -> None:
        """Take of each offer the first choice that fits.

        When the number of documents is what is full, nothing else can come in, and the rest of
        the offers is not looked at.

        Args:
            offers: the best first.
            ceilings: lower ones than those of the filling, for these offers.
        """
        for offer in offers:
            broken = self._take(offer, ceilings or self.ceilings)
            if broken and offer.loses:
                self.binding.update(broken)
                if broken[0] == "document count":
                    return

    def part(self, share: float) -> Ceilings:
        """Return ceilings that let a share of what is left be taken."""
        return self.ceilings.part(self.cost, share)

    def undo(self) -> bool:
        """Take back the last block that was taken; return whether there was one."""
        if not self._taken:
            return False
        key, before = self._taken.pop()
        self.cost -= self.blocks[key].cost
        if before is None:
            del self.blocks[key]
        else:
            self.blocks[key] = before
            self.cost += before.cost
        return True

    def _take(self, offer: Offer, ceilings: Ceilings) -> tuple[Constraint, ...]:
        """Return the ceilings that the best choice broke, where no choice was taken."""
        first: tuple[Constraint, ...] = ()
        for block in offer.choices:
            before = self.blocks.get(block.key)
            cost = self.cost + block.cost - (Cost() if before is None else before.cost)
            broken = tuple(ceilings.broken_by(cost))
            if not broken:
                self._taken.append((block.key, before))
                self.blocks[block.key], self.cost = block, cost
                return ()
            first = first or broken
        return first
