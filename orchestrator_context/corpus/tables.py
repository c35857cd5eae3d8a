"""The heads of tables that were cut: rows without them do not say what their cells are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator_context.models import Chunk

_LONGEST: Final = 1_000  # characters; what is longer would take the place of rows
_DELIMITER: Final = re.compile(  # of a Markdown table, between its head and its rows
    r"[ \t]*+\|?+(?:[ \t]*+:?+-++:?+[ \t]*+\|)*+(?:[ \t]*+:?+-++:?+)?+[ \t]*+\r?"
)


@dataclass(frozen=True, slots=True)
class TableHead:
    """The names of the columns of a table.

    Attributes:
        text: two lines, with their ends.
        lines: number of the first and of the last one.
    """

    text: str
    lines: tuple[int, int]


def table_heads(chunks: Sequence[Chunk]) -> tuple[TableHead | None, ...]:
    """Return for each chunk of a document the head of the table that it begins inside of, or None.

    Tables are those of Markdown. A chunk that begins in the middle of a row has none.
    """
    if not any("|" in one.text for one in chunks):
        return (None,) * len(chunks)
    return tuple(_heads(chunks))


def _heads(chunks: Sequence[Chunk]) -> Iterator[TableHead | None]:
    head: TableHead | None = None
    above = ""
    for chunk in chunks:
        lines = chunk.text.removesuffix("\n").split("\n")
        whole = chunk.source.start_column == 1
        yield head if whole and "|" in lines[0] else None
        for number, line in enumerate(lines, start=chunk.source.start_line):
            if not whole and number == chunk.source.start_line:
                line = ""  # the rest of a row
            elif "|" not in line:
                head = None
            elif head is None and _is_delimiter(line) and "|" in above:
                text = f"{above}\n{line}\n"
                head = TableHead(text, (number - 1, number)) if len(text) <= _LONGEST else None
            above = line


def _is_delimiter(line: str) -> bool:
    return "-" in line and _DELIMITER.fullmatch(line) is not None
