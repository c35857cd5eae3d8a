"""Words of texts as they are spelled there, numbered by numpy.

A word holds no ASCII character but letters, digits and `_`, and `'` and `-` between two of them or
beside other characters. So a text falls apart into runs of bytes, and its words are those of its
runs, in order. A corpus has few different runs, so each is analysed once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Numbers32 = npt.NDArray[np.int32]
_Keys = npt.NDArray[np.uint64]

LONGEST_COMPARED: Final = 32  # bytes; longer runs, as of Chinese, seldom come again

_INSIDE, _JOINT = 1, 2
_KINDS: Final = bytes(
    _INSIDE if byte >= 0x80 or chr(byte).isalnum() or byte == ord("_") else _JOINT * (byte in b"'-")
    for byte in range(256)
)
_EIGHT: Final = 8
_MASKS: Final = np.array([(1 << 8 * size) - 1 for size in range(_EIGHT + 1)], dtype=np.uint64)
FACTORS: Final = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # odd, well mixed
_MOST_BITS: Final = 18  # of a slot; such a table fits the cache of a processor
_ONE, _HALF = np.uint64(1), np.uint64(32)


class Spelled(NamedTuple):
    """The runs of some texts.

    Attributes:
        different: the different ones, in UTF-8; those that are longer than 32 bytes may be equal.
        numbers: which of these each run is, one text after the other.
        sizes: how many runs each text has.
    """

    different: list[bytes]
    numbers: Numbers32
    sizes: Integers


def spelled(texts: Sequence[str]) -> Spelled:
    """Return the runs of `texts`. Linear."""
    encoded = [_encoded(text) for text in texts]
    data = b"\n".join((b"", *encoded, b"\n" * _EIGHT))
    starts, ends = _runs(data)
    numbers, samples = _numbered(data, starts, ends - starts)
    spans = zip(starts[samples].tolist(), ends[samples].tolist(), strict=True)
    lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    before = np.searchsorted(starts, np.cumsum(lengths + 1))
    return Spelled([data[a:b] for a, b in spans], numbers, np.diff(before, prepend=0))


def _encoded(text: str) -> bytes:
    if text.isascii():
        return text.encode("ascii")
    return unicodedata.normalize("NFKC", text).encode("utf-8", "surrogatepass")


def _runs(data: bytes) -> tuple[Integers, Integers]:
    """Return where runs start and end; neither the first byte nor the last is in one."""
    kinds = np.frombuffer(data.translate(_KINDS), dtype=np.uint8)
    inside = kinds == _INSIDE
    joints = np.flatnonzero(kinds == _JOINT)
    inside[joints[inside[joints - 1] & inside[joints + 1]]] = True
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    return edges[::2], edges[1::2]


def _numbered(data: bytes, starts: Integers, sizes: Integers) -> tuple[Numbers32, Integers]:
    """Return a number for each run, from 0 up, and for each number a run that has it."""
    numbers = np.empty(len(starts), dtype=np.int32)
    windows: _Keys = np.ndarray(len(data) - _EIGHT + 1, "<u8", data, strides=(1,))
    columns = -(-sizes // _EIGHT)
    count = 0
    for most in range(1, LONGEST_COMPARED // _EIGHT + 1):
        members = np.flatnonzero(columns == most)
        found = _compared(windows, starts[members], sizes[members], most)
        numbers[members] = found + count
        count += int(found.max(initial=-1)) + 1
    long = np.flatnonzero(sizes > LONGEST_COMPARED)
    numbers[long] = np.arange(count, count + len(long))
    samples = np.empty(count + len(long), dtype=np.int64)
    samples[numbers] = np.arange(len(numbers))
    return numbers, samples


def _compared(windows: _Keys, starts: Integers, sizes: Integers, columns: int) -> Numbers32:
    """Return a number for each run, all of which take so many columns of eight bytes."""
    found = same(windows[starts] & _MASKS[np.minimum(sizes, _EIGHT)])
    for at in range(_EIGHT, columns * _EIGHT, _EIGHT):
        part = same(windows[starts + at] & _MASKS[np.minimum(sizes - at, _EIGHT)])
        found = same(((found.astype(np.uint64) + _ONE) << _HALF) | part.astype(np.uint64))
    return found


def same(keys: _Keys) -> Numbers32:
    """Return a number for each key above 0, from 0 up: equal ones have the same, and no others.

    Each round puts the keys into a table, and numbers those that are found there. What is left
    after some rounds is sorted, so that no input takes more than n log n.
    """
    numbers = np.empty(len(keys), dtype=np.int32)
    left: slice | Integers = slice(None)
    bits = min(_MOST_BITS, len(keys).bit_length() + 1)
    rest, count = keys, 0
    for factor in FACTORS:
        slots = ((rest * np.uint64(factor)) >> np.uint64(64 - bits)).view(np.int64)
        table = np.zeros(1 << bits, dtype=np.uint64)
        table[slots] = rest
        used = table != 0
        numbers[left] = (np.cumsum(used, dtype=np.int32) + np.int32(count - 1))[slots]
        count += int(used.sum())
        lost = np.flatnonzero(table[slots] != rest)
        left = lost if isinstance(left, slice) else left[lost]
        rest = rest[lost]
    numbers[left] = np.unique(rest, return_inverse=True)[1] + count
    return numbers
