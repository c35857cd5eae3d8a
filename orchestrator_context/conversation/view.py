"""What one participant sees: ordered segments, what the model demands of them, and the account."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from threading import RLock

from orchestrator_context import checks
from orchestrator_context.conversation import given
from orchestrator_context.conversation.accounts import account_of
from orchestrator_context.conversation.finalize import TemplateRules, finalize_segments
from orchestrator_context.conversation.grouping import group, repaired
from orchestrator_context.conversation.ledger import Ledger
from orchestrator_context.conversation.report import ViewReport
from orchestrator_context.exceptions import ConfigurationError
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
        elided: indices of segments that policies shortened.
        chained: the settings of the `Chain` that fitted it, where nothing was changed since.
    """

    counter: TokenCounter = field(repr=False)
    participant: str = ""
    rules: TemplateRules = TemplateRules()
    tools: Tools = field(default=(), repr=False)
    report: ViewReport = ViewReport()
    positions: tuple[int, ...] | None = field(default=None, repr=False)
    elided: tuple[int, ...] = field(default=(), repr=False)
    chained: Mapping[str, object] | None = field(default=None, repr=False, compare=False)
    _log: Ledger | tuple[Segment, ...] = field(repr=False)
    _length: int = field(repr=False)
    _dead: frozenset[int] = field(default=frozenset(), repr=False)  # calls that were so as given

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

        Raises:
            ConfigurationError: an argument is not of its type.
        """
        log = given.segments("segments", segments)
        return cls(
            counter=token_counter() if counter is None else _counter(counter),
            participant=checks.text("participant", participant),
            rules=checks.instance("rules", rules, TemplateRules),
            tools=given.schemas("tools", tools),
            _log=log,
            _length=len(log),
        )

    def __len__(self) -> int:
        return self._length

    def __getstate__(self) -> dict[str, object]:
        """Return the fields for pickle and `copy`, without the account of the conversation."""
        given: dict[str, object] = {one.name: getattr(self, one.name) for one in fields(self)}
        return given | {"_log": self.segments}

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The segments, in order."""
        return self._log if isinstance(self._log, tuple) else tuple(self._log.segments[: len(self)])

    @cached_property
    def messages(self) -> tuple[Segment, ...]:
        """The segments as the model gets them: calls and results repaired, its rules followed."""
        return finalize_segments(repaired(self.segments, self._dead), self.rules)

    @cached_property
    def tokens(self) -> int:
        """Tokens of the request: messages, framing and tools."""
        return self.counter.count_messages(self.messages, tools=self.tools)

    @property
    def ledger(self) -> Ledger:
        """The running account of exactly these segments.

        It stays so while `lock` is held, though the conversation may go on.
        """
        shared = self._shared_ledger
        ledger = self._own_ledger if shared is None else shared
        ledger.catch_up(len(self))
        return ledger

    @cached_property
    def lock(self) -> RLock:
        """Held while the view is fitted: the views of one participant share an account."""
        return self._log.lock if isinstance(self._log, Ledger) else RLock()

    @property
    def uncounted(self) -> int:
        """Characters that have yet to be counted."""
        log, shared = self._log, self._shared_ledger
        counted = 0 if shared is None else shared.counted
        if "_own_ledger" in self.__dict__:
            counted = self._own_ledger.counted
        segments = log.segments if isinstance(log, Ledger) else log
        return sum(len(segments[index].content) for index in range(counted, len(self)))

    @property
    def _shared_ledger(self) -> Ledger | None:
        """The account of the transcript, unless it is further on than this view."""
        log = self._log
        return log if isinstance(log, Ledger) and log.counted <= len(self) else None

    @cached_property
    def _own_ledger(self) -> Ledger:
        joins = self.rules.alternating
        return Ledger(self.counter, self.segments, tools=self.tools, joins=joins, dead=self._dead)

    @contextmanager
    def accounted(self) -> Generator[None]:
        """Use the account that is known of the first of these segments, if there is one.

        It is lent for as long as this lasts, and nothing of it may be kept.
        """
        if isinstance(self._log, Ledger) or self.positions is not None:
            yield
            return
        with account_of(self.segments, self._own_ledger) as ledger:
            vars(self)["_own_ledger"] = ledger
            try:
                yield
            finally:
                vars(self).pop("_own_ledger", None)

    def add_up(self, tokens: int | None = None) -> None:
        """Take the tokens from the account rather than count all messages, where they add up.

        Args:
            tokens: what the account of the view that this one was made from says, if it adds up.
        """
        computed = vars(self)
        if "tokens" in computed or self.rules != TemplateRules():
            return
        accounted = isinstance(self._log, Ledger) or "_own_ledger" in computed
        if tokens is None and accounted and self.ledger.adds_up:
            tokens = self.ledger.total
        if tokens is not None:
            computed |= {"messages": self.segments, "tokens": tokens}

    def originally(self, index: int) -> int:
        """Return where the segment at `index` stood in the original view."""
        return index if self.positions is None else self.positions[index]

    def with_segments(
        self, segments: Sequence[Segment], positions: Sequence[int], elided: Iterable[int] = ()
    ) -> View:
        """Return the same view with other segments.

        A call that the conversation has left behind stays so, whatever is left out behind it.

        Args:
            segments: in order.
            positions: for each of them, where it stood.
            elided: indices of those that were shortened.
        """
        log, origins = tuple(segments), tuple(map(self.originally, positions))
        before, shorter = frozenset(self.elided), set(elided)
        left, dead = self._left_behind(), set[int]()
        for index, (segment, position) in enumerate(zip(segments, positions, strict=True)):
            if position in before and segment is self.segments[position]:
                shorter.add(index)
            if position in left and segment.kind == "tool_call":
                dead.add(index)
        return replace(
            self,
            positions=origins,
            elided=tuple(sorted(shorter)),
            chained=None,
            _log=log,
            _length=len(log),
            _dead=frozenset(dead),
        )

    def _left_behind(self) -> frozenset[int]:
        """Return the calls that wait for no result any more, from the account if there is one."""
        log = self._log if isinstance(self._log, Ledger) else vars(self).get("_own_ledger")
        if isinstance(log, Ledger):
            with log.lock:
                if log.counted == len(self):
                    return frozenset(log.grouper.dead())
        return frozenset(group(self.segments, self._dead).dead)

    def with_report(
        self, report: ViewReport, *, chained: Mapping[str, object] | None = None
    ) -> View:
        """Return the same view with another account, and all that was computed of it."""
        new = replace(self, report=report, chained=chained or self.chained)
        computed = vars(self)
        vars(new).update({name: computed[name] for name in _COMPUTED if name in computed})
        return new


_COMPUTED = ("segments", "messages", "tokens")


def finalize(view: View, rules: TemplateRules | None = None) -> tuple[Segment, ...]:
    """Return the messages of `view` as its model, or one with other `rules`, gets them.

    What a policy promises of a view's size holds for the view's own rules.

    Raises:
        ConfigurationError: an argument is not of its type.
    """
    checks.instance("view", view, View, "View.of(segments)")
    if rules is not None:
        checks.instance("rules", rules, TemplateRules)
    return view.messages if rules is None else replace(view, rules=rules).messages


def _counter(counter: object) -> TokenCounter:
    """Return `counter` if it is one; the likeliest mistake is the name of a model."""
    if isinstance(counter, type) or not isinstance(counter, TokenCounter):
        raise ConfigurationError(
            f"counter must be a TokenCounter, not {checks.sort_of(counter)}: token_counter(model)"
        )
    return counter
