"""Input items of OpenAI's Responses. The `instructions` of a request are not among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator_context.conversation.formats.calls import Calls
from orchestrator_context.conversation.formats.drafts import built, drafts
from orchestrator_context.conversation.formats.openai_responses_parts import (
    RESPONSES,
    ROLES,
    is_message,
)
from orchestrator_context.conversation.formats.places import (
    Found,
    content_parts,
    stamped,
    whole,
)
from orchestrator_context.conversation.formats.raw import Json, role_in, wrong_type
from orchestrator_context.conversation.formats.recent import Recent
from orchestrator_context.conversation.like import like
from orchestrator_context.models import Segment


def from_openai_responses(items: Sequence[Mapping[str, object]]) -> tuple[Segment, ...]:
    """Return one segment for each item, and for each part of a message, in order.

    Ids are positions: "m3" is the fourth item, or its first part, "m3.1" its second part. So they
    stay the same when items follow, and when segments are dropped; a list of items that lost some
    of them is numbered anew. Reasoning and what the model did right after it are one group, since
    the service refuses one without the other. A compacted history may not be dropped.

    >>> [part.id for part in from_openai_responses([{"role": "user", "content": "Hello"}])]
    ['m0']

    Args:
        items: plain dicts, as the client sends them. They are copied.

    Raises:
        FormatError: they are no items of this format.
    """
    return _RECENT.segments(items)


def to_openai_responses(segments: Iterable[Segment]) -> list[dict[str, object]]:
    """Return input items that say what `segments` say.

    What `from_openai_responses` made and nobody changed comes back as it was, byte for byte. What
    changed is put in the place of the old, without annotations, which point at places in the old
    text; what was dropped leaves its message, and a message that lost all of its parts goes. Other
    segments are said anew: the context of a document follows its text, the text of a failed call
    begins with "Error: ", and what an author other than the assistant says begins with the name.

    Raises:
        FormatError: the format cannot say a segment, such as a sound or the reasoning of another
            service, or not all that its original says, such as the name of an assistant or a mark
            for a cache; `without_fields` leaves that out.
    """
    return [item for draft in drafts(RESPONSES, segments) for item in built(RESPONSES, draft)]


@dataclass(slots=True)
class _Known:
    """What the items so far tell of the next one: their calls, and the group it may go on with."""

    calls: Calls = field(default_factory=Calls)
    group: str = ""


def _read(known: _Known, index: int, item: Json) -> Iterator[Segment]:
    key, found = f"m{index}", _found(item, f"items[{index}]")
    known.group = _group(known.group, key, found[0].segment)
    parts = stamped(RESPONSES, item, found, key=key, group=known.group)
    required = True if item.get("type") == "compaction" else None
    return (known.calls.linked(like(part, required=required)) for part in parts)


_RECENT = Recent("items", _Known, _read)


def _found(item: Json, where: str) -> list[Found]:
    name = item.get("type")
    if name is not None and not isinstance(name, str):
        raise wrong_type(f"{where}.type", "a str", name)
    if not is_message(item):
        if name is None and "id" not in item:
            raise wrong_type(f"{where}.type", "a str", name)
        return whole(RESPONSES, item, "assistant", where)
    role = role_in(item, ROLES, where)
    found = content_parts(RESPONSES, item, role, where)
    return found or whole(RESPONSES, item, role, where)


def _group(group: str, key: str, segment: Segment) -> str:
    """Return the group of an item: that of the reasoning that it goes on from, if any."""
    if segment.role != "assistant":
        return ""
    return group or (key if segment.kind == "reasoning" else "")
