"""A bounded memory of counts that keeps no long text."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache

_SHORT = 128  # characters; below this a dictionary is faster than a digest
_ENTRIES = 32_768


def text_digest(text: str) -> bytes:
    """Return 16 bytes that stand for the content of `text`."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def memoised(count: Callable[[str], int]) -> Callable[[str], int]:
    """Return `count` with a memory of 32,768 short texts and as many digests of long ones.

    `count` must depend on nothing but the text. Safe to call from several threads. Digesting a
    long text takes about an eighth of the time that the fastest tokenizer takes to count it.
    """
    short = lru_cache(maxsize=_ENTRIES)(count)
    known: OrderedDict[bytes, int] = OrderedDict()
    lock = threading.Lock()

    def remembered(text: str) -> int:
        if len(text) <= _SHORT:
            return short(text)
        key = text_digest(text)
        with lock:
            if key in known:
                known.move_to_end(key)
                return known[key]
        tokens = count(text)
        with lock:
            known[key] = tokens
            if len(known) > _ENTRIES:
                known.popitem(last=False)
        return tokens

    return remembered
