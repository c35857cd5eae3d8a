from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.digest import ExtractiveSummarizer
from orchestrator_context.conversation.policy import ContextPolicy, policy_from_mapping
from orchestrator_context.conversation.view import View
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Budget
from orchestrator_context.policies import (
    Chain,
    DropOldest,
    ElideMiddle,
    SlidingWindow,
    Strict,
    Summarize,
)
from tests.conversation.references import fitted
from tests.conversation.strategies import system, user

OVERFLOWS = st.sampled_from(["raise", "return"])
SIMPLE = st.one_of(
    st.builds(Strict),
    st.builds(DropOldest, st.floats(0, 1), st.integers(1, 99), OVERFLOWS),
    st.builds(SlidingWindow, st.integers(1, 99), st.integers(1, 9), st.booleans(), OVERFLOWS),
    st.builds(
        ElideMiddle,
        st.integers(0, 9),
        st.floats(0, 1),
        st.integers(1, 999),
        st.booleans(),
        st.booleans(),
        OVERFLOWS,
    ),
    st.builds(
        Summarize,
        st.sampled_from([None, ExtractiveSummarizer()]),
        max_share=st.floats(0.1, 1),
        keep_recent=st.integers(1, 9),
    ),
)


def chains(inner: st.SearchStrategy[ContextPolicy]) -> st.SearchStrategy[ContextPolicy]:
    modes = st.sampled_from(["first", "each"])
    several = st.lists(inner, min_size=1, max_size=3)
    return st.builds(
        lambda some, mode, overflow: Chain(*some, mode=mode, on_overflow=overflow),
        several,
        modes,
        OVERFLOWS,
    )


