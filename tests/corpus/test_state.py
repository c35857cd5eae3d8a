"""What a selection remembers for the next one."""

from __future__ import annotations

import hashlib
import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context import Budget, Corpus, Document, ReductionState, SelectOptions, select
from orchestrator_context.corpus import Reduction, parse
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.rank import RankOptions
from tests.corpus.corpora import QUERY, station

KEPT = RankOptions(carry_over_bonus=1_000)
TOPICS = ("pump", "valve", "lamp", "gauge", "motor", "filter")


def library() -> list[Document]:
    """Return books, each with a paragraph on every topic."""
    filler = "It is red, it is round and it is new, and so are the others of its kind. " * 4
    return [
        Document(f"book{at}.md", "\n\n".join(f"The {topic} {at}. {filler}" for topic in TOPICS))
        for at in range(6)
    ]


def packed(corpus: Corpus, query: str, previous: ReductionState | None = None) -> str:
    return select(corpus, query, budget=Budget(900), previous=previous).text


def test_the_same_parts_are_sent_again_for_another_question() -> None:
    options = SelectOptions(strategy="packed", chunk_tokens=80, rank=KEPT)
    corpus = Corpus(library(), options=options)
    first = select(corpus, "pump", budget=Budget(900))
    assert set(first.fidelities) == {"partial"}
    state = ReductionState.from_mapping(first.state().to_mapping())
    assert packed(corpus, "lamp") != first.text
    assert packed(corpus, "lamp", state) == first.text


@given(
    st.lists(st.sampled_from(TOPICS), min_size=1, max_size=60),
    st.integers(8, 60),
    st.integers(60, 400),
)
def test_a_large_bonus_keeps_parts_of_long_lines(topics: list[str], size: int, tokens: int) -> None:
    line = " ".join(f"The {topic} {at} is red and new." for at, topic in enumerate(topics))
    corpus = [Document("a.txt", line), Document("b.txt", line[::-1]), *library()]
    options = SelectOptions(strategy="packed", chunk_tokens=size, rank=KEPT)
    first = select(corpus, "pump", budget=Budget(tokens), options=options)
    state = first.state()
    again = select(corpus, "lamp", budget=Budget(tokens), options=options, previous=state)
    there = dict(again.state().parts)
    assert all(
        path not in there or any(begin <= start and end <= stop for begin, stop in there[path])
        for path, spans in state.parts
        for start, end in spans
    )
    assert {one.path for one in first.documents} <= {one.path for one in again.documents}


@pytest.mark.parametrize("strategy", ["ranked", "packed"])
def test_a_large_bonus_keeps_the_text_over_questions_and_additions(strategy: str) -> None:
    options = SelectOptions().merged(strategy=strategy, chunk_tokens=80, rank=KEPT)
    corpus = list(station())
    texts: set[str] = set()
    state: ReductionState | None = None
    for question in ("pump pressure", "valve", "lamp step 3", "lunch soup", "水泵"):
        reduction = select(corpus, question, budget=Budget(900), options=options, previous=state)
        texts.add(reduction.text)
        state = reduction.state()
        corpus.append(
            Document.of(f"src/new{len(corpus)}.py", f"def {question.split()[0]}(): ...\n" * 20)
        )
    assert len(texts) == 1


def test_other_parts_of_a_carried_document_are_worth_no_more_than_those_of_others() -> None:
    options = SelectOptions(strategy="packed", chunk_tokens=80, rank=KEPT)
    corpus = Corpus(library(), options=options)
    first = select(corpus, "pump 0", budget=Budget(350))  # parts of 80 tokens, as below
    assert set(first.fidelities) == {"partial"}
    assert "The lamp 5." not in first.text
    again = select(corpus, "lamp 5", budget=Budget(450), previous=first.state())
    assert again.carried_over == len(first.documents)
    assert set(re.findall(r"The \w+ \d\.", first.text)) < set(
        re.findall(r"The \w+ \d\.", again.text)
    )
    assert "The lamp 5." in again.text


