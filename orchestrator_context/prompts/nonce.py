"""A name that no text can hold beforehand: what sets apart the words of this library from others'.

It is a hash of the text, so the same text has the same one, and whoever writes the text cannot
foresee it, because a text that holds its own nonce gets another one.
"""

from __future__ import annotations

import hashlib
from itertools import count


def free_nonce(*texts: str) -> str:
    """Return eight hexadecimal digits that stand in none of `texts`, in any letter case."""
    held = "\0".join(texts)
    folded = held.lower()
    data = held.encode("utf-8", "surrogatepass")
    for attempt in count():
        salt = attempt.to_bytes(8, "big")
        nonce = hashlib.blake2b(data, digest_size=4, salt=salt).hexdigest()
        if nonce not in folded:
            return nonce
    raise AssertionError("unreachable: the texts would have to hold every nonce")
