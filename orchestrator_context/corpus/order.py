"""In which order things are offered: the best first, each worth less for being like one taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from orchestrator_context.rank.bm25f import Scores
from orchestrator_context.rank.spellings import Integers

_DECIMALS: Final = 9
_MOST_COMPARED: Final = 1_024  # things taken; a text that holds so many is varied


class Order:
    """Numbers in order of worth, from 0 up.

    What a thing is worth is its value times `1 - diversity * likeness`, plus its bonus; likeness
    is how like it is to the one taken that it is most like. This is maximal marginal relevance
    (Carbonell and Goldstein, "The use of MMR", SIGIR 1998) with a factor in place of a difference,
    so that values need no common scale. The first 1,024 that are taken are compared with all
    others, each in time linear in the numbers; all else is a few sorts.
    """

    def __init__(
        self,
        values: Sequence[float],
        bonuses: Sequence[float],
        *,
        last: Sequence[bool],
        diversity: float,
        likeness: Callable[[int], Scores],
    ) -> None:
        """Begin with nothing taken.

        Args:
            values: what each is worth; at least 0 where `diversity` is used.
            bonuses: what each is worth whatever it is like.
            last: whether it comes only after all that do not.
            diversity: 0 to 1.
            likeness: returns how like each of them is to one of them, 0 to 1.
        """
        self._values: Scores = np.array(values, dtype=np.float64)
        self._bonuses: Scores = np.array(bonuses, dtype=np.float64)
        second = np.array(last, dtype=np.bool_)
        self._tiers: list[Integers] = [np.flatnonzero(~second), np.flatnonzero(second)]
        self._diversity, self._likeness = diversity, likeness
        self._most: Scores = np.zeros(len(self._values), dtype=np.float64)
        self._compared: set[int] = set()

    def walk(self, taken: Callable[[int], bool]) -> Iterator[int]:
        """Yield every number once, of equal ones the smallest first.

        Args:
            taken: says whether a number was taken after it was yielded.
        """
        for left in self._tiers:
            while len(left):
                worth = self._worth(left)
                first = int(np.argmax(worth))
                yield int(left[first])
                if self._compare(int(left[first]), taken):
                    left = np.delete(left, first)
                    continue
                order = np.argsort(-worth, kind="stable")
                done = 1
                for number in left[order[1:]].tolist():
                    yield number
                    done += 1
                    if self._compare(number, taken):
                        break
                left = np.sort(left[order[done:]])

    def _worth(self, numbers: Integers) -> Scores:
        alike = self._diversity * self._most[numbers]
        # Rounded, so that no bonus is large enough to make a difference vanish.
        return np.round(self._values[numbers] * (1 - alike), _DECIMALS) + self._bonuses[numbers]

    def _compare(self, number: int, taken: Callable[[int], bool]) -> bool:
        """Return whether what the others are worth is another now."""
        if not self._diversity or number in self._compared or not taken(number):
            return False
        if len(self._compared) >= _MOST_COMPARED:
            return False
        self._compared.add(number)
        np.maximum(self._most, self._likeness(number), out=self._most)
        return True
