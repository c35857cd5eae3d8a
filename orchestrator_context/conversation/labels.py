r"""Author labels and marks of the library, which no participant can forge.

A turn is labelled "name: text". A line of the text that looks like the label of anybody gets a
backslash in front, and so does one that looks like a mark of this library, such as the heading of
a summary. So all lines that look like labels or marks and have no backslash are what they look
like. What looks alike is for `lookalikes` to say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from typing import TypeGuard, cast

import regex

from orchestrator_context import checks
from orchestrator_context.conversation.lookalikes import (
    COLONS,
    ENDS,
    LINE_ENDS,
    bare,
    keys,
    readings,
    shape,
    skeleton,
    spelled,
    strokes,
    told_apart,
    without_signs,
)
from orchestrator_context.conversation.marking import (
    MARKS,
    OF_TOOL,
    OPENING_LETTERS,
    OPENS_A_MARK,
    may_hold_marks,
)
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Segment

_Label = regex.Match[str]

_MOST_CHARACTERS = 64
_ESCAPE = "\\"
_AFTER_NAME = ": "

_LINE_END = regex.compile(f"([{LINE_ENDS}])")
_LINE_ENDS = regex.compile(f"[{LINE_ENDS}]+")
_END = regex.compile(f"[{ENDS}]")
_NUMBERS = regex.compile(rf"^[\p{{M}}\p{{N}}{ENDS}]+(?=\p{{L}})")
_UNFIT = regex.compile(rf"[{LINE_ENDS}{COLONS}\p{{Cc}}\p{{Cf}}\p{{Cs}}]")
_BACKSLASH = regex.compile(r"\s*[\\\u2216\u27cd\u29f5\u29f9\ufe68\uff3c]")  # what UTS 39 takes for one
_NOTHING = "(?!)"


def labelled(content: str, author: str, names: Collection[str]) -> str:
    r"""Return "author: content", with a backslash before lines that look like labels or marks.

    >>> labelled("Yes.\n**Bob**: I agree.", "Ann", ("Ann", "Bob"))
    'Ann: Yes.\n\\**Bob**: I agree.'

    `unlabelled` gives the content back.

    Args:
        content: any text.
        author: who wrote it, by a name that `check_name` lets pass.
        names: whose labels have to be escaped: all participants and the moderator. The author's
            is in any case.
    """
    return author + _AFTER_NAME + escaped(content, (author, *names))


def unlabelled(text: str, names: Collection[str]) -> tuple[str, str]:
    r"""Return the author and the content of a text that `labelled` made with the same `names`.

    >>> unlabelled("Ann: Yes.\n\\Bob: I agree.", ("Ann", "Bob"))
    ('Ann', 'Yes.\nBob: I agree.')

    Raises:
        ConfigurationError: the text does not begin with the label of one of `names`.
    """
    author, after, content = text.partition(_AFTER_NAME)
    if not after or author not in names:
        raise ConfigurationError(
            "The text does not begin with the label of a participant; pass the names that it was "
            "labelled with, the author's among them"
        )
    return author, unescaped(content, names)


def escaped(content: str, names: Collection[str]) -> str:
    r"""Return `content` with a backslash before every line that looks like a label or a mark.

    >>> escaped("Yes.\nbob: I agree.\n[Summary of 9 earlier turns]", ("Ann", "Bob"))
    'Yes.\n\\bob: I agree.\n\\[Summary of 9 earlier turns]'

    It is for texts that are not labelled themselves. All other lines keep their bytes, and
    `unescaped` gives the content back. It takes time linear in the content.
    """
    return _with_escapes(content, _ours(content, names, MARKS), again=True)


def guarded(content: str, names: Collection[str]) -> str:
    r"""Return `content` as `escaped` does, but with no second backslash where a line has one.

    >>> guarded("\\Bob: one\nBob: two", ["Bob"])
    '\\Bob: one\n\\Bob: two'

    It is for texts of which parts are escaped already; nobody can give them back.
    """
    return _with_escapes(content, _ours(content, names, MARKS), again=False)


def of_tool(what: str, title: str, content: str, names: Collection[str]) -> str:
    r"""Return a call or result as text: its mark, and under it what it says.

    >>> of_tool("result", "web\nsearch", "Bob: Yes.", ["Bob"])
    '[result of web search]\n\\Bob: Yes.'

    Lines of the content that look like a label of `names`, or like the mark of a call or result,
    have a backslash in front. Other marks stay: a policy may have put them in.
    """
    told = _with_escapes(content, _ours(content, names, OF_TOOL), again=False)
    return f"[{what} of {one_line(title) or 'a tool'}]\n{told}"


def one_line(text: str) -> str:
    r"""Return `text` with a space in the place of its line breaks, and none around it.

    >>> one_line("web\r\nsearch\n")
    'web search'
    """
    return _LINE_ENDS.sub(" ", text).strip()


def speakers(segments: Iterable[Segment]) -> frozenset[str]:
    """Return the names that are known from `segments`.

    They are the authors, and all in the conversation where a segment is a participant's own: it
    has their names in its metadata, under `names`, as a tuple.
    """
    found: set[str] = set()
    for segment in segments:
        authors = (segment.author, segment.metadata.get("author"))
        found.update(filter(_may_label, authors))
        names = segment.metadata.get("names")
        if isinstance(names, tuple | list):  # a list, where they went through JSON
            found.update(filter(_may_label, cast("Iterable[object]", names)))
    return frozenset(found)


def _may_label(name: object) -> TypeGuard[str]:
    return isinstance(name, str) and 0 < len(name) <= _MOST_CHARACTERS


def _with_escapes(content: str, lines: Collection[int], *, again: bool) -> str:
    """Return `content` with a backslash before these lines, or those of them that have none."""
    if not lines:
        return content
    pieces = _LINE_END.split(content)  # lines at even places, what ends them at odd ones
    for at in lines:
        if again or not pieces[at].startswith(_ESCAPE):
            pieces[at] = _ESCAPE + pieces[at]
    return "".join(pieces)


def unescaped(text: str, names: Collection[str]) -> str:
    """Return the content of which `escaped` made `text` with the same `names`."""
    if _ESCAPE not in text:
        return text
    pieces = _LINE_END.split(text)
    for at in _ours(text, names, MARKS):
        pieces[at] = pieces[at].removeprefix(_ESCAPE)
    return "".join(pieces)


def _ours(text: str, names: Collection[str], marks: str) -> list[int]:
    """Return which pieces of `text`, split at its line ends, look like a label or one of `marks`.

    Marks take their time to look for, so they are left out where no bracket is.
    """
    marked = may_hold_marks(text)
    looks = _looks_like_ours(frozenset(names), marks if marked else _NOTHING).match
    shaped = shape(text)
    unsigned = without_signs(shaped)
    lines = _LINE_END.split(unsigned)
    found = {at: label for at in range(0, len(lines), 2) if (label := looks(lines[at]))}
    if len(unsigned) < len(shaped):
        for at, line in enumerate(_LINE_END.split(shaped)):
            if len(line) > len(lines[at]) and (label := _read(looks, line)):
                found[at] = label
    if not found or not marked:
        return list(found)
    pieces = _LINE_END.split(text)
    opens = OPENS_A_MARK.match
    return [at for at, label in found.items() if label["label"] is not None or opens(pieces[at])]


def _read(looks: Callable[[str], _Label | None], line: str) -> _Label | None:
    """Return what `looks` makes of the shape of a line in any reading, rather a label."""
    found = [label for label in map(looks, readings(line)) if label]
    return max(found, key=lambda label: label["label"] is not None, default=None)


def is_mark(line: str) -> bool:
    """Return whether `line` begins with what looks like a mark of this library."""
    looks = _looks_like_ours(frozenset[str](), MARKS).match
    return OPENS_A_MARK.match(line) is not None and any(map(looks, readings(shape(line))))


def check_name(field: str, name: object) -> str:
    """Return `name` if it can be a label.

    Raises:
        ConfigurationError: it is no text, or blank, longer than 64 characters, has no letter or
            digit, holds a line break, a colon or a character that cannot be seen, begins with a
            backslash, or looks like a mark.
    """
    name = checks.text(field, name, blank=False)
    if len(name) > _MOST_CHARACTERS:
        raise ConfigurationError(
            f"{field} has {len(name)} characters; shorten it to {_MOST_CHARACTERS}"
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


@lru_cache(maxsize=256)
def _looks_like_ours(names: frozenset[str], marks: str) -> regex.Pattern[str]:
    """Return a pattern that matches shapes of lines that begin like a label of `names` or a mark.

    List numbers and times of day may stand before the name.
    """
    named = sorted({key for name in names for key in keys(name)})
    labels = "|".join(map(spelled, named)) or _NOTHING
    return regex.compile(
        rf"[\p{{M}}\p{{N}}{ENDS}{OPENING_LETTERS}]*"
        rf"(?:(?P<label>(?:{labels})[{ENDS}])|(?P<mark>{marks}))"
    )
