"""What headings and definitions look like at the start of a line, by language.

The patterns are a guide to good places to cut, not parsers: one that is missed costs a less tidy
cut, never text. Each takes time linear in a line and matches the line break before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar

from orchestrator_context.languages.detect import language_name

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Structure:
    """How the sections of a language begin.

    Attributes:
        section: a line break and the heading or the start of the definition behind it; the group
            "top" takes part where it is of the upper levels.
        markup: whether the text is prose with headings, fenced code blocks and tables. If not,
            comments and decorators right above a definition belong to it.
    """

    section: re.Pattern[str]
    markup: bool = False


_NOTHING: Final = r"(?!)"
_LINE_END: Final = r"[ \t]*\r?(?=\n|\Z)"
_TITLE: Final = r"[^\s|>][^\n]{0,200}\n"
_MODIFIERS: Final = (
    r"(?:(?:@[\w.]+(?:\([^()\n]{0,200}\))?|export|default|declare|pub(?:\([^)\n]{0,40}\))?|public"
    r"|(?:private|protected)(?:\[\w+\])?|internal|fileprivate|static|final|abstract|sealed|open"
    r"|override|virtual|async|partial|data|inline|suspend|unsafe|extern|external|implicit|lazy|case"
    r"|readonly|native|synchronized|mutating|required|companion|inner|annotation|value|expect|actual"
    r"|tailrec|opaque|const|operator|infix|local|indirect|recursive|pure|elemental)[ \t]+){0,6}"
)
_ACCESS: Final = r"(?:public|protected|private|internal)[ \t][^\n;=(]{0,200}\("
_VALUE: Final = rf"{_MODIFIERS}va[lr]\b"
_C_FUNCTION: Final = r"[A-Za-z_][\w:<>,*&~ \t]{2,200}\((?![^\n]{0,300};)"

# languages: keywords that begin a definition at any depth; more at the left margin; more below it
_DEFINITIONS: Final[dict[str, tuple[str, str, str]]] = {
    "python cython": ("def class cdef cpdef", r"if[ \t]+__name__", _NOTHING),
    "starlark": ("def", r"\w+\(", _NOTHING),
    "javascript typescript": (
        "function class interface enum namespace module type",
        r"(?:export|const|let|var|module\.exports|describe|it|test)\b",
        r"(?:(?:public|private|protected|static|async|get|set)[ \t]+)+[\w$#]+[ \t]*\(",
    ),
    "java groovy csharp vbnet": (
        "class interface enum record struct namespace trait delegate Sub Function Class Module",
        _ACCESS,
        _ACCESS,
    ),
    "dart swift": (
        "class interface enum func extension protocol struct mixin init actor typealias",
        _ACCESS,
        _ACCESS,
    ),
    "kotlin": ("class interface enum object fun init typealias", _VALUE, _NOTHING),
    "scala": ("class object trait enum def type given extension", _VALUE, _NOTHING),
    "php": ("function class interface trait enum namespace", _NOTHING, _ACCESS),
    "go": ("func type", r"(?:var|const|import)\b", _NOTHING),
    "rust zig": (
        "fn struct enum impl trait mod macro_rules! union test",
        r"(?:const|type)\b",
        _NOTHING,
    ),
    "c cuda objective-c": (
        "struct union enum typedef",
        rf"{_C_FUNCTION}|[-+][ \t]*\(|@(?:interface|implementation|protocol)",
        _NOTHING,
    ),
    "cpp": ("class struct union enum namespace template concept", _C_FUNCTION, _NOTHING),
    "glsl wgsl": ("struct fn", _C_FUNCTION, _NOTHING),
    "ruby crystal": (
        "def class module",
        r"(?:describe|RSpec|task|namespace)\b",
        r"(?:describe|it)\b",
    ),
    "elixir": ("def defp defmodule defmacro defimpl defprotocol describe test", _NOTHING, _NOTHING),
    "lua": (
        "function",
        r"(?:local[ \t]+)?[\w.]{1,80}(?:\[[^\]\n]{0,80}\])?[ \t]*=[ \t]*function\b",
        _NOTHING,
    ),
    "perl": ("sub package", _NOTHING, _NOTHING),
    "powershell": ("function class filter", _NOTHING, _NOTHING),
    "julia": ("function struct module macro", _NOTHING, _NOTHING),
    "matlab": ("function classdef", _NOTHING, _NOTHING),
    "nim": ("proc func type template macro iterator method", _NOTHING, _NOTHING),
    "fortran ada pascal": (
        "subroutine function program module procedure package type SUBROUTINE FUNCTION PROGRAM",
        _NOTHING,
        _NOTHING,
    ),
    "haskell elm": (
        "data newtype class instance type module",
        r"[a-z_][\w']{0,80}[ \t]*::?(?=[ \t])",
        _NOTHING,
    ),
    "ocaml fsharp": ("let type module exception and val open", _NOTHING, _NOTHING),
    "r": ("", r"[\w.]{1,80}[ \t]*(?:<-|=)[ \t]*function\b", _NOTHING),
    "shell": ("function", r"[\w:.-]{1,80}[ \t]*\(\)", _NOTHING),
    "solidity": ("contract interface library function struct event modifier", _NOTHING, _NOTHING),
    "protobuf thrift": ("message service enum extend struct exception", _NOTHING, r"rpc[ \t]"),
    "graphql": (
        "type input interface union enum scalar schema extend query mutation",
        _NOTHING,
        _NOTHING,
    ),
    "systemverilog vhdl": (
        "module class package function task entity architecture",
        _NOTHING,
        _NOTHING,
    ),
}

# languages: what begins a section of the upper levels; of the lower levels
_SECTIONS: Final[dict[str, tuple[str, str]]] = {
    "latex": (r"\\(?:part|chapter|section)\b", r"\\(?:(?:sub)+section|paragraph|begin)\b"),
    "org": (r"\*{1,2}[ ]", r"\*{3,9}[ ]"),
    "asciidoc": (r"={1,3}[ ]", r"={4,6}[ ]"),
    "mediawiki": (r"={1,2}[^=\n]", r"={3,6}[^=\n]"),
    "html vue svelte astro aspx blade eex ejs erb freemarker gotemplate handlebars jinja jsp liquid"
    " mako razor smarty template twig velocity": (
        r"[ \t]*<(?:h[12]|section|article|main|body|header|footer|nav|script|style|template)\b",
        r"[ \t]*<(?:h[3-6]|div|table|ul|ol|form|p)\b",
    ),
    "xml": (r"[ \t]{0,2}<\w", r"[ \t]{3,4}<\w"),
    "json": (r"[ \t]{0,2}[\"{\[]", r"[ \t]{3,4}[\"{\[]"),
    "yaml": (
        r"[^\s#-][^\n:]{0,100}:(?=[ \t\r\n])|---",
        r"(?:[ ]{2}\w[^\n:]{0,100}:(?=[ \t\r\n])|-[ ])",
    ),
    "toml ini": (r"\[", _NOTHING),
    "makefile": (r"[^\s#:=][^\n:=]{0,200}:(?!=)", _NOTHING),
    "dockerfile": (r"(?i:from)[ \t]", r"(?i:run|copy|env|arg|cmd|entrypoint|workdir)[ \t]"),
    "cmake": (r"\w+[ \t]*\(", _NOTHING),
    "hcl": (r"[a-z]\w*[ \t]+[\"\w{]", r"[ \t]{2}[a-z]\w*[ \t]+(?:\"[^\"\n]{0,80}\"[ \t]*)?\{"),
    "sql": (
        r"(?i:create|alter|drop|insert|update|delete|select|with|grant|begin|declare|merge)\b",
        _NOTHING,
    ),
    "css scss less": (r"[^\s}/*][^\n{};]{0,200}[{,]", r"[ \t]+[^\s}/*][^\n{};]{0,200}\{"),
    "clojure lisp scheme racket": (r"\(", r"[ \t]{1,2}\((?:def|let)"),
    "erlang prolog": (r"-?[a-z]\w*\(", _NOTHING),
    "diff": (r"(?:diff|Index:)[ ]", r"@@[ ]"),
    "gherkin": (r"[ \t]*(?:Feature|Rule)\b", r"[ \t]*(?:Scenario|Background|Examples)\b"),
    "bibtex": (r"@\w+\{", _NOTHING),
}

_MARKDOWN: Final = (
    r"[ ]{0,3}\#{1,2}(?=[ \t\r\n])[^\n]*|<h[12]\b|"
    rf"{_TITLE}[ ]{{0,3}}(?:={{2,}}|-{{2,}}){_LINE_END}",
    r"[ ]{0,3}\#{3,6}(?=[ \t\r\n])[^\n]*|<h[3-6]\b",
)
_RST: Final = (
    r"(?P<over>[=\-`:'\"~^_*+#<>.])(?P=over){2,}[ \t]*\r?\n[^\n]{1,200}\n(?P=over){3,}"
    rf"{_LINE_END}|{_TITLE}(?P<upper>[=#*])(?P=upper){{2,}}{_LINE_END}",
    rf"{_TITLE}(?P<lower>[\-`:'\"~^_+<>.])(?P=lower){{2,}}{_LINE_END}",
)


def _spread(table: dict[str, T]) -> dict[str, T]:
    return {language: value for names, value in table.items() for language in names.split()}


_BY_LANGUAGE: Final = _spread(_SECTIONS)
_CODE: Final = _spread(_DEFINITIONS)


def structure_of(language: str | None) -> Structure:
    """Return the structure of `language`; that of Markdown where it is None or not known."""
    return _structure(language_name(language))


@lru_cache(maxsize=256)
def _structure(language: str) -> Structure:
    if language in _CODE:
        return Structure(_section(*_definition(*_CODE[language])))
    if language in _BY_LANGUAGE:
        return Structure(_section(*_BY_LANGUAGE[language]))
    return Structure(
        _section(*(_RST if language == "restructuredtext" else _MARKDOWN)), markup=True
    )


def keywords_of(language: str) -> frozenset[str]:
    """Return the words that begin a definition in `language`; none where they are not known."""
    return frozenset(_CODE[language][0].split()) if language in _CODE else frozenset()


def _definition(keywords: str, outer: str, inner: str) -> tuple[str, str]:
    words = "|".join(map(re.escape, keywords.split())) or _NOTHING
    start = rf"{_MODIFIERS}(?:{words})(?!\w)(?=[ \t]*[\w$<(\[{{\"'*&@`])"
    return rf"{start}|{outer}", rf"[ \t]+(?:{start}|{inner})"


def _section(top: str, inner: str) -> re.Pattern[str]:
    return re.compile(rf"\n(?:(?P<top>{top})|{inner})")
