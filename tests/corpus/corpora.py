"""Corpora and counters for the tests of selection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from hypothesis import strategies as st

from orchestrator_context.corpus import Reduction, SelectOptions, parse
from orchestrator_context.dedup import DedupOptions
from orchestrator_context.models import Document
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.rank import RankOptions
from orchestrator_context.tokens import token_counter

STRATEGIES = ("auto", "whole", "ranked", "tiered", "packed")
SHOWN = ("whole", "compact", "partial", "extract")
QUERY = "When does the pump stop at too much pressure?"


@cache
def station() -> tuple[Document, ...]:
    """A small code base: modules with functions, docs, equal files, and one in Chinese."""
    modules = [
        Document.of(f"src/{name}/mod{number}.py", _module(name, number))
        for name in ("pump", "valve", "lamp")
        for number in range(4)
    ]
    notes = [
        Document.of("README.md", "# Station\n\nThe pump of the station stops at 9 bar pressure.\n"),
        Document.of("docs/lunch.txt", "Lunch was soup with bread on most of the days. " * 30),
        Document.of("docs/水.txt", "水泵在三号站停机，需要更换密封圈，预计两小时后恢复。" * 10),
        Document.of("src/a.py", "VALUE = 1\n"),
        Document.of("src/old/a.py", "VALUE = 1\n"),
    ]
    return (*modules, *notes)


def _module(name: str, number: int) -> str:
    functions = (
        f"def {name}_{number}_{step}(pressure):\n"
        f'    """Return whether the {name} stops at step {step}."""\n'
        f"    # a comment on {name} {step}\n\n"
        f"    limit = {number * 10 + step}\n"
        f"    return pressure > limit\n\n\n"
        for step in range(6)
    )
    return f'"""The {name} number {number}."""\n\nimport math\n\n\n' + "".join(functions)


@dataclass(frozen=True)
class CharacterCounter:
    """Counts characters, and remembers how many it was asked for."""

    name: str = "characters"
    exact: bool = True
    asked: list[int] = field(default_factory=list)

    def count(self, text: str) -> int:
        self.asked.append(len(text))
        return len(text)

    def count_messages(self, messages: Sequence[object], *, tools: object = ()) -> int:
        raise NotImplementedError


def rising(text: str) -> int:
    """Count so that texts together take more than they do one by one."""
    return len(text) + len(text) ** 2 // 4_000


def falling(text: str) -> int:
    """Count so that texts together take fewer."""
    return 5 + len(text) // 4


@cache
def counters() -> dict[str, TokenCounter]:
    return {
        "exact": token_counter(),
        "cl100k": token_counter("cl100k_base"),
        "upper": token_counter("claude-sonnet-4-5"),
        "characters": token_counter(len, name="characters"),
        "rising": token_counter(rising, name="rising"),
        "falling": token_counter(falling, name="falling"),
    }


def all_options() -> st.SearchStrategy[SelectOptions]:
    return st.builds(
        SelectOptions,
        strategy=st.sampled_from(STRATEGIES),
        render_order=st.sampled_from(["path", "rank"]),
        selection_order=st.sampled_from(["rank", "density"]),
        diversity=st.sampled_from([0.0, 0.3, 1.0]),
        collapse_duplicates=st.booleans(),
        compacts=st.booleans(),
        chunk_tokens=st.sampled_from([8, 40, 512]),
        overview_share=st.sampled_from([0.05, 0.5, 1.0]),
        dedup=st.sampled_from([DedupOptions(), DedupOptions(threshold=0.5)]),
        rank=st.sampled_from(
            [
                RankOptions(),
                RankOptions(salience_weight=1.0, expansion_rounds=1, carry_over_bonus=2.0),
            ]
        ),
    )


WORDS = st.sampled_from(
    [
        "pump",
        "| a | b |\n|---|---|\n",
        "| 1 | 2 |\n",
        "valve stops",
        "水泵停机",
        "VALUE = 1",
        "# note\n",
        "9 bar.",
        "é",
    ]
)
CONTENTS = st.lists(
    st.one_of(WORDS, st.sampled_from(["\n", "\n\n", "</doc>", "<doc", "\ud800", "\r\n", " "])),
    max_size=40,
).map("".join)
PATHS = st.lists(st.sampled_from(["a", "b", "src", "ü", 'q"', "x\n"]), min_size=1, max_size=3)


@st.composite
def documents(draw: st.DrawFn, most: int = 8) -> list[Document]:
    paths = draw(st.lists(PATHS.map("/".join), max_size=most, unique=True))
    return [
        Document.of(path, draw(CONTENTS), pinned=draw(st.sampled_from([False, False, False, True])))
        for path in paths
    ]


def forms(reduction: Reduction) -> dict[str, list[str]]:
    """Return in which forms each document stands in the text, as it reads."""
    found: dict[str, list[str]] = {}
    for element in parse(reduction.text) if reduction.text else ():
        if element.fidelity in SHOWN:
            found.setdefault(element.path, []).append(element.fidelity)
    return found
