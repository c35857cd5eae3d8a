"""Names that can stand before what somebody says: no two of them look alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import regex

from orchestrator_context import checks
from orchestrator_context.conversation.labels import LONGEST_NAME, is_mark
from orchestrator_context.conversation.lookalikes import (
    COLONS,
    ENDS,
    LINE_ENDS,
    bare,
    keys,
    shape,
    skeleton,
    strokes,
    told_apart,
)
from orchestrator_context.exceptions import ConfigurationError

_END = regex.compile(f"[{ENDS}]")
_NUMBERS = regex.compile(rf"^[\p{{M}}\p{{N}}{ENDS}]+(?=\p{{L}})")
_UNFIT = regex.compile(rf"[{LINE_ENDS}{COLONS}\p{{Cc}}\p{{Cf}}\p{{Cs}}]")
# A backslash, or what UTS 39 takes for one.
_BACKSLASH = regex.compile(r"\s*[\\\u2216\u27cd\u29f5\u29f9\ufe68\uff3c]")


def check_name(field: str, name: object) -> str:
    """Return `name` if it can be a label.

    Raises:
        ConfigurationError: it is no text, or blank, longer than 64 characters, has no letter or
            digit, holds a line break, a colon or a character that cannot be seen, begins with a
            backslash, or looks like a mark.
    """
    name = checks.text(field, name, blank=False)
    if len(name) > LONGEST_NAME:
        raise ConfigurationError(
            f"{field} has {len(name)} characters; shorten it to {LONGEST_NAME}"
        )
    if _UNFIT.search(name):
        raise ConfigurationError(
            f"{field} holds a line break, a colon or a control or format character; a label ends "
            f"there, so leave it out"
        )
    if _BACKSLASH.match(name):
        raise ConfigurationError(
            f"{field} begins with a backslash, which stands before lines that only look like a "
            f"label; leave it out"
        )
    if not bare(name):
        raise ConfigurationError(f"{field} has no letter or digit; put one into it")
    if is_mark(name):
        raise ConfigurationError(
            f"{field} looks like a mark of this library; leave the bracket out"
        )
    return name


def check_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return `names` if each can be a label and no two look alike.

    >>> check_names(["Ann", "Bob"])
    ('Ann', 'Bob')

    Raises:
        ConfigurationError: `check_name` refuses one of them, or two differ in nothing but case,
            white space, punctuation or characters that look the same, or the label of one begins
            like that of another.
    """
    checked = tuple(check_name(f"names[{index}]", name) for index, name in enumerate(names))
    known = _Looks()
    for name in checked:
        for other in known.like(name, keys(name)):
            raise _alike(name, other)
        known.add(name)
    for name in checked:
        for beginning in _beginnings(name):
            for other in known.like(beginning, (bare(beginning),)):
                if other != name:
                    raise ConfigurationError(
                        f"A label of {name!r} would begin like one of {other!r}, so nobody could "
                        f"tell them apart; leave out the number or the dash, or rename one of them"
                    )
    return checked


class _Looks:
    """Names by what they look like."""

    def __init__(self) -> None:
        self._shapes: dict[str, str] = {}
        self._strokes: dict[str, list[tuple[str, str]]] = {}

    def add(self, name: str) -> None:
        """Take down a name."""
        letters = skeleton(name)
        self._shapes |= dict.fromkeys(keys(name), name)
        self._strokes.setdefault(strokes(letters), []).append((letters, name))

    def like(self, text: str, shapes: Iterable[str]) -> Iterator[str]:
        """Yield the names that have one of `shapes`, or can be taken for `text`."""
        yield from filter(None, map(self._shapes.get, shapes))
        letters = skeleton(text)
        for other, name in self._strokes.get(strokes(letters), ()):
            if not told_apart(letters, other):
                yield name


def _beginnings(name: str) -> Iterator[str]:
    """Yield what a label of `name` might be read as: a number and another name, or one and a dash.

    A number before a number is read as one, since people are numbered too.
    """
    said = shape(name)
    for found in (*_END.finditer(said), None):
        before = said if found is None else said[: found.start()]
        yield from (before, _NUMBERS.sub("", before))


def _alike(name: str, other: str) -> ConfigurationError:
    if name == other:
        return ConfigurationError(f"Two participants are named {name!r}; give each its own name")
    return ConfigurationError(
        f"The names {name!r} and {other!r} look alike, so nobody could tell their labels apart; "
        f"make them differ in a letter or digit that looks like no other"
    )
