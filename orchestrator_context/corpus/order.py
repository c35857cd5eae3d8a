"""In which order things are offered: the best first, each worth less for being like one taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from orchestrator_context.rank.bm25f import Scores
from orchestrator_context.rank.spellings import Integers

_DECIMALS: Final = 9
_ENORMOUS: Final = 2.0**900  # a value; rounding far larger ones makes them infinite
_MOST_COMPARED: Final = 1_024  # things taken; a text that holds so many is varied
_SOUGHT: Final = 8  # things that are looked for one by one before all are sorted

Likeness = Callable[[int], Scores]


class Order:
    """Numbers in order of worth, from 0 up.

    What a thing is worth is its value times `1 - diversity * likeness`, plus its bonus; likeness
    is how like it is to the one taken that it is most like. This is maximal marginal relevance
    (Carbonell and Goldstein, "The use of MMR", SIGIR 1998) with a factor in place of a difference,
    so that values need no common scale. The first 1,024 that are taken are compared with all
    others that have a value, each in time linear in the numbers; all else is a few sorts. Nothing
    is compared as long as that makes no difference.
    """

    def __init__(
        self,
        values: Sequence[float],
        bonuses: Sequence[float],
        *,
        last: Sequence[bool],
        diversity: float,
        likeness: Callable[[Iterable[int]], Likeness],
    ) -> None:
        """Begin with nothing taken.

        Args:
            values: what each is worth; at least 0 where `diversity` is used.
            bonuses: what each is worth whatever it is like.
            last: whether it comes only after all that do not.
            diversity: 0 to 1.
            likeness: makes of some of them a function that returns how like each of these is to
                any one, 0 to 1.
        """
        self._values: Scores = np.array(values, dtype=np.float64)
        self._bonuses: Scores = np.array(bonuses, dtype=np.float64)
        second = np.array(last, dtype=np.bool_)
        self._tiers: list[Integers] = [np.flatnonzero(~second), np.flatnonzero(second)]
        self._diversity, self._likeness = diversity, likeness
        self._rounds = bool(np.max(np.abs(self._values), initial=0.0) < _ENORMOUS)
        self._worth: Scores = self._rounded(self._values) + self._bonuses
        self._falls: npt.NDArray[np.bool_] = (self._values > 0) & (diversity > 0)
        self._falling: Integers = np.flatnonzero(self._falls)
        self._most: Scores = np.zeros(len(self._falling), dtype=np.float64)
        self._alike: Likeness | None = None
        self._taken: set[int] = set()
        self._new: list[int] = []  # of those taken, not compared yet
        self._due: list[Callable[[int], bool]] = []

    def walk(self, taken: Callable[[int], bool]) -> Iterator[int]:
        """Yield every number once, of equal ones the smallest first.

        Args:
            taken: says whether a number was taken after it was yielded.
        """
        while self._due:
            for _ in self._walk(self._due.pop(0)):
                pass
        return self._walk(taken)

    def skip(self, taken: Callable[[int], bool]) -> None:
        """Do what a walk without anything new does, once another one needs it."""
        self._due.append(taken)

    def _walk(self, taken: Callable[[int], bool]) -> Iterator[int]:
        ahead = len(self._falling)  # of those whose worth may fall
        if not ahead:
            for left in self._tiers:
                yield from left[np.argsort(-self._worth[left], kind="stable")].tolist()
            return
        if self._new:
            self._compare()
        for left in self._tiers:
            while len(left):
                kept = np.ones(len(left), dtype=np.bool_)
                for place in _best_first(self._worth[left]):
                    kept[place] = False
                    number = int(left[place])
                    ahead -= bool(self._falls[number])
                    yield number
                    if self._is_new(number, taken) and ahead:
                        self._compare()
                        break
                left = left[kept]

    def _is_new(self, number: int, taken: Callable[[int], bool]) -> bool:
        """Return whether a number was taken that is to be compared, and note it."""
        if number in self._taken or not taken(number):
            return False
        if len(self._taken) >= _MOST_COMPARED:
            return False
        self._taken.add(number)
        self._new.append(number)
        return True

    def _compare(self) -> None:
        """Work out what the numbers that have a value are worth beside those taken."""
        if self._alike is None:
            self._alike = self._likeness(self._falling.tolist())
        for number in self._new:
            np.maximum(self._most, self._alike(number), out=self._most)
        self._new.clear()
        # Rounded, so that no bonus is large enough to make a difference vanish.
        values = self._values[self._falling] * (1 - self._diversity * self._most)
        self._worth[self._falling] = self._rounded(values) + self._bonuses[self._falling]

    def _rounded(self, values: Scores) -> Scores:
        return np.round(values, _DECIMALS) if self._rounds else values


def _best_first(worth: Scores) -> Iterator[int]:
    """Yield the places of the greatest numbers first, of equal ones the first."""
    sought = min(_SOUGHT, len(worth))
    for _ in range(sought):
        place = int(np.argmax(worth))
        worth[place] = -np.inf
        yield place
    yield from np.argsort(-worth, kind="stable")[: len(worth) - sought].tolist()
