"""`select`: what a corpus holds on a question, in a text that keeps to a budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator_context.corpus.blocks import Cost
from orchestrator_context.corpus.candidates import Candidates, Question
from orchestrator_context.corpus.envelope import Element, render
from orchestrator_context.corpus.fill import CONSTRAINTS, Ceilings, Filling
from orchestrator_context.corpus.options import SelectOptions
from orchestrator_context.corpus.packed import fill_packed
from orchestrator_context.corpus.report import Reduction, ReductionState, Representation, Strategy
from orchestrator_context.corpus.strategies import fill_ranked, fill_tiered
from orchestrator_context.events import Observer
from orchestrator_context.exceptions import UnknownWindowError
from orchestrator_context.models import Budget, Document
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.rank import RankIndex
from orchestrator_context.tokens import token_counter

_SHOWN = ("whole", "compact", "partial", "extract")


def select(
    documents: Iterable[Document],
    query: str,
    *,
    budget: Budget,
    options: SelectOptions = SelectOptions(),
    counter: TokenCounter | None = None,
    index: RankIndex | None = None,
    scores: Mapping[str, float] | None = None,
    previous: ReductionState | None = None,
    digests: Mapping[str, str] | None = None,
    observer: Observer | None = None,
) -> Reduction:
    r"""Return the most useful text on `query` that `documents` give within `budget`.

    >>> corpus = [Document("pump.md", "The pump stops at 9 bar."), Document("mop.md", "Mop.")]
    >>> print(select(corpus, "pump pressure", budget=Budget(max_tokens=35)).text, end="")
    <docs format="1">
    <doc path="pump.md">
    The pump stops at 9 bar.
    </doc>
    </docs>

    The same input gives the same bytes, whatever the order of the documents. The text never passes
    a ceiling; what is not in it stands in the result.

    Args:
        documents: with different paths; an iterable is read once.
        query: a question or words, in any language; "" for what is worth most without one.
        budget: tokens, bytes and documents; at least one ceiling.
        options: the strategy, and all else that can be set.
        counter: counts the tokens; exact o200k by default.
        index: of these very documents, made with `options.rank`; built where it is missing.
        scores: by path, such as a semantic ranker gives; they replace what words say.
        previous: the `state()` of the selection before; its documents get the carry-over bonus.
        digests: texts on modules by name, which "tiered" shows where there is room.
        observer: is told of the result by one event.

    Raises:
        UnknownWindowError: the budget has no ceiling.
        ConfigurationError: two documents have the same path, the index is of other documents, or
            a score is not finite.
    """
    need_ceiling(budget)
    question = Question(query, scores, previous or ReductionState())
    candidates = Candidates(
        documents,
        question,
        options,
        counter=token_counter() if counter is None else counter,
        index=index,
        digests=digests,
    )
    reduction = reduced(candidates, budget, options.strategy)
    if observer is not None:
        observer(reduction.event())
    return reduction


def need_ceiling(budget: Budget) -> None:
    """Check that `budget` has a ceiling, or raise UnknownWindowError."""
    if budget.available is None and budget.max_bytes is None and budget.max_items is None:
        raise UnknownWindowError("A selection needs a ceiling: pass Budget(max_tokens=...)")


def reduced(candidates: Candidates, budget: Budget, strategy: Strategy) -> Reduction:
    """Return what `strategy` makes of `candidates`."""
    filling = Filling(
        Ceilings(budget.available, budget.max_bytes, budget.max_items), candidates.pricer.wrapper()
    )
    if any(filling.ceilings.broken_by(filling.cost)):
        return _result(candidates, budget, strategy, "none", filling, (0, 0))
    representation, chunks = _filled(filling, candidates, strategy)
    return _result(candidates, budget, strategy, representation, filling, chunks)


def _filled(
    filling: Filling, candidates: Candidates, strategy: Strategy
) -> tuple[Representation, tuple[int, int]]:
    """Fill, and return what the strategy became and the parts there were and were taken."""
    if strategy in ("auto", "whole"):
        if _all_fit(filling, candidates):
            fill_ranked(filling, candidates)
            return "whole", (0, 0)
        strategy = "ranked" if strategy == "whole" else "tiered"
    if strategy == "packed":
        return "packed", fill_packed(filling, candidates)
    if strategy == "tiered":
        fill_tiered(filling, candidates)
        return "tiered", (0, 0)
    fill_ranked(filling, candidates)
    return "ranked", (0, 0)


def _all_fit(filling: Filling, candidates: Candidates) -> bool:
    cost = filling.cost
    for one in candidates.ranked:
        cost += candidates.choices(candidates.whole(one.document))[0].cost
        if any(filling.ceilings.broken_by(cost)):
            return False
    return True


def _result(
    candidates: Candidates,
    budget: Budget,
    strategy: Strategy,
    representation: Representation,
    filling: Filling,
    chunks: tuple[int, int],
) -> Reduction:
    elements, text, cost = _rendered(candidates, filling, representation)
    fidelities = {one.path: one.fidelity for one in elements if one.fidelity in _SHOWN}
    pointers = [one for one in elements if one.fidelity == "pointer"]
    documents = tuple(_in_order(candidates, fidelities))
    carried = candidates.question.previous.unchanged(documents)
    return Reduction(
        text=text,
        strategy=strategy,
        representation=representation,
        candidates=len(candidates.documents),
        documents=documents,
        fidelities=tuple(fidelities[one.path] for one in documents),
        tokens=cost.tokens,
        size_bytes=cost.size_bytes,
        budget=budget,
        exact=candidates.pricer.counter.exact,
        binding=tuple(name for name in CONSTRAINTS if name in filling.binding),
        collapsed_exact=sum(one.identical for one in pointers),
        collapsed_near=sum(not one.identical for one in pointers),
        carried_over=len(carried),
        required_omitted=tuple(
            one.document.path
            for one in candidates.ranked
            if one.document.pinned and fidelities.get(one.document.path) is None
        ),
        overview_documents=len(candidates.documents) if _has(elements, "overview") else 0,
        digests=sum(one.fidelity == "digest" for one in elements),
        chunks=chunks,
    )


def _has(elements: Sequence[Element], fidelity: str) -> bool:
    return any(one.fidelity == fidelity for one in elements)


def _in_order(candidates: Candidates, fidelities: Mapping[str, str]) -> Iterable[Document]:
    by_path = {one.path: one for one in candidates.documents}
    return (by_path[path] for path in fidelities)


def _rendered(
    candidates: Candidates, filling: Filling, representation: Representation
) -> tuple[list[Element], str, Cost]:
    """Return the elements and their text, with blocks taken back until the text really fits."""
    if representation == "none":
        return [], "", Cost()
    while True:
        elements = _ordered(candidates, filling)
        text = render(elements, candidates.pricer.tag)
        cost = candidates.pricer.text(text)
        broken = tuple(filling.ceilings.broken_by(cost))
        if not broken or not filling.undo():
            return elements, text, cost
        filling.binding.update(broken)


def _ordered(candidates: Candidates, filling: Filling) -> list[Element]:
    """Return the elements: what is on many documents first, then by path or by rank."""
    elements = [(key, one) for key, block in filling.blocks.items() for one in block.make()]
    if candidates.options.render_order == "path":
        return [one for _, one in sorted(elements, key=lambda pair: _place(pair[1]))]
    ranks = {one.document.path: rank for rank, one in enumerate(candidates.ranked)}
    return [
        one
        for _, one in sorted(
            elements, key=lambda pair: (*_place(pair[1])[:1], ranks.get(pair[0], -1), pair[1].path)
        )
    ]


def _place(element: Element) -> tuple[int, str, tuple[tuple[int, int], ...]]:
    group = {"overview": 0, "digest": 1}.get(element.fidelity, 2)
    return group, element.path, element.lines
