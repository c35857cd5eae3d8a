"""The settings of a selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal, cast

from orchestrator_context import checks
from orchestrator_context.corpus.report import STRATEGIES, Strategy
from orchestrator_context.dedup.options import DedupOptions
from orchestrator_context.rank.options import RankOptions

RenderOrder = Literal["path", "rank"]
SelectionOrder = Literal["rank", "density"]

RENDER_ORDERS: tuple[RenderOrder, ...] = ("path", "rank")
SELECTION_ORDERS: tuple[SelectionOrder, ...] = ("rank", "density")


@dataclass(frozen=True, slots=True)
class SelectOptions:
    """How a corpus is brought into a budget. By default nothing but equal documents is left out.

    >>> SelectOptions(strategy="packed").merged(chunk_tokens=256, diversity=None).chunk_tokens
    256

    Attributes:
        strategy: "whole" documents, all or as many as fit; "ranked", the best whole documents;
            "tiered", an overview of all, the best parts, and declarations of others;
            "packed", the best parts of documents; "auto", all if they fit, else tiered.
        render_order: "path" gives the same text for the same selection, whatever was asked, which
            prompt caches need; "rank" puts the best first.
        selection_order: "rank" takes the best first; "density" the best for the
            square root of their size, so that short ones need less to be taken.
        diversity: how much a document is worth less for being like one that was taken, 0 to 1.
        collapse_duplicates: whether equal documents stand in the text once, with pointers.
        compacts: whether comments and blank lines are left out where the whole does not fit.
        chunk_tokens: tokens of a part, if packed.
        overview_share: share of the budget that the overview may take, if tiered, and digests of
            what is left.
        dedup: what counts as a duplicate.
        rank: what counts in the ranking.
    """

    strategy: Strategy = "auto"
    render_order: RenderOrder = "path"
    selection_order: SelectionOrder = "rank"
    diversity: float = 0.0
    collapse_duplicates: bool = True
    compacts: bool = False
    chunk_tokens: int = 512
    overview_share: float = 0.15
    dedup: DedupOptions = DedupOptions()
    rank: RankOptions = RankOptions()

    def __post_init__(self) -> None:
        checks.choice("SelectOptions.strategy", self.strategy, STRATEGIES)
        checks.choice("SelectOptions.render_order", self.render_order, RENDER_ORDERS)
        checks.choice("SelectOptions.selection_order", self.selection_order, SELECTION_ORDERS)
        checks.number("SelectOptions.diversity", self.diversity, most=1)
        checks.flag("SelectOptions.collapse_duplicates", self.collapse_duplicates)
        checks.flag("SelectOptions.compacts", self.compacts)
        checks.whole("SelectOptions.chunk_tokens", self.chunk_tokens, least=1)
        checks.number("SelectOptions.overview_share", self.overview_share, most=1, above=True)
        checks.instance("SelectOptions.dedup", self.dedup, DedupOptions)
        checks.instance("SelectOptions.rank", self.rank, RankOptions)

    @classmethod
    def recommended(cls) -> SelectOptions:
        """Return settings that get more out of a budget, and leave out what is nearly the same."""
        return cls(
            diversity=0.1,
            compacts=True,
            dedup=DedupOptions(threshold=0.9),
            rank=RankOptions(
                stem=True, expansion_rounds=1, salience_weight=0.5, carry_over_bonus=0.5
            ),
        )

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> SelectOptions:
        """Return the options that `mapping` describes; unknown keys are refused."""
        known = checks.known_keys(cls, mapping)
        for name, kind in (("dedup", DedupOptions), ("rank", RankOptions)):
            if isinstance(known.get(name), Mapping):
                known[name] = kind.from_mapping(cast("Mapping[str, object]", known[name]))
        return cls(**known)

    def to_mapping(self) -> dict[str, object]:
        """Return the options as JSON-able data; `from_mapping` makes them again."""
        return asdict(self)

    def merged(self, **changes: object) -> SelectOptions:
        """Return the options with those of `changes` that are not None."""
        given = {name: value for name, value in changes.items() if value is not None}
        checks.known_keys(type(self), given)
        return replace(self, **given)  # type: ignore[arg-type]  # checked when it is made
