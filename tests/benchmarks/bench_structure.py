"""Extracts and compaction over Python's standard library, ours and AnyInfer's, in one run.

A program means the same if its syntax tree does, docstrings left aside. Tokens are those of o200k.
"""

from __future__ import annotations

import ast
import sysconfig
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from anyinfer.context import compact_source as their_compact_source
from anyinfer.context import structural_extract as their_structural_extract

from orchestrator_context.languages import structural_extract, structure
from orchestrator_context.source import compact_source
from orchestrator_context.tokens import token_counter

STANDARD_LIBRARY = Path(sysconfig.get_paths()["stdlib"])


def programs() -> Iterator[str]:
    """Yield the files of the standard library that the running Python can parse."""
    for path in sorted(STANDARD_LIBRARY.rglob("*.py")):
        if "site-packages" in path.parts:
            continue
        try:
            text = path.read_bytes().decode()
            ast.parse(text)
        except (UnicodeDecodeError, SyntaxError, ValueError):
            continue
        yield text


def run(label: str, function: Callable[[str], str], texts: list[str]) -> list[str]:
    """Return what `function` makes of `texts`, and print how fast."""
    started = time.perf_counter()
    made = [function(text) for text in texts]
    seconds = time.perf_counter() - started
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    print(
        f"{label}: {len(texts) / seconds:,.0f} files/s, {megabytes / seconds:.2f} MB/s, "
        f"{saved(texts, made):.1%} of the tokens saved"
    )
    return made


def saved(texts: list[str], made: list[str]) -> float:
    count = token_counter().count
    return 1 - sum(map(count, made)) / sum(map(count, texts))


def bare(text: str) -> str | None:
    """Return the syntax tree of a program without docstrings, or None where it has none."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            while node.body and is_string(node.body[0]):
                node.body.pop(0)
            node.body = node.body or [ast.Pass()]
    return ast.dump(tree)


def is_string(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def same(label: str, texts: list[str], made: list[str]) -> None:
    trees = [(bare(text), bare(compact)) for text, compact in zip(texts, made, strict=True)]
    equal = sum(one == other for one, other in trees)
    broken = sum(other is None for _, other in trees)
    print(f"{label}: {equal} of {len(texts)} files mean the same, {broken} do not parse any more")


def declared(text: str) -> set[str]:
    """Return the names of functions and classes, by Python's own parser."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)}


def found(label: str, texts: list[str], made: list[str]) -> None:
    pairs = [(declared(text), extract) for text, extract in zip(texts, made, strict=True)]
    named = sum(name in extract for names, extract in pairs for name in names)
    print(f"{label}: {named / sum(len(names) for names, _ in pairs):.1%} of the names declared")


def main() -> None:
    warnings.simplefilter("ignore", SyntaxWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    texts = list(programs())
    ours = run("extract, this library", lambda text: structural_extract(text, "python"), texts)
    theirs = run(
        "extract, anyinfer", lambda text: their_structural_extract(text, language="python"), texts
    )
    found("extract, this library", texts, ours)
    found("extract, anyinfer", texts, theirs)
    run("symbols, this library", lambda text: str(structure(text, "python")), texts)
    ours = run(
        "compact, this library", lambda text: compact_source(text, language="python").text, texts
    )
    theirs = run(
        "compact, anyinfer", lambda text: their_compact_source(text, language="python").text, texts
    )
    same("compact, this library", texts, ours)
    same("compact, anyinfer", texts, theirs)
