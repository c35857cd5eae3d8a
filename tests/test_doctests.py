"""The examples in docstrings do what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import orchestrator_context

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(orchestrator_context.__path__, "orchestrator_context.")
    if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0


def test_the_front_verb_has_an_example() -> None:
    finder = doctest.DocTestFinder()
    assert any(test.examples for test in finder.find(orchestrator_context.distill))
