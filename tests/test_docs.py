"""The snippets of a page of the documentation run, one after the other."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import anyio
import pytest

import orchestrator_context
from orchestrator_context import Budget
from tests.loopback import Loopback

PAGE = Path(__file__).parents[1] / "docs" / "select.md"
SNIPPET = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(snippet: str, names: dict[str, object]) -> None:
    """Run a snippet, in which `await` may stand at the top."""
    code = compile(snippet, PAGE.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    pending = eval(code, names)
    if inspect.iscoroutine(pending):

        async def wait() -> None:
            await pending

        anyio.run(wait)


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
    names |= {"budget": Budget(100), "question": "When does the pump stop?"}
    snippets = SNIPPET.findall(PAGE.read_text(encoding="utf-8"))
    assert len(snippets) > 4
    with Loopback() as server:
        monkeypatch.setenv("CO_API_KEY", "k")
        monkeypatch.setenv("CO_API_URL", server.url)
        for snippet in snippets:
            run(snippet, names)
        assert [request.path for request in server.requests] == ["/v2/rerank"]
    told = capsys.readouterr().out
    assert "auto: 2 of 2 documents as whole" in told
    assert "whole " in told
