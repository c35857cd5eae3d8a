"""The code in a text: everything but its comments and strings, each character where it was.

Comments and strings are found by what opens and closes them, as a lexer does. One that is never
closed reaches to the end of its line, or of the text where it may hold lines. Where comments may
stand inside of comments, they do so three deep.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import Final

_HASH: Final = r"#[^\n]*"
_SLASHES: Final = r"//[^\n]*"
_DASHES: Final = r"--[^\n]*"
_STARS: Final = r"/\*[\s\S]*?(?:\*/|\Z)"
_C: Final = rf"{_SLASHES}|{_STARS}"


def _nested(opener: str, closer: str) -> str:
    """Return a pattern for comments that may hold comments. Each level takes linear time."""
    text = rf"(?:(?!{opener}|{closer})[\s\S])*+"
    pattern = rf"{opener}{text}{closer}"
    for _ in range(2):
        pattern = rf"{opener}{text}(?:{pattern}{text})*+{closer}"
    return rf"{pattern}|{opener}[\s\S]*?(?:{closer}|\Z)"


_C_NESTED: Final = rf"{_SLASHES}|{_nested(r'/[*]', r'[*]/')}"
_NIM: Final = _nested(r"[#]\[", r"\][#]")
_ML: Final = _nested(r"[(][*]", r"[*][)]")
_DOUBLE: Final = r'"(?:[^"\\\n]++|\\[\s\S])*+"?'
_SINGLE: Final = r"'(?:[^'\\\n]++|\\[\s\S])*+'?"
_DOUBLE_LINES: Final = r'"(?:[^"\\]++|\\[\s\S])*+"?'
_CHARACTER: Final = r"'(?:\\[^\n]{1,10}?|[^'\\\n])'"
_TRIPLE_DOUBLE: Final = r'"""(?:[^"\\]++|\\[\s\S]|"(?!""))*+(?:""")?'
_TRIPLE_SINGLE: Final = r"'''(?:[^'\\]++|\\[\s\S]|'(?!''))*+(?:''')?"
_LINE_DOUBLE: Final = r'"[^"\n]*+"?'
_SINGLE_RAW: Final = r"'[^'\n]*+'?"
_TRIPLE_SINGLE_RAW: Final = r"'''[\s\S]*?(?:'''(?!')|\Z)"
_RAW_TRIPLE: Final = r'"""[\s\S]*?(?:"""(?!")|\Z)'
_BACKTICK: Final = r"`(?:[^`\\]++|\\[\s\S])*+`?"
_RAW_BACKTICK: Final = r"`[^`]*+`?"
_REGEX: Final = (  # only where a value may begin is a slash no division
    r"(?:(?<=[(,=:\[!&|?{};+\n])|(?<=[(,=:\[!&|?{};+>][ ])|(?<=\breturn[ ]))"
    r"/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,80}+\]){1,400}+/"
)
_QUOTES: Final = rf"{_DOUBLE}|{_SINGLE}"

# languages: their comments and strings. A group "tag" names the line that ends a here-document.
_TOKENS: Final = {
    "python cython starlark": rf"{_HASH}|{_TRIPLE_DOUBLE}|{_TRIPLE_SINGLE}|{_QUOTES}",
    "javascript typescript": rf"{_C}|{_REGEX}|{_BACKTICK}|{_QUOTES}",
    "java": rf"{_C}|{_TRIPLE_DOUBLE}|{_DOUBLE}|{_CHARACTER}",
    "kotlin scala": rf"{_C_NESTED}|{_RAW_TRIPLE}|{_DOUBLE}|{_CHARACTER}",
    "groovy": rf"{_C}|{_TRIPLE_DOUBLE}|{_TRIPLE_SINGLE}|{_QUOTES}",
    "dart": rf"{_C_NESTED}|{_TRIPLE_DOUBLE}|{_TRIPLE_SINGLE}|{_QUOTES}",
    "swift": rf"{_C_NESTED}|{_TRIPLE_DOUBLE}|{_DOUBLE}",
    "csharp": rf'{_C}|{_RAW_TRIPLE}|(?:@\$?|\$@)"(?:[^"]++|"")*+"?|{_DOUBLE}|{_CHARACTER}',
    "go": rf"{_C}|{_RAW_BACKTICK}|{_DOUBLE}|{_CHARACTER}",
    "rust": rf"{_C_NESTED}|{_DOUBLE_LINES}|{_CHARACTER}"
    r'|\br(?P<hashes>\#++)"[\s\S]*?(?:"(?P=hashes)|\Z)',
    "zig": rf"{_SLASHES}|\\\\[^\n]*|{_DOUBLE}|{_CHARACTER}",
    "c cuda objective-c": rf"{_C}|{_DOUBLE}|{_CHARACTER}",
    "cpp": rf'{_C}|R"(?P<tail>[^()\\\s"]{{0,16}})\([\s\S]*?(?:\)(?P=tail)"|\Z)|{_DOUBLE}'
    rf"|{_CHARACTER}",
    "solidity protobuf scss less": rf"{_C}|{_QUOTES}",
    "css": rf"{_STARS}|{_QUOTES}",
    "toml": rf"{_HASH}|{_TRIPLE_DOUBLE}|{_TRIPLE_SINGLE_RAW}|{_DOUBLE}|{_SINGLE_RAW}",
    "thrift": rf"{_C}|{_HASH}|{_QUOTES}",
    "graphql": rf"{_HASH}|{_TRIPLE_DOUBLE}|{_DOUBLE}",
    "php": rf"{_C}|\#(?!\[)[^\n]*|<<<[ \t]*[\"']?(?P<tag>[A-Za-z_]\w*)[\"']?|{_QUOTES}",
    "ruby crystal": r"^=begin\b[\s\S]*?(?:^=end\b[^\n]*|\Z)|^__END__[\s\S]*"
    rf"|<<[~-]?[\"'`]?(?P<tag>[A-Z_]\w*)[\"'`]?|{_HASH}|{_QUOTES}",
    "elixir": rf"{_HASH}|{_TRIPLE_DOUBLE}|{_TRIPLE_SINGLE}|{_DOUBLE}",
    "julia": rf"{_nested('[#]=', '=[#]')}|{_HASH}|{_TRIPLE_DOUBLE}|{_DOUBLE}",
    "lua": r"(?:--)?\[(?P<level>=*)\[[\s\S]*?(?:\](?P=level)\]|\Z)"
    rf"|{_DASHES}|{_QUOTES}",
    "perl": r"^=[a-z]\w*[\s\S]*?(?:^=cut\b[^\n]*|\Z)|^__(?:END|DATA)__[\s\S]*"
    rf"|<<~?[\"']?(?P<tag>[A-Z_]\w*)[\"']?|(?<!\$){_HASH}|{_QUOTES}",
    "powershell": rf"<\#[\s\S]*?(?:\#>|\Z)|{_HASH}|@\"\n[\s\S]*?(?:\n\"@|\Z)"
    rf"|@'\n[\s\S]*?(?:\n'@|\Z)|{_QUOTES}",
    "shell": r"(?<![^\s;&|()])\#[^\n]*|\\[\s\S]|(?<!<)<<-?[ \t]*[\"'\\]?(?P<tag>\w+)[\"']?"
    rf"|{_DOUBLE_LINES}|\$'(?:[^'\\]++|\\[\s\S])*+'?|'[^']*+'?",
    "r": rf"{_HASH}|{_QUOTES}",
    "nim": rf"{_NIM}|{_HASH}|{_RAW_TRIPLE}|{_DOUBLE}",
    "sql": rf"{_DASHES}|{_STARS}|\$(?P<dollar>(?:[A-Za-z_]\w*)?)\$[\s\S]*?(?:\$(?P=dollar)\$|\Z)"
    r"|'\\'(?=[\s;,)])|'(?:[^'\\]++|\\[\s\S]|'')*+'?|\"[^\"\n]*+\"?|`[^`\n]*+`?",
    "haskell elm": rf"{_nested('[{]-', '-[}]')}|{_DASHES}|{_DOUBLE}",
    "ocaml": rf"{_ML}|{_DOUBLE_LINES}|{_CHARACTER}",
    "fsharp": rf"{_ML}|{_SLASHES}|{_RAW_TRIPLE}|{_DOUBLE_LINES}|{_CHARACTER}",
    "yaml": r"(?<!\S)\#[^\n]*|(?:(?<=[:,?\[{-][ ])|(?<=[\[{\n]))"
    rf"(?:{_DOUBLE_LINES}|'(?:[^']++|'')*+'?)",
    "fortran": r"^(?:[*]|[cC](?:[ \t]+[A-Za-z][^\n=(]*)?$)[^\n]*|![^\n]*"
    rf"|{_LINE_DOUBLE}|{_SINGLE_RAW}",
    "hcl": rf"{_HASH}|{_C}|<<[-~]?(?P<tag>[A-Za-z_]\w*)|{_DOUBLE}",
    "makefile": rf"(?<!\\){_HASH}",
    "dockerfile": rf"^[ \t]*{_HASH}|(?<!<)<<-?[\"']?(?P<tag>[A-Za-z_]\w*)[\"']?",
    "xml": r"<!--[\s\S]*?(?:-->|\Z)|<!\[CDATA\[[\s\S]*?(?:\]\]>|\Z)",
    # Of prose: what is no text of its own.
    "html": r"<!--[\s\S]*?(?:-->|\Z)"
    r"|(?i:<(?P<raw>script|style|template|pre|textarea|svg)\b[\s\S]*?(?:</(?P=raw)>|\Z))",
    "markdown": r"\A---[ \t]*\n[\s\S]*?\n---[ \t]*$|<!--[\s\S]*?(?:-->|\Z)"
    r"|^[ ]{0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*\n[\s\S]*?(?:^[ ]{0,3}(?P=fence)[`~]*[ \t\r]*$|\Z)",
    "restructuredtext": r"^\.\.[ ][^\n]*(?:\n(?:[ \t][^\n]*)?(?=\n|\Z))*+",
    "org": r"(?i:^[ \t]*\#\+begin_(?P<block>\w+)[\s\S]*?(?:^[ \t]*\#\+end_(?P=block)|\Z))"
    r"|^\#[ ][^\n]*",
    "mediawiki": r"<!--[\s\S]*?(?:-->|\Z)",
    "asciidoc": r"^(?P<rule>-{4,}+|\.{4,}+|/{4,}+)[ \t]*\n[\s\S]*?(?:^(?P=rule)[ \t]*$|\Z)"
    r"|^//[^\n]*",
    "latex": r"(?<!\\)%[^\n]*|\\begin\{(?P<verbatim>verbatim|lstlisting|comment)\}[\s\S]*?"
    r"(?:\\end\{(?P=verbatim)\}|\Z)",
}
_BY_LANGUAGE: Final = {name: token for names, token in _TOKENS.items() for name in names.split()}


def code_only(text: str, language: str) -> str | None:
    """Return `text` with spaces for comments and strings; None where these are not known.

    Line breaks in comments and strings become spaces too, so that a line of the result is a line
    of code. Its length is that of `text`.
    """
    if language not in _BY_LANGUAGE:
        return None
    pattern, parts, at = _pattern(language), list[str](), 0
    lines: _Lines | None = None
    while token := pattern.search(text, at):
        end = token.end()
        if token.lastgroup == "tag":
            lines = lines or _Lines(text)
            end = lines.end_of(token["tag"], end)
        parts += text[at : token.start()], " " * (end - token.start())
        at = end
    return "".join(parts) + text[at:]


class _Lines:
    """Where the lines of a text that hold one word end, by the word."""

    def __init__(self, text: str) -> None:
        self._ends: dict[str, list[int]] = {}
        for line in _WORD_LINE.finditer(text):
            self._ends.setdefault(line[1], []).append(line.end())

    def end_of(self, word: str, start: int) -> int:
        """Return the end of the first line behind `start` that is `word`, or `start`."""
        ends = self._ends.get(word, [])
        found = bisect_left(ends, start + len(word))
        return ends[found] if found < len(ends) else start


_WORD_LINE: Final = re.compile(r"(?m)^[ \t]*(\w+)(?=[\r;,)]*$)")


@lru_cache(maxsize=64)
def _pattern(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?m)\A\ufeff|{_BY_LANGUAGE[language]}")
