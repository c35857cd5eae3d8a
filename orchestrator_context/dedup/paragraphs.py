"""Repeated paragraphs, within a text and from one text to another."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from orchestrator_context import checks
from orchestrator_context.dedup.near import near_duplicates
from orchestrator_context.dedup.options import DedupOptions
from orchestrator_context.dedup.structured import is_code, is_data
from orchestrator_context.wording import counted

_BLANK_LINES = re.compile(r"\s*\n")
_LOOKED_AT = 1_000  # paragraphs that tell whether a text is code
_BLANK = re.compile(r"\n(?:[^\S\n]*+\n)++")
_FENCE = re.compile(r"^[^\S\n]*+(?:>[ \t]*+)*+(`{3,}|~{3,})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Span:
    """Where a paragraph stands.

    Attributes:
        text: the text, by its place in what was given.
        start: offset of its first character.
        end: offset behind its last one.
    """

    text: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RemovedParagraph:
    """A paragraph that is gone, because an earlier one says the same.

    Attributes:
        removed: where it stood.
        kept: the one that stands for it.
        exact: whether both are the same but for white space around them.
        similarity: share of the shingles of both that both have, up to 1.
    """

    removed: Span
    kept: Span
    exact: bool
    similarity: float


@dataclass(frozen=True, slots=True)
class ParagraphDedup:
    """Texts without their repeated paragraphs.

    Attributes:
        texts: one for each that was given, in order; "" where nothing is left.
        removed: what is gone, in order.
    """

    texts: tuple[str, ...] = field(repr=False)
    removed: tuple[RemovedParagraph, ...] = ()

    def summary(self) -> str:
        """Return one line of figures, without any content."""
        exact = sum(removal.exact for removal in self.removed)
        return (
            f"removed {counted(exact, 'repeated paragraph')} and "
            f"{counted(len(self.removed) - exact, 'near duplicate')} "
            f"from {counted(len(self.texts), 'text')}"
        )


def dedup_paragraphs(
    texts: Sequence[str], *, options: DedupOptions = DedupOptions()
) -> ParagraphDedup:
    r"""Return the texts without paragraphs that stand earlier, in the same text or another one.

    >>> dedup_paragraphs(["Close the valve first.\n\nThen wait.", "Close the valve first."]).texts
    ('Close the valve first.\n\nThen wait.', '')

    Paragraphs stand between blank lines and are compared without the white space around them; with
    `options.threshold`, near duplicates go too. All that is left is unchanged to the byte, with
    the blank lines behind it. Fenced code, texts and paragraphs that are code or data (JSON, CSV,
    markup, keys and values), and short paragraphs are neither removed nor compared. Near linear
    in the texts.

    Raises:
        ConfigurationError: one of `texts` is not a str, or `options` are none.
    """
    checks.instance("options", options, DedupOptions)
    texts = checks.instances("texts", texts, str, "texts")
    paragraphs = [span for index, text in enumerate(texts) for span in _paragraphs(index, text)]
    removals = _Finder(texts, options).find(paragraphs)
    return ParagraphDedup(_without(texts, removals), tuple(removals))


def _paragraphs(index: int, text: str) -> Iterator[Span]:
    """Yield what stands between blank lines and holds no part of a fenced block."""
    blocks = deque(_fenced_blocks(text))
    blanks = [blank.span() for blank in _BLANK.finditer(text)]
    for (_, start), (end, _) in pairwise([(0, 0), *blanks, (len(text), len(text))]):
        while blocks and blocks[0][1] <= start:
            blocks.popleft()
        content = text[start:end].strip()
        if content and not (blocks and blocks[0][0] < end):
            start = text.index(content[0], start)
            yield Span(index, start, start + len(content))


def _fenced_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield where fenced blocks begin and end; one that is never closed ends with the text."""
    opened: re.Match[str] | None = None
    for mark in _FENCE.finditer(text):
        if opened is None:
            opened = mark
        elif mark[1].startswith(opened[1]):
            yield opened.start(), mark.end()
            opened = None
    if opened is not None:
        yield opened.start(), len(text)


