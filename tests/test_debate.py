"""The example debate shows what became of every window, in any client's hands."""

from __future__ import annotations

import io
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from orchestrator_context import Segment, View
from orchestrator_context.providers.extractive import ExtractiveGenerator
from orchestrator_context.testing import Call, ScriptedGenerator

EXAMPLE = SimpleNamespace(
    **runpy.run_path(str(Path(__file__).parents[1] / "examples" / "debate.py"))
)
NAMES = ("Mayor", "Engineer", "Treasurer")

pytestmark = pytest.mark.anyio


def screen(*, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), width=80, force_terminal=terminal, color_system=None)


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


async def test_every_window_is_trimmed_in_its_own_way_and_none_overflows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[View] = []
    monkeypatch.setattr(EXAMPLE.Seat, "see", watched(EXAMPLE.Seat.see, seen))
    seats = await EXAMPLE.debate(None, 40, screen())
    assert len(seen) == 40
    for view in seen:
        room = view.report.budget.available
        assert room is not None
        assert view.counter.count_messages(view.messages) == view.tokens <= room
    mayor, engineer, treasurer = (seat.view.report for seat in seats)
    assert mayor.summarised_count > 10
    assert engineer.elided.results > 1
    assert treasurer.dropped_count > 10
    assert all(2 * seat.kept >= seat.turns for seat in seats)


def watched(see: object, seen: list[View]) -> object:
    def both(self: object, view: View) -> None:
        seen.append(view)
        see(self, view)  # type: ignore[operator]

    return both


async def test_the_picture_has_a_gauge_for_each_and_fits_80_columns() -> None:
    console = screen()
    await EXAMPLE.debate(None, 40, console)
    lines = shown(console).splitlines()
    assert all(len(line) <= 80 for line in lines)
    (heading,) = (line for line in lines if "window" in line)
    wanted = ["window", "tokens", "dropped", "elided", "summarised", "prefix", "kept"]
    assert heading.split() == wanted
    for name in NAMES:
        (row,) = (line for line in lines if line.startswith(name))
        assert re.fullmatch(rf"{name} +[━╸╺ ]+\d+/\d+( +\d+){{3}} +\d+/\d+ *", row), row
        filled, room = map(int, re.findall(r"(\d+)/(\d+)", row)[0])
        assert abs(row.count("━") / 16 - filled / room) < 0.1


async def test_a_terminal_shows_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers: list[int] = []
    drawn = EXAMPLE.screen

    def noted(seats: object, number: int, said: str) -> object:
        numbers.append(number)
        return drawn(seats, number, said)

    monkeypatch.setitem(EXAMPLE.debate.__globals__, "screen", noted)
    console = screen(terminal=True)
    await EXAMPLE.debate(None, 9, console)
    assert numbers == list(range(1, 10))
    assert all(name in shown(console) for name in NAMES)


async def test_a_client_speaks_and_gets_what_fits() -> None:
    def answer(call: Call) -> str:
        return f"Point {call.number}: " + "buses are expensive and the air is bad; " * 10

    client = ScriptedGenerator(answer)
    seats = await EXAMPLE.debate(client, 40, screen())
    assert len(client.calls) == 40
    for call in client.calls:
        assert call.max_output_tokens == EXAMPLE.ANSWER_TOKENS
        assert call.messages[0].kind == "system"
    rooms = {seat.participant.system: seat.participant.budget.available for seat in seats}
    for call in client.calls:
        counted = client.profile.counter.count_messages(call.messages)
        assert counted <= rooms[call.messages[0].content]
    assert all(seat.view.report.changed for seat in seats)


async def test_a_client_without_a_model_speaks_too() -> None:
    seats = await EXAMPLE.debate(ExtractiveGenerator(), 12, screen())
    assert all(isinstance(one, Segment) for seat in seats for one in seat.view.segments)
    assert all(seat.view.report.fits for seat in seats)


async def test_it_ends_with_a_report_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    await EXAMPLE.main("extractive", 6)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[-3:]] == list(NAMES)
    assert all("tokens" in line for line in lines[-3:])
