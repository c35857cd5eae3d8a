"""Checks of what callers hand to a selection. Each raises ConfigurationError that names it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document


def documents(field: str, value: object) -> tuple[Document, ...]:
    """Return `value` as a tuple if it can be gone through and holds documents and nothing else."""
    given = checks.sequence(field, value, "documents")
    if not set(map(type, given)) <= {Document}:
        for one in given:
            checks.instance(f"each of {field}", one, Document, "Document.of(path, content)")
    return cast("tuple[Document, ...]", given)


def texts_by_name(field: str, value: object) -> dict[str, str]:
    """Return `value`, sorted, if it maps names to texts."""
    if not isinstance(value, Mapping):
        raise ConfigurationError(
            f"{field} must map names to texts, and is no mapping but {checks.sort_of(value)}"
        )
    for name, text in cast("Mapping[object, object]", value).items():
        checks.text(f"a name in {field}", name)
        checks.text(f"{field}[{name!r}]", text)
    return dict(sorted(cast("Mapping[str, str]", value).items()))
