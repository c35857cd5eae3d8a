"""Prompt caches: what to hold still for them, and why one was missed.

Services keep what they computed for the beginning of a prompt and use it again for the next one,
up to the first difference. So what counts is not how much of a prompt is the same as before, but
how far it is the same from its beginning on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from orchestrator_context import checks
from orchestrator_context.conversation import given
from orchestrator_context.conversation.cache_report import CacheDiagnosis, Cause, Unstable, advice
from orchestrator_context.conversation.fingerprints import (
    chained,
    prefix_hashes,
    segment_hash,
    segment_hashes,
)
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Segment
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens.names import parse_model_name

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo

__all__ = [
    "CacheDiagnosis",
    "Cause",
    "Unstable",
    "diagnose_cache",
    "hit_share",
    "prefix_hashes",
    "prefix_stability",
    "segment_hashes",
    "with_cache_locks",
]


def with_cache_locks(
    segments: Sequence[Segment],
    *,
    system: bool = True,
    tools: bool = True,
    first: int = 0,
    where: Callable[[Segment], bool] | None = None,
    model: str | None = None,
) -> tuple[Segment, ...]:
    """Return `segments` with those locked that a prompt cache should find unchanged.

    >>> [one.locked for one in with_cache_locks([Segment("S", "system"), Segment("Hello")])]
    [True, False]

    Locks that are there stay. The segments given are not changed.

    Args:
        segments: in the order in which they are sent.
        system: lock system messages.
        tools: lock tool definitions.
        first: lock this many segments from the beginning.
        where: lock the segments for which it returns true.
        model: the model they are sent to. Where the `genai-prices` catalogue knows it, but no
            price for cached input, nothing is locked. None and unknown models count as caching.

    Raises:
        ConfigurationError: an argument cannot be used.
    """
    segments = given.segments("segments", segments)
    checks.flag("system", system)
    checks.flag("tools", tools)
    checks.whole("first", first)
    if where is not None and not callable(where):  # pyright: ignore[reportUnnecessaryComparison]
        raise ConfigurationError(f"where must be a function or None, not {type(where).__name__}")
    if model is not None and not _caches(checks.text("model", model, blank=False)):
        return segments

    def holds(index: int, segment: Segment) -> bool:
        return (
            index < first
            or (system and "system" in (segment.role, segment.kind))
            or (tools and segment.kind == "tools")
            or (where is not None and where(segment))
        )

    return tuple(
        replace(segment, locked=True) if not segment.locked and holds(index, segment) else segment
        for index, segment in enumerate(segments)
    )


def prefix_stability(
    previous: Sequence[Segment] | View,
    current: Sequence[Segment] | View,
    *,
    counter: TokenCounter | None = None,
) -> float:
    """Return the share of `previous` that is the beginning of `current`, by place; 0 to 1.

    Args:
        previous: the prompt of the last call; the share is 1 where it is empty. Of a view, it is
            what is sent: tool schemas and final messages.
        current: the prompt of the next call.
        counter: weighs segments by their tokens; without one, all weigh the same.
    """
    before = _sent(previous)
    shared = _shared(prefix_hashes(before), prefix_hashes(_sent(current)))
    return _prefix_share(before, shared, counter)


def hit_share(previous: Iterable[Segment] | View, current: Iterable[Segment] | View) -> float:
    """Return the share of the different segments of `previous` that `current` has, wherever.

    It is 1 where `previous` is empty. Of a view, what is sent is looked at.
    """
    before, now = _sent(previous), _sent(current)
    return _hit_share(set(map(segment_hash, before)), set(map(segment_hash, now)))


def diagnose_cache(
    previous: Sequence[Segment] | View,
    current: Sequence[Segment] | View,
    *,
    counter: TokenCounter | None = None,
) -> CacheDiagnosis:
    """Return how much of `previous` a cache can use for `current`, and what broke it.

    >>> before = [Segment("It is 9:00", "system", id="s"), Segment("Hello", id="1")]
    >>> after = [Segment("It is 9:01", "system", id="s"), Segment("Hello", id="1")]
    >>> found = diagnose_cache(before, after)
    >>> found.broken_id, found.cause, found.prefix_share, found.hit_share
    ('s', 'changed', 0.0, 0.5)

    Args:
        previous: the segments of the last call, in order; or a view, of which that is looked at
            which is sent: the tool schemas, as a segment "tools", and the final messages.
        current: those of the next one.
        counter: weighs the shared prefix by its tokens; without one, all segments weigh the same.
    """
    previous = _sent(previous)
    old, new = _Prompt(previous), _Prompt(_sent(current))
    shared = _shared(tuple(old.prefixes()), tuple(new.prefixes()))
    broken_id, cause = _break(old, new, shared)
    unstable, compared = _unstable(old, new)
    hits = _hit_share(set(old.hashes), set(new.hashes))
    return CacheDiagnosis(
        hit_share=hits,
        prefix_share=_prefix_share(previous, shared, counter),
        stable_share=1 - len(unstable) / compared if compared else 1.0,
        shared_segments=shared,
        broken_index=None if cause is None else shared,
        broken_id=broken_id,
        cause=cause,
        unstable=unstable,
        recommendations=tuple(advice(cause, previous, unstable, hits, shared)),
    )


def _sent(prompt: Iterable[Segment] | View) -> Sequence[Segment]:
    """Return the segments of a prompt; of a view, those of the request."""
    if not isinstance(prompt, View):
        return given.segments("prompt", prompt)
    schemas = [json.dumps(tool, ensure_ascii=False, default=repr) for tool in prompt.tools]
    tools = [Segment("\n".join(schemas), "system", "tools", id="tools")] if schemas else []
    return (*tools, *prompt.messages)


def _shared(previous: Sequence[str], current: Sequence[str]) -> int:
    pairs = enumerate(zip(previous, current, strict=False))
    return next((i for i, (old, new) in pairs if old != new), min(len(previous), len(current)))


def _prefix_share(previous: Sequence[Segment], shared: int, counter: TokenCounter | None) -> float:
    if not previous:
        return 1.0
    if counter is None:
        return shared / len(previous)
    weights = [counter.count_messages((segment,)) for segment in previous]
    return sum(weights[:shared]) / (sum(weights) or 1)


def _hit_share(previous: set[str], current: set[str]) -> float:
    return len(previous & current) / len(previous) if previous else 1.0


class _Prompt:
    """Segments, their digests, and what tells each from the others: its id, or its digest."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = segments
        self.hashes = [segment_hash(segment) for segment in segments]
        pairs = zip(segments, self.hashes, strict=True)
        self.names = [("id", one.id) if one.id else ("hash", own) for one, own in pairs]

    def prefixes(self) -> Iterator[str]:
        return chained(zip(self.segments, self.hashes, strict=True))

    def by_id(self) -> dict[str, str]:
        pairs = zip(self.segments, self.hashes, strict=True)
        return {segment.id: own for segment, own in pairs if segment.id}


