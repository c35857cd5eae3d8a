"""What texts look like: their letters and digits, whatever alphabet and type they are written in.

Two texts look alike that have the same shape: their letters and digits in the compatibility form
of Unicode (UAX 15), without case (UAX 44) and without the accents of the Latin, Greek and Cyrillic
alphabets, and with every letter and digit that can be taken for a Latin one in its place (UTS 39,
and some more). All else between them does not count: white space, characters that cannot be seen,
punctuation, Markdown. A sign such as | may be punctuation or a letter, and the letters of a flag
may be seen as letters or as a mere ornament, so a shape keeps them, and `readings` says what they
can be read as.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

import regex

from orchestrator_context.conversation.confusables import LETTERS, SIGNS
from orchestrator_context.text import grapheme_break

LINE_ENDS: Final = r"\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
COLONS: Final = (
    r":\u02d0\u02d1\u02f8\u0589\u05c3\u0703-\u0709\u0903\u0a83\u1361\u1362\u1365\u1366\u16ec\u1803\u1804"
    r"\u1809\u205a\u2236\u2237\u223a\u2254\u2255\u2360\u2982\u2a74\u2af6\ua4fd\ua6f4\ua789\ufe13\ufe30"
    r"\ufe55\uff1a\U00010781\U00010782\U00011dd9\U0001da8a"
)
ENDS: Final = COLONS + r"\p{Pd}\u02d7\u2043\u2212"
"""What can end a label: anything that looks like a colon or a dash."""

_UNSEEN = r"\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800"
_ACCENTS = r"\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_ENCLOSED = r"\U0001f150-\U0001f169\U0001f170-\U0001f189\U0001ccd6-\U0001ccf9"  # or outlined
_LETTERS = range(26)
_OF_FLAGS = {0x1F1E6 + at: chr(ord("a") + at) for at in _LETTERS}
_READ_AS = SIGNS | _OF_FLAGS
_SIGNS = "".join(map(re.escape, map(chr, _READ_AS)))
_RARE_SIGN = re.compile(f"[{_SIGNS}](?<!\\|)")


def _beside_the_point(signs: str) -> regex.Pattern[str]:
    return regex.compile(
        rf"""(?xV1)
        [\-\u2010\u2011] (?=[\p{{L}}\p{{N}}])         # a hyphen inside a word ends no label
        | [\p{{P}}\p{{S}}{_ACCENTS}{_UNSEEN}--[{LINE_ENDS}{ENDS}{_ENCLOSED}{signs}]]++
        """
    )


_BESIDE_THE_POINT = _beside_the_point(r"\|")
_BESIDE_RARE_SIGNS = _beside_the_point(_SIGNS)  # it takes longer
_ASCII_PUNCTUATION = bytes(
    code for code in range(128) if _BESIDE_THE_POINT.fullmatch(chr(code)) is not None
)
_ASCII_HYPHEN = regex.compile("-(?=[A-Za-z0-9])")

_HYPHENS = "-\u2010\u2011"
_ENCLOSED_A = (0x1F150, 0x1F170)  # in a black circle, in a black square

_LOOKS_LIKE = LETTERS | {first + at: chr(ord("a") + at) for first in _ENCLOSED_A for at in _LETTERS}

_ALIKE = {"i": "[il1]", "l": "[il1]", "1": "[il1]", "o": "[o0]", "0": "[o0]"}
_STROKES = {code: looks.replace("l", "1") for code, looks in _READ_AS.items()} | {ord("0"): "o"}
_TO_STROKES = str.maketrans("il", "11")
_AN_END = regex.compile(f"[{ENDS}]")
_SIGN = re.compile(f"[{_SIGNS}]+")  # such sets take regex longer


def safe_break(text: str, at: int) -> int:
    r"""Return where `text` may end, at most at `at`, so that what is left looks like nothing new.

    That is between graphemes, and not behind a hyphen: inside a word it ends no label, and at the
    end of a line it does.

    >>> safe_break("Bob-cat: an animal", 4)
    3
    """
    at = grapheme_break(text, at)
    return len(text[:at].rstrip(_HYPHENS)) if 0 < at < len(text) else at


def shape(text: str) -> str:
    """Return what `text` looks like, with its lines and with what may end a label. Linear.

    >>> shape("**B\u043eb**: I agree.")
    'bob:iagree'
    """
    if text.isascii():
        letters = _ASCII_HYPHEN.sub("", text).encode().translate(None, _ASCII_PUNCTUATION)
        return letters.decode().casefold()
    text = unicodedata.normalize("NFKD", text)
    beside = _BESIDE_RARE_SIGNS if _RARE_SIGN.search(text) else _BESIDE_THE_POINT
    bare: str = beside.sub("", text)
    if bare.isascii():
        return bare.casefold()
    return unicodedata.normalize("NFKC", bare.translate(_LOOKS_LIKE).casefold())


def bare(text: str) -> str:
    """Return the shape of `text` without what may end a label, and without signs."""
    return without_signs(_AN_END.sub("", shape(text)))


def without_signs(shaped: str) -> str:
    """Return a shape without its signs."""
    return shaped.replace("|", "") if shaped.isascii() else _SIGN.sub("", shaped)


def readings(shaped: str) -> Iterator[str]:
    """Yield what the shape of a line can be read as: without its signs, or with letters for them.

    Those at its beginning and before what may end a label are read either way.

    >>> list(readings("|a|ice:"))
    ['aice:', 'lalice:', 'alice:']
    """
    begun = (shaped, _unsigned(shaped))
    ended = map(_without_last_signs, begun)
    lettered = (line.translate(_READ_AS) for line in (*begun, *ended))
    yield from dict.fromkeys((without_signs(shaped), *lettered))


def _unsigned(shaped: str) -> str:
    """Return a shape without the signs at its beginning."""
    signs = _SIGN.match(shaped)
    return shaped[signs.end() :] if signs else shaped


def _without_last_signs(shaped: str) -> str:
    """Return a shape without the signs before what may end a label."""
    return _SIGN.sub(lambda signs: "" if _AN_END.match(shaped, signs.end()) else signs[0], shaped)


def keys(name: str) -> frozenset[str]:
    """Return the shapes of a name without ends: with its signs and without, and in other cases.

    The case of a letter may decide what it looks like: a small Greek nu is a v, a capital one an N.
    """
    shapes = [_AN_END.sub("", shape(cased)) for cased in (name, name.lower(), name.upper())]
    return frozenset(read for shaped in shapes for read in readings(shaped) if read)


def skeleton(text: str) -> str:
    """Return what texts have in common that can be taken for each other, letter by letter.

    That is the bare shape, with letters for signs, a 1 for a capital I and all else that is a mere
    stroke, one letter for O and 0, and one for m and rn.

    >>> skeleton("B0b"), skeleton("KAI"), skeleton("Ka|")
    ('bob', 'ka1', 'ka1')
    """
    capital = unicodedata.normalize("NFKD", text).replace("I", "1")
    return _AN_END.sub("", shape(capital)).translate(_STROKES).replace("rn", "m")


def strokes(skeleton: str) -> str:
    """Return a skeleton with a stroke for every small i and l."""
    return skeleton.translate(_TO_STROKES)


def told_apart(one: str, other: str) -> bool:
    """Return whether two skeletons of the same strokes have an i and an l in the same place.

    A mere stroke can be either of them.

    >>> told_apart(skeleton("Kai"), skeleton("Kal")), told_apart(skeleton("Bill"), skeleton("B|ll"))
    (True, False)
    """
    return any({*pair} == {"i", "l"} for pair in zip(one, other, strict=True))


def spelled(key: str) -> str:
    """Return a pattern that finds what looks like `key`, a shape without ends, in a shape.

    A capital I, a small l and a 1 look alike, and so do O and 0, and m and rn.
    """
    between = f"[{ENDS}]*+"
    alike = _ALIKE | {"m": f"(?:m|r{between}n)"}
    return between.join(alike.get(char, regex.escape(char)) for char in key.replace("rn", "m"))
