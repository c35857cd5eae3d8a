"""The outline of a text: its headings or definitions, with their lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import regex

from orchestrator_context.languages.detect import detect_language
from orchestrator_context.languages.masking import code_only
from orchestrator_context.languages.structure import structure_of
from orchestrator_context.rank.lines import looks_like_code
from orchestrator_context.text import grapheme_break

_SAMPLE_CHARACTERS = 50_000
_MOST_SECTIONS = 20_000
_LEAST_DEFINITIONS = 2  # a line or two of prose may look like one
_GUESSED = ("python", "javascript", "java", "go", "rust", "cpp")
_LONGEST_LINE = 120  # characters
_SEEN = regex.compile(r"[\p{L}\p{N}]")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, or the first line of a definition.

    Attributes:
        start: offset of its line.
        line: number of its line, from 1.
        text: the line, cut where it is long.
        top: it is of the upper levels.
    """

    start: int
    line: int
    text: str
    top: bool


def sections(content: str, title: str) -> list[Section]:
    """Return the sections of a text in order, the first 20,000 of them. Linear.

    The language is that of the title where it is a file name, or else guessed from the text; what
    is no program is read as Markdown.
    """
    language = detect_language(title) or _guessed(content)
    return list(islice(_sections(content, language), _MOST_SECTIONS))


def _guessed(content: str) -> str | None:
    sample = code_only(content[:_SAMPLE_CHARACTERS], "markdown") or ""  # without quoted code
    counts = {language: _definitions(sample, language) for language in _GUESSED}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] >= _LEAST_DEFINITIONS else None


def _definitions(sample: str, language: str) -> int:
    return sum(looks_like_code(section.text) for section in _sections(sample, language))


def _sections(content: str, language: str | None) -> Iterator[Section]:
    code = (code_only(content, language) if language else None) or content
    at, line = 0, 1
    for found in structure_of(language).section.finditer("\n" + code):
        start = found.start()  # that of its line in the content, which has no line break in front
        line += content.count("\n", at, start)
        at = start
        text = next((text for text in _lines(content, start) if _SEEN.search(text)), "")
        if text:
            yield Section(start, line, text, found["top"] is not None)


def _lines(content: str, start: int) -> Iterator[str]:
    """Yield the line at `start` and the next one: the first may be an overline."""
    for _ in range(2):
        end = content.find("\n", start)
        end = len(content) if end < 0 else end
        line = content[start : min(end, start + 4 * _LONGEST_LINE)].strip()
        cut = len(line) > _LONGEST_LINE
        yield line[: grapheme_break(line, _LONGEST_LINE)] + "…" if cut else line
        start = end + 1
