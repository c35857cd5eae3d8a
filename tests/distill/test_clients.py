"""The verb through real clients: real servers on loopback, the real SDKs, a real local model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator_context.distill import DistillOptions, distill
from orchestrator_context.events import CallFailed, Event
from orchestrator_context.exceptions import ProviderRejectedError, ProviderUnavailableError
from orchestrator_context.models import Document
from orchestrator_context.protocols import Generator
from orchestrator_context.providers.anthropic import AnthropicGenerator
from orchestrator_context.providers.cohere import CohereGenerator
from orchestrator_context.providers.local import LocalGenerator
from orchestrator_context.providers.openai import OpenAIGenerator
from orchestrator_context.retrying import RetryPolicy
from tests.loopback import HTML, NOT_JSON, Behaviour, Loopback, Request, cuts, fails, says, waits

pytestmark = pytest.mark.anyio

QUICK = RetryPolicy(max_attempts=6, first_delay_seconds=0.001, max_delay_seconds=0.01)
CLIENTS: dict[str, Callable[[str], Generator]] = {
    "openai": lambda url: OpenAIGenerator("gpt-4o", base_url=url, api_key="key-1234"),
    "anthropic": lambda url: AnthropicGenerator(
        "claude-sonnet-4-5", base_url=url, api_key="key-1234"
    ),
    "cohere": lambda url: CohereGenerator(
        "command-a-03-2025", base_url=url, api_key="key-1234", window=8_000
    ),
}


@pytest.fixture(params=sorted(CLIENTS))
def make(request: pytest.FixtureRequest) -> Callable[[str], Generator]:
    return CLIENTS[request.param]


def corpus(documents: int) -> list[Document]:
    return [Document(f"d{i}", f"SECRET station {i} holds {i * 3} bar.") for i in range(documents)]


async def test_a_server_that_misbehaves_in_every_way_loses_nothing(
    make: Callable[[str], Generator],
) -> None:
    trouble: list[Behaviour] = [
        fails(429, retry_after=0.01),
        fails(500),
        fails(503, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"),
        cuts("before"),
        cuts("middle"),
        says(""),
        says(" \n"),
        NOT_JSON,
        HTML,
    ]
    script = [behaviour for bad in trouble for behaviour in (bad, says(), waits(0.01))]
    events: list[Event] = []
    options = DistillOptions(retry=QUICK, concurrency=4)
    with Loopback(script, answer=lambda request: f"SECRET noted [S1] {request.hash[:6]}") as server:
        result = await distill(
            corpus(40), "SECRET?", client=make(server.url), options=options, observer=events.append
        )
        assert len(server.requests) == 41 + len(trouble)
        assert server.peak <= 4
    assert result.report.complete
    assert result.report.failed_attempts == len(trouble)
    assert len(result.notes) == 40
    assert "SECRET" not in repr(events) + result.summary()
    assert "key-1234" not in repr(events)
    failures = [event for event in events if isinstance(event, CallFailed)]
    assert {failure.status for failure in failures} >= {429, 500, 503}
    assert min(failure.concurrency for failure in failures) < 4  # it gave way


async def test_a_server_whose_window_is_smaller_than_said_gets_smaller_pieces(
    make: Callable[[str], Generator],
) -> None:
    overflow = fails(400, message="prompt is too long: 9000 tokens > 4000 maximum")

    def behave(request: Request) -> Behaviour | None:
        return overflow if len(request.texts[-1]) > 1_500 else None

    text = "".join(f"Line {i} says that valve {i} is open.\n" for i in range(120))
    with Loopback(behave=behave) as server:
        result = await distill(Document("a", text), "Which?", client=make(server.url))
        sent = "".join(request.texts[-1] for request in server.requests)
    assert result.report.complete
    assert len(result.notes) == 1
    assert all(f"Line {i} says" in sent for i in range(120))


async def test_failures_that_last_are_raised_as_they_are(make: Callable[[str], Generator]) -> None:
    options = DistillOptions(retry=QUICK, concurrency=2)
    for status, error, attempts in (
        (401, ProviderRejectedError, 1),
        (503, ProviderUnavailableError, QUICK.max_attempts),
    ):
        failing = fails(status)
        with Loopback([failing] * attempts) as server:
            with pytest.raises(error) as caught:
                await distill(corpus(1), "SECRET?", client=make(server.url), options=options)
            assert len(server.requests) == attempts
        assert caught.value.status == status
        told = f"{caught.value} {caught.value.__notes__}"
        assert "SECRET" not in told
        assert "key-1234" not in told


async def test_a_dead_server_is_an_error_that_says_where(make: Callable[[str], Generator]) -> None:
    with Loopback() as server:
        url = server.url
    options = DistillOptions(retry=RetryPolicy(max_attempts=1))
    with pytest.raises(ProviderUnavailableError):
        await distill(corpus(2), "q", client=make(url), options=options)


async def test_connections_are_kept_between_calls(make: Callable[[str], Generator]) -> None:
    with Loopback(delay_seconds=0.002) as server:
        options = DistillOptions(concurrency=3)
        await distill(corpus(30), "q", client=make(server.url), options=options)
        assert server.connected <= 3


async def test_a_real_local_model_reads_notes_and_answers(gguf_path: Path) -> None:
    client = LocalGenerator(gguf_path, window=1024)
    documents = [Document(f"d{i}", f"The pump {i} was replaced in May.") for i in range(2)]
    options = DistillOptions(max_output_tokens=12, concurrency=2)
    result = await distill(documents, "What was replaced?", client=client, options=options)
    assert result.report.calls == 3
    assert result.report.usage.output_tokens <= 36
    assert result.report.coverage == 1.0
    assert len(result.notes) == 2
