"""Models of Anthropic, and of every server that speaks its Messages API."""

from __future__ import annotations

import os
from collections.abc import Sequence

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
    chat_messages,
    finish_reason_of,
    joined_text,
    mapping,
    usage_of,
)
from orchestrator_context.providers._http import HttpClient
from orchestrator_context.providers._lifetime import KeepsOpen
from orchestrator_context.retrying import RetryPolicy
from orchestrator_context.text import is_blank

__all__ = ["AnthropicGenerator"]

_HOST = "api.anthropic.com"
_VERSION = "2023-06-01"


class AnthropicGenerator(KeepsOpen):
    """A model behind `POST {base_url}/messages`.

    System segments go into the `system` field, a blank line apart, wherever they stand. Tokens are
    estimated from above, because the vocabulary is not public; `count_tokens` asks the service.

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
        self._options: dict[str, object] = {} if warmth is None else {"temperature": warmth}
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
            ConfigurationError: a segment is no plain text, or all are system segments.
            ProviderUnavailableError: overload, time-out or no connection, after all attempts.
            ProviderRejectedError: a refused request or answer; `ContextOverflowError` where the
                request was larger than the window.
            ProviderResponseError: no text in the answer, after all attempts.
        """
        limit = checks.whole("max_output_tokens", max_output_tokens, least=1)
        body = self._prompt(messages) | self._options | {"max_tokens": limit}

        async def attempt() -> Generation:
            return _generation(await self._http.post_json("/messages", body))

        return await self._http.retrying(attempt)

    async def count_tokens(self, messages: Sequence[Segment]) -> int:
        """Return the tokens of a request as Anthropic counts them, in one free call.

        Raises:
            ConfigurationError: a segment is no plain text, or all are system segments.
            ProviderError: the service cannot count them.
        """
        body = self._prompt(messages)

        async def attempt() -> int:
            return _count(await self._http.post_json("/messages/count_tokens", body))

        return await self._http.retrying(attempt)

    def _prompt(self, segments: Sequence[Segment]) -> dict[str, object]:
        messages = chat_messages("AnthropicGenerator", segments)
        system = [message["content"] for message in messages if message["role"] == "system"]
        turns = [message for message in messages if message["role"] != "system"]
        if not turns:
            raise ConfigurationError("Anthropic answers no prompt without a user segment")
        prompt: dict[str, object] = {"model": self._profile.name, "messages": turns}
        return prompt | ({"system": "\n\n".join(system)} if system else {})


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
        hint = "raise max_output_tokens" if reason == "max_tokens" else "call it again"
        raise _unusable(f"without any text; {hint} or change the prompt")
    usage = mapping(answer.get("usage"))
    cached = usage.get("cache_creation_input_tokens"), usage.get("cache_read_input_tokens")
    return Generation(
        text,
        usage_of(usage.get("input_tokens"), usage.get("output_tokens"), *cached),
        finish_reason_of(reason),
    )


def _count(answer: dict[str, object]) -> int:
    count = answer.get("input_tokens")
    if type(count) is not int or count < 0:
        raise _unusable("without a count of tokens; check base_url")
    return count


def _unusable(what: str) -> ProviderResponseError:
    return ProviderResponseError(f"anthropic answered {what}", provider="anthropic", status=200)
