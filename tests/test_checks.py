"""Checks give the value back or name the field."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError, ContextError

ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.binary(),
    st.lists(st.none()),
)


@given(ANYTHING, st.integers(-5, 5))
def test_whole(value: object, least: int) -> None:
    if type(value) is int and value >= least:
        assert checks.whole("field", value, least=least) is value
    else:
        with pytest.raises(ConfigurationError, match=rf"^field must .* at least {least}, not"):
            checks.whole("field", value, least=least)


@given(ANYTHING, st.booleans())
def test_number(value: object, above: bool) -> None:
    real = isinstance(value, int | float) and not isinstance(value, bool)
    if real and 0 <= value <= 9 and (value > 0 or not above):  # type: ignore[operator]
        found = checks.number("field", value, most=9, above=above)
        assert type(found) is float
        assert found == value
    else:
        with pytest.raises(ConfigurationError, match=r"^field must be a finite number"):
            checks.number("field", value, most=9, above=above)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 10**400, -(10**400), True])
def test_no_number_is_infinite(bad: object) -> None:
    with pytest.raises(ConfigurationError, match=r"^field "):
        checks.number("field", bad)


def test_the_message_tells_the_range() -> None:
    with pytest.raises(ConfigurationError, match="above 0 and at most 1, not 2"):
        checks.number("field", 2, most=1, above=True)
    with pytest.raises(ConfigurationError, match=r"of at least 0.5, not 0"):
        checks.number("field", 0, least=0.5)


def test_none_where_it_is_allowed() -> None:
    assert checks.whole_or_none("field", None) is None
    assert checks.whole_or_none("field", 3) == 3
    assert checks.number_or_none("field", None) is None
    assert checks.number_or_none("field", 3) == 3.0
    with pytest.raises(ConfigurationError, match="field"):
        checks.whole_or_none("field", -1)
    with pytest.raises(ConfigurationError, match="field"):
        checks.number_or_none("field", 0, above=True)


@given(ANYTHING)
def test_choice(value: object) -> None:
    allowed = ("a", "b", "")
    if value in allowed:
        assert checks.choice("field", value, allowed) == value
    else:
        with pytest.raises(ConfigurationError, match=r"^field must be one of a, b, "):
            checks.choice("field", value, allowed)


@given(ANYTHING)
def test_text(value: object) -> None:
    if isinstance(value, str):
        assert checks.text("field", value) is value
    else:
        with pytest.raises(ConfigurationError, match=r"^field must be a str, not "):
            checks.text("field", value)


@pytest.mark.parametrize("blank", ["", " ", "\n\t\u2003"])
def test_blank_text(blank: str) -> None:
    assert checks.text("field", blank) == blank
    with pytest.raises(ConfigurationError, match=r"^field must not be blank"):
        checks.text("field", blank, blank=False)


def test_the_refusal_of_a_text_does_not_quote_what_was_given() -> None:
    with pytest.raises(ConfigurationError) as caught:
        checks.text("field", b"secret")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ("low", "'low'"),
        ("gpt-5.1:mini", "'gpt-5.1:mini'"),
        ("", "''"),
        (-3, "-3"),
        (None, "None"),
        (2.5, "2.5"),
        (True, "True"),
        ("The pump leaks.", "a str of 15 characters"),
        ("k" * 25, "a str of 25 characters"),
        (b"secret", "bytes"),
        (["secret"], "list"),
        ({"secret": 1}, "dict"),
        (dict, "the class dict"),
    ],
)
def test_a_refusal_quotes_settings_and_never_content(value: object, quoted: str) -> None:
    def refused(check: Callable[[], object]) -> str:
        with pytest.raises(ConfigurationError) as caught:
            check()
        return str(caught.value)

    assert checks.shown(value) == quoted
    assert refused(lambda: checks.choice("field", value, ("a", "b"))) == (
        f"field must be one of a, b, not {quoted}"
    )
    if not isinstance(value, int | float) or value is True:
        assert refused(lambda: checks.whole("field", value)).endswith(f", not {quoted}")
        assert refused(lambda: checks.number("field", value)).endswith(f", not {quoted}")
    if value is not True:
        assert refused(lambda: checks.flag("field", value)).endswith(f"not {quoted}")


def test_a_number_too_long_to_be_written_out_is_refused_all_the_same() -> None:
    with pytest.raises(ConfigurationError, match=r"at least 0, not one of 16610 bits$"):
        checks.whole("field", -(10**5_000))
    with pytest.raises(ConfigurationError, match=r"not one of 16610 bits$"):
        checks.number("field", 10**5_000)


@given(ANYTHING)
def test_flag(value: object) -> None:
    if isinstance(value, bool):
        assert checks.flag("field", value) is value
    else:
        with pytest.raises(ConfigurationError, match=r"^field must be True or False"):
            checks.flag("field", value)


@dataclass
class Settings:
    needed: int
    given: int = 1
    made: list[int] = field(default_factory=list)
    computed: int = field(init=False, default=0)


def test_the_sort_of_a_value_does_not_quote_it() -> None:
    assert checks.sort_of("a key") == "str"
    assert checks.sort_of(None) == "NoneType"
    assert checks.sort_of(dict) == "the class dict"


def test_known_keys() -> None:
    mapping = {"needed": 1, "made": [2]}
    found = checks.known_keys(Settings, mapping)
    assert found == mapping
    assert found is not mapping


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"needed": 1, "extra": 2}, "Settings has no setting 'extra'; it has needed, given, made"),
        ({"needed": 1, "computed": 2}, "no setting 'computed'"),
        ({"needed": 1, 2: 3, "extra": 4}, "no setting 2"),
        ({"given": 1}, "Settings needs a value for 'needed'"),
        ({"needed": 1, "What was said.": 2}, "no setting a str of 14 characters; it has needed"),
    ],
)
def test_unknown_and_missing_keys(mapping: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        checks.known_keys(Settings, mapping)


@pytest.mark.parametrize("mapping", [None, 5, "needed", [("needed", 1)]])
def test_what_is_no_mapping(mapping: Any) -> None:
    with pytest.raises(ConfigurationError, match="from a mapping"):
        checks.known_keys(Settings, mapping)


def test_a_refusal_is_a_value_error_and_one_of_ours() -> None:
    assert issubclass(ConfigurationError, ValueError)
    assert issubclass(ConfigurationError, ContextError)
