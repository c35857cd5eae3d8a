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
_PRECEDING = regex.compile(r"(?r)(\p{L}+)\s?")
_AGAIN = regex.compile(r"(?r)[(（=≈]\s?(?:\p{L}+\s){0,2}\p{Sc}?")


def counterparts(pairs: Sequence[Pair], new: Statement, old: Statement) -> list[Pair]:
    """Return the pairs of a new and an old value without those of other things.

    Where a new value has an old one with the same word behind it, or else before it, it stands in
    the place of that one alone: "64 GB" in that of "32 GB", and not of "8 cores". What stands in
    brackets behind a value says the same in another unit, and goes with it.
    """
    again = {before for _, before in pairs if _says_again(old.text, before)}
    narrow = set(pairs)
    for beside in (_following, _preceding):
        narrow = _narrowed(narrow, new, old, beside)
    return [pair for pair in pairs if pair in narrow or pair[1] in again]


def _narrowed(
    pairs: set[Pair], new: Statement, old: Statement, beside: Callable[[str, Value], str]
) -> set[Pair]:
    ours = {after: beside(new.text, after) for after, _ in pairs}
    theirs = {before: beside(old.text, before) for _, before in pairs}
    alike = {pair for pair in pairs if ours[pair[0]] and ours[pair[0]] == theirs[pair[1]]}
    placed = {after for after, _ in alike}
    return alike | {pair for pair in pairs if pair[0] not in placed}


def _says_again(text: str, value: Value) -> bool:
    return _AGAIN.match(text, 0, value.start) is not None


def _following(text: str, value: Value) -> str:
    found = _FOLLOWING.match(text, value.end)
    return stem(found[1].casefold()) if found else ""


def _preceding(text: str, value: Value) -> str:
    found = _PRECEDING.match(text, 0, value.start)
    return stem(found[1].casefold()) if found else ""
