"""The lines of a text, and leaving some of them out."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Final

_BLANKS: Final = " \t\r\n\f"


@dataclass(frozen=True, slots=True)
class Cuts:
    """What to leave out of a text, by the number of the line, from 0.

    Attributes:
        dropped: lines that go.
        replaced: lines that go, and what stands there instead, without its line break.
        inner: lines that begin inside of a string or another token: they stay as they are.
    """

    dropped: Set[int] = frozenset()
    replaced: Mapping[int, str] = field(default_factory=dict[int, str])
    inner: Set[int] = frozenset()


def split_lines(text: str) -> list[str]:
    """Return the lines of `text` with their breaks. Lines end with LF, and so with CR LF."""
    *whole, last = text.split("\n")
    return [line + "\n" for line in whole] + ([last] if last else [])


def without(lines: list[str], cuts: Cuts) -> tuple[str, int]:
    """Return the text of `lines` without what is cut, and how many of the lines are gone.

    Of a run of blank lines one stays, and none at both ends. A line behind one that ends with a
    backslash stays, since it belongs to that.
    """
    kept: list[str] = []
    gone, in_blanks = 0, True
    for number, line in enumerate(lines):
        if number in cuts.inner or (kept and kept[-1].rstrip("\r\n").endswith("\\")):
            in_blanks = False
        elif number in cuts.replaced:
            line = cuts.replaced[number] + line[len(line.rstrip("\r\n")) :]
            in_blanks, gone = False, gone + 1
        elif number in cuts.dropped or (is_blank(line) and in_blanks):
            gone += 1
            continue
        else:
            in_blanks = is_blank(line)
        kept.append(line)
    if kept and in_blanks:
        kept.pop()
        gone += 1
    return "".join(kept), gone


def is_blank(line: str) -> bool:
    """Return whether nothing but white space that every language skips stands in `line`."""
    return not line.strip(_BLANKS)
