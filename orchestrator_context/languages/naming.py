"""What a declaration is called and what it is, told by its signature."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from orchestrator_context.languages.structure import keywords_of

SymbolKind = Literal[
    "class", "constant", "enum", "extension", "function", "heading", "import", "interface",
    "macro", "method", "module", "other", "struct", "type",
]  # fmt: skip

_KINDS: Final[dict[SymbolKind, str]] = {
    "class": "actor class contract object record mixin classdef Class interface_ implementation",
    "constant": "const let static val var",
    "enum": "enum",
    "extension": "extend extension given impl defimpl instance",
    "function": "def cdef cpdef defp fn fun func function Function iterator macro_rules! method"
    " modifier proc procedure rpc sub Sub subroutine test describe filter get set",
    "interface": "concept interface protocol trait service defprotocol",
    "macro": "define defmacro macro macro_rules!",
    "module": "defmodule library module Module namespace package mod",
    "struct": "message struct union exception",
    "type": "type typedef typealias alias data newtype delegate scalar input error event using",
}
_KIND_OF: Final[dict[str, SymbolKind]] = {
    word: kind for kind, words in _KINDS.items() for word in words.split()
}
_MORE: Final = {
    "dart": "get set",
    "go": "const var",
    "javascript": "const let var",
    "rust": "const static type",
    "protobuf": "rpc",
    "c": "define",
    "makefile": "define",
    "cpp": "define using",
    "objective-c": "define interface implementation protocol",
    "solidity": "error",
    "typescript": "const let var",
    "swift": "subscript",
    "kotlin": "val var",
    "scala": "val var",
}
_KINDS_IN_SQL: Final[dict[SymbolKind, str]] = {
    "function": "aggregate function procedure proc trigger",
    "module": "database schema",
    "struct": "table view",
    "type": "domain type",
    "other": "extension index policy role rule sequence synonym user",
}
_KIND_IN_SQL: Final[dict[str, SymbolKind]] = {
    word: kind for kind, words in _KINDS_IN_SQL.items() for word in words.split()
}
_SQL: Final = re.compile(
    rf"(?i)\b({'|'.join(_KIND_IN_SQL)})\s+(?:if\s+(?:not\s+)?exists\s+|concurrently\s+)*"
    r"((?:\"[^\"]*\"|`[^`]*`|\[[^\]]*\]|[^\s();,\"`\[])+)"
)
_FORTRAN_KINDS: Final[dict[str, SymbolKind]] = {
    "function": "function", "subroutine": "function", "type": "struct", "interface": "interface",
}  # fmt: skip
_ROUTINE: Final = re.compile(r"(?i)\b(subroutine|function)\s+(\w+)")
_FORTRAN: Final = re.compile(
    r"(?i)\s*(?:abstract\s+)?(block\s*data|\w+)(?:\s*\([^()]*\)|\s*,[^:\n]*)?\s*(?:::)?\s*(\w+)"
)
_BLOCK: Final = re.compile(r"\s*([\w-]+)\s*(.*)")
_BLOCK_KINDS: Final[dict[str, SymbolKind]] = {
    "data": "struct", "local": "constant", "locals": "constant", "module": "module",
    "output": "constant", "resource": "struct", "variable": "constant",
}  # fmt: skip
_STAGE: Final = re.compile(r"(?i)\s*from\s+(?:--\S+\s+)*(\S+)(?:\s+as\s+(\S+))?")
_INSTRUCTION: Final = re.compile(r"(?i)\s*(?:(?:arg|env)\s+)?([\w-]+)")
_SQL_QUOTES: Final = str.maketrans("", "", '"`[]')
_ASSIGNED_FUNCTION: Final = r"\s*(?:local\s+)?([\w.$\"'\[\]-]+)\s*=\s*function\b"
# languages: what is named without a keyword in front, and what it is
_NAMED: Final[dict[str, tuple[str, SymbolKind]]] = {
    "c cpp cuda objective-c": (r"\s*[-+]\s*\([^()]*\)\s*(\w+)", "method"),
    "elm haskell": (r"\s*([\w']+)\s*::?\s", "function"),
    "javascript lua": (_ASSIGNED_FUNCTION, "function"),
    "scala": (
        r"\s*extension\s*(?:\[[^\[\]]*\]\s*)?\(\s*\w+\s*:\s*([\w.]+)[^()]*\)\s*$",
        "extension",
    ),
    "makefile": (r"(?!define\b)\s*([^:\n]+?)\s*:", "function"),
    "yaml": (r"\s*(?:-\s+)?([^:\n]+):", "other"),
}
_NAMED_IN: Final[dict[str, tuple[re.Pattern[str], SymbolKind]]] = {
    language: (re.compile(pattern), kind)
    for languages, (pattern, kind) in _NAMED.items()
    for language in languages.split()
}
_WITH_TYPES_IN_FRONT: Final = frozenset(("c", "cpp", "cuda", "objective-c"))
TEMPLATE: Final = re.compile(r"template\s*<[^<>]*(?:<[^<>]*>[^<>]*)*>")
_GENERICS: Final = re.compile(r"<[^<>()]*(?:<[^<>()]*>[^<>()]*)*>")
_COMPANION: Final = re.compile(r"\bcompanion\s+object\b(?!\s+\w)")
_CALLED: Final = re.compile(
    r"(?<![\w$#.:!?'~@-])([~@]?[\w$#.:!?'-]*[\w$!?'=])\s*(?:<[^<>()]*>\s*|\[[^\[\]]*\]\s*)?\("
)
_ASSIGNED: Final = re.compile(r"\s*([\w.$\"'-]+)\s*(?:<-|::?|=)")
_WORD: Final = re.compile(r"[\w$#@~.:!?-]*[\w$]")
_ARROW: Final = re.compile(r"=>|\bfunction\b")
_TARGET: Final = re.compile(r"\bfor\s+([\w.:]+)")


def name_and_kind(signature: str, language: str) -> tuple[str, SymbolKind]:
    """Return what a declaration is called, and what it is; its first word where that is unclear."""
    text = _bare(signature, language)
    if language == "sql" and (created := _SQL.search(text)):
        name = created[2].translate(_SQL_QUOTES) or created[2]
        return name, _KIND_IN_SQL[created[1].lower()]
    if language in _READERS and (read := _READERS[language](text)):
        return read
    if language in _NAMED_IN and (named := _NAMED_IN[language][0].match(text)):
        return named[1].strip(), _NAMED_IN[language][1]
    assigned = _ASSIGNED.match(text)
    is_function = "::" in text or ("<-" in text and "function" in text)
    kind: SymbolKind = "function" if is_function else "other"
    if assigned and "<-" in text:
        return assigned[1], kind
    called = _CALLED.search(text)
    keyword = _keyword(language).search(text)
    if keyword and not (called and language in _WITH_TYPES_IN_FRONT and keyword[1] != "define"):
        return _keyworded(text, keyword, language)
    if called:
        return called[1], "function"
    if assigned:
        return assigned[1], kind
    word = _WORD.search(text)
    return (word[0] if word else text.strip()), "other"


def _in_fortran(text: str) -> tuple[str, SymbolKind] | None:
    found = _ROUTINE.search(text) or _FORTRAN.match(text)
    return None if found is None else (found[2], _FORTRAN_KINDS.get(found[1].lower(), "module"))


def _in_hcl(text: str) -> tuple[str, SymbolKind] | None:
    """Return the labels of a block, joined by dots as references join them; else its type."""
    block = _BLOCK.match(text)
    if block is None:
        return None
    labels = ".".join(block[2].translate(_SQL_QUOTES).split())
    return labels or block[1], _BLOCK_KINDS.get(block[1], "other")


def _in_dockerfile(text: str) -> tuple[str, SymbolKind] | None:
    stage = _STAGE.match(text)
    if stage is not None:
        return stage[2] or stage[1], "module"
    found = _INSTRUCTION.match(text)
    return None if found is None else (found[1], "constant" if "=" in text else "other")


_READERS: Final = {"dockerfile": _in_dockerfile, "fortran": _in_fortran, "hcl": _in_hcl}


def _bare(signature: str, language: str) -> str:
    """Return a signature without parameters for types, where they stand before the name."""
    if language == "kotlin":
        return _GENERICS.sub("", _COMPANION.sub("object Companion", signature))
    return TEMPLATE.sub(" ", signature) if language in _WITH_TYPES_IN_FRONT else signature


def _keyworded(text: str, found: re.Match[str], language: str) -> tuple[str, SymbolKind]:
    word, name = found[1], found["name"].strip("`").rstrip(":.,")
    kind: SymbolKind = _KIND_OF.get(word, "other")
    target = _TARGET.search(text) if kind == "extension" else None
    if target:
        name = target[1]
    if kind in ("class", "struct") and re.search(r"\benum\b", text[: found.start()]):
        kind = "enum"
    elif kind == "type" and language == "go" and " interface" in text:
        kind = "interface"
    elif kind == "type" and language == "go" and " struct" in text:
        kind = "struct"
    elif kind == "constant" and _ARROW.search(text):
        kind = "function"
    return name.removeprefix("self."), kind


@lru_cache(maxsize=64)
def _keyword(language: str) -> re.Pattern[str]:
    words = keywords_of(language) | set(_MORE.get(language, "").split())
    choice = "|".join(sorted(map(re.escape, words), key=len, reverse=True)) or "(?!)"
    return re.compile(
        rf"(?<![\w.$])({choice})(?!\w)[ \t]*(?:\([^()]*\)[ \t]*|<[^<>]*>[ \t]*|\*[ \t]*)?[\"']?"
        rf"(?!(?:{choice})[ \t]+[\w$])(?P<name>`[^`\n]+`|[~@]?[\w$#.:!?'-]*[\w$!?=]|\{{[^{{}}]*\}})"
    )


_TAG: Final = re.compile(r"<[^<>]*>")
_SIGNS: Final = re.compile(
    r"^\s*(?:[#=*!]+|<h\d[^>]*>|\\\w+\*?\s*\{)\s*|(?<!\s)\s*+(?:[#=*]+|</h\d>|\})\s*$"
)


def title_of(heading: str, language: str) -> str:
    """Return the words of a heading without its marks."""
    if language == "html":
        return " ".join(_TAG.sub(" ", heading).split()) or heading.strip()
    lines = [line.strip() for line in heading.strip("\ufeff\r\n ").split("\n")]
    titles = [line for line in lines if any(map(str.isalnum, line))]
    return _SIGNS.sub("", titles[0] if titles else lines[0]).strip()
