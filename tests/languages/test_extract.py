"""Extracts: what declares is found, what only looks like it is not, in time linear in the text."""

from __future__ import annotations

import ast
import asyncio
import re
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.languages import CUT_MARK, LANGUAGES, structural_extract
from orchestrator_context.languages.masking import code_only
from tests.linear import assert_linear, repeating

ANY_TEXT = st.text(st.characters(codec=None, categories=None))
MARKS = st.sampled_from(
    [
        *("def f(", "class A", "import x", "# T", "==", "{", "}", "(", ")", ";", ":", "=", " "),
        *("'", '"', '"""', "'''", "`", "```", "/*", "*/", "//", "--", "<<EOF", "EOF", 'r#"'),
        *("=begin", "{-", "<!--", "$", "[[", ".. x", "#+begin_src", "\\", "\n", "\r\n", "\ufeff"),
    ]
)
CODE_LIKE = st.lists(MARKS | st.text(max_size=5), max_size=60).map("".join)
FILL = {  # what makes a text long enough, by the language
    "markdown": "text\n" * 120,
    "restructuredtext": "text\n\n" * 120,
    "latex": "text\n" * 120,
    "org": "text\n" * 120,
}

PYTHON = '''\
"""Pumps.

import nothing
def not_this(): ...
"""
from os import (
    path,
    sep,
)
@cache
def start(
    rate: dict[str, int] = {"a): x": 1},  # a comment (
    *names: str,
) -> list[str]:
    """Start.

    class NotThis:
    """
    import late
    async def inner(): return f"def no(): {names}"
    return []
class Pump(Base, metaclass=Meta): pass
x = r"\\\\" ; text = """
def not_that(): ...
"""
if True:
    class Nested[T]:
        def method(self): ...
'''
PYTHON_EXTRACT = """\
from os import (
    path,
    sep,
)
@cache
def start(
    rate: dict[str, int] = {"a): x": 1},  # a comment (
    *names: str,
) -> list[str]:
    import late
    async def inner():
class Pump(Base, metaclass=Meta):
    class Nested[T]:
        def method(self):"""


def long(text: str, language: str) -> str:
    """Return `text` with enough behind it not to be returned whole."""
    return text + "\n" + FILL.get(language, "x\n" * 300)


def extracted(text: str, language: str) -> list[str]:
    return structural_extract(long(text, language), language).split("\n")


def test_python() -> None:
    assert "\n".join(extracted(PYTHON, "python")) == PYTHON_EXTRACT
    windows = structural_extract(long(PYTHON, "python").replace("\n", "\r\n"), "Python")
    assert windows.replace("\r\n", "\n") == PYTHON_EXTRACT