def _break(old: _Prompt, new: _Prompt, index: int) -> tuple[str, Cause | None]:
    """Return which segment made the first difference, at `index`, and how."""
    if index == len(old.names):
        return "", None
    was = old.segments[index].id
    if index == len(new.names):
        return was, "removed"
    now = new.segments[index].id
    stays = old.names[index] in set(new.names)
    stood = new.names[index] in set(old.names)
    if old.names[index] == new.names[index] or not (was or now or stays or stood):
        return was, "changed"
    if not stays:
        return was, "removed"
    return (was, "moved") if stood else (now, "inserted")


def _unstable(old: _Prompt, new: _Prompt) -> tuple[tuple[Unstable, ...], int]:
    """Return the segments that are in both and not the same, and how many are in both."""
    previous, current = old.by_id(), new.by_id()
    both = [name for name in previous if name in current]
    pairs = (Unstable(name, previous[name], current[name]) for name in both)
    return tuple(pair for pair in pairs if pair.previous != pair.current), len(both)


def _caches(model: str) -> bool:
    """Return whether a model may be served with a prompt cache, as far as its prices tell."""
    known = _known(model)
    if known is None:
        return True
    prices = known.prices
    each = [one.prices for one in prices] if isinstance(prices, list) else [prices]
    return any(price.cache_read_mtok is not None for price in each)


@lru_cache(maxsize=256)
def _known(model: str) -> ModelInfo | None:
    from genai_prices.data_snapshot import get_snapshot

    name = parse_model_name(model)
    if name.tag:  # a local model, whoever else serves it
        return None
    for vendor in dict.fromkeys((name.vendor or None, None)):  # who serves it, then who made it
        try:
            return get_snapshot().find_provider_model(name.model, None, vendor, None)[1]
        except LookupError:
            continue
    return None
