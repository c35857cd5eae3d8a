"""Exit codes: what became of a run, for scripts."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager

import typer

from orchestrator_context.cli.writing import say
from orchestrator_context.exceptions import (
    BudgetExceededError,
    ConfigurationError,
    ContextError,
    UnknownWindowError,
)

FAILED = 1
USAGE = 2
INCOMPLETE = 3
NOTHING_FOUND = 4
INTERRUPTED = 130

DISTILL_CODES = """\
Exit codes:
0 the answer is complete;
1 the run failed: a service, a limit, a checkpoint, the output;
2 the command cannot be carried out as it stands, or there is nothing to read;
3 there is an answer, but a part was not read or was cut off;
4 nothing in the corpus bears on the question;
130 stopped by Ctrl-C."""
COUNT_CODES = """\
Exit codes:
0 all was counted;
1 the result could not be written;
2 the command cannot be carried out as it stands, or there is nothing to read;
3 a file could not be read;
130 stopped by Ctrl-C."""

SELECT_CODES = """\
Exit codes:
0 there is a text, and it keeps to the budget;
1 the text, the state or the index could not be written;
2 the command cannot be carried out as it stands, or there is nothing to read;
3 there is a text, but a file could not be read, a pinned one did not fit, or none that matches;
4 no document fits, or of those that match none;
130 stopped by Ctrl-C."""
PLAN_CODES = """\
Exit codes:
0 all was measured;
1 the plan or the index could not be written;
2 the command cannot be carried out as it stands, or there is nothing to read;
3 a file could not be read;
130 stopped by Ctrl-C."""

_WINDOW = "--window TOKENS or --chunk-tokens TOKENS"


@contextmanager
def exit_codes(
    *, debug: bool, hint: Callable[[], str] = lambda: "", window: str = _WINDOW
) -> Generator[None]:
    """Turn what goes wrong in the body into a message and an exit code.

    Args:
        debug: whether tracebacks are shown.
        window: the options that name a window, or what depends on it.
        hint: says how to go on after a run was stopped; "" where there is nothing to say.
    """
    try:
        yield
    except KeyboardInterrupt:
        say("Stopped.")
        _say_all(hint())
        raise typer.Exit(INTERRUPTED) from None
    except ContextError as error:
        if debug:
            say(traceback.format_exc())
        early = isinstance(error, ConfigurationError | BudgetExceededError)
        say(f"Error: {_message(error, window)}")
        _say_all("" if early else hint())
        raise typer.Exit(USAGE if early else FAILED) from None
    except OSError as error:  # the result cannot be written
        if debug:
            say(traceback.format_exc())
        where = f"{error.filename} cannot be written: " if error.filename else ""
        say(f"Error: {where}{error.strerror or error}")
        _say_all(hint())
        raise typer.Exit(FAILED) from None


def _message(error: ContextError, window: str) -> str:
    notes: list[str] = getattr(error, "__notes__", [])
    message = str(error) + "".join(f" ({note})" for note in dict.fromkeys(notes))
    if isinstance(error, UnknownWindowError):
        message += f". Here that is {window}"
    return message


def _say_all(text: str) -> None:
    if text:
        say(text)
