"""A text model behind a client of the AnyInfer package, which reaches many services.

AnyInfer runs on asyncio alone, and a client of it lives in one event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from orchestrator_context import checks
from orchestrator_context.catalog import model_profile
from orchestrator_context.exceptions import (
    ConfigurationError,
    ContextError,
    ContextOverflowError,
    ProviderRejectedError,
    ProviderResponseError,
    ProviderUnavailableError,
)
from orchestrator_context.models import Generation, Price, Segment
from orchestrator_context.protocols import ModelProfile, TokenCounter
from orchestrator_context.providers._chat import called_a_tool, finish_reason_of, usage_of
from orchestrator_context.providers._lifetime import KeepsOpen
from orchestrator_context.providers._overflow import find_overflow
from orchestrator_context.retrying import RetryPolicy, call_with_retry
from orchestrator_context.text import clean, is_blank

if TYPE_CHECKING:
    import anyinfer
    from anyinfer.types import Sourced

__all__ = ["AnyInferGenerator"]

Value = TypeVar("Value")


class AnyInferGenerator(KeepsOpen):
    """A model that an `anyinfer.AsyncClient` reaches, such as `ollama:qwen3:8b`.

    Calls of tools, their results and media are sent as they are. An answer that calls a tool and
    has no text is an error.

    The client stays the caller's: it is never closed here. Its own retries, fallback targets and
    health checks are off for these calls, so that one retry layer counts.
    """

    def __init__(
        self,
        client: anyinfer.AsyncClient,
        target: str,
        *,
        window: int | None = None,
        counter: TokenCounter | None = None,
        price: Price | None = None,
        temperature: float | None = None,
        timeout_seconds: float = 120.0,
        retry: RetryPolicy = RetryPolicy(),
        tools: Sequence[anyinfer.ToolSpec] = (),
    ) -> None:
        """Name the model.

        Args:
            client: an open client.
            target: what the client calls the model: `provider:model` or an alias.
            window: context window in tokens. By default what the client knows of it, then what
                the catalogue knows.
            counter: counts the model's tokens.
            price: what the model costs; looked up like the window.
            temperature: 0 for the most likely words; None leaves it to the service.
            timeout_seconds: time limit of one attempt.
            retry: how often a failed call is made again.
            tools: those that a conversation has calls of, for services that ask to know them. The
                model is told not to call any.

        Raises:
            ConfigurationError: the client does not know the target, or a value cannot be used.
        """
        super().__init__(nullcontext())
        self._client = _async_client(client)
        self._target = checks.text("target", target, blank=False)
        self._temperature = checks.number_or_none("temperature", temperature)
        self._timeout_seconds = checks.number("timeout_seconds", timeout_seconds, above=True)
        self._retry = retry
        self._tools = tuple(tools)
        self._profile = _profile(client, target, window, counter, price)

    @property
    def profile(self) -> ModelProfile:
        """The model that answers."""
        return self._profile

    async def generate(self, messages: Sequence[Segment], *, max_output_tokens: int) -> Generation:
        """Return the model's answer.

        Raises:
            FormatError: AnyInfer cannot take a segment; the message names it and a way out.
            ConfigurationError: the event loop is not that of asyncio, or the model is known not
                to take such media.
            ProviderUnavailableError: the same call may work later.
            ProviderRejectedError: it will not; `ContextOverflowError` where it was too large.
            ProviderResponseError: the answer holds no usable text.
        """
        checks.whole("max_output_tokens", max_output_tokens, least=1)
        _require_asyncio()
        from orchestrator_context.providers._anyinfer import anyinfer_messages

        prompt = anyinfer_messages(messages)
        return await call_with_retry(lambda: self._attempt(prompt, max_output_tokens), self._retry)

    async def _attempt(self, prompt: list[anyinfer.Message], max_output_tokens: int) -> Generation:
        import anyinfer

        failures: list[anyinfer.AnyInferError] = []

        def note(error: anyinfer.ProviderError) -> bool:
            failures.append(error)  # the error raised in the end does not tell its Retry-After
            return False

        once = anyinfer.Retry(max_attempts=1, retry_on=note)
        try:
            return _generation(
                await self._client.generate(
                    prompt,
                    route=anyinfer.Route((self._target,), retry=once, health_gate=False),
                    sampling=anyinfer.Sampling(
                        temperature=self._temperature, max_output_tokens=max_output_tokens
                    ),
                    timeout_s=self._timeout_seconds,
                    tools=self._tools,
                    tool_choice="none" if self._tools else "auto",
                )
            )
        except anyinfer.AnyInferError as error:
            failures.append(error)
        # Raised out here so that AnyInfer's error, which may quote the prompt, is let go.
        raise _translated(failures[0], self._target)


def _async_client(client: object) -> anyinfer.AsyncClient:
    try:
        import anyinfer
    except ImportError as error:
        raise ConfigurationError(
            "AnyInfer is not installed: pip install 'orchestrator-context[anyinfer]'"
        ) from error
    if not isinstance(client, anyinfer.AsyncClient):
        raise ConfigurationError(
            f"client must be an anyinfer.AsyncClient, not {type(client).__name__}"
        )
    return client


def _require_asyncio() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise ConfigurationError(
            "AnyInfer runs on asyncio alone; use anyio.run(..., backend='asyncio') or another "
            "generator"
        ) from None


def _profile(
    client: anyinfer.AsyncClient,
    target: str,
    window: int | None,
    counter: TokenCounter | None,
    price: Price | None,
) -> ModelProfile:
    import anyinfer

    try:
        model = client.resolve(target).model
        budget = client.budget("", target=target)
    except anyinfer.AnyInferError as error:
        raise _translated(error, target) from None
    known_window, pricing = _known(budget.context_window), _known(budget.pricing)
    if price is None and pricing is not None and pricing.currency == "USD":
        price = Price(float(pricing.input_per_1m), float(pricing.output_per_1m))
    profile = model_profile(
        model, window=known_window if window is None else window, counter=counter, price=price
    )
    from_client = window is None and known_window is not None
    return replace(profile, window_source="service") if from_client else profile


def _known(value: Sourced[Value] | None) -> Value | None:
    """Return a value that was found out; AnyInfer marks those it assumes as "default"."""
    return None if value is None or value.provenance == "default" else value.value


def _generation(result: anyinfer.Generation) -> Generation:
    service, text = result.target.provider_id, clean(result.text)
    if result.finish_reason == "content_filter":
        raise ProviderRejectedError(
            f"{result.target} refused to answer; nothing but another prompt will help",
            provider=service,
            status=200,
        )
    if is_blank(text):
        if result.tool_calls:
            raise called_a_tool(str(result.target), "tell it in the prompt not to")
        raise ProviderResponseError(
            f"{result.target} wrote no text and stopped with {result.finish_reason!r}",
            provider=service,
        )
    usage = usage_of(result.usage.input_tokens, result.usage.output_tokens)
    return Generation(text, usage, finish_reason_of(result.finish_reason))


def _translated(error: anyinfer.AnyInferError, target: str) -> ContextError:
    """Return our error for one of AnyInfer, without its text, which may quote the prompt."""
    import anyinfer

    status, service = error.http_status, error.provider or "anyinfer"
    what = f"AnyInfer reports {type(error).__name__} for {target}"
    what += "" if status is None else f" (HTTP {status})"
    settings = anyinfer.ConfigError | anyinfer.CredentialError | anyinfer.UnsupportedInputError
    if isinstance(error, settings):
        return ConfigurationError(f"{what}: {error.detail}")
    overflow = find_overflow(error.detail)
    if overflow is not None or isinstance(error, anyinfer.ContextLengthError):
        return ContextOverflowError(
            f"{what}: {overflow or 'the prompt is larger than the window'}; send less",
            provider=service,
            status=status,
            needed=None if overflow is None else overflow.needed,
            available=None if overflow is None else overflow.available,
        )
    if isinstance(error, anyinfer.StreamProtocolError):
        return ProviderResponseError(what, provider=service, status=status)
    if error.retryable:
        return ProviderUnavailableError(
            what, provider=service, status=status, retry_after=error.retry_after_s
        )
    return ProviderRejectedError(what, provider=service, status=status)
