"""Looking up words and phrases in a text: one pass over its words, however long the list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import regex

__all__ = ["Found", "Lexicon", "Token", "tokens"]

_LONGEST_PHRASE_WORDS = 5
_SHORTEST_PREFIX = 2
_LONGEST_WORD = 64
_WIDE = r"\p{Han}\p{Hiragana}\p{Katakana}ー々〆〇"
_TOKEN = regex.compile(
    rf"""(?xV1) (?:\b[cdjlmnstCDJLMNST]|\b[Qq]u)['’](?=\p{{L}}\p{{L}})
    | [\p{{L}}\p{{M}}\p{{N}}_--[{_WIDE}]]++(?:['’][\w--[{_WIDE}]]++)*+"""
)
_ASCII_TOKEN = re.compile(
    r"(?:\b[cdjlmnstCDJLMNST]|\b[Qq]u)'(?=[A-Za-z][A-Za-z])|[A-Za-z0-9_]+(?:'[A-Za-z0-9_]+)*"
)
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]+")
_IS_WIDE = regex.compile(rf"[{_WIDE}]")
_SEPARATOR = re.compile(r"[;\n]")


class Token(NamedTuple):
    """A word of a text in a script with spaces, folded for look-up.

    Attributes:
        word: case-folded, apostrophes made alike.
        start: where it begins.
        end: where it ends.
    """

    word: str
    start: int
    end: int


class Found(NamedTuple):
    """An entry of a lexicon in a text: the names it is listed under, and where it stands."""

    names: frozenset[str]
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """Return the words of the parts of `text` in scripts that put spaces between words."""
    if text.isascii():
        found = (_ASCII_TOKEN if "'" in text else _ASCII_WORD).finditer(text)
        return [Token(word[0].lower(), word.start(), word.end()) for word in found]
    return [
        Token(word[0].casefold().replace("’", "'"), *word.span()) for word in _TOKEN.finditer(text)
    ]


class Lexicon:
    """Words and phrases under names, found in a text in time linear in it.

    Entries are separated by semicolons and line breaks. A star at the end stands for any ending.
    Entries in Chinese and Japanese are found anywhere, all others as whole words; hyphens
    count as spaces.
    """

    def __init__(self, lists: Mapping[str, str]) -> None:
        phrases: dict[tuple[str, ...], set[str]] = {}
        prefixes: dict[str, set[str]] = {}
        wide: dict[str, set[str]] = {}
        for name, listed in lists.items():
            for entry in filter(None, map(str.strip, _SEPARATOR.split(listed.casefold()))):
                if _IS_WIDE.search(entry):
                    wide.setdefault(entry, set()).add(name)
                elif entry.endswith("*"):
                    prefixes.setdefault(entry[:-1], set()).add(name)
                else:
                    key = tuple(token.word for token in tokens(entry)) or (entry,)
                    phrases.setdefault(key, set()).add(name)
        self._phrases = {key: frozenset(names) for key, names in phrases.items()}
        self._openings = frozenset(key[0] for key in phrases if len(key) > 1)
        self._prefixes = {key: frozenset(names) for key, names in prefixes.items()}
        self._wide = {key: frozenset(names) for key, names in wide.items()}
        longest_first = sorted(wide, key=lambda entry: (-len(entry), entry))
        self._wide_pattern = re.compile("|".join(map(re.escape, longest_first)) or "(?!)")
        self._word = lru_cache(maxsize=16_384)(self._names_of_word)

    def find(self, text: str, words: list[Token]) -> Iterator[Found]:
        """Yield what of the lexicon stands in `text`, whose tokens are `words`.

        A phrase is found as a whole, and its words as well.
        """
        for at, (word, start, end) in enumerate(words):
            names = self._word(word)
            if names:
                yield Found(names, start, end)
            if word in self._openings:
                yield from self._phrases_at(words, at)
        if not text.isascii():
            for found in self._wide_pattern.finditer(text):
                yield Found(self._wide[found[0]], found.start(), found.end())

    def names(self, text: str) -> frozenset[str]:
        """Return the names under which anything in `text` is listed."""
        return frozenset(name for found in self.find(text, tokens(text)) for name in found.names)

    def _phrases_at(self, words: list[Token], at: int) -> Iterator[Found]:
        key: tuple[str, ...] = (words[at].word,)
        for token in words[at + 1 : at + _LONGEST_PHRASE_WORDS]:
            key = (*key, token.word)
            names = self._phrases.get(key)
            if names is not None:
                yield Found(names, words[at].start, token.end)

    def _names_of_word(self, word: str) -> frozenset[str]:
        names = self._phrases.get((word,), frozenset())
        for end in range(_SHORTEST_PREFIX, min(len(word), _LONGEST_WORD) + 1):
            names |= self._prefixes.get(word[:end], frozenset())
        return names
