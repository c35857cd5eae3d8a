"""Reading text of any script: clean it, find where it may be cut, split it into words.

All functions are pure and take time linear in the text. Unicode properties and grapheme clusters
are those of the `regex` package.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import regex
import snowballstemmer

__all__ = ["clean", "grapheme_break", "is_blank", "is_title_only", "sentences", "words"]

_CRLF = re.compile(r"(?<!\r)\r++\n")
_SURROGATE = re.compile("[\ud800-\udfff]")
_VISIBLE = regex.compile(r"[^\s\p{Z}\p{Cc}\p{Cf}]")


def clean(text: str) -> str:
    r"""Return `text` as every model may receive it, or the same object where nothing is wrong.

    Leading byte order marks go, CRLF becomes LF (so does CR CR LF, which a second conversion on
    Windows leaves behind; a lone CR stays), NUL and lone surrogates become U+FFFD. The two halves
    of a surrogate pair become the character they stand for. Cleaning twice changes nothing more.
    """
    if text.startswith("\ufeff"):
        text = text.lstrip("\ufeff")
    if "\r\n" in text:
        text = _CRLF.sub("\n", text) if "\r\r\n" in text else text.replace("\r\n", "\n")
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    if not text.isascii() and _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def is_blank(text: str) -> bool:
    """Return whether there is nothing to see: white space, control and format characters only."""
    return _VISIBLE.search(text) is None


_TITLE_LINES = regex.compile(
    r"""(?mx)
    [^\S\n]*+ (?:\n|\Z)                                           # a blank line
    | [ ]{0,3}\#{1,6} (?:[ \t][^\n]{0,200})? (?:\n|\Z)            # ATX
    | (?P<over>[!-/:-@\[-`{-~]) (?P=over){2,} [ \t]*+ \n          # rst, with an overline
      [^\n]{1,200} \n (?P=over){3,} [ \t]*+ (?:\n|\Z)
    | (?=[^\n]*?[\p{L}\p{N}]) [^\n]{1,200} \n                     # setext and rst
      (?: [ ]{0,3}=++ | [ ]{0,3}-++ | (?P<under>[!-/:-@\[-`{-~]) (?P=under){2,} ) [ \t]*+ (?:\n|\Z)
    """
)


def is_title_only(text: str) -> bool:
    """Return whether `text` is headings and blank lines only, with at least one heading.

    Headings are those of Markdown (`# Title` and underlined) and reStructuredText, up to 200
    characters long. A line of plain text is no heading. Comment lines of a program begin with `#`
    too, so this is a question for prose.
    """
    at, headings = 0, 0
    while at < len(text):
        line = _TITLE_LINES.match(text, at)
        if line is None or line.end() == at:
            return False
        headings += not line[0].isspace()
        at = line.end()
    return headings > 0


# A grapheme cluster boundary stands between the two characters of each of these pairs whatever
# comes before them (UAX 29, rules GB4 to GB13): only the pairs named there belong together.
_CERTAIN_BREAK = regex.compile(
    r"""(?rx)
    [\p{GCB=Other}\p{GCB=Control}\n\p{GCB=LV}\p{GCB=LVT}\p{GCB=V}\p{GCB=T}]
    [\p{GCB=Other}\p{GCB=Control}\r\n\p{GCB=LV}\p{GCB=LVT}\p{GCB=L}\p{GCB=Prepend}\p{GCB=RI}]
    | \p{GCB=RI} [\p{GCB=Other}\p{GCB=Control}\r\n\p{GCB=LV}\p{GCB=LVT}\p{GCB=L}\p{GCB=Prepend}]
    | [\p{GCB=Extend}\p{GCB=SpacingMark}] [\x20-\x7e\n]
    """
)
_CLUSTER = regex.compile(r"\X")
_LOOK_BACK = (32, 512, 8192)


def grapheme_break(text: str, at: int) -> int:
    """Return the greatest boundary between grapheme clusters that is not above `at`.

    Looks at no more than 8,192 characters before `at`, so the cost does not depend on the length
    of the text. Where a cluster, or a run of flags, began even earlier, `at` itself is returned:
    a boundary between code points, which is always valid text.
    """
    if at <= 0:
        return 0
    if at >= len(text):
        return len(text)
    for look_back in _LOOK_BACK:
        known = _certain_break(text, at, look_back)
        if known is not None:
            return _last_break(text, known, at)
    return at


def _certain_break(text: str, at: int, look_back: int) -> int | None:
    low = max(0, at - look_back)
    pair = _CERTAIN_BREAK.search(text, low, at + 1)
    if pair is not None:
        return pair.start() + 1
    return 0 if low == 0 else None


def _last_break(text: str, start: int, at: int) -> int:
    for cluster in _CLUSTER.finditer(text, start, at + 1):
        if cluster.end() > at:
            return cluster.start()
    return at


_SENTENCE_END = regex.compile(
    r"""(?x)
    (?<![.!?…]) (?P<stop> [.!?…]++ ) (?P<close> [\p{Pe}\p{Pf}"'*_]*+ ) \s++         # needs a space behind it
    | [。！？｡؟۔।॥።។။։༎]++ [\p{Pe}\p{Pf}"'.!?…]*+ \s*+                # does not
    | (?<=[\p{Thai}\p{Lao}]) [^\S\n]++ (?=[\p{Thai}\p{Lao}])
    | \n (?= [^\S\n]*+ (?: \n | [-*+•‣▪–—#|>] | \d{1,9}[.)] | [`~]{3} | \[ ) ) \s*+
    """
)
_LAST_WORD = regex.compile(r"(?r)[\p{L}\p{N}.]{1,24}")
_ABBREVIATIONS = frozenset(
    "a.d al appt approx apr art aug ave b.c bd bzw ca capt cf ch chr cmd co col corp d.h dec dept "
    "dipl dr ed eds e.g eq eqs esp est ext feb fig figs fr gen gov hon hr i.e inc ing jan jr jul "
    "jun lt ltd m.a maj mar max messrs min mlle mme mr mrs ms mt nn no nos nov nr oct op p pp ph.d "
    "pl prof pt pvt ref refs rep rev resp s sec sect sen sep sept sgt sr st str tab tel u.a univ "
    "usw v viz vol vols vs z.b ст г гг др им тов т.е т.д т.п ул см рис стр".split()
)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences; put together they are the text.

    White space behind a sentence belongs to it. A full stop ends none behind an abbreviation, an
    initial or the number of a list, nor before a small letter. A line break ends one before a
    blank line, a list, a heading, a table, a quotation and a code fence.
    """
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if end["stop"] is None or _is_end(text, end):
            yield start, end.end()
            start = end.end()
    if start < len(text):
        yield start, len(text)


def _is_end(text: str, end: regex.Match[str]) -> bool:
    if "\n" in end[0] and end[0].count("\n") > 1:
        return True
    following = text[end.end() : end.end() + 1]
    if following.islower():
        return False
    if end["stop"] != "." or end["close"]:
        return True
    last = _LAST_WORD.match(text, max(0, end.start() - 24), end.start())
    word = "" if last is None else last[0].rstrip(".")
    initial = len(word) == 1 and word.isupper() or regex.fullmatch(r"(?:\p{Lu}\.)+\p{Lu}", word)
    number = word.isdigit() and text.endswith("\n" + word, 0, end.start())
    return not (initial or number or word.casefold() in _ABBREVIATIONS)


_UNSPACED = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}ー々〆〇"
    r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Javanese}\p{Balinese}\p{Tai_Tham}\p{Yi}"
)
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]{1,128}(?:['-][A-Za-z0-9_]{1,64}){0,4}")
_WORD = regex.compile(
    rf"[{_UNSPACED}&&[\p{{L}}\p{{M}}\p{{N}}]]{{1,256}}"
    rf"|[[\p{{L}}\p{{M}}\p{{N}}_]--[{_UNSPACED}]]{{1,128}}"
    rf"(?:['’‐-][[\p{{L}}\p{{M}}\p{{N}}_]--[{_UNSPACED}]]{{1,64}}){{0,4}}",
    regex.V1,
)
_UNSPACED_RUN = regex.compile(rf"[{_UNSPACED}]+")
_JOINTS = re.compile("['’‐-]")
_PARTS = regex.compile(
    r"\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|[\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{N}+"
)


def words(text: str, *, stem: bool = False) -> list[str]:
    """Return the words of `text` for lexical matching, in order, the same way for query and text.

    Words are compatibility-normalised (NFKC) and case-folded. Compound words give the joined form
    and then the parts: `parseHTTPReply` gives `parsehttpreply, parse, http, reply`. Scripts
    written without spaces, and Hangul, give overlapping pairs of characters; one that stands alone
    gives itself. Runs of over 128 characters are cut.

    Args:
        text: any script, prose or code.
        stem: whether English endings are taken off words in ASCII letters (Snowball).
    """
    if text.isascii():
        found: list[str] = _ASCII_WORD.findall(text)
    else:
        found = _WORD.findall(unicodedata.normalize("NFKC", text))
    result: list[str] = []
    for raw in found:
        result.extend(_analysed(raw))
    return [_stemmed(word) for word in result] if stem else result


@lru_cache(maxsize=65_536)
def _analysed(raw: str) -> tuple[str, ...]:
    if raw.isascii() and raw.isalpha() and (raw.islower() or raw[1:].islower()):
        return (raw.lower(),)
    if _UNSPACED_RUN.fullmatch(raw):
        return tuple(raw[i : i + 2] for i in range(max(1, len(raw) - 1)))
    if raw[-2:] in ("'s", "’s", "'S", "’S"):
        raw = raw[:-2]
    pieces = [piece for piece in _JOINTS.split(raw) if piece.strip("_")]
    parts = [_folded(part) for piece in pieces for part in _PARTS.findall(piece)]
    whole = _folded("".join(pieces))
    if len(pieces) == 1 or len(parts) < 2:
        whole = _folded(pieces[0]).strip("_") if pieces else ""
    return tuple(parts) if whole in parts or not whole else (whole, *parts)


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word.casefold())


_stemmer = snowballstemmer.stemmer("english")
_stemmer_lock = threading.Lock()  # a stemmer keeps the word it works on in itself


@lru_cache(maxsize=65_536)
def _stemmed(word: str) -> str:
    if not (word.isascii() and word.isalpha()) or len(word) > 32:
        return word
    with _stemmer_lock:
        return str(_stemmer.stemWord(word))
