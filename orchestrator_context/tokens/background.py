"""Counting without holding up the event loop."""

from __future__ import annotations

from anyio import to_thread

from orchestrator_context import checks
from orchestrator_context.protocols import TokenCounter

_INLINE = 8_192  # characters, which every counter gets through in a few milliseconds


async def count_async(counter: TokenCounter, text: str) -> int:
    """Return `counter.count(text)`, counted in a worker thread where the text is long.

    A call that is cancelled returns at once; the thread it leaves behind counts to the end.

    Raises:
        ConfigurationError: an argument is not of its type.
    """
    checks.instance("counter", counter, TokenCounter, "token_counter(model)")  # type: ignore[type-abstract]
    if len(checks.text("text", text)) <= _INLINE:
        return counter.count(text)
    return await to_thread.run_sync(counter.count, text, abandon_on_cancel=True)
