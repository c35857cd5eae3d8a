"""Checks of what callers hand to a selection. Each raises ConfigurationError that names it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from orchestrator_context import checks


def texts_by_name(field: str, value: object) -> dict[str, str]:
    """Return `value`, sorted, if it maps names to texts."""
    for name, text in checks.mapping(field, value, "names to texts").items():
        checks.text(f"a name in {field}", name)
        checks.text(f"{field}[{name!r}]", text)
    return dict(sorted(cast("Mapping[str, str]", value).items()))
