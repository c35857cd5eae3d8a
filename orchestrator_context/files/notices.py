"""What a reader of files tells of those it did not take as they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

NoticeReason = Literal[
    "binary",
    "generated",
    "hidden",
    "ignored",
    "link",
    "repaired",
    "special",
    "undecodable",
    "unreadable",
]


@dataclass(frozen=True, slots=True)
class FileNotice:
    """A file or folder that was not read, or not as it stands.

    Attributes:
        path: as the path of its document would be; a folder ends with "/".
        reason: "binary": it holds no text. "generated": vendored, minified, locked or made by a
            program, by its name. "hidden": its name begins with a dot. "ignored": a `.gitignore`
            names it. "link": a symbolic link in a folder, which is not followed. "special": a
            pipe, socket or device in a folder. "undecodable": text in another encoding.
            "unreadable": the system refused; a `.gitignore` takes its folder with it. "repaired":
            read, with U+FFFD in the place of bytes that stand for nothing in its encoding.
    """

    path: str
    reason: NoticeReason

    @property
    def skipped(self) -> bool:
        """Whether nothing of it was read."""
        return self.reason != "repaired"


OnNotice = Callable[[FileNotice], None]
