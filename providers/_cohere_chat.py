"""From segments to the messages of Cohere's `/v2/chat`.

They are those of OpenAI's chat, with a few fields of their own: an assistant that calls tools says
why in `tool_plan` rather than in `content`, results may hold documents, and nothing has a name.
Messages of Cohere are read by `from_openai_chat`, and go back as they were.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from orchestrator_context.conversation.formats import to_openai_chat
from orchestrator_context.conversation.formats.losses import check_anew
from orchestrator_context.conversation.formats.openai_chat_parts import CHAT
from orchestrator_context.conversation.formats.sayable import unsayable
from orchestrator_context.exceptions import FormatError
from orchestrator_context.models import Segment
from orchestrator_context.providers._chat import mapping
from orchestrator_context.providers._http import encode_json
from orchestrator_context.providers._requests import labelled_users, plain_messages, something
from orchestrator_context.text import clean

_FORMAT = "openai_chat"
_COHERE = replace(CHAT, name="", title="Cohere")  # for what it cannot say of others
_OPENAI = frozenset({_FORMAT, "openai_responses"})  # which have refusals and developers
_FIELDS = frozenset({"role", "content", "tool_calls", "tool_plan", "citations", "tool_call_id"})
_ROLES = frozenset({"system", "user", "assistant", "tool"})
_PARTS = frozenset({"text", "image_url", "thinking", "document"})


def cohere_messages(segments: Sequence[Segment]) -> list[dict[str, object]]:
    """Return the messages that `segments` make.

    Raises:
        FormatError: Cohere cannot take a segment, such as a sound or a file.
        ConfigurationError: there is nothing to send.
    """
    plain = plain_messages(segments)
    if plain is not None:
        return [{"role": one["role"], "content": clean(one["content"])} for one in plain]
    told = labelled_users(segments)
    for segment in told:
        _check_media(segment)
    check_anew(_COHERE, [one for one in segments if not _is_coheres(one)])
    try:
        messages = to_openai_chat(map(_own_or_anew, told))
    except FormatError as error:
        message = str(error).replace("OpenAI chat", "Cohere", 1)
        raise FormatError(message, where=error.where) from None
    # Once there and back: the SDK cannot send lone surrogates.
    sent = encode_json({"messages": something([_as_cohere(one) for one in messages])})
    return cast("list[dict[str, object]]", json.loads(sent)["messages"])


def texts_of(message: Mapping[str, object]) -> list[str]:
    """Return what is to be counted in a message: its text, and all that is none as JSON."""
    content = message.get("content")
    text = [content] if isinstance(content, str) else []
    left_out = {"role", "content"} if text else {"role"}
    others = {name: value for name, value in message.items() if name not in left_out}
    return text + ([json.dumps(others, ensure_ascii=False)] if others else [])


def _check_media(segment: Segment) -> None:
    for media in segment.media:
        if media.type != "image":
            what = "sounds" if media.type == "audio" else "files"
            raise unsayable("Cohere", segment, f"it takes no {what}", "send the text instead")


def _own_or_anew(segment: Segment) -> Segment:
    """Return a segment with its original if that is a part of one of Cohere's messages."""
    if _is_coheres(segment):
        return segment
    others = {name: one for name, one in segment.metadata.items() if name not in _OPENAI}
    return replace(segment, content=clean(segment.content), metadata=others)


def _is_coheres(segment: Segment) -> bool:
    """Return whether Cohere knows all fields of the message that a segment came from."""
    origin = mapping(segment.metadata.get(_FORMAT))
    part = mapping(origin.get("part"))
    message = mapping(origin.get("message")) or part
    if not _FIELDS.issuperset(message) or message.get("role") not in _ROLES:
        return False
    if origin.get("slot") == "content" and part:
        return part.get("type") in _PARTS
    return origin.get("slot") != "tool_calls" or part.get("type") == "function"


def _as_cohere(message: Mapping[str, object]) -> dict[str, object]:
    """Return a message; of one that calls tools the text goes into `tool_plan`."""
    said = dict(message)
    if not said.get("tool_calls"):
        return said
    content = said.pop("content", None)
    if not content:
        return said
    texts = [content] if isinstance(content, str) else _texts(content)
    if "tool_plan" in said or None in texts:
        return said | {"content": content}
    return said | {"tool_plan": "\n\n".join(cast("list[str]", texts))}


def _texts(content: object) -> list[str | None]:
    """Return the text of each part, or None for one that is something else."""
    parts = cast("list[object]", content)
    return [cast("str | None", mapping(part).get("text")) for part in parts]
