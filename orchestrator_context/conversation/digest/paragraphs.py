"""Lines that stand for themselves, set apart before a text is read sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

import regex

__all__ = ["apart"]

_PAIR = regex.compile(r"[ \t]*[\p{L}_][\p{L}\p{N}_ .-]{0,40}[:=](?![/:=])[ \t]*\S.{0,80}")
_LABELLED = regex.compile(r"[ \t]*\p{Lu}{3,12}:\s")
_NUMBERED = regex.compile(r"[ \t]*(\d{1,3})[.)][ \t]+(?=\S)")


def apart(prose: str) -> str:
    """Return a text with lines that stand for themselves as paragraphs.

    Those are neighbouring ones such as `timeout: 30`. A label such as `TODO:` begins one. Items of
    a numbered list have a dash in the place of their number.
    """
    lines = list(_dashed(prose.split("\n")))
    pairs = [_PAIR.fullmatch(line) is not None for line in lines]
    near = zip([False, *pairs], pairs, [*pairs[1:], False], strict=False)
    alone = [pair and (before or after) for before, pair, after in near]
    begin = [one or bool(_LABELLED.match(line)) for one, line in zip(alone, lines, strict=True)]
    ends = ("\n\n" if end or new else "\n" for end, new in zip(alone, begin[1:], strict=False))
    return "".join(chain.from_iterable(zip(lines, (*ends, ""), strict=True)))


def _dashed(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines, those of a numbered list with a dash for the number; "3. Mai" stays."""
    items = {at: item for at, line in enumerate(lines) if (item := _NUMBERED.match(line))}
    numbers = {at: int(item[1]) for at, item in items.items()}
    listed: set[int] = set()
    for one, other in pairwise(numbers):
        if numbers[other] == numbers[one] + 1:
            listed |= {one, other}
    for at, line in enumerate(lines):
        yield f"- {line[items[at].end() :]}" if at in listed else line
