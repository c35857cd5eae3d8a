"""A history kept inside a window, against `trim_messages` of LangChain and of LiteLLM.

All sides see the same conversation, window and vocabulary whenever the model would be called: after
what the user says, and after the last result of a turn. The others take the whole history at every
call. This library is measured that way too, beside the way it is meant to be used, where each
message is handed over once. Nothing here uses the network.
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
from orchestrator_context.tokens.counter import Counter
from orchestrator_context.tokens.framing import FRAMING
from tests.benchmarks import histories
from tests.benchmarks.histories import Message

LIMIT = 8_192
TIMED = 5  # last calls of a conversation
SAMPLED = 6  # calls before them, whose results are looked at too
HISTORIES: dict[str, list[Message]] = {
    "chat": histories.chat(1_000),
    "chat in Chinese": histories.chinese(1_000),
    "tools": histories.tools(1_000),
    "one huge tool result": histories.huge_result(1_000),
    "images": histories.images(1_000),
    "tools, ten times as long": histories.tools(10_000),
}

COUNTER = token_counter("gpt-4o")

Sent = Callable[[], list[Message]]
"""Gives what one call sends, read from what the side gives back; that takes none of its time."""

Trim = Callable[[int], Awaitable[Sent]]
"""Trims the first so many messages."""

Side = Callable[[list[Message]], Trim]
"""Gets ready for a conversation, which takes none of its time either."""


def kept(policy: ContextPolicy, *, converts: bool = False) -> Side:
    """Return this library with a transcript that grows by each message.

    Args:
        policy: what fits it.
        converts: whether it reads new messages, and writes those to be sent, within its time.
    """

    def side(messages: list[Message]) -> Trim:
        system = messages[0]["content"]
        agent = Participant("agent", system, "", Budget(LIMIT), policy, counter=COUNTER)
        transcript = Transcript([agent, Participant("user")])
        new = zip(messages[1:], _segments(messages)[1:], strict=True)

        async def trim(length: int) -> Sent:
            for message, parts in islice(new, length - 1 - len(transcript)):
                author = "user" if message["role"] == "user" else "agent"
                transcript.append(author, from_openai_chat([message]) if converts else parts)
            view = await transcript.fit("agent")
            if converts:
                sent = to_openai_chat(view.messages)
                return lambda: sent
            return lambda: to_openai_chat(view.messages)

        return trim

    return side


def from_the_list(messages: list[Message]) -> Trim:
    """Return this library with all messages handed over at every call."""

    async def trim(length: int) -> Sent:
        history = from_openai_chat(messages[:length])
        result = compact_history(history, Budget(LIMIT), counter=COUNTER)
        sent = to_openai_chat(result.segments)
        return lambda: sent

    return trim


def langchain(how: str) -> Side:
    """Return LangChain with its own estimate, or with a counter that takes no time to read."""

    def side(messages: list[Message]) -> Trim:
        theirs = import_module("langchain_core.messages")
        given: list[Any] = theirs.convert_to_messages(messages)
        originals = dict(zip(map(id, given), messages, strict=True))
        counter: object = how
        if how != "approximate":
            parts = dict(zip(map(id, given), _segments(messages), strict=True))
            counter = _costs(parts) if how == "costs" else _counting(parts, how)

        async def trim(length: int) -> Sent:
            left = theirs.trim_messages(
                given[:length],
                max_tokens=LIMIT,
                token_counter=counter,
                strategy="last",
                start_on="human",
                end_on=("human", "tool"),
                include_system=True,
            )
            return lambda: [originals[id(message)] for message in left]

        return trim

    return side


def _segments(messages: list[Message]) -> list[list[Segment]]:
    """Return the segments of each message."""
    parts: list[list[Segment]] = [[] for _ in messages]
    for segment in from_openai_chat(messages):
        parts[int(segment.id[1:].split(".")[0])].append(segment)
    return parts


def _counting(parts: dict[int, list[Segment]], how: str) -> Callable[[Sequence[Any]], int]:
    counter = COUNTER
    if how == "tiktoken":
        tokenizer = import_module("tiktoken").get_encoding("o200k_base")
        framing = FRAMING["o200k_base"]
        counter = Counter(how, True, lambda text: len(tokenizer.encode_ordinary(text)), framing)
    return lambda some: counter.count_messages([part for one in some for part in parts[id(one)]])


def _costs(parts: dict[int, list[Segment]]) -> Callable[[Sequence[Any]], int]:
    base = COUNTER.count_messages(())
    costs = {name: COUNTER.count_messages(part) - base for name, part in parts.items()}
    return lambda some: base + sum(costs[id(message)] for message in some)


def litellm(messages: list[Message]) -> Trim:
    """Return LiteLLM, which counts as `gpt-4o` does."""
    theirs = import_module("litellm.utils")

    async def trim(length: int) -> Sent:
        left: list[Message] = theirs.trim_messages(
            messages[:length], model="gpt-4o", max_tokens=LIMIT
        )
        return lambda: left

    return trim


SIDES: dict[str, Side] = {
    "this library, DropOldest": kept(DropOldest()),
    "this library, ElideMiddle": kept(ElideMiddle()),
    "  the same from and to dicts": kept(ElideMiddle(), converts=True),
    "  the same from whole lists": from_the_list,
    "langchain-core, its estimate": langchain("approximate"),
    "langchain-core, tiktoken": langchain("tiktoken"),
    "langchain-core, our counter": langchain("counter"),
    "langchain-core, costs known": langchain("costs"),
    "litellm, gpt-4o": litellm,
}
LEGEND = f"""\
this library: `append` of what is new and `fit`; from whole lists, `from_openai_chat`,
  `compact_history` and `to_openai_chat` of all messages
