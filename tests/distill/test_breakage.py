"""What hostile or broken services, sources and callers may not do to a run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from orchestrator_context.distill import Checkpoint, DistillOptions, distill
from orchestrator_context.exceptions import (
    CheckpointError,
    ConfigurationError,
    ContextOverflowError,
    LimitExceededError,
    NotReducedError,
    ProviderRejectedError,
    ProviderUnavailableError,
)
from orchestrator_context.models import Document, Generation, Usage
from orchestrator_context.retrying import RetryPolicy
from orchestrator_context.testing import Call, ScriptedGenerator, echo
from orchestrator_context.tokens import token_counter

pytestmark = pytest.mark.anyio

QUERY = "What is there?"
ONCE = RetryPolicy(max_attempts=1)


def corpus(documents: int, words: int = 200) -> list[Document]:
    return [
        Document(f"{name}.txt", " ".join(f"w{name}x{word}" for word in range(words)))
        for name in range(documents)
    ]


async def test_a_wait_that_is_too_long_is_not_imposed_on_the_other_calls() -> None:
    busy = ProviderUnavailableError("busy", provider="x", status=429, retry_after=31_536_000.0)
    model = ScriptedGenerator(lambda call: busy if call.number == 1 else echo(call))
    with anyio.fail_after(30):
        result = await distill(
            corpus(20), QUERY, client=model, options=DistillOptions(on_error="skip")
        )
    assert len(result.report.failed) == 1


async def test_a_service_that_counts_nothing_does_not_lift_the_limits() -> None:
    model = ScriptedGenerator(lambda call: Generation("note [S1]", Usage(0, 0)))
    options = DistillOptions(max_tokens_spent=9_000, concurrency=1)
    with pytest.raises(LimitExceededError):
        await distill(corpus(20), QUERY, client=model, options=options)
    assert 0 < len(model.calls) < 20


async def test_condensing_in_vain_stops_at_the_first_part() -> None:
    model = ScriptedGenerator(lambda call: "word " * 100_000)
    with pytest.raises(NotReducedError) as caught:
        await distill(corpus(2), QUERY, client=model, options=DistillOptions(concurrency=1))
    assert caught.value.notes
    assert len(model.calls) <= 4


@pytest.mark.parametrize(("real_window", "most_calls"), [(2_000, 130), (1_200, 250)])
async def test_a_window_that_is_smaller_than_told(real_window: int, most_calls: int) -> None:
    exact = token_counter()

    def script(call: Call) -> str | Exception:
        if exact.count_messages(call.messages) > real_window:
            return ContextOverflowError("too large", provider="x", status=400)
        return "word " * (call.max_output_tokens * 9 // 10) + "[S1]"

    model = ScriptedGenerator(script, window=16_000)
    options = DistillOptions(max_output_tokens=400)
    result = await distill(corpus(4, 3_000), QUERY, client=model, options=options)
    assert result.text
    assert result.report.coverage == 1.0
    assert len(model.calls) < most_calls  # notes of halves are halves, or there is more to merge


async def test_generators_are_closed_when_a_run_fails() -> None:
    closed: list[str] = []
    model = ScriptedGenerator(lambda call: ProviderRejectedError("no", provider="x", status=401))

    def plain() -> Iterator[Document]:
        try:
            yield from corpus(1_000, 3)
        finally:
            closed.append("plain")

    async def slow_to_close() -> AsyncIterator[Document]:
        try:
            for document in corpus(1_000, 3):
                yield document
        finally:
            await anyio.sleep(0.01)
            closed.append("async")

    for source in (plain(), slow_to_close()):
        with pytest.raises(ProviderRejectedError):
            await distill(source, QUERY, client=model, options=DistillOptions(retry=ONCE))
    assert closed == ["plain", "async"]


@pytest.mark.parametrize("query", ["\u200b", "\ufeff", "\ufeff \u2060\n"])
async def test_an_invisible_question_is_none(query: str) -> None:
    model = ScriptedGenerator()
    with pytest.raises(ConfigurationError, match="query"):
        await distill("text", query, client=model)
    assert not model.calls


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"options": {"concurrency": 3}}, "from_mapping"),
        ({"options": None}, "DistillOptions"),
        ({"client": ScriptedGenerator}, "is a class"),
        ({"checkpoint": 5}, "must be a path"),
        ({"observer": 5}, "observer must be a plain function"),
        ({"observer": anyio.sleep}, "observer must be a plain function"),
        ({"checkpoint": b"x.db"}, "must be a path"),
    ],
)
async def test_arguments_of_another_type_are_named(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        await distill("text", QUERY, **({"client": ScriptedGenerator()} | arguments))


def test_a_reducer_must_not_be_a_coroutine_function() -> None:
    async def reducer(notes: object) -> str:
        return ""

    with pytest.raises(ConfigurationError, match="plain function"):
        DistillOptions(reducer=reducer)  # type: ignore[arg-type]


async def test_an_open_checkpoint_is_not_opened_again(tmp_path: Path) -> None:
    async with Checkpoint(tmp_path / "a.db") as checkpoint:
        with pytest.raises(CheckpointError, match="open already"):
            async with checkpoint:
                pass
        model = ScriptedGenerator()
        result = await distill("some text", QUERY, client=model, checkpoint=checkpoint)
    assert result.report.calls == 2
