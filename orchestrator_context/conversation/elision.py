"""Shorter forms of segments that say what is missing: a beginning, a marker and an end."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

from orchestrator_context.models import Segment
from orchestrator_context.text import grapheme_break

_MARKER = re.compile(r"\n?\[\.\.\. (\d+) characters elided \.\.\.\]\n?")
_SIGN = " characters elided ...]"  # in every marker
_MOST_KEPT = 600  # characters of what is elided that are still shown
_LONGEST_ELIDED = _MOST_KEPT + 64  # with the marker
_HEAD_SHARE = 2 / 3  # of them, at the beginning
_KEY = "elided_characters"


def elided_text(text: str, kept: int) -> str:
    r"""Return `text` with all but about `kept` characters of it replaced by a marker.

    >>> elided_text("beginning" + "." * 500 + "end", 12)
    'beginnin\n[... 500 characters elided ...]\n.end'

    The marker says how many characters are missing, those included that an earlier marker in the
    place of the cut stood for. No grapheme is split.

    Args:
        text: what to shorten.
        kept: characters to keep at most; two thirds of them from the beginning.
    """
    head = grapheme_break(text, int(kept * _HEAD_SHARE))
    tail = max(head, grapheme_break(text, len(text) - (kept - head)))
    for marker in _MARKER.finditer(text) if _SIGN in text else ():
        if marker.start() < tail and head < marker.end():
            head, tail = min(head, marker.start()), max(tail, marker.end())
    inside = _MARKER.findall(text, head, tail)
    missing = len(_MARKER.sub("", text[head:tail])) + sum(map(int, inside))
    return f"{text[:head]}\n[... {missing} characters elided ...]\n{text[tail:]}"


def elided_arguments(arguments: str, kept: int) -> str:
    r"""Return a JSON object that stands for the long arguments of a tool call.

    >>> elided_arguments("[" + "1," * 45 + "1]", 12)
    '{"elided_characters": 81, "beginning": "[1,1,1,1,1,1"}'
    """
    missing, text = _elided_before(arguments)
    head = text[: grapheme_break(text, kept)]
    elision = {_KEY: missing + len(text) - len(head), "beginning": head}
    return json.dumps(elision, ensure_ascii=False)


def _elided_before(arguments: str) -> tuple[int, str]:
    """Return how many characters of some arguments are missing, and those that are there."""
    if arguments.startswith(f'{{"{_KEY}": '):
        try:
            match json.loads(arguments):
                case {"elided_characters": int(missing), "beginning": str(beginning)}:
                    return missing, beginning
                case _:
                    pass
        except (ValueError, RecursionError):
            pass
    return 0, arguments


def is_elided(text: str) -> bool:
    """Return whether `text` was shortened before, and is no longer than that makes it."""
    if len(text) > _LONGEST_ELIDED:
        return False
    return _MARKER.search(text) is not None or text.startswith(f'{{"{_KEY}": ')


@dataclass(frozen=True, slots=True)
class Elide:
    """Shortens the segments of some kinds: a rewrite of a ledger.

    Attributes:
        kinds: which.
        min_characters: shorter ones are left alone.
    """

    kinds: frozenset[str]
    min_characters: int

    def __call__(self, segment: Segment) -> Segment:
        """Return the shorter form of `segment`, or `segment` where that would not be shorter."""
        text = segment.content
        if segment.kind not in self.kinds or len(text) < self.min_characters or is_elided(text):
            return segment
        shorten = elided_arguments if segment.kind == "tool_call" else elided_text
        shorter = shorten(text, min(_MOST_KEPT, len(text) // 4))
        return replace(segment, content=shorter) if len(shorter) < len(text) else segment
