"""Documents ranked by their words: built once, asked often, kept in a file, changed by document."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterable, Mapping

import numpy as np

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document
from orchestrator_context.rank import contents as kept
from orchestrator_context.rank.bm25f import Scores, idf, summed
from orchestrator_context.rank.contents import Contents
from orchestrator_context.rank.entries import are_entries_of, corpus_digest, documents_digest
from orchestrator_context.rank.expansion import expanded
from orchestrator_context.rank.explanation import (
    Explanation,
    ScorePart,
    prior_parts,
    word_parts,
)
from orchestrator_context.rank.index_file import Arrays, index_key, read_arrays, write_arrays
from orchestrator_context.rank.options import RankOptions
from orchestrator_context.rank.order import Ranked, best_first, given_scores
from orchestrator_context.rank.query import Query, query_weights
from orchestrator_context.rank.similarity import Similarities
from orchestrator_context.source.given import given_documents


class RankIndex:
    """An index of documents that answers with scores and rankings.

    Documents are known by their paths. All that is computed depends on the documents and the
    options alone: not on the order in which they come, nor on whether the index was built, changed
    or loaded. An index never changes; many threads may ask it.

    >>> index = RankIndex.build([Document("a.md", "Valves."), Document("b.md", "Pumps, valves.")])
    >>> [ranked.path for ranked in index.rank("pumps")]
    ['b.md', 'a.md']

    Time and memory to build are linear in the words; a query takes time linear in the documents.
    What the first question has no need of is made for the second, which takes as long again.

    Attributes:
        beside: arrays that stood in its file beside it, by name.
    """

    def __init__(
        self, contents: Contents, *, digest: str | None = None, beside: Arrays | None = None
    ) -> None:
        """Take contents as they are; `build` and `load` do. Their digest, if it is known, too."""
        self._contents, self._digest, self.beside = contents, digest, beside or {}
        self._numbers = {entry.path: number for number, entry in enumerate(contents.entries)}
        self._pinned = sum([entry.pinned for entry in contents.entries])
        self._prior = kept.prior(contents)
        self._alike: Similarities | None = None

    @classmethod
    def build(
        cls, documents: Iterable[Document], *, options: RankOptions = RankOptions()
    ) -> RankIndex:
        """Return the index of `documents`.

        Raises:
            ConfigurationError: two documents have the same path.
        """
        return cls(kept.read(documents, checks.instance("options", options, RankOptions)))

    def updated(self, *, added: Iterable[Document] = (), removed: Iterable[str] = ()) -> RankIndex:
        """Return the index of the documents without some and with others; only these are read.

        It equals one that is built from scratch. A document that changed is removed and added.

        Args:
            added: documents that come.
            removed: paths of documents that go.

        Raises:
            ConfigurationError: a path to remove is not there, or one to add is there already.
        """
        return RankIndex(kept.changed(self._contents, added, removed))

    def __len__(self) -> int:
        return len(self._contents.entries)

    @property
    def options(self) -> RankOptions:
        """How the index was made."""
        return self._contents.options

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the documents: pinned ones first, then by depth, then by name."""
        return tuple(entry.path for entry in self._contents.entries)

    @property
    def digest(self) -> str:
        """The hex digest of the documents, which `load` knows them by."""
        if self._digest is None:
            self._digest = corpus_digest(self._contents.entries)
        return self._digest

    def is_of(self, documents: Iterable[Document]) -> bool:
        """Return whether it is the index of these documents, in any order."""
        return are_entries_of(self._contents.entries, given_documents("documents", documents))

    def frequency(self, word: str) -> int:
        """Return the number of documents that hold `word`, as `words.words` gives it."""
        return self._contents.words.of((checks.text("word", word),)).postings.frequency(word)

    def holding(self, words: Collection[str]) -> frozenset[str]:
        """Return the paths of the documents that hold, or whose paths hold, any of these words.

        Words are such as `words.words` gives.
        """
        given = checks.instances("words", words, str, "words")
        postings, entries = self._contents.words.of(given).postings, self._contents.entries
        spans = [postings.documents[slice(*postings.bounds(word))] for word in given]
        numbers: list[int] = np.unique(np.concatenate(spans)).tolist() if spans else []
        return frozenset(entries[number].path for number in numbers)

    def _number(self, path: str) -> int:
        number = self._numbers.get(checks.text("path", path))
        if number is None:
            raise ConfigurationError(f"the index has no document with the path {path!r}")
        return number

    def idf(self, word: str) -> float:
        """Return how much `word` tells documents apart, above 0."""
        return self.idfs((word,))[word]

    def idfs(self, words: Collection[str]) -> dict[str, float]:
        """Return the `idf` of each of these words, which are looked up together."""
        given = checks.instances("words", words, str, "words")
        postings = self._contents.words.of(given).postings
        return {word: idf(postings.frequency(word), len(self)) for word in given}

    def weights(self, query: Query) -> dict[str, float]:
        """Return the words that `query` asks for, and what each counts, widened as options say."""
        inside, weights = self._contents, query_weights(query, self.options)
        if not self.options.expansion_rounds:
            return weights
        return expanded(weights, inside.postings, inside.impacts, self.options)

    def scores(self, query: Query) -> Scores:
        """Return what the words of `query` are worth in each of `paths`; exactly 0 where none is.

        Args:
            query: a question in any script, or words and their weights.
        """
        weights = self.weights(query)
        return summed(*self._contents.words.of(weights), weights)

    def likeness(self, paths: Iterable[str]) -> Callable[[str], Scores]:
        """Return a function from a path to how alike each of `paths` is to it, from 0 to 1.

        The first call sorts the index by document. The function takes time linear in `paths`.

        Raises:
            ConfigurationError: the index has no such document; so may the function.
        """
        given = checks.instances("paths", paths, str, "paths")
        self._alike = self._alike or Similarities(self._contents.postings, self._contents.impacts)
        among = self._alike.among(np.array(list(map(self._number, given)), dtype=np.int64))
        return lambda path: among.to(self._number(path))

    def rank(
        self,
        query: Query,
        *,
        scores: Mapping[str, float] | None = None,
        previous: Mapping[str, str] | None = None,
        limit: int | None = None,
    ) -> tuple[Ranked, ...]:
        """Return the documents, best first, in a total order.

        Pinned ones come first; then the score decides, then the depth of the path, then the path.
        The score is what the words are worth, salience, and bonuses.

        Args:
            query: a question in any script, or words and their weights; it may be empty.
            scores: by path, such as those of a semantic ranker. They replace all that the index
                knows, but for the bonus of documents that were chosen before; documents without
                one stand behind those with one. Paths that the index does not hold are ignored.
            previous: path and SHA-256 of documents that were chosen before.
            limit: how many at most; None for all.

        Raises:
            ConfigurationError: a score is not finite, or another argument cannot be used.
        """
        checks.whole_or_none("limit", limit)
        words = self.scores(query)
        matched = words > 0
        total = words + self._prior
        missing = None
        if scores is not None:
            given = given_scores(scores, self.paths)
            missing = np.isnan(given)
            matched |= ~missing
            total = np.where(missing, total, given)
        for number in self._carried(previous):
            total[number] += self.options.carry_over_bonus
        order = best_first(total, pinned=self._pinned, missing=missing, limit=limit)
        numbers: list[int] = order.tolist()
        chosen = [self._contents.entries[number] for number in numbers]
        return tuple(
            map(
                Ranked,
                [entry.path for entry in chosen],
                total[order].tolist(),
                [entry.pinned for entry in chosen],
                matched[order].tolist(),
                [True] * len(chosen) if missing is None else (~missing[order]).tolist(),
            )
        )

    def _carried(self, previous: Mapping[str, str] | None) -> list[int]:
        """Return the documents that were chosen before and did not change since."""
        known = checks.mapping("previous", previous or {}, "paths to digests")
        if previous is None or not (known and self.options.carry_over_bonus):
            return []
        numbers = [self._numbers[path] for path in previous if path in self._numbers]
        entries = self._contents.entries
        return [at for at in numbers if previous[entries[at].path] == entries[at].sha256]

    def explain(
        self,
        query: Query,
        path: str,
        *,
        scores: Mapping[str, float] | None = None,
        previous: Mapping[str, str] | None = None,
    ) -> Explanation:
        """Return what the score of one document in such a ranking is made of.

        Args:
            query: as in `rank`.
            path: the document.
            scores: as in `rank`.
            previous: as in `rank`.

        Raises:
            ConfigurationError: the index has no such document, or as in `rank`.
        """
        number = self._number(path)
        if scores is not None and not math.isnan(given_scores(scores, (path,))[0]):
            parts = [ScorePart("given", float(scores[path]))]
        else:
            asked = query_weights(query, self.options)
            words = word_parts(self._contents, self.weights(query), asked, number)
            parts = [*words, *prior_parts(self._contents, number)]
        if number in self._carried(previous):
            parts.append(ScorePart("carry_over", self.options.carry_over_bonus))
        return Explanation(path, tuple(parts))

    def save(self, path: str | os.PathLike[str], *, beside: Arrays | None = None) -> None:
        """Write the index to a file, which only its owner may read: it holds words of the texts.

        Args:
            path: the file.
            beside: arrays of numbers to keep there along with those in `self.beside`, by name.

        Raises:
            RankIndexError: it cannot be written.
            ConfigurationError: something in `beside` is no array of numbers.
        """
        others = kept.marked(self.beside) | kept.marked(beside or {})
        arrays = kept.to_arrays(self._contents) | others
        write_arrays(checks.path("path", path), index_key(self.digest, self.options), arrays)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        corpus: Iterable[Document] | str,
        *,
        options: RankOptions = RankOptions(),
    ) -> RankIndex:
        """Return the index of a file, mapped into memory.

        Args:
            path: the file.
            corpus: the documents it must be of, or their `digest`.
            options: those it must have been made with, but for `carry_over_bonus`.

        Raises:
            RankIndexError: the file is missing, damaged, foreign, or of other documents, options or
                versions of this library and those that tell words apart. Build the index anew.
            ConfigurationError: two documents have the same path.
        """
        checks.instance("options", options, RankOptions)
        digest = corpus if isinstance(corpus, str) else documents_digest(corpus)
        arrays = read_arrays(checks.path("path", path), index_key(digest, options))
        contents = kept.from_arrays(arrays, options)
        return cls(contents, digest=digest, beside=kept.beside(arrays))
