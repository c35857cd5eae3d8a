"""Declarations stand for documents that bring none along, and nobody pays for those not shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator_context import Budget, Document, SelectOptions, read_documents, select
from orchestrator_context.corpus import parse
from orchestrator_context.source.surfaces import extract_of

QUERY = "When does the pump stop?"
TIERED = SelectOptions(strategy="tiered")


def _module(number: int) -> str:
    functions = (
        f"def step_{number}_{step}(pressure):\n    return pressure > {step}  # what it does\n\n\n"
        for step in range(40)
    )
    return "import math\n\n\n" + "".join(functions)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    for number in range(8):
        (tmp_path / "src" / f"mod{number}.py").write_text(_module(number))
    (tmp_path / "src" / "pump.md").write_text("# Pump\n\nThe pump stops at 9 bar.\n")
    return tmp_path / "src"


def _extracts(text: str) -> dict[str, str]:
    return {one.path: one.content for one in parse(text) if one.fidelity == "extract"}


def test_what_is_read_from_files_is_shown_as_what_document_of_makes(folder: Path) -> None:
    read = list(read_documents(folder))
    made = [Document.of(one.path, one.content) for one in read]
    assert [one.language for one in read] == [one.language for one in made]
    for tokens in (600, 1_500, 3_000):
        one, other = (
            select(given, QUERY, budget=Budget(tokens), options=TIERED) for given in (read, made)
        )
        assert _extracts(one.text) == _extracts(other.text)
    assert len(_extracts(one.text)) >= 2
    assert "def step_0_1(pressure):" in one.text


def test_an_extract_of_nothing_stays_nothing(folder: Path) -> None:
    none = [Document.of(one.path, one.content, extract="") for one in read_documents(folder)]
    assert not _extracts(select(none, QUERY, budget=Budget(3_000), options=TIERED).text)


def test_extracts_are_worked_out_while_they_may_fit(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = [
        Document(f"{at}/{one.path}", f"{one.content}\n# {at}\n", language="python")
        for at in range(40)
        for one in read_documents(folder)
    ]
    asked: list[str] = []

    def counting(document: Document) -> str:
        asked.append(document.path)
        return extract_of(document)

    monkeypatch.setattr("orchestrator_context.corpus.forms.extract_of", counting)
    select(read, QUERY, budget=Budget(900), options=TIERED)
    assert 0 < len(asked) < 100
    assert len(set(asked)) == len(asked)
    asked.clear()
    select(read, QUERY, budget=Budget(900), options=SelectOptions(strategy="packed"))
    assert not asked


def test_parts_of_equal_documents_are_found_by_the_path_of_any_of_them() -> None:
    def text(topic: str) -> str:
        return "".join(f"Paragraph {at} tells of {topic} and of {at}.\n\n" for at in range(120))

    documents = [
        Document("a.md", text("levels")),
        Document("guides/pump/station.md", text("levels")),
        Document("b.md", text("buses") + "The pressure of tyres.\n"),
        *(Document(f"c{at}.md", text(f"trams {at}")) for at in range(4)),
    ]
    for strategy in ("packed", "tiered"):
        options = SelectOptions().merged(strategy=strategy)
        for given in (documents, documents[::-1]):
            reduction = select(given, "pump pressure", budget=Budget(600), options=options)
            assert [one.path for one in reduction.documents] == ["a.md"]
