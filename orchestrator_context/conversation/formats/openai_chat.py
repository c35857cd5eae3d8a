"""Messages of OpenAI's Chat Completions, and of every server that speaks it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from orchestrator_context.conversation.formats.calls import Calls
from orchestrator_context.conversation.formats.drafts import Draft, built, drafts
from orchestrator_context.conversation.formats.openai_chat_parts import CHAT, ROLES, SLOTS
from orchestrator_context.conversation.formats.places import (
    Found,
    Origin,
    Piece,
    content_parts,
    field_part,
    stamped,
    whole,
)
from orchestrator_context.conversation.formats.raw import (
    Json,
    fields,
    items_of,
    role_in,
    text_at,
)
from orchestrator_context.conversation.formats.recent import Recent
from orchestrator_context.conversation.formats.shapes import read
from orchestrator_context.models import Role, Segment

_TEXT_FIELDS = ("reasoning_content", "reasoning", "refusal")
_OBJECT_FIELDS = ("audio", "function_call")
_NAME = re.compile(r"[^\s<|\\/>]{1,64}")


def from_openai_chat(messages: Sequence[Mapping[str, object]]) -> tuple[Segment, ...]:
    """Return one segment for each part of each message, in order.

    Ids are positions: "m3" is the first part of the fourth message, "m3.1" its second. So they
    stay the same when messages follow, and when segments are dropped; a list of messages that
    lost some of them is numbered anew. Calls without an id get one from their position.

    >>> [part.kind for part in from_openai_chat([{"role": "user", "content": "Hello"}])]
    ['turn']

    Args:
        messages: plain dicts, as the client sends them. They are copied.

    Raises:
        FormatError: they are no messages of this format.
    """
    return _RECENT.segments(messages)


def to_openai_chat(segments: Iterable[Segment]) -> list[dict[str, object]]:
    """Return messages that say what `segments` say.

    What `from_openai_chat` made and nobody changed comes back as it was, byte for byte. What
    changed is put in the place of the old, without annotations, which point at places in the old
    text; what was dropped leaves its message, and a message that lost all of its parts goes. Other
    segments are said anew: the context of a document follows its text, the text of a failed call
    begins with "Error: ", and an author becomes a `name` where it is one. Neighbouring calls share
    a message.

    Raises:
        FormatError: the format cannot say a segment, such as the signed reasoning of another
            service or an image from a tool, or not all that its original says, such as a mark for
            a cache; `without_fields` leaves that out.
    """
    messages: list[Json] = []
    for draft in drafts(CHAT, segments):
        messages += (_finished(message, draft) for message in built(CHAT, draft))
    return messages


def _read(calls: Calls, index: int, message: Json) -> Iterable[Segment]:
    where = f"messages[{index}]"
    role = role_in(message, ROLES, where)
    author = "" if role == "tool" else text_at(message, ("name",))
    found = _found(message, role, where)
    return map(calls.linked, stamped(CHAT, message, found, key=f"m{index}", author=author))


_RECENT = Recent("messages", Calls, _read)


def _found(message: Json, role: Role, where: str) -> list[Found]:
    if role == "tool":
        return whole(CHAT, message, role, where)
    found: list[Found] = []
    for slot in SLOTS:
        value = message.get(slot)
        if slot == "content":
            found += content_parts(CHAT, message, role, where)
        elif slot == "tool_calls":
            found += _calls(value, role, f"{where}.{slot}")
        elif (slot in _TEXT_FIELDS and isinstance(value, str) and value) or (
            slot in _OBJECT_FIELDS and isinstance(value, dict)
        ):
            found += field_part(CHAT, message, slot, role, where)
    return found or whole(CHAT, message, role, where)


def _calls(value: object, role: Role, where: str) -> list[Found]:
    found: list[Found] = []
    for index, call in enumerate(() if value is None else items_of(where, value)):
        place = f"{where}[{index}]"
        segment = read(CHAT, fields(place, call), role, "tool_calls", place).segment
        found.append(Found(segment, Origin(call, "tool_calls", index)))
    return found


def _finished(message: Json, draft: Draft) -> Json:
    """Return a message with the name of its author, where that is one, and with its content."""
    if message.get("role") in ("tool", "function"):
        return message
    name = message.get("name", "")
    if isinstance(name, str) and name != draft.author:
        if _NAME.fullmatch(draft.author):
            message["name"] = draft.author
        else:
            message.pop("name", None)
    if draft.anchor is None and "content" not in message:
        message["content"] = None
    if message.get("annotations") and any(map(_is_retold, draft.pieces)):
        del message["annotations"]
    return message


def _is_retold(piece: Piece) -> bool:
    """Return whether a piece has another text, so that no place in it is the same."""
    reading = piece.reading
    return reading is not None and reading.segment.content != piece.segment.content
