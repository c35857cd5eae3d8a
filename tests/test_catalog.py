from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date
from datetime import time as hour
from decimal import Decimal
from typing import Any

import pytest
from genai_prices.types import (
    ClauseEquals,
    ConditionalPrice,
    ModelInfo,
    ModelPrice,
    StartDateConstraint,
    Tier,
    TieredPrices,
    TimeOfDateConstraint,
)
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.catalog import _highest_price, model_profile
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Price
from orchestrator_context.tokens import token_counter


@pytest.mark.parametrize(
    ("name", "window", "price"),
    [
        ("gpt-4o", 128_000, Price(2.5, 10.0)),
        ("gpt-3.5-turbo", 16_385, Price(0.5, 1.5)),
        ("claude-3-haiku-20240307", 200_000, Price(0.25, 1.25)),
        ("claude-sonnet-4-5", 200_000, Price(3.0, 15.0)),
    ],
)
def test_known_models(name: str, window: int, price: Price) -> None:
    profile = model_profile(name)
    assert (profile.name, profile.window, profile.price) == (name, window, price)
    assert profile.counter.name == token_counter(name).name


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("openai/gpt-4o", "gpt-4o"),
        ("openrouter/openai/gpt-4o", "gpt-4o"),
        ("openai:gpt-4o", "gpt-4o"),
        ("GPT-4o", "gpt-4o"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("anthropic/claude-3-haiku-20240307", "claude-3-haiku-20240307"),
        ("us.anthropic.claude-3-haiku-20240307-v1:0", "claude-3-haiku-20240307"),
        ("anthropic.claude-3-haiku-20240307-v1:0", "claude-3-haiku-20240307"),
    ],
)
def test_names_of_gateways_are_understood(written: str, plain: str) -> None:
    profile, expected = model_profile(written), model_profile(plain)
    assert profile.name == written
    assert (profile.window, profile.price) == (expected.window, expected.price)
    assert profile.price is not None
    assert profile.counter.name == expected.counter.name


def model_at(*prices: ConditionalPrice) -> ModelInfo:
    return ModelInfo(id="m", match=ClauseEquals(equals="m"), prices=list(prices))


def rates(
    price: float, constraint: StartDateConstraint | TimeOfDateConstraint | None = None
) -> ConditionalPrice:
    both = {"input_mtok": Decimal(price), "output_mtok": Decimal(2 * price)}
    return ConditionalPrice(constraint=constraint, prices=ModelPrice(**both))


NIGHT = TimeOfDateConstraint(start_time=hour(1, tzinfo=UTC), end_time=hour(4, tzinfo=UTC))
PAST = StartDateConstraint(start_date=date(2024, 1, 1))
FUTURE = StartDateConstraint(start_date=date(9999, 1, 1))


@pytest.mark.parametrize(
    ("model", "price"),
    [
        (model_at(rates(3.0)), 3.0),
        (model_at(rates(3.0), rates(1.0, PAST)), 1.0),
        (model_at(rates(3.0), rates(9.0, FUTURE)), 3.0),
        (model_at(rates(3.0), rates(5.0, NIGHT)), 5.0),
        (model_at(rates(3.0), rates(1.0, NIGHT)), 3.0),
        (model_at(rates(9.0), rates(1.0, PAST), rates(2.0, NIGHT), rates(7.0, FUTURE)), 2.0),
    ],
)
def test_the_price_is_the_highest_in_force(model: ModelInfo, price: float) -> None:
    assert _highest_price(model) == Price(price, 2 * price)


def test_a_price_in_tiers_is_the_highest() -> None:
    tiers = TieredPrices(Decimal(1), [Tier(200_000, Decimal(2)), Tier(500_000, Decimal("1.5"))])
    prices = ModelPrice(input_mtok=tiers, output_mtok=Decimal(4))
    model = ModelInfo(id="m", match=ClauseEquals(equals="m"), prices=prices)
    assert _highest_price(model) == Price(2.0, 4.0)


@pytest.mark.parametrize(
    ("window", "price"),
    [(100_000, 1.0), (200_000, 1.0), (200_001, 2.0), (1_000_000, 3.0), (None, 3.0)],
)
def test_a_tier_that_no_prompt_can_reach_has_no_part_in_the_price(
    window: int | None, price: float
) -> None:
    tiers = TieredPrices(Decimal(1), [Tier(200_000, Decimal(2)), Tier(500_000, Decimal(3))])
    prices = ModelPrice(input_mtok=tiers, output_mtok=Decimal(4))
    model = ModelInfo(id="m", match=ClauseEquals(equals="m"), prices=prices)
    assert _highest_price(model, window) == Price(price, 4.0)


def test_half_a_price_is_none() -> None:
    prices = ModelPrice(input_mtok=Decimal(1))
    model = ModelInfo(id="m", match=ClauseEquals(equals="m"), prices=prices)
    assert _highest_price(model) is None


def test_a_fine_tuned_model_has_a_window_and_a_price_of_its_own() -> None:
    profile = model_profile("ft:gpt-4o-mini-2024-07-18:acme::x")
    assert (profile.window, profile.price) == (128_000, None)
    assert profile.counter.exact


@pytest.mark.parametrize("name", ["llama3.1:8b", "gpt-oss:20b", "nonsense", "my/own-model", ":"])
def test_what_is_not_known_stays_unknown(name: str) -> None:
    profile = model_profile(name)
    assert (profile.window, profile.price) == (None, None)


def test_given_values_win() -> None:
    counter = token_counter(len)
    profile = model_profile("gpt-4o", window=1_000, counter=counter, price=Price(1.0, 2.0))
    assert (profile.window, profile.price, profile.counter) == (1_000, Price(1.0, 2.0), counter)


@given(name=st.text(min_size=1).filter(str.strip))
def test_no_name_raises(name: str) -> None:
    assert model_profile(name).name == name


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_no_name_is_refused(name: object) -> None:
    with pytest.raises(ConfigurationError, match="name"):
        model_profile(name)  # type: ignore[arg-type]


@pytest.mark.parametrize("window", [0, -1, True, 1.5])
def test_a_window_is_a_positive_whole_number(window: object) -> None:
    with pytest.raises(ConfigurationError, match="window"):
        model_profile("gpt-4o", window=window)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "arguments", [{"counter": 5}, {"counter": len}, {"price": 0.5}, {"price": (1, 2)}]
)
def test_counters_and_prices_are_what_they_should_be(arguments: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=f"{next(iter(arguments))} must be a"):
        model_profile("gpt-4o", **arguments)


def test_prices_are_read_only_when_asked_for() -> None:
    code = (
        "import sys, orchestrator_context.catalog\nprint('genai_prices' in sys.modules)\n"
        "orchestrator_context.catalog.model_profile('gpt-4o', window=1, "
        "price=orchestrator_context.catalog.Price(1.0, 1.0))\nprint('genai_prices' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "False"]
