"""The overview of a corpus: how many documents there are by folder, and names declared in them."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import regex

from orchestrator_context.corpus.envelope import escaped
from orchestrator_context.models import Document
from orchestrator_context.rank.entries import language_of
from orchestrator_context.wording import counted

_NAMES: Final = (12, 4, 1, 0)  # for each folder, from the fullest form to the barest
_LINE_TOKENS: Final = 5  # of the shortest line
_READ: Final = 4_096  # characters of a document
_DECLARATION: Final = regex.compile(  # begins with a line break, which is fast to look for
    r"\n(?:[ \t]*+(?:(?:export|pub(?:lic)?|async|static|abstract)[ \t]++)*+"
    r"(?:class|def|func|fn|function|struct|enum|trait|interface|type|module|impl)[ \t]++"
    r"(?P<name>[\p{L}][\p{L}\p{M}\p{N}_]{0,60}+)"
    r"|\#{1,3}[ \t]++(?P<heading>[^\n]{1,60}))(?![\p{L}\p{M}\p{N}_])"
)
_WORD: Final = regex.compile(r"[\p{L}_][\p{L}\p{M}\p{N}_]*")

Names = Mapping[str, tuple[str, ...]]


def declared_names(documents: Iterable[Document]) -> dict[str, tuple[str, ...]]:
    """Return the names that each document declares, or its headings where it is prose, by path."""
    return {one.path: tuple(_declared(one)) for one in documents}


def overviews(names: Names, room: int | None) -> Iterator[str]:
    """Yield texts on documents, the fullest first; the last one says how many there are.

    Folders that hold the fewest documents are merged into those above them until there are few
    enough. The same for the same documents, whatever their order.

    Args:
        names: what each document declares, by path.
        room: tokens that there are, or None; forms that are hopeless for it are passed over.
    """
    folders = Counter(path.rpartition("/")[0] for path in names)
    most = len(folders) if room is None else min(len(folders), max(0, room) // _LINE_TOKENS)
    while most:
        groups = _grouped(names, _merged(folders, most))
        for named in _NAMES if any(counts for _, counts in groups.values()) else (0,):
            yield "\n".join(_lines(groups, named, len(names)))
        most //= 2
    if names:
        yield counted(len(names), "document")


def _merged(folders: Counter[str], most: int) -> dict[str, str]:
    """Return the folder that each one is shown as part of, of which there are at most `most`."""
    sizes, into = dict(folders), {folder: folder for folder in folders}
    heap = [(size, -_depth(folder), folder) for folder, size in sizes.items()]
    heapq.heapify(heap)
    while len(sizes) > most:
        size, _, folder = heapq.heappop(heap)
        if not folder or sizes.get(folder) != size:
            continue
        above = folder.rpartition("/")[0]
        del sizes[folder]
        sizes[above] = sizes.get(above, 0) + size
        into[folder], into[above] = above, above
        heapq.heappush(heap, (sizes[above], -_depth(above), above))
    return into


def _depth(folder: str) -> int:
    return folder.count("/") + 1 if folder else 0


def _grouped(names: Names, into: Mapping[str, str]) -> dict[str, tuple[int, Counter[str]]]:
    """Return how many documents each folder shows, and how many of them declare each name."""
    groups: dict[str, tuple[int, Counter[str]]] = {}
    for path in names:
        folder = path.rpartition("/")[0]
        while into[folder] != folder:
            folder = into[folder]
        size, counts = groups.get(folder, (0, Counter[str]()))
        counts.update(dict.fromkeys(names[path], 1))
        groups[folder] = size + 1, counts
    return groups


def _lines(
    groups: Mapping[str, tuple[int, Counter[str]]], most: int, documents: int
) -> Iterator[str]:
    yield f"{counted(documents, 'document')}; in each folder, with names declared there:"
    for folder, (size, counts) in sorted(groups.items()):
        best = sorted(counts, key=lambda name: (-counts[name], name))[:most]
        yield f"{escaped(folder) or '.'}: {size}" + (f" {', '.join(best)}" if best else "")


def _declared(document: Document) -> Iterator[str]:
    has_headings = _has_headings(document)
    for found in _DECLARATION.finditer(f"\n{_beginning(document.content)}"):
        heading = found["heading"] if has_headings else None
        name = found["name"] or " ".join(_WORD.findall(heading or ""))
        if name:
            yield name


def _beginning(content: str) -> str:
    """Return the first lines, so many that no name is cut in two."""
    if len(content) <= _READ:
        return content
    return content[: content.rfind("\n", 0, _READ + 1) + 1]


def _has_headings(document: Document) -> bool:
    """Return whether `# Title` is one; in programs it is a comment, or for the preprocessor."""
    language, name = language_of(document), document.path.rpartition("/")[2]
    return language == "markdown" or (language is None and "." not in name.removesuffix(".txt"))
