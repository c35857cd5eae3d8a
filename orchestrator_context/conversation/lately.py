"""Things that grow, and are wanted again when they have grown: those that were used last."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

_THINGS = 8
_LEAST = 8  # long; what is shorter is made as fast as it is found
_CHARACTERS = 16_000_000  # of all of them together


class Growing(Protocol):
    """Something with a length, that knows how many characters it keeps in memory."""

    @property
    def characters(self) -> int:
        """Characters of all texts and media."""
        ...

    def __len__(self) -> int:
        """Return how long it is."""
        ...


Thing = TypeVar("Thing", bound=Growing)


class Lately(Generic[Thing]):
    """Remembers the last few things, and lends each to one caller at a time."""

    def __init__(self) -> None:
        self._known: list[Thing] = []
        self._lock = threading.RLock()  # what is compared may be of anybody, and read something too

    def taken(self, suits: Callable[[Thing], bool]) -> Thing | None:
        """Return the longest thing that suits, which is not remembered from here on, or None."""
        with self._lock:
            longest = sorted(self._known, key=len, reverse=True)
            found = next(filter(suits, longest), None)
            if found is not None:
                self._known = [one for one in self._known if one is not found]
        return found

    def keep(self, thing: Thing) -> None:
        """Remember a thing, and forget the oldest ones where there is too much.

        One that is short, or too much alone, is not remembered.
        """
        if len(thing) < _LEAST or thing.characters > _CHARACTERS:
            return
        with self._lock:
            self._known = [thing, *self._known[: _THINGS - 1]]
            while sum(one.characters for one in self._known) > _CHARACTERS:
                self._known.pop()

    def forget(self) -> None:
        """Remember nothing any more."""
        with self._lock:
            self._known = []
