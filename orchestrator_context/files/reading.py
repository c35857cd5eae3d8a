"""Documents from what a command line names."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import cast

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.files.decoding import (
    HEAD_BYTES,
    check_encoding,
    decode,
    has_binary_suffix,
    is_binary,
)
from orchestrator_context.files.naming import Names, name_from
from orchestrator_context.files.notices import FileNotice, NoticeReason, OnNotice
from orchestrator_context.files.once import Once
from orchestrator_context.files.targets import File, Target, targets_of
from orchestrator_context.files.walking import Walk
from orchestrator_context.languages import detect_language
from orchestrator_context.models import Document

STDIN_NAME = "stdin"

_Found = tuple[File, str]


def read_documents(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    include_generated: bool = False,
    include_hidden: bool = False,
    encoding: str = "utf-8",
    exclude: Iterable[str | os.PathLike[str]] = (),
    on_notice: OnNotice | None = None,
) -> Iterator[Document]:
    """Return the documents that `paths` name, read one by one as they are asked for.

    A path is a file, a folder, `-` for standard input, or a glob. A glob means what it means to a
    shell, so `*.py` names files; behind `**` it picks from a walk through the folders. In a folder,
    and behind `**`, what `.gitignore` files name is left out, as are names with a dot in front,
    generated files, binary files and links. So is all of a folder whose `.gitignore` cannot be
    read, since it may keep something private. A file that is named itself is read all the same,
    unless it is binary. Each file is read once, however often it is named.

    Paths of documents are as seen from the current folder, and begin with the last part of what
    was named where that lies elsewhere. Each occurs once, with more of its folders in front where
    it needs them. Standard input is called `stdin`.

    A byte order mark tells UTF-8, UTF-16 or UTF-32, and is not part of the text.

    Args:
        paths: what to read, one or several, in this order; folders in the order of their names.
        include_generated: read generated and vendored files too.
        include_hidden: read names with a dot in front too.
        encoding: that of files without a byte order mark. Where up to a tenth of the characters
            does not decode, they are replaced by U+FFFD; with more the file is left out.
        exclude: files that are passed over without a word, such as those that a program writes
            beside what it reads; they need not be there.
        on_notice: is told of every file or folder left out, and of every one repaired. It is called
            from the thread that takes the documents.

    Raises:
        ConfigurationError: a path is not there, a glob fits nothing, or an argument is not of its
            type; found before anything is read. Also where the documents are gone through again
            after their end.
    """
    checks.flag("include_generated", include_generated)
    checks.flag("include_hidden", include_hidden)
    checks.function_or_none("on_notice", on_notice)
    reader = _Reader(
        check_encoding(encoding),
        include_generated,
        include_hidden,
        on_notice,
        _here(),
        excluded=frozenset(map(_real, _paths("exclude", exclude))),
    )
    several = [paths] if isinstance(paths, str | os.PathLike) else paths
    named = _paths("paths", several)
    return Once(reader.documents([(path, targets_of(path)) for path in named]))


def _paths(field: str, values: object) -> list[str]:
    return [_path(f"each of {field}", value) for value in checks.sequence(field, values, "paths")]


def _path(field: str, value: object) -> str:
    if not isinstance(value, str | os.PathLike):
        raise ConfigurationError(f"{field} must be a path, not {checks.sort_of(value)}")
    return checks.text(field, os.fspath(cast("str | os.PathLike[str]", value)))


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise ConfigurationError(
            "The current folder is not there any more; change to one that is"
        ) from None


def _real(path: str) -> str:
    """Return a path without links; as it stands where no file can have that name."""
    try:
        return os.path.realpath(path)
    except ValueError:
        return path


@dataclass(slots=True)
class _Reader:
    encoding: str
    include_generated: bool
    include_hidden: bool
    on_notice: OnNotice | None
    here: str
    names: Names = field(default_factory=Names)
    seen: set[str] = field(default_factory=set[str])
    named: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()

    def documents(self, targets: list[tuple[str, list[Target]]]) -> Generator[Document]:
        """Return the documents of paths and what they name, whose globs must fit something."""
        every = chain.from_iterable(named for _, named in targets)
        self.named = frozenset(target.real for target in every if isinstance(target, File))
        found = [self._fitting(path, named) for path, named in targets]
        return (
            document
            for file, wanted in chain.from_iterable(found)
            for document in self._document(file, wanted)
        )

    def _fitting(self, path: str, targets: list[Target]) -> Iterator[_Found]:
        files = chain.from_iterable(map(self._files, targets))
        if all(isinstance(target, File) or target.only is None for target in targets):
            return files
        if (first := next(files, None)) is None:
            raise ConfigurationError(f"Nothing fits {path!r}")
        return chain([first], files)

    def _files(self, target: Target) -> Iterator[_Found]:
        name = name_from(self.here, target.path)
        if isinstance(target, File):
            yield target, STDIN_NAME if target.is_stdin else name
            return
        prefix = f"{name}/" if name else ""

        def tell(inner: str, reason: NoticeReason) -> None:
            real = target.file(inner).real
            # What cannot be read is told behind a glob too: it may hold what is wanted.
            wanted = reason == "unreadable" or target.wants(inner)
            if real not in self.named and real not in self.excluded and wanted:
                self._tell(prefix + inner, reason)

        hidden = self.include_hidden or target.hidden
        for inner in Walk(target.path, self.include_generated, hidden, tell).files():
            if target.wants(inner):
                yield target.file(inner), prefix + inner

    def _document(self, file: File, wanted: str) -> Iterator[Document]:
        if file.real in self.seen or file.real in self.excluded:
            return
        self.seen.add(file.real)
        if not file.is_named and has_binary_suffix(file.path):
            self._tell(wanted, "binary")
            return
        try:
            data = _bytes_of(file, self.encoding)
        except OSError:
            self._tell(wanted, "unreadable")
            return
        if data is None:
            self._tell(wanted, "binary")
            return
        text, trouble = decode(data, self.encoding)
        if trouble is not None:
            self._tell(wanted, trouble)
        if trouble != "undecodable":
            path = self.names.take(wanted, file.path)
            yield Document(path, text, language=detect_language(path))

    def _tell(self, path: str, reason: NoticeReason) -> None:
        if self.on_notice is not None:
            self.on_notice(FileNotice(path or "./", reason))


def _bytes_of(file: File, encoding: str) -> bytes | None:
    """Return what is in a file, or None where it is binary: then only its head was read."""
    if file.is_stdin:
        if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise ConfigurationError("Standard input is closed, so there is nothing to read in it")
        data = sys.stdin.buffer.read()
        return None if is_binary(data[:HEAD_BYTES], encoding) else data
    with open(file.path, "rb") as stream:
        head = stream.read(HEAD_BYTES)
        return None if is_binary(head, encoding) else head + stream.read()
