"""Which of several old values a new one takes the place of: the one that counts the same thing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import regex

from orchestrator_context.conversation.digest.statements import Statement
from orchestrator_context.conversation.digest.subjects import stem
from orchestrator_context.conversation.digest.values import Value

__all__ = ["Pair", "counterparts"]

Pair = tuple[Value, Value]

_FOLLOWING = regex.compile(r"\s?(\p{Han}{1,3}|\p{L}+|[%°])")
_LABEL = regex.compile(r"(?r)[\p{L}\p{M}_'’-]+")
_FURTHEST = 60  # characters before a value, as far as what it is of may stand
_AGAIN = regex.compile(r"(?r)[(（=≈]\s?(?:\p{L}+\s){0,2}\p{Sc}?")


def counterparts(pairs: Sequence[Pair], new: Statement, old: Statement) -> list[Pair]:
    """Return the pairs of a new and an old value without those of other things.

    Where a new value has an old one with the same word behind it, or else the same word of the
    subject before it, it stands in the place of that one alone: "5 tables" in that of "3 tables",
    and not of "8 chairs"; "timeout: 60" in that of "timeout: 30", and not of "retries: 3". What
    stands in brackets behind a value says the same in another unit, and goes with it.
    """
    again = {before for _, before in pairs if _says_again(old.text, before)}
    narrow = set(pairs)
    for beside in (_following, _label):
        narrow = _narrowed(narrow, new, old, beside)
    return [pair for pair in pairs if pair in narrow or pair[1] in again]


def _narrowed(
    pairs: set[Pair], new: Statement, old: Statement, beside: Callable[[Statement, Value], str]
) -> set[Pair]:
    ours = {after: beside(new, after) for after, _ in pairs}
    theirs = {before: beside(old, before) for _, before in pairs}
    alike = {pair for pair in pairs if ours[pair[0]] and ours[pair[0]] == theirs[pair[1]]}
    placed = {after for after, _ in alike}
    return alike | {pair for pair in pairs if pair[0] not in placed}


def _says_again(text: str, value: Value) -> bool:
    return _AGAIN.match(text, 0, value.start) is not None


def _following(said: Statement, value: Value) -> str:
    found = _FOLLOWING.match(said.text, value.end)
    return stem(found[1].casefold()) if found else ""


def _label(said: Statement, value: Value) -> str:
    """Return the last word of the subject before a value."""
    words = _LABEL.findall(said.text, max(0, value.start - _FURTHEST), value.start)
    roots = (stem(word.casefold()) for word in words)
    return next((root for root in roots if root in said.subject), "")
