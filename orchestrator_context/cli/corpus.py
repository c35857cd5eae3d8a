"""What a command reads: documents, and what was left out on the way to them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from orchestrator_context.cli.writing import on_one_line
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.files import FileNotice, read_documents
from orchestrator_context.models import Document

# A corpus up to this size is held in memory, so that its length is known and with it the time left.
_HELD_CHARACTERS = 1 << 26


@dataclass(slots=True)
class Files:
    """The documents that paths name.

    Attributes:
        paths: files, folders, globs, or "-".
        include_generated: as for `read_documents`.
        include_hidden: as for `read_documents`.
        encoding: as for `read_documents`.
        own: files that the command reads or writes itself; None for one that was not named.
        notices: what was left out or repaired so far.
    """

    paths: Sequence[str]
    include_generated: bool
    include_hidden: bool
    encoding: str
    own: Sequence[Path | None] = ()
    notices: list[FileNotice] = field(default_factory=list[FileNotice])

    def documents(self) -> Iterable[Document]:
        """Return the documents: a list, or an iterator where they are too large to be held.

        Raises:
            ConfigurationError: a path is not there, or no file can be read.
        """
        stream = read_documents(
            self.paths,
            include_generated=self.include_generated,
            include_hidden=self.include_hidden,
            encoding=self.encoding,
            exclude=[path for path in self.own if path is not None],
            on_notice=self.notices.append,
        )
        held, all_of_them = _held(stream)
        if not held:
            raise ConfigurationError("There is nothing to read" + self._reasons())
        return held if all_of_them else chain(held, stream)

    def _reasons(self) -> str:
        reasons = sorted({notice.reason for notice in self.notices})
        told = [notice.path for notice in self.notices if notice.reason == "unreadable"]
        which = f" (the first unreadable one is {on_one_line(told[0])})" if told else ""
        return f"; all that is there was left out as {', '.join(reasons)}{which}" if reasons else ""


def split_arguments(arguments: Sequence[str]) -> tuple[Sequence[str], str]:
    """Return the paths and the question behind them.

    Raises:
        ConfigurationError: one of the two is missing.
    """
    *paths, question = arguments
    if question == "-" or os.path.lexists(question):
        raise ConfigurationError(
            f"The question is missing: {question!r}, which comes last, is a file or folder. Put "
            "the question behind it, in quotes"
        )
    if not paths:
        raise ConfigurationError(
            "Name what to read in front of the question: files, folders, globs, or - for "
            "standard input"
        )
    return paths, question


def _held(stream: Iterator[Document]) -> tuple[list[Document], bool]:
    """Return documents of up to a number of characters, and whether these are all."""
    held: list[Document] = []
    room = _HELD_CHARACTERS
    for document in stream:
        held.append(document)
        room -= len(document.content)
        if room < 0:
            return held, False
    return held, True
