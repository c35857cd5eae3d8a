"""Compaction of a history without any model: the cheapest loss first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from orchestrator_context import checks
from orchestrator_context.conversation.elision import Elide
from orchestrator_context.conversation.fitting import LOW_WATER, Manner, everything, make_room
from orchestrator_context.conversation.policy import OVERFLOWS, Overflow, over_budget
from orchestrator_context.conversation.report import ViewReport
from orchestrator_context.conversation.room import Change, changed, fits, settled, untouched
from orchestrator_context.conversation.squeeze import squeezed
from orchestrator_context.conversation.view import View
from orchestrator_context.events import ContextReduced
from orchestrator_context.models import Budget, Segment
from orchestrator_context.protocols import TokenCounter

_TEXTS = frozenset({"turn", "document", "memory"})
_PART = 0.5  # of the room for what has to stay, where that has to be shortened


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    """How a history is compacted.

    Attributes:
        keep_recent: newest segments that are left alone as long as that is possible.
        low_water: share of the room that is left filled when something has to go; the room is the
            budget without the system prompt and all else that opens the history and has to stay.
            Below 1, more goes than has to, and the beginning of the history then stays
            byte-identical for many turns, which prompt caches need. 1 takes no more than it must.
        min_characters: shorter texts are never shortened.
        drops: whether whole turns may go.
        truncates_newest: whether even the newest user turn is shortened where it does not fit.
        on_overflow: "raise" where what must stay does not fit, or "return" it with
            `report.fits == False`.
    """

    keep_recent: int = 6
    low_water: float = LOW_WATER
    min_characters: int = 200
    drops: bool = True
    truncates_newest: bool = False
    on_overflow: Overflow = "raise"

    def __post_init__(self) -> None:
        name = type(self).__name__
        checks.whole(f"{name}.keep_recent", self.keep_recent)
        checks.number(f"{name}.low_water", self.low_water, least=0, most=1)
        checks.whole(f"{name}.min_characters", self.min_characters, least=1)
        checks.flag(f"{name}.drops", self.drops)
        checks.flag(f"{name}.truncates_newest", self.truncates_newest)
        checks.choice(f"{name}.on_overflow", self.on_overflow, OVERFLOWS)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> HistoryOptions:
        """Return the options that `mapping` describes; unknown keys are refused."""
        return cls(**checks.known_keys(cls, mapping))

    def to_mapping(self) -> dict[str, object]:
        """Return the options as JSON-able data; `from_mapping` makes them again."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class HistoryCompaction:
    """A history that was brought into a budget.

    Attributes:
        segments: what is left of it, in order, as a service takes it.
        report: the account. It counts the segments that were given, not the results put in.
    """

    segments: tuple[Segment, ...] = field(repr=False)
    report: ViewReport

    @property
    def fits(self) -> bool:
        """Whether the history keeps to its budget."""
        return self.report.fits

    def summary(self) -> str:
        """Return one line of figures, without any content."""
        return self.report.summary()

    def metadata(self) -> dict[str, object]:
        """Return all figures as JSON-able data, without any content."""
        return self.report.metadata()

    def event(self) -> ContextReduced:
        """Return the event that tells of this result."""
        return self.report.event()


