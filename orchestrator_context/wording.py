"""Numbers and what they count, as people write them."""

from __future__ import annotations

import re
from typing import Final

_WITH_IES: Final = re.compile(r"[^aeiou]y$")


def counted(number: int, noun: str, *, spec: str = "") -> str:
    """Return a number and its noun: "1 document", "2 copies".

    >>> counted(1, "document"), counted(2_000, "copy", spec=","), counted(0, "near duplicate")
    ('1 document', '2,000 copies', '0 near duplicates')

    Args:
        number: how many.
        noun: in the singular; of several words, the last one.
        spec: how the number is formatted.
    """
    if number != 1:
        noun = noun[:-1] + "ies" if _WITH_IES.search(noun) else f"{noun}s"
    return f"{number:{spec}} {noun}"
