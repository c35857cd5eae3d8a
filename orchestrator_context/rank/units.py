"""Units: the smallest pieces of a text that can be quoted and still say something.

A sentence of prose, of a docstring or of a comment; a statement of code, with the line that opens
its block; a list item; a row; a heading; a definition line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from orchestrator_context import checks
from orchestrator_context.rank.blocks import KINDS, Block, Kind, read_blocks
from orchestrator_context.text import grapheme_break, sentences

_LONGEST_UNIT_CHARACTERS = 800
_LONGEST_LABEL_CHARACTERS = 80
_NUMBER = re.compile(r"(?:\d{1,3}|[a-z])[.)]\s+")
_HEADING_PASSAGES = 3  # how far a heading holds: the next one may not have been seen as such


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable piece of a passage.

    Attributes:
        text: its lines joined to one, without comment signs and bullets. An ellipsis at an end
            says that it was too long and goes on there.
        passage: index of the passage it stands in.
        order: its position; neighbours in the text have consecutive positions.
        kind: a sentence ("prose"), a statement ("code"), a line that only names something, such
            as an import or the first of a definition ("name"), or a heading.
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
    scope = _Scope(checks.text("title", title))
    found: list[Unit] = []
    for passage, text in enumerate(checks.instances("passages", passages, str, "texts")):
        for block in read_blocks(text):
            label, opening = scope.enter(block, passage)
            for piece in pieces(block.text, block.kind):
                found.append(Unit(piece, passage, len(found), block.kind, label, opening))
                opening = False
    return found


def pieces(text: str, kind: Kind = "prose") -> Iterator[str]:
    """Yield the sentences of one line, or the line where it is not prose; long ones are cut."""
    checks.text("text", text)
    if checks.choice("kind", kind, KINDS) != "prose":
        yield from _short(text)
        return
    number = _NUMBER.match(text)
    first = number[0] if number else ""
    for sentence in _whole_quotes(first, text[len(first) :]):
        yield from _short(sentence.strip())


def _whole_quotes(held: str, text: str) -> Iterator[str]:
    """Yield the sentences of `text`, none parted inside of backticks; the first after `held`."""
    for start, end in sentences(text):
        held += text[start:end]
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


_OWN_PARAMETER = re.compile(r"^\(\s*(?:(?:self|cls)\b\s*,?\s*)?")


@dataclass(slots=True)
class _Scope:
    """What the next block stands under: definitions, by indentation, or else the last heading."""

    title: str
    _heading: str = ""
    _passages: range = range(0)  # where the heading holds
    _definitions: list[Block] = field(default_factory=list[Block])
    _fresh: bool = True

    def enter(self, block: Block, passage: int) -> tuple[str, bool]:
        """Return the label of `block`, and whether it is the first prose under it."""
        if block.kind == "heading":
            self._definitions.clear()
            self._heading, self._fresh = block.text, True
            self._passages = range(passage, passage + _HEADING_PASSAGES)
            return self.title, False
        while self._definitions and self._definitions[-1].indent >= block.indent:
            self._definitions.pop()
        label = self._label(passage)
        opening = self._fresh and block.kind == "prose"
        self._fresh = bool(block.name)
        if block.name:
            self._definitions.append(block)
        return label, opening

    def _label(self, passage: int) -> str:
        if not self._definitions:
            return self._heading if passage in self._passages else self.title
        name = ".".join(block.name for block in self._definitions)[-_LONGEST_LABEL_CHARACTERS:]
        parameters = _OWN_PARAMETER.sub("(", self._definitions[-1].parameters)
        fits = len(name) + len(parameters) <= _LONGEST_LABEL_CHARACTERS
        return f"`{name}{parameters if fits else '(…)'}`"
