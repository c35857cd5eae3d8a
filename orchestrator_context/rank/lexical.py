"""Lexical relevance: BM25 over many small texts, built once and asked often."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import cast

from orchestrator_context import checks
from orchestrator_context.words import words

_TERM_SATURATION = 1.2  # k1: how soon a repeated word counts no more
_LENGTH_PENALTY = 0.75  # b: how much a long text has to say more often what a short one says once

_SHORTEST_ROOT = 5
_LONGEST_ENDING = 2


class LexicalIndex:
    """An inverted index that answers with BM25 scores.

    Frequencies may be fractions, so a field is weighted by adding its words at another rate than
    those of the body, before saturation, as BM25F does (Robertson, Zaragoza and Taylor, "Simple
    BM25 extension to multiple weighted fields", CIKM 2004).

    Building takes time linear in the words, a query linear in the texts that hold its words.
    """

    def __init__(self, texts: Iterable[Mapping[str, float]]) -> None:
        """Index texts that were split into words already.

        Args:
            texts: for each text its words and how often they occur.
        """
        postings: dict[str, list[tuple[int, float]]] = {}
        lengths: list[float] = []
        for index, given in enumerate(checks.sequence("texts", texts, "mappings")):
            frequencies = _frequencies(f"texts[{index}]", given)
            lengths.append(sum(frequencies.values()))
            for word, frequency in frequencies.items():
                postings.setdefault(word, []).append((index, frequency))
        mean = sum(lengths) / len(lengths) if lengths else 0.0
        self._postings = postings
        self._saturations = [_saturation(length / mean if mean else 1.0) for length in lengths]

    @classmethod
    def of(cls, texts: Iterable[str]) -> LexicalIndex:
        """Return the index of `texts`, split by `orchestrator_context.words.words` with stems."""
        given = checks.instances("texts", texts, str, "texts")
        return cls(Counter(words(text, stem=True)) for text in given)

    def __len__(self) -> int:
        return len(self._saturations)

    def frequency(self, word: str) -> int:
        """Return the number of texts that hold `word`."""
        return len(self._postings.get(checks.text("word", word), ()))

    def relatives(self, word: str, *, most: int) -> list[str]:
        """Return words of the index that hold `word` without its ending, the shortest first.

        For languages without a stemmer, and for compounds: `Reparatur` finds `Kleinreparaturen`.
        """
        checks.whole("most", most)
        if len(checks.text("word", word)) < _SHORTEST_ROOT:
            return []
        root = word[: max(_SHORTEST_ROOT, len(word) - _LONGEST_ENDING)]
        return heapq.nsmallest(
            most, (other for other in self._postings if root in other), lambda o: (len(o), o)
        )

    def idf(self, word: str) -> float:
        """Return how much `word` tells texts apart: ln(1 + (N - n + 0.5) / (n + 0.5)), above 0."""
        held_by = self.frequency(word)
        return math.log1p((len(self) - held_by + 0.5) / (held_by + 0.5))

    def impacts(self, word: str) -> list[tuple[int, float]]:
        """Return the texts that hold `word`, by index, and its share of their scores."""
        idf = self.idf(word) * (_TERM_SATURATION + 1)
        return [
            (index, idf * frequency / (frequency + self._saturations[index]))
            for index, frequency in self._postings.get(word, ())
        ]

    def scores(self, query: str | Mapping[str, float]) -> tuple[float, ...]:
        """Return the score of each text, 0 where it holds none of the words asked for.

        Args:
            query: a question, in which each word counts once, or words and their weights.
        """
        weights = (
            dict.fromkeys(words(query, stem=True), 1.0)
            if isinstance(query, str)
            else _frequencies("query", query)
        )
        scores = [0.0] * len(self)
        for word, weight in weights.items():
            for index, impact in self.impacts(word):
                scores[index] += weight * impact
        return tuple(scores)


def _frequencies(field: str, given: object) -> Mapping[str, float]:
    mapping = checks.mapping(field, given, "words to numbers")
    if not (set(map(type, mapping)) <= {str} and set(map(type, mapping.values())) <= {int, float}):
        for word, frequency in mapping.items():
            checks.text(f"a word of {field}", word)
            checks.number(f"what a word of {field} counts", frequency)
    return cast("Mapping[str, float]", mapping)


def _saturation(relative_length: float) -> float:
    return _TERM_SATURATION * (1 - _LENGTH_PENALTY + _LENGTH_PENALTY * relative_length)
