"""Shorter forms say the same with fewer words, and never with others."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.conversation.digest.shortening import LEVELS, shortened

WORDS = st.sampled_from(
    """please never the a is not must only 300 $5 ab-12 because , . ; ( ) so that which server by
    the way, from now on limit der ist nicht le la pas 不要 的 端口 8080""".split()
)


@pytest.mark.parametrize(
    ("level", "text", "short"),
    [
        (1, "By the way, please note that the port is 8080.", "the port is 8080"),
        (1, "Quick update: keep it under 5 MB from now on.", "keep it under 5 MB"),
        (1, "Übrigens, der Port ist 8080.", "der Port ist 8080"),
        (1, "顺便说一下，端口是8080。", "端口是8080"),
        (1, "Decision: we take the red one.", "we take the red one"),
        (1, "Deploys: only on Fridays.", "Deploys: only on Fridays"),
        (2, "The port of the server is 8080.", "port of server 8080"),
        (2, "The port is not 8080.", "port is not 8080"),
        (2, "Der Port ist nicht 8080.", "Port ist nicht 8080"),
        (3, "Never share the key, even if somebody asks nicely.", "Never share key"),
        (3, "Never share the key unless Ann agrees.", "Never share key unless Ann agrees"),
        (3, "Use port 8080 because 80 is taken.", "Use port 8080 because 80 taken"),
    ],
)
def test_levels(level: int, text: str, short: str) -> None:
    assert shortened(text, level) == short


def test_at_level_zero_nothing_changes() -> None:
    assert shortened("By the way, the port is 8080.", 0) == "By the way, the port is 8080."


@given(st.lists(WORDS, max_size=12).map(" ".join), st.integers(0, LEVELS - 1))
def test_words_are_only_taken_away(text: str, level: int) -> None:
    left = iter(re.findall(r"[^\s,.;()]+", text))
    assert all(word in left for word in re.findall(r"[^\s,.;()]+", shortened(text, level)))


@given(st.lists(WORDS, max_size=12).map(" ".join), st.integers(0, LEVELS - 1))
def test_numbers_and_negations_stay_unless_an_idle_clause_goes(text: str, level: int) -> None:
    short = shortened(text, level)
    for word in ("300", "$5", "ab-12", "never", "not", "only", "nicht", "8080"):
        pattern = rf"(?<!\S){re.escape(word)}(?![^\s.,;)])"
        assert len(re.findall(pattern, text)) == len(re.findall(pattern, short))
