"""Things that grow, and are wanted again when they have grown: those that were used last."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Final, Generic, Protocol, TypeVar, cast

from orchestrator_context.conversation.kept import Kept, lent

_THINGS = 8
_LEAST = 8  # long; what is shorter is made as fast as it is found
_LENGTH = 100_000  # of all of them together, for even an empty segment takes about 1.5 kB
_CHARACTERS = 16_000_000  # of all of them together,
_ALONE = 64_000_000  # and of the newest, which is kept alone above that; no service takes as much

_TEXTS: Final = (str, bytes, bytearray)
_MAPPINGS: Final = (dict, MappingProxyType)
_LISTS: Final = (list, tuple)


class Growing(Protocol):
    """Something with a length, that knows how many characters it keeps in memory."""

    @property
    def characters(self) -> int:
        """Characters of all texts, media and data, read or not; `held` counts them."""
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
        if len(thing) < _LEAST or len(thing) > _LENGTH or thing.characters > _ALONE:
            return
        with self._lock:
            self._known = [thing, *self._known[: _THINGS - 1]]
            while len(self._known) > 1 and _too_much(self._known):
                self._known.pop()

    def forget(self) -> None:
        """Remember nothing any more."""
        with self._lock:
            self._known = []


def _too_much(things: Iterable[Growing]) -> bool:
    sizes = [(len(one), one.characters) for one in things]
    return sum(size[0] for size in sizes) > _LENGTH or sum(size[1] for size in sizes) > _CHARACTERS


def held(values: Iterable[object]) -> int:
    """Return how many characters and bytes `values` keep in memory, however deep they are nested.

    What stands in several places is counted once. Linear, and each `values` must live meanwhile.

    >>> held([{"text": "four"}, ("ab", None)])
    10
    """
    total, seen, todo = 0, set[int](), [*values]
    while todo:
        value = todo.pop()
        if value is None or id(value) in seen:
            continue
        seen.add(id(value))
        value = lent(value) if isinstance(value, Kept) else value
        if isinstance(value, _TEXTS):
            total += len(value)
        elif isinstance(value, _MAPPINGS):
            box = cast("dict[object, object]", value)
            todo += box
            todo += box.values()
        elif isinstance(value, _LISTS):
            todo += cast("list[object]", value)
    return total
