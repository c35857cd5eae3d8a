"""The options of `plan` and `select`, and what they say in `--help`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from orchestrator_context.corpus.report import Strategy

_BUDGET = "Budget"
_SELECTION = "Selection"
_FILES = "Files"

Preset = Literal["default", "recommended"]
RenderOrder = Literal["path", "rank"]

MaxTokens = Annotated[
    int | None,
    typer.Option(
        metavar="TOKENS",
        help="What the text may take; by default what the window of --model leaves.",
        rich_help_panel=_BUDGET,
    ),
]
MaxBytes = Annotated[
    int | None,
    typer.Option(metavar="N", help="UTF-8 bytes of the text.", rich_help_panel=_BUDGET),
]
MaxDocuments = Annotated[
    int | None,
    typer.Option(metavar="N", help="Documents in the text.", rich_help_panel=_BUDGET),
]
ChosenStrategy = Annotated[
    Strategy | None,
    typer.Option(
        "--strategy",
        help="whole documents, the best whole ones (ranked), an overview with parts and "
        "declarations (tiered), the best parts (packed); auto sends all or else tiered.",
        show_default=False,
        rich_help_panel=_SELECTION,
    ),
]
ChosenPreset = Annotated[
    Preset,
    typer.Option("--preset", help="Settings to begin with.", rich_help_panel=_SELECTION),
]
Tuning = Annotated[
    list[str] | None,
    typer.Option(
        "--tuning",
        metavar="FILE|KEY=VALUE",
        help="A setting, such as compacts=true or rank.stem=true, or a JSON or TOML file of them. "
        "May be given several times. Options win over settings, those over the preset, that over "
        "files.",
        show_default=False,
        rich_help_panel=_SELECTION,
    ),
]
Order = Annotated[
    RenderOrder | None,
    typer.Option(
        "--order",
        help="Documents by path, for prompt caches (the default), or the best first.",
        show_default=False,
        rich_help_panel=_SELECTION,
    ),
]
Pin = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATH",
        help="A document that comes before all others. May be given several times.",
        show_default=False,
        rich_help_panel=_SELECTION,
    ),
]
StateFile = Annotated[
    Path | None,
    typer.Option(
        "--state",
        metavar="FILE",
        help="What was selected: read before, to prefer it again, and written after.",
        rich_help_panel=_FILES,
    ),
]
IndexFile = Annotated[
    Path | None,
    typer.Option(
        "--index",
        metavar="FILE",
        help="Keep the word index here; it is made anew where files or settings changed.",
        rich_help_panel=_FILES,
    ),
]
