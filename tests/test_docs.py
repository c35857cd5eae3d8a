"""The snippets of a page of the documentation run, one after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import orchestrator_context
from orchestrator_context import Budget, Chunk

PAGE = Path(__file__).parents[1] / "docs" / "select.md"
SNIPPET = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def rerank(parts: Sequence[Chunk]) -> list[float]:
    return [len(part.text) / 1_000 for part in parts]


def test_the_snippets_on_selection_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "src" / "pump.py").write_text("def stop(): ...\n")
    (tmp_path / "docs" / "pump.md").write_text("# Pump\n\nThe pump stops at 9 bar.\n")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {
        name: getattr(orchestrator_context, name) for name in orchestrator_context.__all__
    }
    names |= {"budget": Budget(100), "question": "When does the pump stop?", "rerank": rerank}
    snippets = SNIPPET.findall(PAGE.read_text(encoding="utf-8"))
    assert len(snippets) > 4
    for snippet in snippets:
        exec(compile(snippet, PAGE.name, "exec"), names)
    told = capsys.readouterr().out
    assert "auto: 2 of 2 documents as whole" in told
    assert "whole " in told
