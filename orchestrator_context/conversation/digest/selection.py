"""Which entries go into the summary, and how short: a knapsack by worth for each token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from orchestrator_context.conversation.digest.entries import Entry, render
from orchestrator_context.conversation.digest.kinds import KINDS
from orchestrator_context.conversation.digest.shortening import LEVELS, is_idle, shortened
from orchestrator_context.conversation.digest.statements import Statement
from orchestrator_context.conversation.digest.worth import WORTHY
from orchestrator_context.protocols import TokenCounter

__all__ = ["Candidate", "fitted"]

_COST_POWER = 0.85  # below 1: a long entry may hold more than a short one
_LARGEST_FIRST_SHARE = 0.3  # of the room, for the first entry of a kind
_MOST_ROUNDS = 64


@dataclass(slots=True)
class Candidate:
    """An entry that may be kept.

    Attributes:
        entry: as it was said.
        parts: its sentences.
        worth: see `worth`.
        level: how short it is taken at present.
    """

    entry: Entry
    parts: Sequence[Statement]
    worth: float
    level: int = 0
    _forms: dict[int, Entry] = field(default_factory=dict[int, Entry])

    def form(self, level: int) -> Entry:
        """Return the entry at a level of brevity."""
        if level not in self._forms:
            kept = [part for part in self.parts if level < LEVELS - 1 or not is_idle(part)]
            texts = [shortened(part.text, level) for part in kept or self.parts]
            text = _joined(texts) if level else self.entry.text
            self._forms[level] = Entry(self.entry.kind, self.entry.speaker, text)
        return self._forms[level]


def _joined(texts: Sequence[str]) -> str:
    """Return sentences as one line, a full stop put back where a trimmed one goes on."""
    line = ""
    for text in filter(None, texts):
        stop = "" if not line or line[-1] in ".!?。！？…:;" else "."
        line = f"{line}{stop} {text}" if line else text
    return line


class _Room:
    """Costs of lines by one counter, and what is left."""

    def __init__(self, max_tokens: int, counter: TokenCounter) -> None:
        self.max_tokens = max_tokens
        self._counter = counter
        self._costs: dict[str, int] = {}

    def cost(self, entry: Entry) -> int:
        line = render([entry], compact=False).partition("\n")[2]
        if line not in self._costs:
            self._costs[line] = max(1, self._counter.count("\n" + line))
        return self._costs[line]

    def holds(self, text: str) -> bool:
        return self._counter.count(text) <= self.max_tokens


def fitted(candidates: Sequence[Candidate], *, max_tokens: int, counter: TokenCounter) -> str:
    """Return the summary of the entries that are worth most, within `max_tokens`.

    Where not all fit, entries are shortened before any is lost; the first of each kind comes
    before the second of another. The final text is counted, so the limit holds whatever the
    counter does.
    """
    room = _Room(max_tokens, counter)
    worthy = [candidate for candidate in candidates if candidate.worth >= WORTHY]
    others = [candidate for candidate in candidates if candidate.worth < WORTHY]
    level = next((level for level in range(LEVELS) if _fits(worthy, level, room)), LEVELS - 1)
    chosen = _chosen(worthy, level, room)
    left = max_tokens - _total(chosen, level, room)
    left = _lengthen(chosen, left, room)
    if all(candidate.level == 0 for candidate in chosen) and len(chosen) == len(worthy):
        _add(chosen, others, left, room)
    return _within(chosen, candidates, room)


def _fits(candidates: Sequence[Candidate], level: int, room: _Room) -> bool:
    return _total(candidates, level, room) <= room.max_tokens


def _total(candidates: Sequence[Candidate], level: int, room: _Room) -> int:
    entries = [candidate.form(level) for candidate in candidates]
    headings = 2 if level >= 2 else 5 * len({entry.kind for entry in entries})
    return headings + sum(map(room.cost, entries))


def _chosen(candidates: Sequence[Candidate], level: int, room: _Room) -> list[Candidate]:
    """Return the candidates to keep at a level, the best for their cost first."""
    for candidate in candidates:
        candidate.level = level
    ranked = sorted(
        range(len(candidates)),
        key=lambda at: (-_density(candidates[at], level, room), -at),
    )
    firsts = [
        next((at for at in ranked if candidates[at].entry.kind == kind), None) for kind in KINDS
    ]
    left = room.max_tokens - 2
    first_share = int(room.max_tokens * _LARGEST_FIRST_SHARE)
    chosen: list[Candidate] = []
    taken: set[int] = set()
    for at, most in [*((at, first_share) for at in firsts if at is not None), *((at, left) for at in ranked)]:
        cost = room.cost(candidates[at].form(level))
        if at not in taken and cost <= min(left, most):
            taken.add(at)
            chosen.append(candidates[at])
            left -= cost
    return chosen


def _density(candidate: Candidate, level: int, room: _Room) -> float:
    return candidate.worth / room.cost(candidate.form(level)) ** _COST_POWER


def _lengthen(chosen: Sequence[Candidate], left: int, room: _Room) -> int:
    """Give entries more of their words back while there is room; return what is left."""
    for candidate in sorted(chosen, key=lambda candidate: -candidate.worth):
        for level in range(candidate.level):
            more = room.cost(candidate.form(level)) - room.cost(candidate.form(candidate.level))
            if more <= left:
                left -= more
                candidate.level = level
                break
    return left


def _add(chosen: list[Candidate], others: Sequence[Candidate], left: int, room: _Room) -> None:
    for candidate in sorted(others, key=lambda candidate: -_density(candidate, 1, room)):
        candidate.level = 1
        cost = room.cost(candidate.form(1))
        if cost <= left:
            left -= cost
            chosen.append(candidate)


def _within(chosen: list[Candidate], candidates: Sequence[Candidate], room: _Room) -> str:
    """Return the text of the chosen, without the last of them until it fits."""
    order = {id(candidate): at for at, candidate in enumerate(candidates)}
    for _ in range(_MOST_ROUNDS):
        if not chosen:
            break
        ordered = sorted(chosen, key=lambda candidate: order[id(candidate)])
        entries = [candidate.form(candidate.level) for candidate in ordered]
        for compact in (False, True):
            text = render(entries, compact=compact)
            if room.holds(text):
                return text
        excess = max(1, len(chosen) // _MOST_ROUNDS)
        del chosen[-excess:]
    return ""
