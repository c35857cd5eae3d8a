from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import pytest

from orchestrator_context.exceptions import CheckpointError
from orchestrator_context.sqlite import Database, Format

FORMAT = Format(
    name="a test",
    application_id=77,
    version=1,
    schema=("CREATE TABLE notes (text)",),
    probe="SELECT text FROM notes",
    error=CheckpointError,
)
THREADS = 8


def test_a_new_file_can_be_opened_by_many_at_once(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def opened(database: Database, start: threading.Barrier) -> None:
        start.wait()
        try:
            database.open().close()
        except BaseException as error:
            failures.append(error)

    for number in range(100):
        database = Database(tmp_path / f"{number}.sqlite", FORMAT)
        start = threading.Barrier(THREADS)
        threads = [threading.Thread(target=opened, args=(database, start)) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures


def test_a_full_disk_is_told_with_the_way_out(tmp_path: Path) -> None:
    database = Database(tmp_path / "small.sqlite", FORMAT)
    with closing(database.open()) as connection:
        connection.execute("PRAGMA max_page_count = 3")
        with pytest.raises(CheckpointError, match="full; free some space"), database.trouble():
            connection.execute("INSERT INTO notes VALUES (zeroblob(100000))")
