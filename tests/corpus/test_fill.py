"""The filler: what is kept out by bytes or by the number of documents is not counted in tokens."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.corpus import SelectOptions, select
from orchestrator_context.corpus.blocks import Block, Pricer, Single, Whole
from orchestrator_context.corpus.envelope import Element
from orchestrator_context.models import Budget, Document
from orchestrator_context.tokens import token_counter
from tests.corpus.corpora import CharacterCounter, counters

LARGE = "a valve that is never shown " * 40
TEXTS = ["a valve ", "9f3a7c", " " * 40, "水泵停机", "\n\n", 'stops("pump") ']
PLAIN = SelectOptions(strategy="ranked", collapse_duplicates=False)


@pytest.mark.parametrize(
    ("budget", "compacts", "binding"),
    [
        (Budget(max_bytes=600), False, "bytes"),
        (Budget(9_000, max_bytes=600), False, "bytes"),
        (Budget(9_000, max_items=1), False, "document count"),
        (Budget(9_000, max_items=1), True, "document count"),
    ],
)
def test_what_another_ceiling_keeps_out_is_not_counted(
    budget: Budget, compacts: bool, binding: str
) -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    documents = [Document(f"{at}.md", f"{at} {LARGE}") for at in range(30)]
    documents.append(Document("pump.md", "The pump stops."))
    counter = token_counter(count, name="characters")
    options = PLAIN.merged(compacts=compacts)
    reduction = select(documents, "pump", budget=budget, options=options, counter=counter)
    assert [one.path for one in reduction.documents] == ["pump.md"]
    assert reduction.binding == (binding,)
    assert not any(LARGE in text for text in counted)


@settings(deadline=None)
@given(st.text(), st.sampled_from(["whole", "extract", "overview"]))
def test_what_a_block_takes_at_least_is_all_but_tokens(content: str, fidelity: str) -> None:
    pricer = Pricer(token_counter(), "doc")
    element = Element("a.md", content, fidelity)  # type: ignore[arg-type]
    blocks: list[Block] = [Single("a.md", element, pricer)]
    if fidelity == "whole":
        blocks.append(Whole("a.md", content, pricer))
    for block in blocks:
        least, cost = block.least(), block.price(None)
        assert least.tokens == 0
        assert (least.size_bytes, least.items) == (cost.size_bytes, cost.items)
        assert block.make() == (element,)


@settings(deadline=None)
@given(
    st.lists(st.one_of(st.text(max_size=20), st.sampled_from(TEXTS)), max_size=40).map("".join),
    st.integers(0, 400),
    st.sampled_from(sorted(counters())),
)
def test_what_fits_has_its_price_and_what_does_not_is_more_than_the_room(
    content: str, room: int, name: str
) -> None:
    exact = Pricer(counters()[name], "doc").whole("a.md", content)
    cost = Pricer(counters()[name], "doc").whole("a.md", content, room)
    assert cost.tokens > room if exact.tokens > room else cost == exact


@pytest.mark.parametrize("length", [700, 70_000])
def test_of_what_does_not_fit_by_far_only_a_beginning_is_counted(length: int) -> None:
    counter = CharacterCounter()
    assert Pricer(counter, "doc").whole("a.md", "x" * length, 100).tokens > 100
    assert sum(counter.asked) < 150
