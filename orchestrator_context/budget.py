"""How much a result may take: a window of tokens and what is kept free of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError

WindowSource = Literal["given", "catalog", "service", "unknown"]

WINDOW_SOURCES: Final[tuple[WindowSource, ...]] = ("given", "catalog", "service", "unknown")

_OUTPUT_RESERVE: Final = 4096
_HEADROOM_PERCENT: Final = 5
_LEAST_HEADROOM: Final = 256
_MOST_HEADROOM: Final = 8192


@dataclass(frozen=True, slots=True)
class Budget:
    """Ceilings for a result. None means that this ceiling is not set, or not known.

    Nothing is kept free unless it is named here; `Budget.of` takes what is usual off a window.

    Attributes:
        max_tokens: the whole window in tokens, or None while it is unknown.
        output_reserve: tokens of the window kept free for the answer.
        max_bytes: UTF-8 bytes of the result.
        max_items: documents or segments in the result.
        headroom: tokens of the window kept free for what is counted wrong.
        window_source: where `max_tokens` comes from: "given" by the caller, the "catalog" of known
            models, or the "service" that serves the model; "unknown" if and only if it is None.
            Budgets that differ in nothing else are equal.

    Raises:
        ConfigurationError: a value is not a whole number, or below its least, or what is kept free
            leaves nothing of the window.
    """

    max_tokens: int | None = None
    output_reserve: int = 0
    max_bytes: int | None = None
    max_items: int | None = None
    headroom: int = 0
    window_source: WindowSource = field(default="given", compare=False)

    def __post_init__(self) -> None:
        checks.whole_or_none("Budget.max_tokens", self.max_tokens, least=1)
        checks.whole("Budget.output_reserve", self.output_reserve)
        checks.whole_or_none("Budget.max_bytes", self.max_bytes, least=1)
        checks.whole_or_none("Budget.max_items", self.max_items, least=1)
        checks.whole("Budget.headroom", self.headroom)
        checks.choice("Budget.window_source", self.window_source, WINDOW_SOURCES)
        _need_room(self.max_tokens, self.output_reserve, self.headroom)
        if self.max_tokens is None:
            object.__setattr__(self, "window_source", "unknown")
        elif self.window_source == "unknown":
            object.__setattr__(self, "window_source", "given")

    @classmethod
    def of(
        cls,
        window: int | None,
        *,
        output_reserve: int | None = None,
        headroom: int | None = None,
        max_bytes: int | None = None,
        max_items: int | None = None,
        window_source: WindowSource = "given",
    ) -> Budget:
        """Return the budget of a context window, with the usual tokens kept free.

        >>> Budget.of(128_000).available
        117504
        >>> Budget.of(2_000).available
        750
        >>> Budget.of(None).available is None
        True

        With a `ModelProfile`: `Budget.of(profile.window, window_source=profile.window_source)`.

        Args:
            window: context window in tokens, input and output together, or None where unknown;
                then the budget is unknown too, and nothing is made up.
            output_reserve: tokens for the answer; by default 4,096, but no more than half of the
                window.
            headroom: tokens for counting errors; by default 5 % of the window, rounded up, at
                least 256 and at most 8,192, but no more than a quarter of what the answer leaves.
                With an exact counter, 0 will do.
            max_bytes: as in `Budget`.
            max_items: as in `Budget`.
            window_source: where the window comes from.

        By default at least three eighths of any window are left, and of one token, that token. A
        reserve that is given is kept as it is.

        Raises:
            ConfigurationError: as in `Budget`.
        """
        checks.whole_or_none("window", window, least=1)
        if output_reserve is None:
            output_reserve = min(
                _OUTPUT_RESERVE, _OUTPUT_RESERVE if window is None else window // 2
            )
        checks.whole("Budget.output_reserve", output_reserve)
        if headroom is None:
            headroom = 0 if window is None else _headroom(window, output_reserve)
        return cls(window, output_reserve, max_bytes, max_items, headroom, window_source)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Budget:
        """Return the budget that `mapping` describes; unknown keys are refused.

        >>> Budget.from_mapping({"max_tokens": 8_000, "output_reserve": 500}).available
        7500

        Raises:
            ConfigurationError: a key is unknown, or a value cannot be used.
        """
        return cls(**checks.known_keys(cls, mapping))

    @property
    def available(self) -> int | None:
        """Tokens left for input, at least 1; None while the window is unknown."""
        if self.max_tokens is None:
            return None
        return self.max_tokens - self.output_reserve - self.headroom

    def fits(self, tokens: int) -> bool | None:
        """Return whether `tokens` of input fit; None while the window is unknown."""
        return None if self.available is None else tokens <= self.available

    def remaining(self, tokens: int) -> int | None:
        """Return how many tokens are left beside `tokens` of input; None while that is unknown.

        Below 0, it is what is too much.
        """
        return None if self.available is None else self.available - tokens


def _need_room(max_tokens: int | None, output_reserve: int, headroom: int) -> None:
    kept = output_reserve + headroom
    if max_tokens is not None and kept >= max_tokens:
        raise ConfigurationError(
            f"Budget.max_tokens of {checks.shown(max_tokens)} leaves nothing beside output_reserve "
            f"of {checks.shown(output_reserve)} and headroom of {checks.shown(headroom)}; it must "
            f"be at least {checks.shown(kept + 1)}, or these smaller"
        )


def _headroom(window: int, output_reserve: int) -> int:
    share = -(-window * _HEADROOM_PERCENT // 100)
    left = max(0, window - output_reserve)
    return min(max(share, _LEAST_HEADROOM), _MOST_HEADROOM, left // 4)
