"""What an index keeps of a document, and the order that settles every tie."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.languages import detect_language
from orchestrator_context.models import Document
from orchestrator_context.source.given import given_documents

_ANCHORS: Final = frozenset(
    "__init__ __main__ architecture changelog contributing design index main overview readme "
    "cargo.toml go.mod package.json pom.xml pyproject.toml".split()
)
_PACKAGE_FILES: Final = frozenset(("__init__", "index", "mod"))


class Entry(NamedTuple):
    """A document without its content; the fields are those of `Document`."""

    path: str
    sha256: str
    pinned: bool
    language: str | None

    @classmethod
    def of(cls, document: Document) -> Entry:
        """Return what is kept of `document`."""
        return cls._make(_fields(document))

    @property
    def is_anchor(self) -> bool:
        """Whether the file introduces others, as its name tells."""
        name = self.path[max(self.path.rfind("/"), self.path.rfind("\\")) + 1 :].casefold()
        return name in _ANCHORS or name.partition(".")[0] in _ANCHORS

    @property
    def import_name(self) -> str:
        """The name other files import it by; that of its directory for the file of a package."""
        parts = _parts(self.path.casefold())
        stem = parts[-1].rpartition(".")[0] or parts[-1]
        return parts[-2] if stem in _PACKAGE_FILES and len(parts) > 1 and parts[-2] else stem


_fields: Final = attrgetter(*Entry._fields)


def _parts(path: str) -> list[str]:
    return path.replace("\\", "/").split("/")


def tie_order(entry: Document | Entry) -> tuple[bool, int, str, str]:
    """Return the key that sorts entries of the same score: pinned ones, shallow ones, by path."""
    depth = entry.path.count("/") + entry.path.count("\\")
    return not entry.pinned, depth, entry.path, entry.sha256


def in_tie_order(documents: Iterable[Document]) -> tuple[Document, ...]:
    """Return the documents in the order of `tie_order`.

    Raises:
        ConfigurationError: two documents have the same path, or one of them is none.
    """
    ordered = sorted(given_documents("documents", documents), key=tie_order)
    distinct(document.path for document in ordered)
    return tuple(ordered)


def distinct(paths: Iterable[str]) -> None:
    """Check that no path is there twice, or raise ConfigurationError naming it."""
    given = tuple(paths)
    if len(set(given)) < len(given):
        twice = next(path for path, times in Counter(given).items() if times > 1)
        raise ConfigurationError(
            f"two documents have the path {twice!r}; give each one a path of its own"
        )


def are_entries_of(entries: Sequence[Entry], documents: Sequence[Document]) -> bool:
    """Return whether `entries` are what is kept of `documents`, in any order."""
    by_path = {one.path: one for one in documents}
    return len(entries) == len(documents) == len(by_path) and all(
        entry.path in by_path and entry == _fields(by_path[entry.path]) for entry in entries
    )


def documents_digest(documents: Iterable[Document]) -> str:
    """Return the `corpus_digest` of documents that a caller hands over.

    Raises:
        ConfigurationError: two documents have the same path, or one of them is none.
    """
    given = given_documents("documents", documents)
    distinct(document.path for document in given)
    return corpus_digest(given)


def corpus_digest(corpus: Iterable[Document | Entry]) -> str:
    """Return the hex digest of paths, contents, pins and languages, in any order."""
    columns = list(zip(*sorted(map(_fields, corpus)), strict=True))
    return hashlib.sha256(json.dumps(columns).encode("ascii")).hexdigest()


def language_of(document: Document) -> str | None:
    """Return the language of `document`, or what its path tells where it names none."""
    return detect_language(document.path) if document.language is None else document.language
