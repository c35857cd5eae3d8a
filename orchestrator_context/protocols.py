"""What the library asks of the outside: count, generate, observe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from orchestrator_context.budget import WindowSource
from orchestrator_context.models import Generation, Price, Segment


@runtime_checkable
class TokenCounter(Protocol):
    """Counts tokens. `token_counter` makes one from a model name, a file or a function."""

    @property
    def name(self) -> str:
        """Name of the vocabulary; counters of one name count alike."""
        ...

    @property
    def exact(self) -> bool:
        """Whether counts are what the model counts; if not, they are upper estimates."""
        ...

    def count(self, text: str) -> int:
        """Return the tokens of `text`. Strings that look like special tokens are plain text."""
        ...

    def count_messages(
        self, messages: Sequence[Segment], *, tools: Sequence[Mapping[str, object]] = ()
    ) -> int:
        """Return the tokens of a request: texts, media, framing and tool schemas."""
        ...


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """What has to be known of a model before it is called.

    Attributes:
        name: the model, as its provider calls it.
        counter: counts its tokens.
        window: context window in tokens, input and output together, or None while unknown.
        price: US dollars for a million tokens, or None while unknown.
        reasoning_tokens: tokens that an answer may take beyond its limit for hidden reasoning;
            `window` is what is left beside them.
        window_source: where `window` comes from, as in `Budget`; says nothing where it is None.
    """

    name: str
    counter: TokenCounter
    window: int | None = None
    price: Price | None = None
    reasoning_tokens: int = 0
    window_source: WindowSource = "given"


@runtime_checkable
class Generator(Protocol):
    """A text model. Everything in `orchestrator_context.providers` named `*Generator` is one.

    A generator that is also an async context manager is entered by the verb it is given to, for
    as long as the verb runs; entering it around several verbs keeps its connections between them.
    """

    @property
    def profile(self) -> ModelProfile:
        """The model that answers."""
        ...

    async def generate(self, messages: Sequence[Segment], *, max_output_tokens: int) -> Generation:
        """Return the model's answer.

        Raises:
            ProviderUnavailableError: the same call may work later.
            ProviderRejectedError: it will not; `ContextOverflowError` where it was too large.
            ProviderResponseError: the answer holds no usable text.
        """
        ...
