"""The settings of a ranking: strict, and data in and out."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.rank import RankOptions
from tests.rank.corpora import options, quick


@quick
@given(options)
def test_options_come_back_from_json(settings: RankOptions) -> None:
    assert RankOptions.from_mapping(json.loads(json.dumps(settings.to_mapping()))) == settings


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="b_weight"):
        RankOptions.from_mapping({"b_weight": 1})
    with pytest.raises(ConfigurationError, match="mapping"):
        RankOptions.from_mapping([])  # type: ignore[arg-type]


@pytest.mark.parametrize("name", RankOptions().to_mapping())
@pytest.mark.parametrize("value", [math.nan, math.inf, -1, "1", None, 1e300])
def test_every_setting_has_a_range(name: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=rf"RankOptions\.{name}"):
        RankOptions.from_mapping({name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("length_penalty", 1.1),
        ("expansion_weight", 2),
        ("salience_iterations", 0),
        ("feedback_documents", 0),
        ("stem", 1),
        ("expansion_rounds", True),
        ("path_weight", False),
    ],
)
def test_single_ranges(name: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=name):
        RankOptions.from_mapping({name: value})
