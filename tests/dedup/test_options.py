"""The settings of deduplication are strict."""

from __future__ import annotations

import pytest

from orchestrator_context.dedup import DedupOptions
from orchestrator_context.exceptions import ConfigurationError


def test_options_survive_a_mapping() -> None:
    options = DedupOptions(threshold=0.9, shingle_words=3, min_shingles=4)
    assert DedupOptions.from_mapping(options.to_mapping()) == options
    assert DedupOptions.from_mapping({}) == DedupOptions()
    assert DedupOptions().threshold is None


@pytest.mark.parametrize(
    "mapping",
    [
        {"threshold": 0},
        {"threshold": 1.01},
        {"threshold": True},
        {"threshold": float("nan")},
        {"shingle_words": 0},
        {"min_shingles": 0},
        {"min_shingles": 2.5},
        {"min_paragraph_characters": 0},
        {"thresold": 0.9},
    ],
)
def test_what_cannot_be_used_is_refused(mapping: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        DedupOptions.from_mapping(mapping)
