"""An upper estimate of tokens for models whose vocabulary is not known."""

from __future__ import annotations

import regex

_PIECES = regex.compile(r"\p{L}+|\p{N}|\s+|.", regex.S)


def upper_estimate(text: str) -> int:
    """Return at least as many tokens as `text` has."""
    total = 0
    for piece in _PIECES.findall(text):
        if piece.isascii():
            total += 1 + len(piece) // 4 if piece.isalpha() else 1 + len(piece) // 8
        else:
            total += len(piece.encode("utf-8", "replace"))
    return total