def compact_history(
    segments: Sequence[Segment],
    budget: Budget,
    *,
    counter: TokenCounter | None = None,
    tools: Sequence[Mapping[str, object]] = (),
    options: HistoryOptions = HistoryOptions(),
) -> HistoryCompaction:
    """Return `segments`, compacted as far as `budget` demands and no further.

    Old tool results are shortened first, then arguments of calls, then other texts, and then whole
    turns are dropped, always from the oldest on. What is shortened keeps its beginning and its end
    around a marker that says how much is missing. Calls and their results stay together.

    What comes back can be sent, also where all fits as it is: every call is directly followed by
    its results. A result that came late moves up to its call, and a second one becomes text. A call
    that the conversation went on without gets a result that says there is none; one at the end is
    left as it is, for its result to come. A result without a call is left out.

    >>> history = [Segment("Be brief.", "system", "system"), Segment("Hello!")]
    >>> compact_history(history, Budget(max_tokens=100)).segments == tuple(history)
    True

    Args:
        segments: the history, such as `from_openai_chat(messages)` gives.
        budget: tokens for the request, framing and tool schemas included.
        counter: exact o200k by default.
        tools: schemas that go along with the request.
        options: what may go, and in which order.

    Raises:
        BudgetExceededError: what has to stay does not fit.
        ConfigurationError: an argument is not of its type.
        UnknownWindowError: the budget has no ceiling.
    """
    checks.instance("options", options, HistoryOptions)
    view = compacted(View.of(segments, counter=counter, tools=tools), budget, options)
    return HistoryCompaction(view.messages, view.report)


def compacted(
    view: View, budget: Budget, options: HistoryOptions, *, policy: str = "compact_history"
) -> View:
    """Return `view`, compacted as `compact_history` does.

    Raises:
        BudgetExceededError: what has to stay does not fit.
        UnknownWindowError: the budget has no ceiling.
    """
    with view.accounted():
        return _compacted(view, budget, options, policy)


def _compacted(view: View, budget: Budget, options: HistoryOptions, policy: str) -> View:
    if fits(view, budget):
        return untouched(view, budget)
    manners = [_manner(options, keep) for keep in dict.fromkeys((options.keep_recent, 1))]
    made = make_room(view, budget, *manners)
    if made is None:
        made = _squeezed(view, budget, options, manners)
    if made is not None:
        return settled(view, *made, budget, policy)
    least, change = everything(view, manners[-1])
    if options.on_overflow == "return":
        return settled(view, least, change, budget, policy)
    raise over_budget(least, budget, policy)


def _squeezed(
    view: View, budget: Budget, options: HistoryOptions, manners: Sequence[Manner]
) -> tuple[View, Change] | None:
    """Return the view with what has to stay shortened too, or None where that is not enough.

    It leaves some room for the turns before, if it can.
    """
    least, cut = everything(view, manners[-1])
    for room in dict.fromkeys((_part(budget), budget)):
        made = squeezed(least, room, newest=options.truncates_newest, bare=room == budget)
        if made is not None:
            return _refilled(view, budget, manners, cut, made[1])
    return None


def _refilled(
    view: View, budget: Budget, manners: Sequence[Manner], cut: Change, shorter: Change
) -> tuple[View, Change] | None:
    """Return the view with `shorter` in the place of what `cut` left of it, and room made."""
    segments = list(view.segments)
    for position, segment in zip(cut.positions, shorter.segments, strict=True):
        segments[position] = segment
    change = Change(tuple(segments), tuple(range(len(segments))))
    whole = changed(view, change)
    made = (whole, change) if fits(whole, budget) else make_room(whole, budget, *manners)
    if made is None:
        return None
    new, change = made
    pairs = enumerate(zip(new.segments, change.positions, strict=True))
    elided = tuple(at for at, (one, index) in pairs if one is not view.segments[index])
    change = replace(change, elided=elided)
    return changed(view, change), change


def _part(budget: Budget) -> Budget:
    """Return the budget of what is shortened to leave room for other turns."""
    if budget.max_tokens is None or not budget.available:
        return budget
    return replace(budget, max_tokens=budget.max_tokens - int(budget.available * (1 - _PART)))


def _manner(options: HistoryOptions, keep_recent: int) -> Manner:
    kinds = (frozenset({"tool_result"}), frozenset({"tool_call"}), _TEXTS)
    rewrites = tuple(Elide(one, options.min_characters) for one in kinds)
    return Manner(
        rewrites, drops=options.drops, low_water=options.low_water, keep_recent=keep_recent
    )
