"""Reading text of any script: clean it, and find where it may be cut.

All functions are pure and take time linear in the text. Unicode properties and grapheme clusters
are those of the `regex` package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import regex

__all__ = [
    "clean",
    "grapheme_break",
    "is_blank",
    "is_title_only",
    "sentences",
]

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
    r"""(?x)
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


_THAI = re.compile("[\u0e01-\u0edf]")
_STOPS = ".!?…"  # end a sentence where white space follows
_FULL_STOPS = "。！？｡؟۔।॥།༎။።។։"  # always do
_MAYBE_END = re.compile(  # begins with one set of characters, which is fast to look for
    rf"[{_STOPS}{_FULL_STOPS}\n](?:(?<=[{_STOPS}])[{_STOPS}]*|(?<=[{_FULL_STOPS}])[{_FULL_STOPS}]*|)"
)
_MAYBE_END_THAI = re.compile(rf"{_MAYBE_END.pattern}|(?<=[\u0e01-\u0edf])[ \t]+(?=[\u0e01-\u0edf])")
_CLOSING = r"""[\p{Pe}\p{Pf}"'*_]*+"""
_BEHIND_STOP = regex.compile(rf"(?P<closing>{_CLOSING})\s++")
_BEHIND_FULL_STOP = regex.compile(rf"[{_STOPS}]*+{_CLOSING}\s*+")
_BEHIND_LINE = regex.compile(r"(?=[^\S\n]*+(?:\n|[-*+•‣▪–—#|>]|\d{1,9}[.)]|[`~]{3}|\[|\Z))\s*+")
_LINE_OF_ITS_OWN = regex.compile(r"[^\S\n]*+(?:\#{1,6}\s|\||[`~]{3})")
_WHITE_SPACE = regex.compile(r"\s*+")
_LAST_WORD = regex.compile(r"(?r)[\p{L}\p{N}.]{1,24}")
_INITIALS = regex.compile(r"(?:\p{Lu}\.)*\p{Lu}")
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
    blank line, a list and a quotation, and around a heading, a table row and a code fence. Thai and
    Lao, which have no full stop, are cut at spaces.
    """
    thai = not text.isascii() and _THAI.search(text)
    maybe_end = _MAYBE_END_THAI if thai else _MAYBE_END
    start = 0
    for found in maybe_end.finditer(text):
        end = _end(text, found) if found.start() >= start else None
        if end is not None:
            yield start, end
            start = end
    if start < len(text):
        yield start, len(text)


def _end(text: str, found: re.Match[str]) -> int | None:
    """Return where the sentence ends that `found` may close, white space included."""
    mark = found[0][0]
    if mark in " \t":
        return found.end()
    if mark == "\n":
        alone = _LINE_OF_ITS_OWN.match(text, text.rfind("\n", 0, found.start()) + 1)
        behind = (_WHITE_SPACE if alone else _BEHIND_LINE).match(text, found.end())
    elif mark in _FULL_STOPS:
        behind = _BEHIND_FULL_STOP.match(text, found.end())
    else:
        behind = _BEHIND_STOP.match(text, found.end())
        if behind is not None and not _closes(text, found, behind):
            return None
    return None if behind is None else behind.end()


def _closes(text: str, stop: re.Match[str], behind: regex.Match[str]) -> bool:
    if behind[0].count("\n") > 1:
        return True
    if text[behind.end() : behind.end() + 1].islower():
        return False
    if stop[0] != "." or behind["closing"]:
        return True
    last = _LAST_WORD.match(text, max(0, stop.start() - 24), stop.start())
    word = "" if last is None else last[0].strip(".")
    if word.isdigit() and text.endswith("\n" + word, 0, stop.start()):
        return False  # the number of a list
    return _INITIALS.fullmatch(word) is None and word.casefold() not in _ABBREVIATIONS
