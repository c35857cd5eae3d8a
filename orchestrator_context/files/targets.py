"""What a path on the command line names: files, folders, or a part of a folder."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass

from pathspec import GitIgnoreSpec

from orchestrator_context.exceptions import ConfigurationError

STDIN = "-"
"""The path that stands for standard input."""

_STDIN_PATH = "/dev/stdin"


@dataclass(frozen=True, slots=True)
class File:
    """A file to read.

    Attributes:
        path: absolute, links as they were named.
        real: absolute, without links: the identity of the file.
        is_named: whether it was named itself, not found in a folder.
    """

    path: str
    real: str
    is_named: bool = True

    @property
    def is_stdin(self) -> bool:
        """Whether it stands for standard input."""
        return self.real == STDIN


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder to walk through.

    Attributes:
        path: absolute, links as they were named.
        real: absolute, without links.
        only: what is wanted in it, or None for all.
        hidden: whether `only` names something with a dot in front.
    """

    path: str
    real: str
    only: GitIgnoreSpec | None = None
    hidden: bool = False

    def wants(self, inner: str) -> bool:
        """Return whether a path below the folder is wanted; what is in a wanted folder is."""
        return self.only is None or self.only.match_file(inner)

    def file(self, inner: str) -> File:
        """Return the file at a path below the folder, reached without links."""
        parts = inner.split("/")
        return File(os.path.join(self.path, *parts), os.path.join(self.real, *parts), False)


Target = File | Folder


def targets_of(path: str) -> list[Target]:
    """Return what `path` names: one file or folder, or as many as a glob fits.

    Raises:
        ConfigurationError: nothing is there.
    """
    if path == STDIN:
        return [File(_STDIN_PATH, STDIN)]
    if os.path.exists(path):
        return [_target(path)]
    if os.path.lexists(path):
        raise ConfigurationError(f"{path} is a link that leads nowhere")
    if not _is_glob(path):
        raise ConfigurationError(f"There is no file or folder {path!r}")
    head, tail = _split(path)
    found = sorted(glob.glob(head)) if _is_glob(head) else [head] * os.path.isdir(head)
    targets: list[Target] = [_target(place) for place in found if os.path.exists(place)]
    if tail:
        targets = [_part(target, tail) for target in targets if isinstance(target, Folder)]
    if not targets:
        raise ConfigurationError(f"Nothing fits {path!r}")
    return targets


def _target(path: str) -> Target:
    place, real = os.path.abspath(path), os.path.realpath(path)
    if os.path.isdir(path):
        return Folder(place, real)
    if not os.access(path, os.R_OK):
        raise ConfigurationError(f"{path} may not be read; check its permissions")
    return File(place, real)


def _part(folder: Folder, tail: str) -> Folder:
    hidden = any(part.startswith(".") for part in tail.split("/"))
    return Folder(folder.path, folder.real, GitIgnoreSpec.from_lines([f"/{tail}"]), hidden)


def _is_glob(path: str) -> bool:
    return any(mark in path for mark in "*?[")


def _split(path: str) -> tuple[str, str]:
    """Return a glob up to its first `**`, and the rest, "" where it has none."""
    parts = path.replace(os.sep, "/").split("/")
    if "**" not in parts:
        return path, ""
    first = parts.index("**")
    head = "/".join(parts[:first])
    return head or ("/" if first else os.curdir), "/".join(parts[first:])
