"""Which vocabulary a model has, told from its name.

OpenAI's models are those of tiktoken's own table. The vocabularies of Llama 3 and of Qwen 2 to 3
are shared by all sizes and by fine-tuned models named after them, except DeepSeek's; Llama 4 and
Qwen 3.5 have others.
"""

from __future__ import annotations

import re

from orchestrator_context.tokens.names import parse_model_name

ENCODINGS = ("o200k_base", "cl100k_base", "o200k_harmony", "llama3", "qwen3")

_MODELS = (
    ("o200k_harmony", r"gpt-?oss(?![a-z])"),
    ("o200k_base", r"(?:chat)?gpt-?(?:4o|4\.1|4\.5|5)(?![0-9a-z])"),
    ("o200k_base", r"o[134](?:-|$)|codex-mini|computer-use-preview"),
    ("cl100k_base", r"gpt-?(?:4(?![0-9a-z.])|3\.5|35-turbo)"),
    ("cl100k_base", r"text-embedding-(?:3-(?:small|large)|ada-002)|(?:davinci|babbage)-002"),
    ("llama3", r"(?!.*deepseek)(?:.*[-_.])?llama[-_]?3(?:[.\-_]?[0-3])?(?![0-9b])"),
    ("qwen3", r"(?!.*deepseek)(?:.*[-_.])?qwen-?(?:2\.5|2|3)(?![0-9.])|q[wv]q(?:-|$)"),
)
_PATTERNS = tuple((encoding, re.compile(pattern)) for encoding, pattern in _MODELS)

_CLAUDE = re.compile(r"claude-")
_CLAUDE_BEFORE_4_7 = re.compile(
    r"claude-(?:v?[123](?![0-9])|instant|(?:opus|sonnet|haiku)-4(?:[.-][0-6])?(?:[-@]2|[-@]latest|$))"
)


def encoding_name(name: str) -> str | None:
    """Return the encoding of a model, or None where its vocabulary is not bundled or not known."""
    if name in ENCODINGS:
        return name
    model = parse_model_name(name).model
    return next((encoding for encoding, known in _PATTERNS if known.match(model)), None)


def estimate_percent(name: str) -> int:
    """Return by how many per cent of the upper estimate a model must be counted.

    From Opus 4.7 on, Claude models take up to 1.35 times the tokens of those before by Anthropic's
    release notes of that model, and up to 1.47 times by others' measurements of prose. The estimate
    lies above the models before; 1.4 times the estimate is meant to lie above these too.
    """
    model = parse_model_name(name).model
    newer_claude = _CLAUDE.match(model) and not _CLAUDE_BEFORE_4_7.match(model)
    return 140 if newer_claude else 100
