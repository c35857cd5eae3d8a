"""The store on real files: what was put is read again, and damage never becomes content."""

from __future__ import annotations

import gc
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import anyio
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.offload import Handle, OffloadStore
from orchestrator_context.conversation.offload.store import APPLICATION_ID, VERSION
from orchestrator_context.distill.checkpoint import Checkpoint
from orchestrator_context.exceptions import (
    ConfigurationError,
    ContextError,
    OffloadError,
    UnknownHandleError,
)

pytestmark = pytest.mark.anyio

BACKENDS = ["asyncio", "trio"]
ANY_TEXT = st.text(st.characters(codec=None, categories=None))  # lone surrogates included
UNKNOWN = Handle.of("never put").name


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "offload.sqlite"


def files(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


def overwritten(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def read_bytes(path: Path) -> bytes:
    return path.read_bytes()


async def written(path: Path | str, contents: list[str]) -> list[Handle]:
    async with OffloadStore(path) as store:
        return [await store.put(content) for content in contents]


async def reread(path: Path, handles: list[Handle]) -> list[str]:
    async with OffloadStore(path) as store:
        return [await store.get(handle) for handle in handles]


def changed(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


class TestKeeping:
    @pytest.mark.parametrize("backend", BACKENDS)
    @settings(max_examples=60, deadline=None)
    @given(content=ANY_TEXT, title=ANY_TEXT)
    @example(content="lone \ud83d and \udc00, nul \0, bom \ufeff, \r\n", title="\ud800\n")
    @example(content="\ud83d\ude00 is not \U0001f600", title="")
    @example(content="", title="")
    def test_any_text_comes_back_as_it_was(self, backend: str, content: str, title: str) -> None:
        async def check() -> None:
            async with OffloadStore(":memory:") as store:
                handle = await store.put(content, title=title, kind="document")
                assert handle == Handle.of(content, title=title, kind="document")
                assert await store.get(handle) == content
                assert await store.get(handle.name) == content
                assert await store.describe(handle.name) == handle

        anyio.run(check, backend=backend)

    async def test_it_is_there_after_a_restart(self, path: Path) -> None:
        contents = ["x", "", "水位計\n\r\n\x85", "lone \ud83d", "👩‍🚒" * 999]
        handles = await written(path, contents)
        assert await reread(path, handles) == contents

    async def test_the_same_content_has_the_same_handle(self, path: Path) -> None:
        async with OffloadStore(path) as store:
            one = await store.put("text", title="a")
            assert await store.put("text", title="a") == one
            other = await store.put("text", title="b")
            assert other.name != one.name
            assert await store.handles() == (one, other)

    async def test_title_and_content_do_not_flow_into_each_other(self) -> None:
        assert Handle.of("b", title="a").name != Handle.of("", title="ab").name
        assert Handle.of("", title="1:a").name != Handle.of("a", title="1:").name

    async def test_the_first_kind_stands(self, path: Path) -> None:
        async with OffloadStore(path) as store:
            await store.put("text", kind="document")
            assert (await store.put("text")).kind == "document"

    async def test_a_handle_tells_its_sizes(self, path: Path) -> None:
        (handle,) = await written(path, ["水\n位\n"])
        assert (handle.characters, handle.lines, handle.size_bytes) == (4, 2, 8)

    async def test_a_hundred_megabytes(self, path: Path) -> None:
        large = "0123456789abcde\n" * 6_250_000
        async with OffloadStore(path) as store:
            handle = await store.put(large)
            assert await store.get(handle) == large

    async def test_what_sqlite_cannot_hold_is_refused(self, path: Path) -> None:
        async with OffloadStore(path) as store:
            handle = await store.put("small")
            assert store._connection is not None  # pyright: ignore[reportPrivateUsage]
            store._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 100_000)  # pyright: ignore[reportPrivateUsage]
            with pytest.raises(OffloadError, match="in parts"):
                await store.put("x" * 100_000)
            assert await store.get(handle) == "small"

    async def test_many_at_once(self, path: Path) -> None:
        async with OffloadStore(path) as store:
            async with anyio.create_task_group() as tasks:
                for number in range(100):
                    tasks.start_soon(store.put, str(number % 50))
            assert len(await store.handles()) == 50


class TestOpening:
    async def test_it_opens_with_the_first_call_and_closes(self, path: Path) -> None:
        store = OffloadStore(str(path))
        handle = await store.put("text")
        await store.aclose()
        assert files(path.parent) == [path.name]
        assert await store.get(handle) == "text"
        await store.aclose()
        await store.aclose()

    def test_an_unused_one_closes_by_itself(self, path: Path, anyio_backend: str) -> None:
        async def use() -> None:
            await OffloadStore(path).put("text")

        anyio.run(use, backend=anyio_backend)
        deadline = time.monotonic() + 60
        while files(path.parent) != [path.name]:  # a worker thread may hold its last task a while
            assert time.monotonic() < deadline
            time.sleep(0.01)
            gc.collect()

    async def test_it_closes_with_the_outermost_block(self) -> None:
        async with OffloadStore(":memory:") as store:
            async with store:
                handle = await store.put("text")
            assert await store.get(handle) == "text"
        async with store:
            assert await store.handles() == ()

    async def test_memory_leaves_no_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (handle,) = await written(":memory:", ["text"])
        assert handle == Handle.of("text")
        assert files(tmp_path) == []

    def test_one_object_serves_several_event_loops_at_once(self, path: Path) -> None:
        store = OffloadStore(path)
        found: list[str] = []

        async def use(number: int) -> None:
            found.extend([await store.get(await store.put(f"text {number}")) for _ in range(20)])

        threads = [
            threading.Thread(target=lambda n=n: anyio.run(use, n, backend=BACKENDS[n % 2]))
            for n in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        anyio.run(store.aclose)
        assert sorted(found) == sorted(f"text {number}" for number in range(4) for _ in range(20))

    async def test_only_the_owner_reads_the_file_and_its_side_files(self, path: Path) -> None:
        before = os.umask(0)
        try:
            async with OffloadStore(path) as store:
                await store.put("text")
                modes = {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
        finally:
            os.umask(before)
        assert modes == {0o600}


class TestRefusal:
    @pytest.mark.parametrize(
        "handle", [UNKNOWN, "", "offload-", "x" * 10_000, "\ud800\0", UNKNOWN.upper(), "' OR 1=1"]
    )
    async def test_a_handle_that_was_never_issued(self, path: Path, handle: str) -> None:
        async with OffloadStore(path) as store:
            await store.put("text")
            for ask in (store.get, store.describe):
                with pytest.raises(UnknownHandleError, match="never issued") as caught:
                    await ask(handle)
                assert caught.value.handle == handle
                assert repr(handle[:40])[1:-1] in str(caught.value)
                assert len(str(caught.value)) < 500
            assert await store.forget(handle) is False

    async def test_the_handle_of_another_store(self, path: Path) -> None:
        (handle,) = await written(":memory:", ["text"])
        async with OffloadStore(path) as store:
            with pytest.raises(UnknownHandleError):
                await store.get(handle)

    @pytest.mark.parametrize(
        ("content", "wanted"),
        [(b"some notes of mine\n" * 99, "not an offload store"), (b"x", "not an offload store")],
    )
    async def test_a_file_of_something_else_is_left_alone(
        self, path: Path, content: bytes, wanted: str
    ) -> None:
        overwritten(path, content)
        with pytest.raises(OffloadError, match=wanted):
            await OffloadStore(path).put("text")
        assert read_bytes(path) == content

    async def test_a_checkpoint_is_no_offload_store(self, path: Path) -> None:
        async with Checkpoint(path):
            pass
        with pytest.raises(OffloadError, match="something else"):
            await written(path, ["text"])

    async def test_another_version_is_named(self, path: Path) -> None:
        await written(path, [])
        changed(path, f"PRAGMA user_version = {VERSION + 1}")
        with pytest.raises(OffloadError, match=f"version {VERSION + 1}"):
            await OffloadStore(path).handles()

    async def test_a_table_of_another_shape(self, path: Path) -> None:
        changed(
            path,
            "CREATE TABLE contents (handle, content)",
            f"PRAGMA application_id = {APPLICATION_ID}",
            f"PRAGMA user_version = {VERSION}",
        )
        with pytest.raises(OffloadError, match="no such column"):
            await OffloadStore(path).handles()

    async def test_a_folder_that_is_not_there(self, path: Path) -> None:
        with pytest.raises(OffloadError, match="No such file"):
            await OffloadStore(path / "x").handles()

    async def test_arguments(self, path: Path) -> None:
        with pytest.raises(ConfigurationError, match="path"):
            OffloadStore(5)  # type: ignore[arg-type]
        store = OffloadStore(path)
        wrong: list[Callable[[], object]] = [
            lambda: store.put(b"x"),  # type: ignore[arg-type]
            lambda: store.put("x", title=1),  # type: ignore[arg-type]
            lambda: store.put("x", kind="other"),  # type: ignore[arg-type]
            lambda: store.get(5),  # type: ignore[arg-type]
        ]
        for call in wrong:
            with pytest.raises(ConfigurationError):
                await call()  # type: ignore[misc]
        assert files(path.parent) == []


class TestForgetting:
    async def test_what_is_forgotten_is_gone_from_the_file(self, path: Path) -> None:
        async with OffloadStore(path) as store:
            secret = await store.put("a very secret text " * 5_000)
            kept = await store.put("kept")
            assert await store.forget(secret) is True
            files = b"".join(file.read_bytes() for file in path.parent.iterdir())
            assert b"a very secret text" not in files
            with pytest.raises(UnknownHandleError, match="forgotten"):
                await store.get(secret)
            assert await store.handles() == (kept,)
            assert await store.forget(secret) is False

    async def test_it_can_be_put_again(self, path: Path) -> None:
        async with OffloadStore(path) as store:
            handle = await store.put("text")
            await store.forget(handle)
            assert await store.put("text") == handle
            assert await store.get(handle) == "text"


CONTENTS = [f"content {i} " * (1 + i % 400) for i in range(40)]


async def outcome(path: Path) -> set[str]:
    """Read and write a damaged file; return what came of it, having seen no wrong content."""
    seen: set[str] = set()
    try:
        async with OffloadStore(path) as store:
            for content in CONTENTS:
                try:
                    assert await store.get(Handle.of(content)) == content
                    seen.add("right")
                except OffloadError:
                    seen.add("refused")
            assert await store.get(await store.put("new")) == "new"
    except OffloadError:
        seen.add("refused")
    return seen


class TestDamage:
    def test_flipped_bytes_never_become_content(self, tmp_path: Path) -> None:
        anyio.run(written, tmp_path / "whole", CONTENTS)
        whole = (tmp_path / "whole").read_bytes()
        random = Random(5)
        seen: set[str] = set()
        for number in range(60):
            at = random.randrange(len(whole)) if number > 20 else number * 5
            byte = bytes([whole[at] ^ random.randrange(1, 256)])
            path = tmp_path / f"variant {number}"
            path.write_bytes(whole[:at] + byte + whole[at + 1 :])
            seen |= anyio.run(outcome, path)
        assert seen == {"right", "refused"}

    @pytest.mark.parametrize("share", [0.001, 0.26, 0.75, 0.999])
    async def test_a_truncated_file(self, path: Path, share: float) -> None:
        await written(path, CONTENTS)
        whole = read_bytes(path)
        overwritten(path, whole[: int(len(whole) * share)])
        assert "refused" in await outcome(path)

    @pytest.mark.parametrize(
        "change",
        ["content = x'ff'", "content = 'text'", "content = x'61'", "title = x'61'", "lines = 7"],
    )
    async def test_a_changed_row_is_refused_until_it_is_put_again(
        self, path: Path, change: str
    ) -> None:
        (handle,) = await written(path, ["secret"])
        changed(path, f"UPDATE contents SET {change}")
        async with OffloadStore(path) as store:
            with pytest.raises(OffloadError, match="damaged content") as caught:
                await store.get(handle)
            assert "secret" not in str(caught.value)
            assert await store.put("secret") == handle
            assert await store.get(handle) == "secret"

    async def test_a_damaged_description_is_not_listed(self, path: Path) -> None:
        (handle,) = await written(path, ["x"])
        changed(path, "UPDATE contents SET kind = 'strange'")
        async with OffloadStore(path) as store:
            for ask in (store.handles(), store.describe(handle)):
                with pytest.raises(OffloadError, match="damaged"):
                    await ask


WRITER = """
import sys, anyio
from orchestrator_context.conversation.offload import OffloadStore

async def main(path, first, count):
    async with OffloadStore(path) as store:
        for number in range(first, first + count):
            text = f"content {number} " * 500
            handle = await store.put(text)
            print(handle, flush=True)
            assert await store.get(handle) == text

anyio.run(main, sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
"""


def writer(path: Path, first: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(first), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def content_of(number: int) -> str:
    return f"content {number} " * 500


class TestProcesses:
    def test_two_write_and_read_one_file_at_once(self, path: Path) -> None:
        """They race for its creation, too, and overlap in half of their contents."""
        processes = [writer(path, first, 80) for first in (0, 40)]
        told = [process.communicate(timeout=60)[0].split() for process in processes]
        assert [process.returncode for process in processes] == [0, 0]
        assert told[0][40:] == told[1][:40]  # the same handles in another process
        handles = [Handle.of(content_of(number)) for number in range(120)]
        assert [*told[0], *told[1][40:]] == [handle.name for handle in handles]
        assert anyio.run(reread, path, handles) == [content_of(number) for number in range(120)]

    @pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
    @pytest.mark.parametrize("after", [1, 30])
    def test_killed_in_the_middle_it_keeps_what_it_gave_handles_for(
        self, path: Path, after: int
    ) -> None:
        with writer(path, 0, 100_000) as process:
            assert process.stdout is not None
            told = [process.stdout.readline() for _ in range(after)]
            process.kill()
            told += process.stdout.readlines()
        count = sum(line.endswith("\n") for line in told)
        assert count >= after
        handles = [Handle.of(content_of(number)) for number in range(count)]
        assert anyio.run(reread, path, handles) == [content_of(number) for number in range(count)]
        assert anyio.run(written, path, ["more"]) == [Handle.of("more")]

    async def test_it_waits_for_another_writer(self, path: Path) -> None:
        async with OffloadStore(path) as store:
            await store.put("before")
            other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            other.execute("BEGIN IMMEDIATE")
            release = threading.Timer(0.3, other.execute, ["COMMIT"])
            release.start()
            assert await store.get(await store.put("after")) == "after"
            release.join()
            other.close()


async def test_nothing_tells_the_content(
    path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    async with OffloadStore(path) as store:
        handle = await store.put("secret text", title="secret title")
        await store.get(handle)
        told = repr(store) + repr(handle) + str(handle) + caplog.text + str(capsys.readouterr())
    assert "secret" not in told


def test_the_errors_are_of_one_family() -> None:
    assert issubclass(UnknownHandleError, OffloadError)
    assert issubclass(OffloadError, ContextError)
