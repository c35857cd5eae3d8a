"""The text of a summary: entries under headings, one line each, and back again.

    # Rules
    Never deploy on Fridays.
    @alice: The staging key stays in the vault.
    # Facts
    The API listens on port 8080.

An entry of the user stands as it is; anybody else's begins with `@`, the name and a colon. Under a
bare `#` stand entries whose kind shows in their words. A line that would look like one of these,
like the words of another speaker, like a mark of this library or like a remark on the whole is
quoted with `> `, so nothing that is said in a conversation becomes a heading, a remark or an entry
of somebody else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator_context.conversation.digest.kinds import KINDS, Kind
from orchestrator_context.conversation.digest.statements import statement
from orchestrator_context.conversation.labels import is_mark
from orchestrator_context.text import clean, is_blank, sentences

__all__ = [
    "DEFAULT_SPEAKER",
    "FULL",
    "NOTHING",
    "Entry",
    "is_summary",
    "one_line",
    "parse",
    "render",
    "sentence_texts",
    "text_kind",
    "whole_sentences",
    "written_by",
]

NOTHING: Final = "(Nothing of it was worth keeping.)"
"""Stands in the place of a summary of turns that say nothing lasting."""

FULL: Final = "(Nothing fits.)"
"""Stands there where what is worth keeping does not fit in, however short."""

DEFAULT_SPEAKER = "user"
_HEADINGS: dict[Kind, str] = {
    "rule": "# Rules",
    "limit": "# Limits",
    "decision": "# Decisions",
    "task": "# State",
    "preference": "# Preferences",
    "fact": "# Facts",
    "question": "# Questions",
    "note": "# Notes",
    "chatter": "# Other",
}
_KIND_OF_HEADING: dict[str, Kind] = {heading: kind for kind, heading in _HEADINGS.items()}
_UNTITLED = "#"
_UNKNOWN: Kind = "note"
_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
_AFTER_SEMICOLON = re.compile(r"(?<=;)\s+|(?<=；)")
_ORDINAL = re.compile(
    r"\b(?:am|der|den|dem|vom|zum|bis|ab|seit|und|des)\s+\d{1,2}\.\s*$", re.IGNORECASE
)
_LONGEST_TAIL = 24
_ASKED = re.compile(r"\[[^\[\]]{1,400}[?？]\]\s*")
_LONGEST_NAME = 64
_ROLE = (
    "system|user|assistant|tool|human|ai|developer|model|moderator|function|admin|operator|"
    "nutzer|benutzer|assistent|utilisateur|usuario|asistente|пользователь|ассистент|система|"
    "用户|助手|系统|ユーザー|アシスタント|システム"
)
_LOOKS_LIKE_MARKUP = re.compile(rf"[#@>]|\W{{0,3}}(?:{_ROLE})\W{{0,3}}[:：]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    """What the summary keeps of somebody: one line.

    Attributes:
        kind: what it does.
        speaker: who said it; "" where nobody knows.
        text: one or more sentences in their words, without line breaks.
    """

    kind: Kind
    speaker: str
    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", one_line(self.text))
        object.__setattr__(self, "speaker", written_by(self.speaker))


def one_line(text: str) -> str:
    """Return `text` as one line that begins and ends with something to see."""
    return _SPACE.sub(" ", clean(text)).strip()


def written_by(name: str) -> str:
    """Return `name` as it can stand before a colon: one line, short, without a colon in it."""
    plain = unicodedata.normalize("NFC", one_line(name)).replace(":", ".").replace("：", ".")
    return plain[:_LONGEST_NAME].strip()


def text_kind(text: str) -> Kind:
    """Return what an entry does, going by the strongest of its sentences."""
    kinds: list[Kind] = [statement(part).kind for part in sentence_texts(text)]
    return min(kinds or [_UNKNOWN], key=KINDS.index)


def sentence_texts(text: str) -> list[str]:
    """Return the sentences of one line; what stands before a semicolon counts as one."""
    return [
        part
        for sentence in whole_sentences(text)
        for piece in _AFTER_SEMICOLON.split(sentence)
        if (part := piece.strip())
    ]


def whole_sentences(prose: str) -> Iterator[str]:
    """Yield the sentences; one that ends with the number of a day goes on with the month."""
    held = ""
    for start, end in sentences(prose):
        held += prose[start:end]
        goes_on = _ORDINAL.search(held[-_LONGEST_TAIL:]) or _ASKED.fullmatch(held)
        if not goes_on or prose[end : end + 1].isdigit():
            yield held
            held = ""
    if held:
        yield held


def render(entries: Sequence[Entry], *, compact: bool = False) -> str:
    """Return the entries as text, kind by kind, in their order. `parse` reads them back.

    Args:
        entries: entries without text are left out.
        compact: whether entries whose kind shows in their words stand under a bare `#`.
    """
    kept = [entry for entry in entries if not is_blank(entry.text)]
    plain = [entry for entry in kept if compact and entry.kind == text_kind(entry.text)]
    lines = [_UNTITLED] * bool(plain)
    lines += [_line(entry) for kind in KINDS for entry in plain if entry.kind == kind]
    shown = {id(entry) for entry in plain}
    for kind in KINDS:
        rest = [entry for entry in kept if entry.kind == kind and id(entry) not in shown]
        if rest:
            lines += [_HEADINGS[kind], *map(_line, rest)]
    return "\n".join(lines)


def _line(entry: Entry) -> str:
    speaker = "" if entry.speaker == DEFAULT_SPEAKER else f"@{entry.speaker}: "
    return speaker + ("> " if _looks_like_ours(entry.text) else "") + entry.text


def _looks_like_ours(text: str) -> bool:
    markup = _LOOKS_LIKE_MARKUP.match(text) is not None
    return markup or text in (NOTHING, FULL) or is_mark(text)


def is_summary(text: str) -> bool:
    """Return whether `text` was written by `render`."""
    first = text.partition("\n")[0].rstrip()
    return first == _UNTITLED or first in _KIND_OF_HEADING


def parse(text: str) -> tuple[Entry, ...]:
    """Return the entries of a text that `render` wrote; of any other text, none."""
    return tuple(_parsed(text.splitlines())) if is_summary(text) else ()


def _parsed(lines: Iterable[str]) -> Iterator[Entry]:
    heading: Kind | None = None
    for line in lines:
        bare = line.rstrip()
        if bare == _UNTITLED or bare in _KIND_OF_HEADING:
            heading = _KIND_OF_HEADING.get(bare)
            continue
        speaker, text = DEFAULT_SPEAKER, line
        if line.startswith("@"):
            name, colon, rest = line[1:].partition(":")
            speaker, text = (name, rest) if colon else (speaker, line)
        text = text.strip()
        text = text[2:] if text.startswith("> ") else text
        if not is_blank(text):
            yield Entry(heading if heading is not None else text_kind(text), speaker, text)