def shelf(topics: Sequence[str], *, lines: int = 20, width: int = 15) -> list[Document]:
    """Return documents of different words, each with its topic in two of its lines."""
    words = random.Random(3)
    found: list[Document] = []
    for at, topic in enumerate(topics):
        text = [" ".join(f"w{words.randrange(800)}" for _ in range(width)) for _ in range(lines)]
        for line in (lines // 3, -1):
            text[line] = f"{topic} {text[line]}"
        found.append(Document(f"d{at:02}.md", "\n".join(text)))
    return found


def contents(reduction: Reduction) -> dict[str, list[str]]:
    """Return what stands in a text, by document."""
    found: dict[str, list[str]] = {}
    for one in parse(reduction.text):
        found.setdefault(one.path, []).append(one.content)
    return found


@pytest.mark.parametrize("width", [15, 300])
@pytest.mark.parametrize("others", [0, 30])
def test_what_was_sent_is_chosen_from_however_little_the_new_question_finds_in_it(
    others: int, width: int
) -> None:
    topics = ["koala"] * 9 + ["lion"] * (41 - others) + ["zebra"] * 10 + ["emu"] * others
    corpus = shelf(topics, lines=300 // width, width=width)
    for bonus in (1_000, 0):
        options = SelectOptions(strategy="packed", rank=RankOptions(carry_over_bonus=bonus))
        first = select(corpus, "zebra", budget=Budget(800), options=options)
        state = first.state()
        again = select(corpus, "koala", budget=Budget(800), options=options, previous=state)
        assert all("zebra" in one.content for one in first.documents)
        if bonus:
            assert again.carried_over == len(first.documents) > 0
        else:
            fresh = select(corpus, "koala", budget=Budget(800), options=options)
            assert (again.text, again.carried_over) == (fresh.text, 0)


def test_a_small_bonus_gives_way_to_what_is_worth_more() -> None:
    corpus = Corpus(shelf(["koala"] * 9 + ["lion"] * 41 + ["zebra"] * 10))
    kept: list[int] = []
    for bonus in (0.001, 1_000):
        rank = RankOptions(carry_over_bonus=bonus)
        options = SelectOptions(strategy="packed", rank=rank)
        first = select(corpus.documents, "zebra", budget=Budget(800), options=options)
        again = select(
            corpus.documents, "koala", budget=Budget(800), options=options, previous=first.state()
        )
        kept.append(again.carried_over)
        assert ("koala" in again.text) == (bonus < 1)
    assert kept[0] < kept[1]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(TOPICS[:3]), min_size=1, max_size=8).map(lambda some: some * 8),
    st.sampled_from(TOPICS[:3]),
    st.lists(st.sampled_from((*TOPICS[:3], "w7")), max_size=2).map(" ".join),
    st.sampled_from([120, 200, 400, 800]),
    st.sampled_from([4, 30]),
    st.sampled_from([0.0, 0.5]),
    st.sampled_from(["rank", "density"]),
    st.sampled_from([24, 64, 512]),
)
def test_a_bonus_above_all_scores_keeps_all_that_was_sent(
    topics: list[str],
    before: str,
    after: str,
    tokens: int,
    lines: int,
    diversity: float,
    order: str,
    size: int,
) -> None:
    options = SelectOptions(strategy="packed", rank=KEPT).merged(
        diversity=diversity, selection_order=order, chunk_tokens=size
    )
    corpus = Corpus(shelf(topics, lines=lines, width=4), options=options)
    first = select(corpus, before, budget=Budget(tokens))
    again = select(corpus, after, budget=Budget(tokens), previous=first.state())
    assert again.carried_over == len(first.documents)
    assert again.tokens <= tokens
    there = contents(again)
    for path, texts in contents(first).items():
        held = "\n".join(there[path])
        assert all(text in held for text in texts)


def test_a_state_holds_the_characters_that_were_sent() -> None:
    options = SelectOptions(strategy="tiered", chunk_tokens=40, overview_share=0.05)
    reduction = select(station(), QUERY, budget=Budget(900), options=options)
    contents = {one.path: one.content for one in station()}
    sent: dict[str, list[str]] = {}
    lines: dict[str, tuple[tuple[int, int], ...]] = {one.path: () for one in reduction.documents}
    for one in parse(reduction.text):
        if one.fidelity in ("partial", "extract"):
            texts = sent.setdefault(one.path, [])
            texts += [one.content] * (one.fidelity == "partial")
            lines[one.path] += one.lines
    state = reduction.state()
    assert {
        path: [contents[path][start:end].removesuffix("\n") for start, end in spans]
        for path, spans in state.parts
    } == sent
    assert {"partial", "extract"} <= set(reduction.fidelities)
    assert list(state.parts) == sorted(state.parts)
    assert dict(zip(lines, reduction.lines, strict=True)) == lines


