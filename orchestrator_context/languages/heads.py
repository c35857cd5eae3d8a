"""Heads of a text: its imports, the first lines of its declarations, and its headings.

They are told by the form of a line outside of comments and strings. Linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from orchestrator_context.languages.structure import structure_of

LONGEST_HEAD: Final = 2_000
"""Characters of a head at most."""

# languages: how a line begins that brings in other code, or decorates what follows
_IMPORTS: Final = {
    "python cython starlark": r"(?:import|from|cimport)[ \t]|load\(|@\w",
    "javascript typescript": r"import\b(?![ \t]*\()|export[ \t]*[*{]",
    "java kotlin scala groovy dart swift go": r"(?:@\w+[ \t]+)?(?:import|package|library|part)\b",
    "csharp": r"(?:global[ \t]+)?using[ \t]+(?!var\b)[\w.]+[ \t]*[;=\r\n]",
    "rust": r"(?:pub(?:\([^)\n]{0,40}\))?[ \t]+)?(?:use|extern[ \t]+crate)[ \t]",
    "c cuda cpp objective-c": r"\#[ \t]*(?:include|import)\b|@?import[ \t]|using[ \t]",
    "solidity protobuf thrift": r"(?:import|include|package)\b",
    "php": r"(?:use|require|include|require_once|include_once)\b",
    "ruby crystal": r"(?:require|require_relative|include|extend|prepend)[ \t(]",
    "elixir": r"(?:import|alias|use|require)[ \t]",
    "lua": r"local[ \t]+[\w, \t]{1,80}=[ \t]*require\b",
    "perl": r"(?:use|require)[ \t]",
    "powershell": r"(?:using|Import-Module)[ \t]",
    "julia": r"(?:using|import)[ \t]|include\(",
    "r": r"(?:library|require|source)\(",
    "shell": r"(?:source|\.)[ \t]",
    "nim": r"(?:import|from|include)[ \t]",
    "haskell elm": r"import[ \t]",
    "ocaml": r"\#require\b",
    "fortran": r"(?i:use\b[ \t,:]|include[ \t])",
    "makefile": r"[-s]?include[ \t]",
}
_IMPORTS_OF: Final = {name: start for names, start in _IMPORTS.items() for name in names.split()}

# No keyword tells a method in these languages, but its body does, and in Java and C# its type.
_WITH_METHODS: Final = frozenset("cpp csharp dart java javascript typescript".split())
_STATEMENTS: Final = (
    "assert|await|case|catch|defer|delete|do|else|fixed|for|foreach|function|goto|if|lock|new|return"
    "|sizeof|super|switch|synchronized|this|throw|try|typeof|using|void|when|while|with|yield"
)
_METHOD: Final = (
    rf"[ \t]++(?!(?:{_STATEMENTS})[ \t]*\(|(?:await|else|new|return|throw|yield)\b"
    r"|[A-Z0-9_]+[ \t]*\()"
    r"[\w$#~<>\[\],.?*&:@ \t]{1,200}\("
)
_TYPED_BEFORE: Final = re.compile(r"[\w>\]?*&][ \t]+[\w$]+[ \t]*\(")
_TYPED_BEHIND: Final = re.compile(r"\)\s*:\s*[\w({\[]")

_ONE_WORD: Final = re.compile(r"\w+\s*")
_BRACE_NEXT: Final = re.compile(r"\s{1,200}\{")
PROSE: Final = frozenset("asciidoc html latex markdown mediawiki org restructuredtext".split())
# languages: what stands for their content, where that is not all that is a good place to cut
_RETURNED: Final = (  # by a function in Fortran
    r"(?:real|integer|logical|complex|character|type|class|double[ \t]+precision)"
    r"(?:\*\d{1,3}|[ \t]*\((?:[^()\n]|\([^()\n]{0,40}\)){0,80}\))?"
)
_FORTRAN: Final = (
    rf"(?i:(?:(?:pure|impure|elemental|recursive|module|{_RETURNED})[ \t]+){{0,6}}"
    r"(?:subroutine|function)[ \t]+\w|program[ \t]+\w"
    r"|module[ \t]+(?!procedure\b)\w+[ \t\r]*(?=\n|\Z)"
    r"|submodule[ \t]*\(|(?:abstract[ \t]+)?interface[ \t]+\w|block[ \t]*data[ \t]+\w"
    r"|type(?:[ \t]*,[^:\n]{0,200})?[ \t]*::|type[ \t]+(?!is\b)\w+[ \t\r]*(?=\n|\Z))"
)
_OWN: Final = {
    "dockerfile": r"\n[ \t]*(?:(?P<top>(?i:from)[ \t])|(?i:arg|cmd|entrypoint|env|expose)[ \t])",
    "fortran": rf"\n(?:(?P<top>{_FORTRAN})|[ \t]+{_FORTRAN})",
    "hcl": r"\n(?P<top>[A-Za-z_][\w-]*)[^\n={}()]{0,300}\{",
    "makefile": r"\n(?P<top>(?:(?:export|override|private)[ \t]++)*+define[ \t][^\n]*+"
    r"(?:\n(?![ ]*+endef\b)[^\n]*+)*+|(?!\.[A-Z]|(?:ifn?(?:eq|def)|else|override|(?:un)?export"
    r"|vpath)\b)[^\s#:=][^\n:=#]{0,300}::?(?![:=]))",
    "html": r"\n[ \t]*(?:<[^\n<>]{0,200}>[ \t]*){0,4}<[hH][1-6]\b[^<>]{0,200}>\s{0,80}(?=\S)",
    "latex": r"\n\\(?:part|chapter|(?:sub)*section|(?:sub)?paragraph)\b",
    "sql": r"\n(?:(?P<top>(?i:create)[ \t])|[ \t]+(?i:create)[ \t])",
    "yaml": r"\n(?:(?P<top>[^\s#\-?:,\[\]{}&*!|>%@`])|[ ]{2}(?:-[ ])?\w|-[ ]+\w)"
    r"[^\n:]{0,100}:(?!\S)",
}
_SQL_BODY: Final = re.compile(r"\$\w*\$")
_WITH_COLONS: Final = frozenset("cython python starlark".split())
_WITH_LABELS: Final = frozenset(("hcl",))  # strings that name what a word declares
_EXPANDED: Final = frozenset(("dockerfile", "makefile"))  # where braces hold names of variables
_CONTINUED: Final = _EXPANDED  # where a backslash at the end of a line takes the next one along
_GOES_ON: Final = ("\\", "\\\r")
_LOCAL_STRUCTS: Final = frozenset("c cpp cuda objective-c".split())
_WITH_PATTERNS: Final = frozenset(("javascript", "typescript"))
_OTHER_CODE: Final = re.compile(r"[;{}]")
_PATTERN: Final = re.compile(r"\b(?:const|let|var)\Z")
_TURN: Final = re.compile(r"[()\[\]{}:;=\n]")


HeadKind = Literal["heading", "import", "declaration"]


class Head(NamedTuple):
    """A heading, an import, or a declaration up to its body.

    Attributes:
        start: offset of the first character that is no indentation.
        end: offset behind the last character.
        text: its lines as they stand, with the indentation of the first.
        kind: what it is.
    """

    start: int
    end: int
    text: str
    kind: HeadKind


def heads_of(content: str, code: str, language: str) -> Iterator[Head]:
    """Yield the heads of `content` in order.

    Args:
        content: program or prose.
        code: the same with spaces for comments and strings.
        language: in lower case.
    """
    found = _headings if language in PROSE else _declarations
    code = " \n" + code[1:] if content.startswith("\ufeff") else "\n" + code
    return found(content, code, language)


# In what follows, `code` has a line break in front, so that every line of it begins with one: its
# offsets are those of the content and one.


def _headings(content: str, code: str, language: str) -> Iterator[Head]:
    for found in _heading_pattern(language).finditer(code):
        end = code.find("\n", found.end())
        heading = content[found.start() : len(content) if end < 0 else end - 1]
        heading = heading[:LONGEST_HEAD].rstrip()
        yield Head(found.start(), found.start() + len(heading), heading, "heading")


def _declarations(content: str, code: str, language: str) -> Iterator[Head]:
    pattern, at = _declaration_pattern(language), 0
    while found := pattern.search(code, at):
        line = found.start() + 1
        begin = line + _indent(code, line, found.end())
        head = _head(
            code, begin, language, in_braces=found["import"] is not None or language in _EXPANDED
        )
        if found["import"] is not None or _declares(found, code[begin : head.end], head, language):
            at = max(found.end(), head.end)
            kind: HeadKind = "declaration" if found["import"] is None else "import"
            end = head.end - 1
            if language == "sql" and (body := _SQL_BODY.search(content, begin - 1, end)):
                end = body.start()
            yield _head_of(content, line - 1, begin - 1, end, kind)
        else:
            at = max(found.end(), head.seen)  # there is nothing to declare inside of a call


def declaration_at(content: str, code: str, start: int, language: str) -> Head:
    """Return the head of the declaration whose first line, or more, begins at `start`.

    It is the whole line, unless other code stands before it there.

    Args:
        content: the text.
        code: the same with spaces for comments and strings.
        start: offset of its first character.
        language: in lower case.
    """
    line = code.rfind("\n", 0, start) + 1
    if not _OTHER_CODE.search(code, line, start):
        start = line + _indent(code, line, start)
    end = _head("\n" + code[start : start + LONGEST_HEAD], 1, language, in_braces=False).end - 1
    return _head_of(content, line, start, start + end, "declaration")


def _head_of(content: str, line: int, start: int, end: int, kind: HeadKind) -> Head:
    text = content[start:end].rstrip()
    indent = content[line:start]  # or other code, or the end of a comment
    return Head(start, start + len(text), (indent if indent.isspace() else "") + text, kind)


def _indent(code: str, start: int, end: int) -> int:
    return len(code[start:end]) - len(code[start:end].lstrip(" \t"))


class _Head(NamedTuple):
    """The head of what may be a declaration.

    Attributes:
        end: where it ends.
        closer: what ends it: ":", ";", a line break, or the brace that opens its body; "(" for a
            brace inside brackets, "" where nothing does.
        assigns: whether a value is assigned in it.
        seen: how far was looked.
    """

    end: int
    closer: str
    assigns: bool
    seen: int


def _head(code: str, start: int, language: str, *, in_braces: bool) -> _Head:
    """Return the head that begins at `start`, up to its body or the end of its line.

    Args:
        code: the text without comments and strings.
        start: offset of its first character.
        language: tells whether a colon ends it.
        in_braces: whether braces hold a part of it, as in an import, and not its body.
    """
    depth, assigns, limit = 0, False, min(len(code), start + LONGEST_HEAD)
    for turn in _TURN.finditer(code, start, limit):
        mark, at = turn[0], turn.start()
        if mark in "([" or (mark == "{" and (in_braces or not _is_body(code, at, depth, language))):
            depth += 1
        elif depth and mark in ")]}":
            depth -= 1
        elif mark == "=":
            assigns = assigns or not depth
        elif mark == "\n" and language in _CONTINUED and code.endswith(_GOES_ON, at - 2, at):
            continue
        elif mark == "\n" and (assigns or not depth):
            return _Head(at, "{" if _BRACE_NEXT.match(code, at) else mark, assigns, at)
        elif mark == "{" or (mark in "};" and not depth):
            return _Head(at, "(" if depth else mark, assigns, at)
        elif mark == ":" and not depth and language in _WITH_COLONS:
            return _Head(at + 1, mark, assigns, at)
    line_end = code.find("\n", start, limit)
    return _Head(limit if line_end < 0 else line_end, "", assigns, limit)


def _is_body(code: str, at: int, depth: int, language: str) -> bool:
    """Return whether a brace opens a body, not an object or a pattern for one."""
    before = code[max(0, at - 80) : at].rstrip()
    if depth:
        return before.endswith((")", ">"))  # that of a function which is an argument
    return language not in _WITH_PATTERNS or not _PATTERN.search(before)


def _declares(found: re.Match[str], text: str, head: _Head, language: str) -> bool:
    """Return whether a line that looks like a declaration is one, told by its end."""
    if _ONE_WORD.fullmatch(text) and language not in _WITH_LABELS:
        return False  # nobody could ask for it
    if found["method"] is None:
        is_local = found["top"] is None and language in _LOCAL_STRUCTS
        return head.closer == "{" or not is_local
    if head.assigns or head.closer not in ("{", ";"):
        return False
    if head.closer == "{":
        return True
    if language in ("java", "csharp"):
        return _TYPED_BEFORE.search(text) is not None
    return language == "typescript" and _TYPED_BEHIND.search(text) is not None


@lru_cache(maxsize=64)
def _heading_pattern(language: str) -> re.Pattern[str]:
    return re.compile(_OWN[language]) if language in _OWN else structure_of(language).section


@lru_cache(maxsize=64)
def _declaration_pattern(language: str) -> re.Pattern[str]:
    imports = _IMPORTS_OF.get(language, "(?!)")
    method = _METHOD if language in _WITH_METHODS else "(?!)"
    section = _OWN.get(language) or structure_of(language).section.pattern
    return re.compile(rf"\n[ \t]*(?P<import>{imports})|{section}|\n(?P<method>{method})")
