"""Languages go by any of their usual names, wherever one is asked for."""

from __future__ import annotations

import pytest

from orchestrator_context import Document, split_document
from orchestrator_context.languages import (
    LANGUAGES,
    language_name,
    structural_extract,
    structure,
)
from orchestrator_context.rank import imported_names
from orchestrator_context.source import compact_source, supports_compaction

ALIASES = {
    "Bash": "shell", "sh": "shell", "zsh": "shell", "shell": "shell", "shellscript": "shell",
    "js": "javascript", "jsx": "javascript", "node": "javascript", "ts": "typescript",
    "tsx": "typescript", "py": "python", "python3": "python", "c++": "cpp", "cxx": "cpp",
    "cs": "csharp", "C#": "csharp", "f#": "fsharp", "yml": "yaml", "golang": "go", "rs": "rust",
    "rb": "ruby", "kt": "kotlin", "md": "markdown", "rst": "restructuredtext", "tex": "latex",
    "terraform": "hcl", "tf": "hcl", "docker": "dockerfile", "make": "makefile", "f90": "fortran",
    "objc": "objective-c", "ps1": "powershell", "pwsh": "powershell", "postgresql": "sql",
    "proto": "protobuf", " JSON ": "json", ".py": "python",
}  # fmt: skip


@pytest.mark.parametrize(("name", "language"), ALIASES.items())
def test_a_usual_name_is_that_of_its_language(name: str, language: str) -> None:
    assert language_name(name) == language
    assert language in LANGUAGES


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_language_is_called_what_it_is_called(language: str) -> None:
    assert language_name(language) == language_name(language.upper()) == language


def test_other_names_stay_in_lower_case() -> None:
    assert (language_name("Klingon"), language_name(None)) == ("klingon", "")


@pytest.mark.parametrize(("name", "language"), [("bash", "shell"), ("js", "javascript")])
def test_every_function_takes_them(name: str, language: str) -> None:
    text = "# why\n. ./a.sh\nf() {\n  echo 1\n}\n\n\n\n// why\nfunction g() {\n}\n" + "x\n" * 300
    assert compact_source(text, language=name) == compact_source(text, language=language)
    assert supports_compaction(name) == supports_compaction(language)
    assert structural_extract(text, name) == structural_extract(text, language) != ""
    assert structure(text, name) == structure(text, language) != ()
    assert imported_names(text, name) == imported_names(text, language)
    document = Document("a", text, language=name)
    assert document == Document("a", text, language=language)
    assert Document.of("a", text, language=name).language == language
    assert list(split_document(document)) == list(
        split_document(Document("a", text, language=language))
    )


def test_comments_of_a_script_called_bash_go() -> None:
    if supports_compaction("shell"):
        assert compact_source("# why\nx=1\n", language="bash").text == "x=1\n"
