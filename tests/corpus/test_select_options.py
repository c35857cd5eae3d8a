from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from orchestrator_context.corpus import ReductionState, SelectOptions
from orchestrator_context.dedup import DedupOptions
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document
from orchestrator_context.rank import RankOptions
from tests.corpus.corpora import all_options

BAD: dict[str, list[Any]] = {
    "strategy": ["", "bogus", None, 3],
    "render_order": ["bogus", True],
    "selection_order": ["best"],
    "diversity": [-0.1, 1.1, float("nan"), True, "0"],
    "collapse_duplicates": [1, None],
    "compacts": ["yes"],
    "chunk_tokens": [0, 1.5, True],
    "overview_share": [0, 1.5, float("inf")],
    "dedup": [None, {}, RankOptions()],
    "rank": [None, DedupOptions()],
}


@pytest.mark.parametrize(("name", "value"), [(k, v) for k, values in BAD.items() for v in values])
def test_a_value_that_cannot_be_used_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ConfigurationError, match=name):
        SelectOptions(**{name: value})


@given(all_options())
def test_options_come_back_from_their_mapping(options: SelectOptions) -> None:
    assert SelectOptions.from_mapping(options.to_mapping()) == options


def test_a_mapping_is_strict() -> None:
    for mapping in ({"bogus": 1}, {"rank": {"bogus": 1}}, {"dedup": {"threshold": True}}):
        with pytest.raises(ConfigurationError):
            SelectOptions.from_mapping(mapping)
    assert SelectOptions.from_mapping({}) == SelectOptions()


def test_merging_passes_over_none() -> None:
    assert SelectOptions().merged(strategy=None, diversity=0.5) == SelectOptions(diversity=0.5)
    with pytest.raises(ConfigurationError, match="bogus"):
        SelectOptions().merged(bogus=1)
    with pytest.raises(ConfigurationError, match="diversity"):
        SelectOptions().merged(diversity=3)


def test_what_is_recommended_is_not_the_default() -> None:
    assert SelectOptions.recommended() != SelectOptions()
    assert SelectOptions().dedup.threshold is None


def test_a_state_holds_what_was_selected_sorted() -> None:
    documents = [Document("b", "1"), Document("a", "2")]
    state = ReductionState.of(documents, "ranked")
    assert [path for path, _ in state.entries] == ["a", "b"]
    assert state.unchanged([Document("a", "2"), Document("b", "changed")]) == {"a"}
    assert state.metadata() == {"entries": 2, "representation": "ranked"}
    assert ReductionState.from_mapping(state.to_mapping()) == state


@pytest.mark.parametrize(
    "mapping",
    [
        {},
        {"version": 2, "representation": "ranked", "entries": [], "parts": []},
        {"version": 1, "representation": "bogus", "entries": [], "parts": []},
        {"version": 1, "representation": "ranked", "entries": "ab", "parts": []},
        {"version": 1, "representation": "ranked", "entries": [["a"]], "parts": []},
        {"version": 1, "representation": "ranked", "entries": [["a", 1]], "parts": []},
        {"version": 1, "representation": "ranked", "entries": [], "parts": [], "more": 1},
    ],
)
def test_a_state_that_is_none_is_refused(mapping: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        ReductionState.from_mapping(mapping)
