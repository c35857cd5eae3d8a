"""What shows that two statements are about different things, however alike they sound."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import regex

from orchestrator_context.conversation.digest.marks import MARKING, is_of, names_of
from orchestrator_context.conversation.digest.reading import Said
from orchestrator_context.conversation.digest.statements import Statement
from orchestrator_context.conversation.digest.thesaurus import LIGHT, ROLES
from orchestrator_context.conversation.digest.values import Value

__all__ = [
    "PLAIN",
    "differ",
    "is_contrast",
    "is_marked_apart",
    "is_minimal_pair",
    "is_modified",
    "rest",
]

PLAIN = 0.6
"""Least weight of a word that stands for no concept."""
_SETTINGS = frozenset(
    """$port $password $address $version $branch $commit $region $language $style
    $measure $clock $name""".split()
)
"""Nouns of which one is in force, so that another number is another value: "port 22"."""
_NAMING = MARKING - {"number", "quote"}
_FEWEST_ALIKE = 2  # words that both have, for the one that differs to tell them apart
_FEWEST_WIDE = 3  # characters, in scripts without spaces
_LONGEST_WIDE = 4  # characters that differ there
_LONGEST_KANA = 12  # and in names that are spelt by sound
_KANA = regex.compile(r"[\p{Katakana}ー・]+")


def differ(
    new: Statement,
    old: Statement,
    said: Said,
    known: Said,
    changed: Sequence[tuple[Value, Value]],
) -> bool:
    """Return whether anything shows that the two are about different things."""
    if is_marked_apart(new, old, changed):
        return True
    if "update" not in new.cues and (_is_told_twice(changed) or _is_named_apart(new, old, changed)):
        return True
    if said.speaker != known.speaker and "first_person" in new.cues & old.cues:
        return True
    if new.owners and old.owners and not new.owners & old.owners and not _role(new, old):
        return True
    if is_contrast(new, old) or _is_other_script(_own(new, old), _own(old, new)):
        return True
    if "next" in new.cues and _elsewhere(said.context(new), known.context(old)):
        return True
    return is_modified(new, old)


def is_modified(new: Statement, old: Statement) -> bool:
    """Return whether a word that both share is told apart by others: "upload limit"."""
    return any(
        before and after and not before & after
        for head, before in new.modifiers.items()
        if (after := old.modifiers.get(head)) is not None
    )


def is_marked_apart(
    new: Statement, old: Statement, changed: Sequence[tuple[Value, Value]] = ()
) -> bool:
    """Return whether the same noun has another name or number beside it: "pump 3", "pump 4".

    Where that is all that changed, it may as well be the value: "port 22", "port 2222".
    """
    return any(
        _is_other(new, old, changed, head.partition(" ")[0], _words(ours | theirs))
        for head, ours in new.marks.items()
        if (theirs := old.marks.get(head)) is not None and _all_differ(ours, theirs)
    )


def _words(marks: frozenset[tuple[str, ...]]) -> frozenset[str]:
    return frozenset(word for mark in marks for word in mark)


def _is_other(
    new: Statement,
    old: Statement,
    changed: Sequence[tuple[Value, Value]],
    head: str,
    marks: frozenset[str],
) -> bool:
    """Return whether the marks that differ are of the subject: there is a value beside them."""
    if not changed or not all(is_of(one, marks) or is_of(two, marks) for one, two in changed):
        return True
    shared = new.keys & old.keys
    if "update" not in new.cues:
        named = head not in _SETTINGS and marks.isdisjoint(new.amounts | old.amounts)
        return named or bool(shared - marks) or (_stands(new) and _stands(old))
    return all(_is_told(said, marks, shared) for said in (new, old))


def _stands(said: Statement) -> bool:
    """Return whether a statement takes nothing from another one like it: a ban, a task."""
    return "forbid" in said.cues or said.kind == "task"


def _is_told(said: Statement, marks: frozenset[str], shared: frozenset[str]) -> bool:
    """Return whether a value that both share stands behind the marks: "ticket 3 is of Ann Lee"."""
    marked = max((value.end for value in said.values if is_of(value, marks)), default=0)
    return any(value.start >= marked and value.key in shared for value in said.values)


def _is_told_twice(changed: Sequence[tuple[Value, Value]]) -> bool:
    """Return whether a name or a code changed and, apart from it, a value of another kind.

    "Orion ends on 3 May" and "Vega ends on 9 June" share neither.
    """
    named = [pair for pair in changed if pair[0].kind == pair[1].kind and pair[0].kind in _NAMING]
    return any(
        other.kind not in (name.kind, before.kind) and not _touch(name, other)
        for name, before in named
        for other, _ in changed
    )


def _is_named_apart(new: Statement, old: Statement, changed: Sequence[tuple[Value, Value]]) -> bool:
    """Return whether other nouns have other names beside them, and another value changed.

    "The budget of team Red is 500 euros" is not that of "the budget of Phoenix is 900 euros".
    """
    ours, theirs = names_of(new.marks), names_of(old.marks)
    marks = ours | theirs
    apart = bool(ours and theirs) and ours.isdisjoint(theirs)
    return (
        apart
        and new.marks.keys().isdisjoint(old.marks)
        and any(not is_of(after, marks) and not is_of(before, marks) for after, before in changed)
    )


def _touch(one: Value, other: Value) -> bool:
    return -1 <= one.start - other.end <= 1 or -1 <= other.start - one.end <= 1


def _all_differ(ours: frozenset[tuple[str, ...]], theirs: frozenset[tuple[str, ...]]) -> bool:
    """Return whether no name of one agrees with one of the other as far as both go."""
    return all(
        any(one != other for one, other in zip(mine, yours, strict=False))
        for mine in ours
        for yours in theirs
    )


def _elsewhere(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two statements stand in contexts that have nothing to do with each other."""
    return bool(one and other) and not (one & other) - LIGHT - {"$next", "$phase", "step", "next"}


