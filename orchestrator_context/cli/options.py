"""The arguments and options of the commands, and what they say in `--help`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_MODEL = "Model"
_LIMITS = "Limits"
_FILES = "Files"
_OUTPUT = "Output"

PathsAndQuestion = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH... QUESTION",
        help="Files, folders, globs, or - for standard input; last of all the question, in quotes.",
        show_default=False,
    ),
]
Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH...",
        help="Files, folders, globs, or - for standard input.",
        show_default=False,
    ),
]

Client = Annotated[
    str,
    typer.Option(
        metavar="SPEC",
        help="openai:MODEL, anthropic:MODEL, cohere:MODEL, local:FILE.gguf, or extractive, which "
        "picks sentences and needs no model. Keys come from OPENAI_API_KEY, ANTHROPIC_API_KEY "
        "and CO_API_KEY.",
        rich_help_panel=_MODEL,
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Where the model is served, such as http://127.0.0.1:8080/v1.",
        rich_help_panel=_MODEL,
    ),
]
Window = Annotated[
    int | None,
    typer.Option(
        metavar="TOKENS",
        help="Context window of the model, where it is not known by its name.",
        rich_help_panel=_MODEL,
    ),
]
ClientOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--client-option",
        metavar="NAME=VALUE",
        help="Any other setting of the client, such as reasoning_tokens=8000, temperature=0, "
        "timeout_seconds=600 or threads=4. May be given several times.",
        show_default=False,
        rich_help_panel=_MODEL,
    ),
]
PriceIn = Annotated[
    float | None,
    typer.Option(metavar="USD", help="Price of a million tokens read.", rich_help_panel=_MODEL),
]
PriceOut = Annotated[
    float | None,
    typer.Option(metavar="USD", help="Price of a million tokens written.", rich_help_panel=_MODEL),
]
MaxOutputTokens = Annotated[
    int,
    typer.Option(metavar="TOKENS", help="Ceiling of the final answer.", rich_help_panel=_MODEL),
]
NoteTokens = Annotated[
    int | None,
    typer.Option(
        metavar="TOKENS",
        help="Ceiling of one note; by default an eighth of a chunk.",
        rich_help_panel=_MODEL,
    ),
]
ChunkTokens = Annotated[
    int | None,
    typer.Option(
        metavar="TOKENS",
        help="Ceiling of the text in one call; by default all that the window leaves.",
        rich_help_panel=_MODEL,
    ),
]

CheckpointFile = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="FILE",
        help="Keep every answer in this file; the same command then goes on where a run stopped.",
        rich_help_panel=_LIMITS,
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option(metavar="USD", help="Stop before more is spent.", rich_help_panel=_LIMITS),
]
MaxCalls = Annotated[
    int | None,
    typer.Option(metavar="N", help="Stop before more calls.", rich_help_panel=_LIMITS),
]
MaxTokensSpent = Annotated[
    int | None,
    typer.Option(
        metavar="TOKENS",
        help="Stop before more tokens are read and written.",
        rich_help_panel=_LIMITS,
    ),
]
Concurrency = Annotated[
    int, typer.Option(metavar="N", help="Calls in flight at most.", rich_help_panel=_LIMITS)
]
RequestsPerMinute = Annotated[
    float | None,
    typer.Option(metavar="N", help="Calls in a minute at most.", rich_help_panel=_LIMITS),
]
TokensPerMinute = Annotated[
    float | None,
    typer.Option(metavar="N", help="Tokens in a minute at most.", rich_help_panel=_LIMITS),
]
SkipFailures = Annotated[
    bool,
    typer.Option(
        "--skip-failures",
        help="Go on without the parts whose calls fail, and report them.",
        rich_help_panel=_LIMITS,
    ),
]

IncludeGenerated = Annotated[
    bool,
    typer.Option(
        "--include-generated",
        help="In folders, read generated and vendored files too.",
        rich_help_panel=_FILES,
    ),
]
IncludeHidden = Annotated[
    bool,
    typer.Option(
        "--include-hidden",
        help="In folders, read names with a dot in front too.",
        rich_help_panel=_FILES,
    ),
]
Encoding = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Encoding of files without a byte order mark.",
        rich_help_panel=_FILES,
    ),
]

Estimate = Annotated[
    bool,
    typer.Option(
        "--estimate",
        help="Make no call; say how many calls, tokens and dollars it would take at most.",
        rich_help_panel=_OUTPUT,
    ),
]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json", help="Write one JSON object to standard output.", rich_help_panel=_OUTPUT
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        help="Write nothing to standard error but why it failed.",
        rich_help_panel=_OUTPUT,
    ),
]
Debug = Annotated[
    bool,
    typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel=_OUTPUT),
]
ModelName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="A model, an encoding such as cl100k_base, or a tokenizer.json file.",
        rich_help_panel=_MODEL,
    ),
]
