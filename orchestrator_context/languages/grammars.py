"""Syntax trees of programs, where the extra `code` is installed.

The grammars come with that package; nothing is downloaded. A parser that recovers from errors can
take time and memory that grow with the square of a text that is no program. So a text is parsed
only where it is not very large, its brackets match, and nothing in it is nested or chained deeper
than people write; and the parser is stopped where it works much longer than programs need. All of
that is counted, not timed: the same text always has the same tree, or none. Languages whose parsers
ran away or crashed on garbage are left out: Haskell, HCL, Kotlin, Lua, Perl, Python, Scala, YAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from typing import TYPE_CHECKING, Final

from orchestrator_context.languages.masking import code_only

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

_PACK: Final = "tree-sitter-language-pack"
_MOST_BYTES: Final = 256_000
_DEEPEST: Final = 100  # brackets inside brackets
_MOST_CHAINED_LINES: Final = 300
_STEP_BYTES: Final = 40  # programs take a hundred operations for 60 to 200 bytes
_LEAST_STEPS: Final = 32

# languages: their grammars; of several, the first that knows all of a text
_GRAMMARS: Final = {
    "c": "c",
    "cpp": "cpp",
    "csharp": "csharp",
    "css": "css",
    "dart": "dart",
    "go": "go",
    "graphql": "graphql",
    "java": "java",
    "javascript": "javascript",
    "julia": "julia",
    "objective-c": "objc",
    "ocaml": "ocaml ocaml_interface",
    "php": "php",
    "powershell": "powershell",
    "protobuf": "proto",
    "r": "r",
    "ruby": "ruby",
    "rust": "rust",
    "scss": "scss",
    "shell": "bash",
    "solidity": "solidity",
    "swift": "swift",
    "toml": "toml",
    "typescript": "typescript tsx",
}

_BRACKET: Final = re.compile(r"[()\[\]{}]")
_OPENER: Final = {")": "(", "]": "[", "}": "{"}
_LONG_TERM: Final = re.compile(r"[^;,{}\n]{4000}")
_CHAIN: Final = re.compile(r"(?m)(?:^[^\n]*[-+*/%<>=&|^.?:!~\\@$#(\[][ \t\r]*\n)++")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text and its syntax tree.

    Attributes:
        data: the text in UTF-8; the offsets of the nodes are those of its bytes.
        tree: its tree.
    """

    data: bytes
    tree: Tree

    @property
    def has_error(self) -> bool:
        """Whether a part of the text is unknown to the grammar."""
        return self.tree.root_node.has_error

    def nodes(self) -> Iterator[tuple[Node, int]]:
        """Yield every node before its children, and how deep it stands."""
        cursor, depth = self.tree.walk(), 0
        while True:
            if (node := cursor.node) is not None:
                yield node, depth
            if cursor.goto_first_child():
                depth += 1
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                depth -= 1


def has_grammar(language: str) -> bool:
    """Return whether texts in `language` can be parsed here."""
    return any(_grammar(name) is not None for name in _GRAMMARS.get(language, "").split())


def parse(text: str, language: str) -> Parsed | None:
    """Return the syntax tree of `text`, or None where there is no grammar, or nothing to trust.

    Args:
        text: a program.
        language: as `detect_language` names it.
    """
    if len(text) > _MOST_BYTES or not has_grammar(language) or not _is_plausible(text, language):
        return None
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return None
    found: Parsed | None = None
    for name in _GRAMMARS[language].split():
        grammar = _grammar(name)
        parsed = None if grammar is None else _parse(data, grammar)
        if parsed is not None and not parsed.has_error:
            return parsed
        found = found or parsed
    return found


def _is_plausible(text: str, language: str) -> bool:
    """Return whether `text` may be a program that somebody wrote, told by its brackets."""
    if "\0" in text:
        return False
    code = code_only(text, language) or ""
    chains = (chain[0].count("\n") for chain in _CHAIN.finditer(code))
    return (
        _LONG_TERM.search(code) is None
        and all(lines < _MOST_CHAINED_LINES for lines in chains)
        and _matches(code, "[]{}" if language == "shell" else "()[]{}")
    )


def _matches(code: str, brackets: str) -> bool:
    """Return whether the brackets of `code` match, and none stands inside of too many."""
    opened: list[str] = []
    for found in _BRACKET.finditer(code):
        mark = found[0]
        if mark not in brackets:
            continue
        if mark not in _OPENER:
            opened.append(mark)
        elif not opened or opened.pop() != _OPENER[mark]:
            return False
        if len(opened) > _DEEPEST:
            return False
    return not opened


def _parse(data: bytes, grammar: Language) -> Parsed | None:
    """Return the tree of `data`, or None where that takes too many operations.

    The parser keeps what `read` returns, so that is a view that can be released.
    """
    from tree_sitter import Parser

    steps, most = 0, _LEAST_STEPS + len(data) // _STEP_BYTES
    whole, views = memoryview(data), list[memoryview]()

    def read(offset: int, _: object) -> memoryview | bytes:
        if offset >= len(data):
            return b""
        views.append(whole[offset:])
        return views[-1]

    def is_too_long(_offset: int, _has_error: bool) -> bool:
        nonlocal steps
        steps += 1
        return steps + len(views) > most  # some scanners read a line again for each token

    try:
        tree = Parser(grammar).parse(read, progress_callback=is_too_long)
    except ValueError:
        return None
    finally:
        for view in views:
            view.release()
    return Parsed(data, tree)


@lru_cache(maxsize=64)
def _grammar(name: str) -> Language | None:
    """Return a grammar of the package, or None where it is not there, or would be downloaded."""
    try:
        if int(metadata.version(_PACK).split(".")[0]) > 0:
            return None
        from tree_sitter_language_pack import get_language

        return get_language(name)  # type: ignore[arg-type]
    except (metadata.PackageNotFoundError, ImportError, LookupError):
        return None
