"""Digests of all that a service gets to see of a segment, and of prompts up to each segment.

That is its role, text, title, call id, author and media, and whether it is a call, a result,
reasoning or tool definitions. Metadata is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import astuple

from orchestrator_context.conversation import given
from orchestrator_context.messages import continues
from orchestrator_context.models import Segment

_SHAPING_KINDS = ("tool_call", "tool_result", "reasoning", "tools")


def segment_hash(segment: Segment) -> str:
    """Return the digest of a segment: SHA-256 in hex."""
    fields = (
        segment.role,
        segment.kind if segment.kind in _SHAPING_KINDS else "",
        segment.title,
        segment.call_id,
        segment.author,
        segment.content,
        *(str(value) for media in segment.media for value in astuple(media)),
    )
    digest = hashlib.sha256()
    for value in fields:
        data = value.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))  # so that no two lists of fields look alike
        digest.update(data)
    return digest.hexdigest()


def segment_hashes(segments: Iterable[Segment]) -> dict[str, str]:
    """Return the digest of each segment by its id; segments without an id are left out."""
    own = given.segments("segments", segments)
    return {segment.id: segment_hash(segment) for segment in own if segment.id}


def prefix_hashes(segments: Iterable[Segment]) -> tuple[str, ...]:
    """Return, for each segment, a digest of the prompt up to its end: SHA-256 in hex.

    Two prompts are the same up to a segment exactly if their digests there are. That includes
    where one message ends and the next begins.
    """
    own = given.segments("segments", segments)
    return tuple(chained((segment, segment_hash(segment)) for segment in own))


def chained(hashed: Iterable[tuple[Segment, str]]) -> Iterator[str]:
    """Yield the digests that `prefix_hashes` returns, from segments and their own digests."""
    running, before = "", None
    for segment, own in hashed:
        joint = "+" if before is not None and continues(before, segment) else "/"
        running = hashlib.sha256(f"{running}{joint}{own}".encode()).hexdigest()
        yield running
        before = segment
