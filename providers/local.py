"""A GGUF model in this process, through xllamacpp: llama.cpp's server as a library.

What was decided here, and why:

- One thread by default. The threads of ggml spin while they wait for one another, so where another
  program has a core too, a second thread makes generation many times slower.
- One call at a time. Calls side by side would share the threads and the window.
- No memory of earlier prompts, which would make an answer depend on the calls before it.
- xllamacpp opens a port on 127.0.0.1 that cannot be switched off. It gets a random key, so nobody
  else can use it. Here it counts tokens, which xllamacpp offers in no other way.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import mmap
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import anyio
import httpx
from anyio import lowlevel, to_thread

from orchestrator_context import checks
from orchestrator_context.exceptions import (
    ConfigurationError,
    ContextOverflowError,
    ProviderError,
    ProviderRejectedError,
    ProviderResponseError,
)
from orchestrator_context.models import FinishReason, Generation, Price, Segment, Usage
from orchestrator_context.protocols import ModelProfile, TokenCounter
from orchestrator_context.text import is_blank
from orchestrator_context.tokens import token_counter

__all__ = ["LocalGenerator"]

_PROVIDER = "local"
_MAGIC = b"GGUF"
_TEMPLATE_KEY = b"tokenizer.chat_template"
_METADATA_BYTES = 1 << 27  # the template stands before the weights, behind the vocabulary
_BATCH = 256  # prompt tokens between two looks at whether to stop; 2,048 are 8 % faster
_PLAIN_TEMPLATE = "{% for message in messages %}{{ message.content }}\n\n{% endfor %}"
_FINISH_REASONS: dict[object, FinishReason] = {"stop": "stop", "length": "length"}

Chunk = Mapping[str, Any]


class LocalGenerator:
    """A GGUF model on this machine, without any server to start.

    The model is loaded by `async with`, by the first call or by the first count, whichever comes
    first, and freed at the end of the outermost `async with` or with the object. Calls wait for
    one another. A cancelled call stops at its next token, or at its next 256 tokens while the
    prompt is read, and its cancellation takes effect then.

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
            threads: threads that compute; more only where as many cores have nothing else to do.
            temperature: 0 for the most likely words, and so for the same answer every time.
            price: what to charge for a call, where that is wanted.

        Raises:
            ConfigurationError: xllamacpp is not installed, the file is not there or no GGUF file,
                or a value cannot be used.
        """
        file = _gguf(path)
        self._temperature = checks.number("temperature", temperature)
        self._model = _Model(
            file,
            window=checks.whole("window", window, least=1),
            threads=checks.whole("threads", threads, least=1),
        )
        name = f"{file.name}:{file.stat().st_size}"
        self._profile = ModelProfile(name, _GgufCounter(name, self._model), window, price)
        self._calls: lowlevel.RunVar[anyio.CapacityLimiter] = lowlevel.RunVar(name)

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
            ConfigurationError: the file cannot be loaded.
            ContextOverflowError: the prompt is larger than the window.
            ProviderRejectedError: the model's chat template refuses the messages.
            ProviderResponseError: the model wrote no text.
        """
        body = {
            "messages": _chat(messages),
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


class _Model:
    """A model, loaded or not. Its methods block, and may be called from any thread."""

    def __init__(self, path: Path, *, window: int, threads: int) -> None:
        self._path = path
        self._window = window
        self._threads = threads
        self._users = 0
        self._users_lock = threading.Lock()
        self._answering = threading.Lock()  # taken before `_using` where both are
        self._using = threading.RLock()
        self._server: Any = None
        self._http: httpx.Client | None = None

    def claim(self) -> None:
        """Count one more user."""
        with self._users_lock:
            self._users += 1

    def release(self) -> None:
        """Count one user less, and free the model behind the last."""
        with self._answering, self._using:
            with self._users_lock:
                self._users -= 1
                used = self._users > 0
            if not used and self._http is not None:
                self._http.close()
                self._server = self._http = None

    def load(self) -> None:
        """Load the model unless it is."""
        with self._using:
            if self._server is not None:
                return
            key = secrets.token_hex(16)
            self._server = _server(self._path, self._window, self._threads, key)
            self._http = httpx.Client(
                base_url=self._server.listening_address,
                headers={"Authorization": f"Bearer {key}"},
                limits=httpx.Limits(max_keepalive_connections=0),  # the server drops idle ones
                timeout=None,
                trust_env=False,  # no proxy for this address
            )

    def answer(self, body: Mapping[str, object], stop: Callable[[], bool]) -> list[Chunk]:
        """Return the chunks of an answer, up to the first one at which `stop()` is true."""
        chunks: list[Chunk] = []

        def collect(chunk: Chunk) -> bool:
            chunks.append(chunk)
            return stop()

        with self._answering:
            if stop():
                return chunks
            self.load()
            try:
                self._server.handle_chat_completions(body, collect)
            except RuntimeError:
                refused = True  # its text may repeat the prompt
            else:
                refused = False
        if refused:
            raise _refused()
        return chunks

    def count(self, text: str, *, special: bool = False) -> int:
        """Return the tokens of `text`, with special ones read as such and added if asked for."""
        body = {"content": _encodable(text), "add_special": special, "parse_special": special}
        return len(self._post("/tokenize", body)["tokens"])

    def prompt(self, messages: Sequence[Segment]) -> str:
        """Return what the model reads for `messages`."""
        return str(self._post("/apply-template", {"messages": _chat(messages)})["prompt"])

    def _post(self, path: str, body: Mapping[str, object]) -> Any:
        with self._using:
            self.load()
            assert self._http is not None
            reply = self._http.post(path, json=body)
        if reply.is_error:
            raise _refused()
        return reply.json()


class _GgufCounter:
    """Counts as the model does, its chat template included."""

    def __init__(self, name: str, model: _Model) -> None:
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


def _gguf(path: str | Path) -> Path:
    """Return `path` as a file that looks like a GGUF file."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise ConfigurationError(
            "Local models need xllamacpp: pip install 'orchestrator-context[local]'"
        )
    file = Path(path).expanduser()
    try:
        with file.open("rb") as opened:
            magic = opened.read(len(_MAGIC))
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from error
    if magic != _MAGIC:
        raise ConfigurationError(f"{file} is no GGUF file: it does not begin with 'GGUF'")
    return file


def _server(path: Path, window: int, threads: int, key: str) -> Any:
    """Return a server of xllamacpp with the model loaded."""
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = window
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = _BATCH
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib = 0
    params.api_keys = [key]
    params.warmup = False
    params.verbosity = 0
    if not _has_template(path):
        params.chat_template = _PLAIN_TEMPLATE  # llama.cpp would use ChatML, unknown to the model
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise ConfigurationError(
            f"{path} cannot be loaded: it is damaged, of a kind that this version of xllamacpp "
            f"does not know, or too large for this machine with a window of {window:,} tokens"
        ) from error


def _has_template(path: Path) -> bool:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data.find(_TEMPLATE_KEY, 0, _METADATA_BYTES) >= 0


def _chat(messages: Sequence[Segment]) -> list[dict[str, str]]:
    return [{"role": m.role, "content": _encodable(m.content)} for m in messages]


def _encodable(text: str) -> str:
    """Return `text` with U+FFFD for lone surrogates, and for NUL, where C++ would end the text."""
    text = text.replace("\0", "\ufffd")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


async def _stoppable(work: Callable[[Callable[[], bool]], list[Chunk]]) -> list[Chunk]:
    """Return what `work` does in a worker thread, telling it to stop when we are cancelled."""
    stopped = threading.Event()

    async def watch() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            stopped.set()

    def run() -> list[Chunk] | Exception:
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


def _generation(chunks: Sequence[Chunk]) -> Generation:
    text, usage, reason = "", None, None
    for chunk in chunks:
        if "error" in chunk:
            raise _error(chunk["error"])
        if counts := chunk.get("usage"):
            usage = Usage(counts["prompt_tokens"], counts["completion_tokens"])
        for choice in chunk.get("choices", ()):
            text += choice["delta"].get("content") or ""
            reason = choice.get("finish_reason") or reason
    if is_blank(text):
        raise ProviderResponseError(
            f"The model wrote no text and stopped with {reason!r}", provider=_PROVIDER
        )
    return Generation(text, usage, _FINISH_REASONS.get(reason, "other"))


def _refused() -> ProviderRejectedError:
    return ProviderRejectedError(
        "The chat template of the model refused the messages; some know no system message",
        provider=_PROVIDER,
    )


def _error(error: Mapping[str, Any]) -> ProviderError:
    kind, status = error.get("type"), error.get("code")
    if kind != "exceed_context_size_error":
        return ProviderRejectedError(
            f"llama.cpp refused the request ({kind})", provider=_PROVIDER, status=status
        )
    needed, available = error["n_prompt_tokens"], error["n_ctx"]
    return ContextOverflowError(
        f"The prompt has {needed:,} tokens and the window {available:,}; send less, or set window",
        provider=_PROVIDER,
        status=status,
        needed=needed,
        available=available,
    )
