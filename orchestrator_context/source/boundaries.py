"""Where a text is best cut in two: at a heading or definition, a blank line, a line, a sentence.

A place to cut is worth the share of the room it fills plus the worth of its kind, so a much fuller
piece beats a somewhat better boundary. A search looks at its window and no further than a few
hundred characters behind it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import regex

from orchestrator_context.languages.structure import Structure
from orchestrator_context.text import grapheme_break, sentences

_AHEAD: Final = 256  # characters behind a window that tell whether its last line is a heading
_DEEPEST: Final = 80  # characters of indentation that are told apart
_BEHIND: Final = 64  # characters before a line that tell whether it stands under a heading
_LOOK_BACK: Final = 8_192  # characters; grapheme_break does not look further either
_BLANK_LINE: Final = regex.compile(r"(?r)\n[ \t\r]*\n")
_NEWLINE: Final = regex.compile(r"(?r)\n")
_WORD_GAP: Final = regex.compile(r"(?r)\s(?=\S)")
_CLAUSE_END: Final = regex.compile(r"(?r)[,;:)\]}>，、；：」』）】》…—](?=[^\s,;:)\]}>])")
_NOT_SPACE: Final = regex.compile(r"(?r)\S")
_LEAD: Final = re.compile(r"[ \t]*(?:#|//|/\*|--|;|%|@|\[|\(\*|<!--)")
_FENCE: Final = re.compile(r"(?m)^[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)")
_TABLE_ROW: Final = re.compile(r"[ \t]*(?:\||\+[-=+]|[^\s|][^\n|]{0,120}[ \t]\|[ \t])")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced code block: offsets of its first line and of the line behind it, and its fence."""

    start: int
    end: int
    fence: str


def fenced_blocks(text: str, start: int, end: int, fence: str = "") -> Iterator[Block]:
    """Yield the fenced code blocks of `text[start:end]`.

    Args:
        text: the whole text.
        start: where to begin.
        end: where to stop; a block that is open there ends behind it.
        fence: the fence of the block that is open at `start`, or "".
    """
    opened = start - 1
    for line in _FENCE.finditer(text, start, end):
        mark, info = line["mark"], line["info"]
        if not fence and ("`" not in info or mark[0] == "~"):
            fence, opened = mark, line.start()
        elif fence and mark.startswith(fence) and not info.strip():
            yield Block(opened, line.end() + 1, fence)
            fence = ""
    if fence:
        yield Block(opened, end + 1, fence)


