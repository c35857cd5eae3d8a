"""A history kept inside a window, against `trim_messages` of LangChain and of LiteLLM.

All sides see the same conversation, window and vocabulary, whenever the model would be called:
after what the user says and after the last result of a turn. The others take the whole history at
every call; this library is measured that way, and the way it is meant to be used, where each
message is read once. Its times include reading new messages and writing those to be sent; those
of the others begin and end with their own messages. Nothing here uses the network.
"""

from __future__ import annotations

import logging
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from itertools import islice
from typing import Any

import anyio

from orchestrator_context.conversation.formats import from_openai_chat, to_openai_chat
from orchestrator_context.conversation.history import compact_history
from orchestrator_context.conversation.participant import Participant
from orchestrator_context.conversation.policy import ContextPolicy
from orchestrator_context.conversation.transcript import Transcript
from orchestrator_context.exceptions import BudgetExceededError
from orchestrator_context.models import Budget, Segment
from orchestrator_context.policies import DropOldest, ElideMiddle
from orchestrator_context.tokens import token_counter
from tests.benchmarks import histories
from tests.benchmarks.histories import Message

LIMIT = 8_192
TURNS = 1_000
TIMED = 10  # last calls of a conversation
SAMPLED = 20  # calls before them, whose results are looked at too
HISTORIES: dict[str, Callable[[int], list[Message]]] = {
    "chat": histories.chat,
    "chat in Chinese": histories.chinese,
    "tools": histories.tools,
    "one huge tool result": histories.huge_result,
    "images": histories.images,
}

COUNTER = token_counter("gpt-4o")

Trim = Callable[[int], Awaitable[list[Message]]]
"""Gives what is sent of the first so many messages."""


def from_the_list(messages: list[Message]) -> Trim:
    """Return this library without a memory."""

    async def trim(length: int) -> list[Message]:
        history = from_openai_chat(messages[:length])
        return to_openai_chat(compact_history(history, Budget(LIMIT), counter=COUNTER).segments)

    return trim


def kept(policy: ContextPolicy) -> Callable[[list[Message]], Trim]:
    """Return this library with a transcript that grows."""

    def side(messages: list[Message]) -> Trim:
        system = messages[0]["content"]
        agent = Participant("agent", system, "", Budget(LIMIT), policy, counter=COUNTER)
        transcript = Transcript([agent, Participant("user")])
        new = iter(messages[1:])

        async def trim(length: int) -> list[Message]:
            for message in islice(new, length - 1 - len(transcript)):
                author = "user" if message["role"] == "user" else "agent"
                transcript.append(author, from_openai_chat([message]))
            return to_openai_chat((await transcript.fit("agent")).messages)

        return trim

    return side


def langchain(how: str) -> Callable[[list[Message]], Trim]:
    """Return LangChain with its estimate, or with a counter made of ours."""

    def side(messages: list[Message]) -> Trim:
        theirs = import_module("langchain_core.messages")
        given: list[Any] = theirs.convert_to_messages(messages)
        originals = dict(zip(map(id, given), messages, strict=True))
        counter = "approximate" if how == "approximate" else _counting(given, messages, how)

        async def trim(length: int) -> list[Message]:
            left = theirs.trim_messages(
                given[:length],
                max_tokens=LIMIT,
                token_counter=counter,
                strategy="last",
                start_on="human",
                end_on=("human", "tool"),
                include_system=True,
            )
            return [originals[id(message)] for message in left]

        return trim

    return side


def _counting(
    given: list[Any], messages: list[Message], how: str
) -> Callable[[Sequence[Any]], int]:
    """Return a counter of their messages that spends no time on reading them."""
    parts: dict[int, list[Segment]] = {id(message): [] for message in given}
    for segment in from_openai_chat(messages):
        parts[id(given[int(segment.id[1:].split(".")[0])])].append(segment)
    if how == "counted each time":
        return lambda some: COUNTER.count_messages([part for m in some for part in parts[id(m)]])
    base = COUNTER.count_messages(())
    costs = {name: COUNTER.count_messages(part) - base for name, part in parts.items()}
    return lambda some: base + sum(costs[id(message)] for message in some)


def litellm(messages: list[Message]) -> Trim:
    """Return LiteLLM, which counts as `gpt-4o` does."""
    theirs = _litellm()

    async def trim(length: int) -> list[Message]:
        left: list[Message] = theirs.trim_messages(
            messages[:length], model="gpt-4o", max_tokens=LIMIT
        )
        return left

    return trim


