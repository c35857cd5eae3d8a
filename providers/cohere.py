"""Models of Cohere, through its own SDK."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import cohere
import regex

from orchestrator_context import checks
from orchestrator_context.catalog import model_profile
from orchestrator_context.exceptions import ProviderUnavailableError
from orchestrator_context.models import FinishReason, Generation, Price, Segment, Usage
from orchestrator_context.protocols import ModelProfile, TokenCounter
from orchestrator_context.providers._chat import chat_messages, joined_text, mapping, usage_of
from orchestrator_context.providers._cohere import ONE_ATTEMPT, PROVIDER, Sdk, unusable
from orchestrator_context.providers._lifetime import KeepsOpen
from orchestrator_context.retrying import RetryPolicy
from orchestrator_context.text import clean, grapheme_break, is_blank
from orchestrator_context.tokens.framing import UPPER

__all__ = ["CohereGenerator"]

_TOKENIZE_CHARACTERS = 65_536  # the most that one request may hold
_LOOK_BACK = 4_096
_WORD_END = regex.compile(r"(?r)(?<=\w) (?=\w)")
_FINISH_REASONS: dict[object, FinishReason] = {
    "COMPLETE": "stop",
    "STOP_SEQUENCE": "stop",
    "MAX_TOKENS": "length",
}


class CohereGenerator(KeepsOpen):
    """A model behind Cohere's `/v2/chat`.

    As an async context manager it keeps its connections open until the end of the block. One
    object may be used in any number of tasks and event loops.

    `Generation.usage` holds the billed tokens. Cohere puts text of its own around the messages,
    which is not billed but takes room in the window.
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
        client: cohere.AsyncClientV2 | None = None,
    ) -> None:
        """Make the generator; nothing is sent.

        Args:
            model: as Cohere calls it.
            api_key: by default `CO_API_KEY` from the environment.
            base_url: by default `CO_API_URL` from the environment, or Cohere.
            window: context window in tokens; by default that of a known model.
            counter: counts the model's tokens.
            price: what the model costs.
            temperature: by default Cohere's own.
            timeout_seconds: time for one attempt.
            retry: when and how often a failed call is made again. The SDK's own retries are off.
            client: a client to use instead of an own one, with its key and address; it is never
                closed.

        Raises:
            ConfigurationError: an argument cannot be used, or there is no key.
        """
        self._sdk = Sdk(
            api_key=api_key,
            base_url=base_url,
            timeout_seconds=timeout_seconds,
            retry=retry,
            client=client,
        )
        super().__init__(self._sdk)
        self._profile = model_profile(model, window=window, counter=counter, price=price)
        warmth = checks.number_or_none("temperature", temperature)
        self._options: dict[str, Any] = {} if warmth is None else {"temperature": warmth}

    @property
    def profile(self) -> ModelProfile:
        """The model that answers."""
        return self._profile

    def __repr__(self) -> str:
        return f"CohereGenerator({self._profile.name!r})"

    async def generate(self, messages: Sequence[Segment], *, max_output_tokens: int) -> Generation:
        """Return the model's answer.

        Raises:
            ConfigurationError: a segment is no plain text.
            ProviderUnavailableError: overload, time-out or no connection, after all attempts.
            ProviderRejectedError: a refused request; `ContextOverflowError` where it was larger
                than the window.
            ProviderResponseError: no text in the answer, after all attempts.
        """
        limit = checks.whole("max_output_tokens", max_output_tokens, least=1)
        chat = _chat(messages)

        async def ask(client: cohere.AsyncClientV2) -> Generation:
            answer = await client.chat(
                model=self._profile.name,
                messages=chat,
                max_tokens=limit,
                request_options=ONE_ATTEMPT,
                **self._options,
            )
            return _generation(_fields(answer))

        return await self._sdk.retrying(ask)

    async def count_tokens(self, messages: Sequence[Segment]) -> int:
        """Return at least the tokens of a request: the texts as Cohere counts them, and framing.

        One call for each text. Cohere does not tell what it puts around texts, so the upper
        estimate for unknown models stands for that. A text of over 65,536 characters is counted
        in parts, cut between words; where there are none, a cut may add a token or two.

        Raises:
            ProviderError: as `generate` does.
        """
        total = UPPER.request
        async with self._sdk:
            for message in chat_messages("CohereGenerator", messages):
                total += UPPER.message
                for part in _parts(clean(message["content"])):
                    total += await self._count(part)
        return total

    async def _count(self, text: str) -> int:
        async def ask(client: cohere.AsyncClientV2) -> int:
            answer = await client.tokenize(
                text=text,
                model=self._profile.name,
                offline=False,  # else the SDK downloads the vocabulary
                request_options=ONE_ATTEMPT,
            )
            tokens = _fields(answer).get("tokens")
            if not isinstance(tokens, list):
                raise unusable("no tokens")
            return len(cast("list[object]", tokens))

        return await self._sdk.retrying(ask)


def _chat(messages: Sequence[Segment]) -> cohere.ChatMessages:
    chat = [
        {"role": message["role"], "content": clean(message["content"])}
        for message in chat_messages("CohereGenerator", messages)
    ]
    return cast("cohere.ChatMessages", chat)


def _parts(text: str, limit: int = _TOKENIZE_CHARACTERS) -> Iterator[str]:
    """Yield `text` in parts that the service takes, cut between words where there are any."""
    start = 0
    while len(text) - start > limit:
        end = start + limit
        space = _WORD_END.search(text, max(start + 1, end - _LOOK_BACK), end)
        cut = grapheme_break(text, end) if space is None else space.start()
        yield text[start:cut]
        start = cut
    if start < len(text):
        yield text[start:]


def _fields(answer: object) -> dict[str, object]:
    """Return what the service sent; the SDK does not check its types."""
    if not isinstance(answer, cohere.V2ChatResponse | cohere.TokenizeResponse):
        raise unusable("something that is no JSON object")
    return answer.model_dump(warnings=False)


def _generation(answer: dict[str, object]) -> Generation:
    reason = answer.get("finish_reason")
    if reason in ("ERROR", "TIMEOUT"):
        raise ProviderUnavailableError(
            f"cohere broke off with {reason}; it may work later", provider=PROVIDER, status=200
        )
    text = joined_text(mapping(answer.get("message")).get("content"))
    if is_blank(text):
        raise unusable("no text", 200)
    known = _FINISH_REASONS.get(reason, "other") if isinstance(reason, str) else "other"
    return Generation(text, _usage(mapping(answer.get("usage"))), known)


def _usage(usage: dict[str, object]) -> Usage | None:
    counts = mapping(usage.get("billed_units")) or mapping(usage.get("tokens"))
    return usage_of(_whole(counts.get("input_tokens")), _whole(counts.get("output_tokens")))


def _whole(count: object) -> object:
    """Return a count as an int; the SDK makes a float of it."""
    return int(count) if isinstance(count, float) and count.is_integer() else count
