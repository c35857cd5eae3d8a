"""The filler: what is kept out by bytes or by the number of documents is not counted in tokens."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.corpus import SelectOptions, select
from orchestrator_context.corpus.blocks import Pricer
from orchestrator_context.corpus.envelope import Element
from orchestrator_context.models import Budget, Document
from orchestrator_context.tokens import token_counter

LARGE = "a valve that is never shown " * 40
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
def test_what_a_block_takes_at_least_is_never_more_than_what_it_takes(
    content: str, fidelity: str
) -> None:
    element = Element("a.md", content, fidelity)  # type: ignore[arg-type]
    block = Pricer(token_counter(), "doc").block("a.md", element)
    least, cost = block.least(), block.price(None)
    assert least.tokens == 0
    assert least.size_bytes <= cost.size_bytes
    assert least.items == cost.items
