"""What servers answer when a request is larger than their window, each in its own dialect."""

from __future__ import annotations

import json
from typing import Any

from tests.loopback import Behaviour, replies

_MAXIMUM = "This model's maximum context length is {a} tokens"
_REDUCE = "Please reduce the length of the messages"
_SHAPES: dict[str, tuple[str, str]] = {
    "openai": ("openai", _MAXIMUM + ". However, your messages resulted in {n} tokens. " + _REDUCE),
    "openai-completion": (
        "openai",
        _MAXIMUM + ". However, you requested {n} tokens ({p} in the messages, 500 in the "
        "completion). " + _REDUCE + " or completion.",
    ),
    "openai-limit": (
        "openai",
        "Input tokens exceed the configured limit of {a} tokens. Your messages resulted in {n} "
        "tokens. " + _REDUCE,
    ),
    "openai-bare": (
        "openai",
        "Your input exceeds the context window of this model. Please adjust your input and try "
        "again.",
    ),
    "vllm": (
        "vllm",
        _MAXIMUM + ". However, your request has {n} input tokens. Please reduce the length of the "
        "input messages. (parameter=input_tokens, value={n})",
    ),
    "vllm-flat": (
        "flat",
        _MAXIMUM + ". However, you requested {n} tokens ({p} in the messages, 500 in the "
        "completion). " + _REDUCE + " or completion.",
    ),
    "vllm-output": (
        "vllm",
        "'max_tokens' or 'max_completion_tokens' is too large: 500. " + _MAXIMUM + " and your "
        "request has {p} input tokens (500 > {a} - {p}). (parameter=max_tokens, value=500)",
    ),
    "vllm-passed": (
        "vllm",
        "You passed {p} input tokens and requested 500 output tokens. However, the model's "
        "context length is only {a} tokens, resulting in a maximum input length of {i} tokens. "
        "Please reduce the length of the input prompt. (parameter=input_tokens, value={p})",
    ),
    "llamacpp": (
        "llamacpp",
        "request ({n} tokens) exceeds the available context size ({a} tokens), try increasing it",
    ),
    "ollama": (
        "ollama",
        "request ({n} tokens) exceeds the available context size ({a} tokens), try increasing it",
    ),
    "ollama-bare": ("ollama-500", "the input length exceeds the context length"),
    "lmstudio": ("bare", "Cannot truncate prompt with n_keep ({n}) >= n_ctx ({a})"),
    "lmstudio-keep": (
        "bare",
        "Trying to keep the first {n} tokens when context the overflows. However, the model is "
        "loaded with context length of only {a} tokens, which is not enough. Try to load the "
        "model with a larger context length, or provide a shorter input",
    ),
    "lmstudio-initial": (
        "bare",
        "The number of tokens to keep from the initial prompt is greater than the context length "
        "(n_keep: {n}>= n_ctx: {a}). Try to load the model with a larger context length, or "
        "provide a shorter input.",
    ),
    "lmstudio-200": ("bare-200", "Context size has been exceeded."),
    "anthropic": ("anthropic", "prompt is too long: {n} tokens > {a} maximum"),
    "anthropic-output": (
        "anthropic",
        "input length and `max_tokens` exceed context limit: {p} + 500 > {a}, decrease input "
        "length or `max_tokens` and try again",
    ),
    "cohere": (
        "cohere",
        "too many tokens: total number of tokens (prompt and prediction) cannot exceed {a} - "
        "received {n}. Try using a shorter prompt or a smaller max_tokens value.",
    ),
}
OPENAI_DIALECTS = tuple(name for name in _SHAPES if not name.startswith(("anthropic", "cohere")))
ANTHROPIC_DIALECTS = ("anthropic", "anthropic-output")
WITHOUT_FIGURES = ("openai-bare", "ollama-bare", "lmstudio-200")


def overflows(dialect: str, needed: int = 9000, available: int = 8192) -> Behaviour:
    """The answer of a server whose window of `available` tokens is too small for `needed`.

    Where the dialect tells prompt and output apart, `needed` holds 500 tokens of output.
    """
    shape, template = _SHAPES[dialect]
    figures = {"n": needed, "a": available, "p": needed - 500, "i": available - 500}
    message = template.format_map(figures)
    return replies(_body(shape, message, needed, available), _status(shape))


def _status(shape: str) -> int:
    _, _, status = shape.partition("-")
    return int(status or 400)


def _body(shape: str, message: str, needed: int, available: int) -> dict[str, Any]:
    llamacpp = {
        "error": {
            "code": 400,
            "message": message,
            "type": "exceed_context_size_error",
            "n_prompt_tokens": needed,
            "n_ctx": available,
        }
    }
    rejected = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    shapes: dict[str, dict[str, Any]] = {
        "openai": {"error": rejected | {"param": "messages", "code": "context_length_exceeded"}},
        "vllm": {"error": rejected | {"type": "BadRequestError", "code": 400}},
        "flat": {"object": "error", "type": "BadRequestError", "message": message, "code": 400},
        "llamacpp": llamacpp,
        "ollama": {"error": rejected | {"message": json.dumps(llamacpp)}},
        "ollama-500": {"error": rejected | {"type": "api_error"}},
        "bare": {"error": message},
        "bare-200": {"error": message},
        "anthropic": {"type": "error", "error": rejected, "request_id": "req_1"},
        "cohere": {"id": "e1", "message": message},
    }
    return shapes[shape]
