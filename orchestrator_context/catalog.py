"""What is known of a model by its name: how to count its tokens, its window and its price.

Windows and prices are those of the `genai-prices` package, read from its wheel without any call.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from orchestrator_context import checks
from orchestrator_context.budget import WindowSource
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Price
from orchestrator_context.protocols import ModelProfile, TokenCounter
from orchestrator_context.tokens import token_counter
from orchestrator_context.tokens.names import ModelName, parse_model_name

_GPT5_WINDOW, _GPT5_INPUT = 400_000, 272_000
_COHERE_WINDOWS = (
    ("command-a-03-2025", 256_000),
    ("command-r7b", 128_000),
    ("command-r-plus", 128_000),
    ("command-r", 128_000),
)

if TYPE_CHECKING:
    from decimal import Decimal

    from genai_prices.types import ModelInfo, ModelPrice, TieredPrices


def model_profile(
    name: str,
    *,
    window: int | None = None,
    counter: TokenCounter | None = None,
    price: Price | None = None,
) -> ModelProfile:
    """Return what is known of the model `name`; values that are given win over the catalogue.

    >>> model_profile("gpt-4o").window
    128000
    >>> model_profile("gpt-4o", window=32_000).window
    32000

    Nothing is guessed: the window and the price of an unknown name stay None, and so do those of a
    name with a tag (`llama3.1:8b`), which depend on who serves it and how, and the price of a
    fine-tuned model. The price is the highest one in force: at the dearest time of day, that of the
    last tier which a prompt that fits the window can reach.

    Raises:
        ConfigurationError: `name` is blank, `window` is no positive whole number, or `counter` or
            `price` is something else.
    """
    checks.text("name", name, blank=False)
    checks.whole_or_none("window", window, least=1)
    if not isinstance(counter, TokenCounter | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigurationError(
            f"counter must be a TokenCounter, not {type(counter).__name__}; token_counter makes one"
        )
    if not isinstance(price, Price | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigurationError(f"price must be a Price, not {type(price).__name__}")
    window_source: WindowSource = "catalog" if window is None else "given"
    parts = parse_model_name(name)
    known = _find(parts) if (window is None or price is None) and not parts.tag else None
    if window is None and not parts.tag:
        window = _window(parts.model, known.context_window if known else None)
    if known is not None and price is None and not parts.fine_tuned:
        price = _highest_price(known, window)
    return ModelProfile(
        name, counter or token_counter(name), window, price, window_source=window_source
    )


def _window(model: str, known: int | None) -> int | None:
    """Return a window that input may fill.

    Of the 400,000 tokens of GPT-5 models, 128,000 are for output alone ("Introducing GPT-5 for
    developers", OpenAI, 2025). Cohere's windows are missing in the data; these are those of its
    documentation ("Models").
    """
    if known == _GPT5_WINDOW:
        return _GPT5_INPUT
    if known is None:
        return next((size for name, size in _COHERE_WINDOWS if model.startswith(name)), None)
    return known


@cache
def _find(name: ModelName) -> ModelInfo | None:
    from genai_prices.data_snapshot import get_snapshot

    for vendor in (name.vendor or None, None):  # the one who serves it, then the one who made it
        try:
            return get_snapshot().find_provider_model(name.model, None, vendor, None)[1]
        except LookupError:
            continue
    return None


def _highest_price(model: ModelInfo, window: int | None = None) -> Price | None:
    prices = _prices_in_force(model)
    inputs = [rate for price in prices if (rate := _rate(price.input_mtok, window)) is not None]
    outputs = [rate for price in prices if (rate := _rate(price.output_mtok, window)) is not None]
    return Price(max(inputs), max(outputs)) if inputs and outputs else None


def _prices_in_force(model: ModelInfo) -> list[ModelPrice]:
    from genai_prices.types import StartDateConstraint, TimeOfDateConstraint

    if not isinstance(model.prices, list):
        return [model.prices]
    now = datetime.now(UTC)
    hourly = [p for p in model.prices if isinstance(p.constraint, TimeOfDateConstraint)]
    dated = [
        p
        for p in model.prices
        if p.constraint is None
        or (isinstance(p.constraint, StartDateConstraint) and p.constraint.active(now))
    ]
    return [p.prices for p in hourly + dated[-1:]]


def _rate(price: Decimal | TieredPrices | None, window: int | None) -> float | None:
    from genai_prices.types import TieredPrices

    if isinstance(price, TieredPrices):
        reached = [tier.price for tier in price.tiers if window is None or tier.start < window]
        return float(max((price.base, *reached)))
    return None if price is None else float(price)
