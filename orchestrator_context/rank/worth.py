"""What each unit of a text is worth for a question.

A unit is worth what its words say about the question (BM25 with the words of its label, and more
for holding all of them than for repeating one), what the units around it say, and what it tells of
names that the best passages mention. That is one round of pseudo-relevance feedback, so that the
second step of "who leads the company that makes X" is found.

Units are ranked one by one, and each further mention of a word is worth less: greedy maximisation
of a coverage with diminishing returns (Lin and Bilmes, "A Class of Submodular Functions for
Document Summarization", ACL 2011).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from orchestrator_context import checks
from orchestrator_context.rank.lexical import LexicalIndex
from orchestrator_context.rank.question import question_words
from orchestrator_context.rank.units import Unit
from orchestrator_context.words import words

_AROUND = 0.6  # weight of what stands around a unit, beside what it says itself
_FEEDBACK = 0.6  # weight of the names that the best passages mention, beside the question
_FEEDBACK_GROUPS = 3
_FEEDBACK_BASE = 0.5  # names count half even where their sentence is beside the point
_COMMON_SHARE = 4  # a name in more than a quarter of all groups leads nowhere
_REPEATED = tuple(0.8**mentions for mentions in range(9))  # what the next mention is worth
_OPENING = 1.25  # first sentences say what a thing is
_SILENT = 0.65  # for a sentence without a word of the question; such a name is worth nothing
_RELATIVES = 4  # words tried for one that is missing
_RELATIVE = 0.5  # their weight
_MOST_MISSING = 16  # the search for relatives goes through all words
_KINDS = {"prose": 1.0, "code": 0.4, "name": 0.3, "heading": 0.3}

_NAME = regex.compile(
    r"(?<=[\p{Ll}\p{N},;:)(\]»”'\"]\s)\p{Lu}[\p{L}\p{M}\p{N}'’-]+|\p{N}[\p{N}.,:]*\p{N}"
)


@dataclass(frozen=True, slots=True)
class Strictness:
    """What is not worth a place even where there is room for it.

    Attributes:
        least_share: units worth less than this share of the best are left out; 0 leaves room for
            all that has to do with the question.
        least_words: words of the question that one passage must hold; else nothing is relevant.
    """

    least_share: float = 0.5
    least_words: int = 1

    def __post_init__(self) -> None:
        checks.number("Strictness.least_share", self.least_share, most=1)
        checks.whole("Strictness.least_words", self.least_words)


def ranked(
    question: str, units: Sequence[Unit], strictness: Strictness
) -> Iterator[tuple[int, float]]:
    """Yield the positions of units, each with its worth, in the order in which to take them.

    Units that have nothing to do with the question are left out. Near linear in the text.
    """
    material = _Material(units)
    asked = _asked(material.index, question_words(question))
    if not asked or _most_words(material, asked) < strictness.least_words:
        return
    shares = _shares(material.index, asked)
    own = [sum(share.values()) for share in shares]
    around = _around(material, asked, own)
    factors = _factors(material, asked, shares)
    worths = [a * (b + c) for a, b, c in zip(factors, own, around, strict=True)]
    least = strictness.least_share * max(worths)
    worthy = [position for position, worth in enumerate(worths) if worth and worth >= least]
    for position in _greedy(worthy, shares, around, factors):
        yield position, worths[position]


class _Material:
    """Units and what is counted in them.

    Attributes:
        units: as given.
        groups: for each unit its group: the units of one passage under one label.
        members: for each group its units.
        bags: for each unit how often it holds each word; those of its label count once more.
        labels: for each group the words of its label.
        index: of the units.
        group_index: of the groups.
    """

    def __init__(self, units: Sequence[Unit]) -> None:
        self.units = units
        self.groups: list[int] = []
        self.members: list[list[int]] = []
        self.labels: list[frozenset[str]] = []
        self.bags: list[Counter[str]] = []
        group_bags: list[Counter[str]] = []
        numbers: dict[tuple[int, str, bool], int] = {}
        for position, unit in enumerate(units):
            key = (unit.passage, unit.label, unit.kind in ("name", "heading"))
            group = numbers.setdefault(key, len(numbers))
            if group == len(self.members):
                self.members.append([])
                self.labels.append(frozenset(words(unit.label.split("(", 1)[0], stem=True)))
                group_bags.append(Counter(self.labels[group]))
            bag = Counter(words(unit.text, stem=True))
            group_bags[group].update(bag)
            bag.update(self.labels[group])
            self.bags.append(bag)
            self.groups.append(group)
            self.members[group].append(position)
        self.index = LexicalIndex(self.bags)
        self.group_index = LexicalIndex(group_bags)


def _asked(index: LexicalIndex, weights: Mapping[str, float]) -> dict[str, float]:
    """Return the words to look for: those that are there, and relatives of those that are not."""
    asked = {word: weight for word, weight in weights.items() if index.frequency(word)}
    missing = [word for word in weights if word not in asked]
    for word in missing[:_MOST_MISSING]:
        for relative in index.relatives(word, most=_RELATIVES):
            asked.setdefault(relative, weights[word] * _RELATIVE)
    return asked


def _most_words(material: _Material, asked: Mapping[str, float]) -> int:
    """Return how many of the words the passage with the most of them holds."""
    held: Counter[int] = Counter()
    for word in asked:
        impacts = material.index.impacts(word)
        held.update({material.units[position].passage for position, _ in impacts})
    return max(held.values())


def _shares(index: LexicalIndex, asked: Mapping[str, float]) -> list[dict[str, float]]:
    """Return for each unit what each word of the question adds; the sums are 1 at most."""
    shares: list[dict[str, float]] = [{} for _ in range(len(index))]
    for word, weight in asked.items():
        for position, impact in index.impacts(word):
            shares[position][word] = weight * impact
    ideal = {word: weight * index.idf(word) for word, weight in asked.items()}
    whole = sum(ideal.values())
    factors = [1 + sum(ideal[word] for word in share) / whole for share in shares]
    most = max(factor * sum(share.values()) for factor, share in zip(factors, shares, strict=True))
    return [
        {word: value * factor / most for word, value in share.items()}
        for factor, share in zip(factors, shares, strict=True)
    ]


def _groups(material: _Material, asked: Mapping[str, float]) -> list[float]:
    """Return the relevance of each group, up to 1: more where the question names all its label."""
    index = material.group_index
    scores = [
        score * (1 + _named(index, label, asked))
        for score, label in zip(index.scores(asked), material.labels, strict=True)
    ]
    return _relative(scores)


def _named(index: LexicalIndex, label: frozenset[str], asked: Mapping[str, float]) -> float:
    weights = {word: index.idf(word) for word in label}
    named = sum(weight for word, weight in weights.items() if word in asked)
    return named / sum(weights.values()) if weights else 0.0


def _around(material: _Material, asked: Mapping[str, float], own: Sequence[float]) -> list[float]:
    """Return for each unit what its group and the names that lead to it add."""
    groups = _groups(material, asked)
    by_name = [0.0] * len(own)
    group_by_name = [0.0] * len(groups)
    by_relevance = sorted(range(len(groups)), key=lambda group: -groups[group])
    for group in by_relevance[:_FEEDBACK_GROUPS]:
        names = _names(material, asked, own, group)
        for scores, index, source in (
            (by_name, material.index, material.members[group]),
            (group_by_name, material.group_index, [group]),
        ):
            found = list(index.scores(names))
            for position in source:
                found[position] = 0.0  # names lead away from where they stand
            for position, score in enumerate(_relative(found)):
                scores[position] = max(scores[position], groups[group] * score)
    return [
        _AROUND * (groups[group] + _FEEDBACK * group_by_name[group]) + _FEEDBACK * by_name[position]
        for position, group in enumerate(material.groups)
    ]


def _names(
    material: _Material, asked: Mapping[str, float], own: Sequence[float], group: int
) -> dict[str, float]:
    """Return the names and numbers in a group that are not asked for, and what they weigh."""
    weights: dict[str, float] = dict.fromkeys(material.labels[group], 1.0)
    for position in material.members[group]:
        weight = _FEEDBACK_BASE + own[position]
        names = " ".join(_NAME.findall(material.units[position].text))
        for word in words(names, stem=True):
            weights[word] = max(weight, weights.get(word, 0.0))
    most = max(2, len(material.members) // _COMMON_SHARE)
    return {
        word: weight
        for word, weight in weights.items()
        if word not in asked and material.group_index.frequency(word) <= most
    }


def _factors(
    material: _Material, asked: Mapping[str, float], shares: Sequence[Mapping[str, float]]
) -> list[float]:
    factors: list[float] = []
    for position, unit in enumerate(material.units):
        bag, label = material.bags[position], material.labels[material.groups[position]]
        factor = _KINDS[unit.kind]
        if all(word in label and bag[word] == 1 for word in shares[position]):
            factor *= _SILENT if unit.kind in ("prose", "code") else 0.0
        if unit.opening and not label.isdisjoint(asked):
            factor *= _OPENING
        factors.append(factor)
    return factors


def _greedy(
    worthy: Sequence[int],
    shares: Sequence[Mapping[str, float]],
    around: Sequence[float],
    factors: Sequence[float],
) -> Iterator[int]:
    """Yield positions by falling gain. Gains only fall, so only the best one is counted anew.

    With the mentions of a word, gains stop falling after a few, so the work stays near linear.
    """
    mentions: Counter[str] = Counter()

    def gain(position: int) -> float:
        own = sum(
            share * _REPEATED[min(mentions[word], len(_REPEATED) - 1)]
            for word, share in shares[position].items()
        )
        return factors[position] * (own + around[position])

    heap = [(-gain(position), position) for position in worthy]
    heapq.heapify(heap)
    while heap:
        position = heap[0][1]
        current = (-gain(position), position)
        if current > heap[0]:
            heapq.heapreplace(heap, current)
            continue
        heapq.heappop(heap)
        yield position
        mentions.update(shares[position].keys())


def _relative(values: Sequence[float]) -> list[float]:
    most = max(values, default=0.0)
    return [value / most for value in values] if most > 0 else list(values)