@pytest.mark.parametrize("file", sorted(Path(asyncio.__file__).parent.glob("*.py")), ids=str)
def test_python_has_the_declarations_that_its_own_parser_finds(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    nodes = (node for node in ast.walk(ast.parse(text)))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    declared = sorted((node.lineno, node.name) for node in nodes if isinstance(node, kinds))
    extract = structural_extract(text, "python")
    found = re.findall(r"(?m)^[ ]*(?:async def|def|class) (\w+)", extract)
    names = [name for _, name in declared]
    assert found == names[: len(found)]
    assert len(found) == len(names) or extract.endswith(CUT_MARK) or len(text) < 512


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "typescript",
            "import { a,\n  b } from './x'\nexport * from 'y'\nconst { c } = require('c')\n"
            "export class Pump<T> extends Base {\n  private rate = 1\n  start(at: number): void {\n"
            "    if (at > 1) {\n      run(at);\n    }\n    for (const x of y) { run(x) }\n"
            "    const note = `\n  function no() {\n`\n  }\n  async #stop({ hard }, force) {\n  }\n"
            "}\n/*\nfunction no() {}\n*/\nexport interface Valve {\n  open(): Promise<void>;\n}\n"
            "const quotes = /[`'\"]/\nexport const run = async ({ a }: Props) => {\n}\n"
            "export default function main() { return 1 }",
            "import { a,\n  b } from './x'|export * from 'y'|const { c } = require('c')|"
            "export class Pump<T> extends Base|  start(at: number): void|"
            "  async #stop({ hard }, force)|export interface Valve|  open(): Promise<void>|"
            "const quotes = /[`'\"]/|export const run = async ({ a }: Props) =>|"
            "export default function main()",
        ),
        (
            "java",
            "package a.b;\nimport java.util.List;\n/** class No {} */\npublic class Pump {\n"
            "  void start(int a,\n             int b) {\n    return run(a);\n  }\n"
            "  interface Valve {\n    List<String> names(int x);\n  }\n"
            '  String s = """\n  class No {\n  """;\n  public Pump() {\n    super(1);\n'
            "    if (a) {\n    }\n    new Thread() {\n    };\n    open(a);\n  }\n}",
            "package a.b|import java.util.List|public class Pump|"
            "  void start(int a,\n             int b)|  interface Valve|"
            "    List<String> names(int x)|  public Pump()",
        ),
        (
            "csharp",
            "using System.Text;\nnamespace A\n{\n  class Pump\n  {\n    int Rate(int x)\n    {\n"
            '      using (var a = b())\n      {\n      }\n      var s = @"\n  class No\n";\n    }\n'
            "  }\n}",
            "using System.Text|namespace A|  class Pump|    int Rate(int x)",
        ),
        (
            "cpp",
            '#include "a.h"\nusing namespace std;\ntemplate <typename T>\nclass Pump : Base {\n'
            "  Pump(int a) : a_(a) {\n    Valve v(a);\n    struct tm *t = now();\n  }\n};\n"
            'int Pump::rate(int x) const {\n  const char *s = R"(\nint no(int x) {\n)";\n}\n',
            '#include "a.h"|using namespace std|template <typename T>|class Pump : Base|'
            "  Pump(int a) : a_(a)|int Pump::rate(int x) const",
        ),
        (
            "go",
            'package main\nimport (\n\t"fmt"\n)\n// func no() {}\ntype Pump struct {\n\tx int\n}\n'
            "func (p *Pump) Start(f func() int) error {\n\ts := `\nfunc no() {\n`\n}",
            'package main|import (\n\t"fmt"\n)|type Pump struct|'
            "func (p *Pump) Start(f func() int) error",
        ),
        (
            "rust",
            "use std::{fmt,\n  io};\npub(crate) struct Pump<'a> { x: &'a str }\n"
            "impl<'a> Pump<'a> {\n"
            '  pub async fn start(&self, c: char) -> bool {\n    let s = r#"\nfn no() {}\n"#;\n'
            "    c == '\"'\n  }\n}\n/* fn no() {} */\nmacro_rules! pump { }",
            "use std::{fmt,\n  io}|pub(crate) struct Pump<'a>|impl<'a> Pump<'a>|"
            "  pub async fn start(&self, c: char) -> bool|macro_rules! pump",
        ),
        (
            "ruby",
            "require 'set'\nmodule A\n  class Pump < Base\n    def start(a, b: 1)\n"
            "      text = <<~EOS\n        def no\n      EOS\n      say('# no')\n    end\n  end\n"
            "end\n=begin\ndef no\n=end\n",
            "require 'set'|module A|  class Pump < Base|    def start(a, b: 1)",
        ),
        (
            "shell",
            ". ./lib.sh\nstart() {\n  cat <<'EOF'\nno() {\n  it's\nEOF\n}\nfunction stop {\n"
            "  awk '\nfunction no(x) { }\n'\n}\nlast() { :; }",
            ". ./lib.sh|start()|function stop|last()",
        ),
        (
            "php",
            "<?php\nnamespace A;\nuse B\\C;\nclass Pump extends Base {\n"
            "  public function start(array $a = []): int {\n    $s = <<<EOT\nfunction no() {\nEOT;"
            "\n  }\n}\n# function no() {}",
            "namespace A|use B\\C|class Pump extends Base|"
            "  public function start(array $a = []): int",
        ),
        (
            "lua",
            "local x = require 'x'\n--[[\nfunction no()\n]]\nlocal function start(a)\nend\n"
            "s = [==[\nfunction no()\n]==]\nfunction Pump:stop()\nend",
            "local x = require 'x'|local function start(a)|function Pump:stop()",
        ),
        (
            "kotlin",
            "package a\nimport b.C\ndata class Pump(\n  val a: Int,\n)\nfun start(x: Int): Int {\n"
            '  val s = """\nfun no() {\n"""\n}\ninterface Valve {\n  suspend fun open()\n}',
            "package a|import b.C|data class Pump(\n  val a: Int,\n)|fun start(x: Int): Int|"
            "interface Valve|  suspend fun open()",
        ),
        (
            "markdown",
            "---\ntitle: no\n---\n# Pumps #\n\n```sh\n# no\n```\n\nValves\n======\n\n"
            "<!--\n# no\n-->\n~~~~\n# no\n```\n~~~~\n### Seals",
            "# Pumps #|Valves\n======|### Seals",
        ),
        (
            "restructuredtext",
            "=====\nPumps\n=====\n\ntext\n\n.. code-block:: sh\n\n   No\n   ==\n\nValves\n------\n",
            "=====\nPumps\n=====|Valves\n------",
        ),
        (
            "latex",
            "\\section{Pumps}\n% \\section{no}\n\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\n"
            "\\subsection*{Valves}",
            "\\section{Pumps}|\\subsection*{Valves}",
        ),
        ("org", "* Pumps\n#+BEGIN_SRC sh\n* no\n#+END_SRC\n** Valves", "* Pumps|** Valves"),
    ],
    ids=lambda value: value if isinstance(value, str) and value in LANGUAGES else "",
)
def test_what_is_found(language: str, text: str, expected: str) -> None:
    assert extracted(text, language) == expected.replace("|", "\n").split("\n")


