"""From candidates to a text and its report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from orchestrator_context.budget import Budget
from orchestrator_context.corpus.blocks import CONSTRAINTS, Block, Ceilings, Cost, Spans
from orchestrator_context.corpus.candidates import Candidates
from orchestrator_context.corpus.envelope import SHOWN, Element, Fidelity, Lines, render
from orchestrator_context.corpus.fill import Filling
from orchestrator_context.corpus.pieces import Some
from orchestrator_context.corpus.repeats import question_digest
from orchestrator_context.corpus.report import Reduction, Strategy
from orchestrator_context.corpus.state import ReductionState, Representation
from orchestrator_context.corpus.strategies import (
    everything,
    fill_packed,
    fill_ranked,
    fill_tiered,
    fill_whole,
)

_NEAR: Final = 1.5  # times the ceiling that pieces may take whose text perhaps keeps to it


def reduced(candidates: Candidates, budget: Budget, strategy: Strategy) -> Reduction:
    """Return what `strategy` makes of `candidates`.

    Where the selection before is the answer to the same question, that is the text again: what was
    preferred in it is preferred once more.
    """
    asked = question_digest(candidates, budget, strategy)
    if not asked:
        return _reduced(candidates, budget, strategy)
    given = candidates.question.previous
    preferred = given.preferred(asked)
    reduction = _reduced(candidates.after(preferred), budget, strategy)
    if preferred is given.before:
        carried = len(given.unchanged(reduction.documents))
        reduction = replace(reduction, carried_over=carried)
    state = replace(reduction.state(), asked=asked, before=preferred)
    return replace(reduction, _state=state)


def _reduced(candidates: Candidates, budget: Budget, strategy: Strategy) -> Reduction:
    ceilings = Ceilings(budget.available, budget.max_bytes, budget.max_items)
    wrapper = candidates.corpus.forms.pricer.wrapper()
    if strategy in ("auto", "whole"):  # what is similar is left out only for want of room
        for complete in dict.fromkeys((candidates.unmerged(), candidates)):
            if _all_fit(complete, ceilings, wrapper):
                filling = Filling(ceilings, wrapper, complete.order())
                fill_whole(filling, complete)
                return _result(complete, budget, (strategy, "whole"), filling, (0, 0))
    filling = Filling(ceilings, wrapper, candidates.order())
    broken = ceilings.broken_by(filling.cost)
    if broken is not None:
        filling.binding.add(broken)
        return _result(candidates, budget, (strategy, "none"), filling, (0, 0))
    representation, parts = _filled(filling, candidates, strategy)
    if candidates.matching and not candidates.matched(filling.blocks):  # better none than others
        candidates, kept_out = candidates.only_matching(), filling.binding
        filling = Filling(ceilings, wrapper, candidates.order())
        filling.binding |= kept_out
        representation, parts = _filled(filling, candidates, strategy)
    return _result(candidates, budget, (strategy, representation), filling, parts)


def _all_fit(candidates: Candidates, ceilings: Ceilings, wrapper: Cost) -> bool:
    """Return whether all documents fit, with pointers for those that others stand for.

    A text may take fewer tokens than its elements one by one, such as where each is rounded up. So
    the text itself is counted where they do not take far too many.
    """
    cost, tokens = wrapper, ceilings.tokens
    near = ceilings if tokens is None else replace(ceilings, tokens=int(tokens * _NEAR))
    documents = candidates.pinned + candidates.loose + candidates.blank
    if near.broken_by(cost):
        return False
    for block in everything(candidates, documents):
        cost += block.price(near.room(cost))
        if near.broken_by(cost):
            return False
    if ceilings.broken_by(cost) is None:
        return True
    pricer, blocks = candidates.corpus.forms.pricer, everything(candidates, documents)
    text = render(_ordered(candidates, blocks), pricer.tag)
    return ceilings.broken_by(pricer.text(text)) is None


def _filled(
    filling: Filling, candidates: Candidates, strategy: Strategy
) -> tuple[Representation, tuple[int, int]]:
    """Fill, and return what the strategy became and the parts there were and were taken."""
    if strategy == "packed":
        return "packed", fill_packed(filling, candidates)
    if strategy in ("auto", "tiered"):
        return "tiered", fill_tiered(filling, candidates)
    fill_ranked(filling, candidates)
    return "ranked", (0, 0)


def _result(
    candidates: Candidates,
    budget: Budget,
    names: tuple[Strategy, Representation],
    filling: Filling,
    parts: tuple[int, int],
) -> Reduction:
    strategy, representation = names
    elements, text, cost = _rendered(candidates, filling, representation)
    fidelities = _fidelities(elements)
    pointers = [one for one in elements if one.fidelity == "pointer"]
    there = fidelities.keys() | {one.path for one in pointers}
    corpus = candidates.corpus
    equal = corpus.copies.canonical
    lacking = len(there) < len(corpus.documents) or set(fidelities.values()) - {"whole"}
    return Reduction(
        text=text,
        strategy=strategy,
        representation=representation,
        candidates=len(corpus.documents),
        documents=tuple(corpus.by_path[path] for path in fidelities),
        fidelities=tuple(fidelities.values()),
        lines=_lines(elements, fidelities),
        tokens=cost.tokens,
        size_bytes=cost.size_bytes,
        budget=budget,
        exact=corpus.counter.exact,
        binding=tuple(name for name in CONSTRAINTS if lacking and name in filling.binding),
        collapsed_exact=sum(one.identical for one in pointers),
        collapsed_near=sum(not one.identical for one in pointers),
        carried_over=len(candidates.carried & fidelities.keys()),
        required_omitted=tuple(
            one.path
            for one in corpus.documents
            if one.pinned and one.path not in there and equal.get(one.path) not in fidelities
        ),
        overview_documents=len(corpus.documents) * _has(elements, "overview"),
        digests=sum(one.fidelity == "digest" for one in elements),
        parts_available=parts[0],
        parts_selected=parts[1],
        matches_available=None if candidates.matching is None else len(candidates.matching),
        matches_selected=candidates.matched(fidelities),
        unknown_scores=candidates.unknown_scores,
        _state=_state(candidates, filling, fidelities, representation),
    )


def _has(elements: Sequence[Element], fidelity: Fidelity) -> bool:
    return any(one.fidelity == fidelity for one in elements)


def _fidelities(elements: Sequence[Element]) -> dict[str, Fidelity]:
    """Return in what form each document stands there; in parts, where it does so beside others."""
    return {one.path: one.fidelity for one in elements if one.fidelity in SHOWN}


def _lines(elements: Sequence[Element], paths: Iterable[str]) -> tuple[Lines, ...]:
    """Return the spans of lines that stand there of each document, if not the whole of it does."""
    found: dict[str, set[tuple[int, int]]] = {path: set() for path in paths}
    for one in elements:
        if one.lines:
            found[one.path].update(one.lines)
    return tuple(tuple(sorted(spans)) for spans in found.values())


def _state(
    candidates: Candidates,
    filling: Filling,
    fidelities: Mapping[str, Fidelity],
    representation: Representation,
) -> ReductionState:
    documents = (candidates.corpus.by_path[path] for path in fidelities)
    lacking = (path for path, form in fidelities.items() if form in ("partial", "extract"))
    parts = {path: _spans(filling.blocks[path]) for path in lacking}
    return ReductionState.of(documents, representation, parts)


def _spans(block: Block) -> Spans:
    return block.spans() if isinstance(block, Some) else ()


def _rendered(
    candidates: Candidates, filling: Filling, representation: Representation
) -> tuple[list[Element], str, Cost]:
    """Return the elements and their text, with blocks taken back until the text really fits.

    With a counter whose counts do not add up, they may not do so at once; twice as many are taken
    back each time, so the text is counted a few times only.
    """
    if representation == "none":
        return [], "", Cost()
    pricer, blocks = candidates.corpus.forms.pricer, 1
    while True:
        elements = _ordered(candidates, filling.blocks.values())
        text = render(elements, pricer.tag)
        cost = pricer.text(text)
        broken = filling.ceilings.broken_by(cost)
        if broken is None or not filling.undo(blocks):
            return elements, text, cost
        filling.binding.add(broken)
        blocks *= 2


def _ordered(candidates: Candidates, blocks: Iterable[Block]) -> list[Element]:
    """Return the elements: what is on many documents first, then by path or by rank."""
    made = [(block.key, one) for block in blocks for one in block.make()]
    if candidates.options.render_order == "path":
        return [one for _, one in sorted(made, key=lambda pair: _place(pair[1]))]
    ranks = candidates.ranks()
    return [
        one
        for _, one in sorted(
            made,
            key=lambda pair: (_group(pair[1]), ranks.get(pair[0], len(ranks)), *_place(pair[1])),
        )
    ]


def _place(element: Element) -> tuple[int, str, tuple[tuple[int, int], ...]]:
    return _group(element), element.path, element.lines[-1:]  # before that, the head of a table


def _group(element: Element) -> int:
    return {"overview": 0, "digest": 1}.get(element.fidelity, 2)
