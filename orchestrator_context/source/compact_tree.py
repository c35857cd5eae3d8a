"""What can be left out of a program in any language with a grammar: comments on their own lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from orchestrator_context.languages.grammars import Parsed, parse
from orchestrator_context.languages.masking import code_only
from orchestrator_context.source.lines import Cuts, split_lines

if TYPE_CHECKING:
    from tree_sitter import Node

# Macros may look like errors to a grammar there, but comments are what they look like.
_WITH_MACROS: Final = frozenset(("c", "cpp", "objective-c"))
# nodes that hold text: their lines stay, and so do comments in code inside of them
_TEXT: Final = re.compile(
    r"string|scalar|regex|heredoc|nowdoc|encapsed|quoted|sigil|jsx|(?:^|_)(?:raw|text|char)(?:_|$)"
    r"|^template_literal|command_literal|uninterpreted|data_section"
)
# what a compiler, an interpreter or a browser reads in a comment
_DIRECTIVE: Final = re.compile(
    r"""(?x)
    //go: | // [ ]* \+build | //export[ ] | //line[ ]               # Go
    | /// [ ]* < (?:reference|amd) | // [ ]* @ts- | .{0,9} @(?:jsx|flow)  # TypeScript, JavaScript
    | .{0,4} [#@] [ ]* source(?:Mapping)?URL
    | \# .* (?: coding [:=] | frozen_string_literal | warn_indent | shareable_constant_value )
    | \# [ ]* typed: | (?i: \# requires )                           # Sorbet, PowerShell
    | // [ ]* swift-tools-version | // [ ]* @dart
    | /\* [!+] | -- \+
    """
)
# texts in which comments are more than comments: C for Go, and what examples should print
_READ: Final = {
    "go": re.compile(r'(?im)^[ \t]*(?:import[ \t]+)?"C"\s*$|^[ \t]*// *(?:unordered )?output:')
}
_HALT: Final = b"__halt_compiler"  # what stands behind is data


def parse_program(text: str, language: str) -> Parsed | None:
    """Return the syntax tree of `text`, or None where it cannot tell what is a comment."""
    parsed = parse(text, language)
    if parsed is None or (parsed.has_error and language not in _WITH_MACROS):
        return None
    return parsed


def tree_cuts(text: str, language: str, parsed: Parsed) -> Cuts:
    """Return the lines of `text` that hold nothing but comments that no machine reads.

    A comment goes where the text without strings and comments has nothing in its place, too.

    Args:
        text: a program whose lines end with LF.
        language: as `detect_language` names it.
        parsed: its syntax tree.
    """
    lines = split_lines(text)
    starts = [0, *accumulate(map(len, lines))]
    indents = [len(line) - len(line.lstrip(" \t\f")) for line in lines]
    code = code_only(text, language)
    is_read = language in _READ and _READ[language].search(text) is not None
    inner = _sent_lines(parsed, len(lines)) if language == "php" else set[int]()
    dropped = set[int]()
    for node in _parts(parsed):
        first, last = node.start_point.row, _last_row(node)
        if not _is_comment(node):
            if last > first and (node.child_count == 0 or _TEXT.search(node.type)):
                inner.update(range(first + 1, last + 1))
        elif (
            not (is_read or _is_directive(node, parsed.data))
            and node.start_point.column == indents[first]
            and _ends_line(node, lines[last])
            and (code is None or _is_gap(code, starts[first], starts[last + 1]))
        ):
            dropped.update(range(first, last + 1))
    return Cuts(dropped, inner=inner)


def _sent_lines(parsed: Parsed, count: int) -> set[int]:
    """Return which of the `count` lines of PHP begin in what is sent as it stands, or in data.

    The grammar takes text behind a closing tag for comments where it looks like some.
    """
    found: set[int] = set()
    begins: int | None = 0
    for node in _parts(parsed):
        row = node.start_point.row
        if node.type == "php_tag" and begins is not None:
            found.update(range(begins, row + 1))
            begins = None
        elif node.type == "php_end_tag":
            begins = row + 1
        elif node.type == "name" and _HALT in parsed.data[node.start_byte : node.end_byte].lower():
            begins = row + 1
            break
    return found if begins is None else found | set(range(begins, count))


def _parts(parsed: Parsed) -> Iterator[Node]:
    """Yield the nodes of a tree, and none inside of a comment."""
    hidden = 0
    for node, depth in parsed.nodes():
        if hidden and depth > hidden:
            continue
        hidden = depth if _is_comment(node) else 0
        yield node


def _is_comment(node: Node) -> bool:
    return node.is_named and node.type.endswith("comment") and node.type != "html_comment"


def _last_row(node: Node) -> int:
    """Return the last line that a node has a part of; some end with the break of their line."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point.row else row


def _is_directive(node: Node, data: bytes) -> bool:
    text = data[node.start_byte : node.end_byte].decode()
    return _DIRECTIVE.match(text) is not None or (node.start_byte == 0 and text.startswith("#!"))


def _ends_line(node: Node, line: str) -> bool:
    """Return whether nothing stands behind `node` on its last line; columns are bytes."""
    column = node.end_point.column
    return column == 0 or not line.encode()[column:].strip()


def _is_gap(code: str, start: int, end: int) -> bool:
    begins = start == 0 or code[start - 1] == "\n"
    ends = end == len(code) or code[end - 1] == "\n"
    return begins and ends and not code[start:end].strip()


def same_parts(one: Parsed, other: Parsed) -> bool:
    """Return whether two trees are equal but for comments, white space and places."""
    return _fingerprint(one) == _fingerprint(other)


def _fingerprint(parsed: Parsed) -> list[tuple[int, bytes]]:
    """Return the kinds of all nodes but comments, and the text of those without children."""
    found: list[tuple[int, bytes]] = []
    for node in _parts(parsed):
        if _is_comment(node):
            continue
        text = b"" if node.child_count else parsed.data[node.start_byte : node.end_byte]
        if node.child_count or (text and not text.isspace()):
            found.append((node.kind_id, text))
    return found
