"""What each further turn of a conversation costs, `append` and `fit`, as the conversation grows.

Each policy runs in a process of its own, so that its memory can be told. A turn is a message; for
`ElideMiddle`, two of five are results of tools. Times are those of the processor, which nothing
else on the machine changes.
"""

from __future__ import annotations

import gc
import resource
import statistics
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import anyio

from orchestrator_context.conversation.formats import from_openai_chat
from orchestrator_context.conversation.participant import Participant
from orchestrator_context.conversation.policy import ContextPolicy
from orchestrator_context.conversation.transcript import Transcript
from orchestrator_context.conversation.view import View
from orchestrator_context.models import Budget, Segment
from orchestrator_context.policies import DropOldest, ElideMiddle, SlidingWindow, Summarize
from orchestrator_context.tokens import token_counter
from tests.benchmarks import histories

WINDOW = 8_192
TURNS = (100, 1_000, 10_000, 100_000)
ADDED = 200
RUNS = 5
POLICIES: dict[str, ContextPolicy] = {
    "DropOldest": DropOldest(),
    "ElideMiddle": ElideMiddle(),
    "Summarize(None)": Summarize(),
    "SlidingWindow": SlidingWindow(),
}

Turn = tuple[str, tuple[Segment, ...]]


async def measure(name: str) -> None:
    """Print one line for each number of turns."""
    most = max(TURNS) + ADDED
    messages = (histories.tools if name == "ElideMiddle" else histories.chat)(most)[1:]
    turns = [*map(_turn, messages)]
    token_counter().count("loads the vocabulary")
    idle = _peak()
    for number in TURNS:
        agent = Participant("agent", histories.SYSTEM, "", Budget(WINDOW), POLICIES[name])
        transcript = Transcript([agent, Participant("user")])
        coming = iter(turns)
        started = time.process_time()
        for turn in islice(coming, number):
            transcript.append(*turn)
        await transcript.fit("agent")
        first = time.process_time() - started
        times = [await _added(transcript, turn) for turn in islice(coming, ADDED)]
        print(
            f"{name:>15}, {number:>7,} turns: {statistics.median(times) * 1e3:5.2f} ms a turn, "
            f"worst {max(times) * 1e3:6.2f} of {ADDED}; first fit {first / number * 1e6:4.0f} us "
            f"a turn",
            flush=True,
        )
    print(f"{'':15}  peak {(_peak() - idle) / 1024:.0f} MiB above that of the turns alone")
    del messages  # kept till now, so that what they leave behind is not filled


def _turn(message: histories.Message) -> Turn:
    """Return who speaks and what; a call and its result are of the agent."""
    return "user" if message["role"] == "user" else "agent", from_openai_chat([message])


async def _added(transcript: Transcript, turn: Turn) -> float:
    started = time.process_time()
    transcript.append(*turn)
    view = await transcript.fit("agent")
    assert view.report.fits
    return time.process_time() - started


def _peak() -> int:
    gc.collect()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


async def stateless() -> None:
    """Print what it takes to read and fit whole lists of messages, each one longer by one."""
    for name, policy in POLICIES.items():
        messages = histories.tools(1_000)
        messages[0] = {"role": "system", "content": f"{histories.SYSTEM} For {name}."}
        seconds: list[float] = []
        for length in range(len(messages) - RUNS, len(messages)):
            started = time.process_time()
            view = await policy.fit(View.of(from_openai_chat(messages[:length])), Budget(WINDOW))
            seconds.append(time.process_time() - started)
            assert view.report.fits
        print(
            f"{name:>15}, list of 1,000 messages: first {seconds[0] * 1e3:.0f} ms, "
            f"then {statistics.median(seconds[1:]) * 1e3:.1f} ms"
        )


def main() -> None:
    for name in POLICIES:
        command = [sys.executable, "-m", "tests.benchmarks.bench_history", name]
        subprocess.run(command, check=True, cwd=Path(__file__).parents[2])
    anyio.run(stateless)


if __name__ == "__main__":
    anyio.run(measure, sys.argv[1])
