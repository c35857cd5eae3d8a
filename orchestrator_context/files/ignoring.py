"""The rules of `.gitignore` files, as git applies them to one file or folder after another."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import pairwise

from pathspec import GitIgnoreSpec, RegexPattern

_NAME = ".gitignore"


@dataclass(frozen=True, slots=True)
class _Rule:
    """A line of a `.gitignore`: which names it fits, and whether it takes them out or back in."""

    pattern: RegexPattern
    ignores: bool
    folders_only: bool

    def fits(self, path: str, is_folder: bool) -> bool:
        if self.folders_only and not is_folder:
            return False
        if (found := self.pattern.match_file(path)) is None:
            return False
        # The one group in these expressions is for what stands below the folder that they name.
        return found.match.lastgroup is None  # pyright: ignore[reportUnknownMemberType]


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The rules of one `.gitignore`.

    Attributes:
        folder: where it stands, an absolute path without a slash at its end.
        rules: its lines, the last one first: that is the one that decides.
    """

    folder: str
    rules: tuple[_Rule, ...]

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Return whether `path` is to be ignored, or None where no rule fits it."""
        inner = path[len(self.folder) + 1 :].replace(os.sep, "/")
        return next((rule.ignores for rule in self.rules if rule.fits(inner, is_folder)), None)


Ignoring = tuple[IgnoreFile, ...]
"""The files that apply in a folder, from the top of the repository down."""


def is_ignored(ignoring: Ignoring, path: str, is_folder: bool) -> bool:
    """Return whether `path`, an absolute one, is to be ignored: the innermost file decides."""
    for file in reversed(ignoring):
        if (verdict := file.verdict(path, is_folder)) is not None:
            return verdict
    return False


def with_rules_in(folder: str, ignoring: Ignoring) -> Ignoring:
    """Return `ignoring` with the rules of a `.gitignore` in `folder`, if there is one.

    Raises:
        OSError: there is one, and the system does not let it be read.
    """
    try:
        with open(os.path.join(folder, _NAME), encoding="utf-8-sig", errors="replace") as file:
            lines = file.read().split("\n")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return ignoring
    rules = [rule for line in reversed(lines) if (rule := _rule(line)) is not None]
    return (*ignoring, IgnoreFile(folder.rstrip(os.sep), tuple(rules))) if rules else ignoring


def rules_above(folder: str) -> Ignoring:
    """Return the rules that the repository around `folder` has for what is in it.

    None where there is no repository, nor where its rules ignore `folder` as a whole: whoever names
    such a folder wants what is in it.

    Raises:
        OSError: as `with_rules_in` does.
    """
    chain = _up_to_repository(folder)
    ignoring: Ignoring = ()
    for outer, inner in pairwise(chain):
        ignoring = with_rules_in(outer, ignoring)
        if is_ignored(ignoring, inner, is_folder=True):
            return ()
    return ignoring


def _up_to_repository(folder: str) -> list[str]:
    """Return the folders from the top of the repository down to `folder`."""
    chain = [folder]
    while not os.path.exists(os.path.join(chain[0], ".git")):
        parent = os.path.dirname(chain[0])
        if parent == chain[0]:
            return []
        chain.insert(0, parent)
    return chain


def _rule(line: str) -> _Rule | None:
    line = line.removesuffix("\r")
    stripped = line.rstrip(" ")
    if stripped.endswith("\\") and stripped != line:
        stripped += " "  # a space behind a backslash counts
    folders_only = stripped.endswith("/")
    try:
        patterns = GitIgnoreSpec.from_lines([stripped.removesuffix("/")]).patterns
    except ValueError:  # git takes no notice of such a line either
        return None
    for pattern in patterns:
        if pattern.include is not None:
            return _Rule(pattern, pattern.include, folders_only)
    return None
