"""What a query asks for: words and their weights."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.rank.options import RankOptions
from orchestrator_context.rank.question import FUNCTION_WORDS
from orchestrator_context.words import words

Query = str | Mapping[str, float]
"""A question in any script, or words as `orchestrator_context.words.words` gives them, weighted."""

_MOST_WEIGHT = 1e9


def query_weights(query: Query, options: RankOptions) -> dict[str, float]:
    """Return the words of the query and what each counts, as often as it is there.

    Function words of the more common languages count less, as the options say.

    Raises:
        ConfigurationError: the query is no text, or a weight is negative, NaN or above 1e9.
    """
    if isinstance(query, str):
        return _counted(query, options)
    if not isinstance(query, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigurationError(
            f"query must be a str or a mapping of words to weights, not {type(query).__name__}"
        )
    return {
        checks.text("query", word): checks.number("weight of a word", weight, most=_MOST_WEIGHT)
        for word, weight in query.items()
    }


def _counted(query: str, options: RankOptions) -> dict[str, float]:
    weights: dict[str, float] = {}
    plain = words(query)
    spelled = words(query, stem=True) if options.stem else plain
    for word, asked in zip(plain, spelled, strict=True):
        weight = options.function_word_weight if word in FUNCTION_WORDS else 1.0
        weights[asked] = weights.get(asked, 0.0) + weight
    return {word: weight for word, weight in weights.items() if weight > 0}
