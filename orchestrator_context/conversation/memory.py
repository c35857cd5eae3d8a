"""The summaries made so far, by what was read for them; in memory, or in a file that lasts."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager, closing
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import TypeVar

import anyio
from anyio import to_thread
from anyio.lowlevel import current_token

from orchestrator_context import checks
from orchestrator_context.conversation.ledger import Ledger
from orchestrator_context.conversation.rolling import Covered, Summary
from orchestrator_context.exceptions import CheckpointError, ConfigurationError
from orchestrator_context.sqlite import Database, Format, transaction

APPLICATION_ID = 0x0C0D5033
VERSION = 1

_REMEMBERED = 1_024  # summaries, in memory
_KEPT = 4_096  # in a file
_SCHEMA = """
CREATE TABLE summaries (
    number INTEGER PRIMARY KEY,
    digest BLOB NOT NULL, -- of all that was said up to `reach`
    reach INTEGER NOT NULL,
    length INTEGER NOT NULL,
    covered TEXT NOT NULL, -- JSON in ASCII
    UNIQUE (digest, length)
)
"""
_SELECT = "SELECT length, covered FROM summaries WHERE reach = ? AND digest = ?"
_FORMAT = Format(
    name="a summary memory",
    application_id=APPLICATION_ID,
    version=VERSION,
    schema=(_SCHEMA, "CREATE INDEX reaches ON summaries (reach)"),
    probe=_SELECT.replace("= ?", "= x''"),
    error=CheckpointError,
)

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """Turns that somebody reads just now."""

    ledger: Ledger
    reach: int
    loop: object
    done: anyio.Event = field(default_factory=anyio.Event)

    def overlaps(self, ledger: Ledger, reach: int) -> bool:
        both = min(reach, self.reach)
        return self.loop == current_token() and self.ledger.digest(both) == ledger.digest(both)


class SummaryMemory:
    """Summaries of any number of conversations, so that no turn is read twice.

    It holds the last 1,024 used, or 4,096 in a file, which only its owner may read. A file serves
    any number of processes, and a run that is started again goes on with what is in it.

    Args:
        path: an SQLite file, which is made where it is missing; None to remember no longer than
            this object lives.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        try:
            self.path = None if path is None else Path(path)
        except TypeError:
            raise ConfigurationError(
                f"memory must be a path or a SummaryMemory, not {type(path).__name__}"
            ) from None
        self._file = None if self.path is None else Database(self.path, _FORMAT)
        self._opened = False
        self._known: OrderedDict[bytes, dict[int, Covered]] = OrderedDict()
        self._reaches: Counter[int] = Counter()
        self._readings: list[_Reading] = []
        self._lock = threading.Lock()

    def __getstate__(self) -> tuple[Path | None, dict[bytes, dict[int, Covered]]]:
        """Return the path and what is remembered, for pickle and `copy`."""
        with self._lock:
            return self.path, {digest: dict(known) for digest, known in self._known.items()}

    def __setstate__(self, state: tuple[Path | None, dict[bytes, dict[int, Covered]]]) -> None:
        path, summaries = state
        SummaryMemory.__init__(self, path)
        for digest, known in summaries.items():
            for covered in known.values():
                self._remember(digest, covered)

    @asynccontextmanager
    async def reading(self, ledger: Ledger, reach: int) -> AsyncGenerator[None]:
        """Wait until nobody else reads turns among the first `reach`, and keep others waiting."""
        while other := self._reader(ledger, reach):
            await other.done.wait()
        mine = _Reading(ledger, reach, current_token())
        self._readings.append(mine)
        try:
            yield
        finally:
            self._readings.remove(mine)
            mine.done.set()

    def _reader(self, ledger: Ledger, reach: int) -> _Reading | None:
        readings = tuple(self._readings)
        return next((one for one in readings if one.overlaps(ledger, reach)), None)

    async def known(self, ledger: Ledger, length: int, tail: int) -> list[Covered]:
        """Return the summaries of a conversation, the one of fewest turns first.

        Args:
            ledger: the conversation.
            length: how many of its segments count.
            tail: index of the first one that no summary may stand for.
        """
        if self._file is not None:
            await self._at_file(lambda connection: self._load(connection, ledger, length))
        with self._lock:
            found = [one for one in self._matching(ledger, length) if one.length <= tail]
        return sorted(found, key=lambda one: (one.length, one.read))

    async def keep(self, ledger: Ledger, covered: Covered) -> None:
        """Remember a summary."""
        digest = ledger.digest(covered.reach)
        self._remember(digest, covered)
        if self._file is not None:
            await self._at_file(lambda connection: _insert(connection, digest, covered))

    def _matching(self, ledger: Ledger, length: int) -> Iterable[Covered]:
        for reach in self._reaches:
            digest = ledger.digest(reach) if reach <= length else b""
            if digest in self._known:
                self._known.move_to_end(digest)
                yield from self._known[digest].values()

    def _remember(self, digest: bytes, covered: Covered) -> None:
        with self._lock:
            if digest not in self._known:
                self._reaches[covered.reach] += 1
            self._known.setdefault(digest, {})[covered.length] = covered
            self._known.move_to_end(digest)
            while len(self._known) > _REMEMBERED:
                _, oldest = self._known.popitem(last=False)
                reach = next(iter(oldest.values())).reach
                self._reaches[reach] -= 1
                if not self._reaches[reach]:
                    del self._reaches[reach]

    def _load(self, connection: sqlite3.Connection, ledger: Ledger, length: int) -> None:
        """Remember what the file knows of a conversation."""
        reaches = connection.execute(
            "SELECT DISTINCT reach FROM summaries WHERE reach <= ?", (length,)
        ).fetchall()
        for (reach,) in reaches:
            digest = ledger.digest(reach)
            for covered_length, text in connection.execute(_SELECT, (reach, digest)):
                if covered_length not in self._known.get(digest, ()):
                    self._remember(digest, _read(text, self.path))

    async def _at_file(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        file = self._file
        assert file is not None

        def worked() -> Result:
            with file.trouble(), closing(file.connect() if self._opened else file.open()) as one:
                self._opened = True
                return work(one)

        return await to_thread.run_sync(worked)


def _insert(connection: sqlite3.Connection, digest: bytes, covered: Covered) -> None:
    row = (digest, covered.reach, covered.length, json.dumps(astuple(covered)))
    with transaction(connection):
        connection.execute(
            "INSERT OR REPLACE INTO summaries (digest, reach, length, covered) VALUES (?, ?, ?, ?)",
            row,
        )
        connection.execute(
            "DELETE FROM summaries WHERE number <= (SELECT max(number) FROM summaries) - ?",
            (_KEPT,),
        )


def _read(text: str, path: Path | None) -> Covered:
    try:
        (words, inherited), length, but, ahead = json.loads(text)
        for number in (inherited, length, *but, *ahead):
            checks.whole("number", number)
        summary = Summary(checks.text("summary", words), inherited)
        return Covered(summary, length, tuple(but), tuple(ahead))
    except (TypeError, ValueError) as error:
        raise CheckpointError(f"{path} is damaged; remove it or name another") from error
