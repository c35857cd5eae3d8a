"""What is being asked at this moment, over all runs that share a file.

A claim is a lock on one byte of an empty file beside the shared one; which byte, the key tells. It
ends with the process that holds it, however that ends, so nothing has to expire and no clock has to
be right. Such locks do not keep a process out of its own bytes: what it holds is on record here.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from orchestrator_context.distill.byte_locks import PLACES, enter, leave, lock, unlock

CLAIMS_ENDING: Final = "-claims"
"""What the name of a file of claims has after that of the file that is shared."""

_KEY_BYTES: Final = 8  # of a key, which tell the byte

_guard = threading.Lock()
_shared: dict[Path, Claims] = {}


class Claims:
    """The claims on keys of one file. A process has one such object for it; see `beside`.

    No method waits for a claim of somebody else. Two keys may have one byte: then one of them has
    to wait for the other, for nothing, which does no harm.
    """

    def __init__(self, path: Path) -> None:
        """Open the file of the claims, which is made where it is missing."""
        self._path, self._file = path, _opened(path)
        self._users = 0
        self._held: set[int] = set()

    @classmethod
    def beside(cls, path: Path) -> Claims:
        """Return the claims on keys of the file `path`; `close` them when done.

        Raises:
            OSError: the file of the claims cannot be made, or the file system has no locks.
        """
        path = Path(os.path.realpath(path) + CLAIMS_ENDING)
        with _guard:
            claims = _shared.get(path)
            if claims is None:
                claims = _shared[path] = cls(path)
            claims._users += 1
        return claims

    def take(self, key: bytes) -> bool:
        """Claim `key`; return False where somebody has done so."""
        place = _place(key)
        with _guard:
            if place in self._held or not _locked(self._file, place):
                return False
            self._held.add(place)
        return True

    def give_up(self, key: bytes) -> None:
        """Let others claim `key`, which was taken."""
        place = _place(key)
        with _guard:
            unlock(self._file, place)
            self._held.remove(place)

    def is_taken(self, key: bytes) -> bool:
        """Return whether somebody has claimed `key`."""
        mine = self.take(key)
        if mine:
            self.give_up(key)
        return not mine

    def close(self) -> None:
        """Stop using the file, which is removed where nobody else does."""
        with _guard:
            self._users -= 1
            if self._users == 0:
                del _shared[self._path]
                with suppress(OSError):  # others use it; the last of them removes it
                    leave(self._file, self._path)


def _opened(path: Path) -> int:
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            enter(file)
            if _is_at(file, path):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # somebody removed it in this very moment


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _locked(file: int, place: int) -> bool:
    try:
        lock(file, place)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _place(key: bytes) -> int:
    return int.from_bytes(key[:_KEY_BYTES], "big") % PLACES


def _forget() -> None:
    """Begin anew in a child process, which holds none of the locks of its parent."""
    _shared.clear()
    _guard.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_guard.acquire, after_in_parent=_guard.release, after_in_child=_forget
    )
