"""Messages of Anthropic's Messages API, and their system prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from orchestrator_context.conversation.formats.anthropic_parts import MESSAGES, ROLES
from orchestrator_context.conversation.formats.calls import Calls
from orchestrator_context.conversation.formats.drafts import Draft, built, drafts
from orchestrator_context.conversation.formats.places import content_parts, stamped, whole
from orchestrator_context.conversation.formats.raw import Json, role_in
from orchestrator_context.conversation.formats.recent import Recent
from orchestrator_context.conversation.formats.sayable import unsayable
from orchestrator_context.models import Role, Segment

System = str | list[dict[str, object]] | None


@dataclass(frozen=True, slots=True)
class AnthropicRequest:
    """What a request says.

    >>> to_anthropic([Segment("Be brief.", "system", "system"), Segment("Hello")]).arguments()
    {'system': 'Be brief.', 'messages': [{'role': 'user', 'content': 'Hello'}]}

    Attributes:
        system: the system prompt, a text or a list of blocks; None where there is none.
        messages: the messages.
    """

    system: System = field(repr=False)
    messages: list[dict[str, object]] = field(repr=False)

    def arguments(self) -> dict[str, object]:
        """Return arguments for a client: `client.messages.create(..., **request.arguments())`."""
        system: dict[str, object] = {} if self.system is None else {"system": self.system}
        return system | {"messages": self.messages}


def from_anthropic(
    messages: Sequence[Mapping[str, object]],
    *,
    system: str | Sequence[Mapping[str, object]] | None = None,
) -> tuple[Segment, ...]:
    """Return one segment for each block of the system prompt and of each message, in order.

    Ids are positions: "m3" is the first block of the fourth message, "m3.1" its second, and
    "system" the first of the system prompt. So they stay the same when messages follow, and when
    segments are dropped; a list of messages that lost some of them is numbered anew.

    >>> [part.role for part in from_anthropic([{"role": "user", "content": "Hi"}], system="Obey.")]
    ['system', 'user']

    Args:
        messages: plain dicts, as the client sends them. They are copied.
        system: the system prompt, a text or a list of blocks.

    Raises:
        FormatError: they are no messages of this format.
    """
    blocks = list(system) if isinstance(system, tuple) else system
    return _RECENT.segments(messages, None if system is None else {"content": blocks})


def _prompt(opening: Json) -> Iterable[Segment]:
    return _parts(opening, "system", "system", "system")


def _read(calls: Calls, index: int, message: Json) -> Iterable[Segment]:
    where = f"messages[{index}]"
    role = role_in(message, ROLES, where)
    return map(calls.linked, _parts(message, role, f"m{index}", where))


_RECENT = Recent("messages", Calls, _read, _prompt)


def _parts(message: Json, role: Role, key: str, where: str) -> Iterable[Segment]:
    found = content_parts(MESSAGES, message, role, where)
    return stamped(MESSAGES, message, found or whole(MESSAGES, message, role, where), key=key)


def to_anthropic(segments: Iterable[Segment]) -> AnthropicRequest:
    """Return a system prompt and messages that say what `segments` say.

    What `from_anthropic` made and nobody changed comes back as it was, byte for byte. What changed
    is put in the place of the old, what was dropped leaves its message, and a message that lost
    all of its blocks goes. Other segments are said anew: a refusal is a text, and what an author
    other than the assistant says begins with the name; a text of white space alone goes, since the
    service refuses it; system segments before the first message become the system prompt;
    neighbouring calls share a message, and so do their results.

    Raises:
        FormatError: the format cannot say a segment, such as a sound, the reasoning of another
            service, or a system segment after the first message, or not all that its original
            says, such as annotations; `without_fields` leaves that out.
    """
    prompts: list[object] = []
    messages: list[Json] = []
    for draft in drafts(MESSAGES, segments):
        for message in built(MESSAGES, draft):
            if _is_prompt(message, draft):
                _check_first(draft, messages)
                prompts.append(message["content"])
            else:
                messages.append(message)
    return AnthropicRequest(_system(prompts), messages)


def _is_prompt(message: Json, draft: Draft) -> bool:
    """Return whether a message is the system prompt, or is to become a part of it."""
    return "role" not in message or (draft.home == "system" and draft.anchor is None)


def _check_first(draft: Draft, messages: list[Json]) -> None:
    if messages and draft.anchor is None:
        raise unsayable(
            MESSAGES.title,
            draft.pieces[0].segment,
            "its system prompt stands before the messages",
            "move it to the front, or give it the role user",
        )


def _system(prompts: list[object]) -> System:
    """Return the system prompt: as it is where there is one, and as blocks where there are more."""
    if len(prompts) < 2:
        return cast("System", prompts[0] if prompts else None)
    blocks: list[Json] = []
    for prompt in prompts:
        if isinstance(prompt, str):
            blocks.append({"type": "text", "text": prompt})
        elif isinstance(prompt, list):
            blocks += cast("list[Json]", prompt)
    return blocks
