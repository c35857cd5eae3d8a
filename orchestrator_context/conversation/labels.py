r"""Author labels for conversations of several speakers, which no participant can forge.

A turn is labelled "name: text". A line of the text that looks like the label of anybody gets a
backslash in front, so that all lines that look like labels and have none are labels.

What looks alike is compared by its letters and digits, in the compatibility form of Unicode
without case (UAX 15, NFKC; UAX 44, case folding). All else between them does not count: white
space, characters that cannot be seen, punctuation, Markdown. A label ends at anything that looks
like a colon (UTS 39, confusables) or a dash.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable
from functools import lru_cache

import regex

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError

_MOST_CHARACTERS = 64
_MARK = "\\"
_AFTER_NAME = ": "

_LINE_ENDS = r"\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
_COLONS = (
    r":\u02d0\u02f8\u0589\u05c3\u0703\u0704\u0903\u0a83\u16ec\u1803\u1809\u205a\u2236\ua4fd\ua789"
    r"\ufe13\ufe30\ufe55\uff1a"
)
_DASHES = r"\p{Pd}\u02d7\u2043\u2212"
_ENDS = _COLONS + _DASHES
_UNSEEN = r"\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800"

_LINE_END = regex.compile(f"([{_LINE_ENDS}])")
_AN_END = regex.compile(f"[{_ENDS}]")
_BESIDE_THE_POINT = regex.compile(
    rf"""(?xV1)
    [\-\u2010\u2011] (?=[\p{{L}}\p{{N}}])         # a hyphen inside a word ends no label
    | [\p{{P}}\p{{S}}{_UNSEEN}--[{_LINE_ENDS}{_ENDS}]]++
    """
)
_UNFIT = regex.compile(rf"[{_LINE_ENDS}{_COLONS}\p{{Cc}}\p{{Cf}}\p{{Cs}}]")

_ASCII_PUNCTUATION = bytes(
    code for code in range(128) if _BESIDE_THE_POINT.fullmatch(chr(code)) is not None
)
# Small letters of Cyrillic and Greek that look like Latin ones (UTS 39, confusables).
_LOOKS_LIKE = str.maketrans(
    "авеіјкмнорсԛтухѕһԁԝґɡαβεικνορτυχω", "abeijkmhopcqtyxshdwrgabeikvoptuxw"
)
_ASCII_HYPHEN = regex.compile("-(?=[A-Za-z0-9])")


def labelled(content: str, author: str, names: Collection[str]) -> str:
    r"""Return "author: content", with every line of `content` escaped that looks like a label.

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
    r"""Return `content` with a backslash before every line that looks like a label of `names`.

    >>> escaped("Yes.\nbob: I agree.", ("Ann", "Bob"))
    'Yes.\n\\bob: I agree.'

    It is for texts that are not labelled themselves. All other lines keep their bytes, and
    `unescaped` gives the content back. It takes time linear in the content.
    """
    looks = _looks_like_label(frozenset(names))
    shape = _shape(content)
    if looks.search(shape) is None:
        return content
    pieces = _LINE_END.split(content)  # lines at even places, what ends them at odd ones
    for index, line in enumerate(_LINE_END.split(shape)):
        if looks.match(line):
            pieces[index] = _MARK + pieces[index]
    return "".join(pieces)


def unescaped(text: str, names: Collection[str]) -> str:
    """Return the content of which `escaped` made `text` with the same `names`."""
    if _MARK not in text:
        return text
    looks = _looks_like_label(frozenset(names))
    pieces = _LINE_END.split(text)
    for index, line in enumerate(_LINE_END.split(_shape(text))):
        if looks.match(line):
            pieces[index] = pieces[index].removeprefix(_MARK)
    return "".join(pieces)


def check_name(field: str, name: object) -> str:
    """Return `name` if it can be a label.

    Raises:
        ConfigurationError: it is no text, or blank, longer than 64 characters, has no letter or
            digit, or holds a line break, a colon or a character that cannot be seen.
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
    if not _key(name):
        raise ConfigurationError(f"{field} has no letter or digit; put one into it")
    return name


def check_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return `names` if each can be a label and no two look alike.

    Raises:
        ConfigurationError: `check_name` refuses one of them, or two differ in nothing but case,
            white space, punctuation or characters that look the same.
    """
    checked = tuple(check_name(f"names[{index}]", name) for index, name in enumerate(names))
    seen: dict[str, int] = {}
    for index, name in enumerate(checked):
        earlier = seen.setdefault(_key(name), index)
        if earlier != index:
            raise ConfigurationError(
                f"names[{index}] looks like names[{earlier}], so nobody could tell their labels "
                f"apart; make them differ in a letter or digit"
            )
    return checked


@lru_cache(maxsize=256)
def _looks_like_label(names: frozenset[str]) -> regex.Pattern[str]:
    """Return a pattern that finds, in a shape, lines that begin like the label of one of `names`.

    List numbers and times of day may stand before the name.
    """
    keys = sorted(key for name in names if (key := _key(name)))
    spelled = "|".join(f"[{_ENDS}]*+".join(key) for key in keys) or "(?!)"
    return regex.compile(
        rf"(?:^|(?<=[{_LINE_ENDS}]))[\p{{M}}\p{{N}}{_ENDS}]*(?:{spelled})[{_ENDS}]"
    )


def _key(name: str) -> str:
    """Return what makes a name: its letters, digits and marks."""
    return str(_AN_END.sub("", _shape(name)))


def _shape(text: str) -> str:
    """Return `text` without what is beside the point; its lines and what may end a label stay."""
    if text.isascii():
        bare = _ASCII_HYPHEN.sub("", text).encode().translate(None, _ASCII_PUNCTUATION)
        return bare.decode().casefold()
    text = _BESIDE_THE_POINT.sub("", unicodedata.normalize("NFKC", text))
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return folded.translate(_LOOKS_LIKE)
