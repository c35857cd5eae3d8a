"""Plain text to the two streams: the result to standard output, all else to standard error."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from functools import cache
from typing import TextIO

# An answer may repeat what a file holds, and a terminal obeys escape sequences.
_CONTROLS = {
    code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"
}


def write(text: str) -> None:
    """Write `text` to standard output, whoever reads it and whether or not anyone does.

    Programs get UTF-8, whatever the locale; U+FFFD is in the place of a lone surrogate. A terminal
    gets what it can show, and standard error tells if that is not all.

    Raises:
        OSError: it cannot be written, as on a full disk.
    """
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]  # closed at the start
        return
    if sys.stdout.isatty():
        if not _write(sys.stdout, text.translate(_CONTROLS)):
            _tell_of_gaps(sys.stdout.encoding)
        return
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8")
    _write(sys.stdout, text)


def json_line(data: object) -> str:
    """Return `data` as JSON on one line, all of it ASCII, which every reader of JSON can decode."""
    return json.dumps(json.loads(_whole(json.dumps(data, ensure_ascii=False)))) + "\n"


def say(text: str) -> None:
    """Write a line to standard error, if it can be written."""
    if sys.stderr is not None:  # pyright: ignore[reportUnnecessaryComparison]
        with suppress(OSError):  # there is nowhere left to say so
            _write(sys.stderr, text.translate(_CONTROLS) + "\n")


def on_one_line(text: str) -> str:
    """Return `text`, such as a path, without anything that could look like another line."""
    return text.translate(_CONTROLS | dict.fromkeys(map(ord, "\t\n\u2028\u2029"), "\ufffd"))


def silence(stream: TextIO) -> None:
    """Let go of what `stream` could not write: Python would try at its end, and complain again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _write(stream: TextIO, text: str) -> bool:
    """Write `text` and return whether the encoding of `stream` has all of it."""
    encoding, text = stream.encoding or "utf-8", _whole(text)
    shown = text.encode(encoding, "replace").decode(encoding)
    try:
        stream.write(shown)
        stream.flush()
    except OSError as error:
        silence(stream)
        if not isinstance(error, BrokenPipeError):  # there, the reader has seen enough
            raise
    return shown == text


def _whole(text: str) -> str:
    """Return `text` with U+FFFD for a lone surrogate, as in a file name that does not decode."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@cache
def _tell_of_gaps(encoding: str) -> None:
    say(
        f"This terminal takes {encoding} and cannot show every character of the result, so some "
        "are replaced; write to a file or a pipe, or set PYTHONIOENCODING=utf-8"
    )
