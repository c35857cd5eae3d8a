"""Pseudo-relevance feedback: a query is widened by words of the documents that answer it best."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from orchestrator_context.rank.bm25f import Impacts, Scores, summed
from orchestrator_context.rank.options import RankOptions
from orchestrator_context.rank.order import top
from orchestrator_context.rank.postings import FIELDS, Postings
from orchestrator_context.rank.question import FUNCTION_WORDS
from orchestrator_context.rank.spellings import Integers


def expanded(
    weights: Mapping[str, float], postings: Postings, shares: Impacts, options: RankOptions
) -> dict[str, float]:
    """Return `weights` and those of the words that a widened query asks for too.

    Each round ranks by what there is, and adds the words that weigh most in the best documents, by
    BM25 and the score of the document. The words of the query keep their weights. A word that only
    one document holds leads to no other, so it is left out, and so is one that is there as a part
    of its path alone: the suffix of a file would lead to all files of that kind.
    """
    result = dict(weights)
    ceiling = options.expansion_weight
    for _ in range(options.expansion_rounds):
        scores = summed(postings, shares, result)
        best = top(scores, options.feedback_documents)
        values = _values(postings, shares, scores, best[scores[best] > 0])
        result |= _best(values, postings, options.expansion_terms, ceiling, result.__contains__)
        ceiling *= options.expansion_decay
    return result


def _values(postings: Postings, shares: Impacts, scores: Scores, best: Integers) -> Scores:
    """Return what each word weighs in the best documents."""
    result: Scores = np.zeros(len(postings.words), dtype=np.float64)
    chosen = np.zeros(len(postings), dtype=np.bool_)
    chosen[best] = True
    said = postings.counts[FIELDS.index("body")] > 0
    held = np.flatnonzero(chosen[postings.documents] & said)
    relevance = scores[postings.documents[held]] / scores[best].max(initial=0)
    np.add.at(result, postings.word_of(held), relevance * shares[held])
    result[np.diff(postings.starts) < 2] = 0
    return result


def _best(
    values: Scores, postings: Postings, most: int, ceiling: float, known: Callable[[str], bool]
) -> dict[str, float]:
    """Return the `most` words of the greatest value, the first of them at the ceiling."""
    found: dict[str, float] = {}
    candidates = np.flatnonzero(values > 0)
    for index in candidates[np.argsort(-values[candidates], kind="stable")]:
        if len(found) >= most or ceiling <= 0:
            break
        word = postings.words.word(int(index))
        if not known(word) and word not in FUNCTION_WORDS:
            found[word] = float(values[index])
    greatest = max(found.values(), default=1.0)
    return {word: ceiling * (value / greatest) for word, value in found.items()}
