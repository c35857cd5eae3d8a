"""The stand-in: what is left in the prompt of a content that was moved to the store.

It says how much was moved and how to read it, and shows a preview. Its first and last line, and the
marks between, hold a nonce that stands nowhere in the content, so no content can end it early or
pass for another one. It depends on the content and the arguments alone: the same bytes every time.
"""

from __future__ import annotations

import html
from collections.abc import Collection

from orchestrator_context import checks
from orchestrator_context.conversation.labels import guarded
from orchestrator_context.conversation.offload.handles import Handle
from orchestrator_context.conversation.offload.preview import preview
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.prompts import free_nonce
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.text import clean, grapheme_break
from orchestrator_context.tokens import token_counter

DEFAULT_PREVIEW_TOKENS = 200
"""Enough for the columns of a table and a few of its rows."""

_LONGEST_TITLE = 120  # characters
_LINE_ENDS = {ord(char): f"&#{ord(char)};" for char in "\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"}
_HOW = (
    "Moved out of the conversation to save room, and kept whole. To read it, call the tool "
    '`recall` with this handle and a `query`, or `lines` such as "1-80".'
)


def offloaded(
    content: str,
    handle: Handle,
    *,
    counter: TokenCounter | None = None,
    preview_tokens: int = DEFAULT_PREVIEW_TOKENS,
    names: Collection[str] = (),
) -> str:
    """Return the text that stands in the place of `content`.

    Beside the preview it takes about 110 tokens, so it pays for contents of some hundred tokens
    and more. Near linear in the content.

    Args:
        content: what was put into the store.
        handle: what the store gave for it.
        counter: counts tokens; exact o200k by default.
        preview_tokens: tokens of the preview at most; 0 for none.
        names: of those in a conversation, if it stands in what one of them says. Lines of the
            preview that look like a label of theirs, or like a mark, get a backslash in front.

    Raises:
        ConfigurationError: the handle is that of another content, or a value cannot be used.
    """
    checks.whole("preview_tokens", preview_tokens)
    if Handle.of(content, title=handle.title, kind=handle.kind) != handle:
        raise ConfigurationError(f"{handle} is not the handle of this content; put it first")
    counter = token_counter() if counter is None else counter
    nonce = free_nonce(content, handle.title)

    def told(text: str) -> str:
        lines = text.split("\n")
        return "\n".join(line if nonce in line else guarded(line, names) for line in lines)

    def count(text: str) -> int:
        return counter.count(told(text))

    shown = told(preview(clean(content), handle.title, nonce, preview_tokens, count))
    element = f"offloaded-{nonce}"
    begin = f"<{element} {_figures(content, handle, counter)}>"
    return "\n".join(filter(None, (begin, _HOW, shown, f"</{element}>")))


def _figures(content: str, handle: Handle, counter: TokenCounter) -> str:
    most = "" if counter.exact else "at most "
    figures = {
        "handle": handle.name,
        "title": _shortened(clean(handle.title)),
        "tokens": f"{most}{counter.count(content)}",
        "lines": f"{handle.lines}",
        "characters": f"{handle.characters}",
    }
    return " ".join(f'{name}="{value}"' for name, value in figures.items() if value)


def _shortened(title: str) -> str:
    cut = len(title) > _LONGEST_TITLE
    shown = title[: grapheme_break(title, _LONGEST_TITLE)] + "…" if cut else title
    return html.escape(shown).translate(_LINE_ENDS)
