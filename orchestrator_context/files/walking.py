"""The files below a folder, in order, without those that nobody wants to read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from orchestrator_context.files.ignoring import Ignoring, is_ignored, rules_above, with_rules_in
from orchestrator_context.files.notices import NoticeReason
from orchestrator_context.source.generated import is_generated_path

Tell = Callable[[str, NoticeReason], None]
_Place = tuple[str, bool, Ignoring]  # path below the root, whether a folder, rules outside it


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk through the files below `root`.

    Attributes:
        root: an absolute path.
        include_generated: whether files that look vendored or generated are wanted.
        include_hidden: whether names with a dot in front are wanted. `.git` never is.
        tell: is told of what is left out, by its path below `root`; a folder ends with "/".
    """

    root: str
    include_generated: bool
    include_hidden: bool
    tell: Tell

    def files(self) -> Iterator[str]:
        """Yield the paths of regular files below `root`, sorted by their parts, "/" between them.

        Symbolic links are not followed: what they point to inside `root` is found where it stands,
        and what lies outside was not asked for.
        """
        try:
            waiting: list[_Place] = [("", True, rules_above(self.root))]
        except OSError as error:
            self._tell_of_rules(error)
            return
        while waiting:
            path, is_folder, ignoring = waiting.pop()
            if is_folder:
                waiting += reversed(list(self._inside(path, ignoring)))
            else:
                yield path

    def _inside(self, path: str, ignoring: Ignoring) -> Iterator[_Place]:
        folder = os.path.join(self.root, *path.split("/")) if path else self.root
        entries = self._entries(folder, path)
        try:
            ignoring = with_rules_in(folder, ignoring)
        except OSError as error:
            if entries:  # else there is nothing it could keep private
                self._tell_of_rules(error)
            return
        for entry in entries:
            inner = f"{path}/{entry.name}" if path else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if (reason := self._reason(entry, inner, ignoring)) is None:
                yield inner, is_folder, ignoring
            else:
                self.tell(inner + "/" * is_folder, reason)

    def _tell_of_rules(self, error: OSError) -> None:
        path = os.path.relpath(error.filename, self.root)
        self.tell(path.replace(os.sep, "/"), "unreadable")

    def _entries(self, folder: str, path: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as found:
                entries = [entry for entry in found if entry.name != ".git"]
        except OSError:
            self.tell(f"{path}/" if path else "", "unreadable")
            return []
        return sorted(entries, key=lambda entry: entry.name)

    def _reason(
        self, entry: os.DirEntry[str], path: str, ignoring: Ignoring
    ) -> NoticeReason | None:
        """Return why an entry is to be left out, or None where it is to be read."""
        is_folder = entry.is_dir(follow_symlinks=False)
        if not self.include_hidden and entry.name.startswith("."):
            return "hidden"
        if is_ignored(ignoring, entry.path, is_folder):
            return "ignored"
        if not self.include_generated and is_generated_path(path + "/_" * is_folder):
            return "generated"
        if entry.is_symlink():
            return "link"
        return None if is_folder or entry.is_file(follow_symlinks=False) else "special"
