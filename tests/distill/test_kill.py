"""Runs that are killed with SIGKILL and started again, against a real server in its own process."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.loopback import Behaviour, Loopback, Request, fails, loopback_process, waits

CONCURRENCY = 4
CHUNKS = 60
RUN = f"""
import json, sys, anyio
from orchestrator_context.distill import DistillOptions, distill
from orchestrator_context.models import Document
from orchestrator_context.providers.openai import OpenAIGenerator

async def main(url, checkpoint):
    texts = (f"Station {{i}} holds {{i * 7}} bar." for i in range({CHUNKS}))
    documents = (Document(f"d{{i}}", text) for i, text in enumerate(texts))
    client = OpenAIGenerator("gpt-4o", base_url=url, window=700)
    options = DistillOptions(concurrency={CONCURRENCY}, max_output_tokens=64)
    result = await distill(documents, "How much?", client=client, options=options,
                           checkpoint=checkpoint)
    report = result.report
    print(json.dumps([result.text, report.calls, report.resumed_calls, report.depth]))

anyio.run(main, *sys.argv[1:])
"""


def start(url: str, checkpoint: Path, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", RUN, url, str(checkpoint)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)


def finished(process: subprocess.Popen[str]) -> list[object]:
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    answer: list[object] = json.loads(output)
    return answer


def rows(checkpoint: Path) -> int:
    with sqlite3.connect(checkpoint) as connection:
        count = int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])
    connection.close()
    return count


def kill_when(process: subprocess.Popen[str], checkpoint: Path, answers: int) -> None:
    """Kill once that many answers are in the journal, at whatever point the run is then."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if checkpoint.exists() and checkpoint.stat().st_size:
            try:
                if rows(checkpoint) >= answers:
                    break
            except sqlite3.OperationalError:  # the very first moment: no table yet
                pass
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()


@pytest.mark.parametrize("seed", [1, 2])
def test_no_finished_call_is_made_again_and_the_answer_is_the_same(
    tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    with loopback_process(delay_seconds=0.01, log=tmp_path / "whole.log") as url:
        text, calls, _, depth = finished(start(url, tmp_path / "whole.sqlite"))
    assert isinstance(depth, int)
    assert depth > 1

    log, checkpoint = tmp_path / "killed.log", tmp_path / "killed.sqlite"
    points = sorted(chance.sample(range(1, CHUNKS + 10), 3))
    with loopback_process(delay_seconds=0.01, log=log) as url:
        for point in points:
            kill_when(start(url, checkpoint), checkpoint, point)
        journalled = rows(checkpoint)
        assert journalled >= points[-1]
        again, made, resumed, _ = finished(start(url, checkpoint))

    assert (again, resumed) == (text, journalled)
    assert made == int(str(calls)) - journalled
    asked = Counter(log.read_text().split())
    assert len(asked) == calls
    repeated = sum(asked.values()) - len(asked)
    assert repeated <= CONCURRENCY * len(points)  # only what was in flight at the kill


def test_runs_started_together_make_as_many_calls_as_one(tmp_path: Path) -> None:
    with loopback_process(delay_seconds=0.01) as url:
        text, calls, _, _ = finished(start(url, tmp_path / "alone.sqlite"))
    log, checkpoint = tmp_path / "together.log", tmp_path / "together.sqlite"
    with loopback_process(delay_seconds=0.01, log=log) as url:
        results = list(map(finished, [start(url, checkpoint) for _ in range(3)]))
    assert {result[0] for result in results} == {text}
    made, resumed = ([int(str(result[at])) for result in results] for at in (1, 2))
    assert sum(made) == calls == len(log.read_text().split())
    assert [one + other for one, other in zip(made, resumed, strict=True)] == [calls] * 3
    assert not list(tmp_path.glob("*-claims"))


def test_others_go_on_where_one_of_them_is_killed(tmp_path: Path) -> None:
    log, checkpoint = tmp_path / "killed.log", tmp_path / "killed.sqlite"
    with loopback_process(delay_seconds=0.01, log=log) as url:
        killed, other = start(url, checkpoint), start(url, checkpoint)
        kill_when(killed, checkpoint, 10)
        _, made, resumed, _ = finished(other)
    asked = Counter(log.read_text().split())
    assert len(asked) == int(str(made)) + int(str(resumed)) == rows(checkpoint)
    assert sum(asked.values()) - len(asked) <= CONCURRENCY  # what was in flight at the kill


@pytest.mark.parametrize("status", [401, 500])
def test_what_is_refused_to_one_of_them_another_one_gets(tmp_path: Path, status: int) -> None:
    def behave(request: Request) -> Behaviour:
        asks_in_vain = request.headers["authorization"] == "Bearer nobody"
        return waits(0.05, fails(status) if asks_in_vain else None)

    def keyed(key: str) -> subprocess.Popen[str]:
        variables = os.environ | {"OPENAI_API_KEY": key}
        return start(f"{service.url}/v1", checkpoint, env=variables, stderr=subprocess.PIPE)

    checkpoint = tmp_path / "shared.sqlite"
    with Loopback(behave=behave) as service:
        refused = keyed("nobody")
        wait_until(lambda: len(service.requests) > 0)
        _, made, resumed, _ = finished(keyed("somebody"))
        _, trouble = refused.communicate(timeout=60)
    assert refused.returncode == 0 or f"answered {status}" in trouble
    assert (made, resumed) == (rows(checkpoint), 0)
    keys = Counter(request.headers["authorization"] for request in service.requests)
    assert keys["Bearer somebody"] == made


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.002)