@pytest.mark.parametrize("language", [None, "", "json", "csv", "nobody-knows"])
def test_of_an_unknown_language_nothing_is_told(language: str | None) -> None:
    assert structural_extract("def f(): ...\n" * 100, language) == ""


@pytest.mark.parametrize("language", [None, "python", "json"])
def test_a_small_text_stands_for_itself(language: str | None) -> None:
    assert structural_extract("x" * 512, language) == "x" * 512
    assert structural_extract("é" * 256, language) == "é" * 256
    assert structural_extract("é" * 256 + "x", language) == ""


def test_a_long_extract_is_cut_and_says_so() -> None:
    heads = [f"def function_{number}():" for number in range(2_000)]
    extract = structural_extract("\n".join(f"{head} ..." for head in heads), "python")
    *kept, last = extract.split("\n")
    assert kept == heads[: len(kept)]
    assert last == CUT_MARK
    assert 11_900 < len(extract) <= 12_000


def test_a_head_that_never_ends_is_its_first_line() -> None:
    broken = "def f(\n" + "  a,\n" * 2_000 + "def g(): ...\n"
    assert structural_extract(broken, "python") == "def f(\ndef g():"
    assert len(structural_extract("def f(" + "a, " * 20_000, "python")) <= 2_000


def test_a_byte_order_mark_hides_nothing() -> None:
    assert extracted("\ufeffimport os", "python") == ["import os"]
    assert extracted("\ufeff# Pumps", "markdown") == ["# Pumps"]


KNOWN = sorted(language for language in LANGUAGES if code_only("", language) is not None)


def test_many_languages_are_known() -> None:
    assert len(KNOWN) >= 40


@given(ANY_TEXT | CODE_LIKE, st.sampled_from(KNOWN))
def test_masking_keeps_every_place(text: str, language: str) -> None:
    code = code_only(text, language)
    assert code is not None
    assert len(code) == len(text)
    assert all(new in (" ", old) for new, old in zip(code, text, strict=True))


@given(CODE_LIKE, st.sampled_from(KNOWN))
def test_an_extract_is_made_of_the_lines_of_its_text(text: str, language: str) -> None:
    text = text + "\n" + "\n" * 600
    at = 0
    for line in structural_extract(text, language).split("\n"):
        found = text.find(line, at)
        assert found >= at or line == CUT_MARK
        at = found + len(line)


@pytest.mark.parametrize(
    "piece",
    [
        *("def f(\n", " a(\n", " int a(", "(/[", '"', "'''", "`", "/*", "<<EOF\n", "=begin\n"),
        *("x", "{", "\\", "```\n", ".. a\n", "=== a\n", "[==[", "a\n---", "<!--", " a b(c\n);"),
        *("$a$", "create table a (\n", "'\\'", "fun <a<"),
    ],
)
def test_it_takes_linear_time(piece: str) -> None:
    for language in KNOWN:
        run = partial(structural_extract, language=language)
        # Some do quadratic work within a bound: look back a few thousand characters, or parse up to
        # 256 kB of garbage with a grammar that tries all ways, as that of the shell does.
        assert_linear(run, repeating(piece), small=2_000, factor=8)