def test_the_bonus_holds_for_given_scores_too() -> None:
    corpus = [Document(f"{name}.md", f"pump {name} " * 20) for name in "abcd"]
    before, after = {"c.md": 2.0, "a.md": 1.0}, {"c.md": 1.0, "a.md": 2.0}
    for strategy in ("ranked", "tiered", "packed"):
        for order in ("rank", "density"):
            options = SelectOptions().merged(
                strategy=strategy, selection_order=order, rank=KEPT, overview_share=0.01
            )
            first = select(corpus, "x", budget=Budget(70), options=options, scores=before)
            fresh = select(corpus, "x", budget=Budget(70), options=options, scores=after)
            kept = select(
                corpus, "x", budget=Budget(70), options=options, scores=after,
                previous=first.state(),
            )  # fmt: skip
            assert (kept.text, kept.carried_over) == (first.text, 1)
            assert fresh.text != first.text


@pytest.mark.parametrize(
    "parts",
    [None, "ab", [1], [["a"]], [["a", 1]], [["a", [1]]], [["a", [[1]]]], [["a", [[1, "2"]]]],
     [[1, [[1, 2]]]], [["a", [[2, 2]]]], [["a", [[-1, 2]]]], [["a", [[True, 2]]]]],
)  # fmt: skip
def test_parts_that_are_none_are_refused(parts: object) -> None:
    mapping = ReductionState().to_mapping()
    assert ReductionState.from_mapping(mapping) == ReductionState()
    with pytest.raises(ConfigurationError, match=r"parts|span"):
        ReductionState.from_mapping(mapping | {"parts": parts})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("entries", "ab"),
        ("entries", 5),
        ("entries", ("ab",)),
        ("entries", (("a.md", 1),)),
        ("parts", 5),
        ("parts", None),
        ("parts", (("a.md", 5),)),
        ("parts", (("a.md", ((1, "2"),)),)),
        ("representation", "auto"),
        ("representation", []),
    ],
)
def test_a_state_is_made_of_nothing_else(name: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=name if name != "parts" else "parts|span"):
        ReductionState(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("parts", [{"a": 5}, {1: ((1, 2),)}, {"a": ((1,),)}, {"a": "12"}])
def test_so_it_is_where_it_is_made_of_documents(parts: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"parts|span"):
        ReductionState.of(station(), "ranked", parts)


def test_a_state_is_in_order_whatever_the_order_it_is_given_in() -> None:
    entries, spans = (("b", "2"), ("a", "1")), ((7, 9), (1, 2))
    state = ReductionState(entries, "packed", (("b", spans), ("a", ())))
    assert state.entries == (("a", "1"), ("b", "2"))
    assert state.parts == (("a", ()), ("b", ((1, 2), (7, 9))))
    listed = ReductionState([list(one) for one in entries], "packed", state.parts)  # type: ignore[arg-type]
    assert (listed, hash(listed)) == (state, hash(state))
    assert ReductionState.from_mapping(state.to_mapping()) == state


def digests() -> str:
    """Return what tells the texts of three selections from all others."""
    texts: list[str] = []
    for strategy in ("ranked", "tiered", "packed"):
        options = SelectOptions.recommended().merged(strategy=strategy, chunk_tokens=40)
        texts.append(select(station(), QUERY, budget=Budget(900), options=options).text)
    return hashlib.sha256("".join(texts).encode()).hexdigest()


def test_another_process_writes_the_same_bytes() -> None:
    program = "from tests.corpus.test_state import digests; print(digests(), end='')"
    printed = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"PYTHONHASHSEED": "1"},
        capture_output=True,
        check=True,
        text=True,
    )
    assert printed.stdout == digests()


def test_a_state_before_has_none_before_it() -> None:
    one = ReductionState(before=ReductionState())
    with pytest.raises(ConfigurationError, match="without one before it"):
        ReductionState(before=one)
    deep: dict[str, object] = ReductionState().to_mapping()
    for _ in range(5_000):
        deep = ReductionState().to_mapping() | {"before": deep}
    with pytest.raises(ConfigurationError, match="without one before it"):
        ReductionState.from_mapping(deep)
    with pytest.raises(ConfigurationError, match="before"):
        ReductionState.from_mapping(ReductionState().to_mapping() | {"before": 5})
    assert ReductionState.from_mapping(one.to_mapping()) == one
