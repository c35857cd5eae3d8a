"""Checks of what callers hand to a selection. Each raises ConfigurationError that names it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document


def documents(field: str, value: object) -> tuple[Document, ...]:
    """Return `value` as a tuple if it can be gone through and holds documents and nothing else."""
    sort = checks.sort_of(value)
    if isinstance(value, str | bytes | Mapping | type) or not isinstance(value, Iterable):
        raise ConfigurationError(f"{field} must be a list of documents, not {sort}")
    given = tuple(cast("Iterable[object]", value))
    if not set(map(type, given)) <= {Document}:
        for one in given:
            instance(f"each of {field}", one, Document, "Document.of(path, content)")
    return cast("tuple[Document, ...]", given)


def instance(field: str, value: object, kind: type[object], hint: str = "") -> None:
    """Check that `value` is an instance of `kind`; `hint` says how to make one."""
    if isinstance(value, type) or not isinstance(value, kind):
        more = f": {hint}" if hint else ""
        raise ConfigurationError(
            f"{field} must be a {kind.__name__}, not {checks.sort_of(value)}{more}"
        )


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
