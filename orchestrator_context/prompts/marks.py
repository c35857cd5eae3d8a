"""Source marks: short names such as `[S3]` that tie a statement to the passage it rests on.

A model copies small numbers reliably and hashes badly, so every prompt numbers its own passages
from 1, and the marks in the answer are translated to passages afterwards. Between prompts, text is
kept as `MarkedText`, in which a mark is an index and cannot be confused with characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

_SHORTEST_RANGE = 3
_LONGEST_RANGE = 64  # a wider one is no citation but a slip of the model
_ANY_MARK = re.compile(r"\[\s?(S+|Q+|Z+)\d", re.IGNORECASE | re.ASCII)  # its beginning


@dataclass(frozen=True, slots=True)
class MarkedText:
    """Text in which marks are data.

    Attributes:
        pieces: strings as they stand, and integers for marks: indexes of passages, from 0.
    """

    pieces: tuple[str | int, ...]

    @property
    def indexes(self) -> tuple[int, ...]:
        """The passages named, each once, in the order of their first mark."""
        return tuple(dict.fromkeys(piece for piece in self.pieces if isinstance(piece, int)))

    @property
    def plain(self) -> str:
        """The text without marks."""
        return "".join(piece for piece in self.pieces if isinstance(piece, str))

    def renumbered(self, number: Callable[[int], int | None]) -> MarkedText:
        """Return the text with each index replaced; where `number` gives None the mark goes."""
        return MarkedText(tuple(_merged(_mapped(self.pieces, number))))


def mark(index: int, prefix: str = "S") -> str:
    """Return the mark of the passage with `index`, counted from 0.

    >>> mark(0), mark(11, "Q")
    ('[S1]', '[Q12]')
    """
    return f"[{prefix}{index + 1}]"


def free_prefix(texts: Iterable[str]) -> str:
    """Return the first prefix with which no mark begins in any of `texts`: none can be forged.

    >>> free_prefix(["plain text"]), free_prefix(["see [S1]"])
    ('S', 'Q')
    """
    used = {found[1].upper() for text in texts for found in _ANY_MARK.finditer(text)}
    return next(prefix for prefix in _prefixes() if prefix not in used)


def read_marks(text: str, prefix: str = "S") -> MarkedText:
    """Return `text` with its marks as data. Lists and ranges, `[S1, S3-5]`, become single marks.

    >>> read_marks("It waits [S2, S4]. Then [s1-3].").pieces
    ('It waits ', 1, 3, '. Then ', 0, 1, 2, '.')
    """
    pieces: list[str | int] = []
    end = 0
    for found in _pattern(prefix).finditer(text):
        pieces.append(text[end : found.start()])
        pieces.extend(number - 1 for number in _numbers(found.group()))
        end = found.end()
    pieces.append(text[end:])
    return MarkedText(tuple(piece for piece in pieces if piece != ""))


def write_marks(marked: MarkedText, prefix: str = "S", *, ranges: bool = False) -> str:
    """Return the text with its marks written out; the inverse of `read_marks`.

    >>> write_marks(MarkedText(("It waits ", 0, 1, 2, 5)), ranges=True)
    'It waits [S1-S3][S6]'

    Args:
        marked: what to write.
        prefix: letters of the marks.
        ranges: write three and more neighbours as a range, which takes fewer tokens.
    """
    runs = _runs(marked.pieces, _LONGEST_RANGE if ranges else 1)
    return "".join(run if isinstance(run, str) else _written(run, prefix) for run in runs)


def _runs(pieces: tuple[str | int, ...], longest: int) -> Iterator[str | list[int]]:
    """Yield strings as they stand, and marks in runs of neighbouring numbers."""
    run: list[int] = []
    for piece in pieces:
        if run and not (piece == run[-1] + 1 and len(run) < longest):
            yield run
            run = []
        if isinstance(piece, str):
            yield piece
        else:
            run.append(piece)
    if run:
        yield run


def _written(run: list[int], prefix: str) -> str:
    if len(run) < _SHORTEST_RANGE:
        return "".join(mark(index, prefix) for index in run)
    return f"[{prefix}{run[0] + 1}-{prefix}{run[-1] + 1}]"


def _prefixes() -> Iterator[str]:
    return (letter * length for length in count(1) for letter in "SQZ")


@lru_cache(maxsize=32)
def _pattern(prefix: str) -> re.Pattern[str]:
    one = rf"{prefix}\d{{1,9}}"
    more = rf"\s?[,;–-]\s?(?:{prefix})?\d{{1,9}}"
    return re.compile(rf"\[\s?{one}(?:{more})*\s?\]", re.IGNORECASE | re.ASCII)


def _numbers(group: str) -> Iterator[int]:
    """Yield the numbers of one bracket; of a range that is too wide or runs back, its ends."""
    for part in re.split(r"[,;]", group):
        first, *last = (int(digits) for digits in re.findall(r"\d+", part))
        if last and first <= last[-1] < first + _LONGEST_RANGE:
            yield from range(first, last[-1] + 1)
        else:
            yield from (first, *last)


def _mapped(
    pieces: tuple[str | int, ...], number: Callable[[int], int | None]
) -> Iterator[str | int]:
    for piece in pieces:
        if isinstance(piece, str):
            yield piece
        elif (new := number(piece)) is not None:
            yield new


def _merged(pieces: Iterable[str | int]) -> Iterator[str | int]:
    """Join neighbouring strings and drop a mark that its run of marks already holds."""
    strings: list[str] = []
    run: set[int] = set()
    for piece in pieces:
        if isinstance(piece, str):
            strings.append(piece)
            continue
        if strings:
            yield "".join(strings)
            strings, run = [], set()
        if piece not in run:
            run.add(piece)
            yield piece
    if strings:
        yield "".join(strings)
