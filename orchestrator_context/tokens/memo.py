"""A bounded memory of counts that keeps no long text."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache

_SHORT = 128  # characters; hashing pays for longer texts
_ENTRIES = 65_536


def memoised(count: Callable[[str], int]) -> Callable[[str], int]:
    """Return `count` with a memory: the last 65,536 short texts and as many digests of long ones.

    `count` must depend on nothing but the text. Safe to call from several threads.
    """
    digests: OrderedDict[bytes, int] = OrderedDict()
    lock = threading.Lock()
    short = lru_cache(maxsize=_ENTRIES)(count)

    def remembered(text: str) -> int:
        if len(text) <= _SHORT:
            return short(text)
        data = text.encode("utf-8", "surrogatepass")
        key = hashlib.blake2b(data, digest_size=16).digest()
        with lock:
            known = digests.get(key)
            if known is not None:
                digests.move_to_end(key)
                return known
        value = count(text)
        with lock:
            digests[key] = value
            if len(digests) > _ENTRIES:
                digests.popitem(last=False)
        return value

    return remembered
