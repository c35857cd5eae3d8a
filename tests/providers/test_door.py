"""What every shipped client has in common at its door."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Segment
from orchestrator_context.plugins import load_generator
from orchestrator_context.providers.function import FunctionGenerator
from orchestrator_context.testing import ScriptedGenerator


async def ask(prompt: str) -> str:
    return "ok"


CLIENTS: dict[str, Callable[[], Any]] = {
    "openai": lambda: load_generator("openai:gpt-5", api_key="k"),
    "anthropic": lambda: load_generator("anthropic:claude-sonnet-4-5", api_key="k"),
    "cohere": lambda: load_generator("cohere:command-a-03-2025", api_key="k"),
    "extractive": lambda: load_generator("extractive"),
    "function": lambda: FunctionGenerator(ask, window=99),
    "scripted": ScriptedGenerator,
}


@pytest.mark.anyio
@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("messages", ["Hi.", None, 3, [{"role": "user", "content": "Hi."}]])
async def test_what_are_no_segments_is_refused(name: str, messages: object) -> None:
    with pytest.raises(ConfigurationError, match="messages must"):
        await CLIENTS[name]().generate(messages, max_output_tokens=9)


@pytest.mark.anyio
@pytest.mark.parametrize("name", CLIENTS)
async def test_a_client_can_be_entered_and_is_the_same_inside(name: str) -> None:
    client = CLIENTS[name]()
    assert isinstance(client, AbstractAsyncContextManager)
    async with client as inside:
        assert inside is client


@pytest.mark.anyio
async def test_a_scripted_client_answers_a_conversation() -> None:
    async with ScriptedGenerator() as client:
        answer = await client.generate([Segment("One two three")], max_output_tokens=16)
    assert answer.text == "One two"


@pytest.mark.parametrize("script", ["x", None, ask])
def test_a_script_is_a_plain_function(script: Any) -> None:
    with pytest.raises(ConfigurationError, match="script must be a"):
        ScriptedGenerator(script)


@pytest.mark.anyio
async def test_a_script_gives_back_an_answer() -> None:
    with pytest.raises(ConfigurationError, match="what script gives back"):
        await ScriptedGenerator(lambda call: None).generate(  # type: ignore[arg-type, return-value]
            [Segment("Hi.")], max_output_tokens=9
        )
