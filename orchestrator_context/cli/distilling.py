"""The command `distill`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import anyio

from orchestrator_context.cli.corpus import Files
from orchestrator_context.cli.exits import INCOMPLETE, NOTHING_FOUND
from orchestrator_context.cli.progress import Narrator
from orchestrator_context.cli.reporting import (
    any_unreadable,
    estimate_json,
    failure_lines,
    notice_lines,
    result_json,
    source_lines,
)
from orchestrator_context.cli.writing import say, write
from orchestrator_context.distill import Checkpoint, DistillOptions, distill, estimate_distill
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Price
from orchestrator_context.plugins import load_generator
from orchestrator_context.protocols import Generator
from orchestrator_context.reports import Distillation


def client_of(
    spec: str,
    *,
    base_url: str | None,
    window: int | None,
    prices: tuple[float | None, float | None],
    others: Sequence[str] = (),
) -> Generator:
    """Return the model that the options name.

    Raises:
        ConfigurationError: there is none, or an option does not apply to it.
    """
    options: dict[str, object] = {"base_url": base_url, "window": window, "price": _price(*prices)}
    given = {name: value for name, value in options.items() if value is not None}
    return load_generator(spec, **given, **_settings(others, taken=set(options)))


def _settings(others: Sequence[str], taken: set[str]) -> dict[str, object]:
    """Return the settings that `NAME=VALUE` pairs describe; a value may be JSON."""
    settings: dict[str, object] = {}
    for pair in others:
        name, equals, value = pair.partition("=")
        if not equals or not name.isidentifier() or name in taken | set(settings):
            raise ConfigurationError(
                f"--client-option takes NAME=VALUE with each name once, not {name!r}; "
                f"{', '.join(sorted(taken))} have options of their own"
            )
        try:
            settings[name] = json.loads(value)
        except ValueError:
            settings[name] = value
    return settings


def _price(read: float | None, written: float | None) -> Price | None:
    if read is None and written is None:
        return None
    if read is None or written is None:
        raise ConfigurationError("--price-in and --price-out come together; 0 is a price too")
    return Price(read, written)


def options_of(
    *,
    sizes: tuple[int, int | None, int | None],
    pace: tuple[int, float | None, float | None],
    ceilings: tuple[int | None, int | None, float | None],
    skip_failures: bool,
) -> DistillOptions:
    """Return the options of a run from the command line.

    Args:
        sizes: tokens of the answer, of the text in one call, and of a note.
        pace: calls in flight, calls in a minute, and tokens in a minute.
        ceilings: calls, tokens, and US dollars.
        skip_failures: whether failed parts are left out.

    Raises:
        ConfigurationError: a value cannot be used.
    """
    max_output_tokens, chunk_tokens, note_tokens = sizes
    concurrency, requests_per_minute, tokens_per_minute = pace
    max_calls, max_tokens_spent, max_cost = ceilings
    return DistillOptions(
        max_output_tokens=max_output_tokens,
        chunk_tokens=chunk_tokens,
        note_tokens=note_tokens,
        concurrency=concurrency,
        requests_per_minute=requests_per_minute,
        tokens_per_minute=tokens_per_minute,
        max_calls=max_calls,
        max_tokens_spent=max_tokens_spent,
        max_cost=max_cost,
        on_error="skip" if skip_failures else "raise",
        call_timeout_seconds=None,  # the client's own counts, which can be set
        keep_notes=False,
    )


@dataclass(slots=True)
class Job:
    """One distillation as the user asked for it.

    Attributes:
        checkpoint: where answers are kept, or None.
        as_json: whether the result is written as JSON.
        quiet: whether standard error stays empty.
    """

    checkpoint: Path | None
    as_json: bool
    quiet: bool
    _narrator: Narrator = field(init=False)

    def __post_init__(self) -> None:
        self._narrator = Narrator(quiet=self.quiet)

    @property
    def files(self) -> tuple[Path, ...]:
        """What the job itself reads and writes, which is no part of the corpus."""
        return () if self.checkpoint is None else Checkpoint(self.checkpoint).files

    def distill(
        self, corpus: Files, question: str, client: Generator, options: DistillOptions
    ) -> int:
        """Write the answer and the account; returns the exit code."""
        if options.max_cost is not None and client.profile.price is None:
            raise ConfigurationError(
                f"--max-cost needs a price, and that of {client.profile.name!r} is unknown: give "
                "--price-in and --price-out"
            )
        documents = corpus.documents()
        with self._narrator as observer:
            run = partial(
                distill,
                documents,
                question,
                client=client,
                options=options,
                checkpoint=self.checkpoint,
                observer=observer,
            )
            result = anyio.run(run)
        if self.as_json:
            write(result_json(result, client.profile.name, corpus.notices))
        elif result.text:
            write(result.text + "\n")
        if not self.quiet:
            for line in _account(result, client.profile.name, corpus):
                say(line)
        return _code(result, corpus)

    def estimate(
        self, corpus: Files, question: str, client: Generator, options: DistillOptions
    ) -> int:
        """Write what a run would take at most; returns the exit code."""
        documents = corpus.documents()
        estimate = anyio.run(
            partial(estimate_distill, documents, question, client=client, options=options)
        )
        if self.as_json:
            write(estimate_json(estimate.metadata(), client.profile.name))
        else:
            write(estimate.summary() + "\n")
        if not self.quiet:
            for line in notice_lines(corpus.notices):
                say(line)
        return 0

    def hint(self) -> str:
        """Return how to go on after the run was stopped, "" where nothing was spent."""
        if not self._narrator.answers:
            return ""
        if self.checkpoint is None:
            return "Nothing was kept; with --checkpoint FILE, the next run could go on from here."
        return (
            f"Answers are kept in {self.checkpoint}. Run the very same command again to go on from "
            "there."
        )


def _account(result: Distillation, model: str, corpus: Files) -> Iterator[str]:
    if result.citations:
        yield "\nSources:"
        yield from source_lines(result.citations)
    elif not result.text:
        yield "Nothing in the corpus bears on the question."
    yield f"\n{model}: {result.summary()}"
    yield from failure_lines(result.report.failed)
    yield from notice_lines(corpus.notices)


def _code(result: Distillation, corpus: Files) -> int:
    if not result.report.complete or any_unreadable(corpus.notices):
        return INCOMPLETE
    return 0 if result.text else NOTHING_FOUND
