"""The distillation itself: read, note, reduce, in one task group."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, AsyncExitStack
from os import PathLike

from anyio import to_thread

from orchestrator_context import checks
from orchestrator_context.distill.asking import Asker
from orchestrator_context.distill.checkpoint import Checkpoint
from orchestrator_context.distill.crew import Crew, crew
from orchestrator_context.distill.cutting import Cutter, Piece
from orchestrator_context.distill.mapping import Mapper, Put
from orchestrator_context.distill.notes import MarkedNote
from orchestrator_context.distill.options import DistillOptions
from orchestrator_context.distill.outcome import Collected, distillation, joined_by
from orchestrator_context.distill.progress import Progress
from orchestrator_context.distill.prompts import PromptBook
from orchestrator_context.distill.reading import DistillSource, Reader, length
from orchestrator_context.distill.reducing import Reducer
from orchestrator_context.distill.sizing import Sizing, sizing
from orchestrator_context.events import Event, Observer
from orchestrator_context.exceptions import ConfigurationError, DistillError
from orchestrator_context.protocols import Generator
from orchestrator_context.reports import Distillation, DistillReport
from orchestrator_context.text import clean, is_blank


async def distill(
    source: DistillSource,
    query: str,
    *,
    client: Generator,
    options: DistillOptions = DistillOptions(),
    checkpoint: Checkpoint | str | PathLike[str] | None = None,
    observer: Observer | None = None,
) -> Distillation:
    """Return an answer to `query` from a corpus of any size.

    Every part is read by one map call, which takes notes; notes are joined level by level until
    one call can see all of them and answers. The corpus is streamed, whatever its size.

    Args:
        source: a text, a document, or documents from an iterable or an async iterable.
        query: what the answer should tell.
        client: the model: one of `orchestrator_context.providers`, or from `load_generator`.
        options: sizes, limits and what to do on failure.
        checkpoint: a file for the answers, so that a run that was stopped goes on without paying
            twice, and a changed corpus pays for its changes only.
        observer: is told of progress, failures and the end. Events hold no content.

    Raises:
        ConfigurationError: an argument cannot be used, or an item of a stream is no document.
        UnknownWindowError: the client's window is unknown and `chunk_tokens` not set.
        WindowTooSmallError: the client's window leaves no room.
        LimitExceededError: the next call could pass a spending limit.
        NotReducedError: the model's summaries do not get smaller; carries the notes.
        ProviderError: a call failed for good and was not to be skipped, or every call would.
        CallsFailedError: calls in flight together failed in different ways.
        DistillError: failures were skipped, and no chunk could be read or the notes not be joined.
        CheckpointError: the checkpoint file cannot be used.

    Example:
        >>> import anyio
        >>> from orchestrator_context.providers.extractive import ExtractiveGenerator
        >>> log, model = "The pump failed. Lunch was good.", ExtractiveGenerator()
        >>> async def main():
        ...     return await distill(log, "Which pump failed?", client=model)
        >>> anyio.run(main).text
        '- text: The pump failed. [S1]'
    """
    run = await _prepared(query, client, options, observer)
    async with AsyncExitStack() as stack:
        await _enter(client, stack)
        result = await run.go(source, await _opened(checkpoint, stack))
    run.observe(result.event())
    return result


async def _prepared(
    query: str, client: Generator, options: DistillOptions, observer: Observer | None
) -> _Run:
    """Return the run, its arguments checked and its sizes known; nothing is opened yet."""
    if observer is not None and (not callable(observer) or checks.is_async(observer)):
        raise ConfigurationError("observer must be a plain function that takes an event")
    book = prompt_book(query, client, options)
    sizes = await to_thread.run_sync(sizing, book, options)  # the first count loads a lot
    return _Run(client, options, book, sizes, observer)


class _Run:
    """Puts the parts of one run together."""

    def __init__(
        self,
        client: Generator,
        options: DistillOptions,
        book: PromptBook,
        sizes: Sizing,
        observer: Observer | None,
    ) -> None:
        self._client = client
        self._options = options
        self._book = book
        self._sizes = sizes
        self._observer = observer
        self._crew: Crew | None = None
        self._reducer: Reducer | None = None
        self._collected = Collected(options.keep_notes or options.reducer is not None)

    def observe(self, event: Event) -> None:
        """Tell the observer. What it raises stops the run; it is no failure of a call."""
        if self._observer is None:
            return
        try:
            self._observer(event)
        except Exception as error:
            if self._crew is None:
                raise
            self._crew.fail(error)

    async def go(self, source: DistillSource, journal: Checkpoint | None) -> Distillation:
        options, collected = self._options, self._collected
        asker = Asker(self._client, options, journal, self.observe)
        progress = Progress(asker, self.observe if self._observer else None, length(source))
        cutter = Cutter(self._book, self._sizes, options.passage_tokens)
        try:
            async with crew() as tasks:
                self._crew = tasks
                reducer = Reducer(asker, self._book, self._sizes, options, progress, tasks)
                self._reducer = reducer
                put = self._sink(reducer)
                mapper = Mapper(asker, cutter, options, progress, tasks, put)
                async with Reader(source, cutter) as reader:
                    async for item in reader:
                        if isinstance(item, Piece):
                            await mapper.add(item)
                        else:
                            collected.count(item)
                progress.cut = True
                if options.reducer is None:
                    reducer.tree.close(0, mapper.texts)
            self._crew = None
            return self._result(asker, progress, mapper, reducer)
        except DistillError as error:
            standing = self._reducer.standing if self._reducer else []
            kept = collected.shown or tuple(note.shown() for note in standing)
            error.notes = error.notes or kept
            raise

    def _sink(self, reducer: Reducer) -> Put:
        def put(position: int, note: MarkedNote | None) -> None:
            self._collected.add(position, note)
            if self._options.reducer is None:
                reducer.tree.put(0, position, note)

        return put

    def _depth(self, reducer: Reducer) -> int:
        """Return the rounds of reduction; one where a function of the caller was the only one."""
        if self._options.reducer is not None:
            return int(bool(self._collected.notes))
        return reducer.tree.depth if reducer.has_answered else 0

    def _result(
        self, asker: Asker, progress: Progress, mapper: Mapper, reducer: Reducer
    ) -> Distillation:
        own = self._options.reducer
        answer = joined_by(own, self._collected.in_order) if own else reducer.answer
        report = DistillReport(
            chunks=progress.chunks,
            truncated_notes=reducer.truncated,
            unknown_note_marks=reducer.unknown,
            depth=self._depth(reducer),
            max_output_tokens=self._options.max_output_tokens,
        )
        return distillation(
            self._collected,
            mapper.readings,
            asker,
            answer,
            report,
            self._client.profile.counter,
            reducer.answer_usage,
        )


def prompt_book(query: str, client: Generator, options: DistillOptions) -> PromptBook:
    """Return the prompts for a run, its arguments checked.

    Raises:
        ConfigurationError: an argument cannot be used.
    """
    question = clean(checks.text("query", query, blank=False))
    if is_blank(question):
        raise ConfigurationError("query must not be blank: it holds nothing that can be seen")
    if not isinstance(options, DistillOptions):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigurationError(
            f"options must be DistillOptions, not {type(options).__name__}; "
            "DistillOptions.from_mapping makes them from a mapping"
        )
    if isinstance(client, type):
        raise ConfigurationError(f"client must be an object, and {client.__name__} is a class")
    if not isinstance(client, Generator):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigurationError(
            f"client must have a profile and an async generate, which {type(client).__name__} has "
            "not; wrap a coroutine function in providers.function.FunctionGenerator"
        )
    if options.max_cost is not None and client.profile.price is None:
        raise ConfigurationError(
            f"max_cost needs a price, and that of {client.profile.name!r} is unknown: give it "
            "where the client is made (price=Price(input=..., output=...))"
        )
    return PromptBook(
        question, client.profile, options.map_instructions, options.reduce_instructions
    )


async def _enter(client: Generator, stack: AsyncExitStack) -> None:
    if isinstance(client, AbstractAsyncContextManager):
        await stack.enter_async_context(client)


async def _opened(
    checkpoint: Checkpoint | str | PathLike[str] | None, stack: AsyncExitStack
) -> Checkpoint | None:
    if checkpoint is None:
        return None
    if isinstance(checkpoint, Checkpoint) and checkpoint.is_open:
        return checkpoint
    path = checkpoint.path if isinstance(checkpoint, Checkpoint) else checkpoint
    return await stack.enter_async_context(Checkpoint(path))  # of this run alone