langchain-core: `trim_messages` of all messages, with `count_tokens_approximately`; with tiktoken;
  with our counter, which remembers texts; and with the costs of all messages known beforehand
litellm: `trim_messages` of all messages
limit {LIMIT:,} tokens, o200k; ms: processor time, median of the last {TIMED} calls; ratio: to the
first line; over: calls that sent more than the limit, and by how many tokens at the most; unpaired:
calls and results without each other; system, newest: calls without the system prompt or the newest
user message; refused: calls where an error said that it does not fit"""


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
            f"{median * 1e3:9.2f} {median / ours:7.1f} {self.over:4}/{self.calls} "
            f"{self.worst:8,} {self.bare:8} {self.lost_system:6} {self.lost_turn:6} "
            f"{self.refused:7}"
        )


HEADING = (
    f"{'':30}{'ms a call':>9} {'ratio':>7} {'over':>7} {'by':>8} {'unpaired':>8} {'system':>6} "
    f"{'newest':>6} {'refused':>7}"
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


def _model_calls(messages: list[Message]) -> list[int]:
    """Return after how many messages the model is called: some on the way, and the last ones."""
    following = [*(one["role"] for one in messages[1:]), "user"]
    places = [
        length
        for length, (one, after) in enumerate(zip(messages, following, strict=True), start=1)
        if one["role"] == "user" or (one["role"] == "tool" and after != "tool")
    ]
    return places[:-TIMED][:: len(places) // SAMPLED] + places[-TIMED:]


async def run(side: Side, messages: list[Message]) -> Tally:
    """Return what `side` did at each call, and how long the last ones took."""
    tally, trim = Tally(), side(messages)
    for length in _model_calls(messages):
        tally.calls += 1
        started = time.process_time()
        try:
            sent = await trim(length)
        except BudgetExceededError:
            tally.refused += 1
            continue
        finally:
            tally.seconds.append(time.process_time() - started)
        tally.look_at(sent(), messages[:length])
    tally.seconds = tally.seconds[-TIMED:]
    return tally


def _offline() -> None:
    """Load LiteLLM so that nothing goes to the network."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    peer: Any = import_module("litellm")
    peer.telemetry = False
    import_module("litellm.litellm_core_utils.default_encoding")  # brings files for tiktoken
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)  # it logs what it catches


def main() -> None:
    _offline()
    print(", ".join(f"{name} {version(name)}" for name in ("langchain-core", "litellm")))
    print(LEGEND)
    for name, messages in HISTORIES.items():
        tokens = COUNTER.count_messages(from_openai_chat(messages))
        print(f"{name}: {len(messages):,} messages, {tokens:,} tokens\n{HEADING}")
        ours = 0.0
        for title, side in SIDES.items():
            tally = anyio.run(run, side, messages)
            ours = ours or statistics.median(tally.seconds)
            print(f"{title:30}{tally.line(ours)}", flush=True)
