"""Duplicates among the documents of a corpus, and which document stands for which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from orchestrator_context import checks
from orchestrator_context.dedup.near import Merge, near_duplicates
from orchestrator_context.dedup.options import DedupOptions
from orchestrator_context.dedup.structured import is_data
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document
from orchestrator_context.source.given import given_documents
from orchestrator_context.wording import counted


@dataclass(frozen=True, slots=True)
class DuplicateMap:
    """Which document, or other named text, stands for which. True where any is removed.

    A text that stands for others is never removed itself.

    Attributes:
        canonical: from each that is removed to the one that stands for it.
        exact: those that are removed whose content is the same to the byte.
        similarities: for each that is removed how similar the two are, up to 1.
        unusable: those that could not be compared, as their vectors say nothing; they are kept.
    """

    canonical: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    exact: frozenset[str] = frozenset()
    similarities: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    unusable: tuple[str, ...] = ()
    _members: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        members: dict[str, list[str]] = {}
        for gone in sorted(self.canonical):
            members.setdefault(self.canonical[gone], []).append(gone)
        object.__setattr__(self, "_members", {kept: tuple(all_) for kept, all_ in members.items()})

    def __bool__(self) -> bool:
        return bool(self.canonical)

    @property
    def collapsed_count(self) -> int:
        """How many are removed."""
        return len(self.canonical)

    def is_exact(self, path: str) -> bool:
        """Return whether `path` is removed as a copy, to the byte, of what stands for it."""
        return path in self.exact

    def members(self, path: str) -> tuple[str, ...]:
        """Return those that `path` stands for, sorted."""
        return self._members.get(path, ())

    def summary(self) -> str:
        """Return one line of figures, without any content."""
        near = self.collapsed_count - len(self.exact)
        unusable = f", {len(self.unusable)} not compared" if self.unusable else ""
        return (
            f"removed {counted(len(self.exact), 'copy')} and "
            f"{counted(near, 'near duplicate')}{unusable}"
        )


def find_duplicates(
    documents: Iterable[Document], *, options: DedupOptions = DedupOptions()
) -> DuplicateMap:
    """Return which documents others stand for, whatever the order in which they are given.

    >>> copies = [Document("b.md", "Stop the pump."), Document("docs/a.md", "Stop the pump.")]
    >>> dict(find_duplicates(copies).canonical)
    {'docs/a.md': 'b.md'}

    Of equal documents the pinned ones come first, then those with the shallowest path, then by
    path. With `options.threshold`, a document is also removed where a kept one is near enough to
    it, unless it is pinned, is data (JSON, CSV) or differs in a number, unit, date, negation or
    identifier. Near linear in the documents.

    Raises:
        ConfigurationError: two documents have the same path, or an argument is not of its type.
    """
    checks.instance("options", options, DedupOptions)
    given = given_documents("documents", documents)
    _check_paths(given)
    if options.threshold is None and len({one.content for one in given}) == len(given):
        return DuplicateMap()
    ranked = sorted(given, key=_rank)
    first: dict[str, int] = {}
    copies: dict[int, int] = {}
    for index, document in enumerate(ranked):
        kept = first.setdefault(document.content, index)  # a str is found by hash and equality
        if kept != index:
            copies[index] = kept
    merges = {index: Merge(kept, 1.0) for index, kept in copies.items()}
    if options.threshold is not None:
        distinct = list(first.values())
        near = _near([ranked[index] for index in distinct], options.threshold, options)
        moved = {distinct[gone]: Merge(distinct[m.kept], m.similarity) for gone, m in near.items()}
        merges = {gone: moved.get(m.kept, m) for gone, m in merges.items()} | moved
    return _mapped(ranked, merges)


def _rank(document: Document) -> tuple[bool, int, str, str]:
    path = document.path
    return not document.pinned, path.count("/") + path.count("\\"), path, document.sha256


def _check_paths(documents: Sequence[Document]) -> None:
    repeated = len(documents) - len({document.path for document in documents})
    if repeated:
        raise ConfigurationError(
            f"{repeated} of {len(documents)} documents with the path of another one; a "
            "path is the name of a document, so give each its own"
        )


def _near(
    documents: Sequence[Document], threshold: float, options: DedupOptions
) -> dict[int, Merge]:
    return near_duplicates(
        [document.content for document in documents],
        threshold,
        options,
        stays=[document.pinned for document in documents],
        excluded=lambda index: is_data(documents[index].content),
    )


def _mapped(ranked: Sequence[Document], merges: Mapping[int, Merge]) -> DuplicateMap:
    paths = [document.path for document in ranked]
    return DuplicateMap(
        MappingProxyType({paths[gone]: paths[m.kept] for gone, m in sorted(merges.items())}),
        frozenset(
            paths[gone]
            for gone, merge in merges.items()
            if ranked[gone].content == ranked[merge.kept].content
        ),
        MappingProxyType({paths[gone]: m.similarity for gone, m in sorted(merges.items())}),
    )
