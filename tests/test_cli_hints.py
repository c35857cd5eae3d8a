"""What an error of the command line advises to do can be done."""

from __future__ import annotations

import importlib
import re
from importlib.metadata import entry_points, metadata
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from orchestrator_context.cli import app
from orchestrator_context.distill import DistillOptions

ROOT = Path(__file__).parents[1]
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
COMMANDS = typer.main.get_group(app).commands
OPTIONS = {
    name: {one for parameter in command.params for one in parameter.opts} | {"--help"}
    for name, command in COMMANDS.items()
}
MISTAKES = [
    "distill {file} q --client extractive --base-url http://x",
    "distill {file} q --client extractive:foo",
    "distill {file} q --client extractive --client-option foo=1",
    "distill {file} q --client extractive --client-option window=1",
    "distill {file} q --client nobody",
    "distill {file} q --client openai",
    "distill {file} q --client openai:",
    "distill {file} q --client openai:nonesuch",
    "distill {file} q --price-in 1",
    "distill {file} q --window 100",
    "distill {file} q --max-cost 1 --client openai:x --window 9000",
    "distill {file} q --encoding klingon",
    "distill {file} q --note-tokens 0",
    "distill {file} q --concurrency 0",
    "distill {file} q --max-calls 0",
    "distill {file} q --checkpoint {file}",
    "select {file}",
    "select q",
    "select {file} q",
    "select {file} q --model nobody",
    "select {file} q --max-tokens 0",
    "select {file} q --max-tokens 9 --tuning nofile",
    "select {file} q --max-tokens 9 --tuning bogus=1",
    "select {file} q --max-tokens 9 --pin nope",
    "select {file} q --max-tokens 9 --state /no/such/folder/state",
    "plan {file} q",
    "plan nonesuch q --max-tokens 9",
    "count nonesuch",
    "count {file} --model x.json",
]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    path = tmp_path / "pump.md"
    path.write_text("The pump stops at 9 bar.\n")
    return path


@pytest.mark.parametrize("line", MISTAKES)
def test_a_hint_names_only_what_there_is(line: str, file: Path) -> None:
    arguments = line.format(file=file).split()
    result = CliRunner().invoke(app, arguments)
    told = result.stderr
    assert result.exit_code in (1, 2)
    assert "Error" in told
    assert set(OPTION.findall(told)) <= OPTIONS[arguments[0]]
    names = entry_points(group="orchestrator_context.generators").names
    for name in re.findall(r"the name is (\S+?)(?::<model>)?(?:\s|$)", told):
        assert name in names
    if "DistillOptions" in told:
        for name in re.findall(r"set (\w+) in DistillOptions", told):
            assert hasattr(DistillOptions(), name)


def test_a_model_is_hinted_at_only_where_a_client_takes_one(file: Path) -> None:
    def told(*arguments: str) -> str:
        return CliRunner().invoke(app, ["distill", str(file), "q", *arguments]).stderr

    assert "extractive:" not in told("--client", "extractive", "--base-url", "http://x")
    assert "the name is extractive\n" in told("--client", "extractive:foo")
    assert "the name is openai:<model>" in told("--client", "openai")


def test_every_option_in_a_message_or_on_a_page_is_one() -> None:
    known = set().union(*OPTIONS.values(), {"--version"})
    found: dict[str, str] = {}
    for folder in ("orchestrator_context/cli", "docs"):
        for path in (ROOT / folder).iterdir():
            if path.suffix in (".py", ".md"):
                found |= dict.fromkeys(OPTION.findall(path.read_text(encoding="utf-8")), path.name)
    assert len(found) > 20
    assert {option: page for option, page in found.items() if option not in known} == {}


def test_what_is_to_be_installed_is_offered() -> None:
    offered = metadata("orchestrator-context").get_all("Provides-Extra") or []
    named: set[str] = set()
    for folder in ("orchestrator_context", "providers"):
        for path in (ROOT / folder).rglob("*.py"):
            named.update(re.findall(r"orchestrator-context\[(\w+)\]", path.read_text("utf-8")))
    assert named
    assert named <= set(offered)


def test_every_module_that_a_page_names_is_there() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    names = set(re.findall(r"^from (orchestrator_context[\w.]*) import", text, re.MULTILINE))
    assert names
    for name in names:
        importlib.import_module(name)
