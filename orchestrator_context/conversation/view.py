"""What one participant sees: ordered segments, what the model demands of them, and the account."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from orchestrator_context.conversation.finalize import TemplateRules, finalize_segments
from orchestrator_context.conversation.grouping import repaired
from orchestrator_context.conversation.ledger import Ledger
from orchestrator_context.conversation.report import ViewReport
from orchestrator_context.models import Segment
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens import token_counter

Tools = tuple[Mapping[str, object], ...]


@dataclass(frozen=True, kw_only=True)
class View:
    """The segments that one participant sees, before they are finalised into messages.

    A view never changes; fitting gives another one. `View.of` makes one from segments,
    `Transcript.view` from a transcript.

    Attributes:
        counter: counts the participant's tokens.
        participant: who sees it.
        rules: what the participant's model demands of its messages.
        tools: schemas that go along with every request.
        report: what was done to it so far.
        positions: where each segment stood in the original view; None while nothing is left out.
            What a policy put in has the place of the first segment it stands for.
    """

    counter: TokenCounter = field(repr=False)
    participant: str = ""
    rules: TemplateRules = TemplateRules()
    tools: Tools = field(default=(), repr=False)
    report: ViewReport = ViewReport()
    positions: tuple[int, ...] | None = field(default=None, repr=False)
    _log: Ledger | tuple[Segment, ...] = field(repr=False)
    _length: int = field(repr=False)

    @classmethod
    def of(
        cls,
        segments: Sequence[Segment],
        *,
        counter: TokenCounter | None = None,
        rules: TemplateRules = TemplateRules(),
        tools: Sequence[Mapping[str, object]] = (),
        participant: str = "",
    ) -> View:
        """Return a view of `segments`.

        >>> View.of([Segment("Be brief.", "system", "system"), Segment("Hello!")]).tokens
        16

        Args:
            segments: in the order in which they were said.
            counter: exact o200k by default.
            rules: what the model demands of its messages; nothing by default.
            tools: schemas that go along with every request.
            participant: who sees it.
        """
        log = tuple(segments)
        return cls(
            counter=token_counter() if counter is None else counter,
            participant=participant,
            rules=rules,
            tools=tuple(tools),
            _log=log,
            _length=len(log),
        )

    def __len__(self) -> int:
        return self._length

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The segments, in order."""
        return self._log if isinstance(self._log, tuple) else tuple(self._log.segments[: len(self)])

    @cached_property
    def messages(self) -> tuple[Segment, ...]:
        """The segments as the model gets them: calls and results repaired, its rules followed."""
        return finalize_segments(repaired(self.segments), self.rules)

    @cached_property
    def tokens(self) -> int:
        """Tokens of the request: messages, framing and tools."""
        return self.counter.count_messages(self.messages, tools=self.tools)

    @property
    def ledger(self) -> Ledger:
        """The running account of exactly these segments."""
        log = self._log
        ledger = log if isinstance(log, Ledger) and len(log) == len(self) else self._own_ledger
        ledger.catch_up()
        return ledger

    @property
    def uncounted(self) -> int:
        """Characters that have yet to be counted."""
        if isinstance(self._log, Ledger) and len(self._log) == len(self):
            return sum(len(segment.content) for segment in self._log.uncounted)
        return (
            0 if "_own_ledger" in self.__dict__ else sum(len(one.content) for one in self.segments)
        )

    @cached_property
    def _own_ledger(self) -> Ledger:
        joins = self.rules.alternating
        return Ledger(self.counter, self.segments, tools=self.tools, joins=joins)

    def originally(self, index: int) -> int:
        """Return where the segment at `index` stood in the original view."""
        return index if self.positions is None else self.positions[index]

    def with_segments(self, segments: Sequence[Segment], positions: Sequence[int]) -> View:
        """Return the same view with other segments, for each of which it is said where it stood."""
        log, origins = tuple(segments), tuple(map(self.originally, positions))
        return replace(self, positions=origins, _log=log, _length=len(log))


def finalize(view: View, rules: TemplateRules | None = None) -> tuple[Segment, ...]:
    """Return the messages of `view` as its model, or one with other `rules`, gets them.

    What a policy promises of a view's size holds for the view's own rules.
    """
    return view.messages if rules is None else replace(view, rules=rules).messages
