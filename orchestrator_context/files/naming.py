"""Names for files that are short, do not depend on the machine, and occur once."""

from __future__ import annotations

from pathlib import PurePath


def name_from(here: str, path: str) -> str:
    """Return an absolute path as seen from the folder `here`, with "/" between its parts.

    A path outside `here` is called by its last part alone, so that no name tells a home folder.
    `here` itself is called "".
    """
    pure = PurePath(path)
    return "/".join(pure.relative_to(here).parts) if pure.is_relative_to(here) else pure.name


class Names:
    """Gives each file a name that no other one has."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, wanted: str, path: str) -> str:
        """Return `wanted`, or where that is taken, as many last parts of `path` as it needs.

        Args:
            wanted: the name to begin with; its parts are taken to be the last ones of `path`.
            path: the absolute path of the file, no other's.
        """
        parts = PurePath(path).parts
        length = wanted.count("/") + 1
        name = wanted
        while name in self._taken and length < len(parts):
            length += 1
            name = PurePath(*parts[-length:]).as_posix()
        self._taken.add(name)
        return name
