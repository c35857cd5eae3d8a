"""The page on options says what the code does: every field, in order, with its default."""

from __future__ import annotations

import ast
import re
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

import orchestrator_context
from orchestrator_context.retrying import RetryPolicy

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
TABLES = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
ROW = re.compile(r"^\| `(\w+)` \| `([^`]+)` \| (\S.*) \|$", re.MULTILINE)
NAMES = sorted(
    name
    for name in orchestrator_context.__all__
    if name.endswith(("Options", "Policy", "Rules"))
    and is_dataclass(getattr(orchestrator_context, name))
)


def settings(name: str) -> type[Any]:
    found: type[Any] = getattr(orchestrator_context, name, None) or RetryPolicy
    assert found.__name__ == name
    return found


def test_every_class_of_settings_is_on_the_page() -> None:
    assert len(NAMES) > 5
    assert set(TABLES) == {*NAMES, "Budget", "RetryPolicy"}


@pytest.mark.parametrize("name", TABLES)
def test_the_table_has_the_fields_and_defaults_of_the_class(name: str) -> None:
    rows = ROW.findall(TABLES[name])
    own = fields(settings(name))
    assert [row[0] for row in rows] == [one.name for one in own]
    for one, (_, told, _) in zip(own, rows, strict=True):
        default: object = one.default
        if one.default_factory is not MISSING:
            default = one.default_factory()
        if is_dataclass(default):
            assert told == f"{type(default).__name__}()"
            assert repr(default) == repr(settings(type(default).__name__)())
        else:
            value = ast.literal_eval(told)
            assert (value, type(value)) == (default, type(default))


def test_the_page_can_be_found() -> None:
    for page, link in (("README.md", "docs/options.md"), ("docs/guide.md", "options.md")):
        assert f"({link})" in (ROOT / page).read_text(encoding="utf-8")