def is_minimal_pair(new: tuple[str, ...], old: tuple[str, ...]) -> bool:
    """Return whether one word stands in the place of another and all others are the same.

    With another value as well, that is another subject: "the left pump runs at 40 %" says nothing
    of the right one.
    """
    if new == old:
        return False
    ahead = _common(new, old)
    behind = min(_common(new[::-1], old[::-1]), min(len(new), len(old)) - ahead)
    middles = new[ahead : len(new) - behind], old[ahead : len(old) - behind]
    if all(middle and all(map(_is_wide, middle)) for middle in middles):
        most = (
            _LONGEST_KANA
            if all(_KANA.fullmatch("".join(one)) for one in middles)
            else _LONGEST_WIDE
        )
        return max(map(len, middles)) <= most and ahead + behind >= _FEWEST_WIDE
    plain = all(len(middle) == 1 and not middle[0].startswith("$") for middle in middles)
    return plain and ahead + behind >= _FEWEST_ALIKE


def _is_other_script(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return whether one word stands in the place of those of a script without spaces: 安娜."""
    return any(
        len(spaced) == 1 and not any(map(_is_wide, spaced[0])) and wide and all(map(_is_wide, wide))
        for spaced, wide in ((ours, "".join(theirs)), (theirs, "".join(ours)))
    )


def _is_wide(word: str) -> bool:
    return len(word) == 1 and unicodedata.east_asian_width(word) == "W"


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return how many words at their beginning are the same."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _role(new: Statement, old: Statement) -> bool:
    return any("$" + role in new.subject and "$" + role in old.subject for role in ROLES)


def is_contrast(new: Statement, old: Statement) -> bool:
    """Return whether they name different members of a set, such as staging and production."""
    for member in new.contrasts - old.contrasts:
        group = member.partition(":")[0]
        others = {other for other in old.contrasts if other.partition(":")[0] == group}
        if others and not others & new.contrasts:
            return True
    return False


def rest(one: Statement, other: Statement) -> float:
    """Return the weight of the words of `one` alone that stand for no concept."""
    return sum(one.subject[word] for word in _own(one, other))


def _own(one: Statement, other: Statement) -> list[str]:
    """Return the words of `one` alone that stand for no concept."""
    return [
        key
        for key, weight in one.subject.items()
        if weight >= PLAIN and not key.startswith("$") and key not in other.subject
    ]
