"""Which entries go into the summary, and how short: a knapsack by worth for each token."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator_context.conversation.digest.entries import Entry, render
from orchestrator_context.conversation.digest.shortening import LEVELS, is_idle, shortened
from orchestrator_context.conversation.digest.statements import Statement
from orchestrator_context.conversation.digest.worth import WORTHY
from orchestrator_context.protocols import TokenCounter

__all__ = ["Candidate", "fitted"]

_COST_POWER = 0.6  # below 1: a long entry may hold more than a short one
_LARGEST_FIRST_SHARE = 0.4  # of the room, for the first entry of a kind
_FIRST_WORTH = 0.4  # from which the first of a kind has a place before the second of another
_HEADING = 2  # least tokens of a heading
_SLICES = 64
_SPARE_CANDIDATES = 200


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
    """Return sentences as one line that can be taken apart again.

    A stop that was trimmed is put back; before a small letter it is a semicolon, for a full stop
    would end nothing there.
    """
    line = ""
    for text in filter(None, texts):
        stop = "" if line[-1:] in "?!。！？…:" else ";" if text[0].islower() else "."
        line = f"{line.rstrip('.;')}{stop} {text}" if line else text
    return line.rstrip(";；")


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

    def text(self, candidates: Sequence[Candidate], levels: Mapping[int, int]) -> str:
        """Return the entries that have a level as text; with headings where there is room."""
        forms = [one.form(levels[id(one)]) for one in candidates if id(one) in levels]
        titled = render(forms)
        return titled if self.holds(titled) else render(forms, compact=True)

    def holds(self, text: str) -> bool:
        return self._counter.count(text) <= self.max_tokens


def fitted(candidates: Sequence[Candidate], *, max_tokens: int, counter: TokenCounter) -> str:
    """Return the summary of the entries that are worth most, within `max_tokens`.

    Where not all fit, entries are shortened before any is lost; the first of each kind comes
    before the second of another. The final text is counted, so the limit holds whatever the
    counter does.
    """
    room = _Room(max_tokens, counter)
    candidates = _best(candidates, max_tokens + _SPARE_CANDIDATES)
    worthy = [candidate for candidate in candidates if candidate.worth >= WORTHY]
    others = [candidate for candidate in candidates if candidate.worth < WORTHY]
    level = next((level for level in range(LEVELS) if _fits(worthy, level, room)), LEVELS - 1)
    chosen = _chosen(worthy, level, room)
    text = _within(chosen, candidates, room)
    for share in (1.0, 0.5):
        left = int((max_tokens - counter.count(text)) * share)
        more = _lengthened(chosen, left, room)
        if len(chosen) == len(worthy) and all(more[id(one)] == 0 for one in chosen):
            more |= _added(others, left, room)
        longer = room.text(candidates, more)
        if room.holds(longer):
            return longer
    return text


def _best(candidates: Sequence[Candidate], most: int) -> Sequence[Candidate]:
    """Return no more candidates than could fit, in order: each takes a token at least."""
    if len(candidates) <= most:
        return candidates
    ranked = sorted(range(len(candidates)), key=lambda at: (-candidates[at].worth, -at))
    return [candidates[at] for at in sorted(ranked[:most])]


def _fits(candidates: Sequence[Candidate], level: int, room: _Room) -> bool:
    return _total(candidates, level, room) <= room.max_tokens


def _total(candidates: Sequence[Candidate], level: int, room: _Room) -> int:
    entries = [candidate.form(level) for candidate in candidates]
    headings = _HEADING if level >= 2 else 5 * len({entry.kind for entry in entries})
    return headings + sum(map(room.cost, entries))


def _chosen(candidates: Sequence[Candidate], level: int, room: _Room) -> list[Candidate]:
    """Return the candidates to keep at a level: the best of each kind, then the best of all."""
    for candidate in candidates:
        candidate.level = level
    ranked = sorted(
        range(len(candidates)), key=lambda at: (-_density(candidates[at], level, room), -at)
    )
    left = room.max_tokens - _HEADING
    chosen: dict[int, Candidate] = {}
    for at in [*_firsts(candidates, ranked, level, room), *ranked]:
        cost = room.cost(candidates[at].form(level))
        if at not in chosen and cost <= left:
            chosen[at] = candidates[at]
            left -= cost
    return list(chosen.values())


def _firsts(
    candidates: Sequence[Candidate], ranked: Sequence[int], level: int, room: _Room
) -> list[int]:
    """Return the best candidate of each kind, unless it is worth little or takes too much."""
    firsts: dict[str, int] = {}
    most = int(room.max_tokens * _LARGEST_FIRST_SHARE)
    for at in ranked:
        candidate = candidates[at]
        fits = room.cost(candidate.form(level)) <= most
        if fits and candidate.worth >= _FIRST_WORTH:
            firsts.setdefault(candidate.entry.kind, at)
    return sorted(firsts.values(), key=ranked.index)


def _density(candidate: Candidate, level: int, room: _Room) -> float:
    return candidate.worth / math.pow(room.cost(candidate.form(level)), _COST_POWER)


def _lengthened(chosen: Sequence[Candidate], left: int, room: _Room) -> dict[int, int]:
    """Return the levels that give entries their words back as far as there is room."""
    levels = {id(candidate): candidate.level for candidate in chosen}
    for candidate in sorted(chosen, key=lambda candidate: -candidate.worth):
        for level in range(candidate.level):
            more = room.cost(candidate.form(level)) - room.cost(candidate.form(candidate.level))
            if more <= left:
                left -= more
                levels[id(candidate)] = level
                break
    return levels


def _added(others: Sequence[Candidate], left: int, room: _Room) -> dict[int, int]:
    """Return the levels of entries of little worth for which there is room to spare."""
    levels: dict[int, int] = {}
    for candidate in sorted(others, key=lambda candidate: -_density(candidate, 1, room)):
        cost = room.cost(candidate.form(1))
        if cost <= left:
            left -= cost
            levels[id(candidate)] = 1
    return levels


def _within(chosen: list[Candidate], candidates: Sequence[Candidate], room: _Room) -> str:
    """Return the text of the chosen; the last of them go until it fits."""
    while chosen:
        text = room.text(candidates, {id(candidate): candidate.level for candidate in chosen})
        if room.holds(text):
            return text
        del chosen[-max(1, len(chosen) // _SLICES) :]
    return ""
