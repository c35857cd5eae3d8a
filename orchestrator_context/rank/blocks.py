"""Blocks: lines that belong together, as paragraphs, list items, statements and headings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import regex

from orchestrator_context import checks
from orchestrator_context.rank.lines import Line, read_lines

Kind = Literal["prose", "code", "name", "heading"]

KINDS: tuple[Kind, ...] = get_args(Kind)

_LONGEST_HEADING_CHARACTERS = 80
_LONGEST_STATEMENT_LINES = 24
_LONGEST_SIGNATURE_CHARACTERS = 400
_WRAPPED_COLUMNS = range(40, 161)  # widths of text that was wrapped, not written line by line


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together: a paragraph, a list item, a statement, a heading.

    Attributes:
        text: its lines joined.
        kind: what it is.
        indent: of its first line.
        name: what it defines.
        parameters: those of what it defines, in brackets.
    """

    text: str
    kind: Kind
    indent: int
    name: str = ""
    parameters: str = ""


def joined(parts: Iterable[str]) -> str:
    """Return the parts as one line: a space between them, except between wide characters."""
    line: list[str] = []
    last = ""
    for part in filter(None, checks.instances("parts", parts, str, "texts")):
        if last and not (is_wide(last) and is_wide(part[0])):
            line.append(" ")
        line.append(part)
        last = part[-1]
    return "".join(line)


def is_wide(char: str) -> bool:
    """Return whether a character takes two columns, as those of Chinese and Japanese do."""
    return unicodedata.east_asian_width(char) in "WF"


