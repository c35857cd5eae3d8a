"""What can be left out of a Python program: comment lines and docstrings, by its own parser."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable
from typing import Final, cast

from orchestrator_context.source.lines import Cuts, split_lines

_FILE: Final = "<compacted source>"
_MODULE: Final = re.escape(_FILE)
_COMMENT: Final = re.compile(r"[ \t\f]*+#")
_CODING: Final = re.compile(r"[ \t\f]*+#[^\n]*?coding[:=]")
_TYPE: Final = re.compile(r"[ \t\f]*+#[ \t]*+type:")
_SCRIPT: Final = re.compile(r"(?m)^# /// script\n(?:#(?: [^\n]*+)?\n)*+")
_MOST_CHARACTERS: Final = 2_000_000  # a tree takes some hundred bytes for each
_STRINGS: Final[tuple[type[ast.expr], ...]] = tuple(
    getattr(ast, name) for name in ("Constant", "JoinedStr", "TemplateStr") if hasattr(ast, name)
)
_SCOPES: Final = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def parse_python(text: str) -> ast.Module | None:
    """Return the syntax tree of `text`, or None where it is no Python, too deep, or too large."""
    if len(text) > _MOST_CHARACTERS:
        return None
    _keep_warnings_away()
    try:
        return ast.parse(text, _FILE)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _keep_warnings_away() -> None:
    """Keep what the parser says about the style of a program from the user of this library.

    The filters of warnings belong to the process. One is added once, for the name that the parser
    is given; to set filters and set them back would be seen by other threads.
    """
    modules = (found[3] for found in warnings.filters)
    if not any(isinstance(name, re.Pattern) and name.pattern == _MODULE for name in modules):
        warnings.filterwarnings("ignore", module=_MODULE)


def python_cuts(text: str, tree: ast.Module) -> Cuts:
    """Return the lines of comments and docstrings in `text`, but for those that are read.

    A program that names `__doc__` reads its docstrings. Interpreters, type checkers and installers
    read the first two lines, type comments and the block that names what a script needs.

    Args:
        text: a program whose lines end with LF.
        tree: its syntax tree.
    """
    lines, inner, scopes = split_lines(text), set[int](), list[ast.AST]()
    reads_docstrings = False
    for node in ast.walk(tree):
        if isinstance(node, _STRINGS):
            inner.update(range(node.lineno, node.end_lineno or 0))
        elif isinstance(node, _SCOPES):
            scopes.append(node)
        elif isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            reads_docstrings = reads_docstrings or name == "__doc__"
    comments = _comments(text, lines, inner)
    if reads_docstrings:
        return Cuts(comments, inner=inner)
    return _with_docstrings(Cuts(comments, inner=inner), lines, scopes)


def _comments(text: str, lines: list[str], inner: set[int]) -> set[int]:
    stay = inner | {number for number, line in enumerate(lines[:2]) if _CODING.match(line)}
    stay |= {0} if text.startswith("#!") else set()
    if block := _SCRIPT.search(text):
        first = text.count("\n", 0, block.start())
        stay.update(range(first, first + block[0].count("\n")))
    comments = {number for number, line in enumerate(lines) if _COMMENT.match(line)}
    return {number for number in comments - stay if not _TYPE.match(lines[number])}


def _with_docstrings(cuts: Cuts, lines: list[str], scopes: Iterable[ast.AST]) -> Cuts:
    """Return `cuts` and the lines of docstrings that stand on lines of their own."""
    dropped, inner, replaced = set(cuts.dropped), set(cuts.inner), dict[int, str]()
    for scope in scopes:
        string = _docstring(scope)
        if string is None or not _stands_alone(string, lines):
            continue
        first = string.lineno - 1
        if len(_body(scope)) == 1 and not isinstance(scope, ast.Module):
            instead = lines[first][: string.col_offset] + "pass"
            if len(instead) > len(lines[first].rstrip("\n")):
                continue  # a docstring of one letter
            replaced[first] = instead
        span = range(first, string.end_lineno or 0)
        dropped.update(span)
        inner.difference_update(span)
    return Cuts(dropped, replaced, inner)


def _docstring(scope: ast.AST) -> ast.stmt | None:
    """Return the docstring, but not one with a string behind it, which would take its place."""
    body = _body(scope)
    alone = len(body) == 1 or not all(map(_is_string, body[:2]))
    return body[0] if body and _is_string(body[0]) and alone else None


def _stands_alone(string: ast.stmt, lines: list[str]) -> bool:
    """Return whether nothing but a comment stands on the lines of `string`; columns are bytes."""
    first, last = lines[string.lineno - 1], lines[(string.end_lineno or 0) - 1]
    if len(first) - len(first.lstrip(" \t\f")) != string.col_offset:
        return False
    behind = last.encode()[string.end_col_offset or 0 :].strip()
    return not behind or behind.startswith(b"#")


def _body(scope: ast.AST) -> list[ast.stmt]:
    body: list[ast.stmt] = getattr(scope, "body", [])
    return body


def _is_string(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def same_program(one: ast.AST, other: ast.AST) -> bool:
    """Return whether two trees are equal but for places and docstrings.

    A body without statements equals `pass`.
    """
    pairs: list[tuple[object, object]] = [(one, other)]
    while pairs:
        left, right = pairs.pop()
        if type(left) is not type(right):
            return False
        parts, others = _parts(left), _parts(right)
        if parts is None or others is None:
            if left != right:
                return False
        elif len(parts) != len(others):
            return False
        else:
            pairs.extend(zip(parts, others, strict=True))
    return True


def _parts(value: object) -> list[object] | None:
    """Return the items of a list, or the values of the fields of a node; None for a constant."""
    if not isinstance(value, ast.AST):
        return cast("list[object]", value) if isinstance(value, list) else None
    parts: list[object] = [getattr(value, name, None) for name in value._fields]
    if isinstance(value, _SCOPES):
        body = _body(value)
        statements = body[1:] if body and _is_string(body[0]) else body
        is_empty = len(statements) == 1 and isinstance(statements[0], ast.Pass)
        parts[value._fields.index("body")] = [] if is_empty else statements
    return parts
