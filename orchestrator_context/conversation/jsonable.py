"""What JSON can say, checked both ways."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError

DEEPEST: Final = 64
"""Values in values; `json` itself fails at about a thousand."""

Made = TypeVar("Made")


def json_value(value: object, where: str, depth: int = 0) -> Any:
    """Return a copy of `value` made of what JSON can say: dict, list, str, int, float, bool, None.

    Raises:
        ConfigurationError: it holds something else, a number that is not finite, a key that is no
            text, or values in values more than 64 deep.
    """
    if depth > DEEPEST:
        raise ConfigurationError(f"{where}: values in values are more than {DEEPEST} deep")
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, list | tuple):
        items = cast("Sequence[object]", value)
        return [json_value(item, where, depth + 1) for item in items]
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {_key(key, where): json_value(item, where, depth + 1) for key, item in pairs}
    raise ConfigurationError(f"{where}: JSON cannot say a value of type {type(value).__name__}")


def _key(key: object, where: str) -> str:
    if not isinstance(key, str):
        raise ConfigurationError(f"{where}: a key of JSON is a str, not {type(key).__name__}")
    return key


def known_keys(cls: type[Any], value: object, where: str) -> dict[str, Any]:
    """Return a mapping as keyword arguments for dataclass `cls`, refusing keys it has not."""
    return made(where, lambda: checks.known_keys(cls, mapping(value, where)))


def made(where: str, make: Callable[[], Made]) -> Made:
    """Return what `make` returns, or say where its value was that cannot be used."""
    try:
        return make()
    except ConfigurationError as error:
        text = str(error)
        raise ConfigurationError(text if text.startswith(where) else f"{where}: {text}") from error


def mapping(value: object, where: str) -> Mapping[str, object]:
    """Return `value` if it is a mapping."""
    if not isinstance(value, Mapping):
        raise ConfigurationError(f"{where} must be a mapping, not {type(value).__name__}")
    return cast("Mapping[str, object]", value)


def items(value: object, where: str) -> Sequence[object]:
    """Return `value` if it is a list or tuple."""
    if not isinstance(value, list | tuple):
        raise ConfigurationError(f"{where} must be a list, not {type(value).__name__}")
    return cast("Sequence[object]", value)
