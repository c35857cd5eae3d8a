"""Symbols: the same by syntax tree and by the form of lines, where that is promised."""

from __future__ import annotations

import ast
import asyncio
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.languages import LANGUAGES, grammars, structural_extract, structure
from orchestrator_context.languages.grammars import parse
from tests.linear import assert_linear, repeating

ANY_TEXT = st.text(st.characters(codec=None, categories=None))
MARKS = st.sampled_from(
    [
        *("def f(", "class A", "fn x", "# T", "==", "{", "}", "(", ")", ";", ":", "=", " ", "\n"),
        *("'", '"', '"""', "`", "/*", "*/", "//", "<<EOF", "EOF", "=begin", "\\", "\r\n", "\0"),
        *("struct A {", "};", "int f() {", "func (a) b() {", "<?php", "template <", "\ufeff", "é"),
    ]
)
CODE_LIKE = st.lists(MARKS | st.text(max_size=5), max_size=50).map("".join)
LANGUAGE = st.sampled_from(sorted(LANGUAGES))
WITH_GRAMMAR = "csharp go java javascript php ruby rust swift typescript".split()


@pytest.fixture(params=["tree", "form"])
def reading(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Read programs with the extra `code`, and without."""
    if request.param == "form":
        monkeypatch.setattr(grammars, "_grammar", lambda _: None)
    elif not grammars.has_grammar("go"):
        pytest.skip("the extra `code` is not installed")
    return str(request.param)


def told(text: str, language: str) -> str:
    return "\n".join(
        f"{symbol.start_line}-{symbol.end_line} {symbol.kind} {symbol.name}"
        for symbol in structure(text, language)
    )


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "python",
            'import os\n\n@cache\ndef f(\n    a,\n) -> int:\n    """\ndef no(): ...\n"""\n\n'
            "    return 1\n\n\nclass A(B):\n    x = 1\n\n    async def g(self):\n"
            "        def h(): ...\n        return h\n\n# end\n",
            "1-1 import import os\n4-11 function f\n14-19 class A\n17-19 method g\n"
            "18-18 function h",
        ),
        (
            "javascript",
            "import {\n  a,\n} from 'a'\nexport const f = async ({ b }) => {\n  b()\n}\n"
            "export default class A extends B {\n  #x = 1\n  get y() {\n    return 1\n  }\n"
            "  static z() {}\n}\nfunction* g() {\n  const local = 1\n}\nlet n = 1\n",
            "1-3 import import { a, } from 'a'\n4-6 function f\n7-13 class A\n9-11 method y\n"
            "12-12 method z\n14-16 function g\n17-17 constant n",
        ),
        (
            "typescript",
            "export interface A<T> {\n  f(x: T): void;\n}\nenum B { C }\ntype D = string\n"
            "abstract class E {\n  private g(): number {\n    return 1\n  }\n}\n"
            "namespace N {\n  export function h(): void {}\n}\n",
            "1-3 interface A\n2-2 method f\n4-4 enum B\n5-5 type D\n6-10 class E\n"
            "7-9 method g\n11-13 module N\n12-12 function h",
        ),
        (
            "java",
            "package a;\nimport java.util.List;\npublic class A<T> extends B {\n  @Override\n"
            "  public List<T> f(int x) {\n    return g(x);\n  }\n  Abc() {\n  }\n}\n"
            "interface C {\n  void h();\n}\nenum D { E }\nrecord F(int x) {}\n",
            "1-1 import package a\n2-2 import import java.util.List\n3-10 class A\n5-7 method f\n"
            "8-9 method Abc\n11-13 interface C\n12-12 method h\n14-14 enum D\n15-15 class F",
        ),
        (
            "csharp",
            "using System;\nnamespace A\n{\n  public class B : C\n  {\n    public int F(int x)\n"
            "    {\n      return x;\n    }\n  }\n  struct D { }\n}\n",
            "1-1 import using System\n2-12 module A\n4-10 class B\n6-9 method F\n11-11 struct D",
        ),
        (
            "go",
            'package a\n\nimport (\n\t"fmt"\n)\n\ntype A struct {\n\tx int\n}\n\n'
            "type B interface {\n"
            "\tf()\n}\n\nfunc (a *A) F(x int) error {\n\tvar y = 1\n\treturn nil\n}\n\n"
            "func g[T any](x T) {}\n\nconst c = 1\n",
            '1-1 import package a\n3-5 import import ( "fmt" )\n7-9 struct A\n11-13 interface B\n'
            "15-18 function F\n20-20 function g\n22-22 constant c",
        ),
        (
            "rust",
            "use std::fmt;\n\npub struct A<'a> {\n    x: &'a str,\n}\n\n"
            "impl<'a> fmt::Display for A<'a> {\n"
            "    fn fmt(&self) -> bool {\n        true\n    }\n}\n\ntrait B {\n"
            "    fn g(&self);\n}\n"
            "\nenum C { D }\nmod e {\n    pub(crate) async fn h() {}\n}\n",
            "1-1 import use std::fmt\n3-5 struct A\n7-11 extension A\n8-10 method fmt\n"
            "13-15 interface B\n14-14 method g\n17-17 enum C\n18-20 module e\n19-19 function h",
        ),
        (
            "c",
            '#include "a.h"\nstruct a {\n    int x;\n};\nenum b { C };\n'
            "static int *f(struct a *y)\n{\n    return 0;\n}\n",
            '1-1 import #include "a.h"\n2-4 struct a\n5-5 enum b\n6-9 function f',
        ),
        (
            "cpp",
            "#include <a>\nnamespace n {\n  template <typename T>\n  class Abc : public B {\n"
            "   public:\n    Abc(int x) : x_(x) {\n    }\n  };\n}\nint A::f(int x) const {\n"
            "  return x;\n}\n",
            "1-1 import #include <a>\n2-9 module n\n4-8 class Abc\n6-7 method Abc\n"
            "10-12 function A::f",
        ),
        (
            "php",
            "<?php\nnamespace A;\nuse B\\C;\nabstract class D extends E {\n"
            "  public function f(array $x = []): int {\n    return 1;\n  }\n}\n"
            "interface G {\n  function h();\n}\nfunction i() {\n}\n",
            "2-2 module A\n3-3 import use B\\C\n4-8 class D\n5-7 method f\n9-11 interface G\n"
            "10-10 method h\n12-13 function i",
        ),
        (
            "ruby",
            "require 'set'\nmodule A\n  class B < C\n    def f(x, y: 1)\n      x\n    end\n\n"
            "    def self.g = 1\n  end\nend\n",
            "1-1 import require 'set'\n2-10 module A\n3-9 class B\n4-6 method f\n8-8 method g",
        ),
        (
            "swift",
            "import A\npublic struct B: C {\n    func f(x: Int) -> Int {\n        return x\n    }\n"
            "    init() {\n    }\n}\nprotocol D {\n    func g()\n}\nextension B {\n}\n"
            "enum E {\n}\n",
            "1-1 import import A\n2-8 struct B\n3-5 method f\n6-7 method init\n"
            "9-11 interface D\n10-10 method g\n"
            "12-13 extension B\n14-15 enum E",
        ),
        (
            "shell",
            ". ./a.sh\nf() {\n  echo 1\n}\nfunction g {\n  cat <<EOF\nno() {\nEOF\n}\n",
            "1-1 import . ./a.sh\n2-4 function f\n5-9 function g",
        ),
        (
            "solidity",
            'import "./A.sol";\ncontract B is C {\n    struct D { uint x; }\n'
            "    function f(uint x) public returns (uint) {\n        return x;\n    }\n"
            "    event E(uint x);\n}\ninterface G {\n}\n",
            '1-1 import import "./A.sol"\n2-8 class B\n3-3 struct D\n4-6 method f\n7-7 type E\n'
            "9-10 interface G",
        ),
        (
            "protobuf",
            'import "a.proto";\nmessage A {\n  string b = 1;\n  message C {\n  }\n}\n'
            "service D {\n  rpc E(A) returns (A);\n}\nenum F {\n  G = 0;\n}\n",
            '1-1 import import "a.proto"\n2-6 struct A\n4-5 struct C\n7-9 interface D\n'
            "8-8 method E\n"
            "10-12 enum F",
        ),
        (
            "kotlin",
            "package a\nimport b.C\ndata class D(\n    val x: Int,\n) {\n    fun f(): Int {\n"
            "        return 1\n    }\n}\nobject E\n",
            "1-1 import package a\n2-2 import import b.C\n3-9 class D\n6-8 method f\n10-10 class E",
        ),
        (
            "scala",
            "import a.b\ntrait A {\n  def f(x: Int): Int = {\n    x\n  }\n}\nobject B extends A\n",
            "1-1 import import a.b\n2-6 interface A\n3-5 method f\n7-7 class B",
        ),
        (
            "elixir",
            "defmodule A.B do\n  use C\n  def f(x) do\n    x\n  end\n  defp g, do: 1\nend\n",
            "1-7 module A.B\n2-2 import use C\n3-5 function f\n6-6 function g",
        ),
        (
            "lua",
            "local a = require 'a'\nlocal function f(x)\n  return x\nend\nfunction B.c:g()\nend\n",
            "1-1 import local a = require 'a'\n2-4 function f\n5-6 function B.c:g",
        ),
        (
            "lua",
            "M.f = function(a)\n  local g = function() end\n  return a\nend\nlocal x = 1\n"
            "-- function no()\n",
            "1-4 function M.f",
        ),
        (
            "kotlin",
            "val a = 1\nclass B<T> {\n    companion object {\n        const val C = 1\n    }\n"
            "    val d: Int get() = 1\n}\nfun <T : E<T>> List<T>.f(): T = this[1]\n"
            "private const val G = 2\n",
            "1-1 constant a\n2-7 class B\n3-5 class Companion\n8-8 function List.f\n9-9 constant G",
        ),
        (
            "kotlin",
            "@Test fun `a b`() {}\n@JvmInline value class C(val d: Int)\nfun interface E\n"
            'abstract class F {\n    @Inject("x") inner class G\n'
            "    override suspend fun h() = 1\n}\nexpect fun i(): Int\n",
            "1-1 function a b\n2-2 class C\n3-3 interface E\n4-7 class F\n5-5 class G\n"
            "6-6 method h\n8-8 function i",
        ),
        (
            "scala",
            "@tailrec def a(x: Int): Int = 1\nopaque type B = Int\nprivate[c] def d = 1\n"
            "final case class E(f: Int)\nobject E { def apply(x: Int) = x }\n",
            "1-1 function a\n2-2 type B\n3-3 function d\n4-4 class E\n5-5 class E",
        ),
        (
            "sql",
            "create table `a b`.`c` (d int);\nCREATE OR ALTER PROCEDURE [e].[f] @x INT AS\nBEGIN\n"
            "  CREATE TABLE g (h int)\nEND\nCREATE INDEX CONCURRENTLY IF NOT EXISTS i ON c (d);\n"
            'CREATE TABLE "" (j int);\n',
            '1-1 struct a b.c\n2-5 function e.f\n4-4 struct g\n6-6 other i\n7-7 struct ""',
        ),
        (
            "sql",
            "SELECT a LIKE 'b' ESCAPE '\\';\nCREATE TABLE c (d text DEFAULT 'e');\n",
            "2-2 struct c",
        ),
        (
            "haskell",
            "main :: IO ()\nmain = do\n  f (1)\n",
            "1-1 function main",
        ),
        (
            "lua",
            'local f = function() end\nM["g"] = function() end\nreturn { h = function() end }\n',
            '1-1 function f\n2-2 function M["g"]',
        ),
        (
            "scala",
            "type A = Int\nval b = 1\ngiven Ord[Int] with\n  def f(x: Int) = 1\n"
            "extension (s: String)\n  def g = s\nenum C:\n  case D\n",
            "1-1 type A\n2-2 constant b\n3-4 extension Ord\n4-4 method f\n"
            "5-6 extension String\n6-6 method g\n7-8 enum C",
        ),
        (
            "sql",
            '-- CREATE TABLE no (a int);\nCREATE TABLE IF NOT EXISTS a."B" (\n  c int,\n'
            "  d text DEFAULT 'it''s\nCREATE TABLE no (' -- e\n);\n"
            "create or replace view f as\nselect * from g;\nINSERT INTO a VALUES (1);\n"
            "CREATE FUNCTION h(x int) RETURNS int AS $b$\nCREATE TABLE no (x int);\n$b$;\n"
            "CREATE UNIQUE INDEX i ON a (c);\nCREATE SCHEMA j;\nCREATE TYPE k AS ENUM ('l\\'m');\n"
            "CREATE TEMP TABLE n (o int);\n",
            "2-6 struct a.B\n7-7 struct f\n10-12 function h\n13-13 other i\n14-14 module j\n"
            "15-15 type k\n16-16 struct n",
        ),
        (
            "r",
            "library(a)\nf <- function(x) {\n  x\n}\n",
            "1-1 import library(a)\n2-4 function f",
        ),
        (
            "haskell",
            "import A\ndata B = C\nclass D a where\n  f :: a\ng :: Int -> Int\ng x = x\n",
            "1-1 import import A\n2-2 type B\n3-4 class D\n5-5 function g",
        ),
        (
            "julia",
            "using A\nstruct B\n  x\nend\nfunction f(x)\n  x\nend\nmodule C\nend\n",
            "1-1 import using A\n2-4 struct B\n5-7 function f\n8-9 module C",
        ),
        (
            "powershell",
            "Import-Module A\nfunction Get-B {\n  param($x)\n}\nclass C {\n}\n",
            "1-1 import Import-Module A\n2-4 function Get-B\n5-6 class C",
        ),
        (
            "graphql",
            "type A implements B {\n  x: Int\n}\ninterface B {\n  x: Int\n}\nenum C {\n  D\n}\n",
            "1-3 type A\n4-6 interface B\n7-9 enum C",
        ),
        (
            "perl",
            "use A;\npackage B;\nsub f {\n  1;\n}\n",
            "1-1 import use A\n2-2 module B\n3-5 function f",
        ),
        (
            "yaml",
            "# no: a\nA: 1\nb:\n  c.d: |\n    no: x\n  e:\n    no: x\n- f: it's\n  g: h\n"
            "---\ni: 'no\n  no: x'\nurl: http://j\n",
            "2-2 other A\n3-7 other b\n4-5 other c.d\n6-7 other e\n8-9 other f\n9-9 other g\n"
            "11-12 other i\n13-13 other url",
        ),
        (
            "xml",
            '<?xml version="1.0"?>\n<!-- <no> -->\n<a b="c">\n  <d/>\n  <![CDATA[\n<no>\n]]>\n'
            "  <e>\n        <no/>\n  </e>\n</a>\n",
            "3-11 other a\n4-4 other d\n8-10 other e",
        ),
        (
            "html",
            "<body>\n<h1 id='a'>A <b>b</b></h1>\n<p>text</p>\n<!-- <h2>no</h2> -->\n"
            "<div><section><h2>\n  C\n</h2>\n<pre>\n<h1>no</h1>\n</pre>\n<h3>D</h3>\n<H1>E</H1>\n",
            "2-11 heading A b\n5-11 heading C\n11-11 heading D\n12-12 heading E",
        ),
        (
            "markdown",
            "# A #\n\ntext\n\n```sh\n# no\n```\n\n## B\n\ntext\n\nC\n==\n\n### D `e`\ntext\n",
            "1-12 heading A\n9-12 heading B\n13-17 heading C\n16-17 heading D `e`",
        ),
        (
            "restructuredtext",
            "=\nno\n\n===\nA A\n===\n\ntext\n\nB\n---\n\nC\n~~~\n\nD\n---\n",
            "4-17 heading A A\n10-15 heading B\n13-15 heading C\n16-17 heading D",
        ),
        (
            "latex",
            "\\section{A}\n\\subsection*{B}\n% \\section{no}\n\\section{C}\n",
            "1-3 heading A\n2-3 heading B\n4-4 heading C",
        ),
        ("org", "* A\n** B\n* C\ntext\n", "1-2 heading A\n2-2 heading B\n3-4 heading C"),
    ],
    ids=lambda value: value if isinstance(value, str) and value in LANGUAGES else "",
)
@pytest.mark.usefixtures("reading")
def test_what_is_found(language: str, text: str, expected: str) -> None:
    assert told(text, language) == expected
    assert told(text.replace("\n", "\r\n"), language) == expected
    assert told("\ufeff" + text, language) == expected


def test_a_signature_in_sql_ends_where_a_quoted_body_begins() -> None:
    text = "CREATE FUNCTION f(x int)\nRETURNS int AS $$\nBEGIN\nEND\n$$ LANGUAGE plpgsql;\n"
    assert [symbol.signature for symbol in structure(text, "sql")] == [text[:24]]
    one_line = text.replace("\n", " ")
    assert [symbol.signature for symbol in structure(one_line, "sql")] == [
        "CREATE FUNCTION f(x int) RETURNS int AS"
    ]


def test_dart_needs_its_grammar() -> None:
    text = "class A {\n  int f(int x) {\n    return x;\n  }\n\n  int get y => 1;\n}\n"
    text += "void main() {\n}\n"
    if grammars.has_grammar("dart"):
        assert told(text, "dart") == "1-7 class A\n2-4 method f\n6-6 method y\n8-9 function main"


@pytest.mark.parametrize("file", sorted(Path(asyncio.__file__).parent.glob("*.py")), ids=str)
def test_python_has_the_lines_that_its_own_parser_finds(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    nodes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, kinds))
    declared = sorted((node.lineno, node.end_lineno, node.name) for node in nodes)
    found = [s for s in structure(text, "python") if s.kind in ("class", "function", "method")]
    assert [(s.start_line, s.end_line, s.name) for s in found] == declared


@given(ANY_TEXT | CODE_LIKE, LANGUAGE)
def test_every_text_has_an_answer(text: str, language: str) -> None:
    lines, at = text.count("\n") + 1, 1
    for symbol in structure(text, language):
        assert 1 <= at <= symbol.start_line <= symbol.end_line <= lines
        assert symbol.signature.strip() in text
        assert symbol.name
        at = symbol.start_line
    assert structure(text, language) == structure(text, language)


@given(CODE_LIKE, st.sampled_from(WITH_GRAMMAR))
def test_a_text_with_an_error_is_read_by_its_form(text: str, language: str) -> None:
    parsed = parse(text, language)
    if parsed is None or parsed.has_error:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(grammars, "_grammar", lambda _: None)
            by_form = structure(text, language)
        assert structure(text, language) == by_form


@pytest.mark.usefixtures("reading")
@pytest.mark.parametrize("language", WITH_GRAMMAR)
def test_an_extract_has_the_signatures(language: str) -> None:
    text = "\n" * 600 + {"php": "<?php\n"}.get(language, "") + "class A {\n}\n"
    if language in ("go", "rust"):
        text = (
            "\n" * 600 + {"go": "package a\n\nfunc a() {\n}\n", "rust": "fn a() {\n}\n"}[language]
        )
    signatures = [symbol.signature for symbol in structure(text, language)]
    assert signatures
    assert structural_extract(text, language) == "\n".join(signatures)


@pytest.mark.parametrize("language", [None, "", "json", "csv", "nobody-knows"])
def test_of_an_unknown_language_nothing_is_told(language: str | None) -> None:
    assert structure("def f(): ...\n", language) == ()


GARBAGE = [
    "(",
    "{",
    "[",
    "{-",
    "/*\n",
    "'",
    '"',
    "`",
    "a+\n",
    "(*)",
    "<a>",
    "${",
    "f(x)",
    "é\n",
    "\0",
]


@pytest.mark.parametrize("piece", GARBAGE)
def test_garbage_takes_linear_time(piece: str) -> None:
    for language in WITH_GRAMMAR:
        assert_linear(partial(structure, language=language), repeating(piece), small=1_250)


@pytest.mark.parametrize("text", ["x" * 300_000, "{" * 99_999, "a\n" * 150_000, "// é\n" * 99_999])
def test_a_large_text_is_not_parsed(text: str) -> None:
    assert parse(text, "javascript") is None


def test_nothing_is_downloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later releases of the package fetch grammars when they are asked for them."""
    monkeypatch.setattr("importlib.metadata.version", lambda _: "1.2.3")
    grammars._grammar.cache_clear()  # pyright: ignore[reportPrivateUsage]
    try:
        assert not grammars.has_grammar("go")
    finally:
        grammars._grammar.cache_clear()  # pyright: ignore[reportPrivateUsage]
