"""Calls and results that know of each other."""

from __future__ import annotations

from collections import deque

from orchestrator_context.conversation.like import like
from orchestrator_context.models import Segment


class Calls:
    """The calls of a conversation, told one segment after the other."""

    def __init__(self) -> None:
        self._titles: dict[str, str] = {}
        self._nameless: deque[str] = deque()

    def linked(self, segment: Segment) -> Segment:
        """Return `segment` with what its partner says.

        A result gets the name of its tool. A call without an id gets one from its place, and the
        next result without an id answers it.
        """
        if segment.kind == "tool_call":
            return self._call(segment)
        return self._result(segment) if segment.kind == "tool_result" else segment

    def _call(self, segment: Segment) -> Segment:
        if not segment.call_id:
            segment = like(segment, call_id=f"call_{segment.id.replace('.', '_')}")
            self._nameless.append(segment.call_id)
        self._titles[segment.call_id] = segment.title
        return segment

    def _result(self, segment: Segment) -> Segment:
        if not segment.call_id and self._nameless:
            segment = like(segment, call_id=self._nameless.popleft())
        title = segment.title or self._titles.get(segment.call_id, "")
        return segment if title == segment.title else like(segment, title=title)
