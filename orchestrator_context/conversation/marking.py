"""How marks of this library begin: the headings and stand-ins that its policies put into texts."""

from __future__ import annotations

from typing import Final

import regex

from orchestrator_context.conversation.lookalikes import spelled

OF_TOOL: Final = f"(?:{spelled('callof')}|{spelled('resultof')})"

# How marks begin, as shapes: summaries and gaps (rolling), elisions (elision), stand-ins of what
# was moved out and their handles (offload), calls and results that are sent as texts (finalize).
# Of a stand-in nothing more is asked for: a model may take one with any number for ours.
MARKS: Final = (
    r"(?:{summary}\p{{N}}+{turns}|(?<=\p{{N}}){turns}{left_out}|(?<=\p{{N}}){elided}"
    r"|{offload}|{of_tool})"
).format(
    summary=spelled("summaryof"),
    turns=spelled("earlierturn") + "s?",
    left_out=spelled("leftout"),
    elided=spelled("characterselided"),
    offload=spelled("offload"),
    of_tool=OF_TOOL,
)
OPENING_LETTERS: Final = r"\u1438\u16b2"  # which look like < in UTS 39
_BRACKETS = (  # whatever opens by its category, or looks like < or (
    rf"[\p{{Ps}}\p{{Pi}}<\u02c2\u226a\ufe64\uff1c\U0001d114\U0001d236{OPENING_LETTERS}]"
)
_BRACKET = regex.compile(_BRACKETS)
_ASCII_BRACKET = regex.compile(r"[(<\[{]")
OPENS_A_MARK: Final = regex.compile(rf"[^\p{{L}}\p{{N}}]*{_BRACKETS}")


def may_hold_marks(text: str) -> bool:
    """Return whether anything in `text` opens like a mark."""
    bracket = _ASCII_BRACKET if text.isascii() else _BRACKET
    return bracket.search(text) is not None
