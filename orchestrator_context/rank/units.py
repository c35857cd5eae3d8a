"""Units: the smallest pieces of a text that can be quoted and still say something.

A sentence of prose, of a docstring or of a comment; a statement of code, with the line that opens
its block; a list item; a row; a heading; a definition line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import regex

from orchestrator_context.rank.lines import Line, read_lines
from orchestrator_context.text import grapheme_break, sentences

Kind = Literal["prose", "code", "name"]

_LONGEST_UNIT_CHARACTERS = 800
_LONGEST_LABEL_CHARACTERS = 80
_LONGEST_HEADING_CHARACTERS = 80
_LONGEST_STATEMENT_LINES = 24
_LONGEST_SIGNATURE_CHARACTERS = 400
_WRAPPED_CHARACTERS = range(40, 161)  # widths of text that was wrapped, not written line by line


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable piece of a passage.

    Attributes:
        text: its lines joined to one, without comment signs and bullets. An ellipsis at an end
            says that it was too long and goes on there.
        passage: index of the passage it stands in.
        order: its position; neighbours in the text have consecutive positions.
        kind: a sentence, a statement, or the name of something: a heading, an import, the line
            that begins a definition.
        label: what it stands under: a dotted name in backticks, or a heading; "" where nothing.
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
        passages: what a passage stands under is carried over to the next.
        title: label of units that stand under nothing.
    """
    scope = _Scope(title)
    found: list[Unit] = []
    for passage, text in enumerate(passages):
        for block in _blocks(read_lines(text)):
            label, opening = scope.enter(block)
            for piece in pieces(block.text, block.kind):
                found.append(Unit(piece, passage, len(found), block.kind, label, opening))
                opening = False
    return found


def pieces(text: str, kind: Kind = "prose") -> Iterator[str]:
    """Yield the sentences of one line, or the line where it is not prose; long ones are cut."""
    spans = sentences(text) if kind == "prose" else ((0, len(text)),)
    for sentence in _whole_quotes(text[start:end] for start, end in spans):
        yield from _short(sentence.strip())


def joined(parts: Iterable[str]) -> str:
    """Return the parts as one line: a space between them, except between wide characters."""
    line: list[str] = []
    last = ""
    for part in filter(None, parts):
        if last and not (_is_wide(last) and _is_wide(part[0])):
            line.append(" ")
        line.append(part)
        last = part[-1]
    return "".join(line)


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


def _whole_quotes(found: Iterable[str]) -> Iterator[str]:
    """Join sentences that were parted inside of backticks."""
    held = ""
    for sentence in found:
        held += sentence
        if held.count("`") % 2 == 0 or len(held) > _LONGEST_UNIT_CHARACTERS:
            yield held
            held = ""
    if held:
        yield held


def _short(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > _LONGEST_UNIT_CHARACTERS:
        limit = start + _LONGEST_UNIT_CHARACTERS
        space = text.rfind(" ", start + 1, limit)
        end = space if space > 0 else max(start + 1, grapheme_break(text, limit))
        yield "…" * bool(start) + text[start:end].strip() + "…"
        start = end
    if text:
        yield "…" * bool(start) + text[start:].strip()


# Blocks -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that belong together: a paragraph, a list item, a statement, a heading.

    Attributes:
        text: its lines joined.
        kind: what it is.
        indent: of its first line.
        heading: what follows stands under it.
        name: what it defines.
        parameters: those of what it defines, in brackets.
    """

    text: str
    kind: Kind
    indent: int
    heading: bool = False
    name: str = ""
    parameters: str = ""


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
_OWN_PARAMETER = re.compile(r"^\(\s*(?:self|cls)\b\s*,?\s*")
_STRING = re.compile(r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'""")
_SENTENCE_END = re.compile(r"""[.!?:;,。！？：；，…]["'”’)*_`]*$""")


def _blocks(lines: list[Line]) -> Iterator[_Block]:
    widths = _widths(lines)
    at = 0
    while at < len(lines):
        end = at + 1
        if lines[at].kind == "code":
            end = _statement_end(lines, at)
            block = _statement(lines[at:end])
            if block.name or not (block.text.endswith((":", "{")) or _open_brackets(block.text)):
                yield block  # anything else is half a statement
        elif lines[at].kind == "prose":
            end = _paragraph_end(lines, at, widths)
            text = joined(line.text for line in lines[at:end])
            heading = end == at + 1 and _is_heading(lines, at)
            yield _Block(text, "name" if heading else "prose", lines[at].indent, heading)
        at = end


