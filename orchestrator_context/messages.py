"""Segments as messages: neighbours that share a message id are the parts of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from orchestrator_context.models import Segment


def message_runs(segments: Iterable[Segment]) -> Iterator[tuple[Segment, ...]]:
    """Yield the parts of each message, in order.

    >>> parts = [Segment("a", message="1"), Segment("b", message="1"), Segment("c"), Segment("d")]
    >>> [len(run) for run in message_runs(parts)]
    [2, 1, 1]
    """
    run: list[Segment] = []
    for segment in segments:
        if run and not continues(run[-1], segment):
            yield tuple(run)
            run = []
        run.append(segment)
    if run:
        yield tuple(run)


def continues(before: Segment, segment: Segment) -> bool:
    """Return whether `segment` belongs to the message of the segment before it."""
    return segment.message != "" and segment.message == before.message


def is_result(segment: Segment) -> bool:
    """Return whether a segment is what a tool answered: by its kind, or by its role."""
    return segment.kind == "tool_result" or (segment.role == "tool" and segment.kind != "tool_call")