class _Finder:
    """Finds repeated paragraphs; whether they are code or data is asked only where it matters."""

    def __init__(self, texts: Sequence[str], options: DedupOptions) -> None:
        self._texts = texts
        self._options = options
        self._by_text: dict[int, list[Span]] = {}
        self._structured: dict[str, bool] = {}
        self._structured_texts: dict[int, bool] = {}

    def find(self, paragraphs: Sequence[Span]) -> list[RemovedParagraph]:
        """Return the removals, in order."""
        long: list[Span] = []
        places: dict[str, list[Span]] = {}
        for span in paragraphs:
            self._by_text.setdefault(span.text, []).append(span)
            if span.end - span.start >= self._options.min_paragraph_characters:
                long.append(span)
                places.setdefault(self._content(span), []).append(span)
        first, copies = self._copies(places)
        near = self._near(first)
        return [
            self._removal(span, copies.get(span, span), near)
            for span in long
            if span in copies or span in near
        ]

    def _copies(self, places: Mapping[str, list[Span]]) -> tuple[list[Span], dict[Span, Span]]:
        """Return the first of each paragraph, and for all copies which that is."""
        first: list[Span] = []
        copies: dict[Span, Span] = {}
        for spans in places.values():
            prose = [s for s in spans if not self._is_structured(s)] if len(spans) > 1 else spans
            first += prose[:1]
            copies |= dict.fromkeys(prose[1:], *prose[:1])
        return sorted(first, key=lambda span: (span.text, span.start)), copies

    def _near(self, spans: Sequence[Span]) -> dict[Span, tuple[Span, float]]:
        if self._options.threshold is None:
            return {}
        merges = near_duplicates(
            [self._content(span) for span in spans],
            self._options.threshold,
            self._options,
            stays=[False] * len(spans),
            excluded=lambda index: self._is_structured(spans[index]),
        )
        return {spans[gone]: (spans[m.kept], m.similarity) for gone, m in merges.items()}

    def _removal(
        self, span: Span, first: Span, near: Mapping[Span, tuple[Span, float]]
    ) -> RemovedParagraph:
        kept, similarity = near.get(first, (first, 1.0))
        return RemovedParagraph(span, kept, self._content(span) == self._content(kept), similarity)

    def _content(self, span: Span) -> str:
        return self._texts[span.text][span.start : span.end]

    def _is_structured(self, span: Span) -> bool:
        content = self._content(span)
        if content not in self._structured:
            self._structured[content] = is_data(content) or is_code(content)
        return self._structured[content] or self._is_structured_text(span.text)

    def _is_structured_text(self, index: int) -> bool:
        if index not in self._structured_texts:
            spans = self._by_text[index]
            prose = "\n\n".join(map(self._content, spans[:_LOOKED_AT]))  # no fenced blocks
            self._structured_texts[index] = is_data(self._texts[index]) or is_code(
                prose, statements=2
            )
        return self._structured_texts[index]


def _without(texts: Sequence[str], removals: Sequence[RemovedParagraph]) -> tuple[str, ...]:
    by_text: dict[int, list[Span]] = {}
    for removal in removals:
        by_text.setdefault(removal.removed.text, []).append(removal.removed)
    return tuple(
        _cut(text, by_text[index]) if index in by_text else text for index, text in enumerate(texts)
    )


def _cut(text: str, spans: Sequence[Span]) -> str:
    """Return `text` without the paragraphs and the blank lines behind each of them."""
    kept: list[str] = []
    at = 0
    for span in spans:
        kept.append(text[at : span.start].rstrip(" \t"))
        blank_lines = _BLANK_LINES.match(text, span.end)
        at = span.end if blank_lines is None else blank_lines.end()
    if text[at:].strip():
        return "".join([*kept, text[at:]])
    left = "".join(kept).rstrip()  # the last paragraph is gone, so are the blank lines before it
    return left and left + text[len(text.rstrip()) :]
