"""What data holds, in a few words: the keys of JSON, the columns and rows of a table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import cast

import regex

from orchestrator_context.text import grapheme_break

_MOST_CHARACTERS = 20_000_000  # of JSON that is read as a whole
_SAMPLE_CHARACTERS = 100_000
_SAMPLE_LINES = 50
_LEAST_ROWS = 5  # a few lines of prose may have as many commas each
_MOST_NAMES = 40
_LONGEST_NAME = 60  # characters
_DELIMITERS = {",": "CSV", "\t": "TSV", ";": "CSV", "|": "pipe-separated"}
_LINE_ENDS = {ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"}  # json leaves them
_COLUMN = regex.compile(r"[\p{L}_\"#*$%][^\n\r]{0,59}")
_RULE = regex.compile(r":?-+:?")


def describe_data(content: str) -> Iterator[str]:
    """Yield lines on what `content` holds, the first for the whole; none where it is no data.

    JSON, JSON lines, and tables with a line of column names: separated values and Markdown. Near
    linear. JSON of over 20 million characters is not read.
    """
    start = content[:_SAMPLE_CHARACTERS].lstrip("\ufeff \t\r\n")[:1]
    value = None
    if start in ("{", "[") and len(content) <= _MOST_CHARACTERS:
        value = _loaded(content)
    if isinstance(value, dict | list):
        yield from _json(cast("object", value))
    else:
        found = (_json_lines(content) if start == "{" else None) or _table(content)
        if found is not None:
            yield found


def _loaded(text: str) -> object:
    try:
        return json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None


def _json(value: object) -> Iterator[str]:
    yield f"JSON: {_kind(value)}"
    for held in _objects([value]):
        for key in islice(held, _MOST_NAMES):
            yield f"key {_quoted(key)}: {_kind(held[key])}"


def _kind(value: object) -> str:
    """Return what a value is; of objects and arrays also how large and with which keys."""
    if isinstance(value, list):
        return _array(cast("list[object]", value))
    for held in _objects([value]):
        return "object" + (f" with the keys {_keys(held)}" if held else "")
    if isinstance(value, str):
        return f"string of {len(value)} characters"
    return "null" if value is None else "boolean" if isinstance(value, bool) else "number"


def _array(values: Sequence[object]) -> str:
    objects = _objects(values)
    if values and len(objects) == len(values):
        return f"array, {len(values)} objects with the keys {_keys(chain.from_iterable(objects))}"
    kinds = ", ".join(dict.fromkeys(map(_simple_kind, values)))
    return f"array, {len(values)} items" + (f" ({kinds})" if kinds else "")


def _objects(values: Iterable[object]) -> list[dict[str, object]]:
    """Return those of the values that are objects."""
    return [cast("dict[str, object]", value) for value in values if isinstance(value, dict)]


def _keys(keys: Iterable[str]) -> str:
    return _names(map(_quoted, dict.fromkeys(keys)))


def _simple_kind(value: object) -> str:
    if isinstance(value, dict | list):
        return "object" if isinstance(value, dict) else "array"
    return _kind(value).split(" ", 1)[0]


def _json_lines(content: str) -> str | None:
    lines = [line for line in _sample(content) if line.strip()]
    objects = _objects(_loaded(line) for line in lines)
    if len(objects) < max(2, len(lines)):
        return None
    return f"JSON lines: objects with the keys {_keys(chain.from_iterable(objects))}"


def _sample(content: str) -> list[str]:
    """Return the first lines, without the last one where it may be cut."""
    lines = content[:_SAMPLE_CHARACTERS].split("\n", _SAMPLE_LINES)
    whole = len(lines) <= _SAMPLE_LINES and len(content) <= _SAMPLE_CHARACTERS
    return lines if whole else lines[:-1]


def _table(content: str) -> str | None:
    sample = [line for line in _sample(content.removeprefix("\ufeff")) if line.strip()]
    if len(sample) < _LEAST_ROWS:
        return None
    cells = [cell.strip() for cell in sample[1].strip().strip("|").split("|")]
    if all(_RULE.fullmatch(cell) for cell in cells):
        names = [name.strip() for name in sample[0].strip().strip("|").split("|")]
        return f"Markdown table with the columns {_names(names)}" if len(names) > 1 else None
    for delimiter, name in _DELIMITERS.items():
        header = _header(sample, delimiter)
        if header:
            rows = _row_count(content, delimiter)
            return f"{name} table: {rows - 1} rows under the columns {_names(header)}"
    return None


def _header(sample: Sequence[str], delimiter: str) -> list[str]:
    """Return the names of the columns, or nothing where the lines are no table."""
    try:
        rows = list(csv.reader(sample, delimiter=delimiter))
    except csv.Error:
        return []
    header = [name.strip() for name in rows[0]]
    named = all(_COLUMN.fullmatch(name) and name.count("(") == name.count(")") for name in header)
    even = len({len(row) for row in rows}) == 1
    return header if named and even and len(set(header)) == len(header) > 1 else []


def _row_count(content: str, delimiter: str) -> int:
    try:
        return sum(1 for row in csv.reader(io.StringIO(content), delimiter=delimiter) if row)
    except csv.Error:  # a field of over 131,072 characters
        return content.count("\n")


def _names(names: Iterable[str]) -> str:
    found = list(names)
    rest = len(found) - _MOST_NAMES
    shown = ", ".join(_short(name) for name in found[:_MOST_NAMES])
    return shown + (f" and {rest} more" if rest > 0 else "")


def _quoted(key: str) -> str:
    """Return a key in one line, whatever it holds."""
    return json.dumps(_short(key), ensure_ascii=False).translate(_LINE_ENDS)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: grapheme_break(name, _LONGEST_NAME)] + "…"
