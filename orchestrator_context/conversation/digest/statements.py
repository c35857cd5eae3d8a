"""A sentence taken apart: what it does, what it is about, and the values it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

import regex

from orchestrator_context.conversation.digest.cues import CUES
from orchestrator_context.conversation.digest.kinds import Kind, kind_of
from orchestrator_context.conversation.digest.labels import label_end
from orchestrator_context.conversation.digest.lexicon import Token, tokens
from orchestrator_context.conversation.digest.marks import Marks, amounts_of, marks_of
from orchestrator_context.conversation.digest.qualifiers import modifiers_of, owners_of, pivot_of
from orchestrator_context.conversation.digest.subjects import subject_of, terms_of, wide_runs
from orchestrator_context.conversation.digest.thesaurus import CONTRASTS
from orchestrator_context.conversation.digest.values import Value, values

__all__ = ["Statement", "keys_in", "similarity", "statement", "values_in"]

_TELLS = regex.compile(r"(?ir)(?:[:=]|\b(?:is|to|now|ist|auf|nun|est|à|es|a))\s*$")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence and what was found in it.

    Attributes:
        text: the sentence.
        kind: what it does.
        values: what it states of its subject.
        subject: what it is about: words and concepts with their weights.
        modifiers: for words of the subject, what stands before them or hangs on them.
        marks: for words of the subject, names and numbers that stand right beside them.
        amounts: numbers that count what follows them.
        contrasts: what it names of pairs and sets that exclude each other.
        cues: names of the cues in it.
        owners: names of those whose the statement is.
        sequence: the words of the subject in order, single characters where there are no spaces.
        head: what of the subject stands before "is", "prefers" and the like.
        weight: sum of the weights of the subject.
        keys: those of its values.
    """

    text: str
    kind: Kind
    values: tuple[Value, ...]
    subject: Mapping[str, float]
    modifiers: Mapping[str, frozenset[str]]
    marks: Marks
    amounts: frozenset[str]
    contrasts: frozenset[str]
    cues: frozenset[str]
    owners: frozenset[str]
    head: frozenset[str]
    sequence: tuple[str, ...]

    weight: float = field(init=False)
    keys: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", sum(self.subject.values()))
        object.__setattr__(self, "keys", frozenset(value.key for value in self.values))

    @property
    def words(self) -> int:
        """How many words the subject has."""
        return _word_count(self.subject)


def _word_count(subject: Mapping[str, float]) -> int:
    return sum(not key.startswith("$") for key in subject)


def similarity(one: Statement, other: Statement) -> float:
    """Return how far two statements are about the same, from 0 to 1 (a weighted Dice measure)."""
    if len(one.subject) > len(other.subject):
        one, other = other, one
    whole = one.weight + other.weight
    shared, known = 0.0, other.subject
    for key, weight in one.subject.items():
        if key in known:
            shared += min(weight, known[key])
    return 2 * shared / whole if whole else 0.0


@lru_cache(maxsize=8_192)
def statement(text: str) -> Statement:
    """Return the sentence `text` taken apart. A label such as "Note:" is no part of it."""
    label = label_end(text)
    return replace(_statement(text[label:]), text=text) if label else _statement(text)


@lru_cache(maxsize=8_192)
def values_in(text: str) -> tuple[Value, ...]:
    """Return the values of the statement `text` without taking apart the rest of it."""
    bare = text[label_end(text) :]
    return values(bare, tokens(bare))


def keys_in(text: str) -> frozenset[str]:
    """Return the keys of the values of the statement `text`."""
    return frozenset(value.key for value in values_in(text))


def _contrasts(text: str, words: list[Token], given: tuple[Value, ...]) -> frozenset[str]:
    """Return what is named of pairs that exclude each other, but in values: "region: us-east-1"."""
    told = [value for value in given if value.kind == "id" and _TELLS.search(text, 0, value.start)]
    return frozenset(
        name
        for hit in CONTRASTS.find(text, words)
        if not any(value.start <= hit.start < value.end for value in told)
        for name in hit.names
    )


def _statement(text: str) -> Statement:
    words = tokens(text)
    found = list(CUES.find(text, words))
    cues = frozenset(name for hit in found for name in hit.names)
    given = values(text, words)
    terms = terms_of(text, words, found, given)
    runs = wide_runs(text, given, found)
    subject = subject_of(terms, given, runs)
    pivot = pivot_of(found)
    return Statement(
        text=text,
        kind=kind_of(text, words, cues, given, _word_count(subject)),
        values=given,
        subject=subject,
        modifiers=modifiers_of(text, words, terms, given),
        marks=marks_of(text, words, terms, given, found),
        amounts=amounts_of(text, words, terms, given),
        contrasts=_contrasts(text, words, given),
        cues=cues,
        owners=owners_of(text, given, terms, pivot),
        head=frozenset(key for start in terms if start < pivot for key in terms[start].keys),
        sequence=(*(min(terms[start].keys) for start in sorted(terms)), *"".join(runs)),
    )
