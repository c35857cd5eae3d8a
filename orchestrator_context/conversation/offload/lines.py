"""Ranges of lines: as a model asks for them, and as offsets of a text.

Lines end with LF, and so with CR LF; the line break belongs to its line, so ranges that follow each
other put together are the text. Lines and columns count from 1, both ends included.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import cast

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError

Span = tuple[int, int]
"""Offsets of the first character and of the one behind the last."""

_BLOCK = 1 << 16  # characters in which line breaks are looked for one by one
_NUMBER = r"(\d{1,12})(?:\.(\d{1,12}))?"
_RANGE = re.compile(rf"\s*{_NUMBER}(\s*[-–]\s*(?:{_NUMBER})?)?\s*", re.ASCII)
_HOW = (
    'lines must be like "10-40", "12" or "10-" (to the end), or "12.401-12" to begin at character '
    "401 of line 12"
)


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines of a text, or a part of them where a line is too long to be taken whole.

    Attributes:
        first: the first line.
        last: the last line; None for the last one of the text.
        first_column: character in the first line that it begins with.
        last_column: character in the last line that it ends with; None where that line is whole.
    """

    first: int
    last: int | None
    first_column: int = 1
    last_column: int | None = None

    def __post_init__(self) -> None:
        begin = (self.first, self.first_column)
        end = (self.last or math.inf, self.last_column or math.inf)
        if begin > end or min(begin) < 1 or self.last == 0 or self.last_column == 0:
            raise ConfigurationError(f"{_HOW}, from 1 and not backwards, not {str(self)!r}")

    def __str__(self) -> str:
        """Return the range as `parsed` reads it, such as `10-40` or `12.401-12`."""
        first = str(self.first) + (f".{self.first_column}" if self.first_column > 1 else "")
        if self.last is None:
            return f"{first}-"
        last = str(self.last) + ("" if self.last_column is None else f".{self.last_column}")
        alone = first == last and self.last_column is None
        return first if alone else f"{first}-{last}"

    @classmethod
    def parsed(cls, lines: object) -> LineRange:
        """Return the range that is meant.

        >>> str(LineRange.parsed("10 - 40")), str(LineRange.parsed((10, 40)))
        ('10-40', '10-40')

        Raises:
            ConfigurationError: it is not a range of lines.
        """
        if isinstance(lines, tuple):
            return cls(*_two(cast("tuple[object, ...]", lines)))
        found = _RANGE.fullmatch(lines) if isinstance(lines, str) else None
        if found is None:
            shown = repr(lines[:40]) if isinstance(lines, str) else type(lines).__name__
            raise ConfigurationError(f"{_HOW}, not {shown}")
        first, column, to, last, last_column = found.groups()
        end = int(last) if last else None if to else int(first)
        return cls(int(first), end, int(column or 1), int(last_column) if last_column else None)

    def span_in(self, text: str) -> Span:
        """Return the offsets of the range; lines and columns beyond the end are left out.

        Raises:
            ConfigurationError: not even the beginning is in the text.
        """
        total = line_count(text)
        if self.first > total:
            raise ConfigurationError(
                f"the content has {total} lines, so lines cannot begin with {self.first}"
                + (f'; ask for lines within "1-{total}"' if total else "; it is empty")
            )
        start = line_start(text, self.first)
        columns = line_end(text, start) - start
        if self.first_column > columns:
            raise ConfigurationError(
                f"line {self.first} has {columns} characters with its line break, so lines cannot "
                f"begin with {self.first}.{self.first_column}"
            )
        if self.last is None or self.last > total:
            return start + self.first_column - 1, len(text)
        last = line_start(text, self.last)
        end = line_end(text, last)
        return start + self.first_column - 1, min(end, last + (self.last_column or end))


def _two(numbers: tuple[object, ...]) -> tuple[int, int]:
    if len(numbers) != 2:
        raise ConfigurationError("lines must be two whole numbers, such as (10, 40)")
    first, last = (checks.whole("lines", number, least=1) for number in numbers)
    return first, last


def line_count(text: str) -> int:
    """Return the number of lines; a line break at the end begins no other."""
    return text.count("\n") + bool(text and not text.endswith("\n"))


def line_start(text: str, number: int) -> int:
    """Return the offset at which a line begins."""
    at, left = 0, number - 1
    while left > (held := text.count("\n", at, at + _BLOCK)):
        at, left = at + _BLOCK, left - held
    for _ in range(left):
        at = text.find("\n", at) + 1
    return at


def line_end(text: str, start: int) -> int:
    """Return the offset behind the line in which `start` is."""
    found = text.find("\n", start)
    return len(text) if found < 0 else found + 1


def lines_of(text: str, span: Span) -> LineRange:
    """Return the lines of a span that is not empty."""
    start, end = span
    first = text.count("\n", 0, start) + 1
    last = first + text.count("\n", start, end - 1)
    whole = end == len(text) or text[end - 1] == "\n"
    column = start - text.rfind("\n", 0, start)
    return LineRange(first, last, column, None if whole else end - 1 - text.rfind("\n", 0, end - 1))
