"""Move large contents out of the prompt into a store."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar, cast

from orchestrator_context import checks
from orchestrator_context.conversation.fitting import LOW_WATER, Manner, make_room
from orchestrator_context.conversation.offload import Handle, OffloadStore, offloaded
from orchestrator_context.conversation.policy import (
    OVERFLOWS,
    Overflow,
    in_background,
    over_budget,
    settings,
)
from orchestrator_context.conversation.room import (
    Change,
    changed,
    excess,
    fits,
    settled,
    untouched,
)
from orchestrator_context.conversation.seat import DOCUMENT
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.messages import is_result
from orchestrator_context.models import Budget, Segment
from orchestrator_context.protocols import TokenCounter

__all__ = ["Offload"]

_MOVED = "offloaded"
_TOLD = {"heading", "title", "content", "names"}
_REMEMBERED = 256  # stand-ins, so that they are not made anew for every turn


@dataclass(frozen=True, slots=True)
class Offload:
    """Moves large tool results and documents into a store, oldest first, until the view fits.

    A handle with a preview stands in their place, and `recall` gives the content back, whole or
    the part that is asked for; `recall_tool` and `recall_handler` let the model do so. Nothing is
    dropped, so chain it with a policy that may: `Chain(Offload(store), ElideMiddle(),
    mode="each")`. What it puts in is locked: no later policy changes its bytes.

    Attributes:
        store: where contents go; they are there before the view that names them is returned.
        min_tokens: smaller contents stay.
        preview_tokens: tokens of the preview, at most.
        keep_recent: newest segments that stay as long as that is possible.
        low_water: share of the room that is left filled when something has to go; see
            `DropOldest`.
        on_overflow: "raise" where what must stay does not fit, or "return" it with
            `report.fits == False`.
    """

    store: OffloadStore
    min_tokens: int = 500
    preview_tokens: int = 100
    keep_recent: int = 4
    low_water: float = LOW_WATER
    on_overflow: Overflow = "raise"
    _stored: set[str] = field(default_factory=set[str], init=False, repr=False, compare=False)
    kind: ClassVar[str] = "offload"

    def __post_init__(self) -> None:
        if not isinstance(self.store, OffloadStore):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigurationError(
                f"Offload.store must be an OffloadStore, not {type(self.store).__name__}: "
                f"OffloadStore(path)"
            )
        checks.whole("Offload.min_tokens", self.min_tokens, least=1)
        checks.whole("Offload.preview_tokens", self.preview_tokens)
        checks.whole("Offload.keep_recent", self.keep_recent, least=1)
        checks.number("Offload.low_water", self.low_water, least=0, most=1)
        checks.choice("Offload.on_overflow", self.on_overflow, OVERFLOWS)

    async def fit(self, view: View, budget: Budget) -> View:
        """Return `view` with as many large contents moved out as it takes.

        Raises:
            BudgetExceededError: that is not enough.
            OffloadError: the store cannot be written.
            UnknownWindowError: the budget has no ceiling.
        """
        fitted = await in_background(view, lambda one: self._fitted(one, budget))
        found = (segment.metadata.get(_MOVED) for segment in fitted.segments)
        await self._keep([moved for moved in found if isinstance(moved, Segment)])
        return fitted

    def to_mapping(self) -> dict[str, object]:
        """Return the kind and the settings as JSON-able data, the store as its path."""
        path = ":memory:" if self.store.path is None else str(self.store.path)
        return {k: v for k, v in settings(self).items() if k != "_stored"} | {"store": path}

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Offload:
        """Return the policy that `mapping` describes; unknown keys are refused."""
        known = checks.known_keys(cls, mapping)
        known["store"] = OffloadStore(checks.text("Offload.store", known["store"], blank=False))
        return cls(**known)

    def _fitted(self, view: View, budget: Budget) -> View:
        if fits(view, budget):
            return untouched(view, budget)
        stand_in = StandIn(view.counter, self.min_tokens, self.preview_tokens)
        for keep_recent in dict.fromkeys((self.keep_recent, 1)):
            manner = Manner((stand_in,), False, self.low_water, keep_recent, offloads=True)
            made = make_room(view, budget, manner)
            if made is not None:
                return settled(view, *made, budget, self.kind)
        least, change = _all(view, stand_in)
        if excess(least, budget) and self.on_overflow == "raise":
            raise over_budget(least, budget, self.kind)
        return settled(view, least, change, budget, self.kind)

    async def _keep(self, moved: Sequence[Segment]) -> None:
        """Put what is not in the store, be it new, forgotten, or gone with a store in memory."""
        if not moved:
            return
        contents = {_handle(segment): segment for segment in moved}
        missing = frozenset(await self.store.missing(contents))
        for handle, segment in contents.items():
            if handle in missing or handle.name not in self._stored:
                await self.store.put(segment.content, title=segment.title, kind=segment.kind)
                self._stored.add(handle.name)


@dataclass(frozen=True, slots=True)
class StandIn:
    """Gives a large content's stand-in: a rewrite of a ledger.

    Attributes:
        counter: counts tokens.
        min_tokens: smaller contents are left alone.
        preview_tokens: tokens of the preview, at most.
    """

    counter: TokenCounter
    min_tokens: int
    preview_tokens: int

    def __call__(self, segment: Segment) -> Segment:
        """Return the stand-in of `segment`, or `segment` where it may not or need not move."""
        moves = segment.kind == "document" or is_result(segment)
        if not moves or segment.locked or segment.is_required:
            return segment
        before = self.counter.count(segment.content)
        if before < self.min_tokens:
            return segment
        moved, heading, names = _own(segment)
        counter = cast("Hashable", self.counter)
        text = heading + _text(moved.content, _handle(moved), counter, self.preview_tokens, names)
        if self.counter.count(text) >= before:
            return segment
        metadata = {**segment.metadata, _MOVED: moved}
        return replace(segment, content=text, locked=True, metadata=metadata)


def _own(segment: Segment) -> tuple[Segment, str, tuple[str, ...]]:
    """Return what is moved out, the lines before its stand-in, and whose labels it may not hold.

    In a view, a document of another participant stands behind the name of its author, and is
    escaped; what is moved is the document.
    """
    original = segment.metadata.get(DOCUMENT)
    if segment.kind != "document" or not isinstance(original, Mapping):
        return segment, "", ()
    told = cast("Mapping[str, str]", original)
    if set(told) != _TOLD:
        return segment, "", ()
    moved = replace(segment, content=told["content"], title=told["title"])
    heading = f"{told['heading']}\n" if told["heading"] else ""
    return moved, heading, tuple(cast("Sequence[str]", told["names"]))


def _handle(segment: Segment) -> Handle:
    return Handle.of(segment.content, title=segment.title, kind=segment.kind)


@lru_cache(maxsize=_REMEMBERED)
def _text(
    content: str, handle: Handle, counter: TokenCounter, preview_tokens: int, names: tuple[str, ...]
) -> str:
    return offloaded(content, handle, counter=counter, preview_tokens=preview_tokens, names=names)


def _all(view: View, stand_in: StandIn) -> tuple[View, Change]:
    """Return the view with everything moved out that may be, even what is new."""
    segments = tuple(map(stand_in, view.segments))
    moved = sum(new is not old for new, old in zip(segments, view.segments, strict=True))
    change = Change(segments, tuple(range(len(segments))), offloaded=moved)
    return changed(view, change), change
