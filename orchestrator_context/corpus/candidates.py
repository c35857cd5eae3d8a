"""What there is to choose from for a question: each document once, in order of worth."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from operator import itemgetter
from typing import Final

from orchestrator_context.corpus.blocks import Key, Spans, size_bytes
from orchestrator_context.corpus.corpus import Corpus
from orchestrator_context.corpus.fill import Filling
from orchestrator_context.corpus.matching import matching
from orchestrator_context.corpus.options import SelectOptions
from orchestrator_context.corpus.order import Likeness, Order
from orchestrator_context.corpus.question import Question
from orchestrator_context.corpus.state import ReductionState
from orchestrator_context.models import Chunk, Document, Source
from orchestrator_context.rank import Ranked
from orchestrator_context.text import is_blank

_FRAME_BYTES: Final = 32  # about what an element takes beside its content


class Candidates:
    """A corpus that was ranked for a question.

    Of equal documents one stands for all, the same for every question, and is worth as much as the
    best of them. Of similar ones the best is always there, as the others lack what it has to say.

    Attributes:
        corpus: the documents.
        question: what is asked; scores for parts of a document are for those of its equal.
        options: the settings.
        different: of equal documents the one that stands for them, pinned ones first, then the
            best.
        found_as: path of the best of all documents that are equal to one of `different`, by its
            path: that one may have in its path what is asked for.
        canonical: from each document that another stands for to that one.
        ranked: those of `different` that stand for themselves.
        pinned: documents that are offered before all others, the best first.
        loose: the others that stand for themselves and have something to see, the best first.
        blank: those that have not.
        matching: paths of those of `different` that bear on the question; None where nothing is
            asked.
        unknown_paths: those that have a score, but are none of the corpus.
        carried: paths of those that were in the selection before and did not change, or stand for
            one of which that is so.
        bonus: what those count for that.
    """

    def __init__(
        self,
        corpus: Corpus,
        question: Question,
        options: SelectOptions,
        *,
        merges_similar: bool = True,
    ) -> None:
        """Rank the documents.

        Args:
            corpus: the documents.
            question: what is asked.
            options: the settings.
            merges_similar: whether one stands for others that are not equal, if the corpus says so.
        """
        self.corpus, self.options = corpus, options
        equal, by_path = corpus.copies.canonical, corpus.by_path
        self.question = replace(question, chunks=_moved(question.chunks, equal))
        ranked = corpus.index.rank(question.query, scores=question.documents)
        best = _best(ranked, equal)
        self.different = tuple(
            one if one.path == path else one._replace(path=path) for path, one in best.items()
        )
        self.found_as = {path: one.path for path, one in best.items()}
        groups = corpus.duplicates.canonical if merges_similar else equal
        self.canonical = _stand_ins(self.different, groups, equal)
        self.ranked = tuple(one for one in self.different if one.path not in self.canonical)
        self.pinned = tuple(by_path[one.path] for one in self.ranked if one.pinned)
        seen = {one.path for one in self.different if not is_blank(by_path[one.path].content)}
        self._loose = tuple(one for one in self.ranked if not one.pinned and one.path in seen)
        self.loose = tuple(by_path[one.path] for one in self._loose)
        loose = (one.path for one in self.ranked if not one.pinned)
        self.blank = tuple(by_path[path] for path in loose if path not in seen)
        scored = question.documents or {}
        self.unknown_paths = scored.keys() - by_path.keys()
        found = matching(corpus.index, question.query, scored)
        self.matching = None if found is None else seen & {equal.get(one, one) for one in found}
        self.carried, self._parts = self._carried()
        self.bonus = options.rank.carry_over_bonus

    @cached_property
    def unknown_scores(self) -> int:
        """How many scores are for a path that is none of the corpus, or for no part of its own."""
        parts: dict[str, list[Source]] = {}
        for source in self.question.chunks:
            if source.path in self.corpus.by_path:
                parts.setdefault(source.path, []).append(source)
        strange = (
            set(sources).difference(one.source for one in self.corpus.chunks(path))
            for path, sources in parts.items()
        )
        return len(self.unknown_paths) + sum(map(len, strange))

    def unmerged(self) -> Candidates:
        """Return the same with no document that stands for others but for equal ones."""
        if self.corpus.duplicates.canonical == self.corpus.copies.canonical:
            return self
        return Candidates(self.corpus, self.question, self.options, merges_similar=False)

    def only_matching(self) -> Candidates:
        """Return the same without what has no bearing on the question.

        What is pinned stays, and so does what was in the selection before, if that counts.
        """
        sought = self.matching or set()
        kept = {self.canonical.get(path, path) for path in sought}
        kept |= self.carried if self.bonus else set()
        other = copy(self)
        other.blank = ()
        other._loose = tuple(one for one in self._loose if one.path in kept)
        other.loose = tuple(one for one in self.loose if one.path in kept)
        return other

    def after(self, previous: ReductionState) -> Candidates:
        """Return the same with another selection before."""
        other = copy(self)
        other.question = replace(self.question, previous=previous)
        other.carried, other._parts = other._carried()
        return other

    def matched(self, paths: Container[Key]) -> int:
        """Return how many of `matching` stand among `paths`, or are stood for there."""
        sought = self.matching or ()
        return sum(one in paths or self.canonical.get(one, one) in paths for one in sought)

    def is_exact(self, path: str) -> bool:
        """Return whether a document is equal to the one that stands for it."""
        return self.corpus.copies.canonical.get(path, path) == self.canonical.get(path)

    def _carried(self) -> tuple[frozenset[str], dict[str, Spans]]:
        """Return what was selected before, and the spans of those of which not all was.

        Where one that is gone was, what stands for it counts as if it had been; of several, the
        first of the equal ones.
        """
        before, canonical = self.question.previous, self.canonical
        carried = before.unchanged(self.corpus.documents)
        parts, found = dict(before.parts), set(carried)
        gone = carried & canonical.keys()
        for path in sorted(gone, key=lambda path: (not self.is_exact(path), path)):
            kept = canonical[path]
            if kept not in found:
                found.add(kept)
                parts.pop(kept, None)
                parts |= {kept: parts[path]} if path in parts else {}
        return frozenset(found), parts

    def offered(self, filling: Filling) -> Iterator[Document]:
        """Yield the documents that are not pinned, as they are worth an offer to `filling`."""
        numbers = filling.order.walk(self._taken(filling))
        return (self.loose[number] for number in numbers)

    def pass_over(self, filling: Filling) -> None:
        """Do to the order of offers what `offered` does where none of them is made."""
        filling.order.skip(self._taken(filling))

    def _taken(self, filling: Filling) -> Callable[[int], bool]:
        return lambda number: filling.has(self.loose[number].path)

    def score(self, number: int) -> Ranked:
        """Return what a document of `loose` is worth."""
        return self._loose[number]

    def carries(self, chunk: Chunk) -> bool:
        """Return whether a part of a document was in the selection before."""
        path = chunk.source.path
        spans = self._parts.get(path)
        if spans is None or path not in self.carried:
            return path in self.carried
        at = bisect_right(spans, chunk.start, key=itemgetter(0)) - 1
        return at >= 0 and chunk.end <= spans[at][1]

    def order(self) -> Order:
        """Return a new order of `loose`, in which nothing was taken."""
        values = above_zero([one.score for one in self._loose])
        bonus = self.bonus
        if self.options.selection_order == "density":
            sizes = [_FRAME_BYTES + size_bytes(one.content) for one in self.loose]
            values = [value / math.sqrt(size) for value, size in zip(values, sizes, strict=True)]
            bonus *= len(sizes) / max(1.0, sum(map(math.sqrt, sizes)))
        return Order(
            values,
            [bonus * (one.path in self.carried) for one in self._loose],
            last=[not one.scored for one in self._loose],
            diversity=self.options.diversity,
            likeness=self._likeness,
        )

    def _likeness(self, numbers: Iterable[int]) -> Likeness:
        alike = self.corpus.index.likeness(self.loose[number].path for number in numbers)
        return lambda number: alike(self.loose[number].path)

    def ranks(self) -> dict[Key, int]:
        """Return the rank of each document that stands for itself, by path, from 0 up."""
        return {one.path: rank for rank, one in enumerate((*self.pinned, *self.loose, *self.blank))}


def _best(ranked: Sequence[Ranked], canonical: Mapping[str, str]) -> dict[str, Ranked]:
    """Return the best of all equal documents by the path of the one that stands for them."""
    best: dict[str, Ranked] = {}
    for one in ranked:
        best.setdefault(canonical.get(one.path, one.path), one)
    return best


def _stand_ins(
    ranked: Sequence[Ranked], groups: Mapping[str, str], equal: Mapping[str, str]
) -> dict[str, str]:
    """Return the stand-in of each document that has one, sorted by path.

    Of two similar documents it is the better one. Of more, the best stands for itself alone, and
    for the others the one that all were compared with: any two of them may be less alike.

    Args:
        ranked: of equal documents one, the best first.
        groups: from documents to another one of their group, the same for all of it.
        equal: from documents to the equal one that is ranked.
    """
    if not groups and not equal:
        return {}
    sizes = Counter(groups.get(one.path, one.path) for one in ranked)
    best: dict[str, str] = {}
    for one in ranked:
        best.setdefault(groups.get(one.path, one.path), one.path)

    def stand_in(path: str) -> str:
        group, own = groups.get(path, path), equal.get(path, path)
        return best[group] if sizes[group] == 2 or own == best[group] else group

    members = sorted(groups.keys() | set(groups.values()) | equal.keys())
    kept = ((path, stand_in(path)) for path in members)
    return {path: stands for path, stands in kept if path != stands}


def _moved(chunks: Mapping[Source, float], equal: Mapping[str, str]) -> Mapping[Source, float]:
    """Return scores of parts, those of a document that an equal one stands for as of that one."""
    moved: dict[Source, float] = {}
    for source, score in chunks.items():
        path = equal.get(source.path)
        own = source if path is None else replace(source, path=path)
        moved[own] = max(score, moved.get(own, score))
    return moved


def above_zero(values: Sequence[float]) -> list[float]:
    """Return `values`, moved so that none is below 0; halved if they are too far apart for it."""
    least = min(0.0, min(values, default=0.0))
    if math.isinf(max(values, default=0.0) - least):
        return above_zero([value / 2 for value in values])
    return [value - least for value in values]
