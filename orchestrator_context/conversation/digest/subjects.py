"""What a sentence is about: its words and what they stand for, with weights."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import regex

from orchestrator_context.conversation.digest.lexicon import Found, Token
from orchestrator_context.conversation.digest.thesaurus import CONCEPTS, LIGHT
from orchestrator_context.conversation.digest.values import Value
from orchestrator_context.rank import question_words

__all__ = ["Term", "stem", "subject_of", "terms_of", "wide_runs"]

_CONCEPT_WEIGHT = 0.8  # of what a word stands for
_WORD_WEIGHT = 0.4  # of the word itself, beside that
_LIGHT_WEIGHT = 0.25  # of words that go with anything
_NAME_WEIGHT = 0.6  # of names beside a value of another kind
_LONGEST_SPACED = 5
_NO_SUBJECT = frozenset(
    "update withdraw negation universal copula oblige prefer first_person forbid only limit".split()
)
_SINGLE_WEIGHT = 0.3  # of one that stands alone
_PAIR_WEIGHT = 0.6  # of two characters of a script without spaces
_ENDING = regex.compile(
    r"(?<=.{4})(?:en|er|es|em|e|n|s|as|os|a|o|ами|ями|ого|ему|ой|ом|ов|ей|ах|ях|ы|и|у|ю|е|а|я)$"
)
_EMPTY = frozenset(
    """onto upon towards toward via per among still yet even ever away already quite
    happens happen pro bitte darf dürfen wurde wurden worden haben hatte habe sein
    war gerade sofort ab doch mal notre votre nos vos mon mes mi mis nuestro nuestra
    unser unsere mein meine meinen être avant après fait a peut peuvent doit faut où
    debe ser puede tiene уже ещё еще мы вы наш наша наше наши мой моя моё мои ваш
    ваша этот эта эти пока при про был была было""".split()
)
_WIDE_PARTICLE = regex.compile(
    r"[的了吗呢吧把被给在到从我你他她它们这那个是为和与或也都就又再还很请让のはがをにでともへやかねよ]"
)
_WIDE_RUN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}ー々]{2,}|\p{Han}")


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the subject.

    Attributes:
        stem: its stem.
        concepts: what it stands for.
        keys: what it is compared by: the concepts, or else the stem.
    """

    stem: str
    concepts: frozenset[str]
    keys: frozenset[str]


@lru_cache(maxsize=16_384)
def _term(stem: str, concepts: frozenset[str]) -> Term:
    keys = frozenset("$" + concept for concept in concepts) or frozenset({stem})
    return Term(stem, concepts, keys)


def terms_of(
    text: str, words: list[Token], found: list[Found], given: tuple[Value, ...]
) -> dict[int, Term]:
    """Return the words that a sentence is about, by where they begin.

    Args:
        text: the sentence.
        words: its words in scripts with spaces.
        found: the cues in it.
        given: the values in it.
    """
    concepts = _concepts(text, words)
    skipped = _skipped(words, concepts, found, given)
    terms: dict[int, Term] = {}
    for word in words:
        root = stem(word.word)
        known = concepts.get(word.start, frozenset())
        if word.start not in skipped and (root or known):
            terms[word.start] = _term(root, known)
    for start, known in concepts.items():
        if start not in terms and start not in skipped:
            terms[start] = _term("", known)
    return terms


def _skipped(
    words: list[Token],
    concepts: Mapping[int, frozenset[str]],
    found: list[Found],
    given: tuple[Value, ...],
) -> set[int]:
    """Return the starts of the words that belong to a value, or to a cue and to no concept."""
    starts = [word.start for word in words]
    skipped: set[int] = set()
    for hit in found:
        if hit.names & _NO_SUBJECT:
            inside = starts[bisect_left(starts, hit.start) : bisect_left(starts, hit.end)]
            skipped.update(start for start in inside if start not in concepts)
    for value in given:
        skipped.update(starts[bisect_left(starts, value.start) : bisect_left(starts, value.end)])
    return skipped


def _concepts(text: str, words: list[Token]) -> dict[int, frozenset[str]]:
    """Return for each word that stands for a concept, by its start, the concepts."""
    starts = [word.start for word in words]
    concepts: dict[int, frozenset[str]] = {}
    for hit in CONCEPTS.find(text, words):
        inside = starts[bisect_left(starts, hit.start) : bisect_left(starts, hit.end)]
        inside = inside or [hit.start]
        for start in inside if len(inside) <= _LONGEST_SPACED else inside[:1]:
            concepts[start] = concepts.get(start, frozenset()) | hit.names
    return concepts


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return `word` without its ending, "" if it is a function word.

    English endings go by Snowball; of any language, the commonest ones go after that, for nobody
    knows the language of a short sentence.
    """
    stems = [] if word in _EMPTY else list(question_words(word))
    return _ENDING.sub("", stems[0]) if stems else ""


def subject_of(
    terms: Mapping[int, Term], given: tuple[Value, ...], runs: list[str]
) -> dict[str, float]:
    """Return the words, concepts and pairs of characters of the subject with their weights."""
    subject: dict[str, float] = {}
    for term in terms.values():
        own = _WORD_WEIGHT if term.concepts else 1.0
        if term.stem:
            subject[term.stem] = _LIGHT_WEIGHT if term.stem in LIGHT else own
        for concept in term.concepts:
            subject["$" + concept] = _CONCEPT_WEIGHT
    if any(value.kind != "name" for value in given):
        for value in given:
            if value.kind == "name":
                subject[value.key] = _NAME_WEIGHT
    for run in runs:
        weight = _PAIR_WEIGHT if len(run) > 1 else _SINGLE_WEIGHT
        subject.update(dict.fromkeys(question_words(run), weight))
    return subject


def wide_runs(text: str, given: tuple[Value, ...], cues: list[Found]) -> list[str]:
    """Return the parts of `text` that are written without spaces and belong to the subject."""
    if text.isascii():
        return []
    plain = list(_WIDE_PARTICLE.sub(" ", text))
    for start, end in (*((v.start, v.end) for v in given), *((c.start, c.end) for c in cues)):
        plain[start:end] = " " * (end - start)
    return _WIDE_RUN.findall("".join(plain))
