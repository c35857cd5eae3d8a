"""The strategies: in which order, and in which forms, documents are offered to the filler."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from typing import Final

from orchestrator_context.corpus.blocks import Block, Ceilings, Key
from orchestrator_context.corpus.candidates import Candidates
from orchestrator_context.corpus.envelope import Element
from orchestrator_context.corpus.fill import Filling, Offer
from orchestrator_context.corpus.forms import pointer_key
from orchestrator_context.corpus.overview import overviews
from orchestrator_context.corpus.parts import Parts
from orchestrator_context.models import Document

OVERVIEW: Final[Key] = ("overview", "")

_MISSES: Final = 64  # declarations in a row that do not fit, and then no more are looked for
_PARTS_SHARE: Final = 0.75  # of what the overview leaves, before any declarations


def everything(candidates: Candidates, documents: Iterable[Document]) -> Iterator[Block]:
    """Yield `documents` as they are, then pointers for all that others stand for."""
    forms = candidates.corpus.forms
    yield from map(forms.whole, documents)
    for path, kept, identical in _collapsed(candidates):
        yield forms.pointer(path, kept, identical=identical)


def fill_whole(filling: Filling, candidates: Candidates) -> None:
    """Take all there is, which fits together, whatever its pieces take one by one."""
    documents = chain(candidates.pinned, candidates.offered(filling), candidates.blank)
    offers = (Offer((block,)) for block in everything(candidates, documents))
    filling.fill(offers, Ceilings())


def fill_ranked(filling: Filling, candidates: Candidates) -> None:
    """Offer whole documents, the best first; without comments where they do not fit otherwise."""
    _fill_pinned(filling, candidates)
    filling.fill(_hopeful(filling, candidates, candidates.offered(filling)))
    _fill_rest(filling, candidates)


def fill_tiered(filling: Filling, candidates: Candidates) -> tuple[int, int]:
    """Offer an overview, the best parts, declarations of others, then documents in better forms.

    Returns:
        As `fill_packed`.
    """
    share = candidates.options.overview_share
    _fill_pinned(filling, candidates)
    most = filling.share(share)
    filling.fill(_overview(filling, candidates, most.room(filling.cost)), most)
    filling.fill(_digests(candidates), filling.share(share))
    parts = Parts(filling, candidates)
    parts.fill(filling.share(_PARTS_SHARE))
    filling.fill(_extracts(filling, candidates))
    filling.fill(_hopeful(filling, candidates, _open(filling, candidates)))
    parts.fill()
    _fill_rest(filling, candidates)
    return len(parts.all), parts.selected


def fill_packed(filling: Filling, candidates: Candidates) -> tuple[int, int]:
    """Offer pinned documents, then parts of the best others, then what small ones there are.

    Returns:
        How many parts there were to choose from, and how many were taken.
    """
    _fill_pinned(filling, candidates)
    parts = Parts(filling, candidates)
    parts.fill()
    filling.fill(_hopeful(filling, candidates, _open(filling, candidates)))
    _fill_rest(filling, candidates)
    return len(parts.all), parts.selected


def _fill_pinned(filling: Filling, candidates: Candidates) -> None:
    filling.fill(_fullest(candidates, one) for one in candidates.pinned)
    by_path = candidates.corpus.by_path
    _fill_pointers(filling, candidates, lambda path: by_path[path].pinned)


def _fill_rest(filling: Filling, candidates: Candidates) -> None:
    """Offer documents with nothing to see, if no part of others is left out, and pointers."""
    if all(filling.has_all(one.path) for one in candidates.loose):
        filling.fill(_fullest(candidates, one) for one in candidates.blank)
    _fill_pointers(filling, candidates)


def _fill_pointers(
    filling: Filling, candidates: Candidates, wanted: Callable[[str], bool] = lambda _: True
) -> None:
    """Offer pointers to what is in the text; they come last, since they hold no content."""
    filling.fill(
        Offer((candidates.corpus.forms.pointer(path, kept, identical=identical),))
        for path, kept, identical in _collapsed(candidates)
        if wanted(path) and filling.has(kept) and not filling.has(pointer_key(path))
    )


def _collapsed(candidates: Candidates) -> Iterator[tuple[str, str, bool]]:
    """Yield each document that another stands for, that one, and whether they are equal."""
    for path, kept in candidates.canonical.items():
        yield path, kept, candidates.is_exact(path)


def _open(filling: Filling, candidates: Candidates) -> Iterator[Document]:
    """Return the documents that do not stand whole in the text, in the order of offers."""
    loose = candidates.loose
    return _offered(
        filling, candidates, {one.path for one in loose if not filling.has_whole(one.path)}
    )


def _offered(
    filling: Filling, candidates: Candidates, wanted: Collection[str]
) -> Iterator[Document]:
    """Return the documents with these paths, in the order of offers."""
    if wanted:
        return (one for one in candidates.offered(filling) if one.path in wanted)
    candidates.pass_over(filling)
    return iter(())


def _fullest(candidates: Candidates, document: Document) -> Offer:
    forms, compacts = candidates.corpus.forms, candidates.options.compacts
    return Offer(forms.fullest(document, compacts=compacts))


def _hopeful(
    filling: Filling, candidates: Candidates, documents: Iterable[Document]
) -> Iterator[Offer]:
    """Yield offers of documents, but not of those that are known to be too long for any."""
    forms, compacts = candidates.corpus.forms, candidates.options.compacts
    known = {} if filling.ceilings.beside_tokens else forms.pricer.known
    cost, most = None, math.inf
    for one in documents:
        if filling.cost is not cost:
            cost = filling.cost
            most = forms.most(filling.ceilings.room(cost), compacts=compacts)
        if known.get(one.path, 0) > most and not filling.has(one.path):
            filling.binding.add("tokens")
        else:
            yield Offer(forms.fullest(one, compacts=compacts))


def _extracts(filling: Filling, candidates: Candidates) -> Iterator[Offer]:
    """Yield declarations until many in a row do not fit; each takes time to be found."""
    loose = candidates.loose
    wanted = {one.path for one in loose if one.extract != "" and not filling.has(one.path)}
    misses = 0
    for one in _offered(filling, candidates, wanted):
        extract = candidates.corpus.forms.extract(one) if misses < _MISSES else None
        if extract is not None:
            yield Offer((extract,), counts=False)
            misses = 0 if filling.has(one.path) else misses + 1


def _overview(filling: Filling, candidates: Candidates, room: int | None) -> Iterator[Offer]:
    """Yield forms of the overview until one fits."""
    forms = candidates.corpus.forms
    for text in overviews(candidates.corpus.names, room):
        yield Offer((forms.single(OVERVIEW, Element("", text, "overview")),), counts=False)
        if filling.has(OVERVIEW):
            return


def _digests(candidates: Candidates) -> Iterator[Offer]:
    forms = candidates.corpus.forms
    for name, text in candidates.corpus.digests.items():
        yield Offer((forms.single(("digest", name), Element(name, text, "digest")),), counts=False)
