"""Public test doubles: a model whose answers are yours, for testing code that uses this library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import anyio

from orchestrator_context import checks
from orchestrator_context.conversation import given
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Generation, Price, Segment
from orchestrator_context.prompts import Material, mark, parse, read_marks
from orchestrator_context.protocols import ModelProfile, TokenCounter
from orchestrator_context.tokens import token_counter

__all__ = ["Call", "ScriptedGenerator", "echo"]


@dataclass(frozen=True, slots=True)
class Call:
    """A call that a `ScriptedGenerator` received.

    Attributes:
        messages: the prompt.
        max_output_tokens: ceiling of the answer.
        number: calls before this one.
    """

    messages: tuple[Segment, ...]
    max_output_tokens: int
    number: int

    @property
    def material(self) -> Material:
        """The question and the text of the envelope in the last message."""
        material = parse(self.messages[-1].content)
        if material is None:
            raise ValueError("the last message of this call is not an envelope")
        return material

    @property
    def reads(self) -> bool:
        """Whether this is a map call, which shows a part of the source."""
        return self.material.element == "document"


Answer = str | Generation | Exception
Script = Callable[[Call], Answer]


def echo(call: Call) -> str:
    """Return the first words of the material with its first and last mark; the default script.

    Of a message without an envelope they are its own.
    """
    last = call.messages[-1].content if call.messages else ""
    material = parse(last)
    if material is None:
        return _beginning(last, call) or "(nothing)"
    marked = read_marks(material.body, material.prefix)
    cited = sorted({marked.indexes[0], marked.indexes[-1]}) if marked.indexes else []
    marks = (mark(index, material.prefix) for index in cited)
    return " ".join([_beginning(marked.plain, call), *marks])


def _beginning(text: str, call: Call) -> str:
    return " ".join(text.split()[: max(1, call.max_output_tokens // 8)])


@dataclass(slots=True)
class ScriptedGenerator:
    """A `Generator` that answers what a function says, and remembers what it was asked.

    Attributes:
        script: makes the answer to a call; an exception that it gives back is raised.
        window: context window in tokens.
        counter: counts tokens; exact o200k by default.
        price: US dollars for a million tokens.
        reasoning_tokens: tokens that an answer may take beyond its limit.
        delay_seconds: time that every call takes.
        name: the model's name.
        calls: what was asked so far, in the order of arrival.
        active: calls in flight.
        peak: most calls that ever were in flight.

    >>> import anyio
    >>> model = ScriptedGenerator(lambda call: "yes")
    >>> async def main():
    ...     return await model.generate([Segment("Is it?")], max_output_tokens=5)
    >>> anyio.run(main).text, len(model.calls)
    ('yes', 1)
    """

    script: Script = echo
    window: int | None = 8_000
    counter: TokenCounter = field(default_factory=token_counter)
    price: Price | None = None
    reasoning_tokens: int = 0
    delay_seconds: float = 0.0
    name: str = "scripted"
    calls: list[Call] = field(default_factory=list[Call], init=False)
    active: int = field(default=0, init=False)
    peak: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        checks.function("script", self.script)
        if checks.is_async(self.script):
            raise ConfigurationError("script must be a plain function, not an async one")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave it as it is: there is nothing to close."""

    @property
    def profile(self) -> ModelProfile:
        """What is known of the model."""
        return ModelProfile(self.name, self.counter, self.window, self.price, self.reasoning_tokens)

    async def generate(self, messages: Sequence[Segment], *, max_output_tokens: int) -> Generation:
        """Return the script's answer."""
        prompt = given.segments("messages", messages)
        call = Call(prompt, max_output_tokens, len(self.calls))
        self.calls.append(call)
        self.active += 1
        self.peak = max(self.peak, self.active)
        try:
            await anyio.sleep(self.delay_seconds)
            answer = self.script(call)
        finally:
            self.active -= 1
        if isinstance(answer, Exception):
            raise answer
        answer = Generation(answer) if isinstance(answer, str) else answer
        return checks.instance("what script gives back", answer, Generation, "a str")
