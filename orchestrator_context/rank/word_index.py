"""Words of an index: all of them, or for a first question only those that it asks for."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from orchestrator_context.rank.bm25f import Impacts, impacts
from orchestrator_context.rank.options import RankOptions
from orchestrator_context.rank.postings import Postings
from orchestrator_context.rank.reading import Reading


class Weighted(NamedTuple):
    """Postings, and what each adds to a score."""

    postings: Postings
    impacts: Impacts


class WordIndex:
    """Which document holds which word, and what that adds to its score.

    Of documents that were only just read, the words of the first question are looked up, and at
    the next question all words are sorted: many a corpus is asked once.
    """

    def __init__(
        self, words: Postings | Reading, options: RankOptions, known: Impacts | None = None
    ) -> None:
        """Take postings as they are, or make them as they are asked for.

        Args:
            words: all words.
            options: what they count.
            known: what each posting adds, if that was kept.
        """
        self._options = options
        self._words: Weighted | Reading = (
            words if isinstance(words, Reading) else self._weighted(words, known)
        )
        self._first: tuple[frozenset[str], Weighted] | None = None

    @property
    def all(self) -> Weighted:
        """All words."""
        words = self._words
        if isinstance(words, Reading):
            words = self._words = self._weighted(words.postings())
        return words

    def of(self, asked: Collection[str]) -> Weighted:
        """Return some words, and maybe others."""
        words = self._words
        if not isinstance(words, Reading):
            return words
        if self._first is None:
            chosen = frozenset(asked)
            self._first = chosen, self._weighted(words.postings(chosen))
        known, first = self._first
        return first if known.issuperset(asked) else self.all

    def _weighted(self, postings: Postings, known: Impacts | None = None) -> Weighted:
        return Weighted(postings, impacts(postings, self._options) if known is None else known)
