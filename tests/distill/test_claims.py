"""Claims: while one run asks, all others that share its file can tell, in whatever process."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from orchestrator_context.distill import DistillOptions, distill
from orchestrator_context.distill.checkpoint import Checkpoint
from orchestrator_context.distill.claims import Claims
from orchestrator_context.exceptions import CheckpointError, ProviderUnavailableError
from orchestrator_context.models import Document
from orchestrator_context.retrying import RetryPolicy
from orchestrator_context.testing import Call, ScriptedGenerator

KEYS = [bytes([number]) * 16 for number in range(4)]
HOLD = """
import sys
from pathlib import Path
from orchestrator_context.distill.claims import Claims

claims = Claims.beside(Path(sys.argv[1]))
print([claims.take(bytes.fromhex(key)) for key in sys.argv[2:]], flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.checkpoint"


@contextmanager
def holder(path: Path, *keys: bytes) -> Iterator[subprocess.Popen[str]]:
    """Run a process that claims `keys` and holds them until its standard input ends."""
    command = [sys.executable, "-c", HOLD, str(path), *(key.hex() for key in keys)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"{[True] * len(keys)}\n"
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def opened(path: Path) -> Iterator[Claims]:
    claims = Claims.beside(path)
    try:
        yield claims
    finally:
        claims.close()


def test_a_key_is_claimed_once_in_a_process(path: Path) -> None:
    with opened(path) as one, opened(path) as other:
        assert one is other
        assert one.take(KEYS[0])
        assert not other.take(KEYS[0])
        assert other.is_taken(KEYS[0])
        assert not other.is_taken(KEYS[1])
        one.give_up(KEYS[0])
        assert other.take(KEYS[0])
        other.give_up(KEYS[0])


def test_and_once_in_all_processes(path: Path) -> None:
    with opened(path) as claims:
        with holder(path, *KEYS[:2]):
            assert [claims.is_taken(key) for key in KEYS] == [True, True, False, False]
            assert [claims.take(key) for key in KEYS] == [False, False, True, True]
        claims.give_up(KEYS[2])
        claims.give_up(KEYS[3])


@pytest.mark.parametrize("way", [signal.SIGKILL, signal.SIGTERM])
def test_a_claim_ends_with_its_process(path: Path, way: signal.Signals) -> None:
    with opened(path) as claims, holder(path, KEYS[0]) as process:
        assert claims.is_taken(KEYS[0])
        process.send_signal(way)
        process.wait()
        assert not claims.is_taken(KEYS[0])


def test_names_of_one_file_are_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = path.with_name("link")
    link.symlink_to(path.name)
    monkeypatch.chdir(path.parent)
    with opened(path) as one, opened(link) as other, opened(Path(path.name)) as third:
        assert one is other is third


def test_the_last_one_removes_the_file(path: Path) -> None:
    with opened(path):
        with opened(path), holder(path):
            pass
        assert [each.name for each in path.parent.iterdir()] == [path.name + "-claims"]
    assert list(path.parent.iterdir()) == []


def test_not_while_another_process_uses_it(path: Path) -> None:
    with holder(path, KEYS[0]):
        with opened(path):
            pass
        with opened(path) as claims:
            assert claims.is_taken(KEYS[0])


def test_a_file_that_is_not_ours_stays(path: Path) -> None:
    notes = path.with_name(path.name + "-claims")
    notes.write_text("my claims")
    with opened(path) as claims:
        assert claims.take(KEYS[0])
        claims.give_up(KEYS[0])
    assert notes.read_text() == "my claims"


def test_a_file_removed_while_it_is_opened_is_made_again(path: Path) -> None:
    """Many open and close it at once; none of them may end up with a file that is gone."""
    failures: list[BaseException] = []

    def use() -> None:
        try:
            for _ in range(200):
                with opened(path) as claims:
                    claims.is_taken(KEYS[1])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=use) for _ in range(4)]
    with holder(path, KEYS[0]):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_holds_nothing_of_its_parent(path: Path) -> None:
    with opened(path) as claims:
        assert claims.take(KEYS[0])
        child = os.fork()
        if child == 0:
            with opened(path) as own:
                os._exit(10 * own.take(KEYS[0]) + own.take(KEYS[1]))
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 1
        assert claims.is_taken(KEYS[0])
        claims.give_up(KEYS[0])


@pytest.mark.anyio
async def test_no_place_for_the_file_is_an_error_of_the_checkpoint(path: Path) -> None:
    path.with_name(path.name + "-claims").mkdir()
    with pytest.raises(CheckpointError, match=r"checkpoint-claims, .* Is a directory; remove it"):
        async with Checkpoint(path):
            pass
    assert not Checkpoint(path).is_open


def corpus(size: int) -> list[Document]:
    return [Document(f"d{at}", f"Station {at} holds {at * 7} bar.") for at in range(size)]


