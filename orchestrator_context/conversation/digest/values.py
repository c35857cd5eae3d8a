"""Values in a sentence: what an update would change. Numbers, dates, codes, names, choices."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import regex

from orchestrator_context.conversation.digest.languages import language
from orchestrator_context.conversation.digest.lexicon import Token
from orchestrator_context.conversation.digest.measures import measure_key, quantity
from orchestrator_context.conversation.digest.patterns import value_pattern
from orchestrator_context.conversation.digest.thesaurus import CHOICES

__all__ = ["Value", "values"]

_HASH = re.compile(r"(?=.*[0-9])(?=.*[a-f])[0-9a-f]{7,64}")
_NAME = regex.compile(
    r"\p{Lu}[\p{Ll}\p{M}]+(?:['’-]\p{Lu}?[\p{Ll}\p{M}]+)*(?:\s+\p{Lu}[\p{Ll}\p{M}]+(?:-\p{Lu}\p{Ll}+)*)*"
)
_GERMAN_ADJECTIVE = regex.compile(r"\p{Lu}\p{Ll}+(?:t|sch|lich|ig|end|neu|all|isch)e[nrsm]?\s")
_NOT_SPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_SENTENCE_START = regex.compile(r"(?:^|[.!?:。！？：]\s*)[\"'“‘(«»„\s-]*$")
_SETTING = "setting"  # what looks like an identifier, but is what the value is of
_IS_SET = regex.compile(  # behind the name of a setting: "max_retries = 3", "logLevel is now 2"
    r"(?i)\s*(?:=(?!=)|:(?![:/\w]))\s*\S"
    r"|\s+(?:is|to|(?:should|must|shall|will|can)\s+be|ist|auf|soll|est|à|es|a)\s+(?:(?:now|jetzt|nun|maintenant|ahora)\s+)?\d"
)
_NOT_NAMES = frozenset(
    "i i'd i'm i'll i've ok january february march april may june july august september october "
    "november december mr mrs ms dr".split()
)


class Value(NamedTuple):
    """Something that an update may change.

    Attributes:
        kind: what it is: url, email, code, quote, date, clock, money, path, id, hash, number, name,
            what a number with a unit measures, or the name of a set of choices.
        text: as it stands.
        key: what makes it equal to another one.
        start: where it begins in the sentence.
        end: where it ends.
    """

    kind: str
    text: str
    key: str
    start: int
    end: int

    @property
    def shape(self) -> str:
        """What it looks like: letters are one a or A, digits one 9, the rest stays."""
        return _shape(self.text)

    @property
    def is_hard(self) -> bool:
        """Whether it cannot be guessed: it holds a digit or is a name, a code or a quotation."""
        return self.kind not in _SOFT and (
            self.kind != "number" or self.text[-1:].isdigit() or "%" in self.text
        )


_SOFT = frozenset(CHOICE for CHOICE in ("tone", "units", "format", "color", "switch", "frequency"))


def values(text: str, words: list[Token]) -> tuple[Value, ...]:
    """Return the values of a sentence in order; none overlaps another."""
    found: list[Value] = []
    taken = [False] * (len(text) + 1)
    marked = sorted(
        (*_choices(text, words), *_patterned(text, words)),
        key=lambda value: value.start - value.end,
    )
    for value in (*marked, *_names(text, words)):
        if not any(taken[value.start : value.end]):
            taken[value.start : value.end] = [True] * (value.end - value.start)
            found.append(value)
    given = (value for value in found if value.kind != _SETTING)
    return tuple(sorted(given, key=lambda value: value.start))


def _patterned(text: str, words: list[Token]) -> Iterator[Value]:
    for match in value_pattern(words).finditer(text):
        kind = str(match.lastgroup)
        if kind == "plain":
            continue
        start, end = match.span(kind)
        while end > start and text[end - 1].isspace():
            end -= 1
        raw = text[start:end]
        if kind == "path" and not _is_path(raw):
            continue
        if kind == "measure":
            yield Value(quantity(raw), raw, measure_key(raw), start, end)
            continue
        if kind == "id":
            kind = _kind_of_id(text, raw, end)
        yield Value(kind, raw, _key(kind, raw), start, end)


def _kind_of_id(text: str, raw: str, end: int) -> str:
    if _HASH.fullmatch(raw):
        return "hash"
    if _is_setting(text, raw, end):
        return _SETTING
    return "name" if raw.isalpha() and raw.isupper() else "id"


def _is_setting(text: str, raw: str, end: int) -> bool:
    """Return whether a name says of what the value is that follows, and is none itself."""
    spelled = "_" in raw or not raw.isupper()
    spelled = spelled and not any(char.isdigit() for char in raw)
    return spelled and _IS_SET.match(text, end) is not None


def _is_path(raw: str) -> bool:
    """Return whether it is more than two words with a slash between, as in "and/or"."""
    parts = [part for part in re.split(r"[/\\]", raw) if part]
    marked = any(char.isdigit() or char in "._-~@" for char in raw)
    return marked or len(parts) > 2 or raw[0] in "/\\" or any(part[0].isupper() for part in parts)


def _names(text: str, words: list[Token]) -> Iterator[Value]:
    runs = [_without_opener(text, *match.span()) for match in _NAME.finditer(text)]
    if not runs:
        return
    spoken = language(words)
    inside = sum(
        start > 0 and not _SENTENCE_START.search(text, max(0, start - 6), start)
        for start, _ in runs
    )
    german = spoken == "de" or (not spoken and inside > 1 and _NOT_SPACED.search(text) is None)
    for start, end in runs:
        raw = text[start:end]
        alone = " " not in raw or (german and _GERMAN_ADJECTIVE.match(raw) is not None)
        first = _SENTENCE_START.search(text, max(0, start - 6), start) is not None
        if raw and not (alone and (german or first or raw.casefold() in _NOT_NAMES)):
            yield Value("name", raw, raw.casefold(), start, end)


def _without_opener(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of a name without a word before it that only begins the sentence."""
    first, _, rest = text[start:end].partition(" ")
    return (end - len(rest.lstrip()), end) if _only_opens(first) else (start, end)


