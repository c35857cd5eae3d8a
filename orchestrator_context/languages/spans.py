"""Where what begins in a text ends, told by indentation, or by the levels of headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

_OPENER: Final = re.compile(r"\{|begin(?!\w)|contains[ \t\r]*(?:\n|\Z)", re.IGNORECASE)
_CLOSER: Final = re.compile(r"[)}\]]|</|(?:end|done|fi|esac)(?!\w)", re.IGNORECASE)
_LINE: Final = re.compile(r"(?m)^([ \t]*+)[^\n]*+")
_STRING: Final = re.compile(r"[a-zA-Z]{0,2}[\"'`]")
_MARKS: Final = re.compile(r"\s*(?:([#=*!])\1*|(?:<[^<>]*>\s*){0,4}<h(\d)|\\(\w+))", re.IGNORECASE)
_LATEX: Final = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")


class Place(NamedTuple):
    """Where something begins.

    Attributes:
        start: offset of its first character.
        end: offset behind its signature.
    """

    start: int
    end: int


class Lines:
    """Numbers of lines, from 1, for offsets that only grow."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._number = text, 0, 1

    def of(self, offset: int) -> int:
        """Return the number of the line at `offset`, which is not below the last one."""
        self._number += self._text.count("\n", self._at, offset)
        self._at = max(self._at, offset)
        return self._number

    def last(self) -> int:
        """Return the number of the last line that holds anything."""
        return self.of(max(self._at, len(self._text.rstrip())))


def ends_by_indentation(text: str, code: str, places: Sequence[Place]) -> list[int]:
    """Return the last line, from 1, of each declaration.

    It is the last line of code that is indented deeper, or closes it at its own depth. Linear.

    Args:
        text: a program.
        code: the same with spaces for comments and strings.
        places: its declarations in order.
    """
    ends, lines = [0] * len(places), Lines(text)
    opened: list[tuple[int, int]] = []  # depth and number of each declaration that is open
    upcoming, last, head_end = 0, 0, 0
    for found in _LINE.finditer(code):
        line, first = found.start(), found.end(1)
        depth = first - line - (line == 0 and text.startswith("\ufeff"))
        if found[0].isspace() or not found[0]:  # blank, a comment or a string
            depth = len(text[line : found.end()]) - len(text[line : found.end()].lstrip(" \t"))
            if opened and depth > opened[-1][0] and _STRING.match(text, line + depth):
                last = lines.of(found.end())
            continue
        if line >= head_end and not _OPENER.match(code, first):
            while opened and depth <= opened[-1][0]:
                other, which = opened.pop()
                if depth == other and _CLOSER.match(code, first):
                    ends[which] = lines.of(first)
                    break
                ends[which] = last
        while upcoming < len(places) and places[upcoming].start < found.end():
            opened.append((depth, upcoming))
            head_end = max(head_end, places[upcoming].end)
            upcoming += 1
        last = lines.of(found.end())
    for _, which in opened:
        ends[which] = last
    return ends


def ends_by_level(levels: Sequence[int], starts: Sequence[int], last: int) -> list[int]:
    """Return the last line of each section: the one before the next of its level, or above it.

    Args:
        levels: levels of the headings in order, 1 for the highest.
        starts: their lines.
        last: the last line of the text.
    """
    ends, opened = [last] * len(levels), list[int]()
    for number, level in enumerate(levels):
        while opened and levels[opened[-1]] >= level:
            ends[opened.pop()] = max(starts[number] - 1, 1)
        opened.append(number)
    return ends


def levels_of(headings: Sequence[str], language: str) -> list[int]:
    """Return the level of each heading, by its marks, or by the order in which those first come."""
    styles = {"=": 1, "-": 2} if language == "markdown" else dict[str, int]()
    return [_level(heading, styles) for heading in headings]


def _level(heading: str, styles: dict[str, int]) -> int:
    lines = [line.strip() for line in heading.strip().split("\n")]
    found = _MARKS.match(heading)
    if found is not None and found[2] is not None:
        return int(found[2])
    if len(lines) > 1:  # underlined; a line above counts too
        style = lines[-1][:1] * (len(lines) - 1)
        return styles.setdefault(style, len(styles) + 1)
    if found is None:
        return 1
    if found[3] is not None:
        return _LATEX.index(found[3]) + 1 if found[3] in _LATEX else len(_LATEX)
    return len(found[0].strip())
