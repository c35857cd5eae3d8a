"""What there is to choose from: each document once, in order of worth, with what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from orchestrator_context.corpus.blocks import Block, Pricer
from orchestrator_context.corpus.envelope import Element, free_tag
from orchestrator_context.corpus.options import SelectOptions
from orchestrator_context.corpus.report import ReductionState
from orchestrator_context.dedup import DuplicateMap, find_duplicates
from orchestrator_context.models import Document
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.rank import RankIndex
from orchestrator_context.rank.bm25f import Scores
from orchestrator_context.source import compact_source


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document to choose.

    Attributes:
        document: it.
        worth: for the query; 0 where nothing speaks for it.
    """

    document: Document
    worth: float


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a corpus.

    Attributes:
        query: the question; it may be empty.
        scores: by path, from a semantic ranker, instead of what words say.
        previous: the selection before, whose documents are preferred.
    """

    query: str
    scores: Mapping[str, float] | None = None
    previous: ReductionState = ReductionState()


class Candidates:
    """A corpus that was ranked and cleared of duplicates.

    Attributes:
        documents: all of them, sorted by path.
        ranked: those that stand for themselves, pinned ones first, then the best.
        duplicates: which document stands for which.
        question: what is asked.
        pricer: what everything costs.
        options: the settings.
        index: of all documents.
        digests: texts on modules that the caller brought along, by name.
    """

    def __init__(
        self,
        documents: Iterable[Document],
        question: Question,
        options: SelectOptions,
        *,
        counter: TokenCounter,
        index: RankIndex | None = None,
        digests: Mapping[str, str] | None = None,
    ) -> None:
        """Rank `documents`.

        Raises:
            ConfigurationError: two documents have the same path, the index is of other documents,
                or a score is not finite.
        """
        self.documents = tuple(sorted(documents, key=lambda one: one.path))
        self.question, self.options = question, options
        self.digests = dict(sorted((digests or {}).items()))
        self.index = index or RankIndex.build(self.documents, options=options.rank)
        self.duplicates = DuplicateMap()
        if options.collapse_duplicates:
            self.duplicates = find_duplicates(self.documents, options=options.dedup)
        texts = (text for one in self.documents for text in (one.content, one.extract))
        self.pricer = Pricer(counter, free_tag([*texts, *self.digests.values()]))
        self.ranked = tuple(self._ranked())
        self._compact: dict[str, Element | None] = {}

    def _ranked(self) -> Iterable[Candidate]:
        by_path = {one.path: one for one in self.documents}
        previous = dict(self.question.previous.entries)
        found = self.index.rank(self.question.query, scores=self.question.scores, previous=previous)
        for one in found:
            if one.path not in self.duplicates.canonical:
                yield Candidate(by_path[one.path], one.score if one.scored else 0.0)

    def whole(self, document: Document) -> Element:
        """Return a document as it is."""
        return Element(document.path, document.content)

    def compact(self, document: Document) -> Element | None:
        """Return a document without comments and blank lines, or None if that saves nothing."""
        if document.path not in self._compact:
            reduced = compact_source(
                document.content, language=document.language, path=document.path
            )
            self._compact[document.path] = (
                Element(document.path, reduced.text, "compact", elided_lines=reduced.elided_lines)
                if reduced.is_reduced
                else None
            )
        return self._compact[document.path]

    def extract(self, document: Document) -> Element | None:
        """Return the declarations of a document, or None where it has none of its own."""
        if not document.extract or document.extract == document.content:
            return None
        return Element(document.path, document.extract, "extract")

    def choices(self, *elements: Element | None) -> tuple[Block, ...]:
        """Return blocks of elements that show one document in other forms, the best first.

        Each comes with the pointers to the document and, where those do not fit, without.
        """
        blocks: list[Block] = []
        for element in elements:
            if element is not None:
                pointers = self.pointers(element.path)
                blocks += [self.pricer.block(element.path, element, *pointers)] if pointers else []
                blocks.append(self.pricer.block(element.path, element))
        return tuple(blocks)

    def pointers(self, path: str) -> tuple[Element, ...]:
        """Return the pointers of the documents that `path` stands for."""
        members = self.duplicates.members(path)
        return tuple(
            Element(one, "", "pointer", same_as=path, identical=self.duplicates.is_exact(one))
            for one in members
        )


class Likeness:
    """How like each document is to those that were taken."""

    def __init__(self, index: RankIndex) -> None:
        """Begin with nothing taken."""
        self._index = index
        self._numbers = {path: number for number, path in enumerate(index.paths)}
        self._most: Scores = np.zeros(len(index), dtype=np.float64)

    def add(self, path: str) -> None:
        """Take a document."""
        np.maximum(self._most, self._index.similarities(path), out=self._most)

    def most(self, path: str) -> float:
        """Return how like a document is to the taken one that it is most like, 0 to 1."""
        return float(self._most[self._numbers[path]])
