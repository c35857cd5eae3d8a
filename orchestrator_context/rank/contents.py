"""What an index holds: read from documents, changed by document, as arrays for a file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document
from orchestrator_context.rank.bm25f import Impacts, Scores
from orchestrator_context.rank.entries import (
    Entry,
    distinct,
    in_tie_order,
    language_of,
    tie_order,
)
from orchestrator_context.rank.index_file import Arrays
from orchestrator_context.rank.merging import merged
from orchestrator_context.rank.options import RankOptions
from orchestrator_context.rank.postings import FIELDS, Postings
from orchestrator_context.rank.reading import Reading
from orchestrator_context.rank.salience import Salience, centrality, names_in
from orchestrator_context.rank.title import title_of
from orchestrator_context.rank.vocabulary import Words
from orchestrator_context.rank.word_index import WordIndex

_BESIDE: Final = "beside "


@dataclass(frozen=True, slots=True)
class Contents:
    """What an index holds.

    Attributes:
        options: how it was made.
        entries: the documents, in the order that settles ties.
        words: their words, and what each adds to a score.
        imports: the names that each document imports; empty where salience does not count.
        salience: how much the others depend on each; empty where it does not count.
        anchors: which of the files introduce others.
    """

    options: RankOptions
    entries: tuple[Entry, ...]
    words: WordIndex
    imports: tuple[tuple[str, ...], ...]
    salience: Salience
    anchors: npt.NDArray[np.bool_]

    @property
    def postings(self) -> Postings:
        """Which document holds which word."""
        return self.words.all.postings

    @property
    def impacts(self) -> Impacts:
        """What each posting adds to a score."""
        return self.words.all.impacts


def read(documents: Iterable[Document], options: RankOptions) -> Contents:
    """Return what an index of `documents` holds; ConfigurationError where two have one path."""
    ordered = in_tie_order(documents)
    reading = Reading((_fields(each, options) for each in ordered), stem=options.stem)
    entries = tuple(map(Entry.of, ordered))
    return _weighed(options, entries, reading, _imports(ordered, options))


def _fields(document: Document, options: RankOptions) -> tuple[str, str, str]:
    path = document.path if options.path_weight else ""
    language = language_of(document)
    title = title_of(document.content, language) if options.title_weight else ""
    return path, title, document.content


def _imports(documents: Iterable[Document], options: RankOptions) -> tuple[tuple[str, ...], ...]:
    return tuple(map(names_in, documents)) if options.salience_weight else ()


def _weighed(
    options: RankOptions,
    entries: tuple[Entry, ...],
    words: Postings | Reading,
    imports: tuple[tuple[str, ...], ...],
) -> Contents:
    salience = None
    if imports:
        damping, iterations = options.salience_damping, options.salience_iterations
        salience = centrality(entries, imports, damping=damping, iterations=iterations)
    values = np.zeros(0, dtype=np.float64) if salience is None else salience
    anchors = np.array([entry.is_anchor for entry in entries], dtype=np.bool_)
    return Contents(options, entries, WordIndex(words, options), imports, values, anchors)


def changed(old: Contents, added: Iterable[Document], removed: Iterable[str]) -> Contents:
    """Return what an index holds after a change, equal to one that is made from scratch.

    Raises:
        ConfigurationError: a path to remove is not there, or one to add is there already.
    """
    gone = _known(removed, old.entries)
    ordered = in_tie_order(added)
    kept = [number for number, entry in enumerate(old.entries) if entry.path not in gone]
    entries = [old.entries[number] for number in kept] + [Entry.of(each) for each in ordered]
    distinct(entry.path for entry in entries)
    order = sorted(range(len(entries)), key=lambda at: tie_order(entries[at]))
    places = np.empty(len(entries), dtype=np.int64)
    places[order] = np.arange(len(entries))
    old_places = np.full(len(old.entries), -1, dtype=np.int64)
    old_places[kept] = places[: len(kept)]
    new = Reading(
        (_fields(each, old.options) for each in ordered), stem=old.options.stem
    ).postings()
    postings = merged(old.postings, old_places, new, places[len(kept) :])
    names = [
        *(old.imports[number] for number in kept if old.imports),
        *_imports(ordered, old.options),
    ]
    return _weighed(
        old.options,
        tuple(entries[at] for at in order),
        postings,
        tuple(names[at] for at in order if names),
    )


def _known(removed: Iterable[str], entries: tuple[Entry, ...]) -> set[str]:
    gone = set(checks.instances("removed", removed, str, "paths"))
    unknown = gone.difference(entry.path for entry in entries)
    if unknown:
        raise ConfigurationError(f"no document to remove has the path {min(unknown)!r}")
    return gone


def prior(contents: Contents) -> Scores:
    """Return what each document counts without any query."""
    options = contents.options
    total: Scores = np.where(contents.anchors, options.anchor_bonus, 0.0)
    if len(contents.salience):
        total += options.salience_weight * contents.salience
    return total


def to_arrays(contents: Contents) -> dict[str, npt.NDArray[Any]]:
    """Return all there is to keep, but for the options."""
    postings = contents.postings
    columns = list(zip(*contents.entries, strict=True))
    names = {"entries": columns, "imports": contents.imports}
    return {
        "text": postings.words.text,
        "ends": postings.words.ends,
        "starts": postings.starts,
        "documents": postings.documents,
        "lengths": postings.lengths,
        "impacts": contents.impacts,
        "salience": contents.salience,
        "anchors": contents.anchors,
        "names": np.frombuffer(json.dumps(names).encode("ascii"), dtype=np.uint8),
        **dict(zip(FIELDS, postings.counts, strict=True)),
    }


def from_arrays(arrays: dict[str, npt.NDArray[Any]], options: RankOptions) -> Contents:
    """Return what was kept."""
    names = json.loads(arrays["names"].tobytes())
    return Contents(
        options,
        tuple(map(Entry._make, zip(*names["entries"], strict=True))),
        WordIndex(_postings(arrays), options, arrays["impacts"]),
        tuple(map(tuple, names["imports"])),
        arrays["salience"],
        arrays["anchors"],
    )


def _postings(arrays: dict[str, npt.NDArray[Any]]) -> Postings:
    return Postings(
        Words(arrays["text"], arrays["ends"]),
        arrays["starts"],
        arrays["documents"],
        tuple(arrays[name] for name in FIELDS),
        arrays["lengths"],
    )


def marked(beside: Arrays) -> dict[str, npt.NDArray[Any]]:
    """Return arrays under names that none of the contents has.

    Raises:
        ConfigurationError: one of `beside` is no array of numbers.
    """
    for name, array in checks.mapping("beside", beside, "names to arrays of numbers").items():
        checks.text("each name in beside", name)
        is_array = isinstance(array, np.ndarray)
        if not is_array or cast("npt.NDArray[Any]", array).dtype.kind not in "biuf":
            raise ConfigurationError("each of beside must be a NumPy array of numbers")
    return {_BESIDE + name: array for name, array in beside.items()}


def beside(arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    """Return those that were `marked`, under their own names."""
    size = len(_BESIDE)
    return {name[size:]: array for name, array in arrays.items() if name.startswith(_BESIDE)}
