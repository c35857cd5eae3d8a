"""What the files of a corpus depend on: PageRank over their imports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from orchestrator_context import checks
from orchestrator_context.models import Document
from orchestrator_context.rank.entries import Entry, in_tie_order, language_of
from orchestrator_context.rank.imports import imported_names
from orchestrator_context.rank.spellings import Integers

Salience = npt.NDArray[np.float64]


def salience(
    documents: Iterable[Document], *, damping: float = 0.85, iterations: int = 20
) -> dict[str, float]:
    """Return how much the other documents depend on each, by path: 1 for the most, 0 for least.

    A document points to those that have a name it imports: that of the file without its suffix, or
    of its directory for `__init__`, `index` and `mod`. What it passes on is shared out among the
    names it imports, and what a name gets among the documents that have it, so common names count
    less. Empty where nothing imports anything. Linear in documents and imports.

    Page, Brin, Motwani and Winograd, "The PageRank citation ranking", 1999, with a fixed number of
    iterations.

    Args:
        documents: the corpus, in any order.
        damping: the share of importance that is passed on along imports.
        iterations: how often it is passed on.

    Raises:
        ConfigurationError: a value is out of range, or two documents have one path.
    """
    checks.number("damping", damping, most=1)
    checks.whole("iterations", iterations, least=1)
    ordered = in_tie_order(documents)
    names = [names_in(document) for document in ordered]
    entries = [Entry.of(document) for document in ordered]
    values = centrality(entries, names, damping=damping, iterations=iterations)
    if values is None:
        return {}
    return {entry.path: float(value) for entry, value in zip(entries, values, strict=True)}


def names_in(document: Document) -> tuple[str, ...]:
    """Return the names that `document` imports."""
    return imported_names(document.content, language_of(document))


class _Graph(NamedTuple):
    """Imports by name.

    Attributes:
        own: the name of each document, by number.
        importers: the document of each import that leads somewhere.
        names: the name that it imports.
        targets: how many other documents have that name.
        itself: whether the document has that name itself.
    """

    own: Integers
    importers: Integers
    names: Integers
    targets: Integers
    itself: npt.NDArray[np.bool_]


def centrality(
    entries: Sequence[Entry], imports: Sequence[Sequence[str]], *, damping: float, iterations: int
) -> Salience | None:
    """Return the salience of each document, or None where none imports another."""
    graph = _graph(entries, imports)
    if not len(graph.importers):
        return None
    count = len(entries)
    outgoing = np.bincount(graph.importers, minlength=count)
    ranks: Salience = np.full(count, 1 / count)
    for _ in range(iterations):
        shares = ranks[graph.importers] / outgoing[graph.importers] / graph.targets
        by_name = np.bincount(graph.names, shares, minlength=count)
        to_itself = np.bincount(graph.importers[graph.itself], shares[graph.itself], count)
        received = np.maximum(by_name[graph.own] - to_itself, 0)
        spread = ranks[outgoing == 0].sum() / count
        ranks = (1 - damping) / count + damping * (received + spread)
    ranks /= ranks.max()
    return ranks


def _graph(entries: Sequence[Entry], imports: Sequence[Sequence[str]]) -> _Graph:
    numbers: dict[str, int] = {}
    own = np.array(
        [numbers.setdefault(entry.import_name, len(numbers)) for entry in entries], dtype=np.int64
    )
    links = [
        (importer, numbers[name])
        for importer, names in enumerate(imports)
        for name in names
        if name in numbers
    ]
    importers, names = np.array(links, dtype=np.int64).reshape(-1, 2).T
    itself = own[importers] == names
    targets = np.bincount(own, minlength=len(entries))[names] - itself
    leads = targets > 0
    return _Graph(own, importers[leads], names[leads], targets[leads], itself[leads])
