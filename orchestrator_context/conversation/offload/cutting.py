"""How much of a text fits: its beginning and its end, cut at lines or between graphemes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from orchestrator_context.conversation.lookalikes import safe_break
from orchestrator_context.conversation.offload.lines import Span

_FIRST_STRIDE = 4  # characters for a token, before any were counted
_PRECISION = 64  # a piece that is full but for one 64th is full

Count = Callable[[str], int]
Draft = TypeVar("Draft")


def beginning(text: str, span: Span, max_tokens: int, count: Count) -> int:
    """Return how far a span may be shown: whole lines, or a part of the first where it is too long.

    A grapheme cluster is cut only where it alone does not fit. The start of the span is returned
    where not one character fits. Counts texts of about the result's size a dozen times.
    """
    start, end = span
    fits = start + _longest(lambda size: count(text[start : start + size]), end - start, max_tokens)
    if fits == end:
        return end
    for cut in (text.rfind("\n", start, fits) + 1, safe_break(text, fits)):
        if cut > start:
            return cut
    return fits


def ending(text: str, span: Span, max_tokens: int, count: Count) -> int:
    """Return from where on a span may be shown in whole lines; its end where not one line fits."""
    start, end = span
    fits = end - _longest(lambda size: count(text[end - size : end]), end - start, max_tokens)
    if fits == start or text[fits - 1] == "\n":
        return fits
    found = text.find("\n", fits, end)
    return end if found < 0 else found + 1


def _longest(tokens: Callable[[int], int], size: int, max_tokens: int) -> int:
    """Return a length that fits, close to the greatest one; 0 where none does."""
    low, probe = 0, min(size, max(1, _FIRST_STRIDE * max_tokens))
    while tokens(probe) <= max_tokens:
        if probe == size:
            return size
        low, probe = probe, min(size, 2 * probe)
    high = probe
    while high - low > 1 + low // _PRECISION:
        middle = (low + high) // 2
        if tokens(middle) <= max_tokens:
            low = middle
        else:
            high = middle
    return low


def shrunk(
    make: Callable[[int], Draft], tokens: Callable[[Draft], int], max_tokens: int
) -> Draft | None:
    """Return the first that fits of what `make` makes of less and less room, or None."""
    room = max_tokens
    while room > 0:
        draft = make(room)
        over = tokens(draft) - max_tokens
        if over <= 0:
            return draft
        room = min(room - over, room * 31 // 32)
    return None
