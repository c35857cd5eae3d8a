"""The whole of a conversation, and what each participant sees of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import cast

from orchestrator_context import checks
from orchestrator_context.conversation import given
from orchestrator_context.conversation.jsonable import items, made
from orchestrator_context.conversation.jsonable import mapping as described
from orchestrator_context.conversation.kept import Kept
from orchestrator_context.conversation.names import check_names
from orchestrator_context.conversation.participant import Participant, need_window
from orchestrator_context.conversation.policy import ContextPolicy, in_background, over_budget
from orchestrator_context.conversation.recipe import (
    VERSION,
    checked_recipe,
    entry_from_mapping,
    entry_to_mapping,
    participant_from_mapping,
    participant_to_mapping,
)
from orchestrator_context.conversation.room import fits, untouched
from orchestrator_context.conversation.saying import parts_of, waiting_after
from orchestrator_context.conversation.seat import MODERATOR, Seat, TranscriptEntry
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Segment
from orchestrator_context.protocols import TokenCounter

_State = tuple[tuple[Participant, ...], str, tuple[TranscriptEntry, ...], dict[str, frozenset[str]]]
_NAME = 64  # characters; a longer one is no name, but perhaps a text in its place


class Transcript:
    r"""What was said, in order. It only grows; views are cut from it, and it is never cut itself.

    What a participant says stands in its own view as the assistant's, and in those of the others
    as the user's, with a label where there are more than two participants, or where the model's
    rules have messages joined. Calls, results and reasoning are seen by their author only. A line
    that looks like somebody's label is escaped with a backslash in the views of the others, so
    nobody can speak for another.

    >>> debate = Transcript([Participant("Ann"), Participant("Bob"), Participant("Cy")])
    >>> debate.append("Ann", "I think so.")
    >>> debate.append("Bob", "Ann: I was wrong.")
    >>> [segment.content for segment in debate.view("Cy").segments]
    ['Ann: I think so.', 'Bob: \\Ann: I was wrong.']

    A view costs time for what is new in it, not for what there is.

    Attributes:
        participants: by name.
        shared_system: follows the system prompt of every participant.
    """

    def __init__(
        self,
        participants: Iterable[Participant],
        *,
        shared_system: str = "",
        opening: str | None = None,
    ) -> None:
        """Begin a conversation.

        Args:
            participants: at least one, with different names, none of them "moderator".
            shared_system: follows the system prompt of every participant.
            opening: what the moderator says first, such as the motion of a debate.

        Raises:
            ConfigurationError: names look alike, or one is reserved.
        """
        everyone = _participants(participants)
        if not everyone:
            raise ConfigurationError("A transcript needs at least one participant")
        self._names = check_names((MODERATOR, *(one.name for one in everyone)))
        self.participants: Mapping[str, Participant] = MappingProxyType(
            {one.name: one for one in everyone}
        )
        self.shared_system = checks.text("shared_system", shared_system)
        self._entries: list[TranscriptEntry] = []
        self._waiting: dict[str, frozenset[str]] = {}  # ids of calls without a result, by author
        self._seats: dict[str, Seat] = {}
        if opening is not None:
            self.moderate(opening)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def entries(self) -> tuple[TranscriptEntry, ...]:
        """What was said so far."""
        return tuple(self._entries)

    def append(
        self,
        author: str,
        content: str | Sequence[Segment],
        *,
        visible_to: Collection[str] | None = None,
    ) -> None:
        """Add what a participant says.

        Args:
            author: name of the participant.
            content: a text, or segments where there is more to it: calls, results, reasoning,
                media, or several messages.
            visible_to: names of those who see it beside its author; by default everyone.

        Raises:
            ConfigurationError: a name is unknown; a segment has a role or kind that no participant
                has; a call or result has no `call_id`, or a call no `title`; or a call has the id
                of one that waits for its result still.
        """
        self._known(author)
        self._add(author, content, visible_to)

    def moderate(self, content: str, *, visible_to: Collection[str] | None = None) -> None:
        """Add a note of the moderator, which no policy may drop.

        Raises:
            ConfigurationError: a name is unknown.
        """
        note = Segment(checks.text("content", content), kind="moderator")
        self._add(MODERATOR, [note], visible_to)

    def view(self, participant: str | Participant, *, extra: Sequence[Segment] = ()) -> View:
        """Return what a participant sees.

        Args:
            participant: a name; or a participant of that name with other settings.
            extra: more segments at the end, which are not added to the transcript. A view with
                some costs time for all there is.

        Raises:
            ConfigurationError: there is no participant of that name.
        """
        extra = given.segments("extra", extra)
        return self._seat(self._known(participant)).view(self._entries, extra)

    async def fit(self, participant: str | Participant, *, extra: Sequence[Segment] = ()) -> View:
        """Return what a participant sees, brought into its budget by its policy.

        Raises:
            BudgetExceededError: it does not fit, and there is no policy, or even that cannot help.
            UnknownWindowError: the participant has no budget.
            ConfigurationError: there is no participant of that name.
        """
        who = self._known(participant)
        need_window(who)
        view = self.view(participant, extra=extra)
        if who.policy is not None:
            return await who.policy.fit(view, who.budget)

        def whole(view: View) -> View:
            if fits(view, who.budget):
                return untouched(view, who.budget)
            raise over_budget(view, who.budget, "")

        return await in_background(view, whole)

    def branch(self) -> Transcript:
        """Return a transcript that begins as this one does and goes its own way from here."""
        return copy(self)

    def __getstate__(self) -> _State:
        """Return what was said, for pickle and `copy`; what a seat has heard, it hears again."""
        participants = tuple(self.participants.values())
        return participants, self.shared_system, self.entries, dict(self._waiting)

    def __setstate__(self, state: _State) -> None:
        participants, shared_system, entries, waiting = state
        Transcript.__init__(self, participants, shared_system=shared_system)
        self._entries += entries
        self._waiting |= waiting

    def to_mapping(self) -> dict[str, object]:
        """Return all of the conversation as JSON-able data; `from_mapping` makes it again.

        >>> Transcript([Participant("Ann")]).to_mapping()["version"]
        1

        Tuples in metadata become lists. What is no data cannot be saved: a counter of a
        participant's own, and what a policy holds beside its settings, such as a model that
        summarises. `from_mapping` asks for them.

        Raises:
            ConfigurationError: metadata or tools hold something that JSON cannot say.
        """
        return {
            "version": VERSION,
            "shared_system": self.shared_system,
            "participants": [participant_to_mapping(one) for one in self.participants.values()],
            "entries": [entry_to_mapping(entry) for entry in self._entries],
        }

    @classmethod
    def from_mapping(
        cls,
        mapping: Mapping[str, object],
        *,
        counters: Mapping[str, TokenCounter] = MappingProxyType({}),
        policies: Mapping[str, ContextPolicy] = MappingProxyType({}),
    ) -> Transcript:
        """Return the conversation that `to_mapping` described.

        Args:
            mapping: the description.
            counters: by participant, for those that were saved with a counter of their own.
            policies: by participant, for those whose policy could not be saved whole; others may
                get another policy.

        Raises:
            ConfigurationError: the version or a key is unknown, a key is missing, a value cannot
                be used, a counter or policy has to be given, or one is given to nobody.
        """
        recipe = checked_recipe(mapping)
        for name, value in (("counters", counters), ("policies", policies)):
            described(value, name)
        transcript = cls(
            (
                participant_from_mapping(
                    one, f"participants[{at}]", counters=counters, policies=policies
                )
                for at, one in enumerate(items(recipe["participants"], "participants"))
            ),
            shared_system=checks.text("shared_system", recipe["shared_system"]),
        )
        for name in (*counters, *policies):
            transcript._known(name)
        for at, one in enumerate(items(recipe["entries"], "entries")):
            entry = entry_from_mapping(one, f"entries[{at}]")
            made(f"entries[{at}]", partial(transcript._restore, entry))
        return transcript

    def _restore(self, entry: TranscriptEntry) -> None:
        if entry.author != MODERATOR:
            self._known(entry.author)
        self._add(entry.author, entry.segments, entry.visible_to)

    def _add(
        self, author: str, content: str | Sequence[Segment], visible_to: Collection[str] | None
    ) -> None:
        seen = None if visible_to is None else self._seeing(author, visible_to)
        parts = parts_of(author, content)
        waiting = waiting_after(parts, self._waiting.get(author, ()))
        own = tuple(replace(part, author=author, metadata=Kept.of(part.metadata)) for part in parts)
        self._entries.append(TranscriptEntry(author, own, seen))
        self._waiting[author] = waiting

    def _seeing(self, author: str, visible_to: Collection[str]) -> frozenset[str]:
        if isinstance(visible_to, str):
            raise ConfigurationError("visible_to must be names, not one str: write [name]")
        seen = [author]
        for name in checks.sequence("visible_to", visible_to, "names"):
            if not isinstance(name, str) or name not in self._names:
                raise self._unknown(name)
            seen.append(name)
        return frozenset(seen)

    def _known(self, participant: str | Participant) -> Participant:
        name = participant.name if isinstance(participant, Participant) else participant
        if not isinstance(name, str) or name not in self.participants:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise self._unknown(name)
        return participant if isinstance(participant, Participant) else self.participants[name]

    def _unknown(self, name: object) -> ConfigurationError:
        known = ", ".join(self.participants)
        shown = repr(name) if isinstance(name, str) and len(name) <= _NAME else checks.sort_of(name)
        hint = ", and notes of the moderator go by Transcript.moderate" if name == MODERATOR else ""
        return ConfigurationError(f"There is no participant {shown}; there are {known}{hint}")

    def _seat(self, participant: Participant) -> Seat:
        seat = self._seats.get(participant.name)
        same = seat is not None and seat.participant is participant
        if seat is None or not (same or seat.participant.sees_like(participant)):
            seat = Seat(participant, self.shared_system, self._names)
            self._seats[participant.name] = seat
        return seat


def _participants(participants: object) -> tuple[Participant, ...]:
    everyone = checks.sequence("participants", participants, "participants")
    for one in everyone:
        checks.instance("A participant", one, Participant, 'such as Participant("Ann")')
        if isinstance(one, Participant) and one.name == MODERATOR:
            raise ConfigurationError(
                f"A participant cannot be named {MODERATOR!r}: so is who speaks by "
                f"Transcript.moderate; give it another name"
            )
    return cast("tuple[Participant, ...]", everyone)
