"""`token_counter` makes a counter from a model name, a tokenizer file or a function."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Segment
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens.encodings import encoding_name
from orchestrator_context.tokens.estimate import upper_estimate
from orchestrator_context.tokens.exact import encoding_count, file_count
from orchestrator_context.tokens.framing import framing_of
from orchestrator_context.tokens.media import media_tokens
from orchestrator_context.tokens.memo import memoised

Source = str | Path | Callable[[str], int] | None


@dataclass(frozen=True, slots=True)
class Counter:
    """A `TokenCounter` around a function."""

    name: str
    exact: bool
    function: Callable[[str], int]

    def count(self, text: str) -> int:
        """Return the tokens of `text`."""
        return self.function(text)

    def count_messages(
        self, messages: Sequence[Segment], *, tools: Sequence[Mapping[str, object]] = ()
    ) -> int:
        """Return the tokens of a request: texts, media, framing and tool schemas."""
        framing = framing_of(self.name)
        total = framing.request
        for message in messages:
            total += framing.message + self.count(message.content)
            total += sum(map(media_tokens, message.media))
            if message.author:
                total += framing.name + self.count(message.author)
            if message.metadata.get("tool_calls"):
                total += self.count(as_json(message.metadata["tool_calls"]))
        if tools:
            total += framing.tools
        return total + sum(framing.tool + self.count(as_json(tool)) for tool in tools)


def as_json(value: object) -> str:
    """Return `value` as compact JSON; what JSON does not know stands as its repr."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=repr)


def token_counter(
    source: Source = None, *, exact: bool | None = None, name: str | None = None
) -> TokenCounter:
    """Return a counter for a model name, an encoding name, a tokenizer.json file or a function."""
    if callable(source):
        title = f"{getattr(source, '__module__', '')}.{getattr(source, '__qualname__', '')}"
        return Counter(name or title, exact is not False, memoised(source))
    if source is None:
        source = "o200k_base"
    if isinstance(source, Path) or (isinstance(source, str) and source.endswith("tokenizer.json")):
        title, count = file_count(Path(source))
        return Counter(name or title, exact is not False, memoised(count))
    if not isinstance(source, str) or not source.strip():
        raise ConfigurationError(f"a token counter cannot be made from {source!r}")
    encoding = encoding_name(source)
    known = None if encoding is None else encoding_count(encoding)
    if encoding is None or known is None:
        return Counter("upper-estimate", False, memoised(upper_estimate))
    return Counter(name or encoding, exact is not False, memoised(known))
