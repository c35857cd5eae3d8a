"""Taking a value that no longer holds out of a sentence that also says what does."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from orchestrator_context.conversation.digest.statements import (
    Statement,
    keys_in,
    statement,
    values_in,
)
from orchestrator_context.conversation.digest.values import Value

__all__ = ["conditions", "outdated", "remainder", "without_values"]

_BEFORE = regex.compile(
    r"""(?xi)
    [\s,(]* (?:
      \b (?:
        (?:(?:up|down)\s+)?from(?:\s+the)? | instead\s+of | rather\s+than | no\s+longer | not
      | (?:was|were|war|waren|lag|lagen|était|era|был[ао]?)
        (?=\s+(?:(?:at|on|in|about|only|bei|um|am)\s+)*$)  # "was raised to" gives the newer one
      | previously | formerly | used\s+to\s+be | up\s+to\s+now | before
      | statt | anstelle\s+von | von | nicht(?:\s+mehr)? | bisher | vorher | früher
      | au\s+lieu\s+d[e'] | plutôt\s+que | de | non(?:\s+plus)? | avant | pas
      | en\s+(?:lugar|vez)\s+de | antes | no | ya\s+no
      | вместо | с | а\s+не | раньше | не
      ) (?: (?<=') | (?!\p{L}) )  # the whole word, and not the beginning of "now"
    | 而不是 | 不再是 | 不是 | 从 | 由 | 原来的? | 之前的?
    | (?<=[はを])
    ) \s* (?:\p{L}+\s+){0,2} $"""
)
_PREPOSITION = regex.compile(
    r"""(?xi) \b(?:on|at|in|by|until|to|for|from|with|am|um|bis|ab|im|mit|für|von|zum|le|au|à|dès|
    pour|avec|el|al|a|desde|hasta|para|con|в|на|до|с|для) \s+ (?:(?:the|dem|der|den|la|el)\s+)?
    (?:\p{L}+\s+)?  # what the value tells apart, as in "in room 4"
    $"""
)
_UNIT = regex.compile(r"\s?(\p{L}+|[%°€$£¥])(?!\p{L})[,)]?")
_ENDS_CLAUSE = regex.compile(r"\s*(?:[^\w\s]|$)")
_FURTHEST = 40  # characters before a value, as far as "from" or "instead of" may stand
_AFTER = regex.compile(r"^(?:\s*(?:から|ではなく|じゃなく|の代わりに)|\s*[,)]?)")
_CLAUSE = regex.compile(
    r"(?i)[;；]\s*|,\s+|，|、(?=[^、]{6})|(?:和|与|及|以及)(?=\d)|\s+(?:and|und|et|y|и|but|aber|mais|pero|но)\s+|(?<=[^\s])\s+[–—]\s+"
)


def without_values(said: Statement, stale: frozenset[str]) -> Statement:
    """Return a newer statement without the older values of `stale` that it names as well.

    "from 300 to 450" becomes "to 450", "Monday instead of Friday" becomes "Monday"; else the clause
    that names the value goes, where another clause is left that says something.
    """
    if not stale & said.keys:
        return said
    text = _without_phrases(said, stale, _BEFORE)
    if not keys_in(text) & stale:
        return statement(text)
    return _kept_clauses(said, stale) or statement(text)


def outdated(said: Statement) -> frozenset[str]:
    """Return the values that a statement itself calls old: "from 300 to 450", "not 300 but 450"."""
    old = [value for value in said.values if _is_marked(said.text, value.start, value.end)]
    current = {value.kind for value in said.values if value not in old}
    return frozenset(value.key for value in old if value.kind in current)


def _is_marked(text: str, start: int, end: int) -> bool:
    after = _AFTER.match(text[end:])
    before = _BEFORE.search(text, max(0, start - _FURTHEST), start)
    return before is not None or (after is not None and after[0].strip(" ,)") != "")


def remainder(said: Statement, stale: frozenset[str]) -> Statement | None:
    """Return what an older statement says beside the values of `stale`, None if nothing.

    Whole clauses are kept that give other values; else the value goes with its preposition: "on 14
    June at St. Mary's" leaves "at St. Mary's".
    """
    rest = _kept_clauses(said, stale)
    text = _without_phrases(said, stale, _PREPOSITION) if rest is None else rest.text
    if keys_in(text) & stale or not any(value.is_hard for value in values_in(text)):
        return None
    rest = statement(text)
    return rest if rest.subject else None


def conditions(said: Statement) -> list[Statement]:
    """Return the clauses of a statement that forbid or demand and give no value."""
    clauses = [statement(clause.strip(" ,;")) for clause in list(_clauses(said.text))[1:]]
    return [
        clause
        for clause in clauses
        if not clause.values and clause.cues & {"forbid", "oblige"} and len(clause.subject) > 0
    ]


def _kept_clauses(said: Statement, stale: frozenset[str]) -> Statement | None:
    clauses = list(_clauses(said.text))
    if len(clauses) == 1:
        return None
    kept = [clause for clause in clauses if not keys_in(clause) & stale]
    if not kept or len(kept) == len(clauses):
        return None
    return statement(_tidy(_lead(clauses[0], kept[0]) + ", ".join(kept)))


def _lead(first: str, kept: str) -> str:
    """Return what leads up to the values, where the first clause goes and a bare value is left.

    Of "The cap is 300 requests and 20 users", that is "The cap is", and "20 users" is left.
    """
    left, gone = values_in(kept), values_in(first)
    bare = kept is not first and left and left[0].start == 0
    return first[: gone[0].start] if bare and gone else ""


def _without_phrases(said: Statement, stale: frozenset[str], before_it: regex.Pattern[str]) -> str:
    text = said.text
    for value in reversed(said.values):
        if value.key not in stale:
            continue
        before = before_it.search(text, max(0, value.start - _FURTHEST), value.start)
        after = _AFTER.match(text[value.end :])
        end = value.end + (after.end() if after else 0)
        marked_after = after is not None and after[0].strip(" ,)") != ""
        if before is not None or marked_after:
            start = before.start() if before is not None else value.start
            start = value.start if _holds_other(said, stale, start, value.start) else start
            end = end if marked_after else max(end, _unit_end(said, stale, value))
            text = text[:start] + " " + text[end:]
    return _tidy(text)


def _holds_other(said: Statement, stale: frozenset[str], start: int, end: int) -> bool:
    """Return whether a value that holds still stands there, as Monday does in "on Monday 10:00"."""
    return any(
        value.key not in stale and start < value.end and value.start < end for value in said.values
    )


def _unit_end(said: Statement, stale: frozenset[str], value: Value) -> int:
    """Return where a value ends: with its unit, if another one has that or it ends the clause."""
    unit = _UNIT.match(said.text, value.end)
    if unit is None:
        return value.end
    others = (_UNIT.match(said.text, one.end) for one in said.values if one.key not in stale)
    shared = any(other is not None and other[1] == unit[1] for other in others)
    return unit.end() if shared or _ENDS_CLAUSE.match(said.text, unit.end(1)) else value.end


def _clauses(text: str) -> Iterator[str]:
    start = 0
    for pause in _CLAUSE.finditer(text):
        yield text[start : pause.start()]
        start = pause.end()
    yield text[start:]


def _tidy(text: str) -> str:
    return regex.sub(r"\s+([.,;:!?])", r"\1", regex.sub(r"\s+", " ", text)).strip(" ,;")
