"""The store: contents that left the prompt, in an SQLite file, each under its handle.

A content is committed before its handle is given out, and is compared with its handle whenever it
is read. Several processes may share a file.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread

from orchestrator_context import checks
from orchestrator_context.conversation.offload.handles import Handle, is_handle
from orchestrator_context.exceptions import ConfigurationError, OffloadError, UnknownHandleError
from orchestrator_context.models import KINDS, Kind
from orchestrator_context.sqlite import Database, Format, transaction

APPLICATION_ID = 0x0C0D0FF1
VERSION = 1

_SCHEMA = """
CREATE TABLE contents (
    number INTEGER PRIMARY KEY,
    handle TEXT NOT NULL UNIQUE,
    title BLOB NOT NULL, -- UTF-8, lone surrogates as they stand
    kind TEXT NOT NULL,
    characters INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL,
    digest BLOB NOT NULL, -- of the columns above
    content BLOB NOT NULL -- UTF-8, lone surrogates as they stand
)
"""
_DESCRIPTION = "handle, title, kind, characters, lines, size_bytes, digest"
_DESCRIBE = f"SELECT {_DESCRIPTION} FROM contents"
_READ = f"SELECT {_DESCRIPTION}, content FROM contents WHERE handle = ?"
_WRITE = (
    f"INSERT OR REPLACE INTO contents ({_DESCRIPTION}, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_FORMAT = Format(
    name="an offload store",
    application_id=APPLICATION_ID,
    version=VERSION,
    schema=(_SCHEMA,),
    probe=_READ.replace("?", "''"),
    error=OffloadError,
)
_Row = tuple[Any, ...]  # whatever may stand in a file that others can write to
_LONGEST_SHOWN = 40  # characters of a handle that nobody issued


class OffloadStore:
    """Contents under their handles, in a file that only its owner may read.

    It opens with the first call and closes with the block that it is entered with, with `aclose`,
    or when it is no longer used. One object serves any number of tasks, threads and event loops.

    Args:
        path: the file, which is made where it is missing; ":memory:" for a store that lives as
            long as this object is open.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            place = None if path == ":memory:" else Path(path)
        except TypeError:
            raise ConfigurationError(f"path must be a path, not {type(path).__name__}") from None
        self._file = Database(place, _FORMAT)
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._close_connection: Callable[[], object] | None = None
        self._entered = 0

    def __deepcopy__(self, memo: object) -> OffloadStore:
        return self  # a copy of what names it finds the same contents

    def __reduce__(self) -> tuple[type[OffloadStore], tuple[Path]]:
        if self.path is None:
            raise ConfigurationError("An OffloadStore in memory cannot be pickled; name a file")
        return OffloadStore, (self.path,)

    @property
    def path(self) -> Path | None:
        """The file; None for a store in memory."""
        return self._file.path

    async def __aenter__(self) -> OffloadStore:
        """Open the file.

        Raises:
            OffloadError: the file is damaged, not an offload store, or of another version.
        """
        await to_thread.run_sync(self._enter)
        return self

    async def __aexit__(self, *error: object) -> None:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(self._leave)

    async def aclose(self) -> None:
        """Close the file; the next call opens it again. What is in memory is gone then."""
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(self._close)

    async def put(self, content: str, *, title: str = "", kind: Kind = "tool_result") -> Handle:
        """Keep a content and return its handle. Put again, it has the same one.

        Args:
            content: any text, as it stands.
            title: the tool or the document that it came from; another title, another handle.
            kind: kind of the segment that it was; of what is there already, the first stands.

        Raises:
            OffloadError: it could not be written.
        """
        checks.text("content", content)
        checks.text("title", title)
        checks.choice("kind", kind, KINDS)
        return await to_thread.run_sync(self._put, content, title, kind)

    async def get(self, handle: Handle | str) -> str:
        """Return the content, character by character.

        Raises:
            UnknownHandleError: the store never issued the handle, or forgot it.
            OffloadError: the file, or what is kept under the handle, is damaged.
        """
        return await to_thread.run_sync(self._get, _name(handle))

    async def describe(self, handle: Handle | str) -> Handle:
        """Return the handle with what is known of its content, which is not read.

        Raises:
            UnknownHandleError: the store never issued the handle, or forgot it.
            OffloadError: the file, or what is kept under the handle, is damaged.
        """
        return await to_thread.run_sync(self._describe, _name(handle))

    async def handles(self) -> tuple[Handle, ...]:
        """Return the handles of all contents, in the order in which they came."""
        return await to_thread.run_sync(self._handles)

    async def missing(self, handles: Iterable[Handle]) -> tuple[Handle, ...]:
        """Return those of `handles` under which nothing is kept, in their order."""
        return await to_thread.run_sync(self._missing, tuple(handles))

    async def forget(self, handle: Handle | str) -> bool:
        """Overwrite a content for good, and return whether there was one."""
        return await to_thread.run_sync(self._forget, _name(handle))

    # What follows runs in worker threads.

    def _enter(self) -> None:
        with self._session():
            self._entered += 1

    def _leave(self) -> None:
        with self._lock:
            self._entered -= 1
            last = self._entered <= 0
        if last:
            self._close()

    def _close(self) -> None:
        with self._lock, self._file.trouble():
            if self._close_connection is not None:
                self._close_connection()
            self._connection = self._close_connection = None

    @contextmanager
    def _session(self) -> Generator[sqlite3.Connection, None, None]:
        with self._lock, self._file.trouble():
            if self._connection is None:
                self._connection = self._file.open()
                self._close_connection = weakref.finalize(self, self._connection.close)
            yield self._connection

    def _put(self, content: str, title: str, kind: Kind) -> Handle:
        handle = Handle.of(content, title=title, kind=kind)
        described = _described(handle)
        data = content.encode("utf-8", "surrogatepass")
        with self._session() as connection:
            self._check_size(connection, handle)
            row = _row(connection, _READ, handle.name)
            if row is not None and row[-1] == data and _is_whole(row):
                return _handle(row)
            with transaction(connection):
                connection.execute(_WRITE, (*described, data))  # in the place of what is damaged
        return handle

    def _check_size(self, connection: sqlite3.Connection, handle: Handle) -> None:
        most = connection.getlimit(sqlite3.SQLITE_LIMIT_LENGTH) - (1 << 16)
        if handle.size_bytes + len(handle.title) * 4 > most:
            raise OffloadError(
                f"{self._file.place} holds contents of up to {most} bytes, and this one has "
                f"{handle.size_bytes}; put it in parts"
            )

    def _get(self, name: str) -> str:
        with self._session() as connection:
            row = _row(connection, _READ, name)
        handle = self._checked(row, name)
        content = _decoded(row[-1]) if row else None
        if content is None or Handle.of(content, title=handle.title, kind=handle.kind) != handle:
            raise self._damaged(name)
        return content

    def _describe(self, name: str) -> Handle:
        with self._session() as connection:
            row = _row(connection, f"{_DESCRIBE} WHERE handle = ?", name)
        return self._checked(row, name)

    def _handles(self) -> tuple[Handle, ...]:
        with self._session() as connection:
            rows = connection.execute(f"{_DESCRIBE} ORDER BY number").fetchall()
        return tuple(self._checked(row, row[0]) for row in rows)

    def _missing(self, handles: tuple[Handle, ...]) -> tuple[Handle, ...]:
        query = "SELECT 1 FROM contents WHERE handle = ?"
        with self._session() as connection:
            return tuple(one for one in handles if _row(connection, query, one.name) is None)

    def _forget(self, name: str) -> bool:
        with self._session() as connection:
            if not is_handle(name):
                return False
            connection.execute("PRAGMA secure_delete = ON")
            with transaction(connection):
                done = connection.execute("DELETE FROM contents WHERE handle = ?", (name,))
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return done.rowcount > 0

    def _checked(self, row: _Row | None, name: str) -> Handle:
        if row is None:
            shown = name if len(name) <= _LONGEST_SHOWN else name[:_LONGEST_SHOWN] + "…"
            raise UnknownHandleError(
                f"nothing is stored under the handle {shown!r}: it was never issued here, or was "
                "forgotten; name one exactly as it stands in an <offloaded-...> element",
                handle=name,
            )
        if not _is_whole(row):
            raise self._damaged(name)
        return _handle(row)

    def _damaged(self, name: str) -> OffloadError:
        shown = name if is_handle(name) else "one of its handles"
        return OffloadError(
            f"{self._file.place} holds a damaged content under {shown}; put it again, or forget it"
        )


def _name(handle: Handle | str) -> str:
    return handle.name if isinstance(handle, Handle) else checks.text("handle", handle)


def _row(connection: sqlite3.Connection, query: str, name: str) -> _Row | None:
    row: _Row | None = None
    if is_handle(name):
        row = connection.execute(query, (name,)).fetchone()
    return row


def _decoded(data: object) -> str | None:
    """Return the text that `data` is, or None where it is damaged."""
    try:
        return data.decode("utf-8", "surrogatepass") if isinstance(data, bytes) else None
    except UnicodeDecodeError:
        return None


def _described(handle: Handle) -> _Row:
    title = handle.title.encode("utf-8", "surrogatepass")
    row = (handle.name, title, handle.kind, handle.characters, handle.lines, handle.size_bytes)
    return (*row, _digest(row))


def _is_whole(row: _Row) -> bool:
    return bool(row[6] == _digest(row[:6]))


def _handle(row: _Row) -> Handle:
    name, title, kind, characters, lines, size_bytes = row[:6]
    return Handle(name, title.decode("utf-8", "surrogatepass"), kind, characters, lines, size_bytes)


def _digest(row: _Row) -> bytes:
    return hashlib.blake2b(repr(row).encode(), digest_size=16).digest()
