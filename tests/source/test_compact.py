"""Compaction: comments go, meaning stays, told by the parsers of the languages themselves."""

from __future__ import annotations

import ast
import sysconfig
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.languages import LANGUAGES, grammars
from orchestrator_context.source import compact, compact_source, supports_compaction
from orchestrator_context.source.lines import Cuts

GOLDEN = sorted(Path(__file__).with_name("golden").glob("*.txt"))
LIBRARY = Path(sysconfig.get_paths()["stdlib"])
ANY_TEXT = st.text(st.characters(codec=None, categories=None))
PIECES = st.sampled_from(
    [
        *("# c\n", "// c\n", "/* c\n", "*/", "\n", "\n\n", "  ", "x = 1\n", '"""', "'''", "\\\n"),
        *("def f():\n", "    ", "'doc'\n", '"', "`", "${", "}", "{", "(", ")", "<<EOF\n", "EOF\n"),
        *("#!/bin/sh\n", "f'{", "(* c *)", "-- c\n", "=begin\n", "=end\n", "\r\n", "\ufeff", "\0"),
    ]
)
CODE_LIKE = st.lists(PIECES | st.text(max_size=4), max_size=40).map("".join)
LANGUAGE = st.none() | st.sampled_from([*sorted(LANGUAGES), "nobody-knows"])
needs_grammars = pytest.mark.skipif(
    not grammars.has_grammar("go"), reason="the extra `code` is not installed"
)


def expected(golden: str) -> str:
    """Return the lines of a golden file without those that are to go."""
    lines = [line for line in golden.splitlines(keepends=True) if "DROP" not in line]
    return "".join(line.replace("'''PASS'''", "pass") for line in lines)


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@needs_grammars
def test_every_comment_goes_and_nothing_else(file: Path, line_end: str) -> None:
    golden = file.read_text(encoding="utf-8")
    text = golden.replace("\n", line_end)
    compact = compact_source(text, language=file.stem)
    assert compact.text == expected(golden).replace("\n", line_end)
    assert compact.original_lines == golden.count("\n")
    assert compact.elided_lines == sum(
        "DROP" in line or "PASS" in line for line in golden.splitlines()
    )
    assert compact_source("\ufeff" + text, language=file.stem).text == "\ufeff" + compact.text
    assert compact_source(compact.text, language=file.stem).text == compact.text


def test_twenty_languages_have_a_golden_file() -> None:
    assert len(GOLDEN) >= 20


# Python


def without_docstrings(tree: ast.AST) -> str:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if node.body and is_string(node.body[0]):
                node.body.pop(0)
            node.body = node.body or [ast.Pass()]
    return ast.dump(tree)


def is_string(node: ast.stmt) -> bool:
    constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return constant and isinstance(node.value.value, str)  # type: ignore[attr-defined]


