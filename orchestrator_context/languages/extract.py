"""What can stand for a text that is too long: its imports, declarations and headings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from orchestrator_context import checks
from orchestrator_context.languages.detect import language_name
from orchestrator_context.languages.masking import code_only
from orchestrator_context.languages.symbols import declared

CUT_MARK: Final = "[…]"
"""The last line of an extract that is not complete."""

_SMALL_BYTES: Final = 512
_MOST_CHARACTERS: Final = 12_000


def structural_extract(content: str, language: str | None) -> str:
    r"""Return the lines of `content` that tell what is in it, in order, as they stand there.

    Those are imports, the heads of declarations at any depth, and headings, told by the form of a
    line outside of comments and strings. Content of up to 512 bytes is returned whole. The last
    line is `CUT_MARK` where an extract would be longer than 12,000 characters. Linear.

    >>> print(structural_extract("import os\n" + "x = 1\n" * 99 + "def stop(): ...", "python"))
    import os
    def stop():

    Args:
        content: program or prose.
        language: by any of its usual names; "" is returned where it is None, or where nothing is
            known of its comments and strings, as for data formats.

    Raises:
        ConfigurationError: an argument is of another type.
    """
    language = language_name(language)
    if (
        len(checks.text("content", content)) <= _SMALL_BYTES
        and len(_bytes(content)) <= _SMALL_BYTES
    ):
        return content
    code = code_only(content, language)
    if code is None:
        return ""
    return _capped(one.head.text for one in declared(content, code, language))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _capped(heads: Iterable[str]) -> str:
    kept: list[str] = []
    room = _MOST_CHARACTERS - len(CUT_MARK)
    for head in heads:
        room -= len(head) + 1
        if room < 0:
            kept.append(CUT_MARK)
            break
        kept.append(head)
    return "\n".join(kept)
