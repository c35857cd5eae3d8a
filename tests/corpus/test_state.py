"""What a selection remembers for the next one."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator_context import Budget, Corpus, Document, ReductionState, SelectOptions, select
from orchestrator_context.corpus import parse
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
    first = select(corpus, "pump 0", budget=Budget(140))
    [document] = first.documents
    again = select(corpus, "lamp 5", budget=Budget(250), previous=first.state())
    assert document.path in {one.path for one in again.documents}
    assert "The lamp 5." in again.text
    assert "The pump 0." in again.text


def test_a_state_holds_the_lines_that_were_sent() -> None:
    options = SelectOptions(strategy="tiered", chunk_tokens=40, overview_share=0.05)
    reduction = select(station(), QUERY, budget=Budget(900), options=options)
    shown = [one for one in parse(reduction.text) if one.fidelity in ("partial", "extract")]
    expected: dict[str, tuple[tuple[int, int], ...]] = {}
    for one in shown:
        expected[one.path] = expected.get(one.path, ()) + one.lines
    state = reduction.state()
    assert dict(state.parts) == expected
    assert {"partial", "extract"} <= set(reduction.fidelities)
    assert list(state.parts) == sorted(state.parts)
    assert dict(zip((one.path for one in reduction.documents), reduction.lines, strict=True)) == {
        one.path: expected.get(one.path, ()) for one in reduction.documents
    }


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
     [[1, [[1, 2]]]]],
)  # fmt: skip
def test_parts_that_are_none_are_refused(parts: object) -> None:
    mapping = ReductionState().to_mapping()
    assert ReductionState.from_mapping(mapping) == ReductionState()
    with pytest.raises(ConfigurationError, match=r"parts|span"):
        ReductionState.from_mapping(mapping | {"parts": parts})


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
