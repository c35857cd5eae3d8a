"""Plain text to the two streams: the result to standard output, all else to standard error."""

from __future__ import annotations

import os
import sys
from typing import TextIO

# An answer may repeat what a file holds, and a terminal obeys escape sequences.
_CONTROLS = {
    code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"
}


def write(text: str) -> None:
    """Write `text` to standard output, whoever reads it and whether or not anyone does."""
    _write(sys.stdout, text.translate(_CONTROLS) if sys.stdout.isatty() else text)


def say(text: str) -> None:
    """Write a line to standard error."""
    _write(sys.stderr, text.translate(_CONTROLS) + "\n")


def _write(stream: TextIO, text: str) -> None:
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "replace").decode(encoding))
        stream.flush()
    except BrokenPipeError:  # the reader has seen enough; Python would complain again at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
