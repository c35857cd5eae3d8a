"""What a text declares: its imports, classes, functions and headings, each with its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import islice
from typing import Final

from orchestrator_context import checks
from orchestrator_context.languages.declarations import declarations_in, has_declarations
from orchestrator_context.languages.detect import language_name
from orchestrator_context.languages.grammars import parse
from orchestrator_context.languages.heads import PROSE, Head, declaration_at, heads_of
from orchestrator_context.languages.masking import code_only
from orchestrator_context.languages.naming import SymbolKind, name_and_kind, title_of
from orchestrator_context.languages.spans import (
    Lines,
    Place,
    ends_by_indentation,
    ends_by_level,
    levels_of,
)

_DECORATOR: Final = re.compile(r"\s*@(?!import)")
_TEMPLATE: Final = re.compile(r"\s*template\s*<[^{};]*>")
_CALL: Final = re.compile(r"\s*(?:describe|context|it|test|task|RSpec|module\.exports)\b")
_MOST_SYMBOLS: Final = 10_000
_HOLDERS: Final = frozenset(("class", "enum", "extension", "interface", "struct"))


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something that a text declares.

    Attributes:
        name: what it is called; the words of a heading, the statement of an import.
        kind: what it is; "other" where its language has a kind of its own.
        start_line: first line of its signature, from 1.
        end_line: last line of its body, or of its section.
        signature: its lines up to the body, as they stand there.
    """

    name: str
    kind: SymbolKind
    start_line: int
    end_line: int
    signature: str


def structure(content: str, language: str | None) -> tuple[Symbol, ...]:
    r"""Return what `content` declares, in order: imports, declarations at any depth, and headings.

    With the extra `code` declarations are found in the syntax tree of a program that has no error
    in it; else by the form of its lines, and their ends by indentation. Linear; 10,000 at most.

    >>> [symbol.name for symbol in structure("class A:\n  def f(): ...", "python")]
    ['A', 'f']

    Args:
        content: program or prose.
        language: by any of its usual names; where it is None or unknown, there are no symbols.

    Raises:
        ConfigurationError: an argument is of another type.
    """
    checks.text("content", content)
    language = language_name(language)
    code = code_only(content, language)
    if code is None:
        return ()
    heads = list(islice(declared(content, code, language), _MOST_SYMBOLS))
    if language in PROSE:
        return _sections(content, heads, language)
    return _with_methods(_symbols(content, code, heads, language))


@dataclass(frozen=True, slots=True)
class Declared:
    """A head, and the last line of what it is the head of.

    Attributes:
        head: where it begins and what it says.
        end_line: the last line, from 1; 0 where the syntax tree does not tell.
    """

    head: Head
    end_line: int = 0


def declared(content: str, code: str, language: str) -> Iterator[Declared]:
    """Yield the heads of a text in order, from its syntax tree where that has no error.

    Args:
        content: program or prose.
        code: the same with spaces for comments and strings.
        language: in lower case.
    """
    parsed = parse(content, language) if has_declarations(language) else None
    heads = heads_of(content, code, language)
    if parsed is None or parsed.has_error:
        yield from map(Declared, heads)
        return
    others = (Declared(head) for head in heads if _is_other(head))
    found = list(declarations_in(parsed, language))
    offsets = _offsets([one.start for one in found], parsed.data)
    trees = (
        Declared(declaration_at(content, code, at, language), one.end_line)
        for one, at in zip(found, offsets, strict=True)
    )
    every = merge(others, sorted(trees, key=_start), key=_start)
    yield from {one.head.start: one for one in every}.values()


def _is_other(head: Head) -> bool:
    """Return whether a head is found by its form alone: an import, or a call that declares."""
    return head.kind == "import" or _CALL.match(head.text) is not None


def _start(one: Declared) -> int:
    return one.head.start


def _offsets(places: Sequence[int], data: bytes) -> Iterator[int]:
    """Yield the offset in characters of each place in UTF-8, in order."""
    if data.isascii():
        yield from places
        return
    at = characters = 0
    for place in places:
        if place >= at:
            characters += len(data[at:place].decode())
        else:  # a name in front of what was begun before
            characters -= len(data[place:at].decode())
        at = place
        yield characters


def _sections(content: str, heads: Sequence[Declared], language: str) -> tuple[Symbol, ...]:
    texts = [one.head.text for one in heads]
    lines = Lines(content)
    starts = [lines.of(one.head.start) for one in heads]
    ends = ends_by_level(levels_of(texts, language), starts, lines.last())
    return tuple(
        Symbol(title_of(text, language), "heading", start, max(start + text.count("\n"), end), text)
        for text, start, end in zip(texts, starts, ends, strict=True)
    )


def _symbols(content: str, code: str, heads: Sequence[Declared], language: str) -> Iterator[Symbol]:
    places = [Place(one.head.start, one.head.end) for one in heads]
    lines = Lines(content)
    if language == "dockerfile":
        ends = _stage_ends(content, heads)
    else:
        ends = ends_by_indentation(content, code, places)
    for one, end in zip(heads, ends, strict=True):
        start, text = lines.of(one.head.start), one.head.text
        head_end = start + text.count("\n")
        is_import = one.head.kind == "import"
        if _TEMPLATE.fullmatch(text) or (is_import and _DECORATOR.match(text)):
            continue  # it belongs to the next
        if is_import:
            yield Symbol(" ".join(text.split()), "import", start, head_end, text)
        else:
            name, kind = name_and_kind(text, language)
            yield Symbol(name, kind, start, max(head_end, one.end_line or end), text)


def _stage_ends(content: str, heads: Sequence[Declared]) -> list[int]:
    """Return the last line of each stage of a Dockerfile, which the next one ends; 0 for others."""
    lines = Lines(content)
    stages = [one.head.text.lstrip()[:4].lower() == "from" for one in heads]
    starts = [lines.of(one.head.start) for one in heads]
    ends = ends_by_level([1 if stage else 2 for stage in stages], starts, lines.last())
    return [end if stage else 0 for stage, end in zip(stages, ends, strict=True)]


def _with_methods(symbols: Iterator[Symbol]) -> tuple[Symbol, ...]:
    """Return `symbols` with functions directly inside of a class, or its like, as methods."""
    result: list[Symbol] = []
    opened: list[Symbol] = []
    for symbol in symbols:
        while opened and opened[-1].end_line < symbol.start_line:
            opened.pop()
        if symbol.kind == "function" and opened and opened[-1].kind in _HOLDERS:
            symbol = replace(symbol, kind="method")
        if symbol.kind != "import":
            opened.append(symbol)
        result.append(symbol)
    return tuple(result)
