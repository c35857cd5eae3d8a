"""Locks on single bytes of a file, which the system takes back when their process ends.

They need no byte to be there, and keep out other processes only.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

PLACES: Final = 2**31 - 2
"""How many bytes there are to lock, from 0 up, on every system."""

_PRESENCE: Final = PLACES  # a byte that all who use a file lock together

if sys.platform == "win32":
    import msvcrt

    def lock(file: int, place: int) -> None:
        """Lock a byte, or raise OSError where another process has."""
        os.lseek(file, place, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    def unlock(file: int, place: int) -> None:
        """Give a byte back."""
        os.lseek(file, place, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

    def enter(file: int) -> None:
        """Note that this process uses a file."""

    def leave(file: int, path: Path) -> None:
        """Close a file, and remove it; that raises OSError as long as others use it."""
        os.close(file)
        path.unlink(missing_ok=True)

else:
    import fcntl

    def lock(file: int, place: int) -> None:
        """Lock a byte, or raise OSError where another process has."""
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)

    def unlock(file: int, place: int) -> None:
        """Give a byte back."""
        fcntl.lockf(file, fcntl.LOCK_UN, 1, place)

    def enter(file: int) -> None:
        """Note that this process uses a file."""
        fcntl.lockf(file, fcntl.LOCK_SH, 1, _PRESENCE)

    def leave(file: int, path: Path) -> None:
        """Close a file, and remove it; that raises OSError as long as others use it."""
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _PRESENCE)
            if os.fstat(file).st_size == 0:  # else it is not ours
                path.unlink(missing_ok=True)
        finally:
            os.close(file)
