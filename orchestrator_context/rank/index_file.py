"""Arrays in one file that is checked before use and mapped into memory, not read.

Layout: 8 bytes of magic, 4 of version, 4 of header length, 32 of SHA-256 of all the others; a
header in JSON that says what the file was made from and where each array lies; the arrays. Whole
numbers are little-endian.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import tempfile
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

from orchestrator_context.exceptions import RankIndexError
from orchestrator_context.rank.options import RankOptions

_MAGIC: Final = b"OCRANKIX"
_VERSION: Final = 2
_PREFIX: Final = struct.Struct("<8sII")
_START: Final = _PREFIX.size + hashlib.sha256().digest_size  # of the header
_ALIGNMENT: Final = 64
_MOST_HASHED: Final = 1 << 24  # bytes at once

Arrays = Mapping[str, npt.NDArray[Any]]


def index_key(digest: str, options: RankOptions) -> dict[str, str]:
    """Return all that the contents of an index depend on."""
    settings = options.to_mapping()
    del settings["carry_over_bonus"]  # counts when a question is asked
    return {
        "corpus": digest,
        "set of options": json.dumps(settings, sort_keys=True),
        "version of word analysis": _analysis(),
    }


@cache
def _analysis() -> str:
    """Return the versions of all that tells words apart."""
    packages = ("orchestrator-context", "regex", "snowballstemmer")
    return " ".join([unicodedata.unidata_version, *map(version, packages)])


def write_arrays(path: Path, key: Mapping[str, str], arrays: Arrays) -> None:
    """Write a file that `read_arrays` accepts for the same key; it is there whole or not at all.

    Only its owner may read it. A file of something else is not replaced.

    Raises:
        RankIndexError: it cannot be written, or something else stands there.
    """
    try:
        if _is_foreign(path):
            raise RankIndexError(f"{path} is a file of something else; name another for the index")
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # mode 0600
        try:
            with os.fdopen(handle, "wb") as file:
                _write(file, key, arrays)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as cause:
        raise RankIndexError(
            f"the index file {path} cannot be written: {cause.strerror}"
        ) from cause
    except ValueError as cause:  # a path with a NUL
        raise RankIndexError("the index file cannot be written: its path is none") from cause


def _is_foreign(path: Path) -> bool:
    """Return whether there is a file that is neither empty nor an index."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) not in (b"", _MAGIC)
    except FileNotFoundError:
        return False


def _write(file: BinaryIO, key: Mapping[str, str], arrays: Arrays) -> None:
    header, blocks = _header(key, arrays)
    prefix = _PREFIX.pack(_MAGIC, _VERSION, len(header))
    digest = hashlib.sha256(prefix + header)
    file.write(prefix + bytes(digest.digest_size) + header)
    for padding, block in blocks:
        for part in (bytes(padding), block.data.cast("B")):
            digest.update(part)
            file.write(part)
    file.seek(len(prefix))
    file.write(digest.digest())


def _header(
    key: Mapping[str, str], arrays: Arrays
) -> tuple[bytes, list[tuple[int, npt.NDArray[Any]]]]:
    """Return the header, and each array with the bytes to leave out before it."""
    table: list[tuple[str, str, tuple[int, ...], int]] = []
    blocks: list[tuple[int, npt.NDArray[Any]]] = []
    end = 0
    for name, array in arrays.items():
        block = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        padding = -end % _ALIGNMENT
        table.append((name, block.dtype.str, block.shape, end + padding))
        blocks.append((padding, block.reshape(-1)))
        end += padding + block.nbytes
    header = json.dumps({"key": dict(key), "arrays": table}).encode("ascii")
    return header + b" " * (-(_START + len(header)) % _ALIGNMENT), blocks


def read_arrays(path: Path, key: Mapping[str, str]) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a file, mapped into memory, not to be written to.

    The whole file is hashed once: what was damaged is never used.

    Raises:
        RankIndexError: there is no such file, it is damaged, not ours, of another version, or was
            made from something else than `key` says.
    """
    try:
        data = np.memmap(path, dtype=np.uint8, mode="r")
    except OSError as cause:
        raise _unusable(f"cannot be read: {cause.strerror}") from cause
    except ValueError as cause:  # an empty file; a path with a NUL
        raise _unusable("is empty, or is no file") from cause
    length = _checked(data)
    start = _START + length
    header = json.loads(data[_START:start].tobytes())
    for name, value in key.items():
        if header["key"].get(name) != value:
            raise _unusable(f"was made from another {name}")
    return {
        name: _array(data, start + offset, np.dtype(kind), shape)
        for name, kind, shape, offset in header["arrays"]
    }


def _checked(data: npt.NDArray[np.uint8]) -> int:
    """Return the length of the header of a file that is whole and ours."""
    if len(data) < _START or data[: len(_MAGIC)].tobytes() != _MAGIC:
        raise _unusable("is no index of this library")
    prefix = data[: _PREFIX.size].tobytes()
    _, version, length = _PREFIX.unpack(prefix)
    if version != _VERSION:
        raise _unusable(f"is of version {version}, not {_VERSION}")
    digest = hashlib.sha256(prefix)
    for start in range(_START, len(data), _MOST_HASHED):
        digest.update(data[start : start + _MOST_HASHED].data)
    if digest.digest() != data[_PREFIX.size : _START].tobytes():
        raise _unusable("is damaged")
    return int(length)


def _array(
    data: npt.NDArray[np.uint8], start: int, kind: np.dtype[Any], shape: list[int]
) -> npt.NDArray[Any]:
    size = kind.itemsize * int(np.prod(shape, dtype=np.int64))
    return np.asarray(data[start : start + size]).view(kind).reshape(shape)


def _unusable(why: str) -> RankIndexError:
    return RankIndexError(f"the index file {why}; build the index again and save it")
