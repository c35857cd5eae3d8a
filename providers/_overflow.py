"""Recognising, in a server's words, that a request was larger than the model's window.

Servers of one API say it in many ways, and gateways pass on the words of the server behind them,
so there is one recogniser for all: OpenAI, Azure, vLLM, SGLang, llama.cpp, Ollama, LM Studio, TGI,
DeepSeek, Mistral, xAI, DashScope, Gemini, Anthropic, Cohere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_LOOK_AT_CHARACTERS = 4_000  # longer messages echo the request

_SIGNS = re.compile(
    r"context_length_exceeded"
    r"|exceed_context_size"
    r"|model_context_window_exceeded"
    r"|ContextWindowExceeded"
    r"|maximum (?:context|prompt) length(?: is|:) \d"
    r"|context length is only \d"
    r"|exceeds? the (?:available |model'?s? )?(?:maximum )?context (?:size|length|window|limit)"
    r"|context (?:size|length|window) has been exceeded"
    r"|exceed context limit"
    r"|exceed the configured limit of \d+ tokens"
    r"|n_keep\W+\d+\W+n_ctx"
    r"|keep the first \d+ tokens"
    r"|prompt is too long"
    r"|too many tokens: total number of tokens"
    r"|input token count\W+\d+\W+exceeds"
    r"|too large for model with \d+ maximum context"
    r"|Range of input length should be"
    r"|`inputs` tokens \+ `max_new_tokens` must be",
    re.IGNORECASE,
)


def _with_figures(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("#", r"(\d{1,18})"), re.IGNORECASE)


# A # stands for a number. The first that matches counts; its numbers, prompt and output, are
# added up.
_NEEDED = [
    _with_figures(pattern)
    for pattern in (
        r"n_prompt_tokens\W+#",
        r"total of # tokens",
        r"n_keep\W+#",
        r"request \(# tokens\)",
        r"resulted in # tokens",
        r"you requested # tokens",
        r"you passed # input tokens and requested # output tokens",
        r"is too large: #\D.{0,200}? request has # input tokens",
        r"request has # input tokens",
        r"\b# \+ # > \d",
        r"\b# `inputs` tokens and # `max_new_tokens`",
        r"prompt is too long: #",
        r"keep the first # tokens",
        r"received #",
        r"token count\W+#",
        r"contains # tokens",
    )
]
_AVAILABLE = [
    _with_figures(pattern)
    for pattern in (
        r"n_ctx\W+#",
        r"context size \(# tokens",
        r"(?:context|prompt) length(?: is| of|:)(?: only)? #",
        r"configured limit of #",
        r"tokens > # maximum",
        r"\+ \d{1,18} > #",
        r"cannot exceed #",
        r"tokens allowed\W+#",
        r"model with # maximum context",
        r"must be <= #",
        r"input length should be \[\d{1,18}, #\]",
    )
]


@dataclass(frozen=True, slots=True)
class Overflow:
    """A request did not fit: tokens it needed and window it met, None where nobody said."""

    needed: int | None
    available: int | None

    def __str__(self) -> str:
        """Return the figures that are known."""
        needed = "more tokens than fit" if self.needed is None else f"{self.needed:,} tokens"
        window = "" if self.available is None else f", the window has {self.available:,}"
        return f"it needs {needed}{window}"


def find_overflow(message: str) -> Overflow | None:
    """Return what an error message says about the window, or None if it is about something else."""
    message = message[:_LOOK_AT_CHARACTERS]
    if not _SIGNS.search(message):
        return None
    return Overflow(_figure(_NEEDED, message), _figure(_AVAILABLE, message))


def _figure(patterns: Iterable[re.Pattern[str]], message: str) -> int | None:
    for pattern in patterns:
        found = pattern.search(message)
        if found is not None:
            return sum(int(digits) for digits in found.groups())
    return None
