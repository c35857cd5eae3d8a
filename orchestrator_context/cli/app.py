"""The commands."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from orchestrator_context.cli import options as o
from orchestrator_context.cli import select_options as so
from orchestrator_context.cli.corpus import Files, split_arguments
from orchestrator_context.cli.counting import count_documents
from orchestrator_context.cli.distilling import Job, client_of, options_of
from orchestrator_context.cli.exits import (
    COUNT_CODES,
    DISTILL_CODES,
    FAILED,
    PLAN_CODES,
    SELECT_CODES,
    exit_codes,
)
from orchestrator_context.cli.selecting import Selecting, budget_of
from orchestrator_context.cli.tuning import select_options, setting_files
from orchestrator_context.cli.writing import say, silence
from orchestrator_context.distill import DistillOptions

_DEFAULTS = DistillOptions()
_CEILINGS = "--max-tokens TOKENS, or --model with a known window"


class _App(typer.Typer):
    def __call__(self, *arguments: object, **settings: object) -> object:
        try:
            return super().__call__(*arguments, **settings)
        except OSError as error:  # the help or the version cannot be written
            silence(sys.stdout)
            say(f"Error: {error.strerror or error}")
            raise SystemExit(FAILED) from None


app = _App(
    help="Keep what a model must see inside its context window.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"orchestrator-context {version('orchestrator-context')}")
        raise typer.Exit


@app.callback()
def main(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Keep what a model must see inside its context window."""
    del show_version


@app.command(epilog=DISTILL_CODES)
def distill(
    arguments: o.PathsAndQuestion,
    client: o.Client = "extractive",
    base_url: o.BaseUrl = None,
    window: o.Window = None,
    price_in: o.PriceIn = None,
    price_out: o.PriceOut = None,
    client_options: o.ClientOptions = None,
    max_output_tokens: o.MaxOutputTokens = _DEFAULTS.max_output_tokens,
    chunk_tokens: o.ChunkTokens = None,
    note_tokens: o.NoteTokens = None,
    checkpoint: o.CheckpointFile = None,
    max_cost: o.MaxCost = None,
    max_calls: o.MaxCalls = None,
    max_tokens_spent: o.MaxTokensSpent = None,
    concurrency: o.Concurrency = _DEFAULTS.concurrency,
    requests_per_minute: o.RequestsPerMinute = None,
    tokens_per_minute: o.TokensPerMinute = None,
    skip_failures: o.SkipFailures = False,
    include_generated: o.IncludeGenerated = False,
    include_hidden: o.IncludeHidden = False,
    encoding: o.Encoding = "utf-8",
    estimate: o.Estimate = False,
    as_json: o.AsJson = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Answer a question from files of any size: read every part, join the notes, cite sources.

    The answer goes to standard output; progress, sources and the account to standard error. With
    --json, answer, sources and account are one object on standard output.
    """
    job = Job(checkpoint, as_json, quiet)
    with exit_codes(debug=debug, hint=job.hint):
        paths, question = split_arguments(arguments)
        prices, others = (price_in, price_out), client_options or []
        model = client_of(client, base_url=base_url, window=window, prices=prices, others=others)
        settings = options_of(
            sizes=(max_output_tokens, chunk_tokens, note_tokens),
            pace=(concurrency, requests_per_minute, tokens_per_minute),
            ceilings=(max_calls, max_tokens_spent, max_cost),
            skip_failures=skip_failures,
        )
        corpus = Files(paths, include_generated, include_hidden, encoding, job.files)
        act = job.estimate if estimate else job.distill
        code = act(corpus, question, model, settings)
    raise typer.Exit(code)


@app.command(epilog=COUNT_CODES)
def count(
    paths: o.Paths,
    model: o.ModelName = "o200k_base",
    include_generated: o.IncludeGenerated = False,
    include_hidden: o.IncludeHidden = False,
    encoding: o.Encoding = "utf-8",
    as_json: o.AsJson = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Count the tokens of files as a model does."""
    with exit_codes(debug=debug):
        corpus = Files(paths, include_generated, include_hidden, encoding)
        code = count_documents(corpus, model, as_json=as_json, quiet=quiet)
    raise typer.Exit(code)


@app.command(epilog=PLAN_CODES)
def plan(
    arguments: o.PathsAndQuestion,
    max_tokens: so.MaxTokens = None,
    max_bytes: so.MaxBytes = None,
    max_documents: so.MaxDocuments = None,
    model: o.ModelName = "o200k_base",
    preset: so.ChosenPreset = "default",
    tuning: so.Tuning = None,
    pin: so.Pin = None,
    state: so.StateFile = None,
    index: so.IndexFile = None,
    include_generated: o.IncludeGenerated = False,
    include_hidden: o.IncludeHidden = False,
    encoding: o.Encoding = "utf-8",
    as_json: o.AsJson = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Say what each strategy would make of files within a budget, as a table to choose from.

    Nothing is sent anywhere.
    """
    with exit_codes(debug=debug, window=_CEILINGS):
        paths, question = split_arguments(arguments)
        own = [state, index, *setting_files(tuning or [])]
        job = Selecting(
            Files(paths, include_generated, include_hidden, encoding, own),
            question,
            budget_of(model, max_tokens, max_bytes, max_documents),
            select_options(tuning or [], preset, {}),
            model,
            pins=pin or [],
            state=state,
            index=index,
            as_json=as_json,
            quiet=quiet,
        )
        code = job.plan()
    raise typer.Exit(code)


@app.command(epilog=SELECT_CODES)
def select(
    arguments: o.PathsAndQuestion,
    max_tokens: so.MaxTokens = None,
    max_bytes: so.MaxBytes = None,
    max_documents: so.MaxDocuments = None,
    model: o.ModelName = "o200k_base",
    strategy: so.ChosenStrategy = None,
    preset: so.ChosenPreset = "default",
    tuning: so.Tuning = None,
    order: so.Order = None,
    pin: so.Pin = None,
    state: so.StateFile = None,
    index: so.IndexFile = None,
    include_generated: o.IncludeGenerated = False,
    include_hidden: o.IncludeHidden = False,
    encoding: o.Encoding = "utf-8",
    as_json: o.AsJson = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Write what files say on a question, in a text that keeps to a budget.

    The text goes to standard output; the account to standard error. With --json, both are one
    object on standard output. No model is asked.
    """
    with exit_codes(debug=debug, window=_CEILINGS):
        paths, question = split_arguments(arguments)
        own = [state, index, *setting_files(tuning or [])]
        job = Selecting(
            Files(paths, include_generated, include_hidden, encoding, own),
            question,
            budget_of(model, max_tokens, max_bytes, max_documents),
            select_options(tuning or [], preset, {"strategy": strategy, "render_order": order}),
            model,
            pins=pin or [],
            state=state,
            index=index,
            as_json=as_json,
            quiet=quiet,
        )
        code = job.select()
    raise typer.Exit(code)
