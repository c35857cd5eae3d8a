"""What a context policy is, and what all of them share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from inspect import signature
from typing import Any, ClassVar, Final, Literal, Protocol, TypeVar, cast, runtime_checkable

from anyio import to_thread

from orchestrator_context import checks
from orchestrator_context.conversation.fitting import Manner, everything, make_room
from orchestrator_context.conversation.jsonable import DEEPEST
from orchestrator_context.conversation.room import fits, settled, untouched
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import BudgetExceededError, ConfigurationError
from orchestrator_context.models import Budget
from orchestrator_context.plugins import POLICIES, load_plugin

Overflow = Literal["raise", "return"]
Result = TypeVar("Result")

OVERFLOWS: tuple[Overflow, ...] = ("raise", "return")
GIVEN: Final = "given"
"""What stands in a description for a setting that cannot be described."""

_WITHOUT = ("", "strict")  # policies that take nothing away
_MORE = (
    "let the newest turn be shortened too, as ElideMiddle and HistoryOptions do if truncates_newest"
)
_WAYS_OUT = dict.fromkeys(_WITHOUT, "pass a policy that makes room, such as ElideMiddle()") | {
    "offload": 'go on with a policy that drops: Chain(Offload(store), ElideMiddle(), mode="each")'
}
_INLINE = 50_000  # characters to count, which takes a few milliseconds
_FOR_SEGMENT = 10  # characters that take as long to count as a segment takes to be put in place


@runtime_checkable
class ContextPolicy(Protocol):
    """Brings a view into its budget. Everything in `orchestrator_context.policies` is one.

    What `fit` gives back fits, as counted on its final messages with tool schemas; or it says
    `report.fits == False`, where the policy was told to return rather than to raise.
    """

    kind: ClassVar[str]

    async def fit(self, view: View, budget: Budget) -> View:
        """Return `view`, or what is left of it, with its account in `report`.

        Raises:
            BudgetExceededError: what has to stay is more than there is room for.
            UnknownWindowError: the budget has no ceiling.
        """
        ...

    def to_mapping(self) -> dict[str, object]:
        """Return the kind and the settings as JSON-able data; `policy_from_mapping` reads it."""
        ...


async def in_background(view: View, work: Callable[[View], Result]) -> Result:
    """Return `work(view)`, from a worker thread where it may take long.

    That is where much has yet to be counted, where there are thousands of segments, or where
    another view of the same participant is being fitted in a thread. A call that is cancelled
    returns at once; the thread it leaves behind works to the end.
    """
    checks.instance("view", view, View, "View.of(segments)")

    def alone() -> Result:
        with view.lock:
            return work(view)

    work_size = view.uncounted + _FOR_SEGMENT * len(view)
    if work_size <= _INLINE and view.lock.acquire(blocking=False):
        try:
            return work(view)
        finally:
            view.lock.release()
    return await to_thread.run_sync(alone, abandon_on_cancel=True)


def trimmed(
    view: View, budget: Budget, manner: Manner, *, policy: str, on_overflow: Overflow = "raise"
) -> View:
    """Return `view` if it fits, or with as much cut as it must.

    Raises:
        BudgetExceededError: what is left is still too much, and `on_overflow` says to raise.
        UnknownWindowError: the budget has no ceiling.
    """
    with view.accounted():
        if fits(view, budget):
            return untouched(view, budget)
        made = make_room(view, budget, manner)
        if made is not None:
            return settled(view, *made, budget, policy)
        least, change = everything(view, manner)
        if on_overflow == "return":
            return settled(view, least, change, budget, policy)
        raise over_budget(least, budget, policy)


class _Settings(ContextPolicy, Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


def settings(policy: _Settings) -> dict[str, object]:
    """Return the kind and the fields of a policy that is a dataclass of plain values."""
    named: dict[str, object] = {one.name: getattr(policy, one.name) for one in fields(policy)}
    return {"kind": policy.kind} | named


def policy_from_mapping(mapping: object, /, **given: object) -> ContextPolicy:
    """Return the policy that `to_mapping` described: its kind, and its settings.

    >>> policy_from_mapping({"kind": "sliding_window", "keep_last": 4}).kind
    'sliding_window'

    A kind is the name of an entry point in the group `orchestrator_context.policies`. Whatever
    cannot be described, such as a model that summarises, is "given" in the description, and has
    to be given again: `policy_from_mapping(mapping, summarizer=model)`.

    Args:
        mapping: the description.
        given: takes the place of every setting of its name that is "given", also in the policies
            of a chain.

    Raises:
        ConfigurationError: it is no mapping or more than 64 values deep, the kind is missing or
            unknown, a setting is unknown or cannot be used, what has to be given is not, or
            nothing asks for what is given.
    """
    if not isinstance(mapping, Mapping):
        raise ConfigurationError(
            f"A policy is described by a mapping, not {type(mapping).__name__}: "
            f'{{"kind": "drop_oldest"}}'
        )
    asked = set[str]()
    filled = _filled(cast("Mapping[object, object]", mapping), given, asked)
    settings = dict(cast("Mapping[str, object]", filled))
    for name in given.keys() - asked:
        raise ConfigurationError(f"No setting {name!r} of the policy is {GIVEN!r}; leave it out")
    if "kind" not in settings:
        raise ConfigurationError(
            'The description of a policy has no "kind"; add one, such as {"kind": "drop_oldest"}'
        )
    kind = settings.pop("kind")
    make = load_plugin(POLICIES, checks.text("kind of the policy", kind, blank=False))
    from_mapping = getattr(make, "from_mapping", None)
    policy = _made(kind, make, settings) if from_mapping is None else from_mapping(settings)
    if not isinstance(policy, ContextPolicy):
        raise ConfigurationError(f"What is installed as {kind!r} is no policy")
    return policy


def _filled(value: object, given: Mapping[str, object], asked: set[str], depth: int = 0) -> object:
    """Return a description with what is given in its place; `asked` gets its names."""
    if depth > DEEPEST:
        raise ConfigurationError(f"The description of the policy is more than {DEEPEST} deep")
    if isinstance(value, list | tuple):
        items = cast("Sequence[object]", value)
        return [_filled(item, given, asked, depth + 1) for item in items]
    if not isinstance(value, Mapping):
        return value
    filled = dict[object, object]()
    for key, item in cast("Mapping[object, object]", value).items():
        if isinstance(item, str) and item == GIVEN and key in given:
            asked.add(str(key))
            item = given[str(key)]
        filled[key] = _filled(item, given, asked, depth + 1)
    return filled


def _made(kind: object, make: Callable[..., object], given: dict[str, object]) -> object:
    if is_dataclass(cast("object", make)):
        given = checks.known_keys(cast("type", make), given)
    try:
        signature(make).bind(**given)
    except TypeError as error:
        raise ConfigurationError(f"The policy {kind!r} cannot be made: {error}") from error
    return make(**given)


def over_budget(view: View, budget: Budget, policy: str) -> BudgetExceededError:
    """Return the error that says how much `view` needs, how much there is, and what to do.

    Args:
        view: with all taken away that may go.
        budget: what it does not fit.
        policy: kind of the policy that took it away; "" where there is none.
    """
    whose = f" of {view.participant}" if view.participant else ""
    room = budget.available
    if room is None or view.tokens <= room:
        limits = {"bytes": budget.max_bytes, "messages": budget.max_items}
        said = (f"{most} {what}" for what, most in limits.items() if most is not None)
        size = f"does not fit {' and '.join(said)}"
    else:
        kept_free = budget.output_reserve + budget.headroom
        size = f"needs {view.tokens} tokens, and there is room for {room}"
        size += f" ({budget.max_tokens} less {kept_free} kept free)" if kept_free else ""
    left = "" if policy in _WITHOUT else f", even without all that {policy} may take away"
    way_out = _WAYS_OUT.get(policy, _MORE)
    return BudgetExceededError(
        f"The view{whose} {size}{left}. Raise the budget, shorten what has to stay, or {way_out}",
        needed=view.tokens,
        available=room or 0,
    )
