"""How often a view is the beginning of the participant's next one, as prompt caches need it.

Three participants with different windows debate for 200 turns. Their views are looked at as the
messages that are sent, once all that was said is more than the window: those of who speaks next,
which follow each other by three turns, and those of everybody at every turn. "Oldest until it fits"
drops no more than it must, each time. What a call costs is told in windows of input at full price,
where a token that a cache has costs a tenth.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import cycle

import anyio

from orchestrator_context.conversation.cache import prefix_stability
from orchestrator_context.conversation.formats import to_openai_chat
from orchestrator_context.conversation.participant import Participant
from orchestrator_context.conversation.policy import ContextPolicy
from orchestrator_context.conversation.transcript import Transcript
from orchestrator_context.conversation.view import View
from orchestrator_context.models import Budget
from orchestrator_context.policies import (
    DropOldest,
    ElideMiddle,
    SlidingWindow,
    Summarize,
)
from orchestrator_context.tokens import token_counter
from tests.benchmarks.histories import prose

NAMES = ("Ann", "Bob", "Cy")
SMALL, LARGE = (4_096, 6_144, 8_192), (8_192, 12_288, 16_384)
TURNS = 200
CASES = ((SMALL, 40), (SMALL, 80), (SMALL, 160), (LARGE, 80), (LARGE, 160))  # words of a turn
CACHED = 0.1  # of the price of a token
POLICIES: dict[str, ContextPolicy] = {
    "oldest until it fits": DropOldest(low_water=1.0),
    "DropOldest(low_water=.7)": DropOldest(low_water=0.7),
    "DropOldest()": DropOldest(),
    "ElideMiddle(low_water=.7)": ElideMiddle(low_water=0.7),
    "ElideMiddle()": ElideMiddle(),
    "Summarize()": Summarize(),
    "SlidingWindow()": SlidingWindow(),
    "SlidingWindow(slide=10)": SlidingWindow(slide=10),
}
COUNTER = token_counter()


@dataclass
class Tally:
    """Views over the limit, and those of them whose forerunner is their beginning."""

    before: dict[str, View] = field(default_factory=dict)
    views: int = 0
    whole: int = 0
    shared: float = 0.0
    filled: float = 0.0
    cost: float = 0.0

    def next(self, name: str, view: View, window: int, *, over: bool) -> None:
        """Compare the next view of a participant with the one before it."""
        before = self.before.get(name)
        self.before[name] = view
        if before is not None and over:
            old, new = to_openai_chat(before.messages), to_openai_chat(view.messages)
            self.views += 1
            self.whole += new[: len(old)] == old
            shared = prefix_stability(before.messages, view.messages, counter=COUNTER)
            self.shared += shared
            self.filled += view.tokens / window
            self.cost += (view.tokens - (1 - CACHED) * shared * before.tokens) / window

    def __str__(self) -> str:
        whole, shared = self.whole / self.views, self.shared / self.views
        return f"{whole:6.1%} of {self.views:3} views, {shared:6.1%} of their tokens"

    @property
    def price(self) -> str:
        """How full the views are, and what they cost."""
        return f"{self.filled / self.views:4.0%} full, costs {self.cost / self.views:.2f}"


async def debate(
    policy: ContextPolicy, words: int, windows: tuple[int, ...] = SMALL
) -> tuple[Tally, Tally]:
    """Return the count of the views of who speaks next, and that of all views at every turn.

    Args:
        policy: of all participants.
        words: of a turn, about.
        windows: of the participants.
    """
    rooms = dict(zip(NAMES, windows, strict=True))
    people = [
        Participant(name, f"You are {name}. Be brief.", "", Budget(window), policy)
        for name, window in rooms.items()
    ]
    transcript = Transcript(people, opening="Should cities build more wells?")
    spoken, seen = Tally(), Tally()
    for turn, speaker in zip(range(TURNS), cycle(people), strict=False):
        for one in people:
            view = await transcript.fit(one)
            room = rooms[one.name]
            over = transcript.view(one).ledger.total > room
            seen.next(one.name, view, room, over=over)
            if one is speaker:
                spoken.next(one.name, view, room, over=over)
        length = words // 2 + turn * 37 % words
        transcript.append(speaker.name, prose(f"turn {turn}", length))
    return spoken, seen


def main() -> None:
    print(f"{TURNS} turns; views that begin with the whole view before; costs in windows a call")
    for windows, words in CASES:
        told = ", ".join(f"{window:,}" for window in windows)
        print(f"windows of {told}; turns of about {COUNTER.count(prose('turn', words))} tokens")
        for name, policy in POLICIES.items():
            spoken, seen = anyio.run(debate, policy, words, windows)
            print(
                f"{name:>25}: before speaking {spoken}, {spoken.price}; at every turn {seen}",
                flush=True,
            )
