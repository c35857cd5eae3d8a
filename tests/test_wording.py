"""Numbers and nouns agree in all that people read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import pytest

from orchestrator_context import (
    Budget,
    DistillReport,
    Document,
    SelectOptions,
    find_duplicates,
    plan,
    select,
)
from orchestrator_context.cli.selecting import plan_table
from orchestrator_context.corpus.overview import declared_names, overviews
from orchestrator_context.dedup import dedup_paragraphs
from orchestrator_context.models import Usage
from orchestrator_context.reports import DistillEstimate
from orchestrator_context.wording import counted

WRONG = re.compile(
    r"(?<![\d,.])1 (?:[A-Za-z]+ )?(?:documents|chunks|calls|tokens|parts|copies|notes|marks|paths"
    r"|texts|duplicates|paragraphs|attempts)\b"
)
ONE = [Document("pump.md", "Pumps stop.")]
TWO = [*ONE, Document("copy.md", "Pumps stop.")]


@pytest.mark.parametrize(
    ("number", "noun", "expected"),
    [
        (0, "document", "0 documents"),
        (1, "document", "1 document"),
        (2, "copy", "2 copies"),
        (1, "copy", "1 copy"),
        (2, "reply", "2 replies"),
        (2, "day", "2 days"),
        (1, "near duplicate", "1 near duplicate"),
    ],
)
def test_a_number_and_its_noun(number: int, noun: str, expected: str) -> None:
    assert counted(number, noun) == expected


def _told() -> Iterable[str]:
    usage = Usage(1, 1)
    report = DistillReport(
        documents=1, chunks=1, copied_chunks=1, irrelevant_chunks=1, truncated_notes=1, calls=1,
        failed_attempts=1, usage=usage, unknown_note_marks=1, repeated_paths=1, output_tokens=2,
        max_output_tokens=1,
    )  # fmt: skip
    yield report.summary()
    yield DistillEstimate(1, 1, 1, 0, 1, usage, 0.0, True).summary()
    for documents in (ONE, TWO):
        for budget in (Budget(1), Budget(1_000), Budget(1_000, max_items=1)):
            for strategy in ("whole", "ranked", "tiered", "packed"):
                options = SelectOptions().merged(strategy=strategy)
                yield select(documents, "pumps", budget=budget, options=options).summary()
            planned = plan(documents, "pumps", budget=budget)
            yield planned.summary()
            yield plan_table(planned)
            yield plan_table(replace(planned, options=planned.options[:1]))
        yield from overviews(declared_names(documents), None)
        yield find_duplicates(documents).summary()
    yield dedup_paragraphs(["Close the valve first.", "Close the valve first."]).summary()


def test_one_of_a_kind_is_told_in_the_singular() -> None:
    found = {match[0] for text in _told() for match in WRONG.finditer(text)}
    assert found == set()
    assert "1 document" in " ".join(_told())
