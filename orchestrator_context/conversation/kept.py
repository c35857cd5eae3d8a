"""What is remembered of others: a mapping that nobody can change, whatever is in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from orchestrator_context.exceptions import FormatError

_Box = dict[str, object] | list[object]

_ENDLESS: Final = "{!r} holds itself, which JSON cannot say; break the circle"
_PLAIN: Final = (str, int, float, type(None))
_BOXES: Final = (Mapping, list, tuple)


def copied(value: object, *, shared: bool = False) -> object:
    """Return a copy that shares nothing that can change; tuples become lists. Any depth.

    Args:
        value: JSON data, or anything that holds some; what else it holds is not copied.
        shared: whether what stands in several places stays one in the copy, so that `value` may
            hold itself, and tuples that cannot change stay what they are.

    Raises:
        FormatError: it holds itself, and nothing is shared.
    """
    if isinstance(value, _PLAIN):
        return value
    top: list[object] = [value]
    todo: list[tuple[_Box | None, int]] = [(top, 0)]
    known: dict[int, tuple[object, _Box]] = {}  # with the originals, or ids would be used again
    above: set[int] = set()
    while todo:
        box, own = todo.pop()
        if box is None:
            above.discard(own)
            continue
        if not shared:
            above.add(own)
            todo.append((None, own))
        for key, item in list(box.items() if isinstance(box, dict) else enumerate(box)):
            if isinstance(item, _PLAIN) or not isinstance(item, _BOXES):
                continue
            held = cast("Mapping[str, object] | Sequence[object]", item)
            if shared and _is_fixed(held):
                continue
            if id(held) in above:
                raise FormatError(_ENDLESS.format(key), where=str(key))
            _, child = known.get(id(held), (held, None))
            if child is None:
                child = dict(held) if isinstance(held, Mapping) else list(held)
                todo.append((child, id(held)))
            if shared:
                known[id(held)] = held, child
            cast("dict[object, object]", box)[key] = child
    return top[0]


def _is_fixed(value: object) -> bool:
    """Return whether `value` is a tuple in which nothing can change."""
    items = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)
    return all(isinstance(one, _PLAIN) for one in items)


class Kept(Mapping[str, object]):
    """JSON-like values that are lent as copies, so who gets them may change what they get.

    >>> kept = Kept.of({"marks": ["a"]})
    >>> kept["marks"].append("b")
    >>> kept["marks"]
    ['a']
    """

    __slots__ = ("_values",)

    def __init__(self, values: dict[str, object]) -> None:
        """Keep `values`, which nobody else may have; `of` keeps those of others."""
        self._values = values

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Kept:
        """Return a copy of `values`."""
        if isinstance(values, Kept):
            return values
        return cls(cast("dict[str, object]", copied(values, shared=True)))

    def __getitem__(self, key: str) -> Any:
        return copied(self._values[key], shared=True)

    def get(self, key: str, default: object = None) -> Any:
        """Return a copy of what stands under `key`, or `default`."""
        return copied(self._values.get(key, default), shared=True)

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        return self._values == (other._values if isinstance(other, Kept) else other)

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'Kept'")

    def __repr__(self) -> str:
        return f"Kept({', '.join(self._values)})"


def lent(values: Mapping[str, object]) -> Mapping[str, object]:
    """Return what `values` holds itself, for those who only read it."""
    return values._values if isinstance(values, Kept) else values  # pyright: ignore[reportPrivateUsage]
