"""What the modules of a corpus offer: the extracts of their documents, put together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from orchestrator_context import checks
from orchestrator_context.languages import detect_language, structural_extract
from orchestrator_context.models import Document
from orchestrator_context.source.given import given_documents


def module_surfaces(documents: Iterable[Document], depth: int = 2) -> dict[str, str]:
    r"""Return the surface of every module: path and extract of each of its documents.

    A module is a folder; one that lies deeper than `depth` belongs to the folder above it. The
    content stands where there is no extract. The result does not depend on the order of the
    documents, so that its hash can name what was made of it.

    >>> from orchestrator_context.models import Document
    >>> module_surfaces([Document("app/db/sql/run.py", "x = 1"), Document("setup.py", "y = 2")])
    {'': 'setup.py\ny = 2', 'app/db': 'app/db/sql/run.py\nx = 1'}

    Args:
        documents: the corpus.
        depth: folders in the name of a module at most; 0 makes one module of all.

    Raises:
        ConfigurationError: `depth` is not a whole number of at least 0, or a document is none.
    """
    checks.whole("depth", depth)
    modules: defaultdict[str, list[Document]] = defaultdict(list)
    for document in given_documents("documents", documents):
        modules[_module(document.path, depth)].append(document)
    return {
        module: "\n\n".join(
            f"{document.path}\n{extract_of(document) or document.content}"
            for document in sorted(modules[module], key=lambda one: (one.path, one.sha256))
        )
        for module in sorted(modules)
    }


def extract_of(document: Document) -> str:
    """Return the extract of a document, worked out from the content where it was not given."""
    if document.extract is not None:
        return document.extract
    return structural_extract(document.content, document.language or detect_language(document.path))


def _module(path: str, depth: int) -> str:
    folders = [part for part in path.replace("\\", "/").split("/")[:-1] if part not in ("", ".")]
    return "/".join(folders[:depth])
