"""What may be said in a conversation, checked before it is taken down."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from orchestrator_context import checks
from orchestrator_context.conversation.kept import lent
from orchestrator_context.conversation.seat import MODERATOR
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.messages import is_result
from orchestrator_context.models import Segment

_FRAMING = ("system", "briefing", "moderator", "tools")


def parts_of(author: str, content: object) -> tuple[Segment, ...]:
    """Return what its author says as segments.

    Raises:
        ConfigurationError: it is neither a text nor segments, or holds one that its author cannot
            say, or a call or result that could never be sent.
    """
    if isinstance(content, str):
        return (Segment(content),)
    parts = checks.sequence("content", content, 'segments, such as [Segment("Hello.")], or a str')
    return tuple(_checked(f"content[{at}]", part, author) for at, part in enumerate(parts))


def waiting_after(parts: Sequence[Segment], waiting: Collection[str]) -> frozenset[str]:
    """Return the ids of the calls that wait for a result when `parts` are said.

    An id may be used again once its call is answered.

    Args:
        parts: what is said.
        waiting: ids of calls of the same author that waited before.

    Raises:
        ConfigurationError: a call has the id of one that waits.
    """
    left = set(waiting)
    for at, part in enumerate(parts):
        if part.kind == "tool_call" and part.call_id in left:
            raise ConfigurationError(
                f"content[{at}].call_id is {checks.shown(part.call_id)}, and a call of that id "
                f"waits for its result still: append the result first, as a segment of kind "
                f"'tool_result' with that call_id, or give this call an id of its own"
            )
        if part.kind == "tool_call":
            left.add(part.call_id)
        elif is_result(part):
            left.discard(part.call_id)
    return frozenset(left)


def _checked(field: str, part: object, author: str) -> Segment:
    """Return a segment that its author can say, and refuse any other."""
    if not isinstance(part, Segment):
        raise ConfigurationError(
            f"{field} must be a Segment, not {checks.sort_of(part)}: content is one text, "
            f'append(name, "Hello."), or segments, append(name, [Segment("Hello.")])'
        )
    if author == MODERATOR:
        if part.kind != "moderator":
            raise ConfigurationError(f"The moderator cannot say a segment of kind {part.kind!r}")
    elif part.kind in _FRAMING or part.role == "system":
        raise ConfigurationError(
            f"{field} is of kind {part.kind!r} and role {part.role!r}, which no participant can "
            f"say: the system prompt and the briefing belong to Participant, and notes to "
            f"Transcript.moderate"
        )
    _check_call(field, part)
    return part


def _check_call(field: str, part: Segment) -> None:
    called = part.kind == "tool_call"
    if not (called or is_result(part)):
        return
    what, role = ("tool call", "assistant") if called else ("tool result", "tool")
    for name, missing, way_out in (
        ("call_id", not part.call_id, "the id that the model gave the call, the same in both"),
        ("title", called and not part.title and not _is_native(part), "the name of the tool"),
    ):
        if missing:
            raise ConfigurationError(
                f"{field}.{name} is '', and without it no service takes a {what}: pass "
                f"Segment(..., {role!r}, {part.kind!r}, {name}=...), {way_out}"
            )


def _is_native(part: Segment) -> bool:
    """Return whether a part has an original, which needs no name to be sent again."""
    return any(isinstance(one, Mapping) and "part" in one for one in lent(part.metadata).values())
