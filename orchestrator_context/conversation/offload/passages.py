"""The passages of a text that have to do with a query."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from orchestrator_context.conversation.offload.lines import Span
from orchestrator_context.conversation.offload.outline import sections
from orchestrator_context.rank import Strictness, Unit, question_words
from orchestrator_context.rank.worth import ranked
from orchestrator_context.text import grapheme_break
from orchestrator_context.words import words

_LEAST_SHARE = 0.2  # there is room for more than the best
_LEAST_WORDS = 2  # that one passage must hold of a query of four words and more
_LONGEST_LABEL = 80  # characters
_WHOLE_CHARACTERS = 2_000_000
"""Of longer texts, only as much is ranked, from the passages that hold most words of the query."""


def cut(text: str, span: Span, characters: int) -> Iterator[Span]:
    """Yield passages of up to so many characters that put together are the span.

    They end behind a blank line or else a line. Only a line of twice that length is cut, between
    words or else graphemes.
    """
    start, end = span
    while start < end:
        stop = _stop(text, start, end, characters)
        yield start, stop
        start = stop


def _stop(text: str, start: int, end: int, characters: int) -> int:
    limit = start + characters
    if limit >= end:
        return end
    blank = text.rfind("\n\n", start + characters // 3, limit) + 2
    line = text.rfind("\n", start, limit) + 1
    if blank > 1 or line:
        return blank if blank > 1 else line
    line = text.find("\n", limit, start + 2 * characters) + 1
    if line or start + 2 * characters >= end:
        return line or end
    cut = text.rfind(" ", start + characters // 2, limit) + 1 or limit
    return start + (grapheme_break(text[start : cut + 1], cut - start) or cut - start)


def relevant(query: str, text: str, passages: Sequence[Span], *, title: str) -> list[int]:
    """Return the positions of the passages to show, the best first; none where nothing matches.

    Those that hold the query word for word come first. The others are ranked by their words and
    by the heading or definition that they stand under. Near linear.
    """
    phrase = query.strip().lower()
    literal = {at for at, span in enumerate(passages) if phrase in text[slice(*span)].lower()}
    asked = question_words(query)
    chosen: Sequence[int] = range(len(passages))
    if passages and passages[-1][1] - passages[0][0] > _WHOLE_CHARACTERS:
        chosen = _worth_reading(query, text, passages)
    labels = _labels(text, title, passages)
    units = [
        Unit(text[slice(*passages[at])], at, order, label=labels[at])
        for order, at in enumerate(chosen)
    ]
    strictness = Strictness(_LEAST_SHARE, min(_LEAST_WORDS, math.isqrt(len(asked))))
    order = [chosen[position] for position, _ in ranked(query, units, strictness)] if units else []
    order += sorted(literal.difference(order))
    return sorted(order, key=lambda at: at not in literal)


def _labels(text: str, title: str, passages: Sequence[Span]) -> list[str]:
    """Return for each passage the heading or definition that it stands under."""
    found = sections(text, title)
    starts = [section.start for section in found]
    places = [bisect_right(starts, start) for start, _ in passages]
    return [found[at - 1].text[:_LONGEST_LABEL] if at else "" for at in places]


def _worth_reading(query: str, text: str, passages: Sequence[Span]) -> list[int]:
    """Return the passages with most words of the query, as many as can be ranked, in order."""
    roots = {_root(word, stem) for word, stem in _stems(query)}
    if not roots:
        return []
    pattern = re.compile("|".join(re.escape(root) for root in sorted(roots)))
    held = [len(set(pattern.findall(text[slice(*span)].lower()))) for span in passages]
    room, chosen = _WHOLE_CHARACTERS, list[int]()
    for at in sorted(range(len(passages)), key=lambda at: -held[at]):
        room -= passages[at][1] - passages[at][0]
        if room < 0 or not held[at]:
            break
        chosen.append(at)
    return sorted(chosen)


def _stems(query: str) -> Iterator[tuple[str, str]]:
    asked = question_words(query)
    both = zip(words(query), words(query, stem=True), strict=True)
    return (pair for pair in both if pair[1] in asked)


def _root(word: str, stem: str) -> str:
    """Return what all forms of a word are likely to begin with."""
    root = stem.removesuffix("i")  # of story and stories
    return root if word.startswith(root) else word[: max(3, len(word) - 3)]
