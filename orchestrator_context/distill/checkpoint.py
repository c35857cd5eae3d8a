"""The journal of paid answers: an SQLite file that lets a stopped run go on.

An answer is committed before anything is done with it. Its key is a hash of all that the answer
depends on, so the journal needs no notion of a run: whatever asks the same question of the same
text again finds the answer. Several processes may share a file; the first answer to a key stands.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import anyio
from anyio import to_thread

from orchestrator_context.exceptions import CheckpointError, ConfigurationError
from orchestrator_context.models import FinishReason, Generation, Usage

APPLICATION_ID = 0x0C0D1571
VERSION = 1

_LONG_CHARACTERS = 100_000
_BUSY_SECONDS = 10.0  # others write for milliseconds; nobody can interrupt this wait
_HEADER = b"SQLite format 3\0"
_SCHEMA = """
CREATE TABLE answers (
    key BLOB PRIMARY KEY,
    text BLOB NOT NULL, -- UTF-8, lone surrogates as they stand
    input_tokens INTEGER,
    output_tokens INTEGER,
    finish_reason TEXT NOT NULL,
    digest BLOB NOT NULL
) WITHOUT ROWID
"""
_SELECT = (
    "SELECT text, input_tokens, output_tokens, finish_reason, digest FROM answers WHERE key = ?"
)
_INSERT = "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?)"

Part = TypeVar("Part")
_Row = tuple[bytes, int | None, int | None, FinishReason]


class Checkpoint:
    """A file of answers. Enter it to open the file; entering creates what is missing.

    The file is readable by its owner only, since answers hold what the corpus holds.

    Args:
        path: the file. It may exist: then it must be a checkpoint of this version.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            self.path = Path(path)
        except TypeError:
            raise ConfigurationError(
                f"checkpoint must be a path, not {type(path).__name__}"
            ) from None
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._quick: sqlite3.Connection | None = None
        self._waiting: list[tuple[bytes, Generation]] = []
        self._writing: anyio.Lock | None = None  # made anew for each event loop

    @property
    def is_open(self) -> bool:
        """Whether the file is open."""
        return self._reader is not None

    async def __aenter__(self) -> Checkpoint:
        """Open the file.

        Raises:
            CheckpointError: the file is damaged, not a checkpoint, or of another version; or it
                is open already.
        """
        if self._writer is not None:
            raise CheckpointError(f"{self.path} is open already: pass it on instead")
        await to_thread.run_sync(self._open)
        self._writing = anyio.Lock()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(self._close)

    def get(self, key: bytes) -> Generation | None:
        """Return the answer to `key`, or None. Does not wait for writers.

        Raises:
            CheckpointError: the file or the row is damaged.
        """
        with self._trouble():
            row = self._opened(self._reader).execute(_SELECT, (key,)).fetchone()
        if row is None:
            return None
        *fields, digest = row
        if digest != _digest(key, tuple(fields)):
            raise CheckpointError(f"{self.path} holds a damaged answer; remove the file to go on")
        text, read, written, finish_reason = fields
        usage = None if read is None or written is None else Usage(read, written)
        return Generation(text.decode("utf-8", "surrogatepass"), usage, finish_reason)

    async def put(self, key: bytes, answer: Generation) -> Generation:
        """Commit an answer, together with others that wait, and return the one that stands.

        That is another one if another process was first. Cancellation does not interrupt this.
        """
        lock = self._opened(self._writing)
        if self._put_at_once(key, answer):
            return self.get(key) or answer
        with anyio.CancelScope(shield=True):
            self._waiting.append((key, answer))
            async with lock:
                if rows := tuple(self._waiting):
                    await to_thread.run_sync(self._write, rows)
                    del self._waiting[: len(rows)]  # not before: who waits must see a failure too
        return self.get(key) or answer

    def _put_at_once(self, key: bytes, answer: Generation) -> bool:
        """Commit here and now, which takes less time than to start a thread for it.

        Not where another process holds the lock, nor for a long text: returns False then.
        """
        if len(answer.text) > _LONG_CHARACTERS:
            return False
        with self._trouble():
            try:
                with _transaction(self._opened(self._quick)) as connection:
                    connection.execute(_INSERT, _values(key, answer))
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                    return False
                raise
        return True

    def _opened(self, part: Part | None) -> Part:
        if part is None:
            raise CheckpointError(f"{self.path} is not open: use `async with Checkpoint(path)`")
        return part

    def _open(self) -> None:
        """Open three connections: one that waits for a lock makes all its users wait."""
        with self._trouble():
            _make_private(self.path)
            try:
                self._writer = _connect(self.path)
                self._prepare(self._writer)
                self._reader = _connect(self.path)
                self._quick = _connect(self.path, wait_seconds=0.0)
            except BaseException:
                self._close()
                raise

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Create the tables of a new file, or make sure that an old one is ours."""
        with _transaction(connection):
            names = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
            if names == 0:
                connection.execute(_SCHEMA)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
            self._check(connection)
        connection.execute("PRAGMA journal_mode = WAL")

    def _check(self, connection: sqlite3.Connection) -> None:
        owner = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if owner != APPLICATION_ID:
            raise CheckpointError(f"{self.path} is an SQLite file of something else; name another")
        if version != VERSION:
            raise CheckpointError(
                f"{self.path} is a checkpoint of version {version}, and this library writes "
                f"version {VERSION}; finish it with the library that wrote it, or name another file"
            )
        connection.execute(_SELECT, (b"",)).fetchone()

    def _write(self, rows: tuple[tuple[bytes, Generation], ...]) -> None:
        with self._trouble(), _transaction(self._opened(self._writer)) as connection:
            connection.executemany(_INSERT, (_values(key, answer) for key, answer in rows))

    def _close(self) -> None:
        connections = (self._quick, self._reader, self._writer)
        self._quick = self._reader = self._writer = self._writing = None
        for connection in connections:
            if connection is not None:
                connection.close()

    @contextmanager
    def _trouble(self) -> Generator[None, None, None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise CheckpointError(f"{self.path} can not be used: {error}") from error
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter for names in messages
            raise CheckpointError(
                f"{self.path} is damaged or not a checkpoint ({error}); remove it or name another"
            ) from error
        except OSError as error:
            raise CheckpointError(f"{self.path} can not be opened: {error.strerror}") from error
        except ValueError as error:  # a path with a NUL
            raise CheckpointError(f"{self.path!r} is no path: {error}") from error


def _connect(path: Path, wait_seconds: float = _BUSY_SECONDS) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path.absolute(),  # the bare name ":memory:" is no file for SQLite
        timeout=wait_seconds,
        isolation_level=None,
        check_same_thread=False,
    )
    # A commit survives the death of the process in WAL mode without waiting for the disk.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.text_factory = _text  # the error of the default one quotes what it cannot decode
    return connection


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Generator[sqlite3.Connection, None, None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite rolls back by itself where the disk is full
            connection.execute("ROLLBACK")
        raise


def _make_private(path: Path) -> None:
    """Make the file for its owner only; SQLite gives its side files the same mode.

    A file that is there must look like one of SQLite's before its mode is touched.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        if not stat.S_ISREG(path.stat().st_mode):
            raise CheckpointError(f"{path} is not a file; name another checkpoint") from None
        with path.open("rb") as file:
            start = file.read(len(_HEADER))
        if start not in (b"", _HEADER):
            raise CheckpointError(f"{path} is not a checkpoint; name another file") from None
        path.chmod(0o600)


def _values(
    key: bytes, answer: Generation
) -> tuple[bytes, bytes, int | None, int | None, str, bytes]:
    usage = answer.usage
    row: _Row = (
        answer.text.encode("utf-8", "surrogatepass"),
        usage.input_tokens if usage else None,
        usage.output_tokens if usage else None,
        answer.finish_reason,
    )
    return (key, *row, _digest(key, row))


def _digest(key: bytes, row: tuple[object, ...]) -> bytes:
    return hashlib.blake2b(repr((key, row)).encode(), digest_size=16).digest()