def is_same_program(one: str, other: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return without_docstrings(ast.parse(one)) == without_docstrings(ast.parse(other))


def library(share: int) -> Iterator[tuple[str, str]]:
    """Yield every file of the standard library whose number is a multiple of `share`."""
    files = sorted(file for file in LIBRARY.rglob("*.py") if "site-packages" not in file.parts)
    for file in files[::share]:
        try:
            yield str(file), file.read_bytes().decode()
        except UnicodeDecodeError:
            continue


def test_the_standard_library_means_the_same() -> None:
    reduced = total = kept = 0
    for path, text in library(40):
        compact = compact_source(text, path=path)
        if compact.is_reduced:
            reduced += 1
            assert is_same_program(text, compact.text), path
        total, kept = total + len(text), kept + len(compact.text)
    assert reduced > 20
    assert kept < 0.9 * total


STATEMENT = st.sampled_from(
    [
        *("x = 1", "# c", '"""a\n# b\n"""', "'doc'", "y = '''\n\n\n# c\n'''", "", "  ", "if x:"),
        *("def f(a):", "class A:", "    # c", "    'doc'", "    return 1", "    pass", "x = 1 # c"),
        *(
            "x = (1,\n# c\n\n\n2)",
            "f'''{\nx}\n# c'''",
            "x = 1 + \\\n  2",
            "# c \\",
            "async def g():",
        ),
        *('    ("""a""")', '    "a" "b"', "    'a'; x = 1", "    __doc__", "@f", "try:", "else:"),
    ]
)


@given(st.lists(STATEMENT, max_size=12).map("\n".join), st.booleans())
def test_a_generated_program_means_the_same(text: str, ends: bool) -> None:
    text += "\n" * ends
    compact = compact_source(text, language="python")
    if compact.is_reduced:
        try:
            assert is_same_program(text, compact.text)
        except SyntaxError:  # no program: then only blank lines may go
            squeezed = [line for line in text.splitlines() if line.strip()]
            assert [line for line in compact.text.splitlines() if line.strip()] == squeezed


@given(st.lists(STATEMENT, max_size=12).map("\n".join), st.sets(st.integers(0, 15)))
def test_whatever_is_cut_from_a_program_it_means_the_same_or_stays(
    text: str, dropped: set[int]
) -> None:
    """The parser that runs has the last word, so a syntax that is not foreseen does no harm."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compact, "python_cuts", lambda *_: Cuts(dropped))
        left = compact_source(text, language="python")
    if left.is_reduced:
        assert is_same_program(text, left.text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('T = """\n"""\ndef f(): ...\n\nclass A: ...\n', None),
        ("class A:\n    '''a'''\n", "class A:\n    pass\n"),
        ("class A:\n    'a'\n", None),  # `pass` is longer
        ("def f():\n\t'''a\n\tb'''\n\t# c\nx = 1", "def f():\n\tpass\nx = 1"),
        ("'''a'''\n'''b'''\nx = 1\n", None),  # 'b' would be the docstring
        ("'''usage'''\nprint(__doc__)\n", None),
        ("def f():\n    '''a'''\n    return f.__doc__\n", None),
        ("x = 1 \\\n# c\ny = 2\n", None),
        ("x = [\n    # c\n    1,\n]\n", "x = [\n    1,\n]\n"),
        ("# a\n# b\n# -*- coding: latin-1 -*-\nx = 1\n", "x = 1\n"),
        ("#!/bin/python\n# a\nx = 1\n", "#!/bin/python\nx = 1\n"),
        ("# a\n#!/bin/python\nx = 1\n", "x = 1\n"),
        ("# only\n# comments\n", None),
        ("if x:\n    # c\n    pass\n\n\n\n# d\n\n\nelse:\n    pass\n",
         "if x:\n    pass\n\nelse:\n    pass\n"),
        ("print 'Python 2'\n# c\n", None),
        ("x = '\\d'\n# c\n", "x = '\\d'\n"),  # a parser warns here
        ("x = 1\r# c\ry = 2", None),  # the parser takes CR for the end of a line
        ("x = '\ud800'\n# c\n", None),
        ("x = 1\x00\n# c\n", None),
        ("\n\n\nx = 1\n\n\n", "x = 1\n"),
        ("x = 1\n   ", "x = 1\n"),
        ("", None),
        ("   ", None),
        ("\n\n", None),
    ],
)  # fmt: skip
def test_python(text: str, left: str | None) -> None:
    compact = compact_source(text, language="Python")
    assert compact.text == (text if left is None else left)
    assert compact.is_reduced == (left is not None)


def test_deep_and_broken_programs_stay_as_they_are() -> None:
    for text in (
        "(" * 50_000,
        "-" * 50_000 + "1",
        "x = " + "[" * 5_000 + "]" * 5_000,
        "a." * 9_999,
    ):
        assert compact_source(f"# c\n{text}\n", language="python").text == f"# c\n{text}\n"


# All languages


@given(ANY_TEXT | CODE_LIKE, LANGUAGE)
def test_every_text_has_an_answer(text: str, language: str | None) -> None:
    compact = compact_source(text, language=language)
    assert len(compact.text) <= len(text)
    assert (compact.elided_lines == 0) == (compact.text == text) == (not compact.is_reduced)
    body = text.removeprefix("\ufeff")
    assert compact.original_lines == body.count("\n") + bool(body.rpartition("\n")[2])
    again = compact_source(compact.text, language=language)
    assert again.text == compact.text
    assert not again.is_reduced


@given(CODE_LIKE, LANGUAGE)
def test_what_is_left_are_lines_of_the_text(text: str, language: str | None) -> None:
    compact = compact_source(text, language=language)
    lines = iter(text.replace("\ufeff", "").split("\n"))
    left = [line.strip() for line in compact.text.replace("\ufeff", "").split("\n")]
    assert all(line in ("", "pass") or any(line == one.strip() for one in lines) for line in left)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ruby", "# c\nr = %r{\n# x\n}\nif\n"),
        ("javascript", "// c\nlet a = `\n"),
        ("java", "// c\nclass A {\n"),
        ("javascript", "// c\rlet a = 1\n// d\nlet b = 2\n"),
        ("go", '// #include "a.h"\nimport "C"\n'),
        ("go", "// c\npackage a\n\nfunc ExampleA() {\n\t// Output:\n\t// 1\n}\n"),
        ("rust", "// c\nfn f( {\n"),
        ("css", "a {\n// no comment\ncolor: red; }\n"),
        ("yaml", "a: |\n  x\n\n\n  # y\n"),
        ("html", "<p style='white-space: pre'>a\n\n\nb</p>\n"),
        ("python", '# c\nx = f"""{"""\n\n\n""" % if}"""\n'),  # as if of a later version
        ("lua", "-- c\na = [[\n\n\n]]\n"),
        ("sql", "SELECT 'a\\'\n\n\n', b'\n"),
        ("kotlin", '// c\nval a = """\n\n\n"""\n'),
    ],
)
def test_a_program_that_is_not_understood_stays_as_it_is(language: str, text: str) -> None:
    assert compact_source(text, language=language).text == text


def test_macros_are_no_errors() -> None:
    text = "// c\nPUBLIC_API(int) f(void) BEGIN\n/* d */\nint x = 1;\nEND\n"
    assert "c\n" not in compact_source(text, language="c").text or not supports_compaction("c")


# Blank lines


@pytest.mark.parametrize(
    ("language", "text", "left"),
    [
        (None, "a\n\n\n\nb\n# c\n", "a\n\nb\n# c\n"),
        ("nobody-knows", "a\n \n\t\n\nb\n", "a\n \nb\n"),
        ("markdown", "a\n\n\nb\n\n```\nc\n\n\nd\n```\n", "a\n\nb\n\n```\nc\n\n\nd\n```\n"),
        (
            "latex",
            "a\n\n\n\\begin{verbatim}\n\n\nb\n\\end{verbatim}\n",
            "a\n\n\\begin{verbatim}\n\n\nb\n\\end{verbatim}\n",
        ),
        ("json", "{\n\n\n}\n", None),
        (None, "a\r\n\r\n\r\nb\r\n", "a\r\n\r\nb\r\n"),
        (None, "a \\\n\n\nb", "a \\\n\n\nb"),
    ],
)
def test_runs_of_blank_lines(language: str | None, text: str, left: str | None) -> None:
    assert compact_source(text, language=language).text == (text if left is None else left)


def test_without_grammars_only_python_loses_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammars, "_grammar", lambda _: None)
    text = "// c\n\n\nlet a = `${b ? `\n\n\n` : 1}`\n"
    assert compact_source(text, path="a.js").text == text
    assert compact_source("# c\nx = 1\n", path="a.py").text == "x = 1\n"
    assert supports_compaction("python")
    assert not supports_compaction("javascript")


@pytest.mark.parametrize(
    "text",
    [
        "<?php\n$x = 1;\n?>\n\n// keep\n",
        "<?php\nif ($a): ?>\n\n\n# keep\n<?php\nendif; ?>\n\n/* keep */\n\n",
        "\n\n<?= $x ?>\n\n\n",
        "// keep\n\n\n<?php $x = 1;\n",
        "<?php\n$x = 1;\n__HALT_COMPILER();\n// keep\n\n\n# keep\n",
    ],
)
def test_what_php_sends_as_it_stands_stays(text: str) -> None:
    assert compact_source(text, language="php").text == text


def test_between_its_tags_php_loses_comments() -> None:
    text = "# keep\n<?php\n// c\n$x = 1;\n?>\n# keep\n<?php\n# c\n\n\n$y = 2;\n"
    left = "# keep\n<?php\n$x = 1;\n?>\n# keep\n<?php\n\n$y = 2;\n"
    assert compact_source(text, language="php").text == left


# The call


def test_the_path_tells_the_language() -> None:
    assert compact_source("# c\nx = 1\n", path="src/A.PY").text == "x = 1\n"
    assert compact_source("# c\nx = 1\n", language="r", path="a.py").text == "x = 1\n"
    assert compact_source("# c\nx = 1\n").text == "# c\nx = 1\n"


@pytest.mark.parametrize("language", [None, "", "markdown", "text", "nobody-knows", "json", "csv"])
def test_what_cannot_be_compacted(language: str | None) -> None:
    assert not supports_compaction(language)


def test_python_can_always_be_compacted() -> None:
    assert supports_compaction("python")
    assert supports_compaction("Python")


def test_arguments_are_checked() -> None:
    with pytest.raises(ConfigurationError, match="content"):
        compact_source(b"x")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="path"):
        compact_source("x", path=None)  # type: ignore[arg-type]


def test_a_large_text_is_no_trouble() -> None:
    for piece in ("x = 1\n# c\n", "x" * 99, "\n", "# c ", "'", "/* c\n"):
        text = piece * (300_000 // len(piece))
        for language in ("javascript", "c", None):
            assert len(compact_source(text, language=language).text) <= len(text)


def test_threads_see_the_same() -> None:
    texts = {file.stem: file.read_text(encoding="utf-8") for file in GOLDEN}
    alone = {name: compact_source(text, language=name).text for name, text in texts.items()}
    wrong: list[str] = []

    def run() -> None:
        for name, text in texts.items():
            if compact_source(text, language=name).text != alone[name]:
                wrong.append(name)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
