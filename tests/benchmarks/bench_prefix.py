"""How often a view is the beginning of the participant's next one, as prompt caches need it.

Three participants with different windows debate for 200 turns. Their views are looked at as the
messages that are sent, once all that was said is more than the window: those of who speaks next,
which follow each other by three turns, and those of everybody at every turn. "Oldest until it fits"
drops no more than it must, each time.
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

WINDOWS = {"Ann": 4_096, "Bob": 6_144, "Cy": 8_192}
TURNS = 200
WORDS = (40, 80, 160)  # of a turn, about
POLICIES: dict[str, ContextPolicy] = {
    "oldest until it fits": DropOldest(low_water=1.0),
    "DropOldest()": DropOldest(),
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

    def next(self, name: str, view: View, *, over: bool) -> None:
        """Compare the next view of a participant with the one before it."""
        before = self.before.get(name)
        self.before[name] = view
        if before is not None and over:
            old, new = to_openai_chat(before.messages), to_openai_chat(view.messages)
            self.views += 1
            self.whole += new[: len(old)] == old
            self.shared += prefix_stability(before.messages, view.messages, counter=COUNTER)

    def __str__(self) -> str:
        whole, shared = self.whole / self.views, self.shared / self.views
        return f"{whole:6.1%} of {self.views} views, {shared:6.1%} of their tokens"


async def debate(policy: ContextPolicy, words: int) -> tuple[Tally, Tally]:
    """Return the count of the views of who speaks next, and that of all views at every turn.

    Args:
        policy: of all participants.
        words: of a turn, about.
    """
    people = [
        Participant(name, f"You are {name}. Be brief.", "", Budget(window), policy)
        for name, window in WINDOWS.items()
    ]
    transcript = Transcript(people, opening="Should cities build more wells?")
    spoken, seen = Tally(), Tally()
    for turn, speaker in zip(range(TURNS), cycle(people), strict=False):
        for one in people:
            view = await transcript.fit(one)
            over = transcript.view(one).ledger.total > WINDOWS[one.name]
            seen.next(one.name, view, over=over)
            if one is speaker:
                spoken.next(one.name, view, over=over)
        length = words // 2 + turn * 37 % words
        transcript.append(speaker.name, prose(f"turn {turn}", length))
    return spoken, seen


def main() -> None:
    windows = ", ".join(f"{window:,}" for window in WINDOWS.values())
    print(
        f"{TURNS} turns, windows of {windows} tokens; views that begin with the whole view before"
    )
    for words in WORDS:
        print(f"turns of about {COUNTER.count(prose('turn', words))} tokens")
        for name, policy in POLICIES.items():
            spoken, seen = anyio.run(debate, policy, words)
            print(f"{name:>25}: before speaking {spoken}; at every turn {seen}", flush=True)