async def runs(path: Path, models: list[ScriptedGenerator], **settings: Any) -> list[Any]:
    """Distil one corpus with several models at once, each by a run of its own."""
    results: list[Any] = [None] * len(models)
    options = DistillOptions(max_output_tokens=64, concurrency=4, **settings)

    async def run(at: int, journal: Checkpoint | Path) -> None:
        results[at] = await distill(
            corpus(30), "q", client=models[at], options=options, checkpoint=journal
        )

    async with Checkpoint(path) as shared, anyio.create_task_group() as tasks:
        for at in range(len(models)):
            tasks.start_soon(run, at, shared if at % 2 else path)
    return results


def slow(
    failure: Callable[[Call], Exception | None] = lambda call: None, seconds: float = 0.01
) -> ScriptedGenerator:
    def script(call: Call) -> Any:
        return failure(call) or "A note."

    return ScriptedGenerator(script, window=600, delay_seconds=seconds)


@pytest.mark.anyio
class TestRuns:
    async def test_runs_at_the_same_time_pay_once(self, path: Path) -> None:
        alone = slow()
        expected = await distill(
            corpus(30), "q", client=alone, options=DistillOptions(max_output_tokens=64)
        )
        models = [slow() for _ in range(3)]
        results = await runs(path, models)
        assert [result.text for result in results] == [expected.text] * 3
        assert sum(len(model.calls) for model in models) == len(alone.calls)
        reports = [result.report for result in results]
        assert [one.calls + one.resumed_calls for one in reports] == [len(alone.calls)] * 3

    async def test_what_one_run_cannot_do_another_one_does(self, path: Path) -> None:
        down = ProviderUnavailableError("down", provider="x", status=500)
        broken = slow(lambda call: down if call.number < 6 else None)
        works = slow()
        retry = RetryPolicy(max_attempts=9, first_delay_seconds=0.5, max_delay_seconds=0.5)
        first, second = await runs(path, [broken, works], retry=retry)
        assert first.text == second.text
        calls = [result.report.calls for result in (first, second)]
        assert sum(calls) == calls[0] + first.report.resumed_calls
        assert len(works.calls) >= 6

    async def test_the_attempts_of_a_run_are_counted_on_while_it_waits(self, path: Path) -> None:
        """Else runs that share a service that is down take turns and never give up."""
        down = ProviderUnavailableError("down", provider="x", status=500)
        models = [slow(lambda call: down, seconds=0.05) for _ in range(4)]
        retry = RetryPolicy(max_attempts=3, first_delay_seconds=0.1, max_delay_seconds=0.1)
        options = DistillOptions(max_output_tokens=64, retry=retry)

        async def run(model: ScriptedGenerator) -> None:
            with pytest.raises(ProviderUnavailableError, match="down"):
                await distill(corpus(1), "q", client=model, options=options, checkpoint=path)

        async with anyio.create_task_group() as tasks:
            for model in models:
                tasks.start_soon(run, model)
        assert [len(model.calls) for model in models] == [3] * 4

    async def test_a_run_that_is_cancelled_leaves_no_claim(self, path: Path) -> None:
        stuck = ScriptedGenerator(window=8_000, delay_seconds=1_000)
        async with Checkpoint(path) as journal:
            with anyio.move_on_after(0.3):
                await distill(corpus(9), "q", client=stuck, checkpoint=journal)
            assert stuck.calls
            with anyio.fail_after(20):
                await distill(corpus(9), "q", client=ScriptedGenerator(), checkpoint=journal)

    async def test_a_process_that_hangs_is_not_waited_for_forever(self, path: Path) -> None:
        """It holds every claim, and does not come back."""
        model = ScriptedGenerator()
        async with Checkpoint(path.with_name("other")) as journal:
            await distill(corpus(1), "q", client=model, checkpoint=journal)
        with closing(sqlite3.connect(path.with_name("other"))) as connection:
            keys = [key for (key,) in connection.execute("SELECT key FROM answers")]
        with holder(path, *keys):
            again = ScriptedGenerator()
            options = DistillOptions(call_timeout_seconds=0.2)
            with anyio.fail_after(20):
                await distill(corpus(1), "q", client=again, options=options, checkpoint=path)
        assert len(again.calls) == len(model.calls) == len(keys)

    async def test_once_it_is_gone_others_can_tell_who_asks_in_its_place(self, path: Path) -> None:
        async with Checkpoint(path.with_name("other")) as journal:
            await distill(corpus(1), "q", client=ScriptedGenerator(), checkpoint=journal)
        with closing(sqlite3.connect(path.with_name("other"))) as connection:
            keys = [key for (key,) in connection.execute("SELECT key FROM answers")]
        claimed: list[int] = []
        with holder(path, *keys) as process, opened(path) as claims:

            def script(call: Call) -> Any:
                process.kill()
                process.wait()
                claimed.append(sum(claims.is_taken(key) for key in keys))
                down = ProviderUnavailableError("down", provider="x", status=500)
                return down if call.number == 0 else "A note."

            retry = RetryPolicy(first_delay_seconds=0.01)
            options = DistillOptions(call_timeout_seconds=0.2, retry=retry)
            model = ScriptedGenerator(script)
            with anyio.fail_after(20):
                await distill(corpus(1), "q", client=model, options=options, checkpoint=path)
        assert claimed == [0, 1, 0]  # at first the claim was another's; the last call has a new key
