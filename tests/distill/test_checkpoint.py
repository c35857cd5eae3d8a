"""The journal on real files: what was put is found again, and damage never becomes an answer."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path
from random import Random

import anyio
import pytest

from orchestrator_context.distill.checkpoint import APPLICATION_ID, VERSION, Checkpoint
from orchestrator_context.exceptions import CheckpointError
from orchestrator_context.models import FinishReason, Generation, Usage
from tests.linear import assert_linear

pytestmark = pytest.mark.anyio

ANSWER = Generation("It holds 2.1 bar.", Usage(10, 5), "stop")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.checkpoint"


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def key(number: int) -> bytes:
    return number.to_bytes(16, "big")


@pytest.fixture
def refusal(anyio_backend: str) -> Callable[[Path], str]:
    """Return a function that opens a file, reads every key and returns why that was refused."""

    def refused(path: Path) -> str:
        with pytest.raises(CheckpointError) as caught:
            anyio.run(reread, path, [key(1), key(2)], backend=anyio_backend)
        return str(caught.value)

    return refused


async def write(path: Path, answers: dict[bytes, Generation]) -> None:
    async with Checkpoint(path) as journal:
        for each, answer in answers.items():
            await journal.put(each, answer)


async def reread(path: Path, keys: list[bytes]) -> list[Generation | None]:
    async with Checkpoint(path) as journal:
        return [journal.get(each) for each in keys]


class TestKeeping:
    @pytest.mark.parametrize(
        "text",
        ["x", "", "水位計\n\r\n\x85", "lone \ud83d and \udc00", "nul \0 bom \ufeff", "👩‍🚒" * 9],
    )
    @pytest.mark.parametrize("usage", [None, Usage(), Usage(10**12, 7)])
    async def test_an_answer_comes_back_as_it_was(
        self, path: Path, text: str, usage: Usage | None
    ) -> None:
        reasons: tuple[FinishReason, ...] = ("stop", "length", "other")
        answers = {key(i): Generation(text, usage, reason) for i, reason in enumerate(reasons)}
        async with Checkpoint(path) as journal:
            for each, answer in answers.items():
                assert journal.get(each) is None
                await journal.put(each, answer)
                assert journal.get(each) == answer
        assert await reread(path, list(answers)) == list(answers.values())

    async def test_the_first_answer_to_a_key_stands(self, path: Path) -> None:
        async with Checkpoint(path) as journal:
            await journal.put(key(1), ANSWER)
            await journal.put(key(1), Generation("another"))
            assert journal.get(key(1)) == ANSWER

    async def test_many_at_once_share_commits(self, path: Path) -> None:
        async with Checkpoint(path) as journal:
            async with anyio.create_task_group() as tasks:
                for number in range(500):
                    tasks.start_soon(journal.put, key(number), Generation(str(number)))
            found = [journal.get(key(number)) for number in range(500)]
        assert found == [Generation(str(number)) for number in range(500)]

    def test_ten_thousand_answers_take_linear_time(
        self, tmp_path: Path, anyio_backend: str
    ) -> None:
        paths = (tmp_path / f"{number}.checkpoint" for number in count())

        async def use(path: Path, answers: int) -> None:
            async with Checkpoint(path) as journal, anyio.create_task_group() as tasks:
                for number in range(answers):
                    tasks.start_soon(journal.put, key(number), ANSWER)
            async with Checkpoint(path) as journal:
                assert all(journal.get(key(number)) == ANSWER for number in range(answers))

        def run(answers: int) -> None:
            anyio.run(use, next(paths), answers, backend=anyio_backend)

        assert_linear(run, int, small=600)

    async def test_a_large_answer(self, path: Path) -> None:
        large = Generation("x水" * 3_000_000)
        await write(path, {key(1): large})
        assert await reread(path, [key(1)]) == [large]

    async def test_cancellation_does_not_take_a_paid_answer_away(self, path: Path) -> None:
        async with Checkpoint(path) as journal:
            with anyio.CancelScope() as scope:
                scope.cancel()
                await journal.put(key(1), ANSWER)
            assert journal.get(key(1)) == ANSWER
        assert await reread(path, [key(1)]) == [ANSWER]

    def test_one_object_serves_several_event_loops(self, path: Path) -> None:
        journal = Checkpoint(path)

        async def use(number: int) -> None:
            async with journal:
                assert await journal.put(key(number), ANSWER) == ANSWER

        anyio.run(use, 1)
        anyio.run(use, 2)
        anyio.run(use, 3, backend="trio")
        assert anyio.run(reread, path, [key(1), key(2), key(3)]) == [ANSWER] * 3

    async def test_the_answer_that_stands_is_given_back(self, path: Path) -> None:
        async with Checkpoint(path) as one, Checkpoint(path) as other:
            assert await one.put(key(1), ANSWER) == ANSWER
            assert await other.put(key(1), Generation("late")) == ANSWER

    async def test_one_object_serves_several_runs(self, path: Path) -> None:
        journal = Checkpoint(str(path))
        for number in range(2):
            async with journal:
                await journal.put(key(number), ANSWER)
        async with journal:
            assert journal.get(key(0)) == journal.get(key(1)) == ANSWER


def test_a_name_that_means_memory_to_sqlite_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    anyio.run(write, Path(":memory:"), {key(1): ANSWER})
    assert anyio.run(reread, tmp_path / ":memory:", [key(1)]) == [ANSWER]


def modes(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


@pytest.mark.usefixtures("no_umask")
async def test_only_the_owner_reads_the_file_and_its_side_files(path: Path) -> None:
    async with Checkpoint(path) as journal:
        await journal.put(key(1), ANSWER)
        names = [path.name + ending for ending in ("", "-claims", "-shm", "-wal")]
        assert modes(path.parent) == dict.fromkeys(names, 0o600)
    assert modes(path.parent) == {path.name: 0o600}


def test_an_old_file_becomes_private(path: Path) -> None:
    anyio.run(write, path, {key(1): ANSWER})
    path.chmod(0o644)
    assert anyio.run(reread, path, [key(1)]) == [ANSWER]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


class TestRefusal:
    @pytest.mark.parametrize("content", [b"x", b"SQLite format 4\0 and more"])
    def test_a_short_or_foreign_file_is_left_alone(
        self, path: Path, refusal: Callable[[Path], str], content: bytes
    ) -> None:
        path.write_bytes(content)
        path.chmod(0o644)
        assert "not a checkpoint" in refusal(path)
        assert path.read_bytes() == content
        assert stat.S_IMODE(path.stat().st_mode) == 0o644

    def test_a_path_that_is_none(self, refusal: Callable[[Path], str]) -> None:
        assert "no path" in refusal(Path("a\0b"))

    async def test_it_must_be_entered(self, path: Path) -> None:
        journal = Checkpoint(path)
        for _ in range(2):
            with pytest.raises(CheckpointError, match="async with"):
                journal.get(key(1))
            with pytest.raises(CheckpointError, match="async with"):
                await journal.put(key(1), ANSWER)
            async with journal:
                pass

    def test_the_database_of_something_else_is_left_alone(
        self, path: Path, refusal: Callable[[Path], str]
    ) -> None:
        changed(path, "CREATE TABLE answers (key, text)")
        before = path.read_bytes()
        assert "something else" in refusal(path)
        assert path.read_bytes() == before

    def test_another_version_is_named(self, path: Path, refusal: Callable[[Path], str]) -> None:
        anyio.run(write, path, {})
        changed(path, f"PRAGMA user_version = {VERSION + 1}")
        assert f"version {VERSION + 1}" in refusal(path)

    @pytest.mark.parametrize("size", [5, 16, 100, 512, 5_000])
    def test_a_text_file_is_left_alone(
        self, path: Path, size: int, refusal: Callable[[Path], str]
    ) -> None:
        before = (b"some notes of mine\n" * 300)[:size]
        path.write_bytes(before)
        assert "not a checkpoint" in refusal(path)
        assert path.read_bytes() == before

    def test_an_empty_file_becomes_a_checkpoint(self, path: Path) -> None:
        path.touch()
        anyio.run(write, path, {key(1): ANSWER})
        assert anyio.run(reread, path, [key(1)]) == [ANSWER]

    def test_what_is_no_file(self, path: Path, refusal: Callable[[Path], str]) -> None:
        assert "not a file" in refusal(path.parent)
        os.mkfifo(path)
        assert "not a file" in refusal(path)

    def test_what_is_not_there(self, path: Path, refusal: Callable[[Path], str]) -> None:
        assert "No such file" in refusal(path / "missing" / "x")
        path.symlink_to(path.with_name("nowhere"))
        assert "No such file" in refusal(path)

    @pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
    def test_an_unwritable_folder(self, tmp_path: Path, refusal: Callable[[Path], str]) -> None:
        tmp_path.chmod(0o500)
        assert "Permission denied" in refusal(tmp_path / "x")

    def test_a_folder_that_takes_no_files(self, refusal: Callable[[Path], str]) -> None:
        assert "can not be opened" in refusal(Path("/proc/self/x"))


def changed(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def journal_bytes(path: Path, answers: dict[bytes, Generation]) -> bytes:
    anyio.run(write, path, answers)
    return path.read_bytes()


ANSWERS = {
    key(i): Generation(f"answer {i} " * (1 + i % 40), Usage(i, i), "stop") for i in range(60)
}


async def outcome(path: Path) -> set[str]:
    """Read and write a damaged file; return what came of it, having seen no wrong answer."""
    seen: set[str] = set()
    try:
        async with Checkpoint(path) as journal:
            for each, answer in ANSWERS.items():
                try:
                    found = journal.get(each)
                    assert found in (answer, None)
                    seen.add("missing" if found is None else "right")
                except CheckpointError:
                    seen.add("refused")
            await journal.put(key(1_000), ANSWER)
            assert journal.get(key(1_000)) == ANSWER
    except CheckpointError:
        seen.add("refused")
    return seen


def outcomes(folder: Path, variants: Iterable[bytes]) -> list[set[str]]:
    """Return what came of each variant of a file."""

    async def all_of_them() -> list[set[str]]:
        return [await outcome(path) for path in paths]

    paths: list[Path] = []
    for number, data in enumerate(variants):
        paths.append(folder / f"variant {number}")
        paths[-1].write_bytes(data)
    return anyio.run(all_of_them)


class TestDamage:
    def test_flipped_bytes_never_become_answers(self, tmp_path: Path) -> None:
        whole = journal_bytes(tmp_path / "whole", ANSWERS)
        random = Random(5)

        def flipped(offset: int) -> bytes:
            byte = whole[offset] ^ random.randrange(1, 256)
            return whole[:offset] + bytes([byte]) + whole[offset + 1 :]

        offsets = [*range(110), *(random.randrange(len(whole)) for _ in range(100))]
        seen = set[str]().union(*outcomes(tmp_path, map(flipped, offsets)))
        assert {"right", "refused"} <= seen

    @pytest.mark.parametrize("share", [0.001, 0.1, 0.26, 0.5, 0.75, 0.999])
    def test_a_truncated_file(self, tmp_path: Path, share: float) -> None:
        whole = journal_bytes(tmp_path / "whole", ANSWERS)
        (seen,) = outcomes(tmp_path, [whole[: int(len(whole) * share)]])
        assert "refused" in seen

    def test_overwritten_pages(self, tmp_path: Path) -> None:
        whole = journal_bytes(tmp_path / "whole", ANSWERS)
        starts = range(0, len(whole), 4096)
        variants = [whole[:at] + b"\xff" * 4096 + whole[at + 4096 :] for at in starts]
        assert all("refused" in seen for seen in outcomes(tmp_path, variants))

    def test_answers_that_changed_places(self, path: Path, refusal: Callable[[Path], str]) -> None:
        anyio.run(write, path, ANSWERS)
        first = f"FROM answers WHERE key = x'{key(1).hex()}'"
        changed(
            path,
            f"UPDATE answers SET (text, digest) = (SELECT text, digest {first}) "
            f"WHERE key = x'{key(2).hex()}'",
        )
        assert "damaged answer" in refusal(path)

    def test_the_refusal_of_damaged_text_does_not_quote_it(
        self, path: Path, refusal: Callable[[Path], str]
    ) -> None:
        anyio.run(write, path, {key(1): ANSWER})
        changed(path, f"UPDATE answers SET text = CAST(x'{b'secret'.hex()}ff' AS TEXT)")
        assert "secret" not in refusal(path)

    def test_a_table_of_another_shape(self, path: Path, refusal: Callable[[Path], str]) -> None:
        changed(
            path,
            "CREATE TABLE answers (key, text)",
            f"PRAGMA application_id = {APPLICATION_ID}",
            f"PRAGMA user_version = {VERSION}",
        )
        assert "no such column" in refusal(path)


class TestOthers:
    async def test_a_reader_does_not_wait_while_a_writer_does(self, path: Path) -> None:
        """Another process holds the lock; the event loop goes on all the same."""
        async with Checkpoint(path) as journal:
            await journal.put(key(1), ANSWER)
            other = sqlite3.connect(path, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(journal.put, key(2), ANSWER)
                await anyio.sleep(0.1)
                assert journal.get(key(1)) == ANSWER
                assert journal.get(key(2)) is None  # not committed, so not yet an answer
                other.execute("COMMIT")  # a loop that waits for the lock never comes here
            assert journal.get(key(2)) == ANSWER
            other.close()

    async def test_an_answer_that_was_not_written_is_reported_to_all_who_wait(
        self, path: Path
    ) -> None:
        async with Checkpoint(path) as journal:
            other = sqlite3.connect(path, isolation_level=None)
            other.execute("DROP TABLE answers")
            failed: list[int] = []

            async def put(number: int) -> None:
                try:
                    await journal.put(key(number), ANSWER)
                except CheckpointError:
                    failed.append(number)

            async with anyio.create_task_group() as tasks:
                for number in range(5):
                    tasks.start_soon(put, number)
            other.close()
        assert sorted(failed) == [0, 1, 2, 3, 4]


WRITER = """
import sys, anyio
from orchestrator_context.distill.checkpoint import Checkpoint
from orchestrator_context.models import Generation