def _litellm() -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)  # it logs the errors it swallows
    module = import_module("litellm")
    module.telemetry = False
    return import_module("litellm.utils")


SIDES: dict[str, Callable[[list[Message]], Trim]] = {
    "this library, ElideMiddle": kept(ElideMiddle()),
    "this library, DropOldest": kept(DropOldest()),
    "this library, from the list": from_the_list,
    "langchain-core, estimate": langchain("approximate"),
    "langchain-core, our counter": langchain("counted each time"),
    "langchain-core, counts given": langchain("counted once"),
    "litellm, gpt-4o": litellm,
}


@dataclass
class Tally:
    """What one side did to one conversation."""

    seconds: list[float] = field(default_factory=list)
    calls: int = 0
    over: int = 0
    worst: int = 0
    bare: int = 0
    lost_system: int = 0
    lost_turn: int = 0
    refused: int = 0

    def look_at(self, sent: list[Message], given: list[Message]) -> None:
        """Note what is wrong with `sent`, which should stand for `given`."""
        over = COUNTER.count_messages(from_openai_chat(sent)) - LIMIT
        self.over += over > 0
        self.worst = max(self.worst, over)
        self.bare += _bare(sent)
        self.lost_system += given[0] not in sent
        newest = next(one for one in reversed(given) if one["role"] == "user")
        self.lost_turn += newest not in sent

    def line(self, ours: float) -> str:
        """Return the figures, and the time as a multiple of `ours`."""
        median = statistics.median(self.seconds)
        return (
            f"{median * 1e3:9.2f} {median / ours:8.1f} {self.over:6}/{self.calls} "
            f"{self.worst:10,} {self.bare:7} {self.lost_system:7} {self.lost_turn:7} "
            f"{self.refused:7}"
        )


HEADING = (
    f"{'':30} {'ms a call':>9} {'ratio':>8} {'over':>9} {'worst by':>10} {'unpaired':>7} "
    f"{'system':>6} {'newest':>7} {'refused':>7}"
)


def _bare(sent: list[Message]) -> int:
    """Return the calls without a result right behind them, and the results without a call."""
    wrong, waiting = 0, set[str]()
    for message in sent:
        if message["role"] == "tool":
            wrong += message["tool_call_id"] not in waiting
            waiting.discard(message["tool_call_id"])
            continue
        wrong += len(waiting)
        waiting = {call["id"] for call in message.get("tool_calls") or ()}
    return wrong + len(waiting)


def _calls(messages: list[Message]) -> list[int]:
    """Return after how many messages the model is called: some on the way, and the last ones."""
    following = [*(one["role"] for one in messages[1:]), "user"]
    places = [
        length
        for length, (one, after) in enumerate(zip(messages, following, strict=True), start=1)
        if one["role"] == "user" or (one["role"] == "tool" and after != "tool")
    ]
    return places[:-TIMED][:: len(places) // SAMPLED] + places[-TIMED:]


async def run(side: Callable[[list[Message]], Trim], messages: list[Message]) -> Tally:
    """Return what `side` did at each call, and how long the last ones took."""
    tally, trim = Tally(), side(messages)
    for length in _calls(messages):
        tally.calls += 1
        started = time.perf_counter()
        try:
            sent = await trim(length)
        except BudgetExceededError:
            tally.refused += 1
            continue
        finally:
            tally.seconds.append(time.perf_counter() - started)
        tally.look_at(sent, messages[:length])
    tally.seconds = tally.seconds[-TIMED:]
    return tally


def main() -> None:
    versions = ", ".join(f"{name} {version(name)}" for name in ("langchain-core", "litellm"))
    print(f"{versions}; limit {LIMIT:,} tokens; ratio: time over that of the first line")
    for name, make in HISTORIES.items():
        messages = make(TURNS)
        tokens = COUNTER.count_messages(from_openai_chat(messages))
        print(f"{name}: {len(messages):,} messages, {tokens:,} tokens\n{HEADING}")
        ours = 0.0
        for title, side in SIDES.items():
            tally = anyio.run(run, side, messages)
            ours = ours or statistics.median(tally.seconds)
            print(f"{title:>30} {tally.line(ours)}", flush=True)
