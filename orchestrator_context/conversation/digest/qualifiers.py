"""What tells the subject of a sentence from others of its sort: "upload limit", "Bob's phone"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import regex

from orchestrator_context.conversation.digest.kinds import CHATTER
from orchestrator_context.conversation.digest.labels import LABEL_WORDS
from orchestrator_context.conversation.digest.lexicon import Found, Token
from orchestrator_context.conversation.digest.subjects import Term
from orchestrator_context.conversation.digest.thesaurus import LIGHT
from orchestrator_context.conversation.digest.values import Value

__all__ = ["modifiers_of", "owners_of", "pivot_of"]

_LINKS = frozenset(
    "for of in on für von der des im de du des pour en del para por для в на".split()
)
_PURPOSE = frozenset("for für pour para для".split())
_ARTICLES = frozenset("the a an our der die das den dem la le les el los las l".split())
_GAP = regex.compile(r"[\s'’-]*(?:s\s+)?")
_NAMING = frozenset({"name", "programming", "tongue"})
_TELLING = frozenset({"color", "frequency"})
_MEASURED = frozenset("ceiling money due size port password timeout retry contact".split())
_NUMBERED = regex.compile(r"\p{L}+\s+([\p{L}\p{N}_.-]*\p{N}[\p{L}\p{N}_.-]*|\p{Lu})(?=\s)")
_FOR = regex.compile(r"(?i)(?:\b(?:for|für|pour|para|для)|^\W*(?:in|bei|en|dans|в))\s+$")
_LONGEST_FOR = 8
_POSSESSIVE = regex.compile(r"['’]s\b|['’](?=\s)")
_ABBREVIATION = regex.compile(
    r"(?<![\p{Latin}\p{Cyrillic}\p{N}_])\p{Lu}{2,4}(?![\p{Latin}\p{Cyrillic}\p{N}_])"
)
_NO_NAMES = CHATTER | LABEL_WORDS | {"fyi", "ps", "nb", "btw", "todo", "asap"}
_LETTER = regex.compile(r"(?<=\p{L}{2}\s)(?!I\b)\p{Lu}(?=\s)")


def modifiers_of(
    text: str, words: list[Token], terms: Mapping[int, Term], given: tuple[Value, ...]
) -> dict[str, frozenset[str]]:
    """Return for each word of the subject the words that stand before it, or behind an "of".

    A value may stand between it and what it is for: "port 22 for the tunnel".
    """
    modifiers: dict[str, frozenset[str]] = {}
    before: frozenset[str] = frozenset()
    head, valued, linked, end = "", "", False, 0
    inside = {start for value in given for start in range(value.start, value.end)}
    for word in words:
        term = terms.get(word.start)
        gap = text[end : word.start]
        adjacent = gap == " " or _GAP.fullmatch(gap) is not None
        if word.start in inside:
            valued = (head or valued) if adjacent else ""
            before, head, linked = frozenset[str](), "", False
        elif term is None or not term.stem:
            if valued and adjacent and word.word in _PURPOSE:
                head = valued
            linked = adjacent and (
                (word.word in _LINKS and head != "") or (linked and word.word in _ARTICLES)
            )
            before, valued = frozenset[str](), ""
            head = head if linked else ""
        else:
            before = before if adjacent else frozenset()
            light = term.stem in LIGHT
            if linked and head and adjacent and not light:
                modifiers[head] = modifiers.get(head, frozenset()) | term.keys
            for key in term.keys:
                if before:
                    modifiers[key] = modifiers.get(key, frozenset()) | before
            head, valued, linked = min(term.keys), "", False
            before = before if light else before | term.keys
        end = word.end
    return modifiers


def pivot_of(found: list[Found]) -> int:
    """Return where "is", "prefers" or the like stands, 0 where nothing of the sort does."""
    return min((hit.start for hit in found if hit.names & {"copula", "prefer"}), default=0)


def owners_of(
    text: str, given: tuple[Value, ...], terms: Mapping[int, Term], pivot: int
) -> frozenset[str]:
    """Return what says whose or which one a sentence is of, beside its other values.

    Names with an 's, names that come first or behind a "for", colours that come first, and numbers
    and letters that tell a thing from others of its sort: "invoice 1001 was paid", "server B is".
    Abbreviations count as names: "use port 22 for SSH".
    """
    first = min(terms, default=len(text))
    counted = first in terms and not terms[first].concepts & _MEASURED
    numbered = _NUMBERED.match(text, first) if counted else None
    owners = {letter[0] for letter in _LETTER.finditer(text, 0, pivot)}
    if numbered is not None and numbered[1].isupper():
        owners.add(numbered[1])
    if given and not (text.isupper() and " " in text):
        owners.update(_abbreviations(text, terms, first))
    at = numbered.start(1) if numbered is not None else -1
    owners.update(
        value.key
        for value in given
        if _counts(value, given, at, pivot)
        or (value.kind == "name" and _POSSESSIVE.match(text, value.end) is not None)
        or (_leads(text, value, first) and any(other.kind != value.kind for other in given))
    )
    return frozenset(owners)


def _abbreviations(text: str, terms: Mapping[int, Term], first: int) -> Iterator[str]:
    """Yield abbreviations that come first, or behind a "for"."""
    for found in _ABBREVIATION.finditer(text):
        word, start = found[0].casefold(), found.start()
        if start in terms and word not in _NO_NAMES:
            leads = start == first
            if leads or _FOR.search(text, max(0, start - _LONGEST_FOR), start) is not None:
                yield word


def _counts(value: Value, given: tuple[Value, ...], at: int, pivot: int) -> bool:
    """Return whether a number names a thing: it stands at `at`, or before what is said of it."""
    if value.kind not in ("number", "id"):
        return False
    if value.start == at and value is not given[-1]:
        return True
    return value.end <= pivot and any(other.kind != value.kind for other in given)


def _leads(text: str, value: Value, first_term: int) -> bool:
    """Return whether a name or the like comes first, or behind a "for"."""
    if value.kind in _NAMING | _TELLING and value.start <= first_term:
        return True
    before = max(0, value.start - _LONGEST_FOR), value.start
    return value.kind in _NAMING and _FOR.search(text, *before) is not None
