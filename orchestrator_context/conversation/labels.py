r"""Author labels and marks of the library, which no participant can forge.

A turn is labelled "name: text". A line of the text that looks like the label of anybody gets a
backslash in front, and so does one that looks like a mark of this library, such as the heading of
a summary. So all lines that look like labels or marks and have no backslash are what they look
like. What looks alike is for `lookalikes` to say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from typing import Final, TypeGuard, cast

import regex

from orchestrator_context.conversation.lookalikes import (
    ENDS,
    LINE_ENDS,
    keys,
    readings,
    shape,
    spelled,
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

LONGEST_NAME: Final = 64  # characters
_ESCAPE = "\\"
_AFTER_NAME = ": "

_LINE_END = regex.compile(f"([{LINE_ENDS}])")
_LINE_ENDS = regex.compile(f"[{LINE_ENDS}]+")
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
    return isinstance(name, str) and 0 < len(name) <= LONGEST_NAME


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
