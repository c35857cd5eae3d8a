"""The one filler: blocks are offered in order of worth, and what fits under all ceilings stays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from orchestrator_context.corpus.blocks import NOTHING, Block, Ceilings, Constraint, Cost, Key
from orchestrator_context.corpus.order import Order


class Offer(NamedTuple):
    """Blocks of one key, the best first; the first that fits is taken.

    Attributes:
        choices: the blocks. One that is taken replaces the block of its key that was there.
        counts: whether it is told what kept the best one out; False where a later offer of the
            same will tell.
    """

    choices: tuple[Block, ...]
    counts: bool = True


@dataclass(slots=True)
class Filling:
    """Blocks taken so far, and what they take.

    Attributes:
        ceilings: what they may take.
        cost: what they take, wrapper included.
        order: in which documents are offered.
        blocks: by key.
        binding: ceilings that kept something out.
    """

    ceilings: Ceilings
    cost: Cost
    order: Order
    blocks: dict[Key, Block] = field(default_factory=dict[Key, Block])
    binding: set[Constraint] = field(default_factory=set[Constraint])
    _costs: dict[Key, Cost] = field(default_factory=dict[Key, Cost])
    _taken: list[tuple[Key, Block | None, Cost]] = field(
        default_factory=list[tuple[Key, Block | None, Cost]]
    )

    def fill(self, offers: Iterable[Offer], ceilings: Ceilings | None = None) -> None:
        """Take of each offer the first choice that fits.

        Args:
            offers: the best first.
            ceilings: lower ones than those of the filling, for these offers.
        """
        for offer in offers:
            broken = self._take(offer, ceilings or self.ceilings)
            if broken is not None and offer.counts:
                self.binding.add(broken)

    def share(self, share: float) -> Ceilings:
        """Return ceilings that let a share of what is left be taken."""
        return self.ceilings.share(self.cost, share)

    def has(self, key: Key) -> bool:
        """Return whether a block of this key was taken."""
        return key in self.blocks

    def has_whole(self, key: Key) -> bool:
        """Return whether a document stands whole in the text."""
        return key in self.blocks and self.blocks[key].fidelity == "whole"

    def has_all(self, key: Key) -> bool:
        """Return whether a document stands in the text whole, or but for its comments."""
        return key in self.blocks and self.blocks[key].fidelity in ("whole", "compact")

    def undo(self, blocks: int) -> bool:
        """Take back up to so many of the last blocks taken; return whether there was any."""
        undone = self._taken[-blocks:]
        del self._taken[-blocks:]
        for key, before, cost in reversed(undone):
            self.cost -= self._costs[key] - cost
            self._costs[key] = cost
            if before is None:
                del self.blocks[key]
            else:
                self.blocks[key] = before
        return bool(undone)

    def _take(self, offer: Offer, ceilings: Ceilings) -> Constraint | None:
        """Return the ceiling that the best choice broke, if it did; another may be taken."""
        first: Constraint | None = None
        for block in offer.choices:
            key = block.key
            before = self._costs.get(key, NOTHING)
            rest = self.cost if before is NOTHING else self.cost - before
            # Tokens, which take time to count, are counted only where nothing else keeps it out.
            broken = ceilings.broken_by(block.least(), rest) if ceilings.beside_tokens else None
            if broken is None:
                cost = block.price(ceilings.room(rest))
                broken = ceilings.broken_by(cost, rest)
                if broken is None:
                    self._taken.append((key, self.blocks.get(key), before))
                    self.blocks[key], self._costs[key] = block, cost
                    self.cost = rest + cost
                    return first
            first = first or broken
        return first
