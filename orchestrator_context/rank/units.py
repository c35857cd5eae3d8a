"""Units: the smallest pieces of a text that can be quoted and still say something.

A sentence of prose, of a docstring or of a comment; a statement of code, with the line that opens
its block; a list item; a row; a heading; a definition line. Nobody says what language a text is
in, so each line is judged by its looks, and what is neither code nor empty is prose.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import regex

from orchestrator_context.text import grapheme_break, sentences

Kind = Literal["prose", "code", "name"]

GAP = " … "
"""Stands between quoted pieces where something was left out."""

_LONGEST_UNIT_CHARACTERS = 800
_LONGEST_LABEL_CHARACTERS = 80
_LONGEST_HEADING_CHARACTERS = 80
_LONGEST_STATEMENT_LINES = 24
_JUDGED_CHARACTERS = 400  # the beginning of a line tells what it is
_WRAPPED_CHARACTERS = range(40, 161)  # widths of text that was wrapped, not written line by line


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable piece of a passage.

    Attributes:
        text: its lines joined to one, without comment signs and bullets.
        passage: index of the passage it stands in.
        order: its position among all units.
        kind: a sentence, a statement, or the name of something: a heading or definition line.
        label: what it stands under: a dotted name for code, else a heading; "" where nothing.
        opening: it is the first sentence under its label.
    """

    text: str
    passage: int
    order: int
    kind: Kind = "prose"
    label: str = ""
    opening: bool = False


def units(passages: Sequence[str], *, title: str = "") -> list[Unit]:
    """Return the units of consecutive passages of one document, in order. Linear in the text.

    Args:
        passages: they may be cut anywhere; what a passage stands under is carried over.
        title: label of units that stand under nothing.
    """
    scope = _Scope(title)
    found: list[Unit] = []
    for passage, text in enumerate(passages):
        for block in _blocks(_lines(text)):
            label, opening = scope.enter(block)
            for piece in block.pieces():
                found.append(Unit(piece, passage, len(found), block.kind, label, opening))
                opening = False
    return found


def statements(text: str) -> list[str]:
    """Return the sentences of one line; gaps and sentences part them, code in backticks stays."""
    return [
        piece
        for part in text.split(GAP)
        for sentence in _whole_quotes(part[start:end] for start, end in sentences(part))
        for piece in _pieces(sentence.strip())
    ]


def joined(pieces: Iterable[str]) -> str:
    """Return the pieces as one line: a space between them, except between wide characters."""
    line: list[str] = []
    last = ""
    for piece in filter(None, pieces):
        if last and not (_is_wide(last) and _is_wide(piece[0])):
            line.append(" ")
        line.append(piece)
        last = piece[-1]
    return "".join(line)


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


def _whole_quotes(found: Iterable[str]) -> Iterator[str]:
    held = ""
    for sentence in found:
        held += sentence
        if held.count("`") % 2 == 0 or len(held) > _LONGEST_UNIT_CHARACTERS:
            yield held
            held = ""
    if held:
        yield held


def _pieces(text: str) -> Iterator[str]:
    """Yield `text`, cut at spaces where it is too long, with an ellipsis on each side of a cut."""
    start = 0
    while len(text) - start > _LONGEST_UNIT_CHARACTERS:
        limit = start + _LONGEST_UNIT_CHARACTERS
        space = text.rfind(" ", start + 1, limit)
        end = space if space > 0 else max(start + 1, grapheme_break(text, limit))
        yield "…" * bool(start) + text[start:end].strip() + "…"
        start = end
    if text:
        yield "…" * bool(start) + text[start:].strip()


# Lines ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Line:
    """A line without its indentation, comment sign and bullet.

    Attributes:
        text: what remains.
        kind: "blank" where there is no letter and no digit.
        indent: characters before the first that is seen.
        sign: the comment sign that was taken off.
        item: it begins a list item.
    """

    text: str = ""
    kind: Literal["prose", "code", "blank"] = "blank"
    indent: int = 0
    sign: str = ""
    item: bool = False


