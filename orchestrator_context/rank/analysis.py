"""Words of many spellings, each the same as `words.words` gives: most of them at once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain, compress
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from orchestrator_context.rank.spellings import LONGEST_COMPARED, Integers, Numbers32
from orchestrator_context.words import words

_OTHERS: Final = bytes(byte for byte in range(256) if byte not in b"'-\n")  # than joints
_MOST_JOINTS: Final = 4  # where there are more, `words` makes two words of it
_MOST_PARTS: Final = 12
_POSSESSIVE: Final = re.compile(r"(?m)'[sS]$")
_PART: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+[0-9]*")


class Analysed(NamedTuple):
    """Numbers of the words of some spellings, one after the other, and how many each has."""

    words: Numbers32
    sizes: Integers


def analysed(
    spellings: Sequence[bytes], number_of: Mapping[str, int]
) -> list[tuple[list[bytes], Analysed]]:
    """Return the spellings in two groups, and the words of each.

    Args:
        spellings: runs of `spelled`.
        number_of: gives every word a number.
    """
    plain = _plain(spellings)
    some, others = list(compress(spellings, plain)), list(compress(spellings, ~plain))
    return [(some, _together(some, number_of)), (others, _each(others, number_of))]


def _plain(spellings: Sequence[bytes]) -> npt.NDArray[np.bool_]:
    """Return which ones are a single word in ASCII."""
    lines = b"\n".join(spellings).translate(None, _OTHERS).split(b"\n")[: len(spellings)]
    joints = np.fromiter(map(len, lines), np.int64, len(lines))
    sizes = np.fromiter(map(len, spellings), np.int64, len(spellings))
    in_ascii = np.fromiter(map(bytes.isascii, spellings), np.bool_, len(spellings))
    return in_ascii & (joints <= _MOST_JOINTS) & (sizes <= LONGEST_COMPARED)


def _each(spellings: Sequence[bytes], number_of: Mapping[str, int]) -> Analysed:
    found = [words(spelling.decode("utf-8", "surrogatepass")) for spelling in spellings]
    sizes = np.fromiter(map(len, found), np.int64, len(found))
    numbers = map(number_of.__getitem__, chain.from_iterable(found))
    return Analysed(np.fromiter(numbers, np.int32, int(sizes.sum())), sizes)


def _together(spellings: Sequence[bytes], number_of: Mapping[str, int]) -> Analysed:
    """Return the words of plain spellings: the whole where there are several parts, then these."""
    # One of capitals and digits alone has no parts.
    cased = [one.lower() if one.isupper() and one.isalnum() else one for one in spellings]
    lines = _POSSESSIVE.sub("", b"\n".join(cased).decode("ascii")).split("\n")
    found = list(map(_PART.findall, lines[: len(spellings)]))
    counts = np.fromiter(map(len, found), np.int64, len(found))
    several = counts > 1
    bare = "\n".join([line.strip("_") for line in compress(lines, several)])
    wholes = bare.replace("'", "").replace("-", "").lower().split("\n")[: int(several.sum())]
    few = counts <= _MOST_PARTS  # more are no identifier but base64
    parts = map(str.lower, chain.from_iterable(compress(found, few)))
    counts = np.where(few, counts, 0)
    sizes = counts + several
    numbers = np.empty(int(sizes.sum()), dtype=np.int32)
    is_whole = np.zeros(len(numbers), dtype=np.bool_)
    is_whole[(np.cumsum(sizes) - sizes)[several]] = True
    numbers[is_whole] = [number_of[whole] for whole in wholes]
    numbers[~is_whole] = np.fromiter(map(number_of.__getitem__, parts), np.int32, int(counts.sum()))
    return Analysed(numbers, sizes)
