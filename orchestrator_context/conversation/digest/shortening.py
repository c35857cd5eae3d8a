"""The same statement in fewer words: openings and politeness first, then small words, then asides.

Words are only ever taken away. Numbers, identifiers, names, quotations, negations and the words
that forbid, limit or except stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import regex

from orchestrator_context.conversation.digest.fillers import (
    ARTICLES,
    ASIDE,
    EXPLANATION,
    LEAD_IN,
    POLITE,
)
from orchestrator_context.conversation.digest.labels import label_end
from orchestrator_context.conversation.digest.languages import language
from orchestrator_context.conversation.digest.lexicon import tokens
from orchestrator_context.conversation.digest.statements import (
    Statement,
    keys_in,
    statement,
    values_in,
)

__all__ = ["LEVELS", "is_idle", "shortened"]

LEVELS = 4
"""0 as it was said, 1 without openings and politeness, 2 without small words, 3 without asides."""

_MOST_LEAD_INS = 3
_FEWEST_WORDS_LEFT = 2
_END = regex.compile(r"[.。]$")
_SPACES = regex.compile(r"\s+")
_LOOSE_STOP = regex.compile(r"\s+([.,;:!?])")
_OPENING = frozenset({"we", "wir", "nous"})
_MATTERS = frozenset({"negation", "forbid", "oblige", "only", "limit", "permit"})


def is_idle(said: Statement) -> bool:
    """Return whether a sentence, or a part of one, gives no value, no exception and no order."""
    return not said.values and not said.cues & _MATTERS and said.kind in ("note", "fact", "chatter")


@lru_cache(maxsize=8_192)
def shortened(text: str, level: int) -> str:
    """Return one sentence at a level of brevity, `text` itself at level 0."""
    if level >= 1:
        text = _trimmed(text)
    if level >= 3:
        text = _without_asides(text)
    if level >= 2:
        text = _telegraphic(text)
    return text


def _trimmed(text: str) -> str:
    for _ in range(_MOST_LEAD_INS):
        rest = POLITE.sub("", LEAD_IN.sub("", text[label_end(text) :], count=1))
        if rest == text or not _says_as_much(rest, text):
            break
        text = rest
    return _END.sub("", text) if not text.endswith("..") else text


def _says_as_much(rest: str, text: str) -> bool:
    return keys_in(rest) == keys_in(text) and len(rest) > 1


def _telegraphic(text: str) -> str:
    words = tokens(text)
    small = ARTICLES.get(language(words), frozenset())
    if not small:
        return text
    given = values_in(text)
    dropped: list[tuple[int, int]] = []
    for word, after in zip(words, [*words[1:], None], strict=True):
        opening = word.start == 0 and word.word in _OPENING
        inside = any(value.start < word.end and word.start < value.end for value in given)
        negated = after is not None and after.word in ("not", "no", "nicht", "pas", "no", "не")
        apart = text[word.end : word.end + 1] in ("", " ") and text[
            word.start - 1 : word.start
        ] in ("", " ")
        if (
            (word.word in small or opening)
            and not inside
            and not negated
            and apart
            and after is not None
        ):
            dropped.append((word.start, word.end))
    rest = _cut(text, dropped)
    return rest if len(rest.split()) >= _FEWEST_WORDS_LEFT else text


def _without_asides(text: str) -> str:
    spans = [aside.span() for aside in ASIDE.finditer(text) if _is_aside(aside[0])]
    text = _cut(text, spans)
    for pause in EXPLANATION.finditer(text):
        head, tail = text[: pause.start()], text[pause.start() :]
        if _is_aside(tail) and len(statement(head).subject) >= _FEWEST_WORDS_LEFT:
            return head
    return text


def _is_aside(part: str) -> bool:
    said = statement(part.strip(" ,;()（）"))
    return not said.values and not said.cues & _MATTERS


def _cut(text: str, spans: Iterable[tuple[int, int]]) -> str:
    kept: list[str] = []
    at = 0
    for start, end in spans:
        kept.append(text[at:start])
        at = end
    kept.append(text[at:])
    rest = _LOOSE_STOP.sub(r"\1", _SPACES.sub(" ", " ".join(kept))).strip(" ,;")
    return rest if at else text