_DEFINITION = regex.compile(
    r"""
    (?:(?:export|default|public|private|protected|internal|static|final|abstract|async|unsafe
        |inline|virtual|override|local|pub(?:\(\w+\))?)\s+)*+
    (?: (?:class|struct|interface|enum|trait|impl|module|namespace|type|record|object|protocol)
        \s+ (?P<name>[\p{L}_$][\w$.]*)
      | (?:def|function\*?|fn|func|fun|sub|proc) \s+ (?:\([^()]*\)\s*)?
        (?P<name>[\p{L}_$][\w$.]*) \s* (?P<parameters>\((?:[^()]|\([^()]*\))*+\))?+
      | (?:[\w:<>,&*$]+\s+)*+ (?P<name>[\w:~$]+)(?<!\b(?:if|for|while|switch|catch))
        \s* (?P<parameters>\([^()]*\)) [^()=]* \{ $
    )""",
    regex.VERBOSE,
)
_IMPORT = re.compile(r"(?:import|from\s+\S+\s+import|#\s*include|using|use|package|require)\b")
_BRACKET = re.compile(r"[()\[\]]")
_STRING = re.compile(r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'""")
_CONDITION = re.compile(r"(?:else\s+)?(?:if|while|for|switch)\s*\((?:[^()]|\([^()]*\))*\)$|else$")
_UNDERLINE = re.compile(r"""([-=~^"'*+#.:_`])\1{2,}""")
_CALL = re.compile(r"\w\(")
_KEY = re.compile(r"[\w.-]{1,40}:(?:\s|$)")
_STOP = re.compile(r"""[.!?:。！？：…]["'”’)*_`]*$""")
_PAUSE = re.compile(r"[;,；，]$")
_TABLE_OR_FENCE = ("|", "```", "~~~")


def read_blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of `text` in order, without halves of statements. Linear in the text."""
    lines = read_lines(text)
    widths = _widths(lines)
    depths = [_open_brackets(line.text) for line in lines]
    at = 0
    while at < len(lines):
        end = at + 1
        if lines[at].kind == "code":
            end = _statement_end(lines, at, depths)
            block = _statement(lines[at:end])
            if block.name or not (_opens(lines[end - 1].text) or _open_brackets(block.text)):
                yield block  # anything else is half a statement
        elif lines[at].kind == "prose":
            end = _paragraph_end(lines, at, widths)
            text = joined(line.text for line in lines[at:end])
            heading = end == at + 1 and _is_heading(lines, at)
            yield Block(text, "heading" if heading else "prose", lines[at].indent)
        at = end


def _statement(lines: list[Line]) -> Block:
    first = lines[0]
    text = joined(line.text for line in lines if line.sign == first.sign)
    found = _definition(text)
    if found is not None:
        parameters = found["parameters"] or ""
        return Block(text, "name", first.indent, name=found["name"], parameters=parameters)
    return Block(text, "name" if _IMPORT.match(text) else "code", first.indent)


def _definition(text: str) -> regex.Match[str] | None:
    return _DEFINITION.match(text[:_LONGEST_SIGNATURE_CHARACTERS])


def _statement_end(lines: list[Line], at: int, depths: list[int]) -> int:
    """Return where the statement at `at` ends; one that opens a block takes the next one in."""
    end = _balanced_end(lines, at, depths)
    while (
        _opens(lines[end - 1].text)
        and end < min(len(lines), at + _LONGEST_STATEMENT_LINES)
        and lines[end].kind == "code"
        and lines[end].indent > lines[at].indent
        and not _definition(lines[at].text)
        and not _definition(lines[end].text)
    ):
        end = _balanced_end(lines, end, depths)
    return end


def _opens(code: str) -> bool:
    return code.endswith((":", "{")) or _CONDITION.match(code) is not None


def _balanced_end(lines: list[Line], at: int, depths: list[int]) -> int:
    """Return where brackets opened at `at` are closed, or the next line where they never are."""
    depth = 0
    for end in range(at, min(len(lines), at + _LONGEST_STATEMENT_LINES)):
        if lines[end].sign == lines[at].sign:
            depth += depths[end]
        if depth <= 0 and not lines[end].text.endswith("\\"):
            return end + 1
    return at + 1


def _open_brackets(code: str) -> int:
    if not _BRACKET.search(code):
        return 0
    code = _STRING.sub("", code)
    return sum(map(code.count, "([")) - sum(map(code.count, ")]"))


def _paragraph_end(lines: list[Line], at: int, widths: list[int]) -> int:
    end = at + 1
    while end < len(lines) and _goes_on(lines[end - 1], lines[end], widths[end]):
        end += 1
    return end


def _widths(lines: list[Line]) -> list[int]:
    """Return for each line the columns of the widest in its run of lines of prose."""
    widths = [0] * len(lines)
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or not _alike(lines[at - 1], lines[at]):
            widest = max(map(_columns, lines[start:at]))
            widths[start:at] = [widest] * (at - start)
            start = at
    return widths


def _alike(line: Line, following: Line) -> bool:
    """Return whether both lines may be of one paragraph, as far as their signs tell."""
    opened = line.sign.endswith(('"""', "'''")) or line.sign.startswith("/*")
    same = following.sign == line.sign or (opened and following.sign in ("", "*"))
    return line.kind == following.kind == "prose" and same and not following.item


def _goes_on(line: Line, following: Line, width: int) -> bool:
    """Return whether the break between two lines was made for width, not for sense."""
    if not _alike(line, following):
        return False
    if following.text[0].islower() and not _STOP.search(line.text[-8:]):
        return not _KEY.match(following.text)
    word = 1 if is_wide(following.text[0]) else len(following.text.split(None, 1)[0])
    return width in _WRAPPED_COLUMNS and _columns(line) + 1 + word > width


def _columns(line: Line) -> int:
    return len(line.text) * (2 if line.text and is_wide(line.text[0]) else 1)


def _is_heading(lines: list[Line], at: int) -> bool:
    """Return whether the line at `at` names what follows: alone, short, open-ended."""
    line = lines[at]
    if len(line.text) > _LONGEST_HEADING_CHARACTERS or line.indent > 3 * bool(line.sign):
        return False
    if at + 1 < len(lines) and _UNDERLINE.fullmatch(lines[at + 1].text):
        return not line.sign
    if at and lines[at - 1].kind != "blank":
        return False
    if _STOP.search(line.text[-8:]) or _PAUSE.search(line.text) or _CALL.search(line.text):
        return False
    near = lines[at + 1 : at + 4]
    below = next((below for below in near if below.kind != "blank"), None)
    if not line.sign:
        return below is not None and _names(line, below)
    marked = any(below.text.startswith(_TABLE_OR_FENCE) for below in near)
    return not line.sign.strip("#") and (marked or below is None or below.kind == "prose")


def _names(line: Line, below: Line) -> bool:
    """Return whether a line without any sign of a heading looks like the heading of `below`."""
    return (
        below.kind == "prose"
        and not (line.item and below.item)
        and len(below.text) > len(line.text)
        and not line.text[0].islower()
        and ": " not in line.text
    )
