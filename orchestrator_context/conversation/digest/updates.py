"""Newer statements take the place of older ones about the same thing.

The store holds what is known. A statement that comes in is compared with those that share words,
concepts or values with it, never with all of them. It may replace one (same subject, another value
of the same kind), restate one (same subject, same value), withdraw one, answer a question, or stand
beside them. Sentences go one by one, so the rest of an entry stays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from operator import itemgetter

from orchestrator_context.conversation.digest.excising import (
    conditions,
    outdated,
    remainder,
    without_values,
)
from orchestrator_context.conversation.digest.reading import Said
from orchestrator_context.conversation.digest.relations import (
    answers,
    changed_values,
    finishes,
    is_covered,
    may_replace,
    mentions,
    replaces,
    restates,
    withdraws,
)
from orchestrator_context.conversation.digest.statements import Statement, similarity

__all__ = ["Store"]

_MOST_CANDIDATES = 48
_REPEATERS = frozenset({"assistant", "tool"})
_MOST_LISTED = 64  # of a word, the newest entries that hold it; others hold a rarer one


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
        said.parts = [kept for part in said.parts for kept in self._settled(said, part)]
        if said.parts:
            self.keep(said)

    def _settled(self, said: Said, part: Statement) -> list[Statement]:
        """Let `part` change what is there; return what of it, or in its place, is to be kept."""
        if part.kind in ("chatter", "question"):
            return [] if self._is_repeated(said, part) else [part]
        near = [(number, old) for number in self._near(part) for old in self._said[number].parts]
        if "withdraw" in part.cues and self._withdraw(part, near):
            return []
        if "update" in part.cues or self._refutes(said, part, near):
            part = self._without_outdated(part, near)
            near = [(number, old) for number, old in near if old in self._said[number].parts]
        found = [
            (score, number, old)
            for number, old in (near if may_replace(part) else ())
            if (score := replaces(part, old, said, self._said[number])) > 0
        ]
        if found:
            found.sort(key=itemgetter(0, 1), reverse=True)
            (_, number, old), *others = found
            kept = self._replace(said, part, number, old, near)
            self._replace_others(part, old, others)
            return kept
        return [] if self._restated(said, part, near) else [part]

    def _refutes(self, said: Said, part: Statement, near: Iterable[tuple[int, Statement]]) -> bool:
        """Return whether a statement denies what is there: "port 9090, not 8080"."""
        denied = outdated(part)
        if not denied:
            return False
        bare = without_values(part, denied)
        return any(
            old.keys & denied and replaces(bare, old, said, self._said[number]) > 0
            for number, old in near
        )

    def _without_outdated(
        self, part: Statement, near: Iterable[tuple[int, Statement]]
    ) -> Statement:
        """Return a statement without the values that it calls old itself, if they are known."""
        old_values = outdated(part)
        if not old_values or not any(old.keys & old_values for _, old in near):
            return part
        for number, old in near:
            if mentions(old, old_values, part, part):
                self._excise(number, old, old_values, part)
        return without_values(part, old_values)

    def _near(self, part: Statement) -> list[int]:
        """Return the entries that share most with a statement, the newest first among equals."""
        shared: defaultdict[int, float] = defaultdict(float)
        for key in (*part.subject, *part.keys):
            listed = self._index.get(key, ())
            rarity = 1 / (1 + len(listed))
            share = 1 + rarity
            for number in listed[-_MOST_LISTED:]:
                shared[number] += share
        least = sorted(shared.values())[-_MOST_CANDIDATES:][
            :1
        ]  # most are below, and need no sorting
        best = sorted(
            ((score, at) for at, score in shared.items() if score >= least[0]), reverse=True
        )
        return [at for _, at in best[:_MOST_CANDIDATES] if self._said[at].parts]

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
    ) -> list[Statement]:
        """Put `part` in the place of `old`; return it with the conditions that hung on `old`."""
        stale = frozenset(before.key for _, before in changed_values(part, old))
        same = said.speaker == self._said[number].speaker
        followers = self._followers(number, old, part) if same else []
        self._excise(number, old, stale, part)
        for other_number, other in near:
            if other is not old and mentions(other, stale, old, part):
                self._excise(other_number, other, stale, part)
        return [without_values(part, stale), *followers]

    def _replace_others(
        self, part: Statement, old: Statement, others: Iterable[tuple[float, int, Statement]]
    ) -> None:
        """Remove what else than `old` is given other values: a sentence may change two things."""
        told = {after.key for after, _ in changed_values(part, old)}
        for _, number, other in others:
            changed = changed_values(part, other)
            keys = {after.key for after, _ in changed}
            if keys and keys.isdisjoint(told):
                told |= keys
                self._excise(number, other, frozenset(before.key for _, before in changed), part)

    def _followers(self, number: int, old: Statement, new: Statement) -> list[Statement]:
        """Return conditions that hang on a statement and hold for its successor, without values."""
        parts = self._said[number].parts
        at = parts.index(old)
        within = conditions(old) if not new.cues & {"forbid", "oblige"} else []
        if at != 0 or len(parts) < 2:
            return within
        follower = parts[1]
        if follower.values or follower.kind not in ("rule", "limit"):
            return within
        parts.remove(follower)
        return [*within, follower]

    def _excise(self, number: int, old: Statement, stale: frozenset[str], new: Statement) -> None:
        """Remove a statement, but for what it says beside the values that no longer hold."""
        parts = self._said[number].parts
        if old not in parts:
            return
        rest = remainder(old, stale)
        if rest is not None and not rest.keys <= new.keys:
            parts[parts.index(old)] = rest
        else:
            parts.remove(old)

    def _remove(self, number: int, old: Statement) -> None:
        if old in self._said[number].parts:
            self._said[number].parts.remove(old)

    def _restated(self, said: Said, part: Statement, near: Iterable[tuple[int, Statement]]) -> bool:
        """Merge restatements; return whether what is there says it better."""
        if said.speaker in _REPEATERS and is_covered(part, [old for _, old in near]):
            return True
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
