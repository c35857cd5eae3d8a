"""What two statements are to each other: update, restatement, withdrawal, answer."""

from __future__ import annotations

import math

from orchestrator_context.conversation.digest.counterparts import counterparts
from orchestrator_context.conversation.digest.differences import (
    PLAIN,
    differ,
    is_contrast,
    is_marked_apart,
    is_minimal_pair,
    is_modified,
    rest,
)
from orchestrator_context.conversation.digest.kinds import CHATTER
from orchestrator_context.conversation.digest.labels import LABEL_WORDS
from orchestrator_context.conversation.digest.marks import MARKING
from orchestrator_context.conversation.digest.measures import QUANTITIES
from orchestrator_context.conversation.digest.reading import Said
from orchestrator_context.conversation.digest.statements import Statement, similarity
from orchestrator_context.conversation.digest.subjects import stem
from orchestrator_context.conversation.digest.thesaurus import LIGHT
from orchestrator_context.conversation.digest.values import Value

__all__ = [
    "answers",
    "changed_values",
    "finishes",
    "is_covered",
    "may_replace",
    "mentions",
    "replaces",
    "restates",
    "withdraws",
]

_LEAST = 0.2  # similarity below which nothing is an update
_REPLACES = 0.5  # similarity from which another value of the same kind is an update
_ELLIPTIC = 0.5  # what counts of that where the newer statement is short
_SURE = 0.62  # and from which words on both sides that the other has not do not matter
_CUED = 0.2  # less is enough where the newer statement says that something changes
_ALIKE = 0.12  # and where the values look alike, as two branch names do
_RARE = 0.15  # and where they are of a kind that is rarely spoken of
_VALUELESS = 0.6  # similarity from which a change without a value is one
_RESTATES = 0.5  # similarity from which the same values are said again
_REPEATS = 0.85  # and from which, without values, the same is said again
_ANSWERS = 0.5  # similarity of a question and its answer
_ANSWERS_BY_VALUE = 0.15  # where the answer takes up what was asked
_WITHDRAWS = 0.5  # cosine of what is withdrawn and the words that do it
_FINISHES = 0.6  # and of a task and the report that it is done
_SAME_VALUE = 0.3  # what a value in both adds to that
_MENTIONS = 0.2  # similarity from which a value that was replaced is stale elsewhere
_COVERED = 0.15
_MOST_OWN_WORDS = 1  # that a repetition may have beside what it repeats
_MOST_VALUES = 12  # that are compared; a sentence with more is a table
_RARE_KINDS = frozenset(
    "hash timezone tone units weekday programming tongue format frequency money".split()
)
_MEASURED = QUANTITIES | {"money"}
_FAMILIES = {
    "id": "label", "path": "label", "code": "label", "quote": "label", "name": "label",
    "url": "address", "email": "address", "weekday": "day", "date": "day", "tone": "tone",
} | dict.fromkeys(("number", *_MEASURED), "amount")  # fmt: skip
_IDLE = frozenset(map(stem, CHATTER))
_META = LABEL_WORDS | {"$ceiling", "правил", "про", "thing", "part", "regel"}


def may_replace(new: Statement) -> bool:
    """Return whether `new` could replace anything: it gives a value, or says what changes."""
    return bool(new.values) or not new.cues.isdisjoint({"update", "permit"})


def replaces(new: Statement, old: Statement, said: Said, known: Said) -> float:
    """Return how surely `new` gives what `old` is about another value; 0 where it does not."""
    if old.kind in ("chatter", "question"):
        return 0.0
    cued = "update" in new.cues
    changed = changed_values(new, old)
    turned = _is_turned(new, old)
    if not (changed or cued or turned):
        return 0.0
    if said.speaker == "assistant" and known.speaker == "user" and not cued:
        return 0.0
    alike = similarity(new, old)
    if cued:
        alike = max(alike, _ELLIPTIC * _cover(new, old))
    if (changed and alike < _LEAST) or differ(new, old, said, known, changed):
        return 0.0
    if turned and alike >= _VALUELESS - _CUED * cued:
        return alike
    if changed:
        return alike if _is_update(new, old, changed, alike) else 0.0
    return _valueless(new, old, cued, alike)


def _cover(new: Statement, old: Statement) -> float:
    """Return how much of what `new` is about `old` is about as well: "cap is now 450" is short."""
    known = old.subject
    shared = sum(min(w, known[key]) for key, w in new.subject.items() if key in known)
    return shared / new.weight if new.weight else 0.0


def _is_update(
    new: Statement, old: Statement, changed: list[tuple[Value, Value]], alike: float
) -> bool:
    """Return whether two statements with different values are about the same."""
    cued = "update" in new.cues
    need = _REPLACES - _CUED * cued - max(_bonus(*pair) for pair in changed)
    if alike < max(_LEAST, need):
        return False
    same_words, rare = _same_words(new, old), any(_is_rare(*pair) for pair in changed)
    if not (cued or same_words or rare) or is_minimal_pair(new.sequence, old.sequence):
        return False
    if min(rest(new, old), rest(old, new)) < PLAIN:
        return True
    family = cued and any(_is_alike(*pair) for pair in changed)
    return (same_words or family or rare) and (cued or alike >= _SURE)


def _is_turned(new: Statement, old: Statement) -> bool:
    """Return whether `new` allows what `old` forbids."""
    allows = "permit" in new.cues and not new.cues & {"forbid", "negation"}
    return allows and "forbid" in old.cues


