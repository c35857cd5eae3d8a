"""Facts in JSON: its single values, with their names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import cast

from orchestrator_context.conversation.digest.entries import one_line
from orchestrator_context.text import is_blank

__all__ = ["data_lines", "read_json"]

_LONGEST_VALUE_CHARACTERS = 120
_LONGEST_LINE_CHARACTERS = 160
_MOST_VALUES = 200
_MOST_CHARACTERS = 4_000_000


def read_json(text: str) -> object:
    """Return the object or list that `text` is in JSON, or None where it is something else."""
    start = text.lstrip()[:1]
    if start not in ("{", "[") or len(text) > _MOST_CHARACTERS:
        return None
    try:
        data: object = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    return data


def data_lines(data: object) -> Iterator[str]:
    """Yield lines of `name: value` pairs, the first few hundred of them."""
    line = ""
    for pair in islice(_pairs(data), _MOST_VALUES):
        if line and len(line) + len(pair) > _LONGEST_LINE_CHARACTERS:
            yield line
            line = ""
        line = f"{line}; {pair}" if line else pair
    if line:
        yield line


def _pairs(data: object) -> Iterator[str]:
    open_items: list[tuple[str, object]] = [("", data)]
    while open_items:
        name, value = open_items.pop()
        if isinstance(value, dict):
            fields = cast("dict[str, object]", value)
            path = f"{name}." if name else ""
            open_items += [(f"{path}{key}", item) for key, item in reversed(fields.items())]
        elif isinstance(value, list):
            items = cast("list[object]", value)
            open_items += [(name, item) for item in reversed(items)]
        else:
            shown = _scalar(value)
            if not is_blank(shown) and len(shown) <= _LONGEST_VALUE_CHARACTERS:
                yield f"{one_line(name)}: {shown}" if name else shown


def _scalar(value: object) -> str:
    if isinstance(value, str):
        return one_line(value)
    return json.dumps(value)