def _statement(lines: list[Line]) -> _Block:
    first = lines[0]
    text = joined(line.text for line in lines if line.sign == first.sign)
    found = _definition(text)
    if found is not None:
        parameters = found["parameters"] or ""
        return _Block(text, "name", first.indent, name=found["name"], parameters=parameters)
    return _Block(text, "name" if _IMPORT.match(text) else "code", first.indent)


def _definition(text: str) -> regex.Match[str] | None:
    return _DEFINITION.match(text[:_LONGEST_SIGNATURE_CHARACTERS])


def _statement_end(lines: list[Line], at: int) -> int:
    """Return where the statement at `at` ends; one that opens a block takes the next one in."""
    end = _balanced_end(lines, at)
    while (
        lines[end - 1].text.endswith((":", "{"))
        and end < min(len(lines), at + _LONGEST_STATEMENT_LINES)
        and lines[end].kind == "code"
        and lines[end].indent > lines[at].indent
        and not _definition(lines[at].text)
        and not _definition(lines[end].text)
    ):
        end = _balanced_end(lines, end)
    return end


def _balanced_end(lines: list[Line], at: int) -> int:
    """Return where brackets opened at `at` are closed, or the next line where they never are."""
    depth = 0
    for end in range(at, min(len(lines), at + _LONGEST_STATEMENT_LINES)):
        if lines[end].sign == lines[at].sign:
            depth += _open_brackets(lines[end].text)
        if depth <= 0 and not lines[end].text.endswith("\\"):
            return end + 1
    return at + 1


def _open_brackets(code: str) -> int:
    code = _STRING.sub("", code)
    return sum(map(code.count, "([")) - sum(map(code.count, ")]"))


def _paragraph_end(lines: list[Line], at: int, widths: list[int]) -> int:
    end = at + 1
    while end < len(lines) and _goes_on(lines[end - 1], lines[end], widths[end]):
        end += 1
    return end


def _widths(lines: list[Line]) -> list[int]:
    """Return for each line the length of the longest in its run of lines of prose."""
    widths = [0] * len(lines)
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or not _alike(lines[at - 1], lines[at]):
            widest = max(len(line.text) for line in lines[start:at])
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
    if following.text[0].islower() and not _SENTENCE_END.search(line.text[-8:]):
        return True
    word = 1 if _is_wide(following.text[0]) else len(following.text.split(None, 1)[0])
    return width in _WRAPPED_CHARACTERS and len(line.text) + 1 + word > width


def _is_heading(lines: list[Line], at: int) -> bool:
    """Return whether the line at `at` names what follows: short, open-ended, over longer text."""
    line = lines[at]
    if (at and lines[at - 1].kind != "blank") or line.item or _SENTENCE_END.search(line.text[-8:]):
        return False
    if len(line.text) > _LONGEST_HEADING_CHARACTERS or line.indent > 3 * bool(line.sign):
        return False
    below = next((below for below in lines[at + 1 : at + 4] if below.kind != "blank"), None)
    if line.sign:
        return not line.sign.strip("#") and (below is None or below.kind == "prose")
    if below is None or below.kind != "prose" or len(below.text) <= len(line.text):
        return False
    return not line.text[0].islower() and ": " not in line.text


# Scopes -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Scope:
    """What the next block stands under: definitions, by indentation, or else the last heading."""

    heading: str
    _definitions: list[_Block] = field(default_factory=list[_Block])
    _fresh: bool = True

    def enter(self, block: _Block) -> tuple[str, bool]:
        """Return the label of `block`, and whether it is the first prose under it."""
        if block.heading:
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
        name = ".".join(block.name for block in self._definitions)[-_LONGEST_LABEL_CHARACTERS:]
        parameters = _OWN_PARAMETER.sub("(", self._definitions[-1].parameters)
        fits = len(name) + len(parameters) <= _LONGEST_LABEL_CHARACTERS
        return f"`{name}{parameters if fits else '(…)'}`"
