"""What texts look like: their letters and digits, whatever alphabet and type they are written in.

Two texts look alike that have the same shape: their letters and digits in the compatibility form
of Unicode (UAX 15), without case (UAX 44) and without the accents of the Latin, Greek and Cyrillic
alphabets, and with every letter that can be taken for a Latin one in its place (UTS 39, the
confusables of Unicode 15.1). All else between them does not count: white space, characters that
cannot be seen, punctuation, Markdown.
"""

from __future__ import annotations

import unicodedata
from typing import Final

import regex

from orchestrator_context.text import grapheme_break

LINE_ENDS: Final = r"\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
COLONS: Final = (
    r":\u02d0\u02f8\u0589\u05c3\u0703\u0704\u0903\u0a83\u16ec\u1803\u1809\u205a\u2236\ua4fd\ua789"
    r"\ufe13\ufe30\ufe55\uff1a"
)
ENDS: Final = COLONS + r"\p{Pd}\u02d7\u2043\u2212"
"""What can end a label: anything that looks like a colon or a dash."""

_UNSEEN = r"\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800"
_ACCENTS = r"\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_ENCLOSED = r"\U0001f150-\U0001f169\U0001f170-\U0001f189\U0001f1e6-\U0001f1ff"
_BESIDE_THE_POINT = regex.compile(
    rf"""(?xV1)
    [\-\u2010\u2011] (?=[\p{{L}}\p{{N}}])         # a hyphen inside a word ends no label
    | [\p{{P}}\p{{S}}{_ACCENTS}{_UNSEEN}--[{LINE_ENDS}{ENDS}{_ENCLOSED}]]++
    """
)
_ASCII_PUNCTUATION = bytes(
    code for code in range(128) if _BESIDE_THE_POINT.fullmatch(chr(code)) is not None
)
_ASCII_HYPHEN = regex.compile("-(?=[A-Za-z0-9])")

# A Latin letter, and the letters that look like it: those of UTS 39 that no compatibility form
# covers, and the small letters of Cyrillic and Greek that look like small capitals.
_CONFUSABLES = """
a ɑΑαАаᎪᗅꓮ𐊠𖽀
b ƄΒβВЬвᏏᏴᑲᖯᗷꓐꞴ𐊂𐊡𐌁
c СсᏟᴄⲤⲥꓚꮯ𐊢𐌂𐐕𐐽𐔜
d ԁᎠᏧᑯᗞᗪꓒꓓ
e ΕεЕеҽᎬⴹꓰꬲ𐊆𑢦𑢮
f ϜքᖴẝꓝꞘꞙꬵ𐊇𐊥𐔥𑢢𑣂
g ƍɡԌցᏀᏳᶃꓖ
h ΗНнһհᎻᏂᕼⲎꓧ𐋏
i ıɩɪιіӏᎥꙇꭵ𑣃
j ͿϳЈјᎫᒍꓙꞲ
k ΚκКкᏦᛕⲔꓗ𐔘
l ƖǀΙІӀᏞᒪᛁⲒⳐⵏꓡꓲ𐊊𐌉𐐛𐔦𑢣𑢲𖼖𖼨
m ΜϺМмᎷᗰᛖⲘꓟ𐊰𐌑
n ΝηոռⲚꓠ𐔓
o ΟοσОоՕօଠഠဝჿዐᴏᴑⲞⲟⵔꓳꬽ𐊒𐊫𐐄𐐬𐓂𐓪𐔖𑢵𑣈𑣗
p ΡρРрᏢᑭⲢⲣꓑ𐊕
q ԛգզⵕ
r ƦгґᎡᏒᖇᴦⲅꓣꭇꭈꮁ𐒴𖼵
s ƽЅѕՏᏕᏚꓢꜱꮪ𐊖𐐠𐑈𑣁𖼺
t ΤτТтᎢⲦꓔ𐊗𐊱𐌕𑢼𖼊
u ʋυՍսሀᑌᴜꓴꞟꭎꭒ𐓎𐓶𑢸𑣘𖽂
v νѴѵᏙᐯᴠⴸꓦꛟꮩ𐔝𑜆𑢠𑣀𖼈
w ɯωѡԜԝաᎳᏔᴡꓪꮃ𑜊𑜎𑜏
x ΧχХхᕁᕽᚷⲬⵝꓫꞳ𐊐𐊴𐌗𐔧
y ɣʏΥγУуҮүყᎩᎽᶌỿⲨꓬꭚ𐊲𑢤𑣜𖽃
z ΖᏃᴢꓜꮓ𑢩𑣄
"""
_HYPHENS = "-\u2010\u2011"
_ENCLOSED_A = (0x1F150, 0x1F170, 0x1F1E6)  # in a black circle, in a black square, of a flag
_LETTERS = range(26)

_LOOKS_LIKE = {ord(char): row[0] for row in _CONFUSABLES.split("\n") if row for char in row[2:]} | {
    first + at: chr(ord("a") + at) for first in _ENCLOSED_A for at in _LETTERS
}

_ALIKE = {"i": "[il1]", "l": "[il1]", "1": "[il1]", "o": "[o0]", "0": "[o0]"}
_FIRST_OF_ALIKE = str.maketrans("10", "lo")
_AN_END = regex.compile(f"[{ENDS}]")


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
    bare: str = _BESIDE_THE_POINT.sub("", unicodedata.normalize("NFKD", text))
    if bare.isascii():
        return bare.casefold()
    return unicodedata.normalize("NFKC", bare.translate(_LOOKS_LIKE).casefold())


def bare(text: str) -> str:
    """Return the shape of `text` without what may end a label."""
    return str(_AN_END.sub("", shape(text)))


def skeleton(text: str) -> str:
    """Return what texts have in common that can be taken for each other, letter by letter.

    That is the bare shape, with one letter for a capital I, a small l and a 1, one for O and 0, and
    one for m and rn. A small i is none of them, but in a shape nobody can tell it from a capital.

    >>> skeleton("B0b"), skeleton("KAI"), skeleton("Kai")
    ('bob', 'kal', 'kai')
    """
    capital = unicodedata.normalize("NFKD", text).replace("I", "l")
    return bare(capital).translate(_FIRST_OF_ALIKE).replace("rn", "m")


def spelled(key: str) -> str:
    """Return a pattern that finds what looks like `key`, a shape without ends, in a shape.

    A capital I, a small l and a 1 look alike, and so do O and 0, and m and rn.
    """
    between = f"[{ENDS}]*+"
    alike = _ALIKE | {"m": f"(?:m|r{between}n)"}
    return between.join(alike.get(char, regex.escape(char)) for char in key.replace("rn", "m"))
