"""The overview of a corpus: which documents there are, by folder, and the names declared in them.

It comes in forms of falling size, the last of which says no more than how many there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import regex

from orchestrator_context.models import Document

_NAMES = (18, 12, 8, 4, 2, 0)  # names for each folder, from the fullest form to the barest
_NAME = regex.compile(r"[\p{L}_][\p{L}\p{M}\p{N}_]*")
_DECLARATION = regex.compile(
    r"(?m)^\s*(?:export\s+|pub(?:lic)?\s+|async\s+|static\s+|abstract\s+)*"
    r"(?:class|def|func|fn|function|struct|enum|trait|interface|type|module|impl)\s+"
    r"(?P<name>[\p{L}_][\p{L}\p{M}\p{N}_]*)|^\#{1,3}\s+(?P<heading>[^\n]{1,60})"
)
_MOST_DEPTH = 6


def overviews(documents: Sequence[Document]) -> Iterator[str]:
    """Yield texts on all of `documents`, the fullest first; the last has a few tokens.

    Deterministic, whatever the order of the documents.
    """
    if not documents:
        return
    names = {document.path: tuple(_declared(document)) for document in documents}
    depths = sorted({min(_MOST_DEPTH, path.count("/")) for path in names}, reverse=True)
    seen: set[str] = set()
    for most in _NAMES:
        for depth in depths if most == _NAMES[0] else depths[-1:]:
            text = "\n".join(_lines(names, depth, most))
            if text not in seen:
                seen.add(text)
                yield text
    yield f"{len(documents)} documents"


def _lines(names: Mapping[str, Sequence[str]], depth: int, most: int) -> Iterator[str]:
    for folder, group in groupby(sorted(names), key=lambda path: _folder(path, depth)):
        paths = list(group)
        counted = Counter(name for path in paths for name in names[path])
        best = sorted(counted, key=lambda name: (-counted[name], name))[:most]
        files = "1 document" if len(paths) == 1 else f"{len(paths)} documents"
        yield f"{folder or '.'}: {files}" + (f"; {', '.join(best)}" if best else "")


def _folder(path: str, depth: int) -> str:
    return "/".join(path.split("/")[:-1][:depth])


def _declared(document: Document) -> Iterator[str]:
    for found in _DECLARATION.finditer(document.extract or document.content[:20_000]):
        name = found["name"] or " ".join(_NAME.findall(found["heading"] or ""))
        if name and not name.startswith("_"):
            yield name
