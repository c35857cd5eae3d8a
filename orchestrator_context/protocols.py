"""What the library asks of the outside: count, generate, embed, rerank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from orchestrator_context.budget import WindowSource
from orchestrator_context.models import Generation, Price, Segment

Vector = Sequence[float]


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


@runtime_checkable
class Embedder(Protocol):
    """A model that turns texts into vectors."""

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return one vector for each of `texts`, in order.

        Raises:
            ProviderError: as `Generator.generate` does.
        """
        ...


@runtime_checkable
class Reranker(Protocol):
    """A model that reads a question and a text together and scores how well the text answers.

    Everything in `orchestrator_context.providers` named `*Reranker` is one. One that is also an
    async context manager is entered for as long as it is used, as a `Generator` is.
    """

    async def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float | None]:
        """Return one score for each of `texts`, in order: more is better, None where it has none.

        Scores are to be compared within one answer; models that score each text by itself, as most
        do, may be compared over several.

        Raises:
            ProviderError: as `Generator.generate` does.
        """
        ...
