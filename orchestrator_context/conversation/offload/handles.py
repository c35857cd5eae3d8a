"""Handles: short names of contents, made of nothing but the content, so that they stay the same."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from orchestrator_context import checks
from orchestrator_context.conversation.offload.lines import line_count
from orchestrator_context.models import KINDS, Kind

_PREFIX = "offload-"
_DIGEST_BYTES = 12
_NAME = rf"{_PREFIX}[0-9a-f]{{{2 * _DIGEST_BYTES}}}"
_WHOLE_NAME = re.compile(_NAME)
_TAG = re.compile(
    rf'(?m)^<(?P<close>/)?offloaded-(?P<nonce>[0-9a-f]{{8}})(?: handle="(?P<name>{_NAME})")?'
)


@dataclass(frozen=True, slots=True)
class Handle:
    """The name of a content, and what is known of it without a look at it.

    Attributes:
        name: what a model asks for it by.
        title: the tool or the document that it came from.
        kind: kind of the segment that it was.
        characters: its length.
        lines: its lines; a line break at the end begins no other.
        size_bytes: its length in UTF-8.
    """

    name: str
    title: str = field(default="", repr=False)
    kind: Kind = "tool_result"
    characters: int = 0
    lines: int = 0
    size_bytes: int = 0

    @classmethod
    def of(cls, content: str, *, title: str = "", kind: Kind = "tool_result") -> Handle:
        r"""Return the handle of a content: the same for the same content and title, everywhere.

        >>> str(Handle.of("a\nb", title="search"))
        'offload-de8d964c45a43aedb6d9597f'
        """
        checks.choice("kind", kind, KINDS)
        named = checks.text("title", title).encode("utf-8", "surrogatepass")
        data = checks.text("content", content).encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
        for part in (str(len(named)).encode(), b":", named, data):
            digest.update(part)
        name = _PREFIX + digest.hexdigest()
        return cls(name, title, kind, len(content), line_count(content), len(data))

    def __str__(self) -> str:
        """Return the name."""
        return self.name


def is_handle(name: object) -> bool:
    """Return whether `name` has the form of a handle's name."""
    return isinstance(name, str) and _WHOLE_NAME.fullmatch(name) is not None


def handles_in(text: str) -> tuple[str, ...]:
    """Return the names in the stand-ins that `text` holds, each once, in order. Linear.

    A stand-in begins a line. What stands inside of one is a preview of content, and no name is
    taken from it.
    """
    return tuple(dict.fromkeys(_names(text)))


def _names(text: str) -> Iterator[str]:
    tags = list(_TAG.finditer(text))
    closing: dict[str, list[int]] = {}
    for tag in tags:
        if tag["close"]:
            closing.setdefault(tag["nonce"], []).append(tag.start())
    inside = 0
    for tag in tags:
        if tag["name"] and not tag["close"] and tag.start() >= inside:
            yield tag["name"]
            ends = closing.get(tag["nonce"], [])
            after = bisect_left(ends, tag.start())
            inside = ends[after] if after < len(ends) else tag.end()
