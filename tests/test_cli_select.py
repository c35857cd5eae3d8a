from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from orchestrator_context.cli import app
from orchestrator_context.cli.selecting import replace_file
from orchestrator_context.cli.tuning import select_options
from orchestrator_context.corpus import Corpus, SelectOptions, parse
from orchestrator_context.exceptions import ConfigurationError, RankIndexError
from orchestrator_context.files import read_documents
from orchestrator_context.rank import RankIndex
from orchestrator_context.tokens import token_counter

QUESTION = "When does the pump stop?"
FILES = {
    "pumps.md": "# Pumps\n\nThe pump stops at 9 bar.\n" * 3,
    "lunch.txt": "Lunch was soup with bread on most of the days. " * 40,
    "src/valve.py": '"""Valves."""\n\n\ndef close() -> None:\n    """Close a valve."""\n',
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path, text in FILES.items():
        (tmp_path / "corpus" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "corpus" / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def select(*arguments: str, tokens: int = 100) -> Result:
    return run("select", "corpus", QUESTION, "--max-tokens", str(tokens), *arguments)


def test_the_text_is_on_standard_output_and_the_account_on_standard_error() -> None:
    result = select("--strategy", "ranked")
    assert result.exit_code == 0
    assert [one.path for one in parse(result.stdout)] == ["corpus/pumps.md", "corpus/src/valve.py"]
    assert token_counter().count(result.stdout) <= 100
    assert "2 of 3 documents as ranked" in result.stderr
    assert select("--quiet").stderr == ""


def test_one_json_object_holds_all() -> None:
    result = select("--json", "--strategy", "packed", "--quiet")
    data = json.loads(result.stdout)
    assert {one.path for one in parse(data["text"])} == {one["path"] for one in data["documents"]}
    assert data["report"]["representation"] == "packed"
    forms = {(one["form"], bool(one["lines"])) for one in data["documents"]}
    assert forms <= {("whole", False), ("partial", True)}
    assert data["report"]["tokens"] <= 100
    assert (data["required_omitted"], data["notices"]) == ([], [])


def test_a_plan_is_a_table_to_choose_from() -> None:
    result = run("plan", "corpus", QUESTION, "--max-tokens", "100")
    assert result.exit_code == 0
    for name in ("whole", "ranked", "tiered", "packed"):
        assert name in result.stdout
    assert result.stdout.count("* ") == 1
    assert "3 documents of" in result.stdout
    data = json.loads(run("plan", "corpus", QUESTION, "--max-tokens", "100", "--json").stdout)
    assert [one["strategy"] for one in data["plan"]["options"]] == [
        "whole", "ranked", "tiered", "packed",
    ]  # fmt: skip
    found = {one["strategy"]: one["relevance"] for one in data["plan"]["options"]}
    assert found[data["plan"]["best"]] == max(found.values()) > 0
    assert f"{max(found.values()):.0%}" in result.stdout


def test_a_plan_says_nothing_is_left_out_where_all_documents_are_there_in_part() -> None:
    Path("long.txt").write_text("The pump stops.\n" * 2_000)
    result = run("plan", "long.txt", QUESTION, "--max-tokens", "1000")
    packed = next(line for line in result.stdout.splitlines() if "packed" in line)
    assert "in parts" in packed
    assert "nothing" in packed
    assert " 0 documents" not in result.stdout
    assert re.search(r"1 document of \d+,\d{3} tokens", result.stdout)


def test_a_plan_in_which_nothing_fits_recommends_nothing() -> None:
    result = run("plan", "corpus", QUESTION, "--max-tokens", "3")
    assert result.exit_code == 0
    assert "* " not in result.stdout
    assert "nothing to select" in result.stdout


def test_a_plan_says_what_select_does() -> None:
    data = json.loads(run("plan", "corpus", QUESTION, "--max-tokens", "100", "--json").stdout)
    for outlook in data["plan"]["options"]:
        report = json.loads(select("--json", "--strategy", outlook["strategy"]).stdout)["report"]
        assert (report["tokens"], report["size_bytes"]) == (
            outlook["tokens"],
            outlook["size_bytes"],
        )


def test_a_budget_or_a_known_window_is_needed() -> None:
    result = run("select", "corpus", QUESTION)
    assert result.exit_code == 2
    assert "--max-tokens TOKENS" in result.stderr
    assert result.stdout == ""
    assert run("select", "corpus", QUESTION, "--model", "gpt-4o").exit_code == 0
    assert run("plan", "corpus", QUESTION, "--model", "nobody-knows").exit_code == 2
    assert run("select", "corpus", QUESTION, "--max-tokens", "0").exit_code == 2


def test_nothing_to_read_and_nothing_that_fits() -> None:
    Path("empty").mkdir()
    assert run("select", "empty", QUESTION, "--max-tokens", "100").exit_code == 2
    assert run("select", "no-such", QUESTION, "--max-tokens", "100").exit_code == 2
    assert select(tokens=3).exit_code == 4


def test_what_answers_nothing_is_told_and_no_file_poses_as_an_answer() -> None:
    Path("corpus/empty.py").touch()
    planned = run("plan", "corpus", "zebra quagga", "--max-tokens", "4000")
    assert "NOTHING matches the question" in planned.stdout
    assert "100%" not in planned.stdout
    assert planned.stdout.count(" 0% ") == 4
    assert "NOTHING matches" in run("select", "corpus", "zebra", "--max-tokens", "400").stderr
    nothing = run("select", "corpus", "pump", "--max-tokens", "22", "--strategy", "ranked")
    assert nothing.exit_code == 4
    assert "empty.py" not in nothing.stdout
    pinned = ("--pin", "corpus/empty.py", "--strategy", "ranked", "--max-tokens", "25")
    beside = run("select", "corpus", "pump", *pinned)
    assert (beside.exit_code, "empty.py" in beside.stdout) == (3, True)
    assert "NONE of 1 that match" in beside.stderr


def test_pinned_files_come_first() -> None:
    result = select("--pin", "corpus/lunch.txt", tokens=600)
    assert "lunch.txt" in result.stdout
    result = select("--pin", "corpus/lunch.txt")
    assert result.exit_code == 3
    assert "pinned, and does not fit: corpus/lunch.txt" in result.stderr
    assert select("--pin", "no-such.txt").exit_code == 2


def test_ceilings_and_order() -> None:
    data = json.loads(select("--json", "--max-documents", "1", tokens=4_000).stdout)
    assert len(data["documents"]) == 1
    result = run("select", "corpus", QUESTION, "--max-bytes", "200")
    assert 0 < len(result.stdout.encode()) <= 200
    ranked = parse(select("--order", "rank", tokens=4_000).stdout)
    assert ranked[0].path == "corpus/pumps.md"
    assert parse(select(tokens=4_000).stdout)[0].path == "corpus/lunch.txt"


def test_the_state_is_read_and_written() -> None:
    tuned = ("--state", "state.json", "--tuning", "rank.carry_over_bonus=5")
    first = select(*tuned, "--strategy", "ranked")
    state = json.loads(Path("state.json").read_text())
    assert [path for path, _ in state["entries"]] == ["corpus/pumps.md", "corpus/src/valve.py"]
    assert stat.S_IMODE(Path("state.json").stat().st_mode) == 0o600
    again = select(*tuned, "--strategy", "ranked")
    assert again.stdout == first.stdout
    assert "2 carried over" in again.stderr
    assert sorted(path.name for path in Path().iterdir()) == ["corpus", "state.json"]
    for damaged in ("", "[]", '{"version": 9}', "\0"):
        Path("state.json").write_text(damaged)
        refused = select("--state", "state.json")
        assert refused.exit_code == 2
        assert "state.json cannot be read as the state of a selection; remove it" in refused.stderr
        assert Path("state.json").read_text() == damaged


def test_a_state_that_cannot_be_written_is_an_error() -> None:
    result = select("--state", "no/such/folder/state.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--state no/such/folder/state.json cannot be written" in result.stderr
    with pytest.raises(OSError, match=r"folder/state\.json"):
        replace_file(Path("no/such/folder/state.json"), "")
    result = select("--index", "no/such/folder/words.index")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no/such/folder/words.index cannot be written" in result.stderr


@pytest.mark.parametrize("command", ["select", "plan"])
def test_files_of_its_own_are_no_documents(command: str) -> None:
    Path("corpus/tuning.toml").write_text("chunk_tokens = 99\n")
    call = [command, "corpus", "corpus/**/*.json", QUESTION, "--max-tokens", "4000", "--json"]
    own = ["--index", "corpus/words.index", "--tuning", "./corpus/src/../tuning.toml"]
    Path("corpus/other.json").write_text("{}")
    before = run(*call, *own).stdout
    select("--state", "corpus/state.json")
    assert Path("corpus/state.json").exists()
    own += ["--state", "corpus/state.json"]
    after = run(*call, *own).stdout
    assert json.loads(after)["notices"] == []
    assert "tuning.toml" not in after
    if command == "select":
        assert json.loads(after)["documents"] == json.loads(before)["documents"]
        assert {one.path for one in parse(json.loads(after)["text"])} >= {"corpus/other.json"}
        assert "tuning.toml" in run(*call).stdout
    else:
        assert json.loads(after)["plan"] == json.loads(before)["plan"]


def test_the_index_is_kept_and_made_anew_when_files_change() -> None:
    plain = select().stdout
    assert select("--index", "words.index").stdout == plain
    before = Path("words.index").stat().st_mtime_ns
    assert select("--index", "words.index").stdout == plain
    assert Path("words.index").stat().st_mtime_ns == before
    Path("corpus/pumps.md").write_text("The pump stops at 8 bar.\n")
    assert "8 bar" in select("--index", "words.index").stdout
    assert Path("words.index").stat().st_mtime_ns != before


def test_counts_of_each_model_are_added_to_the_index() -> None:
    selected = [select("--index", "words.index", "--model", "o200k_base").stdout]
    selected.append(select("--index", "words.index", "--model", "cl100k_base").stdout)
    before = Path("words.index").stat().st_mtime_ns
    again = ("cl100k_base", "o200k_base")
    selected += [select("--index", "words.index", "--model", model).stdout for model in again]
    assert Path("words.index").stat().st_mtime_ns == before
    assert selected[1] == selected[2]
    assert selected[0] == selected[3]
    documents = list(read_documents(["corpus"]))
    for model in ("cl100k_base", "o200k_base"):
        assert Corpus.load("words.index", documents, counter=token_counter(model)).has_counts
    other = token_counter("claude-sonnet-4-5")
    assert not Corpus.load("words.index", documents, counter=other).has_counts


def test_an_index_without_counts_serves_where_it_cannot_be_written(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = select().stdout
    RankIndex.build(read_documents(["corpus"])).save("words.index")

    def refuse(*_: object, **__: object) -> None:
        raise RankIndexError("full")

    monkeypatch.setattr(RankIndex, "save", refuse)
    assert select("--index", "words.index").stdout == plain


@pytest.mark.parametrize("command", ["select", "plan"])
def test_a_file_of_something_else_is_no_index_and_stays(command: str) -> None:
    Path("notes.md").write_text("my notes")
    result = run(command, "corpus", "pump", "--max-tokens", "300", "--index", "notes.md")
    assert result.exit_code == 1
    assert "notes.md is a file of something else" in result.stderr
    assert Path("notes.md").read_text() == "my notes"


def test_settings_come_from_options_single_ones_the_preset_and_files_in_this_order() -> None:
    Path("tuning.json").write_text(
        '{"diversity": 0.9, "chunk_tokens": 99, "rank": {"stem": false, "path_weight": 7}}'
    )
    Path("tuning.toml").write_text('strategy = "ranked"\noverview_share = 0.3\n')
    tuning = ["rank.anchor_bonus=2", "diversity=0.7", "tuning.json", "tuning.toml"]
    options = select_options(tuning, "recommended", {"strategy": "packed", "render_order": None})
    recommended = SelectOptions.recommended()
    assert options.strategy == "packed"
    assert (options.diversity, options.chunk_tokens, options.overview_share) == (0.7, 99, 0.3)
    assert options.rank.stem is True
    assert (options.rank.path_weight, options.rank.anchor_bonus) == (7, 2)
    assert options.dedup == recommended.dedup
    assert select_options([], "default", {}) == SelectOptions()
    assert select_options([], "recommended", {}) == recommended


@pytest.mark.parametrize(
    "setting",
    ["diversity=2", "no_such=1", "rank.no_such=1", "stem=true", "chunk_tokens=true", "rank=3",
     "no-such.json", "broken.json", "list.json"],
)  # fmt: skip
def test_a_setting_that_cannot_be_used_is_refused(setting: str) -> None:
    Path("broken.json").write_text("{")
    Path("list.json").write_text("[]")
    with pytest.raises(ConfigurationError):
        select_options([setting], "default", {})
    assert select("--tuning", setting).exit_code == 2


def test_each_setting_can_be_given_as_a_key() -> None:
    for name, value in SelectOptions.recommended().to_mapping().items():
        entries = value.items() if isinstance(value, dict) else [(None, value)]
        for inner, one in entries:
            key = name if inner is None else f"{name}.{inner}"
            select_options([f"{key}={json.dumps(one)}"], "default", {})