_SEEN = regex.compile(r"[\p{L}\p{N}]")
_SIGN = re.compile(
    r"""(?P<sign> [rRbBuU]?(?:\"{3}|'{3}) | (?:\#{1,6}!?|/{2,}!?|/\*+!?|--|;+|%+|>+)(?=\s) )\s*""",
    re.VERBOSE,
)
_STAR = re.compile(r"(?P<sign>\*)\s+")
_CLOSING_SIGN = re.compile(r"""\s*(?:\"{3}|'{3}|\*+/)$""")
_BULLET = re.compile(r"[-*+•‣▪–]\s+|(?=(?:\d{1,3}|[a-z])[.)]\s|\(\w{1,3}\)\s)")
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
    | (?: return|raise|import|from|yield|await|assert|pass|break|continue|del|global|nonlocal|let
        | const|var|throw|goto|use|using|package|export|public|private|protected|static|end
      ) \b (?:\s+\S+){0,5}+ $ (?<![.!?])                           # a short statement
    | (?:[\w.$\[\]'"*<>:&]+,?\s){0,2}? [\w.$\[\]'"*]+ \s?
        (?:[-+*/|&^%:<>]|\*\*|//)? = (?!=)\s?\S                     # an assignment
    | ["'][\w .-]+["'] \s* : (?:\s|$)                              # a key
    | [@})\]|{]\S?                                                 # a decorator, an end, a row
    | (?:>>>|\.\.\.|\$)\s                                          # a prompt
    | (?:if|elif|while|for|switch|catch|return) \s* \(               # a condition
    | (?:raise|return|throw|yield|await|assert)\b .* [)\]}'"];? $    # a statement that ends in code
    | [\w.]+\(.*\)[;,]? $                                           # a call
    | .* [{(\[\\] $                                                # goes on in the next line
    """,
    re.VERBOSE,
)


def _lines(text: str) -> list[_Line]:
    lines: list[_Line] = []
    starred = False
    for raw in text.splitlines():
        line = _line(raw, starred)
        lines.append(line)
        starred = (starred or line.sign.startswith("/*")) and "*/" not in raw
    return lines


def _line(raw: str, starred: bool) -> _Line:
    body = raw.strip()
    indent = len(raw) - len(raw.lstrip())
    if not _SEEN.search(body):
        return _Line(sign="/**" if body.startswith("/*") else "")
    found = (starred and _STAR.match(body)) or _SIGN.match(body)
    sign = found["sign"] if found else ""
    text = _CLOSING_SIGN.sub("", body[found.end() :] if found else body)
    if _looks_like_code(text):
        return _Line(text, "code", indent, sign)
    bullet = _BULLET.match(text)
    return _Line(text[bullet.end() :] if bullet else text, "prose", indent, sign, bool(bullet))


def _looks_like_code(text: str) -> bool:
    text = _REMARK.sub("", text[:_JUDGED_CHARACTERS])
    if _UNSPACED.search(text):
        return False
    if _CODE.match(text):
        return True
    parts = text.split()
    return 2 * sum(_PLAIN_WORD.fullmatch(part) is not None for part in parts) < len(parts)


# Blocks -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that belong together: a paragraph, a list item, a statement, a heading.

    Attributes:
        text: its lines joined.
        kind: what it is.
        indent: of its first line.
        path: for a definition line its name and parameters.
        heading: it is the heading of what follows.
    """

    text: str
    kind: Kind
    indent: int
    name: str = ""
    parameters: str = ""

    def pieces(self) -> Iterable[str]:
        return statements(self.text) if self.kind == "prose" else _pieces(self.text)


_DEFINITION = regex.compile(
    r"""
    (?:(?:export|default|public|private|protected|internal|static|final|abstract|async|unsafe
        |inline|virtual|override|local|pub(?:\(\w+\))?)\s+)*+
    (?: (?:class|struct|interface|enum|trait|impl|module|namespace|type|record|object|protocol)
        \s+ (?P<name>[\p{L}_$][\w$.]*)
      | (?:def|function\*?|fn|func|fun|sub|proc) \s+ (?:\([^()]*\)\s*)? (?P<name>[\p{L}_$][\w$.]*)
        \s* (?P<parameters>\((?:[^()]|\([^()]*\))*+\))?+
      | (?:[\w:<>,&*$]+\s+)*+ (?P<name>[\w:~$]+)(?<!\b(?:if|for|while|switch|catch))
        \s* (?P<parameters>\([^()]*\)) [^()=]* \{ $
    )""",
    regex.VERBOSE,
)
_OWN_PARAMETER = re.compile(r"^\(\s*(?:self|cls)\b\s*,?\s*")
_STRING = re.compile(r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'""")
_SENTENCE_END = re.compile(r"""[.!?:;,。！？：；，…]["'”’)*_`]*$""")


def _blocks(lines: list[_Line]) -> Iterator[_Block]:
    widths = _widths(lines)
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.kind == "blank":
            at += 1
            continue
        code = line.kind == "code"
        end = _statement_end(lines, at) if code else _paragraph_end(lines, at, widths)
        if code:
            block = _statement(lines[at:end])
            if block.kind == "name" or not block.text.endswith((":", "{")):
                yield block
        else:
            named = end == at + 1 and _is_heading(lines, at)
            text = joined(line.text for line in lines[at:end])
            yield _Block(text, "name" if named else "prose", line.indent)
        at = end


def _statement(lines: list[_Line]) -> _Block:
    first = lines[0]
    text = joined(line.text for line in lines if line.sign == first.sign)
    found = _DEFINITION.match(text[:_JUDGED_CHARACTERS])
    if found is None:
        return _Block(text, "code", first.indent)
    return _Block(text, "name", first.indent, found["name"], found["parameters"] or "")


def _statement_end(lines: list[_Line], at: int) -> int:
    """Return where the statement at `at` ends; one that opens a block takes the next one in."""
    end = _balanced_end(lines, at)
    while (
        lines[end - 1].text.endswith((":", "{"))
        and end < min(len(lines), at + _LONGEST_STATEMENT_LINES)
        and lines[end].kind == "code"
        and lines[end].indent > lines[at].indent
        and not _DEFINITION.match(lines[at].text[:_JUDGED_CHARACTERS])
        and not _DEFINITION.match(lines[end].text[:_JUDGED_CHARACTERS])
    ):
        end = _balanced_end(lines, end)
    return end


def _balanced_end(lines: list[_Line], at: int) -> int:
    """Return where brackets opened at `at` are closed, or the next line where they never are."""
    depth = 0
    for end in range(at, min(len(lines), at + _LONGEST_STATEMENT_LINES)):
        text = _STRING.sub("", lines[end].text)
        if lines[end].sign == lines[at].sign:
            depth += sum(map(text.count, "([")) - sum(map(text.count, ")]"))
        if depth <= 0 and not text.endswith("\\"):
            return end + 1
    return at + 1


def _paragraph_end(lines: list[_Line], at: int, widths: list[int]) -> int:
    end = at + 1
    while end < len(lines) and _goes_on(lines[end - 1], lines[end], widths[end]):
        end += 1
    return end


def _widths(lines: list[_Line]) -> list[int]:
    """Return for each line the length of the longest one in its run of lines of prose."""
    widths = [0] * len(lines)
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or not _alike(lines[at - 1], lines[at]):
            widest = max(len(line.text) for line in lines[start:at])
            widths[start:at] = [widest] * (at - start)
            start = at
    return widths


def _alike(line: _Line, following: _Line) -> bool:
    """Return whether both lines may be of one paragraph, as far as their signs tell."""
    opened = line.sign[-3:] in ('"""', "\'\'\'", "/**") or line.sign.startswith("/*")
    same = following.sign == line.sign or (opened and following.sign in ("", "*"))
    return line.kind == following.kind == "prose" and same and not following.item


def _goes_on(line: _Line, following: _Line, width: int) -> bool:
    """Return whether the break between two lines was made for width, not for sense."""
    if not _alike(line, following):
        return False
    if following.text[0].islower() and not _SENTENCE_END.search(line.text[-8:]):
        return True
    word = 1 if _is_wide(following.text[0]) else len(following.text.split(None, 1)[0])
    return width in _WRAPPED_CHARACTERS and len(line.text) + 1 + word > width


def _is_heading(lines: list[_Line], at: int) -> bool:
    """Return whether the line at `at` names what follows: short, open-ended, over longer text."""
    line = lines[at]
    if at and lines[at - 1].kind != "blank" or line.item or _SENTENCE_END.search(line.text[-8:]):
        return False
    if len(line.text) > _LONGEST_HEADING_CHARACTERS or line.indent > 3 * bool(line.sign):
        return False
    below = next((below for below in lines[at + 1 : at + 4] if below.kind != "blank"), None)
    if line.sign:
        return line.sign.strip("#") == "" and (below is None or below.kind == "prose")
    return (
        below is not None
        and below.kind == "prose"
        and not line.text[0].islower()
        and ": " not in line.text
        and len(below.text) > len(line.text)
    )


# Scopes -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Scope:
    """What the next block stands under: definitions by indentation, else the last heading."""

    heading: str
    _definitions: list[_Block] = field(default_factory=list[_Block])
    _fresh: bool = True

    def enter(self, block: _Block) -> tuple[str, bool]:
        """Return the label of `block`, and whether it is the first prose under it."""
        if block.kind == "name" and not block.name:
            self._definitions.clear()
            self.heading, self._fresh = block.text, True
            return "", False
        while self._definitions and self._definitions[-1].indent >= block.indent:
            self._definitions.pop()
        label = self._label()
        opening = self._fresh and block.kind == "prose"
        self._fresh = bool(block.name)
        if block.name:
            self._definitions.append(block)
        return label, opening

    def _label(self) -> str:
        if not self._definitions:
            return self.heading
        name = ".".join(block.name for block in self._definitions)
        parameters = _OWN_PARAMETER.sub("(", self._definitions[-1].parameters)
        fits = len(name) + len(parameters) <= _LONGEST_LABEL_CHARACTERS
        return name + (parameters if fits else "(…)")
