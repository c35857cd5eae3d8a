"""Model names as providers, gateways and local servers write them, taken apart."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BEDROCK = re.compile(
    r"(?:(?:apac|au|ca|eu|global|jp|us|us-gov)\.)?"
    r"(?P<vendor>ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot|nvidia"
    r"|openai|qwen|writer)\.(?P<model>.+?)(?:-v\d+(?::\d+)*|-\d+:\d+)?$"
)
_COLON_VENDOR = re.compile(
    r"(?P<vendor>anthropic|azure|bedrock|cohere|deepseek|fireworks|google(?:-\w+)?|grok|groq"
    r"|huggingface|mistral|ollama|openai(?:-\w+)?|openrouter|together|xai):(?P<model>.+)$"
)


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model name, taken apart.

    Attributes:
        vendor: who makes or serves the model, in lower case; "" where the name does not say.
        model: the bare name in lower case, such as `gpt-4o`.
        tag: what follows a colon, such as the size that Ollama writes there.
        fine_tuned: whether it is a fine-tuned model of OpenAI.
    """

    vendor: str
    model: str
    tag: str
    fine_tuned: bool


def parse_model_name(name: str) -> ModelName:
    """Return the parts of a name such as `openai/gpt-4o`, `llama3.1:8b` or `ft:gpt-4o:org::id`."""
    path, _, model = name.strip().lower().rpartition("/")
    vendor = path.rpartition("/")[2]
    fine_tuned = model.startswith("ft:")
    model = model.removeprefix("ft:")
    for pattern in (_COLON_VENDOR, _BEDROCK):
        if (found := pattern.match(model)) is not None:
            vendor, model = found["vendor"], found["model"]
    model, _, tag = model.partition(":")
    return ModelName(vendor, model, "" if fine_tuned else tag, fine_tuned)
