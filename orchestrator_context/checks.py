"""Checks of single values. Each returns the value or raises ConfigurationError naming the field."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from inspect import iscoroutinefunction
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar, cast

from orchestrator_context.exceptions import ConfigurationError

Choice = TypeVar("Choice", bound=str)
Kind = TypeVar("Kind")

_LARGEST = sys.float_info.max  # `math.isfinite` raises for integers above it
_LONGEST_SHOWN = 24  # characters of a text; what is longer may be content or a key
_LARGEST_SHOWN = 10**18  # Python refuses to write out some integers above it
_WORD = re.compile(r"[\w.:+-]*")  # a setting, as opposed to something that was said


def whole(field: str, value: object, *, least: int = 0) -> int:
    """Return `value` if it is an integer of at least `least`; a bool is not an integer here."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigurationError(
            f"{field} must be a whole number of at least {least}, not {shown(value)}"
        )
    return value


def whole_or_none(field: str, value: object, *, least: int = 0) -> int | None:
    """Return `value` if it is None or passes `whole`."""
    return None if value is None else whole(field, value, least=least)


def number(
    field: str, value: object, *, least: float = 0.0, most: float = math.inf, above: bool = False
) -> float:
    """Return `value` as a finite float in [least, most], or in (least, most] with `above`."""
    real = isinstance(value, int | float) and not isinstance(value, bool)
    inside = real and least <= value <= min(most, _LARGEST)  # type: ignore[operator]
    if not inside or (above and value == least):
        low = "above" if above else "of at least"
        high = "" if most == math.inf else f" and at most {most:g}"
        raise ConfigurationError(
            f"{field} must be a finite number {low} {least:g}{high}, not {shown(value)}"
        )
    return float(value)  # type: ignore[arg-type]


def number_or_none(
    field: str, value: object, *, least: float = 0.0, most: float = math.inf, above: bool = False
) -> float | None:
    """Return `value` if it is None or passes `number`."""
    return None if value is None else number(field, value, least=least, most=most, above=above)


def choice(field: str, value: object, allowed: tuple[Choice, ...]) -> Choice:
    """Return `value` if it is one of `allowed`."""
    for option in allowed:
        if value == option:
            return option
    raise ConfigurationError(f"{field} must be one of {', '.join(allowed)}, not {shown(value)}")


def text(field: str, value: object, *, blank: bool = True) -> str:
    """Return `value` if it is a str, and not blank unless `blank` allows it."""
    if not isinstance(value, str):
        raise ConfigurationError(f"{field} must be a str, not {type(value).__name__}")
    if not blank and not value.strip():
        raise ConfigurationError(f"{field} must not be blank")
    return value


def instance(field: str, value: object, kind: type[Kind], hint: str = "") -> Kind:
    """Return `value` if it is an instance of `kind`; `hint` says how to make one."""
    if isinstance(value, type) or not isinstance(value, kind):
        name, more = kind.__name__, f": {hint}" if hint else ""
        article = "an" if name[0] in "AEIOU" else "a"
        raise ConfigurationError(f"{field} must be {article} {name}, not {sort_of(value)}{more}")
    return value


def sequence(field: str, value: object, what: str) -> tuple[object, ...]:
    """Return `value` as a tuple if it can be gone through and is no text and no mapping."""
    sort = sort_of(value)
    if isinstance(value, str | bytes | Mapping | type) or not isinstance(value, Iterable):
        raise ConfigurationError(f"{field} must be a list of {what}, not {sort}")
    return tuple(cast("Iterable[object]", value))


def instances(
    field: str, value: object, kind: type[Kind], what: str, hint: str = ""
) -> tuple[Kind, ...]:
    """Return `value` as a tuple if it passes `sequence` and holds nothing but `kind`."""
    given = sequence(field, value, what)
    if not set(map(type, given)) <= {kind}:
        for one in given:
            instance(f"each of {field}", one, kind, hint)
    return cast("tuple[Kind, ...]", given)


def mapping(field: str, value: object, what: str) -> Mapping[object, object]:
    """Return `value` if it is a mapping; `what` says from what to what."""
    if not isinstance(value, Mapping):
        raise ConfigurationError(f"{field} must be a mapping of {what}, not {sort_of(value)}")
    return cast("Mapping[object, object]", value)


def path(field: str, value: object) -> Path:
    """Return `value` as a path if it is one, or a str that is not blank."""
    if not isinstance(value, str | PathLike):
        raise ConfigurationError(f"{field} must be a path, not {sort_of(value)}")
    return Path(text(field, fspath(cast("str | PathLike[str]", value)), blank=False))


def function(field: str, value: object) -> None:
    """Check that `value` can be called."""
    if not callable(value):
        raise ConfigurationError(f"{field} must be a function, not {sort_of(value)}")


def function_or_none(field: str, value: object) -> None:
    """Check that `value` can be called, or is None."""
    if value is not None:
        function(field, value)


def shown(value: object) -> str:
    """Return `value` as a message may quote it: numbers and words, of all else what it is.

    >>> shown("low"), shown("What we said of the pump.")
    ("'low'", 'a str of 25 characters')
    """
    if isinstance(value, bool | float | None):
        return repr(value)
    if isinstance(value, int):
        return repr(value) if abs(value) < _LARGEST_SHOWN else f"one of {value.bit_length()} bits"
    if not isinstance(value, str):
        return sort_of(value)
    short = len(value) <= _LONGEST_SHOWN and _WORD.fullmatch(value)
    return repr(value) if short else f"a str of {len(value)} characters"


def sort_of(value: object) -> str:
    """Return what kind of thing `value` is, for a message that must not quote it."""
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def is_async(function: object) -> bool:
    """Return whether calling `function` gives an awaitable, as far as can be told beforehand."""
    return iscoroutinefunction(function) or iscoroutinefunction(type(function).__call__)


def known_keys(cls: type[Any], mapping: Mapping[str, object]) -> dict[str, Any]:
    """Return `mapping` as keyword arguments for dataclass `cls`, refusing keys it has not."""
    if not isinstance(mapping, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigurationError(
            f"{cls.__name__} is made from a mapping, not from {type(mapping).__name__}"
        )
    names = [field.name for field in fields(cls) if field.init]
    unknown = [key for key in mapping if key not in names]
    if unknown:
        known = ", ".join(names) or "none"
        raise ConfigurationError(
            f"{cls.__name__} has no setting {shown(unknown[0])}; it has {known}"
        )
    missing = [
        f.name
        for f in fields(cls)
        if f.init
        and f.default is MISSING
        and f.default_factory is MISSING
        and f.name not in mapping
    ]
    if missing:
        raise ConfigurationError(f"{cls.__name__} needs a value for {missing[0]!r}")
    return dict(mapping)


def flag(field: str, value: object) -> bool:
    """Return `value` if it is True or False."""
    if not isinstance(value, bool):
        raise ConfigurationError(f"{field} must be True or False, not {shown(value)}")
    return value
