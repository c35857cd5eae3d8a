"""Shorter forms of segments that say what is missing: a beginning, a marker and an end.

A line of what is kept that looks like a marker gets a backslash, so in what was shortened every
line that begins like a marker and has no backslash is one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from orchestrator_context.conversation.like import like
from orchestrator_context.conversation.lookalikes import safe_break
from orchestrator_context.models import Segment
from orchestrator_context.text import grapheme_break

_LINE = r"\[\.\.\. (\d+) characters elided \.\.\.\]"
_MARKER = re.compile(rf"(?:\A|\n){_LINE}[\n ]?")
_LIKE_A_MARKER = re.compile(rf"(?<=\n)(?={_LINE})")
_SIGN = " characters elided ...]"  # in every marker
_MOST_KEPT = 600  # characters of what is elided that are still shown
_LONGEST_ELIDED = _MOST_KEPT + 64  # with the marker
_HEAD_SHARE = 2 / 3  # of them, at the beginning
_LONGEST_GRAPHEME = 64  # code points; what is longer is a flood, and no character that anybody sees
_HALVED = re.compile("[\ud800-\udbff][\udc00-\udfff]")  # a character in UTF-16
_KEY = "elided_characters"


def elided_text(text: str, kept: int) -> str:
    r"""Return `text` with all but about `kept` characters of it replaced by a marker.

    >>> elided_text("beginning" + "." * 500 + "end", 12)
    'beginnin\n[... 500 characters elided ...] .end'

    The marker says how many characters are missing, those included that an earlier marker in the
    place of the cut stood for. No grapheme is split that is not longer than 64 code points, and
    nothing comes to stand at the beginning of a line that did not stand there.

    Args:
        text: what to shorten. One that is short and holds a marker is taken for shortened before.
        kept: characters to keep at most; two thirds of them from the beginning.
    """
    head = _near(text, int(kept * _HEAD_SHARE), safe_break)
    tail = max(head, _near(text, len(text) - (kept - head), grapheme_break))
    again = is_elided(text)
    for marker in _MARKER.finditer(text) if again else ():
        if marker.start() < tail and head < marker.end():
            head, tail = min(head, marker.start()), max(tail, marker.end())
    inside = _MARKER.findall(text, head, tail) if again else []
    missing = len(_MARKER.sub("", text[head:tail]) if inside else text[head:tail])
    missing += sum(map(int, inside))
    between = " " if _within_line(text, tail) else "\n"
    before, after = text[:head], text[tail:]
    if not again and _SIGN in text:
        before, after = _escaped("\n" + before)[1:], _escaped(between + after)[1:]
    return f"{before}\n[... {missing} characters elided ...]{between}{after}"


def _near(text: str, at: int, find: Callable[[str, int], int]) -> int:
    """Return the break that `find` gives, or one at `at` in a flood that has none."""
    at = min(at, len(text))
    found = at if at - grapheme_break(text, at) > _LONGEST_GRAPHEME else find(text, at)
    return found - (found > 0 and _HALVED.match(text, found - 1) is not None)


def _within_line(text: str, at: int) -> bool:
    return 0 < at < len(text) and len((text[at - 1] + "x").splitlines()) == 1


def _escaped(text: str) -> str:
    return _LIKE_A_MARKER.sub(r"\\", text)


def elided_arguments(arguments: str, kept: int) -> str:
    r"""Return a JSON object that stands for the long arguments of a tool call.

    >>> elided_arguments("[" + "1," * 45 + "1]", 12)
    '{"elided_characters": 81, "beginning": "[1,1,1,1,1,1"}'
    """
    missing, text = _elided_before(arguments)
    head = text[: _near(text, kept, grapheme_break)]
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
        return like(segment, content=shorter) if len(shorter) < len(text) else segment
