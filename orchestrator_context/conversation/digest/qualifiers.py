"""What tells the subject of a sentence from others of its sort: "upload limit", "Bob's phone"."""

from __future__ import annotations

from collections.abc import Mapping

import regex

from orchestrator_context.conversation.digest.lexicon import Found, Token
from orchestrator_context.conversation.digest.subjects import Term
from orchestrator_context.conversation.digest.thesaurus import LIGHT
from orchestrator_context.conversation.digest.values import Value

__all__ = ["modifiers_of", "owners_of", "pivot_of"]

_LINKS = frozenset(
    "for of in on für von der des im de du des pour en del para por для в на".split()
)
_ARTICLES = frozenset("the a an our der die das den dem la le les el los las l".split())
_GAP = regex.compile(r"[\s'’-]*(?:s\s+)?")
_NAMING = frozenset({"name", "programming", "tongue"})
_TELLING = frozenset({"color", "frequency"})
_MEASURED = frozenset("ceiling money due size port password timeout retry contact".split())
_NUMBERED = regex.compile(r"\p{L}+\s+([\p{L}\p{N}_.-]*\p{N}[\p{L}\p{N}_.-]*|\p{Lu})(?=\s)")
_FOR = regex.compile(r"(?i)(?:\b(?:for|für|pour|para|для)|^\W*(?:in|bei|en|dans|в))\s+$")
_LONGEST_FOR = 8
_POSSESSIVE = regex.compile(r"['’]s\b|['’](?=\s)")
_LETTER = regex.compile(r"(?<=\p{L}{2}\s)(?!I\b)\p{Lu}(?=\s)")


def modifiers_of(
    text: str, words: list[Token], terms: Mapping[int, Term]
) -> dict[str, frozenset[str]]:
    """Return for each word of the subject the words that stand before it, or behind an "of"."""
    modifiers: dict[str, frozenset[str]] = {}
    before: frozenset[str] = frozenset()
    head, linked, end = "", False, 0
    for word in words:
        term = terms.get(word.start)
        adjacent = _GAP.fullmatch(text, end, word.start) is not None
        if term is None or not term.stem:
            linked = adjacent and (
                (word.word in _LINKS and head != "") or (linked and word.word in _ARTICLES)
            )
            before = frozenset()
            head = head if linked else ""
        else:
            before = before if adjacent else frozenset()
            light = term.stem in LIGHT
            if linked and head and adjacent and not light:
                modifiers[head] = modifiers.get(head, frozenset()) | term.keys
            for key in term.keys:
                if before:
                    modifiers[key] = modifiers.get(key, frozenset()) | before
            head, linked = min(term.keys), False
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
    """
    first = min(terms, default=len(text))
    counted = first in terms and not terms[first].concepts & _MEASURED
    numbered = _NUMBERED.match(text, first) if counted else None
    owners = {letter[0] for letter in _LETTER.finditer(text, 0, pivot)}
    if numbered is not None and numbered[1].isupper():
        owners.add(numbered[1])
    at = numbered.start(1) if numbered is not None else -1
    owners.update(
        value.key
        for value in given
        if _counts(value, given, at, pivot)
        or (value.kind == "name" and _POSSESSIVE.match(text, value.end) is not None)
        or (_leads(text, value, first) and any(other.kind != value.kind for other in given))
    )
    return frozenset(owners)


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
