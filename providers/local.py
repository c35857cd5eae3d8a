"""A GGUF model on this machine, without any server to start."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import anyio
from anyio import lowlevel, to_thread

from orchestrator_context import checks
from orchestrator_context.exceptions import (
    ContextOverflowError,
    ProviderError,
    ProviderRejectedError,
    ProviderResponseError,
)
from orchestrator_context.models import Generation, Price, Segment, Usage
from orchestrator_context.protocols import ModelProfile
from orchestrator_context.providers._chat import finish_reason_of
from orchestrator_context.providers._llama import (
    PROVIDER,
    Model,
    Piece,
    chat_body,
    gguf_file,
)
from orchestrator_context.text import clean, is_blank
from orchestrator_context.tokens import token_counter

__all__ = ["LocalGenerator"]

_numbers = itertools.count()


class LocalGenerator:
    """A GGUF model on this machine, without any server to start.

    The model is loaded by `async with`, by the first call or by the first count, whichever comes
    first, and freed at the end of the outermost `async with` or with the object. Loading holds up
    the whole process, for about a second with a file of 250 MB, as xllamacpp keeps Python's lock.
    Calls do not, and wait for one another. A cancelled call stops at its next token, or within
    512 tokens while it reads the prompt, and its cancellation takes effect then.

    Calls of tools and their results are told to the model in words, under headings such as
    `[call of search]`, as few templates take them otherwise.

    A base model, whose file holds no chat template, continues the messages as plain text.

    `profile.counter` counts with the model's own vocabulary and template, within about a
    millisecond for a short text, and 5 seconds for a million characters.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        window: int = 4096,
        threads: int = 1,
        temperature: float = 0.0,
        price: Price | None = None,
    ) -> None:
        """Name the model; nothing is loaded yet.

        Args:
            path: the file.
            window: context window in tokens. Memory grows with it, and a model cannot use more
                than it was trained on.
            threads: threads that compute. They spin while they wait for one another, so more than
                there are idle cores make the model many times slower, not faster.
            temperature: 0 for the most likely words, and so for the same answer every time.
            price: what to charge for a call, where that is wanted.

        Raises:
            ConfigurationError: xllamacpp is not installed, the file is not there or no GGUF file,
                or a value cannot be used.
        """
        file = gguf_file(path)
        self._temperature = checks.number("temperature", temperature)
        self._model = Model(
            file,
            window=checks.whole("window", window, least=1),
            threads=checks.whole("threads", threads, least=1),
        )
        name = f"{file.name}:{file.stat().st_size}"
        self._profile = ModelProfile(name, _GgufCounter(name, self._model), window, price)
        self._calls: lowlevel.RunVar[anyio.CapacityLimiter] = lowlevel.RunVar(
            f"calls {next(_numbers)}"
        )

    @property
    def profile(self) -> ModelProfile:
        """The model; its name is the file's name and size in bytes."""
        return self._profile

    async def __aenter__(self) -> Self:
        self._model.claim()
        try:
            await to_thread.run_sync(self._model.load)
        except BaseException:
            await self._release()
            raise
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._release()

    async def _release(self) -> None:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(self._model.release)

    async def generate(self, messages: Sequence[Segment], *, max_output_tokens: int) -> Generation:
        """Return the model's answer.

        Raises:
            FormatError: a segment has media or reasoning, which this server does not take.
            ConfigurationError: the file cannot be loaded.
            ContextOverflowError: the prompt is larger than the window.
            ProviderRejectedError: the model's chat template refuses the messages.
            ProviderResponseError: the model wrote no text.
        """
        body = {
            "messages": chat_body(messages),
            "max_tokens": checks.whole("max_output_tokens", max_output_tokens, least=1),
            "temperature": self._temperature,
            "cache_prompt": False,
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,  # chunks while the prompt is read, to stop at
        }
        async with self._limiter():
            chunks = await _stoppable(lambda stop: self._model.answer(body, stop))
        return _generation(chunks)

    def _limiter(self) -> anyio.CapacityLimiter:
        """Return the queue of this event loop."""
        limiter = self._calls.get(None)
        if limiter is None:
            limiter = anyio.CapacityLimiter(1)
            self._calls.set(limiter)
        return limiter


class _GgufCounter:
    """Counts as the model does, its chat template included."""

    def __init__(self, name: str, model: Model) -> None:
        self.name = name
        self.exact = True
        self._model = model
        self._texts = token_counter(model.count, exact=True, name=name)

    def count(self, text: str) -> int:
        """Return the tokens of `text`."""
        return self._texts.count(text)

    def count_messages(
        self, messages: Sequence[Segment], *, tools: Sequence[Mapping[str, object]] = ()
    ) -> int:
        """Return the tokens of a request; tools, which this provider does not send, as JSON."""
        total = self._model.count(self._model.prompt(messages), special=True)
        return total + sum(self.count(json.dumps(tool, default=repr)) for tool in tools)


async def _stoppable(work: Callable[[Callable[[], bool]], list[Piece]]) -> list[Piece]:
    """Return what `work` does in a worker thread, telling it to stop when we are cancelled."""
    stopped = threading.Event()

    async def watch() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            stopped.set()

    result: list[Piece] | Exception = []

    def run() -> list[Piece] | Exception:
        try:
            return work(stopped.is_set)
        except Exception as error:  # raised below: the task group would wrap it in another
            return error

    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        result = await to_thread.run_sync(run)
        group.cancel_scope.cancel()
    await lowlevel.checkpoint_if_cancelled()
    if isinstance(result, Exception):
        raise result
    return result


def _generation(chunks: Sequence[Piece]) -> Generation:
    texts: list[str] = []
    usage, reason = None, None
    for chunk in chunks:
        if "error" in chunk:
            raise _error(chunk["error"])
        if counts := chunk.get("usage"):
            usage = Usage(counts["prompt_tokens"], counts["completion_tokens"])
        for choice in chunk.get("choices", ()):
            texts.append(choice["delta"].get("content") or "")
            reason = choice.get("finish_reason") or reason
    text = clean("".join(texts))
    if is_blank(text):
        raise ProviderResponseError(
            f"The model wrote no text and stopped with {reason!r}", provider=PROVIDER
        )
    return Generation(text, usage, finish_reason_of(reason))


def _error(error: Mapping[str, Any]) -> ProviderError:
    kind, status = error.get("type"), error.get("code")
    if kind != "exceed_context_size_error":
        return ProviderRejectedError(
            f"llama.cpp refused the request ({kind})", provider=PROVIDER, status=status
        )
    needed, available = error["n_prompt_tokens"], error["n_ctx"]
    return ContextOverflowError(
        f"The prompt has {needed:,} tokens and the window {available:,}; send less, or set window",
        provider=PROVIDER,
        status=status,
        needed=needed,
        available=available,
    )
