"""Checks of documents that callers hand over."""

from __future__ import annotations

from orchestrator_context import checks
from orchestrator_context.models import Document

_HINT = "Document.of(path, content)"


def given_documents(field: str, value: object) -> tuple[Document, ...]:
    """Return `value` as a tuple if it can be gone through and holds documents and nothing else.

    Raises:
        ConfigurationError: it is anything else; the message names `field`.
    """
    return checks.instances(field, value, Document, "documents", _HINT)


def given_document(field: str, value: object) -> Document:
    """Return `value` if it is a document.

    Raises:
        ConfigurationError: it is anything else; the message names `field`.
    """
    return checks.instance(field, value, Document, _HINT)
