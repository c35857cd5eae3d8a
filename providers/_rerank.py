"""From the answer of a reranking service to scores."""

from __future__ import annotations

import math
from typing import cast

from orchestrator_context.exceptions import ProviderResponseError
from orchestrator_context.providers._chat import mapping


def scores_of(results: object, texts: int, provider: str) -> list[float | None]:
    """Return one score for each of `texts` texts, None for those that the service left out.

    Args:
        results: a JSON array of objects with `index` and `relevance_score`, or `score`.
        texts: how many were sent.
        provider: the service.

    Raises:
        ProviderResponseError: they are something else.
    """
    if not isinstance(results, list):
        raise _unusable("no results", provider)
    scores: list[float | None] = [None] * texts
    for result in cast("list[object]", results):
        fields = mapping(result)
        index, score = fields.get("index"), fields.get("relevance_score", fields.get("score"))
        if type(index) is not int or not 0 <= index < texts or scores[index] is not None:
            raise _unusable("a result that belongs to no text", provider)
        if isinstance(score, bool) or not isinstance(score, int | float) or not _is_finite(score):
            raise _unusable("a score that is no number", provider)
        scores[index] = float(score)
    return scores


def _is_finite(score: float) -> bool:
    try:
        return math.isfinite(score)
    except OverflowError:  # an integer of hundreds of digits
        return False


def _unusable(what: str, provider: str) -> ProviderResponseError:
    return ProviderResponseError(
        f"{provider} answered with {what}; call it again, and check base_url if that goes on",
        provider=provider,
        status=200,
    )
