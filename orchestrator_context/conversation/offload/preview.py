"""The preview of a content: its outline and first lines, and the last ones without an outline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator_context.conversation.offload.cutting import Count, beginning, ending, shrunk
from orchestrator_context.conversation.offload.data import describe_data
from orchestrator_context.conversation.offload.lines import Span, line_count, lines_of
from orchestrator_context.conversation.offload.outline import sections
from orchestrator_context.text import grapheme_break, is_blank


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of an outline.

    Attributes:
        text: what it says.
        top: it stays where there is no room for all.
    """

    text: str
    top: bool = True


def outline(content: str, title: str, nonce: str) -> tuple[Entry, ...]:
    """Return what tells of the whole content: its keys or columns, its headings or definitions.

    None of it holds the nonce, not even where a key of JSON spells it in escapes.
    """
    data = tuple(map(Entry, describe_data(content)))
    found = () if data else sections(content, title)
    entries = (Entry(f"line {section.line}: {section.text}", section.top) for section in found)
    return tuple(entry for entry in (*data, *entries) if nonce not in entry.text.lower())


def outline_text(entries: Sequence[Entry], max_tokens: int, count: Count) -> str:
    """Return as many entries as fit, one a line, and how many there are beside them."""
    shown = _affordable(entries, max_tokens, count)
    if len(shown) < len(entries):
        shown = _affordable([entry for entry in entries if entry.top], max_tokens - 8, count)
    left_out = len(entries) - len(shown)
    more = [f"… and {left_out} more"] if shown and left_out else []
    return "\n".join([*shown, *more])


def _affordable(entries: Sequence[Entry], room: int, count: Count) -> list[str]:
    shown: list[str] = []
    for entry in entries:
        room -= count(entry.text + "\n")
        if room < 0:
            break
        shown.append(entry.text)
    return shown


def preview(content: str, title: str, nonce: str, max_tokens: int, count: Count) -> str:
    """Return the preview; "" where there is nothing to see or no room for it."""
    if not max_tokens or is_blank(content):
        return ""
    entries = outline(content, title, nonce)

    def written(room: int) -> str:
        told = outline_text(entries, room // 2, count)
        share = room - count(told) if told else room * 2 // 3
        end = _head_end(content, share, count)
        rest = (end, len(content))
        start = len(content) if told or not end else ending(content, rest, room - share, count)
        spans = ((0, end), (start, len(content)))
        parts = [f"[{nonce}: outline]\n{told}"] if told else []
        parts += [_labelled(content, span, nonce) for span in spans if span[0] < span[1]]
        return "\n".join(parts)

    return shrunk(written, count, max_tokens) or ""


def _head_end(content: str, max_tokens: int, count: Count) -> int:
    end = beginning(content, (0, len(content)), max_tokens, count)
    return end if grapheme_break(content, end) == end else 0


def _labelled(content: str, span: Span, nonce: str) -> str:
    lines, total = lines_of(content, span), line_count(content)
    return f"[{nonce}: lines {lines} of {total}]\n{content[slice(*span)].removesuffix(chr(10))}"
