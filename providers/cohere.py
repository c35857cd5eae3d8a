"""Models of Cohere, through its own SDK."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, cast

import cohere
import regex

from orchestrator_context import checks
from orchestrator_context.catalog import model_profile
from orchestrator_context.conversation.formats.sayable import unsayable
from orchestrator_context.exceptions import ProviderUnavailableError
from orchestrator_context.models import FinishReason, Generation, Price, Segment, Usage
from orchestrator_context.protocols import ModelProfile, TokenCounter
from orchestrator_context.providers._chat import called_a_tool, joined_text, mapping, usage_of
from orchestrator_context.providers._cohere import ONE_ATTEMPT, PROVIDER, Sdk, unusable
from orchestrator_context.providers._cohere_chat import cohere_messages, texts_of
from orchestrator_context.providers._lifetime import KeepsOpen
from orchestrator_context.providers._requests import extra_fields
from orchestrator_context.retrying import RetryPolicy
from orchestrator_context.text import grapheme_break, is_blank
from orchestrator_context.tokens.framing import UPPER

__all__ = ["CohereGenerator"]

_TOKENIZE_CHARACTERS = 65_536  # the most that one request may hold
_LOOK_BACK = 4_096
_RESERVED = ("model", "messages", "stream", "max_tokens", "temperature")
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

    Calls of tools, their results and images are sent as they are, and messages of Cohere that
    `from_openai_chat` read go back as they were. Schemas of tools go into `extra_body`. An answer
    that calls a tool and has no text is an error.

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
        extra_body: Mapping[str, object] | None = None,
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
            extra_body: more fields for the request, such as
                `{"tools": [...], "tool_choice": "NONE"}`.

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
        self._once = ONE_ATTEMPT.copy()
        if extra_body is not None:
            self._once["additional_body_parameters"] = extra_fields(extra_body, _RESERVED)

    @property
    def profile(self) -> ModelProfile:
        """The model that answers."""
        return self._profile

    def __repr__(self) -> str:
        return f"CohereGenerator({self._profile.name!r})"

    async def generate(self, messages: Sequence[Segment], *, max_output_tokens: int) -> Generation:
        """Return the model's answer.

        Raises:
            FormatError: Cohere cannot take a segment; its message names it and a way out.
            ProviderUnavailableError: overload, time-out or no connection, after all attempts.
            ProviderRejectedError: a refused request; `ContextOverflowError` where it was larger
                than the window.
            ProviderResponseError: no text in the answer, after all attempts.
        """
        limit = checks.whole("max_output_tokens", max_output_tokens, least=1)
        chat = cast("cohere.ChatMessages", cohere_messages(messages))

        async def ask(client: cohere.AsyncClientV2) -> Generation:
            answer = await client.chat(
                model=self._profile.name,
                messages=chat,
                max_tokens=limit,
                request_options=self._once,
                **self._options,
            )
            return _generation(_fields(answer))

        return await self._sdk.retrying(ask)

    async def count_tokens(self, messages: Sequence[Segment]) -> int:
        """Return at least the tokens of a request: the texts as Cohere counts them, and framing.

        One call for each text. Cohere does not tell what it puts around texts, so the upper
        estimate for unknown models stands for that. A text of over 65,536 characters is counted
        in parts, cut between words; where there are none, a cut may add a token or two. Schemas of
        tools are left aside.

        Raises:
            FormatError: a segment is more than text, calls and results.
            ProviderError: as `generate` does.
        """
        for segment in messages:
            if segment.media:
                why, way_out = "it counts text only", "ask profile.counter"
                raise unsayable("Cohere's tokenizer", segment, why, way_out)
        chat, total = cohere_messages(messages), UPPER.request
        async with self._sdk:
            for message in chat:
                total += UPPER.message
                for part in chain.from_iterable(map(_parts, texts_of(message))):
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
    message = mapping(answer.get("message"))
    text = joined_text(message.get("content"))
    if is_blank(text):
        if message.get("tool_calls"):
            raise called_a_tool(PROVIDER, 'put tool_choice "NONE" into extra_body')
        raise unusable("no text", 200)
    known = _FINISH_REASONS.get(reason, "other") if isinstance(reason, str) else "other"
    return Generation(text, _usage(mapping(answer.get("usage"))), known)


def _usage(usage: dict[str, object]) -> Usage | None:
    counts = mapping(usage.get("billed_units")) or mapping(usage.get("tokens"))
    return usage_of(_whole(counts.get("input_tokens")), _whole(counts.get("output_tokens")))


def _whole(count: object) -> object:
    """Return a count as an int; the SDK makes a float of it."""
    return int(count) if isinstance(count, float) and count.is_integer() else count
