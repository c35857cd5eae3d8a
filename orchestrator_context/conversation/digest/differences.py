"""What shows that two statements are about different things, however alike they sound."""

from __future__ import annotations

import unicodedata

from orchestrator_context.conversation.digest.reading import Said
from orchestrator_context.conversation.digest.statements import Statement
from orchestrator_context.conversation.digest.thesaurus import LIGHT, ROLES

__all__ = ["PLAIN", "differ", "is_contrast", "is_minimal_pair", "is_modified", "rest"]

PLAIN = 0.6
"""Least weight of a word that stands for no concept."""
_FEWEST_ALIKE = 2  # words that both have, for the one that differs to tell them apart
_FEWEST_WIDE = 3  # characters, in scripts without spaces
_LONGEST_WIDE = 4  # characters that differ there


def differ(new: Statement, old: Statement, said: Said, known: Said) -> bool:
    """Return whether anything shows that the two are about different things."""
    if said.speaker != known.speaker and "first_person" in new.cues & old.cues:
        return True
    if new.owners and old.owners and not new.owners & old.owners and not _role(new, old):
        return True
    if is_contrast(new, old):
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
        return max(map(len, middles)) <= _LONGEST_WIDE and ahead + behind >= _FEWEST_WIDE
    plain = all(len(middle) == 1 and not middle[0].startswith("$") for middle in middles)
    return plain and ahead + behind >= _FEWEST_ALIKE


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
    return sum(
        weight
        for key, weight in one.subject.items()
        if weight >= PLAIN and not key.startswith("$") and key not in other.subject
    )
