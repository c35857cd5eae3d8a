"""Any coroutine function as a text model."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from typing import Literal, Protocol, overload

from orchestrator_context import checks
from orchestrator_context.catalog import model_profile
from orchestrator_context.exceptions import ConfigurationError, ProviderResponseError
from orchestrator_context.models import Generation, Price, Segment
from orchestrator_context.protocols import ModelProfile, TokenCounter
from orchestrator_context.providers._lifetime import KeepsOpen
from orchestrator_context.providers._requests import ChatMessage, text_messages
from orchestrator_context.text import is_blank

__all__ = ["FunctionGenerator"]

Style = Literal["text", "messages"]
Answer = Awaitable[str | Generation]
ChatMessages = list[dict[str, str]]

_HEADING = re.compile(r"(?m)^(?=\\*\[(?:system|user|assistant)\][^\S\n]*$)")
_ESCAPE = r"\\"


class _LimitedText(Protocol):
    def __call__(self, prompt: str, /, *, max_output_tokens: int) -> Answer: ...


class _LimitedMessages(Protocol):
    def __call__(self, messages: ChatMessages, /, *, max_output_tokens: int) -> Answer: ...


TextFunction = Callable[[str], Answer] | _LimitedText
MessagesFunction = Callable[[ChatMessages], Answer] | _LimitedMessages


class FunctionGenerator(KeepsOpen):
    """A model behind `async def ask(prompt: str) -> str`.

    With `style="text"` the function gets the whole prompt as one text, its messages a blank line
    apart. Where some are the assistant's, all stand under `[user]` or `[assistant]`, and lines in
    them that look like that are escaped by a backslash. With `style="messages"` it gets a list of
    `{"role": ..., "content": ...}`. It gives back a str, or a `Generation` where it knows the usage
    or that the answer was cut off. If it has a parameter named `max_output_tokens`, the limit is
    passed by that name. Calls of tools and their results are told in words, under headings such as
    `[call of search]`.

    What the function raises reaches the caller unchanged, and only a `ProviderUnavailableError`
    or `ProviderResponseError` is worth another try to the verbs.

    >>> import anyio
    >>> async def ask(prompt: str) -> str:
    ...     return f"{len(prompt.split())} words"
    >>> async def chat(messages: list[dict[str, str]], max_output_tokens: int) -> str:
    ...     return f"{messages[0]['role']}, at most {max_output_tokens} tokens"
    >>> async def main() -> None:
    ...     model = FunctionGenerator(ask, window=8_000)
    ...     other = FunctionGenerator(chat, style="messages", window=8_000)
    ...     for generator in (model, other):
    ...         answer = await generator.generate([Segment("Say hi")], max_output_tokens=9)
    ...         print(answer.text)
    >>> anyio.run(main)
    2 words
    user, at most 9 tokens
    """

    @overload
    def __init__(
        self,
        function: TextFunction,
        *,
        style: Literal["text"] = "text",
        name: str | None = None,
        window: int | None = None,
        counter: TokenCounter | None = None,
        price: Price | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self,
        function: MessagesFunction,
        *,
        style: Literal["messages"],
        name: str | None = None,
        window: int | None = None,
        counter: TokenCounter | None = None,
        price: Price | None = None,
    ) -> None: ...
    def __init__(
        self,
        function: TextFunction | MessagesFunction,
        *,
        style: Style = "text",
        name: str | None = None,
        window: int | None = None,
        counter: TokenCounter | None = None,
        price: Price | None = None,
    ) -> None:
        """Wrap `function`.

        Args:
            function: a coroutine function. A blocking one would stop the event loop, so it is
                refused: wrap it in one that awaits `anyio.to_thread.run_sync`.
            style: what the function is given.
            name: the model behind it. A known name brings window, price and counter with it, and
                checkpoints tell models apart by it. By default the name of the function.
            window: context window in tokens.
            counter: counts the model's tokens.
            price: what the model costs.

        Raises:
            ConfigurationError: `function` is not a coroutine function that takes a prompt.
        """
        super().__init__(nullcontext())
        self._function: Callable[..., Answer] = _coroutine_function(function)
        self._style: Style = checks.choice("style", style, ("text", "messages"))
        self._limited = "max_output_tokens" in inspect.signature(function).parameters
        self._profile = model_profile(
            _name(function) if name is None else checks.text("name", name, blank=False),
            window=window,
            counter=counter,
            price=price,
        )

    @property
    def profile(self) -> ModelProfile:
        """The model behind the function."""
        return self._profile

    async def generate(self, messages: Sequence[Segment], *, max_output_tokens: int) -> Generation:
        """Return what the function answers.

        Raises:
            FormatError: a segment has media or reasoning, which no text can stand for.
            ProviderResponseError: it gave back a blank text or something else than a text.
        """
        checks.whole("max_output_tokens", max_output_tokens, least=1)
        options = {"max_output_tokens": max_output_tokens} if self._limited else {}
        return self._generation(await self._function(self._prompt(messages), **options))

    def _prompt(self, messages: Sequence[Segment]) -> str | ChatMessages:
        chat = text_messages("FunctionGenerator", messages)
        if self._style == "text":
            return _as_text(chat)
        return [{"role": message["role"], "content": message["content"]} for message in chat]

    def _generation(self, answer: object) -> Generation:
        if isinstance(answer, str):
            answer = Generation(answer)
        if not isinstance(answer, Generation):
            raise self._unusable(f"gave back {type(answer).__name__}, not str or Generation")
        if is_blank(answer.text):
            raise self._unusable("gave back a blank text")
        return answer

    def _unusable(self, what: str) -> ProviderResponseError:
        name = self._profile.name
        return ProviderResponseError(f"The function behind {name!r} {what}", provider=name)


def _coroutine_function(function: Callable[..., Answer]) -> Callable[..., Answer]:
    if not callable(function):
        raise ConfigurationError(
            f"function must be a coroutine function, not {type(function).__name__}"
        )
    inner = inspect.unwrap(_whole(function))
    if not any(map(inspect.iscoroutinefunction, (inner, type(inner).__call__))):
        raise ConfigurationError(
            f"{_name(function)} is not a coroutine function. If it blocks, wrap it: "
            f"async def ask(prompt): return await anyio.to_thread.run_sync({_name(function)}, "
            "prompt). If it gives back an awaitable: async def ask(prompt): return await "
            f"{_name(function)}(prompt)"
        )
    if not _takes_prompt(function):
        raise ConfigurationError(f"{_name(function)} must take one argument: the prompt")
    return function


def _takes_prompt(function: Callable[..., Answer]) -> bool:
    signature = inspect.signature(function)
    limit = {"max_output_tokens": 1} if "max_output_tokens" in signature.parameters else {}
    try:
        signature.bind("", **limit)
    except TypeError:
        return False
    return True


def _as_text(chat: Sequence[ChatMessage]) -> str:
    """Return messages as one text, those of a conversation under headings that tell who speaks."""
    contents = [message["content"] for message in chat]
    roles: list[str] = [message["role"] for message in chat]
    if "assistant" in roles:
        first = next(at for at, role in enumerate(roles) if role != "system")
        contents = [_HEADING.sub(_ESCAPE, content) for content in contents]
        said = zip(roles[first:], contents[first:], strict=True)
        contents[first:] = [f"[{role}]\n{content}" for role, content in said]
    return "\n\n".join(contents)


def _whole(function: Callable[..., Answer]) -> Callable[..., Answer]:
    """Return the function that a partial was made of."""
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _name(function: Callable[..., Answer]) -> str:
    whole = _whole(function)
    return str(getattr(whole, "__qualname__", type(whole).__qualname__))
