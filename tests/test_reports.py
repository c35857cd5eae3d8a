"""Reports tell figures in one line or as JSON, and neither text nor path nor question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.distill import DistillOptions, distill, estimate_distill
from orchestrator_context.events import ContextReduced, Event
from orchestrator_context.exceptions import ProviderUnavailableError
from orchestrator_context.models import Document, Note, Price, Source, Usage
from orchestrator_context.reports import (
    Citation,
    Distillation,
    DistillEstimate,
    DistillReport,
    FailedChunk,
    Skipped,
)
from orchestrator_context.retrying import RetryPolicy
from orchestrator_context.testing import Answer, Call, ScriptedGenerator, echo

SECRET = "hush"
PLACE = Source(f"{SECRET}.md", 1, 2)
FULL = DistillReport(
    documents=5,
    chunks=12,
    copied_chunks=2,
    irrelevant_chunks=3,
    truncated_notes=1,
    truncated_answer=True,
    skipped=(Skipped(f"{SECRET}.txt", 4, "empty"),),
    failed=(FailedChunk(PLACE, f"ProviderResponseError: {SECRET}"),) * 2,
    coverage=0.875,
    calls=9,
    resumed_calls=4,
    failed_attempts=6,
    usage=Usage(1_000, 200),
    cost=0.0123,
    depth=2,
    output_tokens=80,
    max_output_tokens=64,
    exact=False,
    repeated_paths=1,
    unknown_marks=(f"[{SECRET}9]",),
    unknown_note_marks=2,
)
WHOLE = Distillation(
    f"{SECRET} [S1]", (Citation("[S1]", PLACE, (PLACE,)),), (Note(SECRET, (PLACE,)),), FULL
)
ESTIMATE = DistillEstimate(3, 9, 1, 2, 11, Usage(900, 100), 0.5, exact=True)


class TestSummary:
    def test_every_figure_that_matters_is_named(self) -> None:
        assert FULL.summary() == (
            "distilled 5 documents, 12 chunks, 9 calls + 4 resumed, 1000 tokens in, 200 out, "
            "$0.0123, depth 2, 87.5% read, 2 copied chunks, 3 irrelevant chunks, "
            "1 document with nothing to read, 2 FAILED chunks, 1 TRUNCATED note, "
            "1 TRUNCATED answer, 6 failed attempts, 3 marks without a source, "
            "1 REPEATED path, NO source cited, OVER its 64 tokens by counting, "
            "tokens estimated from above"
        )

    def test_what_did_not_happen_is_not_mentioned(self) -> None:
        report = DistillReport(documents=1, chunks=1, calls=2, depth=1, max_output_tokens=9)
        assert report.summary() == (
            "distilled 1 document, 1 chunk, 2 calls, 0 tokens in, 0 out, depth 1, 100.0% read"
        )

    def test_an_estimate(self) -> None:
        assert ESTIMATE.summary() == (
            "3 documents, 9 chunks (1 copy), at most 11 calls, 900 tokens in and 100 out "
            "(exact), at most $0.5000"
        )
        unknown = replace(ESTIMATE, cost=None, exact=False)
        assert unknown.summary().endswith("(estimated), price unknown")


class TestMetadata:
    def test_every_field_is_there_as_json(self) -> None:
        data = FULL.metadata()
        assert json.loads(json.dumps(data, allow_nan=False)) == data
        assert set(data) == {*asdict(FULL), "fits", "complete"}
        assert (data["skipped"], data["failed"], data["unknown_marks"]) == (1, 2, 1)
        assert data["usage"] == {"input_tokens": 1_000, "output_tokens": 200}
        assert WHOLE.metadata() == data

    def test_an_estimate(self) -> None:
        data = ESTIMATE.metadata()
        assert json.loads(json.dumps(data, allow_nan=False)) == data
        assert set(data) == set(asdict(ESTIMATE))


class TestFlags:
    @given(st.integers(0, 50), st.integers(0, 50))
    def test_fits(self, tokens: int, limit: int) -> None:
        assert DistillReport(output_tokens=tokens, max_output_tokens=limit).fits == (
            tokens <= limit
        )

    @pytest.mark.parametrize(
        "report",
        [
            DistillReport(documents=1, truncated_notes=1),
            DistillReport(documents=1, truncated_answer=True),
            DistillReport(documents=1, failed=FULL.failed),
            DistillReport(documents=1, output_tokens=1),
            DistillReport(),
        ],
    )
    def test_what_makes_a_result_incomplete(self, report: DistillReport) -> None:
        assert not report.complete
        assert not Distillation("", report=report).event().complete

    def test_what_does_not(self) -> None:
        report = DistillReport(
            documents=1,
            copied_chunks=1,
            irrelevant_chunks=2,
            skipped=FULL.skipped,
            failed_attempts=3,
        )
        assert report.complete


def test_the_event_of_a_result() -> None:
    assert WHOLE.event() == ContextReduced(
        strategy="distill",
        candidates=12,
        selected=10,
        tokens=80,
        max_tokens=64,
        calls=9,
        complete=False,
    )


def test_nothing_of_the_content_is_in_an_account_or_a_repr() -> None:
    shown = [WHOLE.summary(), str(WHOLE.metadata()), repr(WHOLE.event())]
    assert SECRET not in "".join(shown)
    assert "hush [S1]" not in repr(WHOLE)
    assert "Note(" not in repr(WHOLE)


@pytest.mark.anyio
async def test_a_run_leaks_nothing_through_its_account_or_its_events(tmp_path: Path) -> None:
    """Markers in the text, the path, the question, the answers and the instructions."""
    marker = "zq7xv"

    def answers(call: Call) -> Answer:
        if call.number == 1:
            return ProviderUnavailableError("busy", provider="scripted", status=503)
        if call.reads and call.material.name.endswith("3"):
            return ""
        return f"{marker} says: {echo(call)} [S99]"

    def documents() -> Sequence[Document]:
        texts = [f"{marker} text {number} " * 20 for number in range(5)]
        return [Document(f"{marker}/{i}", text) for i, text in enumerate([*texts, "", texts[0]])]

    model = ScriptedGenerator(answers, price=Price(1.0, 2.0))
    options = DistillOptions(
        on_error="skip",
        retry=RetryPolicy(max_attempts=2, first_delay_seconds=0.0),
        map_instructions=f"Look for {marker}.",
    )
    events: list[Event] = []
    result = await distill(
        documents(),
        f"What of {marker}?",
        client=model,
        options=options,
        checkpoint=tmp_path / "journal",
        observer=events.append,
    )
    estimate = await estimate_distill(documents(), f"{marker}?", client=model, options=options)
    report = result.report
    assert (len(report.failed), len(report.skipped), report.copied_chunks) == (1, 1, 1)
    assert report.failed_attempts
    assert marker in result.text
    accounts = [
        result.summary(),
        json.dumps(result.metadata()),
        estimate.summary(),
        json.dumps(estimate.metadata()),
        *map(repr, events),
    ]
    assert len(events) > 6
    for account in accounts:
        assert marker not in account
