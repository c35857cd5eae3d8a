"""Models of OpenAI and of every server that speaks its chat completions API."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import httpx

from orchestrator_context import checks
from orchestrator_context.catalog import model_profile
from orchestrator_context.exceptions import (
    ConfigurationError,
    ProviderRejectedError,
    ProviderResponseError,
)
from orchestrator_context.models import Generation, Price, Segment
from orchestrator_context.protocols import ModelProfile, TokenCounter
from orchestrator_context.providers._access import api_key_from, base_url_from
from orchestrator_context.providers._chat import (
    called_a_tool,
    finish_reason_of,
    first,
    joined_text,
    mapping,
    usage_of,
)
from orchestrator_context.providers._errors import UnsupportedParameterError
from orchestrator_context.providers._http import HttpClient
from orchestrator_context.providers._lifetime import KeepsOpen
from orchestrator_context.providers._requests import extra_fields, openai_messages
from orchestrator_context.retrying import RetryPolicy
from orchestrator_context.text import is_blank

__all__ = ["OpenAIGenerator"]

LimitName = Literal["max_tokens", "max_completion_tokens"]

_HOST = "api.openai.com"
_OTHER: dict[LimitName, LimitName] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
_REASONING_MODEL = re.compile(r"(?:.*/)?(?:o\d|gpt-[5-9])", re.IGNORECASE)
_REASONING_TOKENS = 4_096
_RESERVED = ("model", "messages", "stream", "n", "max_tokens", "max_completion_tokens")


class OpenAIGenerator(KeepsOpen):
    """A model behind `POST {base_url}/chat/completions`.

    Works with OpenAI, Azure (its `/openai/v1` address), Groq, OpenRouter, vLLM, SGLang, llama.cpp,
    Ollama, LM Studio and others. A thinking block `<think>...</think>` at the very start of an
    answer, as such servers pass it on from open models, is taken off where an answer follows it.

    Calls of tools, their results, images, sounds and files are sent as they are, and messages that
    `from_openai_chat` read go back byte for byte. Schemas of tools go into `extra_body`; few
    servers ask for them. An answer that calls a tool and has no text is an error.

    Ollama shortens a prompt that is longer than its `num_ctx` without a word. Start it with
    `OLLAMA_CONTEXT_LENGTH` no smaller than `window`.

    As an async context manager it keeps its connections open until the end of the block. One
    object may be used in any number of tasks and event loops.

    Args:
        model: as the server calls it.
        api_key: by default `OPENAI_API_KEY` from the environment. Only OpenAI itself needs one.
        base_url: by default `OPENAI_BASE_URL` from the environment, or OpenAI. An address
            without a path gets `/v1`.
        window: context window in tokens; by default that of a known model.
        counter: counts the model's tokens.
        price: what the model costs.
        temperature: by default the server's own; many reasoning models take no other.
        reasoning_tokens: room for hidden reasoning; by default 4,096 for models that are known
            to reason, such as o4-mini and gpt-5, and none for others. It is added to the output
            limit that is sent and taken off the window, so an answer may be that much longer
            than asked for.
        timeout_seconds: time for one attempt.
        retry: when and how often a failed call is made again.
        http_client: a client to use instead of own connections; it is never closed.
        extra_body: more fields for the request, such as `{"reasoning_effort": "low"}` or
            `{"tools": [...], "tool_choice": "none"}`.

    Raises:
        ConfigurationError: an argument cannot be used, or OpenAI has no key.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        window: int | None = None,
        counter: TokenCounter | None = None,
        price: Price | None = None,
        temperature: float | None = None,
        reasoning_tokens: int | None = None,
        timeout_seconds: float = 120.0,
        retry: RetryPolicy = RetryPolicy(),
        http_client: httpx.AsyncClient | None = None,
        extra_body: Mapping[str, object] | None = None,
    ) -> None:
        address = base_url or os.environ.get("OPENAI_BASE_URL") or f"https://{_HOST}/v1"
        url = base_url_from(address)
        if not url.path.strip("/"):
            url = url.copy_with(path="/v1")
        key = api_key_from(api_key, "OPENAI_API_KEY")
        if key is None and url.host == _HOST:
            raise ConfigurationError("OpenAI needs a key: set OPENAI_API_KEY or pass api_key")
        if reasoning_tokens is None:
            reasoning_tokens = _REASONING_TOKENS if _REASONING_MODEL.match(model) else 0
        self._reasoning_tokens = checks.whole("reasoning_tokens", reasoning_tokens)
        self._profile = _less_reasoning(
            model_profile(model, window=window, counter=counter, price=price), reasoning_tokens
        )
        self._limit_name: LimitName = _limit_name(model, url.host)
        self._fixed = _fixed_fields(model, temperature, extra_body)
        self._http = HttpClient(
            "openai",
            url,
            headers={} if key is None else {"Authorization": f"Bearer {key}"},
            timeout_seconds=timeout_seconds,
            retry=retry,
            http_client=http_client,
        )
        super().__init__(self._http)

    @property
    def profile(self) -> ModelProfile:
        """The model; its window is what is left beside `reasoning_tokens`."""
        return self._profile

    def __repr__(self) -> str:
        return f"OpenAIGenerator({self._profile.name!r}, base_url={self._http.address!r})"

    async def generate(self, messages: Sequence[Segment], *, max_output_tokens: int) -> Generation:
        """Return the model's answer.

        Raises:
            FormatError: the API cannot say a segment; its message names it and a way out.
            ProviderUnavailableError: overload, time-out or no connection, after all attempts.
            ProviderRejectedError: a refused request or answer; `ContextOverflowError` where the
                request was larger than the window.
            ProviderResponseError: no text in the answer, after all attempts.
        """
        limit = checks.whole("max_output_tokens", max_output_tokens, least=1)
        body = self._fixed | {"messages": openai_messages(messages)}
        return await self._http.retrying(
            lambda: self._attempt(body, limit + self._reasoning_tokens)
        )

    async def _attempt(self, body: dict[str, object], limit: int) -> Generation:
        """Make one attempt; a server that knows the limit by its other name is asked again."""
        name = self._limit_name  # other calls may switch it meanwhile, so this one keeps its own
        try:
            return _generation(await self._post(body | {name: limit}))
        except UnsupportedParameterError as error:
            if name not in error.parameters:
                raise
        other = self._limit_name = _OTHER[name]
        try:
            return _generation(await self._post(body | {other: limit}))
        except UnsupportedParameterError:
            self._limit_name = name
            raise

    async def _post(self, body: dict[str, object]) -> dict[str, object]:
        return await self._http.post_json("/chat/completions", body)


