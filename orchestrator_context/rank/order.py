"""The one order of documents: pinned, by score, shallow, by path.

Documents are numbered in the order that settles ties, so a stable sort by score is all it takes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from numbers import Real
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.rank.spellings import Integers


class Ranked(NamedTuple):
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
    chosen = _greatest(scores, np.flatnonzero(scores > 0), most)  # most scores are 0
    if len(chosen) < most:
        zeros = np.flatnonzero(scores == 0)[: most - len(chosen)]
        chosen = np.concatenate((chosen, zeros))
    if len(chosen) < most:
        negative = _greatest(scores, np.flatnonzero(scores < 0), most - len(chosen))
        chosen = np.concatenate((chosen, negative))
    return chosen


def _greatest(scores: npt.NDArray[np.float64], members: Integers, most: int) -> Integers:
    """Return the `most` members of the greatest scores; slow where nearly all are equal."""
    values = scores[members]
    if 0 < most < len(members):
        least = np.partition(values, len(values) - most)[len(values) - most]
        equal = np.flatnonzero(values == least)[: most - int((values > least).sum())]
        kept = np.concatenate((np.flatnonzero(values > least), equal))
        members, values = members[kept], values[kept]
    return members[np.argsort(-values, kind="stable")][:most]


def best_first(
    scores: npt.NDArray[np.float64],
    *,
    pinned: int,
    missing: npt.NDArray[np.bool_] | None,
    limit: int | None,
) -> Integers:
    """Return the numbers of documents, best first.

    Args:
        scores: by document.
        pinned: how many documents, the first ones, stand before all others.
        missing: which ones stand behind the others beside them; None for none.
        limit: how many at most; None for all.
    """
    left = len(scores) if limit is None else limit
    result: list[Integers] = []
    for members in _tiers(len(scores), pinned, missing):
        chosen = top(scores[members], left)
        left -= len(chosen)
        result.append(chosen + members.start if isinstance(members, slice) else members[chosen])
    return np.concatenate(result)


def _tiers(
    count: int, pinned: int, missing: npt.NDArray[np.bool_] | None
) -> Iterator[slice | Integers]:
    """Yield the documents that stand before all that follow."""
    for start, end in ((0, pinned), (pinned, count)):
        if missing is None:
            yield slice(start, end)
        else:
            yield start + np.flatnonzero(~missing[start:end])
            yield start + np.flatnonzero(missing[start:end])


def given_scores(scores: Mapping[str, float], paths: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the scores by document, NaN where there is none. Paths of no document are ignored.

    Raises:
        ConfigurationError: a score is not a finite number.
    """
    for path, score in checks.mapping("scores", scores, "paths to numbers").items():
        real = not isinstance(score, bool) and isinstance(score, Real)
        if not real or not _is_finite(cast("float", score)):
            raise ConfigurationError(
                f"the score of {path!r} must be a finite number, not {checks.shown(score)}; "
                "leave out documents that have none"
            )
    return np.array([float(scores.get(path, math.nan)) for path in paths], dtype=np.float64)


def _is_finite(score: float) -> bool:
    try:
        return math.isfinite(score)
    except OverflowError:  # an integer above all floats
        return False
