"""Segments made of others, without the checks that those have passed."""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter

from orchestrator_context.models import Segment

_NAMES = tuple(one.name for one in fields(Segment))
_VALUES = attrgetter(*_NAMES)


def like(segment: Segment, **changes: object) -> Segment:
    """Return `segment` with other values of some fields, which are known to be of their types.

    >>> like(Segment("Hello"), id="m1").id
    'm1'

    `dataclasses.replace` does the same with all checks, in several times the time.
    """
    new = object.__new__(Segment)
    put = object.__setattr__
    for name, value in zip(_NAMES, _VALUES(segment), strict=True):
        put(new, name, value)
    for name, value in changes.items():
        put(new, name, value)
    return new
