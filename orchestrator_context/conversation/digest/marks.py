"""What tells one thing from others of its sort: "project Orion", "pump 3", "the office of Bern".

Nobody can say by the word alone whether it is a mark or the value: in "use port 22" the number is
what the sentence gives. So a mark is told by its place, right beside a noun, and counts only where
another value changes beside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import regex

from orchestrator_context.conversation.digest.cues import CUES
from orchestrator_context.conversation.digest.kinds import IMPERATIVES
from orchestrator_context.conversation.digest.languages import language
from orchestrator_context.conversation.digest.lexicon import Found, Token
from orchestrator_context.conversation.digest.subjects import Term, stem
from orchestrator_context.conversation.digest.thesaurus import CONCEPTS, LIGHT, ROLES
from orchestrator_context.conversation.digest.values import Value

__all__ = ["MARKING", "Marks", "amounts_of", "is_of", "marks_of", "names_of"]

Marks: TypeAlias = Mapping[str, frozenset[tuple[str, ...]]]
"""For a word of the subject, the names and numbers that stand beside it, each in its words."""

_NAME, _NUMBER = " @", " #"  # sorts of marks

MARKING = frozenset("name id number hash code quote path color programming tongue".split())
"""Kinds of values that may tell things apart; nothing is named after a date or a sum."""

_AMOUNTS = frozenset("ceiling money due size timeout retry".split())
_LINKS = frozenset("of for von für de d' du des del pour para для".split())
_NUMBERING = frozenset("no nr number nummer numéro número номер".split())
_ARTICLES = frozenset("the der die das den dem la le les el los las l'".split())
_GAP = regex.compile(r"""(?:['’]s)?[\s"'“„«‘`(#№.]{1,3}|-""")
_DIGIT = regex.compile(r"\p{N}")
_LONGEST_NAME = 4  # words
_NUMBERED = regex.compile(r"(\p{L}{3,})[-_]?(\p{N}+)")
_CAPITAL = regex.compile(r"(?!I$)\p{Lu}")
_WIDE = r"[\p{Han}\p{Katakana}ー--[是为為过過超到达達在从改成的和与]]"
_WIDE_BEFORE = regex.compile(rf"(?rV1)({_WIDE}{{1,2}})[\s「『“\"]?")
_WIDE_BEHIND = regex.compile(rf"(?V1)[」』”\"\s]?(号|號|番)?({_WIDE}{{1,2}})")
_KANA = regex.compile(r"[\p{Katakana}ー]+")
_KANA_BEFORE = regex.compile(r"(?r)[\p{Katakana}ー]+")


class _Unit(NamedTuple):
    """A word, or a value as a whole; names are taken word by word."""

    word: str
    start: int
    end: int
    kind: str


def marks_of(
    text: str,
    words: list[Token],
    terms: Mapping[int, Term],
    given: tuple[Value, ...],
    cues: list[Found],
) -> Marks:
    """Return for each noun the names, numbers and codes that stand right before or behind it."""
    units = _units(words, given)
    german = language(words) == "de"
    marks: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    for at, unit in enumerate(units):
        numbered = _NUMBERED.fullmatch(unit.word) if unit.kind == "id" else None
        if numbered is not None:
            marks[stem(numbered[1]) + _NUMBER].add((numbered[2],))
        for key in _heads(text, unit, terms, german=german):
            for mark in (_behind(text, units, at, key), _ahead(text, units, at)):
                if mark:
                    marks[_place(key, mark)].add(mark)
    for key, name in () if text.isascii() else _wide_marks(text, units, cues):
        marks[_place(key, (name,))].add((name,))
    return {place: frozenset(found) for place, found in marks.items()}


def amounts_of(
    text: str, words: list[Token], terms: Mapping[int, Term], given: tuple[Value, ...]
) -> frozenset[str]:
    """Return the numbers that count what follows: "allow 3 retries", but not "pump 3 leaks"."""
    first = min(terms, default=-1)
    after = {before.end: word for before, word in pairwise(words)}
    german = language(words) == "de"
    opener = next((word for word in words if word.start == first), None)
    named = opener is not None and opener.word not in IMPERATIVES and not CUES.names(opener.word)
    return frozenset(
        value.key
        for value in given
        if value.kind == "number"
        and (word := after.get(value.end)) is not None
        and word.start == value.end + 1
        and word.start in terms
        and (text[word.start].isupper() or not german)
        and terms[word.start].stem not in LIGHT
        and not (named and opener is not None and value.start == opener.end + 1)
    )


def is_of(value: Value, marks: frozenset[str]) -> bool:
    """Return whether a value is one of these marks, or holds one: "pump-3", "Lena Fox"."""
    if value.kind == "id":
        numbered = _NUMBERED.fullmatch(value.key)
        return value.key in marks or (numbered is not None and numbered[2] in marks)
    if value.kind == "name":
        return not marks.isdisjoint(stem(word) or word for word in value.key.split())
    return value.key in marks


def _place(key: str, mark: tuple[str, ...]) -> str:
    """Return a noun with the sort of its mark: "port 22" and "the port of the tunnel" may agree."""
    return key + (_NUMBER if _DIGIT.search(mark[0]) else _NAME)


def names_of(marks: Marks) -> frozenset[str]:
    """Return the words of those marks that are names."""
    named = (beside for place, beside in marks.items() if place.endswith(_NAME))
    return frozenset(word for beside in named for mark in beside for word in mark)


def _ahead(text: str, units: list[_Unit], at: int) -> tuple[str, ...]:
    """Return the name that stands before the word at `at`; a capital that opens is none."""
    before = units[at - 1] if at else units[at]
    named = before.kind or before.start > units[0].start
    if not named or not _names(text, before) or not _adjoin(text, before, units[at]):
        return ()
    return (_key(before),)


def _units(words: list[Token], given: tuple[Value, ...]) -> list[_Unit]:
    whole = [value for value in given if value.kind != "name"]
    inside = {at for value in whole for at in range(value.start, value.end)}
    units = [
        _Unit(word.word, word.start, word.end, "") for word in words if word.start not in inside
    ]
    units += [_Unit(value.key, value.start, value.end, value.kind) for value in whole]
    return sorted(units, key=lambda unit: unit.start)


def _heads(text: str, unit: _Unit, terms: Mapping[int, Term], *, german: bool) -> frozenset[str]:
    """Return what a word is compared by, nothing for one that cannot have a mark."""
    if unit.kind or unit.word in _NUMBERING or (german and not text[unit.start].isupper()):
        return frozenset()
    term = terms.get(unit.start)
    if term is not None:
        return frozenset() if term.concepts & ROLES else term.keys
    root = stem(unit.word) if text[unit.start].isupper() else ""
    return frozenset({root} if root else ())


def _behind(text: str, units: list[_Unit], at: int, key: str) -> tuple[str, ...]:
    """Return the names and numbers that stand behind the word at `at`, one behind the other."""
    start, linked = at + 1, False
    while start < len(units) and (
        units[start].word in _NUMBERING | _LINKS | (_ARTICLES if linked else frozenset())
    ):
        if not _adjoin(text, units[start - 1], units[start]):
            return ()
        linked = linked or units[start].word in _LINKS
        start += 1
    chain: list[str] = []
    for before, unit in pairwise(units[start - 1 : start + _LONGEST_NAME]):
        counts = unit.kind == "number" and (linked or key.removeprefix("$") in _AMOUNTS)
        if counts or not _marks(text, unit) or not _adjoin(text, before, unit):
            break
        chain.append(_key(unit))
    return tuple(chain)


def _adjoin(text: str, one: _Unit, other: _Unit) -> bool:
    return _GAP.fullmatch(text, one.end, other.start) is not None


def _marks(text: str, unit: _Unit) -> bool:
    """Return whether a word or value can be the name or the number of a thing."""
    return unit.kind in MARKING if unit.kind else _names(text, unit)


def _names(text: str, unit: _Unit) -> bool:
    """Return whether it can be a name: a capital, a code, a colour; but a number is an amount."""
    if unit.kind:
        return unit.kind in MARKING and unit.kind != "number"
    capital = _CAPITAL.match(text, unit.start, unit.end) is not None
    return capital and (unit.end - unit.start == 1 or stem(unit.word) != "")


def _key(unit: _Unit) -> str:
    return unit.word if unit.kind else stem(unit.word) or unit.word


def _wide_marks(text: str, units: list[_Unit], cues: list[Found]) -> Iterator[tuple[str, str]]:
    """Yield characters without spaces beside a name or a number, and the name: "3号泵", "A组"."""
    concepts = list(CONCEPTS.find(text, []))
    unnamed = [found for found in concepts if found.names & (ROLES | _AMOUNTS)]
    closed = {at for found in (*cues, *unnamed) for at in range(found.start, found.end)}
    for unit in units:
        if not _marks(text, unit):
            continue
        before = _WIDE_BEFORE.match(text, 0, unit.start)
        if before is not None and before.end(1) - 1 not in closed:
            yield from ((head, _key(unit)) for head in before[1])
        behind = _WIDE_BEHIND.match(text, unit.end)
        counts = behind is not None and (behind[1] or unit.kind != "number")
        if behind is not None and counts and behind.start(2) not in closed:
            yield from ((head, _key(unit)) for head in behind[2])
    for concept in concepts:
        word = text[concept.start : concept.end]
        if _KANA.fullmatch(word):
            before = _KANA_BEFORE.match(text, 0, concept.start)
            name = before or _KANA.match(text, concept.end)
            if name is not None:
                yield word, name[0]