async def main(path, first, count):
    async with Checkpoint(path) as journal:
        for number in range(first, first + count):
            await journal.put(number.to_bytes(16, "big"), Generation(f"answer {number}"))
            print(number, flush=True)
            for earlier in range(first, number + 1):
                assert journal.get(earlier.to_bytes(16, "big")).text == f"answer {earlier}"

anyio.run(main, sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
"""


def writer(path: Path, first: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(first), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


class TestProcesses:
    def test_several_write_and_read_one_file_at_once(self, path: Path) -> None:
        """They race for its creation, too, and overlap in half of their keys."""
        processes = [writer(path, first, 100) for first in (0, 50, 100)]
        outputs = [process.communicate(timeout=60)[0] for process in processes]
        assert [process.returncode for process in processes] == [0, 0, 0]
        assert all(len(output.split()) == 100 for output in outputs)
        found = anyio.run(reread, path, [key(number) for number in range(200)])
        assert found == [Generation(f"answer {number}") for number in range(200)]

    @pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
    @pytest.mark.parametrize("after", [1, 40])
    def test_killed_in_the_middle_of_writing_it_keeps_what_was_committed(
        self, path: Path, after: int
    ) -> None:
        with writer(path, 0, 100_000) as process:
            assert process.stdout is not None
            told = [process.stdout.readline() for _ in range(after)]
            process.kill()
            told += process.stdout.readlines()
        numbers = [int(line) for line in told if line.endswith("\n")]
        assert len(numbers) >= after
        found = anyio.run(reread, path, [key(number) for number in numbers])
        assert found == [Generation(f"answer {number}") for number in numbers]
        anyio.run(write, path, {key(200_000): ANSWER})
        assert anyio.run(reread, path, [key(200_000)]) == [ANSWER]


FULL_DISK = """
import resource, signal, sys, anyio
from orchestrator_context.distill.checkpoint import Checkpoint
from orchestrator_context.exceptions import CheckpointError
from orchestrator_context.models import Generation

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

async def main(path):
    async with Checkpoint(path) as journal:
        await journal.put(b"1", Generation("small"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
        for _ in range(2):
            try:
                await journal.put(b"2", Generation("large" * 1_000_000))
            except CheckpointError as error:
                print(error)
        assert journal.get(b"2") is None
        assert journal.get(b"1").text == "small"
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        await journal.put(b"3", Generation("again"))
        assert journal.get(b"3").text == "again"

anyio.run(main, sys.argv[1])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="no limits of file sizes here")
def test_a_full_disk_is_an_error_and_no_end(path: Path) -> None:
    command = [sys.executable, "-c", FULL_DISK, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("can not be used: disk I/O error") == 2  # EFBIG, to SQLite
