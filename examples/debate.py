"""Three participants argue for 40 turns, each in a window of its own that never overflows.

    python examples/debate.py                               # scripted speakers, no model needed
    python examples/debate.py --client openai:gpt-5-mini    # any client the library can load

Each participant brings its view into its window by another policy. The terminal shows how full the
windows are and what was left out on the way; at the end stands an account for each participant.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from dataclasses import dataclass

import anyio
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from orchestrator_context import (
    Budget,
    ExtractiveSummarizer,
    Generator,
    Participant,
    Segment,
    Transcript,
    View,
    finalize,
    load_generator,
    prefix_stability,
)
from orchestrator_context.policies import Chain, DropOldest, ElideMiddle, Summarize

MOTION = "The city replaces its 240 diesel buses with electric ones by 2030."
ANSWER_TOKENS = 200

PARTICIPANTS = (
    Participant(
        "Mayor",
        system="You are the mayor. Argue for the motion in two or three sentences.",
        briefing="Only you know: the state pays 40 % of every bus ordered before March.",
        budget=Budget(max_tokens=900, output_reserve=ANSWER_TOKENS),
        policy=Chain(Summarize(ExtractiveSummarizer()), DropOldest()),
    ),
    Participant(
        "Engineer",
        system="You run the depots. Look figures up, and say what can be built and what cannot.",
        budget=Budget(max_tokens=2_000, output_reserve=ANSWER_TOKENS),
        policy=ElideMiddle(keep_recent=4),
    ),
    Participant(
        "Treasurer",
        system="You are the treasurer. Argue against the motion: what is not there is not spent.",
        budget=Budget(max_tokens=700, output_reserve=ANSWER_TOKENS),
        policy=DropOldest(low_water=0.6),
    ),
)

LINES = {
    "Mayor": (
        "Air at the main station breaks the limit on {n} days a year. I say we order {m} buses.",
        "A diesel bus costs us {n} thousand a year in fuel. The money is on the road already.",
        "Other cities did it with {m} buses at a time. We should decide on lot {n} today.",
        "The clinic in Harbour Street asked for this {n} times. I want route {m} to be the first.",
    ),
    "Engineer": (
        "The depot takes {m} chargers at most until the grid is extended. Permit {n} is open.",
        "A bus on route {m} needs {n} kWh a day in winter. That rules out the small battery.",
        "Correction to my last figure: the transformer allows {m} chargers, not more.",
        "We need {m} mechanics with a high-voltage licence. {n} have one today.",
    ),
    "Treasurer": (
        "The reserve holds {n} million. It must never fall below 12 million.",
        "Lot {n} alone costs {m} million more than diesel. Who pays for that?",
        "I move that no contract is signed before audit {n} is closed.",
        "Interest rose to {m} per mille. Every year of delay in state money costs us {n} thousand.",
    ),
}


@dataclass(slots=True)
class Speakers:
    """Who speaks for the participants: a client, or the lines above."""

    client: Generator | None

    async def turn(self, name: str, view: View, number: int) -> list[Segment]:
        """Return what `name` says next, on the ground of what it sees."""
        if self.client is not None:
            said = await self.client.generate(finalize(view), max_output_tokens=ANSWER_TOKENS)
            return [Segment(said.text)]
        return list(scripted(name, number))


def scripted(name: str, number: int) -> Iterator[Segment]:
    """Yield the parts of a turn; the engineer looks something up first, every other time."""
    if name == "Engineer" and number % 2:
        call = f"call-{number}"
        arguments = json.dumps({"route": number})
        yield Segment(arguments, "assistant", "tool_call", title="timetable", call_id=call)
        rows = [f"{6 + i // 4}:{i % 4 * 15:02d} {10 + i} passengers" for i in range(48)]
        yield Segment("\n".join(rows), "tool", "tool_result", title="timetable", call_id=call)
    lines = LINES[name]
    yield Segment(lines[number // 3 % len(lines)].format(n=17 + number * 7 % 90, m=3 + number % 9))


@dataclass(slots=True)
class Seat:
    """What is shown of one participant.

    Attributes:
        participant: who sits there.
        view: what it sees.
        turns: how often it spoke.
        kept: how often its last view was the beginning of the new one.
    """

    participant: Participant
    view: View | None = None
    turns: int = 0
    kept: int = 0

    def see(self, view: View) -> None:
        """Take down a new view."""
        self.kept += self.view is not None and prefix_stability(self.view, view) == 1
        self.turns += 1
        self.view = view

    def row(self) -> tuple[ProgressBar | str, ...]:
        """Return the row of the table on the screen."""
        assert self.view is not None
        report, room = self.view.report, self.participant.budget.available or 1
        return (
            self.participant.name,
            ProgressBar(total=room, completed=report.tokens, width=16),
            f"{report.tokens}/{room}",
            f"{report.dropped_count}",
            f"{report.elided.total}",
            f"{report.summarised_count}",
            f"{self.kept}/{self.turns - 1}",
        )


def screen(seats: list[Seat], number: int, said: str) -> Group:
    """Return the picture of the debate after a turn."""
    table = Table("", "window", box=None, pad_edge=False)
    for heading in ("tokens", "dropped", "elided", "summarised", "prefix kept"):
        table.add_column(heading, justify="right", no_wrap=True)
    for seat in seats:
        if seat.view is not None:
            table.add_row(*seat.row())
    return Group(Text(f"Turn {number}: {MOTION}\n", style="bold"), table, Text(said, style="dim"))


async def debate(client: Generator | None, turns: int, console: Console) -> list[Seat]:
    """Hold the debate and return what each participant saw of it."""
    transcript = Transcript(PARTICIPANTS, opening=f"The motion: {MOTION}")
    seats = [Seat(participant) for participant in PARTICIPANTS]
    speakers = Speakers(client)
    live = Live(console=console, refresh_per_second=8) if console.is_terminal else nullcontext()
    with live as shown:
        for number in range(turns):
            seat = seats[number % len(seats)]
            view = await transcript.fit(seat.participant)
            seat.see(view)
            turn = await speakers.turn(seat.participant.name, view, number)
            transcript.append(seat.participant.name, turn)
            if shown is not None:
                shown.update(screen(seats, number + 1, turn[-1].content))
                await anyio.sleep(0.05)  # slow enough to watch
        if shown is None:
            console.print(screen(seats, turns, ""))
    return seats


async def main(spec: str, turns: int) -> None:
    console = Console()
    async with AsyncExitStack() as stack:
        client = load_generator(spec) if spec else None
        if isinstance(client, AbstractAsyncContextManager):
            await stack.enter_async_context(client)  # connections stay open from turn to turn
        seats = await debate(client, turns, console)
    for seat in seats:
        if seat.view is not None:
            report = f"{seat.participant.name}: {seat.view.report.summary()}"
            console.print(report, soft_wrap=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--client", default="", help="such as openai:gpt-5-mini")
    parser.add_argument("--turns", type=int, default=40)
    given = parser.parse_args()
    anyio.run(main, given.client, given.turns)
