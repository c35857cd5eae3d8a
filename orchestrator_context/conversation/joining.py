"""Messages of one role put together as one, whoever wrote them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import islice

from orchestrator_context.conversation.beside import named
from orchestrator_context.models import Segment

__all__ = ["UNNAMED", "Run", "joined"]

Run = tuple[Segment, ...]
"""The parts of one message."""

UNNAMED = "\0"
"""Stands in the place of the name of a message of several parts that has yet to get one."""

_BLANK_LINE = "\n\n"


def joined(runs: list[Run], names: Collection[str]) -> Run:
    """Return one message with all that `runs` hold, or the only one as it is."""
    if len(runs) == 1:
        return runs[0]
    runs = _attributed(runs, names)
    author = runs[0][0].author
    pieces: list[list[Segment]] = []
    for run in runs:
        for index, part in enumerate(run):
            if index == 0 and pieces and _is_text(part) and _is_text(pieces[-1][-1]):
                pieces[-1].append(part)
            else:
                pieces.append([part])
    first = pieces[0][0].message or UNNAMED
    message = first if len(pieces) > 1 else ""
    return tuple(replace(_one_text(piece), author=author, message=message) for piece in pieces)


def _attributed(runs: list[Run], names: Collection[str]) -> list[Run]:
    """Return messages that all have one author, or none because their texts say who speaks."""
    parts = [part for run in runs for part in run]
    if len({part.author for part in parts}) == 1:
        return runs
    speaking = [replace(one, author="") if _says_nothing(one) else one for one in parts]
    told = (replace(one, author="") for one in named(speaking, names))
    return [tuple(islice(told, len(run))) for run in runs]


def _says_nothing(segment: Segment) -> bool:
    return not (segment.content or segment.media)


def _is_text(segment: Segment) -> bool:
    """Return whether a segment is its content and nothing else.

    It is more where an adapter keeps what the content does not say: signed or unknown parts, and
    those that only one format has.
    """
    known = segment.metadata
    raw = known and (
        not segment.content or segment.kind == "custom" or "opaque" in known or "only" in known
    )
    return not (segment.media or raw or segment.kind in ("reasoning", "media"))


def _one_text(piece: list[Segment]) -> Segment:
    """Return one segment with the texts of all, blank line between them."""
    first, *others = piece
    if not others:
        return first
    texts = [first.content, *map(_entitled, others)]
    return replace(
        first,
        content=_BLANK_LINE.join(filter(None, texts)),
        locked=any(part.locked for part in piece),
        required=True if any(part.is_required for part in piece) else first.required,
        priority=max(part.priority for part in piece),
        metadata={},
    )


def _entitled(segment: Segment) -> str:
    """Return the text of a segment; that of a document begins with its title."""
    title = segment.title if segment.kind == "document" else ""
    return _BLANK_LINE.join(filter(None, (title, segment.content)))
