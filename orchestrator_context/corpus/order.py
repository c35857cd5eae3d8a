"""In which order documents are offered: by worth or by worth for their tokens, and the varied."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from orchestrator_context.corpus.candidates import Candidate, Candidates, Likeness
from orchestrator_context.corpus.fill import Filling


def offered(candidates: Candidates, filling: Filling) -> Iterator[Candidate]:
    """Yield the candidates that are not pinned, the best first; pinned ones come before all.

    A candidate is worth less for being like one that the filling took meanwhile. Worth only ever
    falls, so a candidate is looked at again when its turn comes, and not before.
    """
    ranked = candidates.ranked
    pinned = [one for one in ranked if one.document.pinned]
    yield from pinned
    yield from _varied(ranked[len(pinned) :], candidates, filling)


def _varied(
    ranked: Sequence[Candidate], candidates: Candidates, filling: Filling
) -> Iterator[Candidate]:
    options, values = candidates.options, _values(ranked, candidates)
    if not options.diversity:
        if options.selection_order == "rank":
            yield from ranked
            return
        order = sorted(range(len(ranked)), key=lambda index: -values[index])
        yield from (ranked[index] for index in order)
        return
    likeness = Likeness(candidates.index)

    def worth(index: int) -> float:
        alike = likeness.most(ranked[index].document.path)
        return values[index] * (1 - options.diversity * alike)

    heap = [(-value, index) for index, value in enumerate(values)]
    heapq.heapify(heap)
    while heap:
        _, index = heapq.heappop(heap)
        now = worth(index)
        if heap and -now > heap[0][0]:
            heapq.heappush(heap, (-now, index))
            continue
        yield ranked[index]
        if ranked[index].document.path in filling.blocks:
            likeness.add(ranked[index].document.path)


def _values(ranked: Sequence[Candidate], candidates: Candidates) -> list[float]:
    """Return what each candidate is worth, or worth for a token; none is below 0."""
    least = min((one.worth for one in ranked), default=0.0)
    values = [one.worth - min(0.0, least) for one in ranked]
    if candidates.options.selection_order == "rank":
        return values
    costs = (candidates.choices(candidates.whole(one.document))[-1].cost for one in ranked)
    return [value / max(1, cost.tokens) for value, cost in zip(values, costs, strict=True)]
