"""Counting without holding up the event loop."""

from __future__ import annotations

from anyio import to_thread

from orchestrator_context.protocols import TokenCounter

_INLINE = 16_384  # characters that count within a millisecond


async def count_async(counter: TokenCounter, text: str) -> int:
    """Return `counter.count(text)`, counted in a worker thread where the text is long."""
    if len(text) <= _INLINE:
        return counter.count(text)
    return await to_thread.run_sync(counter.count, text, abandon_on_cancel=True)
