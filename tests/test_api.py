from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from collections.abc import Generator, Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import get_args, get_type_hints

import pytest

import orchestrator_context

MODULES = ["orchestrator_context"] + [
    module.name
    for module in pkgutil.walk_packages(orchestrator_context.__path__, "orchestrator_context.")
]
NAMESPACE = {"Note": orchestrator_context.Note}  # named for type checkers only
PACKAGES = [name for name in MODULES if hasattr(import_module(name), "__path__")]

# Imports each module where no other one of the package was seen, its `__init__` included: that one
# imports so much that a cycle behind it would not show.
ALONE = """
import importlib, sys, types
first, *others = sys.stdin.read().split()
path = importlib.import_module(first).__path__
for name in others:
    for seen in [seen for seen in sys.modules if seen.partition(".")[0] == first]:
        del sys.modules[seen]
    sys.modules[first] = types.ModuleType(first)
    sys.modules[first].__path__ = path
    importlib.import_module(name)
    print(name)
"""


@pytest.mark.parametrize("name", PACKAGES)
def test_public_names_are_listed_and_sorted(name: str) -> None:
    package = import_module(name)
    public = {
        key
        for key, value in vars(package).items()
        if not key.startswith("_") and not isinstance(value, ModuleType) and key != "annotations"
    }
    listed = list(getattr(package, "__all__", []))
    assert listed == sorted(public, key=_constants_and_classes_first)


def _constants_and_classes_first(name: str) -> tuple[bool, bool, str]:
    return not name.isupper(), not name[0].isupper(), name


@pytest.mark.parametrize("name", MODULES)
def test_listed_names_exist(name: str) -> None:
    module = import_module(name)
    listed: list[str] = getattr(module, "__all__", [])
    assert [item for item in listed if not hasattr(module, item)] == []
    assert len(set(listed)) == len(listed)


def test_all_that_public_functions_take_and_return_is_public() -> None:
    public = {getattr(orchestrator_context, name) for name in orchestrator_context.__all__}
    needed = {
        (f"{name}.{function.__name__}", kind)
        for name in orchestrator_context.__all__
        for function in _functions(getattr(orchestrator_context, name))
        for hint in get_type_hints(function, None, NAMESPACE).values()
        for kind in _classes(hint)
    }
    internal = {"Contents"}  # of an index; `build` and `load` make it
    assert {
        one for one in needed if one[1] not in public and one[1].__name__ not in internal
    } == set()


def _functions(value: object) -> Iterator[FunctionType]:
    """Yield what may be called of a public name: a function, or the methods of a class."""
    if isinstance(value, FunctionType):
        yield value
    elif isinstance(value, type):
        for name, member in vars(value).items():
            plain = getattr(member, "fget", None) or getattr(member, "__func__", member)
            if isinstance(plain, FunctionType) and (name == "__init__" or name[0] != "_"):
                yield plain


def _classes(hint: object) -> Iterator[type]:
    """Yield the classes of this package that a type speaks of."""
    if isinstance(hint, type) and hint.__module__.startswith("orchestrator_context."):
        yield hint
    for part in [*hint] if isinstance(hint, list) else get_args(hint):
        yield from _classes(part)


def test_the_name_of_a_public_class_means_one_thing() -> None:
    classes = {
        name: getattr(orchestrator_context, name)
        for name in orchestrator_context.__all__
        if name[0].isupper()
    }
    found = {
        (module, name): vars(import_module(module)).get(name, classes[name])
        for module in MODULES
        for name in classes
    }
    others = {one for one, value in found.items() if value not in (classes[one[1]], Generator)}
    assert others == set()


def test_every_module_can_be_imported_alone() -> None:
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", ALONE],
        input="\n".join(MODULES),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.stderr, result.stdout.split()) == ("", MODULES[1:])


def test_vendors_are_imported_only_when_they_are_used() -> None:
    script = """
import sys, orchestrator_context, orchestrator_context.cli
print(*{"cohere", "anyinfer", "xllamacpp", "tokenizers", "genai_prices"} & set(sys.modules))
"""
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == ""


def test_nothing_but_the_client_of_an_asyncio_package_imports_asyncio() -> None:
    files = [import_module(name).__file__ or "" for name in MODULES]
    importing = {Path(file).name for file in files if _imports(Path(file), "asyncio")}
    assert importing == {"anyinfer.py"}


def _imports(path: Path, module: str) -> bool:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return module in names or any(
        isinstance(node, ast.ImportFrom) and node.module == module for node in nodes
    )
