"""A corpus made ready to be asked: all that does not depend on the question, worked out once."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from orchestrator_context import checks
from orchestrator_context.corpus.blocks import Pricer
from orchestrator_context.corpus.envelope import free_tag
from orchestrator_context.corpus.forms import Forms
from orchestrator_context.corpus.given import texts_by_name
from orchestrator_context.corpus.options import SelectOptions
from orchestrator_context.corpus.overview import declared_names
from orchestrator_context.dedup import DuplicateMap, find_duplicates
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Chunk, Document, Source
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.rank import RankIndex
from orchestrator_context.rank.entries import distinct
from orchestrator_context.source import split_document
from orchestrator_context.source.given import given_documents
from orchestrator_context.tokens import token_counter
from orchestrator_context.tokens.counter import Counter

_KEPT_INDEXES: Final = 3  # of parts: those of one question, large and small, and one before


class Corpus:
    """Documents that several questions are put to: indexed, compared and counted once.

    >>> corpus = Corpus([Document("pump.md", "It stops at 9 bar."), Document("mop.md", "Mop.")])
    >>> corpus.tokens
    10

    `select` and `plan` take it in place of documents. It never changes, and what it has worked out
    for one question is there for the next.

    Attributes:
        documents: all of them, sorted by path.
        options: how they are ranked and compared, and all else where a verb is given no options.
        counter: counts tokens.
        index: of the documents.
        digests: texts on modules that the caller brought along, by name.
    """

    def __init__(
        self,
        documents: Iterable[Document],
        *,
        options: SelectOptions = SelectOptions(),
        counter: TokenCounter | None = None,
        index: RankIndex | None = None,
        digests: Mapping[str, str] | None = None,
    ) -> None:
        """Index `documents`, unless an index comes along.

        Args:
            documents: with different paths; an iterable is read once.
            options: of them, `rank` and `dedup` hold for every question.
            counter: counts the tokens; exact o200k by default.
            index: of these very documents, made with `options.rank`; built where it is missing.
            digests: texts on modules by name, which "tiered" shows where there is room.

        Raises:
            ConfigurationError: an argument is not of its type, two documents have the same path,
                or the index is of other documents or options.
        """
        checks.instance("options", options, SelectOptions)
        if counter is not None:
            checks.instance("counter", counter, TokenCounter, "token_counter(model)")  # type: ignore[type-abstract]
        if index is not None:
            checks.instance("index", index, RankIndex, "RankIndex.build(documents)")
        everything = given_documents("documents", documents)
        self.documents = tuple(sorted(everything, key=lambda one: one.path))
        distinct(one.path for one in self.documents)
        self.options = options
        self.counter = token_counter() if counter is None else counter
        self.digests = {} if digests is None else texts_by_name("digests", digests)
        if index is not None:
            self._check(index)
        self.index = index or RankIndex.build(self.documents, options=options.rank)
        self._parts: tuple[tuple[Hashable, RankIndex], ...] = ()
        self._chunks: dict[tuple[str, int], tuple[Chunk, ...]] = {}

    def _check(self, index: RankIndex) -> None:
        if index.options != self.options.rank:
            raise ConfigurationError(
                "The index was made with other options; build it with options.rank"
            )
        if not index.is_of(self.documents):
            raise ConfigurationError(
                f"The index is not of these documents, {len(self.documents)} in number; build it "
                "anew or bring it up to date with RankIndex.updated"
            )

    @cached_property
    def by_path(self) -> Mapping[str, Document]:
        """The documents by path."""
        return {one.path: one for one in self.documents}

    @cached_property
    def duplicates(self) -> DuplicateMap:
        """Which document stands for which."""
        if not self.options.collapse_duplicates:
            return DuplicateMap()
        return find_duplicates(self.documents, options=self.options.dedup)

    @cached_property
    def copies(self) -> DuplicateMap:
        """Which document stands for which that is equal to it, to the byte."""
        if not self.options.collapse_duplicates or self.options.dedup.threshold is None:
            return self.duplicates
        return find_duplicates(self.documents, options=replace(self.options.dedup, threshold=None))

    @cached_property
    def forms(self) -> Forms:
        """The forms in which each can stand in a text."""
        texts = (one.content for one in self.documents)
        tag = free_tag([*texts, *self.digests.values()])
        return Forms(Pricer(self.counter, tag, known=self._known))

    @cached_property
    def tokens(self) -> int:
        """Tokens of all documents, equal ones once."""
        return sum(self.counts.values())

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Tokens of each document that no other one stands for, by path."""
        known, count = self._known, self.counter.count
        return {one.path: known[one.path] if known else count(one.content) for one in self.distinct}

    @cached_property
    def _known(self) -> Mapping[str, int]:
        """Tokens of each document by path, if they stand in the file of the index."""
        tokens = self.index.beside.get(_tokens_name(self.counter)) if self._is_named else None
        if tokens is None or tokens.shape != (len(self.index),) or tokens.dtype.kind not in "iu":
            return {}
        return dict(zip(self.index.paths, tokens.tolist(), strict=True))

    @property
    def has_counts(self) -> bool:
        """Whether the tokens of its documents came along in the file of its index."""
        return bool(self._known)

    @property
    def _is_named(self) -> bool:
        """Whether counters with the name of this one count alike."""
        return not isinstance(self.counter, Counter) or self.counter.own is None

    @cached_property
    def distinct(self) -> tuple[Document, ...]:
        """The documents that no other one stands for, sorted by path."""
        gone = self.duplicates.canonical
        return tuple(one for one in self.documents if one.path not in gone)

    @cached_property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """The names that each document declares, by path."""
        return declared_names(self.documents)

    def chunks(self, path: str, max_tokens: int | None = None) -> tuple[Chunk, ...]:
        """Return the parts of a document that "packed" chooses from where parts have scores.

        Without scores of parts, its parts are of a quarter of the room at most, where that is less.

        Args:
            path: the document.
            max_tokens: of a part; by default `chunk_tokens` of the options.

        Raises:
            ConfigurationError: there is no such document, or `max_tokens` is below 1.
        """
        if checks.text("path", path) not in self.by_path:
            raise ConfigurationError(f"the corpus has no document with the path {path!r}")
        size = checks.whole_or_none("max_tokens", max_tokens, least=1) or self.options.chunk_tokens
        chunks = self._chunks.get((path, size))
        if chunks is None:
            document = self.by_path[path]
            chunks = tuple(split_document(document, size, counter=self.counter))
            chunks = chunks or (Chunk("", Source(path, 1, 1), 0, 0),)  # an empty one is a part too
            self._chunks[path, size] = chunks
        return chunks

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index and the tokens of each document to a file, for `load`.

        Only its owner may read it: it holds words of the texts. Counts of a function without a
        name are left out, since another function may count differently.

        Raises:
            RankIndexError: it cannot be written.
        """
        beside: dict[str, npt.NDArray[np.int64]] = {}
        if self._is_named:
            texts = (self.by_path[each].content for each in self.index.paths)
            tokens = np.fromiter(map(self.counter.count, texts), np.int64, len(self.index))
            beside[_tokens_name(self.counter)] = tokens
        self.index.save(path, beside=beside)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        documents: Iterable[Document],
        *,
        options: SelectOptions = SelectOptions(),
        counter: TokenCounter | None = None,
        digests: Mapping[str, str] | None = None,
    ) -> Corpus:
        """Return the corpus of a file, without reading the documents again.

        Args:
            path: the file, which `save` or `RankIndex.save` wrote.
            documents: those it was made from.
            options: with the `rank` that it was made with.
            counter: counts the tokens; all documents are counted anew for another one.
            digests: as for a new one.

        Raises:
            RankIndexError: as in `RankIndex.load`. Make the corpus anew.
            ConfigurationError: an argument is not of its type, or two documents have one path.
        """
        checks.instance("options", options, SelectOptions)
        given = given_documents("documents", documents)
        index = RankIndex.load(path, given, options=options.rank)
        return cls(given, options=options, counter=counter, index=index, digests=digests)

    def index_of_parts(self, key: Hashable, build: Callable[[], RankIndex]) -> RankIndex:
        """Return what `build` returns, or what it did for the same parts; the last few are kept.

        Args:
            key: what the index depends on.
            build: makes it.
        """
        index = dict(self._parts).get(key)
        if index is None:
            index = build()
        others = tuple(one for one in self._parts if one[0] != key)
        self._parts = ((key, index), *others[: _KEPT_INDEXES - 1])
        return index


def _tokens_name(counter: TokenCounter) -> str:
    """Return what its counts are called in a file."""
    return f"tokens by {counter.name}"
