"""The journal of paid answers: an SQLite file that lets a stopped run go on.

An answer is committed before anything is done with it. Its key is a hash of all that the answer
depends on, so the journal needs no notion of a run: whatever asks the same question of the same
text again finds the answer. Several processes may share a file: while one of them asks, the others
can tell, and the first answer to a key stands.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import anyio
from anyio import to_thread

from orchestrator_context.distill.claims import CLAIMS_ENDING, Claims
from orchestrator_context.exceptions import CheckpointError, ConfigurationError
from orchestrator_context.models import FinishReason, Generation, Usage
from orchestrator_context.sqlite import Database, Format, transaction

APPLICATION_ID = 0x0C0D1571
VERSION = 1

_LONG_CHARACTERS = 100_000
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
_FORMAT = Format(
    name="a checkpoint",
    application_id=APPLICATION_ID,
    version=VERSION,
    schema=(_SCHEMA,),
    probe=_SELECT.replace("?", "x''"),
    error=CheckpointError,
)

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
        self._file = Database(self.path, _FORMAT)
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._quick: sqlite3.Connection | None = None
        self._claims: Claims | None = None
        self._waiting: list[tuple[bytes, Generation]] = []
        self._writing: anyio.Lock | None = None  # made anew for each event loop

    @property
    def files(self) -> tuple[Path, ...]:
        """The file, and those that may lie beside it, during a run and after one was killed."""
        real = os.path.realpath(self.path)  # a link leads to where they are
        return (self.path, *(Path(real + ending) for ending in ("-wal", "-shm", CLAIMS_ENDING)))

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
        with self._file.trouble():
            row = self._opened(self._reader).execute(_SELECT, (key,)).fetchone()
        if row is None:
            return None
        *fields, digest = row
        if digest != _digest(key, tuple(fields)):
            raise CheckpointError(f"{self.path} holds a damaged answer; remove the file to go on")
        text, read, written, finish_reason = fields
        usage = None if read is None or written is None else Usage(read, written)
        return Generation(text.decode("utf-8", "surrogatepass"), usage, finish_reason)

    @contextmanager
    def claim(self, key: bytes) -> Generator[bool, None, None]:
        """Give whether nobody else asks for `key`; if so, others can tell that this run does now.

        The claim ends with the block, or with the process.
        """
        claims = self._opened(self._claims)
        with self._file.trouble():
            mine = claims.take(key)
        try:
            yield mine
        finally:
            if mine:
                with self._file.trouble():
                    claims.give_up(key)

    def is_claimed(self, key: bytes) -> bool:
        """Return whether a run asks for `key` now, in whatever process."""
        with self._file.trouble():
            return self._opened(self._claims).is_taken(key)

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
        with self._file.trouble():
            try:
                with transaction(self._opened(self._quick)) as connection:
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
        self._writer = self._file.open()
        try:
            with self._file.trouble():
                self._reader = self._file.connect()
                self._quick = self._file.connect(wait_seconds=0.0)
            self._claims = _claims_beside(self.path)
        except BaseException:
            self._close()
            raise

    def _write(self, rows: tuple[tuple[bytes, Generation], ...]) -> None:
        with self._file.trouble(), transaction(self._opened(self._writer)) as connection:
            connection.executemany(_INSERT, (_values(key, answer) for key, answer in rows))

    def _close(self) -> None:
        connections = (self._claims, self._quick, self._reader, self._writer)
        self._claims = self._quick = self._reader = self._writer = self._writing = None
        for connection in connections:
            if connection is not None:
                connection.close()


def _claims_beside(path: Path) -> Claims:
    try:
        return Claims.beside(path)
    except OSError as cause:
        raise CheckpointError(
            f"{path}{CLAIMS_ENDING}, which keeps runs from asking twice, can not be used: "
            f"{cause.strerror}; remove it, or name another checkpoint"
        ) from cause


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
