"""Plain text to the two streams: the result to standard output, all else to standard error."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

# An answer may repeat what a file holds, and a terminal obeys escape sequences.
_CONTROLS = {
    code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"
}


def write(text: str) -> None:
    """Write `text` to standard output, whoever reads it and whether or not anyone does.

    Raises:
        OSError: it cannot be written, as on a full disk.
    """
    if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]  # closed at the start
        _write(sys.stdout, text.translate(_CONTROLS) if sys.stdout.isatty() else text)


def say(text: str) -> None:
    """Write a line to standard error, if it can be written."""
    if sys.stderr is not None:  # pyright: ignore[reportUnnecessaryComparison]
        with suppress(OSError):  # there is nowhere left to say so
            _write(sys.stderr, text.translate(_CONTROLS) + "\n")


def on_one_line(text: str) -> str:
    """Return `text`, such as a path, without anything that could look like another line."""
    return text.translate(_CONTROLS | dict.fromkeys(map(ord, "\t\n\u2028\u2029"), "\ufffd"))


def _write(stream: TextIO, text: str) -> None:
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "replace").decode(encoding))
        stream.flush()
    except OSError as error:
        # Python would try again at its end, and complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if not isinstance(error, BrokenPipeError):  # there, the reader has seen enough
            raise
