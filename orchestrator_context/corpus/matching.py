"""Which documents bear on a question at all."""

from __future__ import annotations

from collections.abc import Collection

from orchestrator_context.rank import RankIndex
from orchestrator_context.rank.options import RankOptions
from orchestrator_context.rank.query import query_weights
from orchestrator_context.rank.question import FUNCTION_WORDS
from orchestrator_context.words import words


def matching(index: RankIndex, query: str, scored: Collection[str]) -> frozenset[str] | None:
    """Return the paths of documents that bear on a question, or None where nothing is asked.

    Those are the ones that were given scores; where none was, those that hold a word of the
    question, in their text or path. A word such as "the" tells nothing, unless all words are such.

    Args:
        index: of the documents.
        query: the question.
        scored: paths that were given scores.
    """
    if scored:
        return frozenset(scored).intersection(index.paths)
    asked = _telling(query, index.options)
    return index.holding(asked) if asked else None


def _telling(query: str, options: RankOptions) -> frozenset[str]:
    plain = words(query)
    spelled = words(query, stem=True) if options.stem else plain
    telling = (
        asked for word, asked in zip(plain, spelled, strict=True) if word not in FUNCTION_WORDS
    )
    return frozenset(telling) or frozenset(query_weights(query, options))
