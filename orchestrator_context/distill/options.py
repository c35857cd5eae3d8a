"""The settings of a distillation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Note
from orchestrator_context.retrying import RetryPolicy

OnError = Literal["raise", "skip"]
NoteReducer = Callable[[Sequence[Note]], str]


@dataclass(frozen=True, slots=True)
class DistillOptions:
    """How to read, how fast, at what cost, and what to do when a call fails.

    >>> DistillOptions.from_mapping({"max_calls": 50, "on_error": "skip"}).max_calls
    50

    Attributes:
        max_output_tokens: ceiling of the final answer, reserved in every call.
        note_tokens: ceiling of one note; None means an eighth of a chunk. It is never more than
            `max_output_tokens`, nor than a quarter of what one reduce call can see.
        chunk_tokens: ceiling of the text in one map call; None means all the window leaves.
        passage_tokens: size of the passages that source marks name.
        concurrency: calls in flight at most; the run starts with fewer and adapts to the service.
        requests_per_minute: calls started in a minute, evenly spaced.
        tokens_per_minute: tokens of the calls started in a minute, outputs at their ceiling; a
            minute may hold one call more.
        max_calls: calls at most that are charged for, or may be. The run stops with
            `LimitExceededError` before the one too many.
        max_tokens_spent: tokens read and written at most; checked like `max_calls`.
        max_cost: US dollars at most; needs a client with a price.
        on_error: "raise" the first failure, or "skip" the chunk and report it.
        retry: how often a failed call is made again.
        call_timeout_seconds: ceiling of one attempt, from its start; None leaves it to the client.
        map_instructions: replaces what is asked of a chunk.
        reduce_instructions: replaces what is asked of notes.
        reducer: joins the notes into the answer without any call.
        keep_notes: whether the result holds the notes; False saves memory on huge corpora.
    """

    max_output_tokens: int = 1024
    note_tokens: int | None = None
    chunk_tokens: int | None = None
    passage_tokens: int = 256
    concurrency: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    max_calls: int | None = None
    max_tokens_spent: int | None = None
    max_cost: float | None = None
    on_error: OnError = "raise"
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    call_timeout_seconds: float | None = 300.0
    map_instructions: str | None = None
    reduce_instructions: str | None = None
    reducer: NoteReducer | None = None
    keep_notes: bool = True

    def __post_init__(self) -> None:
        checks.whole("max_output_tokens", self.max_output_tokens, least=1)
        checks.whole_or_none("note_tokens", self.note_tokens, least=1)
        checks.whole_or_none("chunk_tokens", self.chunk_tokens, least=1)
        checks.whole("passage_tokens", self.passage_tokens, least=1)
        checks.whole("concurrency", self.concurrency, least=1)
        checks.number_or_none("requests_per_minute", self.requests_per_minute, above=True)
        checks.number_or_none("tokens_per_minute", self.tokens_per_minute, above=True)
        checks.whole_or_none("max_calls", self.max_calls, least=0)
        checks.whole_or_none("max_tokens_spent", self.max_tokens_spent, least=0)
        checks.number_or_none("max_cost", self.max_cost)
        checks.choice("on_error", self.on_error, ("raise", "skip"))
        checks.number_or_none("call_timeout_seconds", self.call_timeout_seconds, above=True)
        for name in ("map_instructions", "reduce_instructions"):
            if (value := getattr(self, name)) is not None:
                checks.text(name, value, blank=False)
        if not isinstance(self.retry, RetryPolicy):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigurationError(f"retry must be a RetryPolicy, not {self.retry!r}")
        if self.reducer is not None and not callable(self.reducer):
            raise ConfigurationError(f"reducer must be callable, not {self.reducer!r}")
        if checks.is_async(self.reducer):
            raise ConfigurationError("reducer must be a plain function, not a coroutine function")
        checks.flag("keep_notes", self.keep_notes)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> DistillOptions:
        """Return the options that `mapping` describes, strictly: unknown keys are refused.

        `retry` may be a mapping of its own.
        """
        values = checks.known_keys(cls, mapping)
        if isinstance(values.get("retry"), Mapping):
            values["retry"] = RetryPolicy.from_mapping(values["retry"])
        return cls(**values)
