"""Counts asked of a provider beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from orchestrator_context.models import Segment
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens.counter import token_counter


class RemoteCounter(Protocol):
    """Asks a service how many tokens a request has."""

    async def count_tokens(self, messages: Sequence[Segment]) -> int:
        """Return the tokens of a request."""
        ...


async def precount(
    texts: Sequence[str], remote: RemoteCounter, *, fallback: TokenCounter | None = None
) -> TokenCounter:
    """Return a counter that knows what `remote` counted for `texts`."""
    known = {text: await remote.count_tokens([Segment(text)]) for text in dict.fromkeys(texts)}
    other = token_counter("unknown") if fallback is None else fallback
    return token_counter(
        lambda text: known.get(text, -1) if text in known else other.count(text),
        exact=False, name=f"precounted+{other.name}",
    )
