"""Documents ranked by their words: built once, asked often, kept in a file, changed by document."""

from __future__ import annotations

import json
import math
import os
import unicodedata
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path

import numpy as np

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document
from orchestrator_context.rank import contents as kept
from orchestrator_context.rank.bm25f import Scores, idf, summed
from orchestrator_context.rank.contents import Contents
from orchestrator_context.rank.entries import Entry, corpus_digest, distinct
from orchestrator_context.rank.expansion import expanded
from orchestrator_context.rank.explanation import Explanation, ScorePart, word_parts
from orchestrator_context.rank.index_file import read_arrays, write_arrays
from orchestrator_context.rank.options import RankOptions
from orchestrator_context.rank.order import Ranked, best_first, given_scores
from orchestrator_context.rank.query import Query, query_weights
from orchestrator_context.rank.similarity import Similarities

_DEFAULTS = RankOptions()


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
    """

    def __init__(self, contents: Contents, *, digest: str | None = None) -> None:
        """Take contents as they are, and their digest if it is known; `build` and `load` do."""
        self._contents, self._digest = contents, digest
        self._numbers = {entry.path: number for number, entry in enumerate(contents.entries)}
        self._pinned = sum([entry.pinned for entry in contents.entries])
        self._anchors = np.array([entry.is_anchor for entry in contents.entries], dtype=np.bool_)
        self._prior = self._without_query()
        self._alike: Similarities | None = None

    @classmethod
    def build(cls, documents: Iterable[Document], *, options: RankOptions = _DEFAULTS) -> RankIndex:
        """Return the index of `documents`.

        Raises:
            ConfigurationError: two documents have the same path.
        """
        return cls(kept.read(documents, options))

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
        return set(map(Entry.of, documents)) == set(self._contents.entries)

    def frequency(self, word: str) -> int:
        """Return the number of documents that hold `word`, as `words.words` gives it."""
        return self._contents.words.of((word,)).postings.frequency(word)

    def holds(self, path: str, word: str) -> bool:
        """Return whether the document `path`, or its path, holds `word`, as `words.words` gives."""
        postings = self._contents.words.of((word,)).postings
        documents = postings.documents[slice(*postings.bounds(word))]
        at = int(np.searchsorted(documents, self._numbers[path]))
        return at < len(documents) and int(documents[at]) == self._numbers[path]

    def idf(self, word: str) -> float:
        """Return how much `word` tells documents apart, above 0."""
        return idf(self.frequency(word), len(self))

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

    def similarities(self, path: str) -> Scores:
        """Return how alike each of `paths` is to the document `path`, from 0 to 1.

        The first call sorts the index by document; each takes time linear in the documents.
        """
        if self._alike is None:
            self._alike = Similarities(self._contents.postings, self._contents.impacts)
        return self._alike.to(self._numbers[path])

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

    def _without_query(self) -> Scores:
        """Return what each document counts without any query."""
        prior: Scores = np.where(self._anchors, self.options.anchor_bonus, 0.0)
        if len(self._contents.salience):
            prior += self.options.salience_weight * self._contents.salience
        return prior

    def _carried(self, previous: Mapping[str, str] | None) -> list[int]:
        """Return the documents that were chosen before and did not change since."""
        if not previous or not self.options.carry_over_bonus:
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
        if path not in self._numbers:
            raise ConfigurationError(f"the index has no document with the path {path!r}")
        number = self._numbers[path]
        if scores is not None and not math.isnan(given_scores(scores, (path,))[0]):
            parts = [ScorePart("given", float(scores[path]))]
        else:
            parts = [*self._word_parts(query, number), *self._prior_parts(number)]
        if number in self._carried(previous):
            parts.append(ScorePart("carry_over", self.options.carry_over_bonus))
        return Explanation(path, tuple(parts))

    def _word_parts(self, query: Query, number: int) -> Iterable[ScorePart]:
        asked = query_weights(query, self.options)
        return word_parts(self._contents, self.weights(query), asked, number)

    def _prior_parts(self, number: int) -> Iterable[ScorePart]:
        if self._anchors[number] and self.options.anchor_bonus:
            yield ScorePart("anchor", self.options.anchor_bonus)
        if len(self._contents.salience):
            share = float(self._contents.salience[number])
            yield ScorePart("salience", self.options.salience_weight * share)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file, which only its owner may read: it holds words of the texts.

        Raises:
            RankIndexError: it cannot be written.
        """
        write_arrays(Path(path), _key(self.digest, self.options), kept.to_arrays(self._contents))

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        corpus: Iterable[Document] | str,
        *,
        options: RankOptions = _DEFAULTS,
    ) -> RankIndex:
        """Return the index of a file, mapped into memory.

        Args:
            path: the file.
            corpus: the documents it must be of, or their `digest`.
            options: those it must have been made with.

        Raises:
            RankIndexError: the file is missing, damaged, foreign, or of other documents, options or
                versions of this library and those that tell words apart. Build the index anew.
            ConfigurationError: two documents have the same path.
        """
        digest = corpus if isinstance(corpus, str) else _digest(corpus)
        arrays = read_arrays(Path(path), _key(digest, options))
        return cls(kept.from_arrays(arrays, options), digest=digest)


def _digest(documents: Iterable[Document]) -> str:
    given = tuple(documents)
    distinct(document.path for document in given)
    return corpus_digest(given)


def _key(digest: str, options: RankOptions) -> dict[str, str]:
    """Return all that the contents of an index depend on."""
    packages = ("orchestrator-context", "regex", "snowballstemmer")
    analysis = [unicodedata.unidata_version, *map(version, packages)]
    return {
        "corpus": digest,
        "set of options": json.dumps(options.to_mapping(), sort_keys=True),
        "version of word analysis": " ".join(analysis),
    }
