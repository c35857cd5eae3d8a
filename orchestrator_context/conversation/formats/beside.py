"""What an original of another format says beside its text, told where there is no field for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from orchestrator_context.conversation import given
from orchestrator_context.conversation.formats.raw import Json, mapping_at, text_at, value_at
from orchestrator_context.conversation.kept import lent
from orchestrator_context.conversation.labels import escaped, labelled, one_line, speakers
from orchestrator_context.conversation.like import like
from orchestrator_context.models import Segment

_REFUSING = ("openai_chat", "openai_responses")
_LISTENING: Final = ("user", "system")  # whose names say who speaks; the assistant is one anyway
_ERROR = "Error: "
_CONTEXT = "[context of the document] "


def is_refusal(segment: Segment) -> bool:
    """Return whether the model refused, in a format that says so."""
    origins = filter(None, (_origin(segment, name) for name in _REFUSING))
    return segment.role == "assistant" and any(
        origin.get("slot") == "refusal" or text_at(origin, ("part", "type")) == "refusal"
        for origin in origins
    )


def is_failed(segment: Segment) -> bool:
    """Return whether a result is that of a call that failed, in a format that says so."""
    return value_at(_origin(segment, "anthropic"), ("part", "is_error")) is True


def outcome(segment: Segment) -> Segment:
    """Return a result whose text says that the call failed, where it did."""
    return like(segment, content=_ERROR + segment.content) if is_failed(segment) else segment


def with_context(segment: Segment, text: str) -> str:
    """Return the text of a document with what Anthropic calls its context below, in one line.

    So no line of it looks like a label. A file that a participant shows goes without.
    """
    context = text_at(_origin(segment, "anthropic"), ("part", "context"))
    if not context or (segment.kind == "media" and "author" in segment.metadata):
        return text
    line = _CONTEXT + one_line(context)
    return f"{text}\n\n{line}" if text else line


def named(dialect: str, segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yield segments for a format without names: their authors are labels in the text.

    What the format made itself stays as it is, and so does what the assistant says. Lines that look
    like the label of any author have a backslash.
    """
    told = given.segments("segments", segments)
    names = speakers(told) if any(segment.author for segment in told) else frozenset[str]()
    before = ("", "")
    for segment in told:
        here = (segment.author, segment.message)
        if not segment.author or segment.role not in _LISTENING or _origin(segment, dialect):
            yield segment
        elif segment.message and here == before:
            yield like(segment, content=escaped(segment.content, names))
        else:
            author = one_line(segment.author)
            yield like(segment, content=labelled(segment.content, author, names))
        before = here


def _origin(segment: Segment, name: str) -> Json | None:
    return mapping_at(lent(segment.metadata).get(name), ())
