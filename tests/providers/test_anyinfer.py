from __future__ import annotations

from collections.abc import AsyncIterator
from decimal import Decimal

import anyinfer
import anyio
import pytest
from anyinfer.registry import ProviderRegistry
from anyinfer.testing.scripted import ScriptedFailure, ScriptedModel, ScriptedProvider
from anyinfer.types import ModelCapabilities, Sourced
from anyinfer.types.capabilities import Pricing
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.exceptions import (
    ConfigurationError,
    ContextOverflowError,
    ProviderError,
    ProviderRejectedError,
    ProviderResponseError,
    ProviderUnavailableError,
)
from orchestrator_context.models import Media, Price, Segment, Usage
from orchestrator_context.protocols import Generator
from orchestrator_context.providers.anyinfer import AnyInferGenerator
from orchestrator_context.retrying import RetryPolicy, call_with_retry

PROMPT = [Segment("Be brief.", role="system"), Segment("Why?")]
QUICK = RetryPolicy(max_attempts=3, first_delay_seconds=0.001)


def scripted(**model: object) -> tuple[anyinfer.AsyncClient, ScriptedProvider]:
    """A client of the real package, whose service is its own in-process fake."""
    provider = ScriptedProvider("acme", [ScriptedModel("m", **model)])  # type: ignore[arg-type]
    registry = provider.register(ProviderRegistry())
    settings = [provider.settings()]
    client = anyinfer.AsyncClient(settings, registry=registry, use_default_catalog=False)
    return client, provider


def failing(
    kind: str = "status", *, status: int = 503, times: int = 9, message: str = "quotes the prompt"
) -> tuple[anyinfer.AsyncClient, ScriptedProvider]:
    failure = ScriptedFailure(kind, status, 0.0, message)  # type: ignore[arg-type]
    return scripted(failures=(failure,) * times)


@pytest.fixture(params=["asyncio"])
def asyncio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def generate(client: anyinfer.AsyncClient, retry: RetryPolicy = QUICK) -> object:
    generator = AnyInferGenerator(client, "acme:m", retry=retry)
    return await generator.generate(PROMPT, max_output_tokens=9)
