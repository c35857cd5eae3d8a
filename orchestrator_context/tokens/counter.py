"""`token_counter` makes a counter from a model name, a tokenizer file or a function."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.messages import message_runs
from orchestrator_context.models import Segment
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens.encodings import encoding_name, estimate_percent
from orchestrator_context.tokens.estimate import upper_estimate
from orchestrator_context.tokens.exact import Count, encoding_count, file_count, sturdy
from orchestrator_context.tokens.framing import FRAMING, UPPER, Framing
from orchestrator_context.tokens.media import media_tokens
from orchestrator_context.tokens.memo import memoised

OPAQUE_CHARACTERS = 3  # of signed or encrypted reasoning for a token, at the least

_Recipe = tuple[Callable[..., object], tuple[object, ...]]
CounterSource = str | Path | Callable[[str], int] | None


@dataclass(frozen=True, slots=True)
class Counter:
    """A `TokenCounter` around a counting function.

    Counters are equal that count alike, as far as that is known: those of one vocabulary, and of
    functions the same ones.

    Attributes:
        name: name of the vocabulary; "upper-estimate" where there is none.
        exact: whether it counts what the model counts.
        function: returns the tokens of a text.
        framing: what a request takes beside its texts.
        own: the caller's function without a name, which nothing but itself counts like.
        recipe: a function and its arguments that make the counter again.
    """

    name: str
    exact: bool
    function: Count = field(repr=False, compare=False)
    framing: Framing = field(default=UPPER, repr=False)
    own: Callable[[str], int] | None = field(default=None, repr=False, hash=False)
    recipe: _Recipe | None = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> _Recipe:
        """Return how to make the counter again, for pickle: what a memo holds cannot be kept."""
        given = (self.name, self.exact, self.function, self.framing, self.own)
        return self.recipe or (Counter, given)

    def count(self, text: str) -> int:
        """Return the tokens of `text`. Strings that look like special tokens are plain text."""
        return self.function(text)

    def count_messages(
        self, messages: Sequence[Segment], *, tools: Sequence[Mapping[str, object]] = ()
    ) -> int:
        """Return the tokens of a request: texts, media, framing and tool schemas.

        Segments that share a message id are parts of one message. The schemas are counted as the
        JSON they are sent as, whatever is in them.
        """
        total = self.framing.request + sum(map(self._message, message_runs(messages)))
        if tools:
            total += self.framing.tools
        return total + sum(self.framing.tool + self.count(_json(tool)) for tool in tools)

    def _message(self, parts: Sequence[Segment]) -> int:
        total = self.framing.message + sum(map(self._part, parts))
        if author := parts[0].author:
            total += self.framing.name + self.count(author)
        return total

    def _part(self, part: Segment) -> int:
        total = self.count(part.content)
        by_tiles = self.framing.tiles
        total += sum(media_tokens(media, by_tiles=by_tiles) for media in part.media)
        if part.kind == "tool_call":
            total += self.framing.tool + self.count(part.title)
        elif part.kind == "document" and part.title:  # it stands above the text
            total += self.count(f"{part.title}\n\n")
        if part.call_id:
            total += self.count(part.call_id)
        opaque = part.metadata.get("opaque")
        if isinstance(opaque, int):
            total += -(-opaque // OPAQUE_CHARACTERS)
        return total


def _json(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=repr)
    except (TypeError, ValueError, RecursionError):  # keys that are no strings, circles
        return repr(value)


def token_counter(
    source: CounterSource = None, *, exact: bool | None = None, name: str | None = None
) -> TokenCounter:
    """Return a counter of tokens.

    >>> token_counter("gpt-5").count("Hello, world!")
    4
    >>> token_counter("claude-sonnet-4-5").exact
    False

    Args:
        source: None for o200k_base; the name of a model or encoding; a tokenizer.json file, as a
            path or a string that ends in `.json`; or a function from a text to its tokens, which
            must depend on nothing but the text. Names whose vocabulary is not bundled get the
            upper estimate.
        exact: whether a function counts what the model counts; it does by default.
        name: name of a function's vocabulary. Counters of one name must count alike.

    Raises:
        ConfigurationError: `source` is none of these, or the file cannot be read.
    """
    if exact is not None:
        checks.flag("exact", exact)
    if name is not None:
        checks.text("name", name, blank=False)
    if callable(source) and not isinstance(source, type):
        return _from_function(source, exact is not False, name)
    if exact is not None or name is not None:
        raise ConfigurationError("exact and name describe a function; a model needs neither")
    if source is None:
        return _from_name("o200k_base")
    if isinstance(source, Path) or str(source).endswith(".json"):
        title, count = file_count(Path(str(source)))
        return Counter(title, True, memoised(sturdy(count)), recipe=(token_counter, (source,)))
    return _from_name(checks.text("source", source, blank=False))


def _from_function(function: Count, exact: bool, name: str | None) -> Counter:
    def checked(text: str) -> int:
        return checks.whole("result of the counting function", function(text))

    title = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', 'function')}"
    own = None if name else function
    recipe = (_from_function, (function, exact, name))
    counted = memoised(sturdy(checked, reraise=True))
    return Counter(name or title, exact, counted, own=own, recipe=recipe)


def _from_name(name: str) -> Counter:
    encoding = encoding_name(name)
    known = None if encoding is None else _exact(encoding)
    return known or _estimating(estimate_percent(name))


@cache
def _exact(encoding: str) -> Counter | None:
    count = encoding_count(encoding)
    if count is None:
        return None
    recipe = (_exact, (encoding,))
    return Counter(encoding, True, memoised(sturdy(count)), FRAMING[encoding], recipe=recipe)


@cache
def _estimating(percent: int) -> Counter:
    def count(text: str) -> int:
        return upper_estimate(text, multiplier=percent / 100)

    name = "upper-estimate" if percent == 100 else f"upper-estimate-{percent}%"
    return Counter(name, False, memoised(count), recipe=(_estimating, (percent,)))