def _less_reasoning(profile: ModelProfile, reasoning_tokens: int) -> ModelProfile:
    profile = replace(profile, reasoning_tokens=reasoning_tokens)
    if profile.window is None:
        return profile
    if reasoning_tokens >= profile.window:
        raise ConfigurationError(
            f"reasoning_tokens, {reasoning_tokens}, leave nothing of the window of "
            f"{profile.window} tokens; lower them"
        )
    return replace(profile, window=profile.window - reasoning_tokens)


def _limit_name(model: str, host: str) -> LimitName:
    """Return what the output limit is called: OpenAI has a new name, most others know the old."""
    new = host == _HOST or _REASONING_MODEL.match(model)
    return "max_completion_tokens" if new else "max_tokens"


def _fixed_fields(
    model: str, temperature: float | None, extra_body: Mapping[str, object] | None
) -> dict[str, object]:
    extra = extra_fields(extra_body, _RESERVED)
    warmth = checks.number_or_none("temperature", temperature)
    return {"model": model} | ({} if warmth is None else {"temperature": warmth}) | extra


def _generation(answer: dict[str, object]) -> Generation:
    choice = mapping(first(answer.get("choices")))
    message = mapping(choice.get("message"))
    reason = choice.get("finish_reason")
    text = _without_thinking(joined_text(message.get("content")))
    if is_blank(text):
        raise _no_text(message, reason)
    usage = mapping(answer.get("usage"))
    return Generation(
        text,
        usage_of(usage.get("prompt_tokens"), usage.get("completion_tokens")),
        finish_reason_of(reason),
    )


def _without_thinking(text: str) -> str:
    """Return the answer behind a thinking block; nothing where the block is all there is."""
    start = text.lstrip()
    if not start.startswith("<think>"):
        return text
    _, closed, answer = start.partition("</think>")
    return answer.lstrip() if closed else ""


def _no_text(
    message: dict[str, object], reason: object
) -> ProviderResponseError | ProviderRejectedError:
    if message.get("refusal") or reason == "content_filter":
        return ProviderRejectedError(
            "openai refused to answer; nothing but another prompt will help",
            provider="openai",
            status=200,
        )
    if message.get("tool_calls") or message.get("function_call"):
        return called_a_tool("openai", 'put tool_choice "none" into extra_body')
    hint = "call it again or change the prompt"
    if finish_reason_of(reason) == "length":
        hint = "all its output went into reasoning: raise reasoning_tokens or max_output_tokens"
    return ProviderResponseError(
        f"openai answered without any text; {hint}", provider="openai", status=200
    )
