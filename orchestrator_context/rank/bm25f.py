"""BM25F: what each posting adds to a score.

A document counts a word by fields, each weighted and normalised by its own mean length, before
saturation (Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields",
CIKM 2004): `idf * (k1 + 1) * tf / (k1 + tf)`, with `tf = sum(weight * count / norm)` over the
fields and `norm = 1 - b + b * length / mean length`. With the body alone that is BM25. The idf is
`ln(1 + (N - n + 0.5) / (n + 0.5))`, which is above 0 for every word.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from orchestrator_context.rank.options import RankOptions
from orchestrator_context.rank.postings import Postings
from orchestrator_context.rank.spellings import Integers

Scores = npt.NDArray[np.float64]
Impacts = npt.NDArray[np.float32]

_CHUNK: Final = 1_000_000  # postings


def impacts(postings: Postings, options: RankOptions) -> Impacts:
    """Return the share of each posting in a score, for a word of weight 1; above 0."""
    result = np.empty(len(postings.documents), dtype=np.float32)
    scales = np.repeat(idfs(postings) * (options.saturation + 1), np.diff(postings.starts))
    factors = field_factors(postings, options)
    for start in range(0, len(result), _CHUNK):
        part = slice(start, start + _CHUNK)
        shares = frequencies(postings, factors, part).sum(axis=0)
        result[part] = scales[part] * shares / (options.saturation + shares)
    return result


def field_factors(postings: Postings, options: RankOptions) -> Scores:
    """Return what one mention counts before saturation, by field and document."""
    weights = (options.path_weight, options.title_weight, 1.0)
    factors = np.zeros(postings.lengths.shape, dtype=np.float64)
    for row, weight, lengths in zip(factors, weights, postings.lengths, strict=True):
        mean = int(lengths.sum()) / max(1, len(lengths))
        norm = 1 - options.length_penalty + options.length_penalty * lengths / (mean or 1.0)
        np.divide(weight, norm, out=row, where=lengths > 0)
    return factors


def frequencies(postings: Postings, factors: Scores, part: slice) -> Scores:
    """Return what the mentions of some postings count before saturation, by field and posting."""
    documents = postings.documents[part]
    rows = [
        row[documents] * column[part] for row, column in zip(factors, postings.counts, strict=True)
    ]
    return np.array(rows)


def idf(held_by: int, documents: int) -> float:
    """Return how much a word tells documents apart that `held_by` of them hold."""
    return math.log1p((documents - held_by + 0.5) / (held_by + 0.5))


def idfs(postings: Postings) -> Scores:
    """Return the idf of every word, each frequency computed once and by the same function."""
    amounts: Integers = np.diff(postings.starts)
    distinct, which = np.unique(amounts, return_inverse=True)
    values = [idf(amount, len(postings)) for amount in distinct.tolist()]
    return np.array(values, dtype=np.float64)[which]


def summed(postings: Postings, shares: Impacts, weights: dict[str, float]) -> Scores:
    """Return the score of each document: the words are added in their own order."""
    scores = np.zeros(len(postings), dtype=np.float64)
    for word in sorted(weights):
        span = slice(*postings.bounds(word))
        added = np.multiply(shares[span], weights[word], dtype=np.float64)
        np.add.at(scores, postings.documents[span], added)
    return scores
