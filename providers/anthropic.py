"""Models of Anthropic, and of every server that speaks its Messages API."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import cast

import httpx

from orchestrator_context import checks
from orchestrator_context.catalog import model_profile
from orchestrator_context.exceptions import (
    ConfigurationError,
    ContextOverflowError,
    ProviderRejectedError,
    ProviderResponseError,
)
from orchestrator_context.models import Generation, Price, Segment
from orchestrator_context.protocols import ModelProfile, TokenCounter
from orchestrator_context.providers._access import api_key_from, base_url_from
from orchestrator_context.providers._chat import (
    called_a_tool,
    finish_reason_of,
    joined_text,
    mapping,
    usage_of,
)
from orchestrator_context.providers._http import HttpClient
from orchestrator_context.providers._lifetime import KeepsOpen
from orchestrator_context.providers._requests import (
    anthropic_request,
    calls_tools,
    extra_fields,
)
from orchestrator_context.retrying import RetryPolicy
from orchestrator_context.text import is_blank

__all__ = ["AnthropicGenerator"]

_HOST = "api.anthropic.com"
_VERSION = "2023-06-01"
_RESERVED = ("model", "messages", "system", "stream", "max_tokens")
_COUNTED = ("tools", "tool_choice", "thinking")


class AnthropicGenerator(KeepsOpen):
    """A model behind `POST {base_url}/messages`.

    System segments go into the `system` field, a blank line apart, wherever they stand. Calls of
    tools, their results, images and PDF files are sent as they are, and what `from_anthropic` read
    goes back byte for byte. Anthropic may refuse calls and results whose tools it is not told:
    put them into `extra_body`. An answer that calls a tool and has no text is an error.

    Tokens are estimated from above, because the vocabulary is not public; `count_tokens` asks the
    service.

    As an async context manager it keeps its connections open until the end of the block. One
    object may be used in any number of tasks and event loops.

    Args:
        model: as the service calls it.
        api_key: by default `ANTHROPIC_API_KEY` from the environment. Only Anthropic itself
            needs one.
        base_url: by default `ANTHROPIC_BASE_URL` from the environment, or Anthropic. `/v1` is
            added where it does not end with it.
        window: context window in tokens; by default that of a known model.
        counter: counts the model's tokens.
        price: what the model costs.
        temperature: from 0 to 1; by default the service's own.
        timeout_seconds: time for one attempt.
        retry: when and how often a failed call is made again.
        http_client: a client to use instead of own connections; it is never closed.
        extra_body: more fields for the request, such as
            `{"tools": [...], "tool_choice": {"type": "none"}}`.

    Raises:
        ConfigurationError: an argument cannot be used, or Anthropic has no key.
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
        timeout_seconds: float = 120.0,
        retry: RetryPolicy = RetryPolicy(),
        http_client: httpx.AsyncClient | None = None,
        extra_body: Mapping[str, object] | None = None,
    ) -> None:
        address = base_url or os.environ.get("ANTHROPIC_BASE_URL") or f"https://{_HOST}"
        url = base_url_from(address)
        if not url.path.endswith("/v1"):
            url = url.copy_with(path=url.path.rstrip("/") + "/v1")
        key = api_key_from(api_key, "ANTHROPIC_API_KEY")
        if key is None and url.host == _HOST:
            raise ConfigurationError("Anthropic needs a key: set ANTHROPIC_API_KEY or pass api_key")
        self._profile = model_profile(model, window=window, counter=counter, price=price)
        warmth = checks.number_or_none("temperature", temperature, most=1.0)
        self._extra = extra_fields(extra_body, _RESERVED)
        fixed: dict[str, object] = {} if warmth is None else {"temperature": warmth}
        self._options = fixed | self._extra
        self._http = HttpClient(
            "anthropic",
            url,
            headers={"anthropic-version": _VERSION} | ({} if key is None else {"x-api-key": key}),
            timeout_seconds=timeout_seconds,
            retry=retry,
            http_client=http_client,
        )
        super().__init__(self._http)

    @property
    def profile(self) -> ModelProfile:
        """The model."""
        return self._profile

    def __repr__(self) -> str:
        return f"AnthropicGenerator({self._profile.name!r}, base_url={self._http.address!r})"

    async def generate(self, messages: Sequence[Segment], *, max_output_tokens: int) -> Generation:
        """Return the model's answer.

        Raises:
            FormatError: the API cannot say a segment; its message names it and a way out.
            ConfigurationError: all segments are the system's.
            ProviderUnavailableError: overload, time-out or no connection, after all attempts.
            ProviderRejectedError: a refused request or answer; `ContextOverflowError` where the
                request was larger than the window.
            ProviderResponseError: no text in the answer, after all attempts.
        """
        limit = checks.whole("max_output_tokens", max_output_tokens, least=1)
        body = self._prompt(messages) | self._options | {"max_tokens": limit}

        async def attempt() -> Generation:
            return _generation(await self._post("/messages", body, messages))

        return await self._http.retrying(attempt)

    async def count_tokens(self, messages: Sequence[Segment]) -> int:
        """Return the tokens of a request as Anthropic counts them, in one free call.

        Raises:
            FormatError: the API cannot say a segment.
            ConfigurationError: all segments are the system's.
            ProviderError: the service cannot count them.
        """
        counted = {name: self._extra[name] for name in _COUNTED if name in self._extra}
        body = self._prompt(messages) | counted

        async def attempt() -> int:
            return _count(await self._post("/messages/count_tokens", body, messages))

        return await self._http.retrying(attempt)

    def _prompt(self, segments: Sequence[Segment]) -> dict[str, object]:
        request = anthropic_request(segments)
        prompt: dict[str, object] = {"model": self._profile.name, "messages": request.messages}
        return prompt | ({} if request.system is None else {"system": request.system})

    async def _post(
        self, path: str, body: dict[str, object], segments: Sequence[Segment]
    ) -> dict[str, object]:
        """Return the answer; a refusal says so where the tools in the segments may be the cause."""
        try:
            return await self._http.post_json(path, body)
        except ContextOverflowError:
            raise
        except ProviderRejectedError as error:
            if error.status != 400 or "tools" in body or not calls_tools(segments):
                raise
            message = f"{error}; there are calls of tools: name these tools in extra_body"
        raise ProviderRejectedError(message, provider="anthropic", status=400)


