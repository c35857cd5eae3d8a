"""Newer statements take the place of older ones about the same thing.

The store holds what is known. A statement that comes in is compared with those that share words,
concepts or values with it, never with all of them. It may replace one (same subject, another value
of the same kind), restate one (same subject, same value), withdraw one, answer a question, or stand
beside them. Sentences go one by one, so the rest of an entry stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from orchestrator_context.conversation.digest.excising import without_values
from orchestrator_context.conversation.digest.reading import Said
from orchestrator_context.conversation.digest.relations import (
    answers,
    finishes,
    mentions,
    replaces,
    restates,
    withdraws,
)
from orchestrator_context.conversation.digest.statements import Statement, similarity

__all__ = ["Store"]

_MOST_CANDIDATES = 48
_MOST_LISTED = 400  # words that more statements share tell nothing apart


class Store:
    """What was said and still holds, in order."""

    def __init__(self) -> None:
        self._said: list[Said] = []
        self._index: dict[str, list[int]] = {}

    def __iter__(self) -> Iterator[Said]:
        return (said for said in self._said if said.parts)

    def keep(self, said: Said) -> None:
        """Add what holds beside all that is there."""
        number = len(self._said)
        self._said.append(said)
        for key in {key for part in said.parts for key in (*part.subject, *part.keys)}:
            self._index.setdefault(key, []).append(number)

    def add(self, said: Said) -> None:
        """Add what is newer than all that is there, and remove what no longer holds."""
        said.parts = [part for part in said.parts if not self._settles(said, part)]
        if said.parts:
            self.keep(said)

    def _settles(self, said: Said, part: Statement) -> bool:
        """Let `part` change what is there; return whether nothing of it need be kept."""
        if part.kind in ("chatter", "question"):
            return self._is_repeated(said, part)
        near = [(number, old) for number in self._near(part) for old in self._said[number].parts]
        if "withdraw" in part.cues and self._withdraw(part, near):
            return True
        scores = [
            (replaces(part, old, said, self._said[number]), number, old) for number, old in near
        ]
        best = max(scores, key=lambda score: score[:2], default=(0.0, 0, part))
        if best[0] > 0:
            self._replace(said, part, best[1], best[2], near)
            return False
        return self._restated(said, part, near)

    def _near(self, part: Statement) -> list[int]:
        """Return the entries that share most with a statement, the newest first among equals."""
        shared: Counter[int] = Counter()
        for key in (*part.subject, *part.keys):
            listed = self._index.get(key, ())
            for number in listed[-_MOST_LISTED:]:
                shared[number] += 1
        order = sorted(shared, key=lambda number: (-shared[number], -number))
        return [number for number in order[:_MOST_CANDIDATES] if self._said[number].parts]

    def _is_repeated(self, said: Said, part: Statement) -> bool:
        for number in self._near(part):
            known = self._said[number]
            if any(part.text == old.text for old in known.parts) and known.speaker == said.speaker:
                return True
        return False

    def _withdraw(self, part: Statement, near: Iterable[tuple[int, Statement]]) -> bool:
        scores = [(withdraws(part, old), number, old) for number, old in near]
        best = max(scores, key=lambda score: score[:2], default=(0.0, 0, part))
        if best[0] <= 0:
            return False
        self._remove(best[1], best[2])
        for score, number, old in scores:
            if score > 0 and old is not best[2] and similarity(old, best[2]) > 0.6:
                self._remove(number, old)
        return True

    def _replace(
        self,
        said: Said,
        part: Statement,
        number: int,
        old: Statement,
        near: Iterable[tuple[int, Statement]],
    ) -> None:
        stale = old.keys - part.keys
        followers = self._followers(number, old)
        self._excise(number, old, stale, part)
        for other_number, other in near:
            if other is not old and mentions(other, stale, old, part):
                self._excise(other_number, other, stale, part)
        clean = without_values(part, stale)
        at = said.parts.index(part)
        said.parts[at : at + 1] = [clean, *followers]

    def _followers(self, number: int, old: Statement) -> list[Statement]:
        """Return conditions that hang on a statement and hold for its successor, without values."""
        parts = self._said[number].parts
        at = parts.index(old)
        if at != 0 or len(parts) < 2:
            return []
        follower = parts[1]
        if follower.values or follower.kind not in ("rule", "limit"):
            return []
        parts.remove(follower)
        return [follower]

    def _excise(self, number: int, old: Statement, stale: frozenset[str], new: Statement) -> None:
        """Remove a statement, but for clauses that give other values that nobody changed."""
        parts = self._said[number].parts
        if old not in parts:
            return
        rest = without_values(old, stale, whole_clauses=True)
        kept = rest.keys and rest.text != old.text and not rest.keys <= new.keys
        if kept and not rest.keys & stale:
            parts[parts.index(old)] = rest
        else:
            parts.remove(old)

    def _remove(self, number: int, old: Statement) -> None:
        if old in self._said[number].parts:
            self._said[number].parts.remove(old)

    def _restated(
        self, said: Said, part: Statement, near: Iterable[tuple[int, Statement]]
    ) -> bool:
        """Merge restatements; return whether what is there says it better."""
        for number, old in near:
            if answers(part, old) or finishes(part, old):
                self._remove(number, old)
            elif restates(part, old):
                if _is_better(self._said[number], old, said, part):
                    return True
                self._remove(number, old)
        return False


def _is_better(known: Said, old: Statement, said: Said, part: Statement) -> bool:
    """Return whether the older of two restatements says more, or is of the user."""
    if len(old.keys) != len(part.keys):
        return len(old.keys) > len(part.keys)
    return said.speaker == "assistant" and known.speaker != "assistant"


