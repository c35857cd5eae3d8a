"""SQLite files of our own: private to their owner, versioned, shared by processes.

A file of something else is refused and left as it is, and so is one that is damaged or of another
version, each time with an error of the kind that the user of the file names.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tenacity import retry, retry_if_exception, stop_after_delay, wait_random

from orchestrator_context.exceptions import ContextError

BUSY_SECONDS = 10.0
"""How long a connection waits for another process; others write for milliseconds."""

_HEADER = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file, told by its application id.

    Attributes:
        name: what such a file is called in messages, with its article: "a checkpoint".
        application_id: tells the files of this kind from all others.
        version: of the tables.
        schema: statements that make a new file.
        probe: a query that only works where the tables are as they should be.
        error: raised where a file cannot be used.
    """

    name: str
    application_id: int
    version: int
    schema: tuple[str, ...]
    probe: str
    error: type[ContextError]


@dataclass(frozen=True, slots=True)
class Database:
    """A file of a kind. Every method may block: call it in a worker thread.

    Attributes:
        path: the file, or None for a database in memory, which lives as long as its connection.
        format: what the file must be.
    """

    path: Path | None
    format: Format

    @property
    def place(self) -> str:
        """The path as it stands in messages."""
        return ":memory:" if self.path is None else str(self.path)

    def open(self) -> sqlite3.Connection:
        """Return a connection to the file, which is made where it is missing.

        Raises:
            ContextError: of the type of the format; the file is damaged, foreign or cannot be used.
        """
        with self.trouble():
            self._make_private()
            connection = self.connect()
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
        return connection

    def connect(self, wait_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
        """Return a connection to a file that was opened before, without a look at what is in it."""
        connection = sqlite3.connect(
            # Made absolute, because the bare name ":memory:" is no file for SQLite.
            ":memory:" if self.path is None else self.path.absolute(),
            timeout=wait_seconds,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.text_factory = _text  # the error of the default one quotes what it cannot decode
        try:
            # A commit survives the death of the process in WAL mode without waiting for the disk.
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:  # the file is damaged
            connection.close()
            raise
        return connection

    @contextmanager
    def trouble(self) -> Generator[None, None, None]:
        """Raise the error of the format in the place of those of SQLite and the file system."""
        error = self.format.error
        try:
            yield
        except sqlite3.OperationalError as cause:
            way_out = "; free some space before you go on" if _is_full(cause) else ""
            raise error(f"{self.place} can not be used: {cause}{way_out}") from cause
        except (sqlite3.Error, UnicodeDecodeError) as cause:  # the latter for names in messages
            raise error(
                f"{self.place} is damaged or not {self.format.name} ({cause}); "
                "remove it or name another"
            ) from cause
        except OSError as cause:
            raise error(f"{self.place} can not be opened: {cause.strerror}") from cause
        except ValueError as cause:  # a path with a NUL
            raise error(f"{self.place!r} is no path: {cause}") from cause

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Create the tables of a new file, or make sure that an old one is ours."""
        with transaction(connection):
            names = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
            if names == 0:
                for statement in self.format.schema:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {self.format.application_id}")
                connection.execute(f"PRAGMA user_version = {self.format.version}")
            self._check(connection)
        _write_ahead(connection)

    def _check(self, connection: sqlite3.Connection) -> None:
        owner = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if owner != self.format.application_id:
            raise self.format.error(
                f"{self.path} is an SQLite file of something else; name another"
            )
        if version != self.format.version:
            raise self.format.error(
                f"{self.path} is {self.format.name} of version {version}, and this library writes "
                f"version {self.format.version}; use the library that wrote it, or another file"
            )
        connection.execute(self.format.probe).fetchone()

    def _make_private(self) -> None:
        """Make the file for its owner only; SQLite gives its side files the same mode.

        A file that is there must look like one of SQLite's before its mode is touched.
        """
        path, name = self.path, self.format.name
        if path is None:
            return
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            if not stat.S_ISREG(path.stat().st_mode):
                raise self.format.error(f"{path} is not a file; name another one") from None
            with path.open("rb") as file:
                start = file.read(len(_HEADER))
            if start not in (b"", _HEADER):
                raise self.format.error(f"{path} is not {name}; name another file") from None
            path.chmod(0o600)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[sqlite3.Connection, None, None]:
    """Commit what is done inside, or undo it where it fails."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite rolls back by itself where the disk is full
            connection.execute("ROLLBACK")
        raise


def _is_busy(error: BaseException) -> bool:
    return _code(error) == sqlite3.SQLITE_BUSY


def _is_full(error: BaseException) -> bool:
    return _code(error) == sqlite3.SQLITE_FULL


def _code(error: BaseException) -> int:
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF  # which all codes of one sort have in common


@retry(
    retry=retry_if_exception(_is_busy),
    stop=stop_after_delay(BUSY_SECONDS),
    wait=wait_random(0.001, 0.02),
    reraise=True,
)
def _write_ahead(connection: sqlite3.Connection) -> None:
    """Turn the file to WAL mode, for which it must be free: SQLite does not wait for that."""
    connection.execute("PRAGMA journal_mode = WAL")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
