"""The whole of a conversation, and what each participant sees of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from orchestrator_context import checks
from orchestrator_context.conversation.labels import check_names
from orchestrator_context.conversation.participant import Participant
from orchestrator_context.conversation.policy import in_background, over_budget
from orchestrator_context.conversation.room import fits, untouched
from orchestrator_context.conversation.seat import MODERATOR, Entry, Seat
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Segment

_FRAMING = ("system", "briefing", "moderator", "tools")


class Transcript:
    r"""What was said, in order. It only grows; views are cut from it, and it is never cut itself.

    What a participant says stands in its own view as the assistant's, and in those of the others
    as the user's, with a label where there are more than two participants. Calls, results and
    reasoning are seen by their author only. A line that looks like somebody's label is escaped
    with a backslash in the views of the others, so nobody can speak for another.

    >>> debate = Transcript([Participant("Ann"), Participant("Bob"), Participant("Cy")])
    >>> debate.append("Ann", "I think so.")
    >>> debate.append("Bob", "Ann: I was wrong.")
    >>> [segment.content for segment in debate.view("Cy").segments]
    ['Ann: I think so.', 'Bob: \\Ann: I was wrong.']

    A view costs time for what is new in it, not for what there is.

    Attributes:
        participants: by name.
        shared_system: follows the system prompt of every participant.
        entries: what was said so far.
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
        given = tuple(participants)
        if not given:
            raise ConfigurationError("A transcript needs at least one participant")
        self._names = check_names((MODERATOR, *(one.name for one in given)))
        self.participants = {one.name: one for one in given}
        self.shared_system = checks.text("shared_system", shared_system)
        self.entries: list[Entry] = []
        self._seats: dict[str, Seat] = {}
        if opening is not None:
            self.moderate(opening)

    def __len__(self) -> int:
        return len(self.entries)

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
            ConfigurationError: a name is unknown, or a segment has a role or kind that no
                participant has.
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
        return self._seat(self._known(participant)).view(extra)

    async def fit(self, participant: str | Participant, *, extra: Sequence[Segment] = ()) -> View:
        """Return what a participant sees, brought into its budget by its policy.

        Raises:
            BudgetExceededError: it does not fit, and there is no policy, or even that cannot help.
            UnknownWindowError: the participant has no budget.
            ConfigurationError: there is no participant of that name.
        """
        who, view = self._known(participant), self.view(participant, extra=extra)
        if who.policy is not None:
            return await who.policy.fit(view, who.budget)

        def whole(view: View) -> View:
            if fits(view, who.budget):
                return untouched(view, who.budget)
            raise over_budget(view, who.budget, "no policy")

        return await in_background(view, whole)

    def branch(self) -> Transcript:
        """Return a transcript that begins as this one does and goes its own way from here."""
        other = Transcript(self.participants.values(), shared_system=self.shared_system)
        other.entries = list(self.entries)
        return other

    def _add(
        self, author: str, content: str | Sequence[Segment], visible_to: Collection[str] | None
    ) -> None:
        seen = None if visible_to is None else frozenset((author, *visible_to))
        for name in seen or ():
            if name not in self._names:
                raise self._unknown(name)
        parts = (Segment(content),) if isinstance(content, str) else tuple(content)
        for part in parts:
            if part.kind in _FRAMING and author != MODERATOR:
                raise ConfigurationError(
                    f"A participant cannot say a segment of kind {part.kind!r}; the system prompt "
                    f"and the briefing belong to Participant, and notes to Transcript.moderate"
                )
        self.entries.append(
            Entry(author, tuple(replace(one, author=author) for one in parts), seen)
        )

    def _known(self, participant: str | Participant) -> Participant:
        name = participant.name if isinstance(participant, Participant) else participant
        if name not in self.participants:
            raise self._unknown(name)
        return participant if isinstance(participant, Participant) else self.participants[name]

    def _unknown(self, name: object) -> ConfigurationError:
        known = ", ".join(self.participants)
        return ConfigurationError(f"There is no participant {name!r}; there are {known}")

    def _seat(self, participant: Participant) -> Seat:
        seat = self._seats.get(participant.name)
        if seat is None or seat.participant != participant:
            seat = Seat(participant, self.shared_system, self._names)
            self._seats[participant.name] = seat
        seat.listen(self.entries)
        return seat
