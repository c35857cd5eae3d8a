"""Postings of a changed corpus from those of the old one and of what is new."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from orchestrator_context.rank.postings import Counts, Postings
from orchestrator_context.rank.spellings import Integers
from orchestrator_context.rank.vocabulary import Words

_BITS = 32


def merged(old: Postings, old_places: Integers, new: Postings, new_places: Integers) -> Postings:
    """Return the postings of documents that stand in either, as if all had been read at once.

    Args:
        old: the postings there are.
        old_places: where each of their documents stands from now on, ascending; -1 where it goes.
        new: the postings that come.
        new_places: where each of their documents stands, ascending.
    """
    words, old_words, new_words = _all_words(old.words, new.words)
    keys, kept = _keys(old, old_words, old_places)
    new_keys, _ = _keys(new, new_words, new_places)
    at = np.searchsorted(keys, new_keys)
    keys = np.insert(keys, at, new_keys)
    counts: tuple[Counts, ...] = tuple(
        np.insert(column[kept], at, more)
        for column, more in zip(old.counts, new.counts, strict=True)
    )
    amounts = np.bincount(keys >> _BITS, minlength=len(words))
    used = np.flatnonzero(amounts)
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(amounts[used])))
    documents = (keys & ((1 << _BITS) - 1)).astype(np.int32)
    lengths = np.zeros((len(old.counts), int((old_places >= 0).sum()) + len(new)), dtype=np.int64)
    lengths[:, old_places[old_places >= 0]] = old.lengths[:, old_places >= 0]
    lengths[:, new_places] = new.lengths
    return Postings(words.taken(used), starts, documents, counts, lengths)


def _all_words(old: Words, new: Words) -> tuple[Words, Integers, Integers]:
    """Return the words of both, and the numbers that those of each have among them."""
    places = np.fromiter(map(old.place, new), np.int64, len(new))
    known = np.fromiter(map(old.has, places.tolist(), new), np.bool_, len(new))
    both = Words(
        np.concatenate((old.text, new.text)),
        np.concatenate((old.ends, old.ends[-1] + new.ends[1:])),
    )
    added = np.flatnonzero(~known)
    order = np.insert(np.arange(len(old)), places[added], len(old) + added)
    numbers = np.empty(len(both), dtype=np.int64)
    numbers[order] = np.arange(len(order))
    new_numbers = numbers[np.where(known, places, len(old) + np.arange(len(new)))]
    return both.taken(order), numbers[: len(old)], new_numbers


def _keys(
    postings: Postings, numbers: Integers, places: Integers
) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """Return word and place of each posting in one number, ascending, and which ones are kept."""
    documents = places[postings.documents]
    kept = documents >= 0
    words = np.repeat(numbers, np.diff(postings.starts))
    return (words[kept] << _BITS) | documents[kept], kept