def _generation(answer: dict[str, object]) -> Generation:
    reason = answer.get("stop_reason")
    if reason == "refusal":
        raise ProviderRejectedError(
            "anthropic refused to answer; nothing but another prompt will help",
            provider="anthropic",
            status=200,
        )
    text = joined_text(answer.get("content"))
    if is_blank(text):
        if _calls_a_tool(answer.get("content")):
            way_out = 'put tool_choice {"type": "none"} into extra_body'
            raise called_a_tool("anthropic", way_out)
        hint = "raise max_output_tokens" if reason == "max_tokens" else "call it again"
        raise _unusable(f"without any text; {hint} or change the prompt")
    usage = mapping(answer.get("usage"))
    cached = usage.get("cache_creation_input_tokens"), usage.get("cache_read_input_tokens")
    return Generation(
        text,
        usage_of(usage.get("input_tokens"), usage.get("output_tokens"), *cached),
        finish_reason_of(reason),
    )


def _calls_a_tool(content: object) -> bool:
    blocks = cast("list[object]", content) if isinstance(content, list) else []
    return any(mapping(block).get("type") == "tool_use" for block in blocks)


def _count(answer: dict[str, object]) -> int:
    count = answer.get("input_tokens")
    if type(count) is not int or count < 0:
        raise _unusable("without a count of tokens; check base_url")
    return count


def _unusable(what: str) -> ProviderResponseError:
    return ProviderResponseError(f"anthropic answered {what}", provider="anthropic", status=200)
