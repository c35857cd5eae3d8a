"""A sentence taken apart: what it does, what it is about, and the values it gives."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

import regex

from orchestrator_context.conversation.digest.cues import CUES
from orchestrator_context.conversation.digest.kinds import Kind, kind_of
from orchestrator_context.conversation.digest.labels import label_end
from orchestrator_context.conversation.digest.lexicon import Found, Token, tokens
from orchestrator_context.conversation.digest.thesaurus import CONCEPTS, CONTRASTS, LIGHT
from orchestrator_context.conversation.digest.values import Value, values
from orchestrator_context.rank import question_words

__all__ = ["Statement", "similarity", "statement"]

_CONCEPT_WEIGHT = 0.8  # of what a word stands for
_WORD_WEIGHT = 0.4  # of the word itself, beside that
_LIGHT_WEIGHT = 0.25  # of words that go with anything
_NAME_WEIGHT = 0.6  # of names beside a value of another kind
_LONGEST_SPACED = 5
_NO_SUBJECT = frozenset(
    "update withdraw negation universal copula oblige prefer first_person forbid only limit".split()
)
_LINKS = frozenset(
    "for of in on für von der des im de du des pour en del para por для в на".split()
)
_ARTICLES = frozenset("the a an our der die das den dem la le les el los las l".split())
_SINGLE_WEIGHT = 0.3  # of one that stands alone
_PAIR_WEIGHT = 0.6  # of two characters of a script without spaces
_ENDING = regex.compile(
    r"(?<=.{4})(?:en|er|es|em|e|n|s|as|os|a|o|ами|ями|ого|ему|ой|ом|ов|ей|ах|ях|ы|и|у|ю|е|а|я)$"
)
_EMPTY = frozenset(
    """onto upon towards toward via per among still yet even ever away already quite happens
    happen pro bitte darf dürfen wurde wurden worden
    haben hatte habe sein war gerade sofort ab doch mal notre votre nos vos mon mes mi mis nuestro nuestra unser unsere mein meine meinen être avant après fait a
    peut peuvent doit faut où debe ser puede tiene уже ещё еще мы вы наш наша наше наши мой моя моё мои ваш ваша этот эта эти
    пока при про был была было""".split()
)
_WIDE_PARTICLE = regex.compile(
    r"[的了吗呢吧把被给在到从我你他她它们这那个是为和与或也都就又再还很请让のはがをにでともへやかねよ]"
)
_WIDE_RUN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}ー々]{2,}|\p{Han}")
_GAP = regex.compile(r"[\s'’-]*(?:s\s+)?")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence and what was found in it.

    Attributes:
        text: the sentence.
        kind: what it does.
        values: what it states of its subject.
        subject: what it is about: words and concepts with their weights.
        modifiers: for words of the subject, what stands before them or hangs on them.
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
        return sum(not key.startswith("$") for key in self.subject)


def similarity(one: Statement, other: Statement) -> float:
    """Return how far two statements are about the same, from 0 to 1 (a weighted Dice measure)."""
    if len(one.subject) > len(other.subject):
        one, other = other, one
    whole = one.weight + other.weight
    shared = sum(min(w, other.subject.get(key, 0.0)) for key, w in one.subject.items())
    return 2 * shared / whole if whole else 0.0


@lru_cache(maxsize=8_192)
def statement(text: str) -> Statement:
    """Return the sentence `text` taken apart. A label such as "Note:" is no part of it."""
    label = label_end(text)
    return replace(_statement(text[label:]), text=text) if label else _statement(text)


def _statement(text: str) -> Statement:
    words = tokens(text)
    found = list(CUES.find(text, words))
    cues = frozenset(name for hit in found for name in hit.names)
    given = values(text, words)
    concepts = _concepts(text, words)
    skipped = _skipped(words, concepts, found, given)
    terms = _terms(words, concepts, skipped)
    subject = _subject(terms, given)
    runs = _wide_runs(text, given, found)
    for run in runs:
        weight = _PAIR_WEIGHT if len(run) > 1 else _SINGLE_WEIGHT
        subject.update(dict.fromkeys(question_words(run), weight))
    pivot = _pivot(found)
    return Statement(
        text=text,
        kind=kind_of(text, words, cues, given, len(subject)),
        values=given,
        subject=subject,
        modifiers=_modifiers(text, words, terms),
        contrasts=CONTRASTS.names(text),
        cues=cues,
        owners=_owners(text, given, min(terms, default=len(text)), pivot),
        head=frozenset(key for start in terms if start < pivot for key in terms[start].keys),
        sequence=(*(min(terms[start].keys) for start in sorted(terms)), *"".join(runs)),
    )


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


@dataclass(frozen=True, slots=True)
class _Term:
    """A word of the subject: its stem, and what it stands for."""

    stem: str
    concepts: frozenset[str]

    @property
    def keys(self) -> frozenset[str]:
        return frozenset("$" + concept for concept in self.concepts) or frozenset({self.stem})


def _terms(
    words: list[Token], concepts: Mapping[int, frozenset[str]], skipped: set[int]
) -> dict[int, _Term]:
    terms: dict[int, _Term] = {}
    for word in words:
        stem = _stem(word.word)
        known = concepts.get(word.start, frozenset())
        if word.start not in skipped and (stem or known):
            terms[word.start] = _Term(stem, known)
    for start, known in concepts.items():
        if start not in terms and start not in skipped:
            terms[start] = _Term("", known)
    return terms


@lru_cache(maxsize=16_384)
def _stem(word: str) -> str:
    """Return `word` without its ending, "" if it is a function word.

    English endings go by Snowball; of any language, the commonest ones go after that, for nobody
    knows the language of a short sentence.
    """
    stems = [] if word in _EMPTY else list(question_words(word))
    return _ENDING.sub("", stems[0]) if stems else ""


def _subject(terms: Mapping[int, _Term], given: tuple[Value, ...]) -> dict[str, float]:
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
    return subject


def _wide_runs(text: str, given: tuple[Value, ...], cues: list[Found]) -> list[str]:
    """Return the parts of `text` that are written without spaces and belong to the subject."""
    if text.isascii():
        return []
    plain = list(_WIDE_PARTICLE.sub(" ", text))
    for start, end in (*((v.start, v.end) for v in given), *((c.start, c.end) for c in cues)):
        plain[start:end] = " " * (end - start)
    return _WIDE_RUN.findall("".join(plain))


def _modifiers(
    text: str, words: list[Token], terms: Mapping[int, _Term]
) -> dict[str, frozenset[str]]:
    """Return for each word of the subject the words that tell it from others of its sort."""
    modifiers: dict[str, frozenset[str]] = {}
    before: frozenset[str] = frozenset()
    head, linked, end = "", False, 0
    for word in words:
        term = terms.get(word.start)
        adjacent = _GAP.fullmatch(text, end, word.start) is not None
        if term is None or not term.stem:
            linked = adjacent and (
                (word.word in _LINKS and head != "") or (linked and word.word in _ARTICLES)
            )
            before = frozenset()
            head = head if linked else ""
        else:
            before = before if adjacent else frozenset()
            light = term.stem in LIGHT
            if linked and head and adjacent and not light:
                modifiers[head] = modifiers.get(head, frozenset()) | term.keys
            for key in term.keys:
                if before:
                    modifiers[key] = modifiers.get(key, frozenset()) | before
            head, linked = min(term.keys), False
            before = before if light else before | term.keys
        end = word.end
    return modifiers


def _pivot(found: list[Found]) -> int:
    """Return where "is", "prefers" or the like stands, 0 where nothing of the sort does."""
    return min((hit.start for hit in found if hit.names & {"copula", "prefer"}), default=0)


def _owners(text: str, given: tuple[Value, ...], first_term: int, pivot: int) -> frozenset[str]:
    """Return what says whose or which one the statement is of, beside its other values.

    Names with an 's, names that come first, and numbers and letters that tell a thing from others
    of its sort: "invoice 1001 was paid on", "server B is".
    """
    kinds = {value.kind for value in given}
    owners = {letter[0] for letter in _LETTER.finditer(text, 0, pivot)}
    for value in given:
        named = value.kind == "name" and len(kinds) > 1 and value.start <= first_term
        owned = value.kind == "name" and _POSSESSIVE.match(text, value.end)
        numbered = value.kind in ("number", "id") and len(kinds) > 1 and value.end <= pivot
        if named or owned or numbered:
            owners.add(value.key)
    return frozenset(owners)


_POSSESSIVE = regex.compile(r"['’]s\b|['’](?=\s)")
_LETTER = regex.compile(r"(?<=\p{L}{2}\s)(?!I\b)\p{Lu}(?=\s)")
