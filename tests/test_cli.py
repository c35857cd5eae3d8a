from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from orchestrator_context.cli import app
from orchestrator_context.cli.distilling import options_of
from orchestrator_context.cli.exits import DISTILL_CODES
from orchestrator_context.cli.progress import figures
from orchestrator_context.cli.reporting import source_lines
from orchestrator_context.distill import DistillOptions
from orchestrator_context.events import DistillProgressed
from orchestrator_context.models import Source
from orchestrator_context.reports import Citation
from orchestrator_context.tokens import token_counter
from tests.loopback import Behaviour, Loopback, Request, fails, says

KEY = "sk-do-not-show-me"
QUESTION = "When was the pump of the station replaced?"
FILES = {
    "pumps.md": "# Pumps\n\nThe pump of the station was replaced on 3 March 2021 by two fitters.\n",
    "lunch.txt": "Lunch was soup with bread on most of the days, and everybody liked it a lot.\n",
    "src/[red]/a.py": '"""Valves."""\n\n\ndef close() -> None:\n    """Close a valve."""\n',
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small corpus, as the current folder."""
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return tmp_path


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback(answer=lambda request: "The pump was replaced in March. [S1]") as server:
        yield server


def run(*arguments: str, stdin: bytes | None = None) -> Result:
    result = CliRunner().invoke(app, list(arguments), input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert KEY not in result.output
    assert "Traceback" not in result.output or "--debug" in arguments
    return result


def test_each_option_reaches_its_setting() -> None:
    options = options_of(
        sizes=(1, 2, 3), pace=(4, 5.0, 6.0), ceilings=(7, 8, 9.0), skip_failures=True
    )
    assert options == DistillOptions(
        max_output_tokens=1,
        chunk_tokens=2,
        note_tokens=3,
        concurrency=4,
        requests_per_minute=5.0,
        tokens_per_minute=6.0,
        max_calls=7,
        max_tokens_spent=8,
        max_cost=9.0,
        on_error="skip",
        call_timeout_seconds=None,
        keep_notes=False,
    )


def openai(server: Loopback) -> list[str]:
    return ["--client", "openai:gpt-4o", "--base-url", f"{server.url}/v1"]


def start(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "orchestrator_context", *arguments]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def test_the_answer_and_nothing_else_is_on_standard_output(server: Loopback) -> None:
    result = run("distill", ".", QUESTION, *openai(server))
    assert result.exit_code == 0
    assert result.stdout == "The pump was replaced in March. [S1]\n"
    assert "[S1] lunch.txt:1\n" in result.stderr
    assert "distilled 3 documents, 3 chunks, 4 calls" in result.stderr


def test_it_works_without_any_model_or_network() -> None:
    result = run("distill", "*.md", "src", "lunch.txt", QUESTION)
    assert result.exit_code == 0
    assert "3 March 2021" in result.stdout
    assert "[S1] pumps.md:" in result.stderr


def test_markup_and_control_characters_pass_through_a_pipe(server: Loopback) -> None:
    server.script.extend([says("[bold]x[/bold] [S1]"), says("[red]\x1b[31m:smile: [/] [S1]")])
    result = run("distill", "src", QUESTION, *openai(server), "--quiet")
    assert result.stdout == "[red]\x1b[31m:smile: [/] [S1]\n"
    assert result.stderr == ""
    result = run("distill", "src", QUESTION, *openai(server))
    assert "[S1] src/[red]/a.py:" in result.stderr


def test_standard_input_is_read() -> None:
    text = FILES["pumps.md"].encode("utf-16")
    result = run("distill", "-", QUESTION, stdin=text)
    assert "3 March 2021" in result.stdout
    assert "[S1] stdin:" in result.stderr


def test_json_is_one_object(server: Loopback) -> None:
    server.script.extend([says("März [S1]")])
    result = run("distill", "src", QUESTION, *openai(server), "--json", "--max-output-tokens", "99")
    data = json.loads(result.stdout)
    assert data["text"] == "The pump was replaced in March. [S1]"
    assert data["model"] == "gpt-4o"
    assert [c["mark"] for c in data["citations"]] == ["[S1]"]
    assert data["citations"][0]["source"]["path"] == "src/[red]/a.py"
    assert data["report"]["calls"] == 2
    assert data["report"]["max_output_tokens"] == 99
    assert data["failed"] == data["notices"] == []
    assert result.stdout.isascii()


def test_json_tells_what_was_left_out(here: Path) -> None:
    (here / "uv.lock").write_text("x")
    (here / "empty.txt").write_text("")
    data = json.loads(run("distill", ".", QUESTION, "--json").stdout)
    assert data["notices"] == [{"path": "uv.lock", "reason": "generated"}]
    assert [skipped["path"] for skipped in data["skipped"]] == ["empty.txt"]
    assert (
        json.loads(run("distill", ".", QUESTION, "--json", "--include-generated").stdout)["report"][
            "documents"
        ]
        == len(FILES) + 2
    )


def test_an_estimate_makes_no_call(server: Loopback) -> None:
    prices = ["--price-in", "1000000", "--price-out", "0"]
    arguments = ["distill", ".", QUESTION, *openai(server), *prices, "--estimate"]
    text, data = run(*arguments).stdout, json.loads(run(*arguments, "--json").stdout)
    assert server.requests == []
    estimate = data["estimate"]
    assert (estimate["documents"], estimate["chunks"], estimate["calls"]) == (3, 3, 4)
    assert estimate["cost"] == estimate["usage"]["input_tokens"]
    assert text.startswith("3 documents, 3 chunks (0 copies), at most 4 calls, ")


@pytest.mark.parametrize(
    "option",
    """
    --max-output-tokens --chunk-tokens --concurrency --requests-per-minute --tokens-per-minute
    --max-calls --max-tokens-spent --max-cost --window
    """.split(),
)
def test_options_reach_the_run(server: Loopback, option: str) -> None:
    result = run("distill", ".", QUESTION, *openai(server), option, "-1")
    assert result.exit_code == 2
    assert f"{option.strip('-').replace('-', '_')} must be" in result.stderr
    result = run("distill", ".", QUESTION, *openai(server), option, "9000", "--estimate")
    assert result.exit_code == 0


def test_nothing_relevant_has_its_own_exit_code() -> None:
    result = run("distill", "lunch.txt", "Zebra quantum entanglement?")
    assert (result.exit_code, result.stdout) == (4, "")
    assert "Nothing in the corpus" in result.stderr


def test_a_skipped_failure_makes_the_run_incomplete(server: Loopback) -> None:
    server.script.append(fails(400))
    result = run("distill", ".", QUESTION, *openai(server), "--skip-failures", "--concurrency=1")
    assert result.exit_code == 3
    assert result.stdout.startswith("The pump was")
    assert "FAILED lunch.txt:1: ProviderRejectedError" in result.stderr
    assert "1 FAILED chunk" in result.stderr


def test_a_cut_off_answer_is_incomplete(server: Loopback) -> None:
    server.script.extend([says(), says("Cut off", finish="length")])
    result = run("distill", "pumps.md", QUESTION, *openai(server))
    assert (result.exit_code, result.stdout) == (3, "Cut off\n")


@pytest.mark.parametrize("status", [401, 404])
def test_a_service_that_refuses_fails_the_run(server: Loopback, status: int) -> None:
    server.script.extend([fails(status, message=f"bad key {KEY}")] * 3)
    result = run("distill", ".", QUESTION, *openai(server))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: ")
    assert str(status) in result.stderr


def test_a_limit_fails_the_run_and_the_checkpoint_goes_on(server: Loopback) -> None:
    arguments = ["distill", ".", QUESTION, *openai(server), "--checkpoint", "run.db"]
    result = run(*arguments, "--max-calls", "2", "--concurrency", "1")
    assert result.exit_code == 1
    assert "max_calls=2" in result.stderr
    assert "kept in run.db. Run the very same command again" in result.stderr
    result = run(*arguments, "--max-calls", "2", "--concurrency", "1")
    assert result.exit_code == 0
    assert "2 calls + 2 resumed" in result.stderr
    assert len(server.requests) == 4


def test_its_checkpoint_is_no_document() -> None:
    arguments = ["distill", ".", QUESTION, "--checkpoint", "run.db", "--json"]
    first, again = (json.loads(run(*arguments).stdout) for _ in range(2))
    assert Path("run.db").exists()
    assert first["notices"] == again["notices"]
    assert "run.db" not in json.dumps(again["notices"])


def test_nor_are_the_files_beside_it_while_another_run_uses_it() -> None:
    arguments = ["distill", ".", QUESTION, "--checkpoint", "run.db", "--json"]
    first = json.loads(run(*arguments).stdout)
    with closing(sqlite3.connect("run.db")) as connection:
        connection.execute("SELECT count(*) FROM answers").fetchone()
        Path("run.db-claims").touch()
        assert len(list(Path().glob("run.db*"))) == 4
        again = json.loads(run(*arguments).stdout)
    assert first["notices"] == again["notices"]
    assert first["report"]["documents"] == again["report"]["documents"]


def test_a_file_that_is_no_checkpoint_fails_the_run(server: Loopback) -> None:
    result = run("distill", ".", QUESTION, *openai(server), "--checkpoint", "lunch.txt")
    assert result.exit_code == 1
    assert "lunch.txt" in result.stderr
    assert server.requests == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["distill", "lunch.txt", "pumps.md"], "The question is missing: 'pumps.md'"),
        (["distill", "-"], "The question is missing: '-'"),
        (["distill", QUESTION], "Name what to read"),
        (["distill", "nope.txt", QUESTION], "no file or folder 'nope.txt'"),
        (["distill", "*.nope", QUESTION], "Nothing fits '*.nope'"),
        (["distill", ".", " "], "query must not be blank"),
        (["distill", ".", QUESTION, "--client", "nope:x"], "no provider 'nope'"),
        (["distill", ".", QUESTION, "--client", "openai"], "openai:<model>"),
        (["distill", ".", QUESTION, "--base-url", "http://x"], "base_url"),
        (["distill", ".", QUESTION, "--client", "openai:who-knows"], "--window TOKENS"),
        (["distill", ".", QUESTION, "--client", "openai:gpt-4o", "--window", "20"], "too small"),
        (["distill", ".", QUESTION, "--client=openai:who-knows", "--max-cost=1"], "--price-in"),
        (["distill", ".", QUESTION, "--price-in", "1"], "--price-out"),
        (["distill", ".", QUESTION, "--encoding", "nope"], "encoding must name"),
        (["distill", ".", QUESTION, "--nope"], "--nope"),
        (["distill"], "PATH"),
        (["count", "nope.txt"], "no file or folder 'nope.txt'"),
        (["count", "lunch.txt", "--model", "lunch/tokenizer.json"], "tokenizer"),
    ],
)
def test_mistakes_are_told_without_a_traceback(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_an_empty_corpus_is_a_mistake(here: Path) -> None:
    (here / "none").mkdir()
    (here / "none/photo.png").write_bytes(b"\0")
    for command in (["distill", "none", QUESTION], ["count", "none"]):
        result = run(*command)
        assert result.exit_code == 2
        assert "nothing to read; all that is there was left out as binary" in result.stderr


def test_debug_shows_the_traceback() -> None:
    result = run("distill", "nope.txt", QUESTION, "--debug")
    assert result.exit_code == 2
    assert "Traceback" in result.stderr
    assert "\nError: There is no file" in result.stderr


def test_count_says_what_the_counter_says() -> None:
    result = run("count", ".", "--model", "gpt-4o")
    counter = token_counter("gpt-4o")
    expected = {path: counter.count(text) for path, text in FILES.items()}
    rows = [line.split(maxsplit=1) for line in result.stdout.splitlines()]
    assert {path: int(tokens) for tokens, path in rows[:-1]} == expected
    assert rows[-1] == [str(sum(expected.values())), "in 3 files, exact by o200k_base"]
    data = json.loads(run("count", ".", "--model", "gpt-4o", "--json").stdout)
    assert data["tokens"] == sum(expected.values())
    assert {file["path"]: file["tokens"] for file in data["files"]} == expected
    assert (data["model"], data["counter"], data["exact"]) == ("gpt-4o", "o200k_base", True)


def test_count_says_that_it_estimates() -> None:
    result = run("count", "lunch.txt", "--model", "claude-sonnet-4")
    assert result.exit_code == 0
    assert "in 1 file, an upper estimate" in result.stdout
    assert json.loads(run("count", "lunch.txt", "--model=who", "--json").stdout)["exact"] is False


def test_count_reads_standard_input_and_reports_what_it_left_out(here: Path) -> None:
    (here / "greek.txt").write_bytes("Καλημέρα".encode("cp1253"))
    result = run("count", "-", "greek.txt", stdin=b"one two")
    assert result.stdout.splitlines()[0].split() == ["2", "stdin"]
    assert "left out files and folders: 1 undecodable" in result.stderr
    assert "undecodable: greek.txt" in result.stderr
    assert run("count", "greek.txt", "--encoding", "cp1253", "--quiet").stderr == ""


def test_help_and_version() -> None:
    assert run("--version").stdout.startswith("orchestrator-context 0.")
    text = run("distill", "--help").stdout
    for line in DISTILL_CODES.splitlines():
        assert line.split(";")[0][:40] in text
    assert "distill" in run("--help").stdout


def test_figures_tell_how_far_a_run_is() -> None:
    event = DistillProgressed("map", 12, 1_040, 13, 2, 45_210, 0.01234, 10.0, 3_725.0)
    assert figures(event, 3) == (
        "12 of 1,040 chunks, 13 calls, 2 resumed, 45,210 tokens, $0.0123, 3 failed attempts, "
        "about 1:02:05 left"
    )
    event = DistillProgressed("reduce", 7, None, 8, 0, 1, None, 10.0, None)
    assert figures(event, 0) == "7 chunks, joining notes, 8 calls, 1 token"


def test_ctrl_c_keeps_the_checkpoint_and_the_same_command_goes_on() -> None:
    answered, hangs = 2, [True]

    def behave(request: Request) -> Behaviour | None:
        late = len(service.requests) > answered
        return says(delay_seconds=60) if late and hangs[0] else None

    with Loopback(behave=behave) as service:
        arguments = ["distill", ".", QUESTION, *openai(service), "--concurrency", "1"]
        arguments += ["--checkpoint", "run.db"]
        process = start(*arguments)
        wait_for(lambda: len(service.requests) > answered, process)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        assert (process.returncode, stdout) == (130, "")
        assert stderr.endswith(
            "Stopped.\nAnswers are kept in run.db. Run the very same command again to "
            "go on from there.\n"
        )
        hangs[0] = False
        process = start(*arguments)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0
    assert stdout.startswith("echo ")
    assert "2 calls + 2 resumed" in stderr
    assert KEY not in stdout + stderr
    first = [request.hash for request in service.requests[:answered]]
    assert not set(first) & {request.hash for request in service.requests[answered:]}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_ctrl_c_stops_a_run_that_waits_for_its_input(here: Path) -> None:
    os.mkfifo(here / "pipe")
    process = start("distill", "pipe", QUESTION)
    with open(here / "pipe", "wb"):  # opens when the other side does
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout, stderr) == (130, "", "Stopped.\n")


def wait_for(condition: Any, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_reader_that_goes_away_is_no_error(here: Path) -> None:
    for number in range(200):
        (here / f"{number}.txt").write_text("x")
    read, written = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "orchestrator_context", "count", "."]
    with os.fdopen(written, "wb") as pipe:
        result = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, check=False)
    assert (result.returncode, result.stderr) == (0, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals here")
def test_a_terminal_shows_a_bar_and_obeys_nothing_from_the_answer(server: Loopback) -> None:
    import pty

    server.script.extend([says("note [S1]"), says("\x1b]0;title\x07 [bold]answer[/bold] [S1]")])
    main, side = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "120"}
    arguments = ["distill", "pumps.md", QUESTION, *openai(server)]
    command = [sys.executable, "-m", "orchestrator_context", *arguments]
    process = subprocess.Popen(command, stdout=side, stderr=side, env=environment)
    os.close(side)
    shown = b"".join(iter(lambda: read_all(main), b"")).decode()
    assert process.wait(60) == 0
    os.close(main)
    assert "━" in shown
    assert "\ufffd]0;title\ufffd [bold]answer[/bold] [S1]" in shown
    assert "[S1] pumps.md:" in shown


def read_all(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except OSError:  # Linux ends a pseudo-terminal with an error
        return b""


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors are not closed like this there")
@pytest.mark.parametrize("closed", [(1,), (2,), (1, 2)])
def test_closed_output_streams_are_no_error(closed: tuple[int, ...], server: Loopback) -> None:
    arguments = ["distill", "pumps.md", QUESTION, *openai(server)]

    def close() -> None:
        for descriptor in closed:
            os.close(descriptor)

    process = start(*arguments, preexec_fn=close)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0
    assert ("March" in stdout) is (1 not in closed)
    assert "Traceback" not in stderr


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors are not closed like this there")
def test_closed_standard_input_is_named() -> None:
    process = start("count", "-", preexec_fn=lambda: os.close(0))
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (2, "")
    assert stderr == "Error: Standard input is closed, so there is nothing to read in it\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_disk_is_an_error_and_not_a_traceback() -> None:
    command = [sys.executable, "-m", "orchestrator_context", "count", "."]
    with open("/dev/full", "wb") as full:
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
        assert (result.returncode, result.stderr) == (1, b"Error: No space left on device\n")
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=full, check=False)
        assert result.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("option", ["--version", "--help"])
def test_what_a_command_says_of_itself_meets_a_full_disk_too(option: str) -> None:
    command = [sys.executable, "-m", "orchestrator_context", option]
    with open("/dev/full", "wb") as full:
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (result.returncode, result.stderr) == (1, b"Error: No space left on device\n")


def test_programs_get_utf_8_whatever_the_locale(here: Path) -> None:
    (here / "泵.txt").write_text("The pump 泵 of Σ 😀 was replaced.\n", encoding="utf-8")
    command = [sys.executable, "-m", "orchestrator_context"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    for arguments in (["select", "泵.txt", "pump", "--max-tokens", "500"], ["count", "泵.txt"]):
        result = subprocess.run(
            [*command, *arguments], env=environment, capture_output=True, check=True
        )
        assert "泵" in result.stdout.decode("utf-8")


def test_a_terminal_that_cannot_show_a_text_is_named(here: Path) -> None:
    (here / "泵.txt").write_text("The pump was replaced.\n", encoding="utf-8")
    leader, follower = os.openpty()
    command = [sys.executable, "-m", "orchestrator_context", "count", "泵.txt", "泵.txt"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    result = subprocess.run(
        command, env=environment, stdout=follower, stderr=subprocess.PIPE, check=True
    )
    os.close(follower)
    shown = read_all(leader)
    os.close(leader)
    assert b"?.txt" in shown
    assert result.stderr.count(b"This terminal takes ascii and cannot show") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_json_holds_no_lone_surrogate(here: Path) -> None:
    name = os.fsdecode(b"bad\xff.txt")
    (here / name).write_text("The pump of the station \\udcff was replaced 😀.\n", encoding="utf-8")
    for command in (["count"], ["select", "--max-tokens", "500"], ["distill"]):
        question = [] if command == ["count"] else [QUESTION]
        text = run(*command, "--json", name, *question).stdout
        assert text.isascii()
        assert "\\udcff" not in text.replace("\\\\udcff", "")
        whole = str(json.loads(text))
        assert "bad\ufffd.txt" in whole
        whole.encode("utf-8")


def test_an_unreadable_ignore_file_makes_a_command_incomplete(here: Path) -> None:
    (here / "src" / ".gitignore").symlink_to(".gitignore")
    result = run("count", ".")
    assert result.exit_code == 3
    assert "unreadable: src/.gitignore" in result.stderr
    assert "a.py" not in result.stdout
    result = run("count", "src")
    assert (result.exit_code, "src/.gitignore" in result.stderr) == (2, True)


def test_paths_cannot_pose_as_other_lines(here: Path, server: Loopback) -> None:
    (here / "a\n(S9) forged.txt").write_text("The pump of the station was replaced in March.\n")
    result = run("distill", "a\n(S9) forged.txt", QUESTION, *openai(server))
    assert "[S1] a\ufffd(S9) forged.txt:1" in result.stderr
    result = run("count", "a\n(S9) forged.txt")
    assert len(result.stdout.splitlines()) == 2


def test_a_mark_of_many_places_has_some_of_them_listed() -> None:
    citations = [Citation("[S1]", Source(f"{i}.txt", 1, 2)) for i in range(25)]
    *lines, last = source_lines([*citations, Citation("[S2]", Source("z.txt", 1, 1))])
    assert lines[:10] == [f"[S1] {i}.txt:1-2" for i in range(10)]
    assert (lines[10:], last) == (["[S1] and 15 more"], "[S2] z.txt:1")


def test_long_lists_of_copies_are_cut() -> None:
    place = Source("a.txt", 1, 2)
    (line,) = source_lines([Citation("[S1]", place, (place,) * 25)])
    assert line.count("a.txt") == 11
    assert line.endswith("15 more)")


@pytest.mark.parametrize(
    ("pairs", "code", "told"),
    [
        (["window_size=3"], 2, "window_size"),
        (["reasoning_tokens"], 2, "NAME=VALUE"),
        (["window=3"], 2, "options of their own"),
        (["temperature=0", "temperature=1"], 2, "each name once"),
    ],
)
def test_settings_of_the_client_are_checked(pairs: list[str], code: int, told: str) -> None:
    options = [part for pair in pairs for part in ("--client-option", pair)]
    result = CliRunner().invoke(app, ["distill", __file__, "What?", *options])
    assert result.exit_code == code
    assert told in result.stderr


def test_settings_of_the_client_reach_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The pump holds 2 bar.")
    with Loopback() as server:
        options = ["--client", "openai:gpt-4o", "--base-url", server.url]
        question = [str(tmp_path / "a.txt"), "What?"]
        setting = ["--client-option", "temperature=0.5"]
        result = CliRunner().invoke(app, ["distill", *question, *options, *setting])
        assert {request.json["temperature"] for request in server.requests} == {0.5}
    assert result.exit_code == 0, result.stderr
