"""The strategies: in which order, and in which forms, documents are offered to the filler."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator_context.corpus.candidates import Candidate, Candidates
from orchestrator_context.corpus.envelope import Element
from orchestrator_context.corpus.fill import Filling, Offer
from orchestrator_context.corpus.order import offered
from orchestrator_context.corpus.rollup import overviews

OVERVIEW = "\0overview"
DIGEST = "\0digest "  # before the name of a module; no path begins so

_BEST_SHARE = 0.5  # of what the overview leaves, for whole documents before any extract


def fill_ranked(filling: Filling, candidates: Candidates) -> None:
    """Offer whole documents, the best first; without comments where they do not fit otherwise."""
    filling.fill(_best_form(candidates, one) for one in offered(candidates, filling))


def fill_tiered(filling: Filling, candidates: Candidates) -> None:
    """Offer an overview, the best documents whole, the others as extracts, then better forms."""
    pinned = [one for one in candidates.ranked if one.document.pinned]
    filling.fill(_best_form(candidates, one) for one in pinned)
    filling.fill(_overview(filling, candidates), filling.part(candidates.options.overview_share))
    filling.fill(_digests(candidates))
    best = filling.part(_BEST_SHARE)
    filling.fill(
        (_best_form(candidates, one, loses=False) for one in _open(candidates, filling)), best
    )
    filling.fill(_extract(candidates, one) for one in _open(candidates, filling))
    filling.fill(_best_form(candidates, one) for one in _open(candidates, filling))


def _open(candidates: Candidates, filling: Filling) -> Iterator[Candidate]:
    """Yield the documents that do not stand whole in the text, in the order of offers."""
    for one in offered(candidates, filling):
        block = filling.blocks.get(one.document.path)
        if not one.document.pinned and (block is None or block.fidelity != "whole"):
            yield one


def _best_form(candidates: Candidates, one: Candidate, *, loses: bool = True) -> Offer:
    whole = candidates.choices(candidates.whole(one.document))
    if not candidates.options.compacts:
        return Offer(whole, loses)
    return Offer((*whole, *candidates.choices(candidates.compact(one.document))), loses)


def _extract(candidates: Candidates, one: Candidate) -> Offer:
    return Offer(candidates.choices(candidates.extract(one.document)), loses=False)


def _overview(filling: Filling, candidates: Candidates) -> Iterator[Offer]:
    """Yield forms of the overview until one fits."""
    for text in overviews(candidates.documents):
        if OVERVIEW in filling.blocks:
            return
        element = Element("", text, "overview")
        yield Offer((candidates.pricer.block(OVERVIEW, element),), loses=False)


def _digests(candidates: Candidates) -> Iterator[Offer]:
    for name, text in candidates.digests.items():
        block = candidates.pricer.block(DIGEST + name, Element(name, text, "digest"))
        yield Offer((block,), loses=False)
