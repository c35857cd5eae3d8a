"""Source code without what says nothing to the machine: comments, docstrings, blank lines.

Nothing else goes, and only whole lines do. What is left is read again by the parser that found
them: where that sees another program than before, or finds an error, the text stays as it was.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from orchestrator_context import checks
from orchestrator_context.languages.detect import LANGUAGES, detect_language, language_name
from orchestrator_context.languages.grammars import Parsed, has_grammar
from orchestrator_context.languages.heads import PROSE
from orchestrator_context.languages.masking import code_only
from orchestrator_context.source.compact_python import parse_python, python_cuts, same_program
from orchestrator_context.source.compact_tree import parse_program, same_parts, tree_cuts
from orchestrator_context.source.lines import Cuts, split_lines, without

_BOM: Final = "\ufeff"
_PROSE: Final = PROSE - {"html"}  # where style sheets say what blank lines mean


@dataclass(frozen=True, slots=True)
class CompactSource:
    """A text without its comments.

    Attributes:
        text: what is left: lines of the original as they stood, and `pass` for a body that held
            nothing but a docstring.
        original_lines: lines of the original; lines end with LF, and so with CR LF.
        elided_lines: how many of them are gone. 0 where the text is the original.
    """

    text: str = field(repr=False)
    original_lines: int
    elided_lines: int

    @property
    def is_reduced(self) -> bool:
        """Whether anything is gone."""
        return self.elided_lines > 0


def supports_compaction(language: str | None) -> bool:
    """Return whether `compact_source` knows what is a comment in `language`.

    Without the extra `code` it does for Python only.
    """
    name = language_name(language)
    return name == "python" or has_grammar(name)


def compact_source(content: str, *, language: str | None = None, path: str = "") -> CompactSource:
    r"""Return `content` without comments on lines of their own, docstrings and runs of blank lines.

    What programs are told by comments stays: a shebang, an encoding, a build tag. So do comments
    behind code, all strings, and one of several blank lines. A program stays as it is where no
    parser for its language is installed, or it does not accept the text. Of prose, and where the
    language is unknown, only runs of blank lines outside of code blocks become one. Near linear.

    >>> compact_source("# why\nx = 1  # what\n", path="a.py").text
    'x = 1  # what\n'

    Args:
        content: any text.
        language: by any of its usual names; None where the path is to tell.
        path: name of the file.

    Raises:
        ConfigurationError: an argument is of another type.
    """
    checks.text("content", content)
    checks.text("path", path)
    language = language_name(language or detect_language(path))
    body = content.removeprefix(_BOM)
    lines, text = split_lines(body), body.replace("\r\n", "\n")
    cuts, is_same = _cuts(text, language)
    left, gone = without(lines, cuts) if cuts is not None else (body, 0)
    if not gone or not left.strip() or not is_same(left.replace("\r\n", "\n")):
        return CompactSource(content, len(lines), 0)
    return CompactSource(content[: len(content) - len(body)] + left, len(lines), gone)


_Check = Callable[[str], bool]


def _cuts(text: str, language: str) -> tuple[Cuts | None, _Check]:
    """Return what may go from `text`, and whether a text means the same as this one."""
    if "\r" in text or "\0" in text:  # some take a lone CR for the end of a line
        return None, _always
    if language == "python" and (tree := parse_python(text)) is not None:
        return python_cuts(text, tree), lambda left: _is_same_program(tree, left)
    if (parsed := parse_program(text, language)) is not None:
        return tree_cuts(text, language, parsed), lambda left: _has_same_parts(
            parsed, left, language
        )
    return _blank_cuts(text, language), _always


def _is_same_program(tree: ast.Module, left: str) -> bool:
    other = parse_python(left)
    return other is not None and same_program(tree, other)


def _has_same_parts(parsed: Parsed, left: str, language: str) -> bool:
    other = parse_program(left, language)
    return other is not None and same_parts(parsed, other)


def _always(_: str) -> bool:
    return True


def _blank_cuts(text: str, language: str) -> Cuts | None:
    """Return what stays of runs of blank lines: in prose code blocks, of programs everything.

    Blank lines in strings mean something, and only a parser can tell where those begin and end.
    """
    if language not in LANGUAGES:
        return Cuts()
    if language not in _PROSE or (code := code_only(text, language)) is None:
        return None
    ends = accumulate(map(len, split_lines(text)))
    return Cuts(inner={number for number, end in enumerate(ends, 1) if code[end - 1] != "\n"})
