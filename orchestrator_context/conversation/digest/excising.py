"""Taking a value that no longer holds out of a sentence that also says what does."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from orchestrator_context.conversation.digest.statements import Statement, statement

__all__ = ["without_values"]

_BEFORE = regex.compile(
    r"""(?xi)
    [\s,(]* (?:
      \b(?:(?:up|down)\s+)?from(?:\s+the)? | \binstead\s+of | \brather\s+than | \bno\s+longer | \bnot
    | \b(?:was|previously|formerly|used\s+to\s+be|up\s+to\s+now|before)
    | \bstatt | \banstelle\s+von | \bvon | \bnicht(?:\s+mehr)? | \bbisher | \bvorher | \bfrüher
    | \bau\s+lieu\s+d[e'] | \bplutôt\s+que | \bde | \bnon(?:\s+plus)? | \bavant | \bpas
    | \ben\s+(?:lugar|vez)\s+de | \bantes | \bno | \bya\s+no
    | \bвместо | \bс | \bа\s+не | \bраньше | \bне
    | 而不是 | 不再是 | 不是 | 从 | 由 | 原来的? | 之前的?
    | (?<=[はを])
    ) \s* (?:\p{L}+\s+){0,2} $"""
)
_AFTER = regex.compile(r"^(?:\s*(?:から|ではなく|じゃなく|の代わりに)|\s*[,)]?)")
_CLAUSE = regex.compile(
    r"(?i)[;；]\s*|,\s+|，|、(?=[^、]{6})|\s+(?:and|und|et|y|и|but|aber|mais|pero|но)\s+|(?<=[^\s])\s+[–—]\s+"
)


def without_values(said: Statement, stale: frozenset[str], *, whole_clauses: bool = False) -> Statement:
    """Return a statement without the values of `stale`, as far as it can be said without them.

    "from 300 to 450" becomes "to 450", "Monday instead of Friday" becomes "Monday"; else the clause
    that names the value goes, where another clause is left that says something.

    Args:
        said: the statement.
        stale: keys of values.
        whole_clauses: whether to take nothing less than clauses.
    """
    text = said.text
    if not stale & said.keys:
        return said
    if not whole_clauses:
        text = _without_phrases(said, stale)
        if not statement(text).keys & stale:
            return statement(text)
    clauses = list(_clauses(text))
    kept = [clause for clause in clauses if not statement(clause).keys & stale]
    if not kept or len(kept) == len(clauses):
        return statement(text)
    return statement(_tidy(", ".join(kept)))


def _without_phrases(said: Statement, stale: frozenset[str]) -> str:
    text = said.text
    for value in reversed(said.values):
        if value.key not in stale:
            continue
        before = _BEFORE.search(text, max(0, value.start - 40), value.start)
        after = _AFTER.match(text[value.end :])
        end = value.end + (after.end() if after else 0)
        marked_after = after is not None and after[0].strip(" ,)") != ""
        if before is not None or marked_after:
            start = before.start() if before is not None else value.start
            text = text[:start] + " " + text[end:]
    return _tidy(text)


def _clauses(text: str) -> Iterator[str]:
    start = 0
    for pause in _CLAUSE.finditer(text):
        yield text[start : pause.start()]
        start = pause.end()
    yield text[start:]


def _tidy(text: str) -> str:
    return regex.sub(r"\s+([.,;:!?])", r"\1", regex.sub(r"\s+", " ", text)).strip(" ,;")