def cluster_break(text: str, at: int, known: int) -> int:
    """Return the greatest boundary between grapheme clusters that is not above `at`.

    Args:
        text: the whole text.
        at: where to look, not below `known`.
        known: offset of a boundary; what stands before it is not looked at again.
    """
    if at - known > _LOOK_BACK:
        return grapheme_break(text, at)
    return known + grapheme_break(text[known : at + 1], at - known)


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a text in which a piece must end.

    Attributes:
        text: the whole text.
        start: offset of the first character of the piece.
        reach: offset behind the last character that the piece may hold.
        known: offset of the first boundary between grapheme clusters from `start` on; above
            `start` only where a cluster is cut because it is too large.
        structure: what headings and definitions look like.
        blocks: the fenced code blocks in the window.
    """

    text: str
    start: int
    reach: int
    known: int
    structure: Structure
    blocks: tuple[Block, ...] = ()

    def best_cut(self) -> int | None:
        """Return the best offset in (start, reach], or None where one cluster fills the window."""
        if self.reach < self.known:
            return None
        best = cluster_break(self.text, self.reach, self.known)
        if best == self.start:
            return None
        room = self.reach - self.start
        value = (best - self.start) / room + _WORTH_OF_CLUSTER
        for worth, find in _KINDS:
            share = max(_LEAST_SHARE, value - worth)
            low = self.start + 1 + int(share * room)
            cut = find(self, low) if low <= self.reach else None
            if cut is not None and (cut - self.start) / room + worth > value:
                best, value = cut, (cut - self.start) / room + worth
        return best

    def section(self, low: int) -> int | None:
        """Return the last heading or definition from `low` on.

        One of the upper levels, unless it leaves much more room unused than one of the lower.
        """
        upper = lower = None
        for match in self.structure.section.finditer(self.text, low - 1, self._next_line_end()):
            at = match.start() + 1
            if at > self.reach:
                break
            if self._is_in_block(at):
                continue
            if match["top"] is None:
                lower = at
            else:
                upper = at
        least = self.start if lower is None else lower - _UPPER_SHARE * (self.reach - self.start)
        found = upper if upper is not None and upper > least else lower
        return found if found is None or self.structure.markup else self._with_lead(found)

    def paragraph(self, low: int) -> int | None:
        """Return the last line behind a blank one that may be parted from it, from `low` on."""
        return self._last(_BLANK_LINE, low, self._is_free)

    def line(self, low: int) -> int | None:
        """Return the last line that may be parted from the one before, from `low` on."""
        return self._last(_NEWLINE, low, self._is_free)

    def any_paragraph(self, low: int) -> int | None:
        """Return the last line behind a blank one, from `low` on."""
        return self._last(_BLANK_LINE, low, self._is_break)

    def any_line(self, low: int) -> int | None:
        """Return the last line, from `low` on."""
        return self._last(_NEWLINE, low, self._is_break)

    def sentence(self, low: int) -> int | None:
        """Return the last start of a sentence outside code and tables, from `low` on."""
        return self._sentence(low, self._is_prose) if self.structure.markup else None

    def any_sentence(self, low: int) -> int | None:
        """Return the last start of a sentence, from `low` on."""
        return self._sentence(low, self._is_break)

    def word(self, low: int) -> int | None:
        """Return the last start of a word behind white space, from `low` on."""
        return self._last(_WORD_GAP, low, self._is_break, ahead=1)

    def clause(self, low: int) -> int | None:
        """Return the last place behind a comma or a closing bracket, from `low` on."""
        return self._last(_CLAUSE_END, low, self._is_break, ahead=1)

    def _sentence(self, low: int, accept: Callable[[int], bool]) -> int | None:
        """Return the last start of a sentence in [low, reach] that is accepted."""
        first = low - 1
        starts = [first + start for start, _ in sentences(self.text[first : self.reach + 1])]
        return next((at for at in reversed(starts[1:]) if accept(at)), None)

    def _last(
        self,
        pattern: regex.Pattern[str],
        low: int,
        accept: Callable[[int], bool],
        *,
        ahead: int = 0,
    ) -> int | None:
        """Return the last end in [low, reach] of a match that is accepted."""
        first, high = max(self.start, low - _BEHIND), self.reach
        while high >= low:
            match = pattern.search(self.text, first, high + ahead)
            if match is None or match.end() < low:
                return None
            if accept(match.end()):
                return match.end()
            high = match.end() - 1
        return None

    def _next_line_end(self) -> int:
        """Return where the line behind the window ends: it may underline a title."""
        end, most = self.reach, min(len(self.text), self.reach + _AHEAD)
        for _ in range(2):
            found = self.text.find("\n", end, most)
            end = most if found < 0 else found + 1
        return end

    def _with_lead(self, at: int) -> int:
        """Return the start of the comments and decorators right above the definition at `at`."""
        indent = _indent(self.text, at)
        low = max(self.start + 1, at - (self.reach - self.start) // 4)
        best = line = at
        while (line := self.text.rfind("\n", low - 1, line - 1) + 1) >= low:
            depth = _indent(self.text, line)
            first = self.text[line + depth]
            if first in "\r\n":
                break
            if depth == indent and _LEAD.match(self.text, line):
                best = line
            elif depth <= indent and first not in ")]}":
                break
        return best

    def _is_break(self, at: int) -> bool:
        return at >= self.known and cluster_break(self.text, at, self.known) == at

    def _is_in_block(self, at: int) -> bool:
        before = bisect_left(self.blocks, at, key=lambda block: block.start)
        return before > 0 and at < self.blocks[before - 1].end

    def _is_free(self, at: int) -> bool:
        """Return whether a line may be parted from the one before without loss of sense."""
        if not self.structure.markup:
            return True
        return not (self._is_in_block(at) or self._is_in_table(at) or self._is_under_heading(at))

    def _is_prose(self, at: int) -> bool:
        """Return whether a sentence that starts at `at` is one of running text."""
        if not self.structure.markup or self._is_in_block(at):
            return False
        return not _TABLE_ROW.match(self.text, self._line_start(at)) and self._is_break(at)

    def _line_start(self, at: int) -> int:
        """Return where the line that holds `at` starts in the window."""
        return max(self.start, self.text.rfind("\n", self.start, at) + 1)

    def _is_in_table(self, at: int) -> bool:
        above = self._line_start(at - 1)
        return bool(_TABLE_ROW.match(self.text, at) and _TABLE_ROW.match(self.text, above))

    def _is_under_heading(self, at: int) -> bool:
        last = _NOT_SPACE.search(self.text, max(self.start, at - _BEHIND), at)
        if last is None:
            return False
        low = max(0, self.start - 1)
        line = self.text.rfind("\n", low, last.start())
        title = self.text.rfind("\n", low, max(low, line))
        return any(
            self._heading_end(at) > last.start() for at in (line, title) if at >= 0 or not low
        )

    def _heading_end(self, line: int) -> int:
        """Return where the heading ends that stands behind the line break at `line`, or -1.

        Args:
            line: -1 for the beginning of the text.
        """
        text = self.text if line >= 0 else "\n" + self.text[:_AHEAD]
        found = self.structure.section.match(text, max(0, line))
        return -1 if found is None else found.end() - (line < 0)


def _indent(text: str, at: int) -> int:
    return len(text[at : at + _DEEPEST]) - len(text[at : at + _DEEPEST].lstrip(" \t"))


# A line is worth the share of the room it fills. So a section may leave 0.6 of the room unused, and
# a sentence is taken where the last line leaves more than that. In a small room the last sentence
# or row may leave half of it, so a break between words or in a row has to cost more than that: a
# row is broken at a sentence only where whole rows fill less than 0.45 of the room, and a sentence
# between words only where whole ones fill less than 0.3. With these worths real code and Markdown
# take 5 to 20 % more pieces than their tokens need, and up to 30 % at 60 tokens.
_LEAST_SHARE: Final = 0.25  # of the room; a piece is made no smaller for a better boundary
_UPPER_SHARE: Final = 0.25  # of the room; may be left unused for a section of an upper level
_WORTH_OF_CLUSTER: Final = -1.7
_KINDS: Final[tuple[tuple[float, Callable[[Window, int], int | None]], ...]] = (
    (0.6, Window.section),
    (0.3, Window.paragraph),
    (0.0, Window.line),
    (-0.5, Window.any_paragraph),
    (-0.55, Window.any_line),
    (-0.6, Window.sentence),
    (-1.1, Window.any_sentence),
    (-1.3, Window.word),
    (-1.35, Window.clause),
)