@lru_cache(maxsize=8_192)
def _only_opens(word: str) -> bool:
    return word.casefold() in _OPENERS or bool(CHOICES.names(word))


_OPENERS = frozenset(
    """mein meine meinen meinem unsere unseren dein deine mes nuestra i we
    the this that these those a an our my your his her its their please only use never always when "
    "if for from at in on to by with and but so also keep put set do no der die das ein eine unser "
    "bitte nur le la les un une notre mon ma el los las un una nuestro mi ask tell call let make "
    "send report name every each all before after until without must should may can""".split()
)


def _choices(text: str, words: list[Token]) -> Iterator[Value]:
    for found in CHOICES.find(text, words):
        raw = text[found.start : found.end]
        for kind in sorted(found.names)[:1]:
            if kind == "switch" and len(raw) < 4 and raw.isascii():
                continue
            yield Value(kind, raw, raw.casefold()[:_CHOICE_STEM], found.start, found.end)


_CHOICE_STEM = 5  # letters that tell choices apart: "Friday" and "Fridays" are one
_NUMBER_WORD = re.compile(r"[^\W\d_]+")
_AMOUNT = re.compile(r"\d[\d.,]*\d|\d")


@lru_cache(maxsize=8_192)
def _key(kind: str, raw: str) -> str:
    folded = unicodedata.normalize("NFKC", raw).casefold()
    if kind in ("money", "number"):
        amount = _AMOUNT.search(folded)
        if amount is not None:
            return amount[0].replace(",", "") + ("%" if "%" in folded else "")
        return " ".join(word for word in _NUMBER_WORD.findall(folded))
    return folded


@lru_cache(maxsize=8_192)
def _shape(text: str) -> str:
    shape = re.sub(r"[^\W\d_]+", lambda run: "A" if run[0][0].isupper() else "a", text)
    return re.sub(r"\d+", "9", shape)
