"""What an original says beside its text, told in words where there is no field for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, cast

from orchestrator_context.conversation.kept import lent
from orchestrator_context.conversation.labels import escaped, labelled, one_line, speakers
from orchestrator_context.conversation.like import like
from orchestrator_context.models import Role, Segment

LISTENING: Final[tuple[Role, ...]] = ("user", "system")
"""Those whose names say who speaks; the assistant is one anyway."""

_OPENAI = ("openai_chat", "openai_responses")
_ERROR = "Error: "
_CONTEXT = "[context of the document] "

_Json = Mapping[str, object]
_NOTHING: Final[_Json] = {}


def is_refusal(segment: Segment) -> bool:
    """Return whether the model refused, in a format that says so."""
    return segment.role == "assistant" and any(
        _origin(segment, name).get("slot") == "refusal"
        or _part(segment, name).get("type") == "refusal"
        for name in _OPENAI
    )


def is_developer(segment: Segment) -> bool:
    """Return whether the system is called the developer, in a format that tells them apart."""
    messages = (
        _mapping(_origin(segment, one).get("message", _part(segment, one))) for one in _OPENAI
    )
    return segment.role == "system" and any(one.get("role") == "developer" for one in messages)


def is_failed(segment: Segment) -> bool:
    """Return whether a result is that of a call that failed, in a format that says so."""
    return _part(segment, "anthropic").get("is_error") is True


def outcome(segment: Segment) -> Segment:
    """Return a result whose text says that the call failed, where it did."""
    return like(segment, content=_ERROR + segment.content) if is_failed(segment) else segment


def with_context(segment: Segment, text: str) -> str:
    """Return the text of a document with what Anthropic calls its context below, in one line.

    So no line of it looks like a label.
    """
    part = _part(segment, "anthropic")
    context = part.get("context")
    if part.get("type") != "document" or not isinstance(context, str) or not context:
        return text
    line = _CONTEXT + one_line(context)
    return f"{text}\n\n{line}" if text else line


def words(part: object) -> str:
    """Return at least what `outcome` and `with_context` put beside the text of an original."""
    known = _mapping(part)
    failed, context = known.get("is_error") is True, known.get("context")
    told = f"\n\n{_CONTEXT}{context}" if isinstance(context, str) and context else ""
    return _ERROR + told if failed else told


def named(
    segments: Sequence[Segment], names: Collection[str] | None = None, *, own: str = ""
) -> Iterator[Segment]:
    """Yield segments for a format without names: their authors are labels in the text.

    What the format `own` made itself stays as it is, and so does what the assistant says. Lines
    that look like the label of any author have a backslash.

    Args:
        segments: in order.
        names: all authors there are; those that the segments tell by default.
        own: a format.
    """
    if names is None:
        names = speakers(segments) if any(one.author for one in segments) else ()
    before = ("", "")
    for segment in segments:
        here = (segment.author, segment.message)
        if not segment.author or segment.role not in LISTENING or _origin(segment, own):
            yield segment
        elif segment.message and here == before:
            yield like(segment, content=escaped(segment.content, names))
        else:
            author = one_line(segment.author)
            yield like(segment, content=labelled(segment.content, author, names))
        before = here


def is_heard(segment: Segment) -> bool:
    """Return whether a participant's view shows here what another one said."""
    return "author" in segment.metadata and "names" not in segment.metadata


def _origin(segment: Segment, name: str) -> _Json:
    return _mapping(lent(segment.metadata).get(name))


def _part(segment: Segment, name: str) -> _Json:
    return _mapping(_origin(segment, name).get("part"))


def _mapping(value: object) -> _Json:
    return cast("_Json", value) if isinstance(value, Mapping) else _NOTHING
