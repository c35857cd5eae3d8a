"""Counts asked of a provider beforehand, for models whose vocabulary is not public."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Segment
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens.counter import Counter, token_counter
from orchestrator_context.tokens.framing import UPPER, Framing
from orchestrator_context.tokens.memo import text_digest


class RemoteCounter(Protocol):
    """A service that tells how many tokens a request has, such as Anthropic's or Cohere's."""

    async def count_tokens(self, messages: Sequence[Segment]) -> int:
        """Return the tokens of a request with `messages`, framing included."""
        ...


class Precounted:
    """A `TokenCounter` of counts that a service gave beforehand.

    Attributes:
        name: holds a digest of the counts it knows, since only equal ones count alike.
    """

    def __init__(
        self, known: Mapping[bytes, int], fallback: TokenCounter, framing: Framing
    ) -> None:
        self._known = known
        self._fallback = fallback
        self._asked = self._guessed = False
        digest = hashlib.sha256(repr(sorted(known.items())).encode()).hexdigest()[:16]
        self.name = f"precounted-{digest}-{fallback.name}"
        self._counter = Counter(self.name, False, self.count, framing)

    @property
    def exact(self) -> bool:
        """Whether something was counted, and all of it as the service counts."""
        return self._asked and not self._guessed

    def count(self, text: str) -> int:
        """Return the service's count of `text`, or that of the fallback where it was not asked."""
        self._asked = True
        tokens = self._known.get(text_digest(text))
        if tokens is None:
            self._guessed = self._guessed or not self._fallback.exact
            return self._fallback.count(text)
        return tokens

    def count_messages(
        self, messages: Sequence[Segment], *, tools: Sequence[Mapping[str, object]] = ()
    ) -> int:
        """Return the tokens of a request; an upper bound unless it is one message of text."""
        plain = len(messages) == 1 and not (messages[0].author or messages[0].media or tools)
        self._guessed = self._guessed or not plain
        return self._counter.count_messages(messages, tools=tools)


async def precount(
    texts: Sequence[str], remote: RemoteCounter, *, fallback: TokenCounter | None = None
) -> TokenCounter:
    """Return a counter that knows what `remote` counts for `texts`, each asked once.

    Two more calls find what requests and messages take beside their texts. Blank texts, which
    services refuse, and texts not asked for are counted by the fallback.

    Args:
        texts: what to ask for.
        remote: the service; its errors are not caught.
        fallback: counts all other texts; the upper estimate by default.

    Raises:
        ConfigurationError: an argument is not of its type.
    """
    given = checks.instances("texts", texts, str, "texts")
    if isinstance(remote, type) or not checks.is_async(getattr(remote, "count_tokens", None)):
        raise ConfigurationError(
            f"remote must have an async count_tokens(messages), which {checks.sort_of(remote)} "
            "has not"
        )
    if fallback is not None:
        checks.instance("fallback", fallback, TokenCounter, "token_counter(model)")  # type: ignore[type-abstract]
    framing = await _framing(remote)
    known = {text_digest(""): 0}
    for text in dict.fromkeys(given):
        if text.strip():
            asked = await remote.count_tokens([Segment(text)])
            known[text_digest(text)] = max(0, asked - framing.request - framing.message)
    return Precounted(known, fallback or token_counter("claude-"), framing)


async def _framing(remote: RemoteCounter) -> Framing:
    """Return what one and three messages take, beside a letter in each, which is one token."""
    letters = [Segment("a"), Segment("a", role="assistant"), Segment("a")]
    one = await remote.count_tokens(letters[:1]) - 1
    three = await remote.count_tokens(letters) - 3
    message = max(0, math.ceil((three - one) / 2))
    return replace(UPPER, message=message, request=max(0, one - message))
