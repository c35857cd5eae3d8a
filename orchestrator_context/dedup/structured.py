"""Text that is not prose: data and code, where a repetition has a meaning of its own."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter

from orchestrator_context.rank.lines import read_lines

_DELIMITERS = ",;\t|"
_JSON = re.compile(r"\s*[{\[]")
_MARKUP = re.compile(r"\s*<[?!/a-zA-Z]")
_KEY_AND_VALUE = re.compile(
    r"\s*(?:-\s+)?[\"']?[\w.$-]{1,60}[\"']?\s*(?:[=:]\s.*|[=:]|=.*)|\s*\[[^\]\n]*\]\s*"
)
_STOP = re.compile(r"""[.!?。！？…]["'”’)*_]*\s*$""")
_MOST_WORDS_OF_A_CELL = 4
_MOST_CODE = 1 / 3
_LOOKED_AT = 20_000  # characters
_STATEMENT = re.compile(
    r"""\s*+(?:
      (?:async\s+)?def\s+\w+\s*\( | class\s+\w+\s*(?:\([^()]*\))?\s*[:{]\s*$
    | (?:import\s+[\w.*{]+ | from\s+[\w.]+\s+import\b.*)[;\s]*$
    | (?:\#\s*include|using|package)\s*[<"\w][^ ]*$
    | (?:(?:pub|public|private|protected|static|export|async)\s+)*(?:function|func|fn)\s+\w+\s*[(<]
    | @[\w.]+(?:\(.*\))?\s*$
    | [)}\]]+[;,]?\s*$ | .*[^\s{]\s*\{\s*$ | .*\)\s*;\s*$ | [\w.$]+\s*=\s*\S.*;\s*$
    )""",
    re.VERBOSE,
)


def is_data(text: str) -> bool:
    """Return whether `text` is JSON, JSON lines, a table of cells, markup, or keys and values.

    A table has the same number of columns in each of its two or more rows. Lines of prose with a
    comma in each are none: they have more or fewer commas, or end as sentences do. Linear in the
    text.
    """
    if _JSON.match(text):
        return _is_json(text) or _are_json_lines(text)
    if _MARKUP.match(text) and text.rstrip().endswith(">"):
        return True
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return False
    return all(map(_KEY_AND_VALUE.fullmatch, lines)) or any(
        _is_table(lines, delimiter) for delimiter in _DELIMITERS
    )


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except RecursionError:
        return True
    except ValueError:
        return False


def _are_json_lines(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and all(_JSON.match(line) and _is_json(line) for line in lines)


def _is_table(lines: list[str], delimiter: str) -> bool:
    if not all(delimiter in line for line in lines):
        return False
    if delimiter in "\t|":
        return len({line.strip().strip(delimiter).count(delimiter) for line in lines}) == 1
    rows = _rows(lines, delimiter)
    return len({len(row) for row in rows}) == 1 and len(rows[0]) > 1 and not _is_prose(rows)


def _rows(lines: list[str], delimiter: str) -> list[list[str]]:
    try:
        return [row for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:  # a cell above the limit of the parser, or a NUL
        return [line.split(delimiter) for line in lines]


def _is_prose(rows: list[list[str]]) -> bool:
    ends = sum(_STOP.search(row[-1]) is not None for row in rows)
    words = sum(len(cell.split()) for row in rows for cell in row)
    cells = sum(map(len, rows))
    return 2 * ends > len(rows) or words > _MOST_WORDS_OF_A_CELL * cells


def is_code(text: str, *, statements: int = 1) -> bool:
    """Return whether `text` is code, by its first lines.

    Args:
        text: the text.
        statements: how many lines without a doubt are enough: definitions, imports, brackets. If
            there are fewer, more than a third of all lines must look like code.
    """
    lines = text[:_LOOKED_AT].splitlines()
    if sum(_STATEMENT.match(line) is not None for line in lines) >= statements:
        return True
    kinds = Counter(line.kind for line in read_lines("\n".join(lines)))
    return kinds["code"] > _MOST_CODE * (kinds["code"] + kinds["prose"])
