"""Words of text in any script, for lexical matching.

All functions are pure and take time linear in the text. Unicode properties are those of the `regex`
package.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from importlib import import_module

import regex

__all__ = ["raw_words", "stemmed", "words"]

_UNSPACED = (
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}ー々〆〇"
    r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Javanese}\p{Balinese}\p{Tai_Tham}\p{Yi}]"
)
_SYMBOL = (  # ASCII has operators, and tables are drawn with boxes: no one asks for these
    r"[\p{S}--[\x00-\x7f\p{Block=Box_Drawing}\p{Block=Block_Elements}\p{Emoji_Modifier}\ufffd]]"
    r"[\ufe0e\ufe0f\p{Emoji_Modifier}\U000e0020-\U000e007f]{0,8}"
)
_WORD = regex.compile(
    r"(?V1)(?![\p{M}\p{Join_Control}])\w{1,128}(?:['’‐-]\w{1,64}){0,4}"
    rf"|\p{{RI}}{{2}}|{_SYMBOL}(?:\u200d{_SYMBOL}){{0,8}}"
)
_LOOK = regex.compile(r"[\ufe0e\ufe0f\u20e3\p{Emoji_Modifier}]")  # skin tones, and how it is drawn
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]{1,128}(?:['-][A-Za-z0-9_]{1,64}){0,4}")
_SPACED_OR_NOT = regex.compile(rf"(?P<pairs>{_UNSPACED}++)|(?:(?!{_UNSPACED}).)++")
_JOINT = re.compile("['’‐-]")
_POSSESSIVE = ("'s", "'S", "’s", "’S")
_PART = regex.compile(r"\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[^\p{Lu}_]++|\p{Lu}++[^\p{L}_]*+")
_ASCII_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^A-Z_]++|[A-Z]++[^A-Za-z_]*+")
_LONGEST_CACHED = 32
_MOST_PARTS = 12  # more of them are no identifier but base64


def words(text: str, *, stem: bool = False) -> list[str]:
    """Return the words of `text` for lexical matching, in order, the same way for query and text.

    Words are compatibility-normalised (NFKC) and case-folded. Compound words give the joined form
    and then the parts: `parseHTTPReply` gives `parsehttpreply, parse, http, reply`. Scripts
    written without spaces, and Hangul, give overlapping pairs of characters; one that stands alone
    gives itself. So do an emoji, whatever its skin tone, a flag, and each symbol outside of ASCII.
    Runs of over 128 characters are cut.

    Args:
        text: any script, prose or code.
        stem: whether English endings are taken off words in ASCII letters (Snowball).
    """
    result: list[str] = []
    for raw in raw_words(text):
        result.extend(_analysed(raw) if len(raw) <= _LONGEST_CACHED else _analyse(raw))
    return [stemmed(word) for word in result] if stem else result


def raw_words(text: str) -> list[str]:
    """Return the words of `text` as they are spelled there, NFKC apart.

    Those of `words` are the words of each of them, in order, so a caller may remember these.
    """
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return _WORD.findall(unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=32_768)
def _analysed(raw: str) -> tuple[str, ...]:
    return tuple(_analyse(raw))


def _analyse(raw: str) -> list[str]:
    if raw.isascii():
        return _identifier(raw)
    result: list[str] = []
    for run in _SPACED_OR_NOT.finditer(_LOOK.sub("", raw)):
        result += _pairs(run[0]) if run["pairs"] else _identifier(run[0])
    return result


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(max(1, len(run) - 1))]


def _identifier(raw: str) -> list[str]:
    """Return the folded word and, where it is put together, its parts."""
    if raw.isalnum() and (raw.islower() or raw.isupper() or raw[1:].islower()):
        return [_folded(raw)]
    bare = raw[:-2] if raw.endswith(_POSSESSIVE) else raw
    pieces = [piece for piece in _JOINT.split(bare.strip("_")) if piece]
    part_of = _ASCII_PART if raw.isascii() else _PART
    parts = [_folded(part) for piece in pieces for part in part_of.findall(piece)]
    whole = _folded("".join(pieces))
    if len(parts) > _MOST_PARTS:
        return [whole]
    return parts if len(parts) == 1 or not whole else [whole, *parts]


def _folded(word: str) -> str:
    return word.lower() if word.isascii() else unicodedata.normalize("NFKC", word.casefold())


_stemmer_lock = threading.Lock()  # a stemmer keeps the word it works on in itself


@cache
def _stemmer() -> Callable[[str], str]:
    """Return the English stemmer, loaded when it is first needed: its package holds all others."""
    stem: Callable[[str], str] = import_module("snowballstemmer").stemmer("english").stemWord
    return stem


@lru_cache(maxsize=32_768)
def stemmed(word: str) -> str:
    """Return a word without its English ending."""
    if not (word.isascii() and word.isalpha()) or len(word) > _LONGEST_CACHED:
        return word
    with _stemmer_lock:
        return _stemmer()(word)
