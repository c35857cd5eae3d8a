from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.languages import LANGUAGES, detect_language


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"),
        ("src/pkg/a.pyi", "python"),
        ("A.PY", "python"),
        ("C:\\work\\Main.JAVA", "java"),
        ("web/app.component.tsx", "typescript"),
        ("x.test.js", "javascript"),
        ("main.rs", "rust"),
        ("main.go", "go"),
        ("a.cc", "cpp"),
        ("a.C", "c"),
        ("README.md", "markdown"),
        ("docs/index.rst", "restructuredtext"),
        ("Makefile", "makefile"),
        ("sub/GNUmakefile", "makefile"),
        ("Makefile.linux", "makefile"),
        ("Dockerfile", "dockerfile"),
        ("docker/Dockerfile.dev", "dockerfile"),
        ("dev.dockerfile", "dockerfile"),
        ("CMakeLists.txt", "cmake"),
        ("Gemfile", "ruby"),
        (".bashrc", "shell"),
        (".env", "shell"),
        ("Cargo.lock", "toml"),
        ("data.jsonl", "jsonlines"),
        ("config.yml", "yaml"),
    ],
)
def test_a_name_tells_the_language(path: str, language: str) -> None:
    assert detect_language(path) == language
    assert language in LANGUAGES


@pytest.mark.parametrize(
    "path",
    [
        "a.h",
        "notes.txt",
        "a.m",
        "a.v",
        "run.log",
        "LICENSE",
        "",
        "dir.py/",
        ".py",
        "a.",
        "py",
        "x.py/LICENSE",
    ],
)
def test_an_ambiguous_name_tells_nothing(path: str) -> None:
    assert detect_language(path) is None


def test_many_languages_are_known() -> None:
    assert len(LANGUAGES) >= 40


@given(st.text(max_size=40))
def test_every_path_has_an_answer_in_any_case(path: str) -> None:
    assert detect_language(path) in LANGUAGES | {None}
    assert detect_language(f"dir/{path}x.PY") == "python"
