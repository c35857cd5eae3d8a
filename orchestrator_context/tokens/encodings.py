"""Which vocabulary a model has, told from its name."""

from __future__ import annotations

import re

from orchestrator_context.tokens.names import parse_model_name

ENCODINGS = ("o200k_base", "cl100k_base", "o200k_harmony", "llama3", "qwen3")

_MODELS = (
    ("o200k_harmony", re.compile(r"gpt-?oss(?![a-z])")),
    ("o200k_base", re.compile(r"(?:chat)?gpt-?(?:4o|4\.1|4\.5|5)(?![0-9a-z])|gpt-4o[a-z-]*")),
    ("o200k_base", re.compile(r"o[134](?:-|$)|codex-mini|computer-use-preview")),
    ("cl100k_base", re.compile(r"gpt-?(?:4(?![0-9.o])|3\.5|35-turbo)")),
    ("cl100k_base", re.compile(r"text-embedding-(?:3-(?:small|large)|ada-002)|(?:davinci|babbage)-002")),
    ("llama3", re.compile(r"(?:.*[-_.])?llama[-_]?3(?:[.\-_]?[0-3])?(?![0-9b])")),
    ("qwen3", re.compile(r"(?:.*[-_.])?qwen-?(?:2\.5|2|3)(?![0-9.])|q[wv]q(?:-|$)")),
)  # fmt: skip


def encoding_name(name: str) -> str | None:
    """Return the encoding of the model, or None where its vocabulary is not known for certain."""
    if name in ENCODINGS:
        return name
    model = parse_model_name(name).model
    for encoding, pattern in _MODELS:
        if pattern.match(model):
            return encoding
    return None
