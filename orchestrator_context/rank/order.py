"""The one order of documents: pinned, by score, shallow, by path.

Documents are numbered in the order that settles ties, so a stable sort by score is all it takes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
import numpy.typing as npt

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.rank.vocabulary import Integers


@dataclass(frozen=True, slots=True)
class Ranked:
    """A document in a ranking.

    Attributes:
        path: which one.
        score: the sum that it is ranked by.
        pinned: it stands before all that are not, whatever its score.
        matched: it holds a word that was asked for, or was given a score.
        scored: False where scores were given and it has none. It stands behind all that have one,
            by what its words are worth, which is not to be compared with the scores of those.
    """

    path: str
    score: float
    pinned: bool = False
    matched: bool = True
    scored: bool = True


def top(scores: npt.NDArray[np.float64], most: int) -> Integers:
    """Return the numbers of the `most` greatest scores, greatest first, of equal ones the first."""
    if most >= len(scores):
        return np.argsort(-scores, kind="stable")
    if most < 1:
        return np.zeros(0, dtype=np.int64)
    least = np.partition(scores, len(scores) - most)[len(scores) - most]
    above = np.flatnonzero(scores > least)
    equal = np.flatnonzero(scores == least)[: most - len(above)]
    chosen = np.concatenate((above, equal))
    return chosen[np.argsort(-scores[chosen], kind="stable")]


def best_first(
    scores: npt.NDArray[np.float64], tiers: npt.NDArray[np.int8], limit: int | None
) -> Integers:
    """Return the numbers of documents, best first: by tier, then as `top` does."""
    left = len(scores) if limit is None else limit
    result = [np.zeros(0, dtype=np.int64)]
    for tier in np.unique(tiers):
        members = np.flatnonzero(tiers == tier)
        chosen = members[top(scores[members], left)]
        result.append(chosen)
        left -= len(chosen)
    return np.concatenate(result)


def given_scores(
    scores: Mapping[str, float], paths: Sequence[str]
) -> npt.NDArray[np.float64]:
    """Return the scores by document, NaN where there is none. Paths of no document are ignored.

    Raises:
        ConfigurationError: a score is not a finite number.
    """
    for path, score in scores.items():
        if isinstance(score, bool) or not isinstance(score, Real) or not math.isfinite(score):
            raise ConfigurationError(
                f"the score of {path!r} must be a finite number, not {score!r}; "
                "leave out documents that have none"
            )
    return np.array([float(scores.get(path, math.nan)) for path in paths], dtype=np.float64)
