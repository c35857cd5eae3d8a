"""The shapes of values: addresses, dates, amounts, paths, identifiers, numbers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

import regex

from orchestrator_context.conversation.digest.lexicon import Token
from orchestrator_context.conversation.digest.measures import MEASURE

__all__ = ["value_pattern"]

_MONTHS = (
    "jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|f[ée]vr(?:ier)?|mar(?:ch|s)?|märz|apr(?:il)?|avril|"
    "may|mai|jun[ei]?|juin|jul[yi]?|juillet|aug(?:ust)?|août|sept?(?:ember|embre)?|o[ck]t(?:ober|obre)?|"
    "nov(?:ember|embre)?|d[eé][cz](?:ember|embre)?|enero|febrero|marzo|abril|mayo|junio|julio|agosto|"
    "septiembre|octubre|noviembre|diciembre|января|февраля|марта|апреля|мая|июня|июля|августа|"
    "сентября|октября|ноября|декабря"
)
_SMALL = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    "sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|"
    "hundred|thousand|million|billion|dozen|"
    "zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|vierzig|fünfzig|"
    "sechzig|siebzig|achtzig|neunzig|hundert|tausend|"
    "deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|quinze|vingt|trente|quarante|cinquante|"
    "soixante|cent|cents|mille|"
    "dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|veinte|treinta|cuarenta|cincuenta|cien|"
    "doscientos|trescientos|cuatrocientos|quinientos|seiscientos|mil|"
    "два|три|четыре|пять|шесть|семь|восемь|девять|десять|двадцать|тридцать|сорок|пятьдесят|сто|тысяч"
)
_CURRENCY = (
    r"(?:dollars?|euros?|usd|eur|gbp|chf|pounds?|yen|rubles?|dólares|рубл\w+|евро|долл\w+|"
    r"元|円|美元|欧元|日元|€|\$|£|¥|₽)"
)
# Edges of words, for scripts that put spaces between them: a number may stand between Han.
_W = r"\p{Latin}\p{Cyrillic}\p{Greek}\p{N}_"
_BEGIN = rf"(?<![{_W}])"
_BEGIN_NUMBER = rf"(?<![{_W}.])"
_END = rf"(?![{_W}])"
_DAY = r"\d{1,2}"

# Values begin no later than a word does, but for numbers, and addresses behind other letters.
_POSSIBLE = rf"""(?=\S) (?:
    (?<![{_W}]) | (?=\d|[^{_W}]) | (?<=[^\x00-\x7f])(?=[a-z0-9._+-]+(?:@|://)) )"""
_NONE = "(?!)"
_ID = rf"""
      \#\d+
    | (?<![{_W}-])v?\d+(?:\.\d+){{1,3}}[A-Za-z0-9_-]*
    | (?<![{_W}-])(?=[A-Za-z0-9._-]*\d)(?=[\d_.-]*[A-Za-z])
      [A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*{_END}
    | {_BEGIN}[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+
    | {_BEGIN}[A-Za-z]*[a-z][A-Z][A-Za-z0-9]*{_END}
    | (?<![{_W}.+-])\+?\d+(?:-\d+)+{_END}
    | {_BEGIN}[A-Za-z0-9_-]+(?:\.[a-z][A-Za-z0-9_-]+)+{_END}
    | {_BEGIN}[A-Z]{{5,}}{_END}
"""


def _dates(months: str) -> str:
    """Return the pattern of dates, with these words for months."""
    return rf"""
          (?<![{_W}.-])(?:
              \d{{4}}[-/.]{_DAY}[-/.]{_DAY}
            | {_DAY}\.\s?{_DAY}\.(?:\d{{4}}(?!\d)|(?=\s+\p{{Ll}}))
            | {_DAY}/{_DAY}(?:/\d{{2,4}})?
            | \d{{2}}-\d{{2}}
          )(?![{_W}/-])
        | {_BEGIN}(?:{months})\.?\s+{_DAY}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?{_END}
        | {_BEGIN}{_DAY}(?:\.|er|st|nd|rd|th)?\s+(?:de\s+|of\s+)?(?:{months})
          (?:\s+(?:de\s+)?\d{{4}})?{_END}
        | (?:\d{{4}}\s?年\s?)?{_DAY}\s?月\s?{_DAY}\s?[日号]
    """


@cache  # and not compiled on import, since it takes a while
def _value(small: str, months: str) -> regex.Pattern[str]:
    """Return the pattern of values, with these words for numbers and months.

    What can begin no value is passed over in one go: words in small letters, but for these,
    white space, Han and Kana.
    """
    return regex.compile(
        rf"""
        (?P<plain> (?:
            (?<![{_W}]) (?!{small}|{months}|(?:and|a)[\s-]) (?-i:\p{{Lu}}?\p{{Ll}}++)
            (?:[\s,;!?)(]++|\.(?:\s++|\Z)|\Z)
          | (?:(?!\p{{N}})[\p{{Han}}\p{{Hiragana}}\p{{Katakana}}，。、；！？])++
          | \s++
        )++)
        | {_POSSIBLE} (?:
          (?P<url>[a-z][a-z0-9+.-]*://[^\s<>"'，。；、）」』\]]+[^\s<>"'.,;:!?，。；、）」』)\]])
        | (?P<email>[a-z0-9._+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+)
        | `(?P<code>[^`\n]{{1,120}})`
        | [“„"«](?P<quote>[^”“"»\n]{{1,80}})[”“"»]
        | [「『](?P<quote>[^」』\n]{{1,80}})[」』]
        | (?P<date>{_dates(months)})
        | (?P<clock>
            {_BEGIN_NUMBER}{_DAY}(?::\d{{2}}){{1,2}}(?:\s?[ap]\.?m)?{_END}
          | {_BEGIN_NUMBER}{_DAY}\s?(?:[ap]m|uhr|点|時){_END})
        | (?P<money>
            [$€£¥₽]\s?\d(?:[\d.,]*\d)?(?:\s?(?:k|m|mio|million|thousand){_END})?
          | {_BEGIN_NUMBER}\d(?:[\d.,\xa0\u202f ]*\d)?\s?(?:k\s?)?{_CURRENCY}{_END}
          | {_BEGIN}(?:(?:{small}|and|a)[\s-]+)+{_CURRENCY}{_END})
        | (?P<measure>{_BEGIN_NUMBER}[-+]?{MEASURE}(?![{_W}/-]))
        | (?P<path>
            (?<![{_W}/.\\-])(?:\.{{0,2}}[/\\])?[{_W}.@~-]+(?:[/\\][{_W}.@~+-]+)+
          | (?<![{_W}/])/[{_W}.-]+(?:/[{_W}.-]+)*)
        | (?P<id>(?-i:{_ID}))
        | (?P<number>
            {_BEGIN_NUMBER}[-+]?\d(?:[\d.,]*\d)?(?:\s?(?:%|‰|°[CF]?))?
          | {_BEGIN}(?:(?:{small})[\s-]*)+{_END})
        )""",
        regex.VERBOSE | regex.IGNORECASE,
    )


_COUNTS = regex.compile(rf"(?:{_SMALL.casefold()})+|{_MONTHS}", regex.IGNORECASE)


def value_pattern(words: Iterable[Token]) -> regex.Pattern[str]:
    """Return the pattern that finds the values of a sentence of which `words` are the words.

    The name of the group that matched is the kind, or "plain" where there is no value; two groups
    have the same name for quotations.
    """
    for token in words:
        if _counts(token.word):
            return _value(_SMALL, _MONTHS)
    return _value(_NONE, _NONE)


@lru_cache(maxsize=16_384)
def _counts(word: str) -> bool:
    """Return whether a word is a number or a month."""
    return any(map(_COUNTS.fullmatch, word.split("'")))
