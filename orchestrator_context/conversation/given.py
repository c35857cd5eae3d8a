"""Checks of what callers hand over. Each returns it, or raises ConfigurationError."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from orchestrator_context import checks
from orchestrator_context.conversation.kept import copied
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Segment


def segments(field: str, value: object) -> tuple[Segment, ...]:
    """Return `value` as a tuple if it holds segments and nothing else.

    Messages of a service are the likeliest mistake, so the error names what reads them.
    """
    given = checks.sequence(field, value, "segments")
    if not set(map(type, given)) <= {Segment}:
        for one in given:
            if not isinstance(one, Segment):
                raise ConfigurationError(
                    f"{field} must hold segments, not {checks.sort_of(one)}; from_openai_chat and "
                    f"from_anthropic make them of messages"
                )
    return cast("tuple[Segment, ...]", given)


def schemas(field: str, value: object) -> tuple[Mapping[str, object], ...]:
    """Return a copy of `value` as a tuple if it holds mappings and nothing else.

    What they take was counted, so who gave them cannot change them any more.
    """
    given = checks.sequence(field, value, "mappings")
    for one in given:
        if not isinstance(one, Mapping):
            raise ConfigurationError(f"{field} must hold mappings, not {checks.sort_of(one)}")
    return tuple(cast("Mapping[str, object]", copied(one, shared=True)) for one in given)