def changed_values(new: Statement, old: Statement) -> list[tuple[Value, Value]]:
    """Return pairs of a new value and the old one in whose place it stands.

    They are of one kind, and of one thing where that can be told; only values of kinds that the
    other has not are compared with those of a related kind, such as "300" with "four hundred
    dollars".
    """
    if not new.values or not old.values or new.keys <= old.keys or old.keys <= new.keys:
        return []
    fresh = [value for value in new.values[:_MOST_VALUES] if value.key not in old.keys]
    gone = [value for value in old.values[:_MOST_VALUES] if value.key not in new.keys]
    kinds, old_kinds = {value.kind for value in new.values}, {value.kind for value in gone}
    pairs = [
        (after, before)
        for before in gone
        for after in fresh
        if after.kind == before.kind
        or (
            before.kind not in kinds and after.kind not in old_kinds and _are_related(after, before)
        )
    ]
    return counterparts(pairs, new, old)


def _are_related(one: Value, other: Value) -> bool:
    measured = one.kind in _MEASURED and other.kind in _MEASURED
    return not measured and _family(one) == _family(other)


def _family(value: Value) -> str:
    return _FAMILIES.get(value.kind, value.kind)


def _same_words(new: Statement, old: Statement) -> bool:
    """Return whether they share a word that says something, not only what it stands for."""
    if any(value.kind in MARKING and value.key in old.keys for value in new.values):
        return True
    shared = new.subject.keys() & old.subject.keys()
    return any(not key.startswith("$") and key not in LIGHT for key in shared)


def _is_rare(new: Value, old: Value) -> bool:
    return new.kind == old.kind and new.kind in _RARE_KINDS - {"money"}


def _is_alike(new: Value, old: Value) -> bool:
    """Return whether both are of one family of identifiers, such as two branches of one folder."""
    return new.kind == old.kind and new.shape == old.shape and new.text[:3] == old.text[:3]


def _bonus(new: Value, old: Value) -> float:
    if new.kind != old.kind:
        return -0.1
    if new.kind in _RARE_KINDS:
        return _RARE
    if new.kind == "name":
        return 0.0
    return _ALIKE if new.shape == old.shape and len(new.text) > 3 else 0.0


def _valueless(new: Statement, old: Statement, cued: bool, alike: float) -> float:
    if "next" in new.cues and "next" in old.cues and not old.keys - new.keys:
        return max(alike, 0.3)
    if old.values or new.values or not cued:
        return 0.0
    same_head = bool(new.head) and new.head == old.head and new.head - LIGHT
    return alike if same_head or (new.kind == old.kind and alike >= _VALUELESS) else 0.0


def restates(new: Statement, old: Statement) -> bool:
    """Return whether both say the same: same values, or nearly the same words."""
    if bool(new.keys) != bool(old.keys) or not (new.keys <= old.keys or old.keys <= new.keys):
        return False
    if similarity(new, old) < (_RESTATES if new.keys else _REPEATS):
        return False
    if new.keys and min(rest(new, old), rest(old, new)) >= PLAIN:
        return False
    return not (is_contrast(new, old) or is_modified(new, old) or is_marked_apart(new, old))


def is_covered(new: Statement, known: list[Statement]) -> bool:
    """Return whether all that `new` gives stands in statements about the same already."""
    given = new.keys
    about = [
        old
        for old in known
        if old.keys & given and similarity(new, old) >= _COVERED and not is_marked_apart(new, old)
    ]
    said = {key for old in about for key in (*old.subject, *old.keys)}
    words = {key for key in new.subject if not key.startswith("$")} - said - LIGHT - _IDLE
    return bool(given) and given <= said and len(words) <= _MOST_OWN_WORDS


def answers(new: Statement, old: Statement) -> bool:
    """Return whether `old` is a question that `new` answers."""
    if old.kind != "question":
        return False
    if is_marked_apart(new, old):
        return False
    firm = new.kind in ("decision", "fact", "rule", "limit", "preference")
    need = _ANSWERS_BY_VALUE if new.keys & old.keys else _ANSWERS
    return firm and similarity(new, old) >= need


def mentions(other: Statement, stale: frozenset[str], old: Statement, new: Statement) -> bool:
    """Return whether `other` still gives a value that was replaced, of the same subject."""
    if not stale & other.keys or is_marked_apart(new, other, changed_values(new, other)):
        return False
    if any(is_minimal_pair(one.sequence, other.sequence) for one in (old, new)):
        return False
    return max(similarity(other, old), similarity(other, new)) >= _MENTIONS


def withdraws(new: Statement, old: Statement) -> float:
    """Return how surely `new` takes `old` back; 0 where it does not."""
    if old.kind in ("chatter", "note") or is_contrast(new, old):
        return 0.0
    if is_marked_apart(new, old):
        return 0.0
    if new.keys and old.keys and not new.keys & old.keys:
        return 0.0
    named = {key: weight for key, weight in new.subject.items() if key not in _META}
    shared = sum(min(weight, old.subject.get(key, 0.0)) for key, weight in named.items())
    sizes = sum(named.values()) * old.weight
    cover = shared / math.sqrt(sizes) if sizes else 0.0
    if new.keys & old.keys:
        cover += _SAME_VALUE
    return cover if cover >= _WITHDRAWS else 0.0


def finishes(new: Statement, old: Statement) -> bool:
    """Return whether `old` asks for something that `new` reports as done."""
    if "done" not in new.cues:
        return False
    asked = old.kind in ("task", "rule", "preference", "decision") and "universal" not in old.cues
    reported = not new.cues & {"negation", "oblige", "forbid", "task"}
    return asked and reported and withdraws(new, old) >= _FINISHES
