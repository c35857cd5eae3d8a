"""What the files of a corpus import from each other, by name."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from orchestrator_context import checks
from orchestrator_context.languages import language_name

# Runs of blanks are possessive, so that long ones take linear time.
_QUOTED: Final = r"[<\"'`]([^<>\"'`\n]{1,400})[>\"'`]"
_REST: Final = r"([^\n;#]{1,400})"

# languages: import statements; what a group holds names what is imported
_STATEMENTS: Final = {
    "python cython": r"^[ \t]*+from[ \t]++"
    r"([\w.]++[ \t]++c?import[ \t]*+(?:\([^()]{0,8000}\)|[^\n;#]{1,400}))"
    rf"|^[ \t]*+c?import[ \t]++{_REST}",
    "starlark": rf"^load\([ \t\n]*+{_QUOTED}",
    "javascript typescript vue svelte astro": r"\b(?:from|import|require)[ \t]*+"
    rf"(?:\([ \t]*+)?{_QUOTED}",
    "c cpp cuda objective-c": rf"^[ \t]*+#[ \t]*+(?:include|import)[ \t]*+{_QUOTED}"
    rf"|^[ \t]*+@?import[ \t]++([\w.:]+);",
    "glsl wgsl": rf"^[ \t]*+#[ \t]*+include[ \t]*+{_QUOTED}",
    "java kotlin scala groovy swift haskell elm nim": rf"^[ \t]*+@?import[ \t]++{_REST}",
    "csharp vbnet": r"^[ \t]*+(?:global[ \t]++)?(?:using|Imports)[ \t]++([\w.= \t]{1,400})(?=;|$)",
    "go": rf"^import[ \t]++(?:[\w.]+[ \t]++)?{_QUOTED}|^import[ \t]*+\(([^()]{{0,8000}})\)",
    "rust": r"^[ \t]*+(?:pub(?:\([^)\n]{0,40}\))?[ \t]++)?"
    r"(?:use[ \t]++([^;]{1,2000});|(?:mod|extern[ \t]++crate)[ \t]++(\w+)[^\n;{]{0,100};)",
    "php": r"^[ \t]*+use[ \t]++([^;(]{1,2000});"
    rf"|\b(?:require|include)(?:_once)?\b[^;\n\"']{{0,200}}{_QUOTED}",
    "ruby crystal": rf"^[ \t]*+(?:require|require_relative|load)[ \t(]+{_QUOTED}",
    "elixir": rf"^[ \t]*+(?:alias|import|use|require)[ \t]++{_REST}",
    "lua": rf"\brequire[ \t]*+\(?[ \t]*+{_QUOTED}",
    "perl": rf"^[ \t]*+(?:use|require)[ \t]++{_REST}",
    "julia": rf"^[ \t]*+(?:using|import)[ \t]++{_REST}|\binclude\([ \t]*+{_QUOTED}",
    "r": rf"\b(?:library|require)\([ \t]*+[\"']?([\w.]+)|\bsource\([ \t]*+{_QUOTED}",
    "shell": rf"^[ \t]*+(?:source|\.)[ \t]++{_REST}",
    "powershell": rf"(?i:^[ \t]*+(?:using[ \t]++module|import-module|\.)[ \t]++{_REST})",
    "dart": rf"^[ \t]*+(?:import|export|part)[ \t]++(?:of[ \t]++)?{_QUOTED}",
    "protobuf thrift solidity": rf"^[ \t]*+(?:import|include)\b[^\n\"';]{{0,400}}{_QUOTED}",
    "graphql": rf"^#[ \t]*+import\b[^\n\"']{{0,200}}{_QUOTED}",
    "ocaml fsharp": r"^[ \t]*+(?:open|include)!?[ \t]++([\w.]+)",
    "erlang prolog": r"^(?:-include(?:_lib)?|:-[ \t]*+use_module)\(([^()\n]{1,400})\)?",
    "clojure": r"\((?:require|use|:require|:use)\b([^()]{1,2000})",
    "css scss sass less": rf"@(?:import|use|forward)\b[^;\n\"']{{0,100}}{_QUOTED}",
    "latex": r"\\(?:input|include|usepackage|subfile)(?:\[[^\]\n]{0,200}\])?\{([^}\n]{1,400})\}",
    "fortran": r"(?i:^[ \t]*+use(?:[ \t]*+,[^:\n]{0,80})?(?:[ \t]*+::)?[ \t]++(\w+))",
    "makefile": rf"^[-s]?include[ \t]++{_REST}",
    "cmake": r"\b(?:include|add_subdirectory)\([ \t]*+([^\s()]{1,400})",
}  # fmt: skip
_BY_LANGUAGE: Final = {
    name: statement for names, statement in _STATEMENTS.items() for name in names.split()
}
_STRING: Final = re.compile(r"[\"']([^\"'\n]*)[\"']")
_ALIAS: Final = re.compile(r"\b(?:as|hiding)\s+[\w$(][^,;\n)}]*")
_NAME: Final = re.compile(r"[^\W\d](?:[\w-]*\w)?")
_NOISE: Final = frozenset(
    "cimport crate from import package qualified self static super type".split()
)


def imported_names(content: str, language: str | None) -> tuple[str, ...]:
    """Return the distinct names that a program imports, in small letters, in order.

    They are told by the form of statements, not by a parser: every part of a path or of a dotted
    name is one of them. Linear in the text.

    >>> imported_names("from ..context.rank import score as s", "python")
    ('context', 'rank', 'score')

    Args:
        content: the program.
        language: by any of its usual names; where it is None, or knows no imports, so does this.

    Raises:
        ConfigurationError: an argument is of another type.
    """
    checks.text("content", content)
    pattern = _pattern(language_name(language))
    if pattern is None:
        return ()
    names: dict[str, None] = {}
    for statement in pattern.finditer(content):
        text = statement[statement.lastindex or 0]
        named = " ".join(_STRING.findall(text)) or _ALIAS.sub(" ", text)
        names.update(dict.fromkeys(map(str.casefold, _NAME.findall(named))))
    return tuple(name for name in names if name not in _NOISE)


@lru_cache(maxsize=128)
def _pattern(language: str) -> re.Pattern[str] | None:
    statement = _BY_LANGUAGE.get(language)
    return None if statement is None else re.compile(rf"(?m){statement}")
