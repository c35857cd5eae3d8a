"""How what is said reaches one participant."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final, cast

from orchestrator_context.conversation.beside import with_context
from orchestrator_context.conversation.formats.raw import texts_in
from orchestrator_context.conversation.kept import Kept, lent
from orchestrator_context.conversation.labels import escaped, labelled, one_line
from orchestrator_context.conversation.ledger import Ledger
from orchestrator_context.conversation.like import like
from orchestrator_context.conversation.participant import Participant
from orchestrator_context.conversation.view import View
from orchestrator_context.messages import is_result
from orchestrator_context.models import Role, Segment

MODERATOR: Final = "moderator"

DOCUMENT: Final = "document"
"""In the metadata of a document that another says: what it was before it got a label."""

_SPOKEN = ("turn", "document", "media", "custom", "summary", "memory")
_OWN = ("summary", "memory")  # of others, it is only what they say
_SHARED = "(This is what I show you.)"
_TWO = 2  # participants; with more of them, it has to be said who speaks


@dataclass(frozen=True, slots=True)
class TranscriptEntry:
    """One thing that was said.

    Attributes:
        author: a participant or the moderator.
        segments: its parts, as the author sees them.
        visible_to: who sees it, its author included; None for everyone.
    """

    author: str
    segments: tuple[Segment, ...]
    visible_to: frozenset[str] | None = None


class Seat:
    """What one participant has heard so far, and what it costs.

    Attributes:
        participant: whose seat it is.
    """

    def __init__(self, participant: Participant, shared_system: str, names: Sequence[str]) -> None:
        """Take a seat in a conversation.

        Args:
            participant: whose seat it is.
            shared_system: follows the participant's own system prompt.
            names: of all participants, after that of the moderator.
        """
        self.participant = participant
        self._names = tuple(sorted(names))  # in whatever order they came: views are the same
        self._heard = 0
        self._counter, self._rules = participant.own_counter, participant.own_rules
        self._ledger = Ledger(
            self._counter,
            _framing(participant, shared_system),
            tools=participant.tools,
            joins=self._rules.alternating,
        )
        self._lock = Lock()

    def view(self, entries: Sequence[TranscriptEntry], extra: Sequence[Segment]) -> View:
        """Return what is heard of `entries`, with more segments at the end."""
        with self._lock:
            self._listen(entries)
            length = len(self._ledger)
            heard = tuple(self._ledger.segments) if extra else ()
        return View(
            counter=self._counter,
            participant=self.participant.name,
            rules=self._rules,
            tools=self.participant.tools,
            _log=(*heard, *extra) if extra else self._ledger,
            _length=length + len(extra),
        )

    def _listen(self, entries: Sequence[TranscriptEntry]) -> None:
        for number in range(self._heard, len(entries)):
            for segment in self._heard_as(entries[number], f"t{number + 1}"):
                self._ledger.append(segment)
            self._heard = number + 1

    def _heard_as(self, entry: TranscriptEntry, turn: str) -> Iterator[Segment]:
        name = self.participant.name
        if entry.visible_to is not None and name not in entry.visible_to:
            return
        own = entry.author == name
        kept = list(self._from_self(entry, turn) if own else self._from_other(entry, turn))
        for number, part in enumerate(kept, start=1):
            message = f"{turn}:{part.message}" if own and part.message else part.message
            id_ = turn if len(kept) == 1 else f"{turn}.{number}"
            yield like(part, id=id_, message=message)

    def _from_self(self, entry: TranscriptEntry, turn: str) -> Iterator[Segment]:
        for number, part in enumerate(entry.segments, start=1):
            if part.kind == "reasoning" and self.participant.reasoning == "strip":
                continue
            if not part.media or is_result(part) or (part.role == "assistant" and _originals(part)):
                yield self._own(part)
                continue
            group = part.group or f"{turn}.{number}"
            if text := with_context(part, part.content):
                kind = "turn" if part.kind == "media" else part.kind
                metadata = _without(part, _names_of(part))
                beside = like(
                    part, content=text, kind=kind, group=group, media=(), metadata=metadata
                )
                yield self._own(beside)
            yield self._shared(part, group)

    def _shared(self, part: Segment, group: str) -> Segment:
        """Return the media that the participant showed, which services take from the user only."""
        return like(
            part,
            content=labelled(_SHARED, self.participant.name, self._names),
            role="user",
            kind="media",
            author="",
            group=group,
            message="",
            metadata=Kept({**_without(part, _names_of(part)), "author": self.participant.name}),
        )

    def _own(self, part: Segment) -> Segment:
        result = is_result(part)
        role: Role = "tool" if result else "assistant"
        raw = part.kind == "custom" or not (part.content or part.media)
        changed = raw and part.role != role  # which no format can say for another
        known = _without(part, _names_of(part) if changed else ())
        metadata = Kept({**known, "author": self.participant.name, "names": self._names})
        # told as a text, it would stand among what others say; now it has no marks of policies yet
        told = result and not self._rules.tools
        content = escaped(part.content, self._names) if told else part.content
        kind = "tool_result" if result else part.kind
        return like(part, content=content, role=role, kind=kind, author="", metadata=metadata)

    def _from_other(self, entry: TranscriptEntry, turn: str) -> Iterator[Segment]:
        said = [part for part in map(self._spoken, entry.segments) if part is not None]
        for number, part in enumerate(said):
            heading, title = self._entitled(part)
            content = "\n\n".join(filter(None, (heading, with_context(part, part.content))))
            content = self._attributed(content, entry.author, first=number == 0)
            metadata = {**self._sendable(part), "author": entry.author}
            if part.kind == "document":
                heading = self._attributed(heading, entry.author, first=number == 0)
                metadata[DOCUMENT] = self._original(part, heading)
            message = turn if len(said) > 1 else ""
            yield like(
                part,
                content=content,
                title=title,
                role="user",
                kind="turn" if part.kind in _OWN else part.kind,
                author="",
                message=message,
                metadata=Kept(metadata),
            )

    def _original(self, part: Segment, heading: str) -> dict[str, object]:
        """Return what is known of a document before it is said to others."""
        content = with_context(part, part.content)
        names = list(self._names)
        return {"heading": heading, "title": part.title, "content": content, "names": names}

    def _entitled(self, part: Segment) -> tuple[str, str]:
        """Return the first line of what another said, and the title beside it, in one line.

        The title of a document is the first line of its content, so that the label stands before.
        """
        title = one_line(part.title)
        return (title, "") if part.kind == "document" else ("", escaped(title, self._names))

    def _spoken(self, part: Segment) -> Segment | None:
        if not is_result(part) and (part.kind == "moderator" or part.kind in _SPOKEN):
            return part
        if part.kind == "reasoning" and self.participant.reasoning == "shared" and part.content:
            return Segment(f"(thinking) {part.content}")
        return None

    def _sendable(self, part: Segment) -> Mapping[str, object]:
        """Return the metadata of what another said, with those originals that say nothing else.

        No label stands before the original of a document, or of a file with a context, which has
        more beside its text, nor before one that is known to a single format; and none may hold,
        beside the text, a line that looks like ours. Without it, a part is said by its text; what
        is left of it tells which service its media are kept by.
        """
        apart = part.kind in ("document", "custom") or with_context(part, "") != ""
        originals = _originals(part)
        return _without(
            part,
            [name for name, one in originals if apart or self._says_more(one, part.content)],
        )

    def _says_more(self, original: Mapping[str, object], content: str) -> bool:
        """Return whether an original holds a text that looks like ours, beside its content."""
        ours = [text for text in texts_in(original) if escaped(text, self._names) != text]
        return ours not in ([], [content])

    def _attributed(self, content: str, author: str, *, first: bool) -> str:
        rules = self._rules
        joins = rules.alternating or rules.system == "none"  # a text would pass for the one before
        if first and (joins or author == MODERATOR or len(self._names) - 1 > _TWO):
            return labelled(content, author, self._names)
        return escaped(content, self._names)


def _originals(part: Segment) -> list[tuple[str, Mapping[str, object]]]:
    """Return what formats keep to give a part back as it was, by the names of the formats."""
    return [
        (name, cast("Mapping[str, object]", value))
        for name, value in lent(part.metadata).items()
        if isinstance(value, Mapping) and "part" in value
    ]


def _names_of(part: Segment) -> list[str]:
    return [name for name, _ in _originals(part)]


def _without(part: Segment, formats: Collection[str]) -> Mapping[str, object]:
    """Return the metadata of a part without these originals; then it is said by its text."""
    known = lent(part.metadata)
    if not formats:
        return known
    return {
        name: {} if name in formats else value
        for name, value in known.items()
        if name not in ("only", "opaque")
    }


def _framing(participant: Participant, shared_system: str) -> Iterator[Segment]:
    """Yield the one system prompt, and what only this participant is told."""
    system = "\n\n".join(text for text in (participant.system, shared_system) if text)
    if system:
        yield Segment(system, "system", "system", id="system")
    if participant.briefing:
        yield Segment(participant.briefing, "user", "briefing", id="briefing")