@given(st.recursive(SIMPLE, chains, max_leaves=4))
@settings(max_examples=40, deadline=None)
def test_every_policy_is_the_same_after_a_round_trip(policy: ContextPolicy) -> None:
    mapping = json.loads(json.dumps(policy.to_mapping()))
    assert policy_from_mapping(mapping) == policy
    assert policy_from_mapping(mapping).to_mapping() == policy.to_mapping()


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({}, 'has no "kind"; add one, such as {"kind": "drop_oldest"}'),
        ({"kind": None}, "kind of the policy must be a str, not NoneType"),
        ({"kind": ""}, "must not be blank"),
        ({"kind": 3}, "must be a str, not int"),
        ({"kind": "fifo"}, "no policy 'fifo'; installed are: chain, drop_oldest"),
        ({"kind": "drop_oldest", "colour": 1}, "no setting 'colour'; it has low_water"),
        ({"kind": "drop_oldest", 5: 1}, "no setting 5"),
        ({"kind": "drop_oldest", "keep_recent": "3"}, "keep_recent must be a whole number"),
        ({"kind": "drop_oldest", "low_water": None}, "low_water must be a finite number"),
        ({"kind": "sliding_window", "keep_last": "3"}, "keep_last must be a whole number"),
        ({"kind": "sliding_window", "keep_last": True}, "keep_last must be a whole number"),
        ({"kind": "sliding_window", "keep_last": 2.0}, "keep_last must be a whole number"),
        ({"kind": "elide_middle", "drops": "yes"}, "drops must be True or False"),
        ({"kind": "strict", "keep_last": 3}, "Strict has no setting 'keep_last'; it has none"),
        ({"kind": "chain"}, "Chain needs a value for 'policies'"),
        ({"kind": "chain", "policies": "strict"}, "must be a list of policies, not str"),
        ({"kind": "chain", "policies": []}, "at least one policy"),
        ({"kind": "chain", "policies": ["strict"]}, "described by a mapping, not str"),
        ({"kind": "chain", "policies": [{"kind": "x"}]}, "no policy 'x'"),
        ({"kind": "chain", "policies": [{"kind": "strict"}], "mode": "all"}, r"Chain\.mode"),
        ([], "described by a mapping, not list"),
        ("strict", "described by a mapping, not str"),
        (None, "described by a mapping, not NoneType"),
    ],
)
def test_what_describes_no_policy_is_refused_by_name(mapping: object, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        policy_from_mapping(mapping)


def nested(depth: int) -> dict[str, object]:
    data: dict[str, object] = {}
    for _ in range(depth):
        data = {"kind": data}
    return data


def chained(depth: int) -> dict[str, object]:
    data: dict[str, object] = {"kind": "strict"}
    for _ in range(depth):
        data = {"kind": "chain", "policies": [data]}
    return data


def test_policies_in_policies_have_a_bottom() -> None:
    whole = policy_from_mapping(chained(31))
    assert whole.to_mapping()["kind"] == "chain"
    with pytest.raises(ConfigurationError, match="31 deep"):
        Chain(whole)
    wide = {"kind": "chain", "policies": [chained(2)] * 500}
    assert isinstance(policy_from_mapping(wide), Chain)


@pytest.mark.parametrize(
    "data",
    [chained(32), chained(5_000), {"kind": "strict", "x": nested(5_000)}, nested(5_000)],
    ids=["chains", "many chains", "lists", "mappings"],
)
def test_a_description_that_never_ends_is_refused(data: object) -> None:
    with pytest.raises(ConfigurationError, match="more than 64 deep"):
        policy_from_mapping(data)


def test_the_mapping_is_left_as_it_was() -> None:
    mapping = {"kind": "chain", "policies": [{"kind": "strict"}]}
    before = json.dumps(mapping)
    policy_from_mapping(mapping)
    assert json.dumps(mapping) == before


PLUGIN = """
from dataclasses import dataclass
from typing import ClassVar

class KeepNewest:
    kind: ClassVar[str] = "keep_newest"

    def __init__(self, *, count=1):
        self.count = count

    async def fit(self, view, budget):
        start = max(0, len(view) - self.count)
        return view.with_segments(view.segments[start:], range(start, len(view)))

    def to_mapping(self):
        return {"kind": self.kind, "count": self.count}

@dataclass(frozen=True)
class Nothing:
    least: int
    kind: ClassVar[str] = "nothing"

    async def fit(self, view, budget):
        return view

    def to_mapping(self):
        return {"kind": self.kind, "least": self.least}

def no_policy():
    return "none"
"""
ENTRIES = """
[orchestrator_context.policies]
keep_newest = acme_policies:KeepNewest
nothing = acme_policies:Nothing
no_policy = acme_policies:no_policy
strict = acme_policies:Nothing
"""


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package with policies; one of them has the name of one of ours."""
    metadata = tmp_path / "acme_policies-1.0.dist-info"
    metadata.mkdir()
    (tmp_path / "acme_policies.py").write_text(PLUGIN)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-policies\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRIES)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "acme_policies", raising=False)


@pytest.mark.usefixtures("acme")
class TestOtherPackages:
    @pytest.mark.parametrize(
        "mapping",
        [
            {"kind": "keep_newest", "count": 2},
            {"kind": "nothing", "least": 3},
            {"kind": "chain", "policies": [{"kind": "keep_newest", "count": 1}], "mode": "each"},
        ],
    )
    def test_a_policy_of_another_package_is_made(self, mapping: Mapping[str, object]) -> None:
        policy = policy_from_mapping(mapping)
        assert policy.to_mapping().items() >= {"kind": mapping["kind"]}.items()

    def test_it_works_in_a_chain(self) -> None:
        newest = policy_from_mapping({"kind": "keep_newest", "count": 2})
        view = View.of([system("S"), user("1"), user("2")])
        after = fitted(Chain(newest, DropOldest()), view, Budget(100))
        assert [one.content for one in after.segments] == ["1", "2"]

    @pytest.mark.parametrize(
        ("mapping", "message"),
        [
            ({"kind": "keep_newest", "size": 2}, "'keep_newest' cannot be made: .*'size'"),
            ({"kind": "nothing"}, "needs a value for 'least'"),
            ({"kind": "nothing", "most": 2}, "no setting 'most'"),
            ({"kind": "no_policy"}, "installed as 'no_policy' is no policy"),
            ({"kind": "strict"}, "Several packages install a policy 'strict'"),
        ],
    )
    def test_what_cannot_be_made_is_named(self, mapping: object, message: str) -> None:
        with pytest.raises(ConfigurationError, match=message):
            policy_from_mapping(mapping)
