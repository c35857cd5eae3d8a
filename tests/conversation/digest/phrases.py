"""What is said in the made-up conversations: subjects with their wordings, and filler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["BANKS", "Bank", "Subject"]


@dataclass(frozen=True)
class Subject:
    """Something that can be said of a subject.

    Attributes:
        key: names it.
        value: the sort of its value.
        statements: ways of saying it, with {v}.
        updates: ways of changing it later; none where it never changes.
        words: words that a summary must keep beside the value.
    """

    key: str
    value: str
    statements: tuple[str, ...]
    updates: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True)
class Bank:
    """What is said in one language."""

    language: str
    subjects: tuple[Subject, ...]
    filler: tuple[str, ...]
    acknowledgements: tuple[str, ...]
    pairs: tuple[tuple[str, ...], ...]


def _subject(line: str) -> Subject:
    key, value, statements, updates, words = (part.strip() for part in line.split("|"))
    return Subject(key, value, _split(statements, "//"), _split(updates, "//"), _split(words, ","))


def _split(text: str, mark: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(mark) if part.strip())


def _marked(lines: list[str], mark: str) -> tuple[str, ...]:
    return tuple(line[2:] for line in lines if line.startswith(f"{mark} "))


def _banks(text: str) -> Mapping[tuple[str, str], Bank]:
    banks: dict[tuple[str, str], Bank] = {}
    for block in text.split("\n[")[1:]:
        title, *lines = block.splitlines()
        language, half = title.rstrip("]").split()
        banks[language, half] = Bank(
            language,
            tuple(_subject(line) for line in lines if "|" in line),
            _marked(lines, "~"),
            _marked(lines, "+"),
            tuple(tuple(pair.split()) for pair in _marked(lines, "=")),
        )
    return banks


BANKS = _banks(Path(__file__).with_name("phrases.txt").read_text(encoding="utf-8"))
