"""A loaded GGUF model: llama.cpp's server as a library, through xllamacpp.

What was decided here, and why:

- One call at a time. Calls side by side would share the threads and the window.
- No memory of earlier prompts, which would make an answer depend on the calls before it.
- xllamacpp opens a port on 127.0.0.1 that cannot be switched off. It gets a random key, so nobody
  else can use it. Here it counts tokens, which xllamacpp offers in no other way.
"""

from __future__ import annotations

import importlib
import importlib.util
import mmap
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx

from orchestrator_context.exceptions import ConfigurationError, ProviderRejectedError
from orchestrator_context.models import Segment
from orchestrator_context.providers._requests import text_messages
from orchestrator_context.text import clean

PROVIDER = "local"

_MAGIC = b"GGUF"
_TEMPLATE_KEY = b"tokenizer.chat_template"
_METADATA_BYTES = 1 << 27  # the template stands behind the vocabulary, before the weights
_BATCH = 256  # prompt tokens between two looks at whether to stop; 2,048 are 8 % faster
_PLAIN_TEMPLATE = "{% for message in messages %}{{ message.content }}\n\n{% endfor %}"

Piece = Mapping[str, Any]


class Model:
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

    def answer(self, body: Mapping[str, object], stop: Callable[[], bool]) -> list[Piece]:
        """Return the chunks of an answer, up to the first one at which `stop()` is true.

        Raises:
            ConfigurationError: the file cannot be loaded.
            ProviderRejectedError: the chat template refuses the messages.
        """
        chunks: list[Piece] = []

        def collect(chunk: Piece) -> bool:
            chunks.append(chunk)
            return stop()

        refused = False
        with self._answering:
            if not stop():
                self.load()
                try:
                    self._server.handle_chat_completions(body, collect)
                except (RuntimeError, ValueError):  # may quote the prompt, so it is let go first
                    refused = True
        if refused:
            raise _refused()
        return chunks

    def count(self, text: str, *, special: bool = False) -> int:
        """Return the tokens of `text`; `special` adds special ones and reads names of such."""
        body = {"content": clean(text), "add_special": special, "parse_special": special}
        return len(self._post("/tokenize", body)["tokens"])

    def prompt(self, messages: Sequence[Segment]) -> str:
        """Return what the model reads for `messages`."""
        return str(self._post("/apply-template", {"messages": chat_body(messages)})["prompt"])

    def _post(self, path: str, body: Mapping[str, object]) -> Any:
        with self._using:
            self.load()
            assert self._http is not None
            reply = self._http.post(path, json=body)
        if reply.is_error:
            raise _refused()
        return reply.json()


def gguf_file(path: str | Path) -> Path:
    """Return `path` as a file that xllamacpp may be able to load.

    Raises:
        ConfigurationError: xllamacpp is not installed, or there is no GGUF file at `path`.
    """
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
        params.chat_template = _PLAIN_TEMPLATE  # llama.cpp's own default is markup it cannot read
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


def chat_body(messages: Sequence[Segment]) -> list[dict[str, str]]:
    """Return `messages` as the server takes them.

    Raises:
        FormatError: one has media or reasoning.
    """
    chat = text_messages("LocalGenerator", messages)
    return [{"role": m["role"], "content": clean(m["content"])} for m in chat]


def _refused() -> ProviderRejectedError:
    return ProviderRejectedError(
        "The chat template of the model refused the messages; some know no system message",
        provider=PROVIDER,
    )
