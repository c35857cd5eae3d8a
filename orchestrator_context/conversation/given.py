"""Checks of what callers hand over. Each returns it, or raises ConfigurationError."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar, cast

from orchestrator_context.checks import sort_of
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Segment

Kind = TypeVar("Kind")


def segments(field: str, value: object) -> tuple[Segment, ...]:
    """Return `value` as a tuple if it holds segments and nothing else.

    Messages of a service are the likeliest mistake, so the error names what reads them.
    """
    given = sequence(field, value, "segments")
    if not set(map(type, given)) <= {Segment}:
        for one in given:
            if not isinstance(one, Segment):
                raise ConfigurationError(
                    f"{field} must hold segments, not {sort_of(one)}; from_openai_chat and "
                    f"from_anthropic make them of messages"
                )
    return cast("tuple[Segment, ...]", given)


def schemas(field: str, value: object) -> tuple[Mapping[str, object], ...]:
    """Return `value` as a tuple if it holds mappings and nothing else."""
    given = sequence(field, value, "mappings")
    for one in given:
        if not isinstance(one, Mapping):
            raise ConfigurationError(f"{field} must hold mappings, not {sort_of(one)}")
    return cast("tuple[Mapping[str, object], ...]", given)


def sequence(field: str, value: object, what: str) -> tuple[object, ...]:
    """Return `value` as a tuple if it can be gone through and is no text and no mapping."""
    sort = sort_of(value)
    if isinstance(value, str | bytes | Mapping | type) or not isinstance(value, Iterable):
        raise ConfigurationError(f"{field} must be a list of {what}, not {sort}")
    return tuple(cast("Iterable[object]", value))


def instance(field: str, value: object, kind: type[Kind], hint: str = "") -> Kind:
    """Return `value` if it is an instance of `kind`; `hint` says how to make one."""
    if isinstance(value, type) or not isinstance(value, kind):
        name, more = kind.__name__, f": {hint}" if hint else ""
        article = "an" if name[0] in "AEIOU" else "a"
        raise ConfigurationError(f"{field} must be {article} {name}, not {sort_of(value)}{more}")
    return value
