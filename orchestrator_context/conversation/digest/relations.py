"""What two statements are to each other: update, restatement, withdrawal, answer."""

from __future__ import annotations

from collections import defaultdict

from orchestrator_context.conversation.digest.reading import Said
from orchestrator_context.conversation.digest.statements import Statement, similarity
from orchestrator_context.conversation.digest.thesaurus import LIGHT, ROLES
from orchestrator_context.conversation.digest.values import Value

__all__ = ["answers", "mentions", "replaces", "restates", "withdraws"]

_REPLACES = 0.5  # similarity from which another value of the same kind is an update
_SURE = 0.7  # and from which words on both sides that the other has not do not matter
_PLAIN = 0.6  # weight of a word that stands for no concept
_CUED = 0.2  # less is enough where the newer statement says that something changes
_ALIKE = 0.12  # and where the values look alike, as two branch names do
_RARE = 0.15  # and where they are of a kind that is rarely spoken of
_VALUELESS = 0.6
_RESTATES = 0.5
_REPEATS = 0.85
_ANSWERS = 0.5
_WITHDRAWS = 0.4
_MENTIONS = 0.2
_RARE_KINDS = frozenset("timezone tone units weekday programming tongue format frequency money".split())
_FAMILIES = {
    "id": "label", "path": "label", "code": "label", "quote": "label", "name": "label",
    "url": "address", "email": "address", "weekday": "day", "date": "day", "tone": "tone",
    "money": "amount", "number": "amount",
}  # fmt: skip
_PROTECTED = frozenset({"rule", "limit", "preference"})


def replaces(new: Statement, old: Statement, said: Said, known: Said) -> float:
    """Return how surely `new` gives what `old` is about another value; 0 where it does not."""
    if old.kind in ("chatter", "question") or _differ(new, old, said, known):
        return 0.0
    cued = "update" in new.cues
    if said.speaker == "assistant" and known.speaker == "user" and not cued:
        return 0.0
    alike = similarity(new, old)
    if not _permits(new, old, cued, alike):
        changed = _changed(new.values, old.values)
        if not changed:
            return _valueless(new, old, cued, alike)
        rare = any(_is_rare(*pair) for pair in changed)
        apart = min(_rest(new, old), _rest(old, new)) >= _PLAIN
        if not (cued or rare or _same_words(new, old)) or (apart and not _same_words(new, old)):
            return 0.0
        if apart and not cued and alike < _SURE:
            return 0.0
        need = _REPLACES - _CUED * cued - max(_bonus(*pair) for pair in changed)
        return alike if alike >= max(0.2, need) else 0.0
    return alike


def _differ(new: Statement, old: Statement, said: Said, known: Said) -> bool:
    """Return whether anything shows that the two are about different things."""
    if said.speaker != known.speaker and "first_person" in new.cues & old.cues:
        return True
    if new.owners and old.owners and not new.owners & old.owners and not _role(new, old):
        return True
    if _contrast(new, old):
        return True
    if "next" in new.cues and _elsewhere(said.context(new), known.context(old)):
        return True
    return any(
        before and after and not before & after
        for head, before in new.modifiers.items()
        if (after := old.modifiers.get(head)) is not None
    )


def _elsewhere(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two statements stand in contexts that have nothing to do with each other."""
    return bool(one and other) and not (one & other) - LIGHT - {"$next", "$phase", "step", "next"}


def _role(new: Statement, old: Statement) -> bool:
    return any("$" + role in new.subject and "$" + role in old.subject for role in ROLES)


def _contrast(new: Statement, old: Statement) -> bool:
    """Return whether they name different members of a set, such as staging and production."""
    for member in new.contrasts - old.contrasts:
        group = member.partition(":")[0]
        others = {other for other in old.contrasts if other.partition(":")[0] == group}
        if others and not others & new.contrasts:
            return True
    return False


def _permits(new: Statement, old: Statement, cued: bool, alike: float) -> bool:
    """Return whether `new` allows what `old` forbids, or the other way round."""
    opposite = (
        "forbid" in old.cues and "permit" in new.cues and not new.cues & {"forbid", "negation"}
    )
    return opposite and alike >= _VALUELESS - _CUED * cued


def _changed(new: tuple[Value, ...], old: tuple[Value, ...]) -> list[tuple[Value, Value]]:
    """Return pairs of values of one kind that are not the same; none where all old ones stay."""
    by_family: dict[str, list[Value]] = defaultdict(list)
    for value in new:
        by_family[_family(value)].append(value)
    new_keys = {value.key for value in new}
    old_keys = {value.key for value in old}
    return [
        (after, before)
        for before in old
        if before.key not in new_keys
        for after in by_family.get(_family(before), ())
        if after.key not in old_keys
    ]


def _family(value: Value) -> str:
    return _FAMILIES.get(value.kind, value.kind)


def _same_words(new: Statement, old: Statement) -> bool:
    """Return whether they share a word that says something, not only what it stands for."""
    shared = new.subject.keys() & old.subject.keys()
    return any(not key.startswith("$") and key not in LIGHT for key in shared)


def _rest(one: Statement, other: Statement) -> float:
    """Return the weight of the words of `one` that `other` has not and that stand for no concept."""
    return sum(
        weight
        for key, weight in one.subject.items()
        if weight >= _PLAIN and not key.startswith("$") and key not in other.subject
    )


def _is_rare(new: Value, old: Value) -> bool:
    return new.kind == old.kind and new.kind in _RARE_KINDS - {"money"}


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
    if new.kind == old.kind and cued and alike >= _VALUELESS and not old.values and not new.values:
        return alike
    return 0.0


def restates(new: Statement, old: Statement) -> bool:
    """Return whether both say the same: same values, or nearly the same words."""
    alike = similarity(new, old)
    if new.keys or old.keys:
        inside = new.keys <= old.keys or old.keys <= new.keys
        return bool(new.keys and old.keys) and inside and alike >= _RESTATES
    return alike >= _REPEATS


def answers(new: Statement, old: Statement) -> bool:
    """Return whether `old` is a question that `new` answers."""
    firm = new.kind in ("decision", "fact", "rule", "limit", "preference")
    return old.kind == "question" and firm and similarity(new, old) >= _ANSWERS


def mentions(other: Statement, stale: frozenset[str], old: Statement, new: Statement) -> bool:
    """Return whether `other` still gives a value that was replaced, of the same subject."""
    if not stale & other.keys:
        return False
    return max(similarity(other, old), similarity(other, new)) >= _MENTIONS


def withdraws(new: Statement, old: Statement) -> float:
    """Return how surely `new` takes `old` back; 0 where it does not."""
    if old.kind in ("chatter", "note") or _contrast(new, old):
        return 0.0
    shared = sum(min(weight, old.subject.get(key, 0.0)) for key, weight in new.subject.items())
    cover = shared / min(new.weight, old.weight) if new.weight and old.weight else 0.0
    if new.keys and old.keys and not new.keys & old.keys:
        return 0.0
    if new.keys & old.keys:
        cover += 0.3
    return cover if cover >= _WITHDRAWS else 0.0
