"""Lines: each judged by its looks, because nobody says what language a text is in.

A line is prose or code, or there is nothing in it to read. What is neither code nor empty is prose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

import regex

_LONGEST_CODE_CHARACTERS = 400  # a longer line is data, or prose


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its indentation, comment sign and bullet.

    Attributes:
        text: what remains.
        kind: "blank" where there is no letter and no digit.
        indent: characters before the first that is seen.
        sign: the comment sign that was taken off.
        item: it begins a list item or an entry with a date.
    """

    text: str
    kind: Literal["prose", "code", "blank"]
    indent: int = 0
    sign: str = ""
    item: bool = False


_FENCE = re.compile(r"\s*(?:`{3}|~{3})")
_SEEN = regex.compile(r"[\p{L}\p{N}]")
_SIGN = re.compile(
    r"""(?P<sign> [rRbBuU]?(?:\"{3}|'{3}) | (?:\#{1,6}!?|/{2,}!?|/\*+!?|--|;+|%+|>+)(?=\s) )\s*""",
    re.VERBOSE,
)
_STAR = re.compile(r"(?P<sign>\*)\s+")
_CLOSING_SIGN = re.compile(r"""\s*(?:\"{3}|'{3}|\*+/)$|\s+[*#]$""")
_BULLET = re.compile(
    r"""[-*+•‣▪–]\s+
    | (?= (?:\d{1,3}|[a-z])[.)]\s | \(\w{1,3}\)\s          # a number, which stays
        | [\[(<]?\d{2,4}[-/.:]\d{1,2}[-/.:T]\d )           # a date or time, which stays too
    """,
    re.VERBOSE,
)
_REMARK = re.compile(r"(?<=\S)\s+(?:#|//)\s.*")
_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Khmer}\p{Lao}\p{Myanmar}]{2}"
)
_PLAIN_WORD = regex.compile(
    r"""[("'“‘«¿¡\[`*_]*+ [\p{L}\p{M}]+(?:['’‐-][\p{L}\p{M}]+)*+ [.,;:!?)"'”’»\]…`*_]*+
    | [–—&-] | \d+[.,)]?""",
    regex.VERBOSE,
)
_CODE = re.compile(
    r"""
      (?: if|elif|else|for|foreach|while|until|with|try|except|finally|async|def|class|switch|case
        | match|do|catch|fn|func|fun|function|struct|enum|impl|trait|interface|namespace|unless
      ) \b .* [:{] $                                               # opens a block
    | (?:if|elif|while|for|switch|catch|return) \s* \(             # a condition
    | (?: return|raise|import|from|yield|await|assert|pass|break|continue|del|global|nonlocal|let
        | const|var|throw|goto|use|using|package|export|public|private|protected|static|defer|end
      ) \b (?:\s+\S+){0,5}+ $ (?<![.!?])                           # a short statement
    | (?:raise|return|throw|yield|await|assert) \b .* [)\]}'"];? $ # one that ends in code
    | (?:[\w.$\[\]'"*<>:&]+,?\s){0,2}? [\w.$\[\]'"*]+ \s?
        (?:[-+*/|&^%:<>]|\*\*|//)? = (?!=) \s?\S                   # an assignment
    | ["'][\w .-]+["'] \s* : (?:\s|$)                              # a key
    | @[\w.]+ (?:\(.*)? $                                          # a decorator
    | [})\]|{]                                                     # an end, a row
    | (?:>>>|\.\.\.|\$) \s                                         # a prompt
    | [\w.]+ \( (?: .*\) [;,]? | [^)]* ) $                         # a call, or its first line
    | (?:async\s+)? (?:def|fn|func|function) \s+ \w+ \s* \(         # a signature
    | (?:[bfru]{0,2}'[^']*'|[bfru]{1,2}"[^"]*"|"[^"]*"[,;)\]}]) [,;)\]}]* $  # a string
    | .* [{(\[\\] $                                                # goes on in the next line
    """,
    re.VERBOSE,
)


def read_lines(text: str) -> list[Line]:
    """Return the lines of `text`. Linear in the text."""
    raws = text.splitlines()
    fenced = _fenced(raws)
    lines: list[Line] = []
    starred = False  # inside a comment whose lines may begin with a star
    for raw, inside in zip(raws, fenced, strict=True):
        line = _line(raw, starred=starred, fenced=inside)
        if line.text == "{" and lines and lines[-1].kind != "blank":
            lines[-1] = replace(lines[-1], text=lines[-1].text + " {", kind="code", item=False)
        lines.append(line)
        starred = (starred or line.sign.startswith("/*")) and "*/" not in raw
    return lines


def _fenced(raws: list[str]) -> list[bool]:
    """Return for each line whether it stands between two code fences."""
    fences = [number for number, raw in enumerate(raws) if _FENCE.match(raw)]
    inside = [False] * len(raws)
    if len(fences) % 2 == 0:  # else the text was cut inside of a block, and nobody knows which
        for opened, closed in zip(fences[::2], fences[1::2], strict=True):
            inside[opened + 1 : closed] = [True] * (closed - opened - 1)
    return inside


def _line(raw: str, *, starred: bool, fenced: bool) -> Line:
    body = raw.strip()
    indent = len(raw) - len(raw.lstrip())
    if not _SEEN.search(body) or _FENCE.match(raw):
        return Line(body, "blank", indent, "/*" if body.startswith("/*") else "")
    if fenced:
        return Line(body, "code", indent)
    found = (starred and _STAR.match(body)) or _SIGN.match(body)
    sign = found["sign"] if found else ""
    text = _CLOSING_SIGN.sub("", body[found.end() :] if found else body)
    if not _SEEN.search(text):
        return Line(text, "blank", indent, sign)
    if looks_like_code(text):
        return Line(text, "code", indent, sign)
    bullet = _BULLET.match(text)
    return Line(text[bullet.end() :] if bullet else text, "prose", indent, sign, bool(bullet))


def looks_like_code(text: str) -> bool:
    """Return whether a line is code: it has the form of a statement, or few plain words."""
    if len(text) > _LONGEST_CODE_CHARACTERS or _UNSPACED.search(text):
        return False
    text = _REMARK.sub("", text)
    if _CODE.match(text):
        return True
    parts = text.split()
    return 2 * sum(_PLAIN_WORD.fullmatch(part) is not None for part in parts) < len(parts)
