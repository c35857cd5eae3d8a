"""What a format cannot say, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator_context.conversation.formats.media import is_url
from orchestrator_context.exceptions import FormatError
from orchestrator_context.messages import is_result as is_result
from orchestrator_context.models import Segment

if TYPE_CHECKING:
    from orchestrator_context.conversation.formats.shapes import Dialect

_SERVICES = {"openai_chat": "openai", "openai_responses": "openai", "anthropic": "anthropic"}


def unsayable(title: str, segment: Segment, why: str, way_out: str) -> FormatError:
    """Return the error for a segment that a format cannot say."""
    name = repr(segment.id) if segment.id else "without an id"
    return FormatError(
        f"{title} cannot say the segment {name} ({segment.role}, {segment.kind}): {why}; {way_out}",
        where=segment.id,
    )


def check_sayable(dialect: Dialect, segment: Segment) -> None:
    """Check a segment that `dialect` did not make.

    Raises:
        FormatError: it cannot be said in any format but its own, or lacks what every one needs.
    """
    for why, way_out in _obstacles(dialect, segment):
        raise unsayable(dialect.title, segment, why, way_out)


def _obstacles(dialect: Dialect, segment: Segment) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if only := segment.metadata.get("only"):
        found.append((f"only {only} has such parts", "send it there or leave it out"))
    if segment.kind == "reasoning":
        way_out = "leave it out by its kind, as Participant(reasoning='strip') does"
        found.append(("reasoning is tied to the service that made it", way_out))
    if (segment.kind == "tool_call" or is_result(segment)) and not segment.call_id:
        found.append(("it has no call_id", "give the call and its result the same one"))
    if segment.kind == "tool_call" and not segment.title:
        found.append(("it has no title", "give it the name of the tool as its title"))
    return found + _media_obstacles(dialect, segment)


def _media_obstacles(dialect: Dialect, segment: Segment) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if segment.media and segment.role != "user" and not is_result(segment):
        found.append((f"no media come from the {segment.role}", "give it the role user"))
    services = {service for name, service in _SERVICES.items() if name in segment.metadata}
    for media in segment.media:
        if not media.data and not media.url:
            found.append((f"its {media.type} has neither data nor a url", "give it one of them"))
        elif media.data and not media.media_type:
            found.append((f"its {media.type} has no media_type", 'name one, such as "image/png"'))
        elif not media.data and not is_url(media) and services - {dialect.service}:
            found.append((f"its {media.type} is kept by another service", "send it as data"))
    return found
