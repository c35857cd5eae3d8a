"""What `diagnose_cache` finds, and what it recommends. Nothing here holds content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from orchestrator_context.models import Segment
from orchestrator_context.wording import counted

Cause = Literal["changed", "removed", "inserted", "moved"]

_MOSTLY_THE_SAME = 0.5

_ADVICE: dict[Cause, str] = {
    "changed": "Keep what changes, such as dates and counters, out of the first segments.",
    "removed": "Drop old segments rarely and many at once; each cut ends the cached prefix.",
    "inserted": "Add new segments behind the old ones, not between them.",
    "moved": "Keep segments in the same order from call to call.",
}
_ADVICE_LOCKED = "A locked segment changed; give it the same bytes in every call."
_ADVICE_ORDER = "Most segments are the same, but behind a difference; put what changes last."


@dataclass(frozen=True, slots=True)
class Unstable:
    """A segment that is in both prompts, but not with the same content.

    Attributes:
        id: the segment.
        previous: digest of what it was.
        current: digest of what it is.
    """

    id: str
    previous: str
    current: str


@dataclass(frozen=True, slots=True)
class CacheDiagnosis:
    """How much of a prompt a cache can use again, and what stands in the way.

    Attributes:
        hit_share: share of the previous segments that are still there, wherever; 0 to 1.
        prefix_share: share of the previous prompt that is still its beginning; 0 to 1.
        stable_share: share of the segments in both, by id, that are the same; 1 if there are none.
        shared_segments: segments at the beginning that are the same.
        broken_index: where the first difference is, or None where the previous prompt is the
            beginning of the current one.
        broken_id: the segment that made it, which is the new one if it was inserted; "" where
            there is none, or it has no id.
        cause: what happened to it, or None.
        unstable: segments in both that are not the same; new and removed ones are not among them.
        recommendations: what would help, without any content.
    """

    hit_share: float
    prefix_share: float
    stable_share: float
    shared_segments: int
    broken_index: int | None = None
    broken_id: str = ""
    cause: Cause | None = None
    unstable: tuple[Unstable, ...] = ()
    recommendations: tuple[str, ...] = ()

    def summary(self) -> str:
        """Return one line of figures, without any content."""
        parts = [
            f"{self.prefix_share:.1%} of the prefix shared "
            f"({counted(self.shared_segments, 'segment')})",
            f"{self.hit_share:.1%} of the segments",
        ]
        if self.cause is not None:
            parts.append(f"broken at segment {self.broken_index}: {self.cause}")
        if self.unstable:
            parts.append(f"{len(self.unstable)} UNSTABLE")
        return "cache: " + ", ".join(parts)

    def metadata(self) -> dict[str, object]:
        """Return all figures as JSON-able data, without any content, id or digest."""
        data: dict[str, object] = asdict(self)
        del data["broken_id"]
        return data | {
            "unstable": len(self.unstable),
            "recommendations": list(self.recommendations),
        }


def advice(
    cause: Cause | None,
    previous: Sequence[Segment],
    unstable: Sequence[Unstable],
    hits: float,
    shared: int,
) -> Iterator[str]:
    """Yield what would help, the most important first."""
    if cause is not None:
        yield _ADVICE[cause]
    if cause is not None and hits > _MOSTLY_THE_SAME > shared / len(previous):
        yield _ADVICE_ORDER
    locked = {segment.id for segment in previous if segment.locked}
    if any(segment.id in locked for segment in unstable):
        yield _ADVICE_LOCKED
