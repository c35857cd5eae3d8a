"""Why a document has its score."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from orchestrator_context.rank.bm25f import field_factors, frequencies, idf
from orchestrator_context.rank.contents import Contents
from orchestrator_context.rank.postings import FIELDS

PartKind = Literal["word", "expansion", "anchor", "salience", "carry_over", "given"]


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One summand of a score.

    Attributes:
        kind: where it comes from: a "word" of the query or one that its "expansion" added, the
            bonus of an "anchor" or for "carry_over", "salience", or the score that was "given".
        score: what it adds.
        word: which word, or "".
        field: in which field the word stands: "path", "title", "body", or "".
        weight: what the word counts in the query.
        idf: how much the word tells documents apart.
    """

    kind: PartKind
    score: float
    word: str = ""
    field: str = ""
    weight: float = 0.0
    idf: float = 0.0


@dataclass(frozen=True, slots=True)
class Explanation:
    """The parts of a score.

    Attributes:
        path: the document.
        parts: by kind and word; they sum up to the score in the ranking, rounding apart.
    """

    path: str
    parts: tuple[ScorePart, ...]

    @property
    def score(self) -> float:
        """The sum of the parts."""
        return math.fsum(part.score for part in self.parts)


def word_parts(
    contents: Contents, weights: Mapping[str, float], asked: Container[str], number: int
) -> Iterator[ScorePart]:
    """Yield what each word adds to the score of a document, by field.

    Args:
        contents: of the index.
        weights: the words that count, and how much.
        asked: those of them that the query itself asks for.
        number: the document.
    """
    postings = contents.postings
    factors = field_factors(postings, contents.options)
    for word, weight in sorted(weights.items()):
        first, end = postings.bounds(word)
        at = first + int(np.searchsorted(postings.documents[first:end], number))
        if at == end or postings.documents[at] != number:
            continue
        shares = frequencies(postings, factors, slice(at, at + 1))[:, 0]
        score = weight * float(contents.impacts[at]) / shares.sum()
        known = idf(end - first, len(postings))
        kind: PartKind = "word" if word in asked else "expansion"
        for field, share in zip(FIELDS, shares, strict=True):
            if share:
                yield ScorePart(kind, float(score * share), word, field, weight, known)


def prior_parts(contents: Contents, number: int) -> Iterator[ScorePart]:
    """Yield what a document counts without any query."""
    options = contents.options
    if contents.entries[number].is_anchor and options.anchor_bonus:
        yield ScorePart("anchor", options.anchor_bonus)
    if len(contents.salience):
        share = float(contents.salience[number])
        yield ScorePart("salience", options.salience_weight * share)
