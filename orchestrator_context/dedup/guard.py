"""What two texts must have in common to say the same: numbers, units, negations, names of code.

Near duplicates differ in words. Where such a word is a number or a "not", they say different
things, however alike they are. So the guarded items of a text, in order, are part of its identity.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Set
from dataclasses import dataclass

import regex

from orchestrator_context.dedup import guard_units, guard_words

_NOT = "¬"  # all negations are one: "do not" says what "don't" does
_GUARDED = (
    guard_words.NUMBERS
    | guard_words.DATES
    | guard_words.OPPOSITES
    | guard_units.MEASURES
    | guard_units.FREQUENCIES
)
_BEFORE_UNITS = guard_words.NUMBERS | guard_units.BEFORE_UNITS
_UNSPACED = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}ー々〆〇\p{Thai}\p{Lao}\p{Khmer}"
    r"\p{Myanmar}\p{Tibetan}"
)
_TOKEN = regex.compile(
    rf"""(?xV1)
    (?P<word> [[\p{{L}}\p{{M}}\p{{N}}_]--[{_UNSPACED}]]++
        (?: [-.,:/@'’‐‑+&\\=·]++ [[\p{{L}}\p{{M}}\p{{N}}_]--[{_UNSPACED}]]++ )*+
    ) (?: (?<=\p{{N}}) (?P<unit>[{_UNSPACED}]) )?
    | (?P<unspaced>[{_UNSPACED}]++)
    | (?P<name> (?<![\p{{L}}\p{{N}}])(?:--?|[\#@$%{{<])\p{{L}}[\w-]*+ )  # --force, $home, {{name}}
    | (?P<path> (?<![\p{{L}}\p{{N}}<])/\p{{L}}[\w-]*+ (?![.:/@\\=+&]\w) )  # /tmp, and "5 /day"
    | (?P<sign> [\p{{Sc}}\p{{Sm}}\p{{So}}%‰?？؟]
        | !(?=[\p{{L}}\p{{N}}_(=])                # not, in code
        | (?<![\p{{L}}\p{{N}}])[-−.](?=[.\p{{N}}]) # minus, and .5
        | (?<=\p{{N}})["'′″]                     # feet and inches
        | (?<=[\p{{L}}\p{{N}}])\#                 # C#
    )"""
)
_UNSPACED_ITEM = regex.compile(
    r"(?P<not>[不没沒未无無非别別勿莫否免]|ません|ない|なく|なかっ|なけれ|[않못없]|아니|말[아것고]|마십"
    r"|(?<!\p{Hangul})안(?!\p{Hangul})|ไม่|อย่า|ห้าม|ບໍ່|មិន|ពុំ|កុំ|မ(?=\p{Myanmar}))"
    r"|[一二三四五六七八九十百千万萬亿億兆两兩零〇半]++[天日周週月年时時分秒元角米克斤吨噸升度]?"
    r"|[每毎](?:小时|小時|分钟|分鐘|时间|時間|\p{Han})|매[일주월년시분]|(?:시간|하루|일|주|월|년|분)당"
    r"|ต่อ(?:วัน|ชั่วโมง|สัปดาห์|เดือน|ปี|นาที)|(?:วัน|ชั่วโมง|สัปดาห์|เดือน|ปี)ละ|時間ごと|日ごと|週ごと|月ごと|年ごと"
    r"|[摄攝华華]氏|섭씨|화씨|毫|磅|公斤|千克|ミリ|キロ|ポンド|킬로|밀리|파운드"
    r"|[禁止只仅僅拒缺减減降南北东東恶惡悪负負贷貸毛净淨必须須可能或低少小下关關闭閉停]|だけ|のみ|オフ|만|금지|[끄꺼]"
)
_NUMBER = regex.compile(r"\p{N}")
_JOINT_OF_CODE = frozenset("./@:\\=&+_·")
_WORD_JOINT = regex.compile(r"[-,'’‐‑]++")
_HEX = regex.compile(r"[a-fA-F]{8,}")
_NEGATED = regex.compile(r"n['’]t$", regex.IGNORECASE)
_EDGE = regex.compile(r"^[^\p{L}\p{M}\p{N}]++|[^\p{L}\p{M}\p{N}]++$")


@dataclass(frozen=True, slots=True)
class Guarded:
    """What is guarded in a piece of text that stands between white space.

    Attributes:
        items: in order.
        is_unit: the piece is a unit, which counts behind a number or a word like "per" only.
        ends_in_number: the next piece may be the unit of a number, or that of a rate.
    """

    items: tuple[str, ...] = ()
    is_unit: bool = False
    ends_in_number: bool = False


_NOTHING = Guarded()
_BEFORE_UNIT = Guarded(ends_in_number=True)
_QUOTES = "\"'"
_LEADING, _TRAILING = "([\"'", ".,;:!)]\"'"


def bare(piece: str) -> str:
    """Return `piece` without the punctuation around it that means nothing."""
    return piece.rstrip(_TRAILING).lstrip(_LEADING)


def guarded(piece: str, word: str) -> Guarded:
    """Return what is guarded in `piece`, which holds no white space. Linear in the piece.

    Args:
        piece: part of a text.
        word: the same, bare.
    """
    if word.isascii():
        if word.isalpha() and (word.islower() or word[1:].islower()):
            return Guarded((word,)) if _HEX.fullmatch(word) else _plain(word.lower())
        if word.isdigit() and piece[-1] not in _QUOTES:
            return Guarded((word,), ends_in_number=True)
    return _guarded(unicodedata.normalize("NFKC", piece))


def _guarded(piece: str) -> Guarded:
    if "`" in piece:  # code
        return Guarded((bare(piece),))
    items: list[str] = []
    last_is_number = False
    for token in _TOKEN.finditer(piece):
        found = _items(token)
        items += found
        last_is_number = bool(found) and _is_number(found[-1])
    per = piece.endswith("/")
    if not (items or per):
        return _plain(_EDGE.sub("", piece).casefold())
    return Guarded(tuple(items), ends_in_number=last_is_number or per)


def _plain(word: str) -> Guarded:
    if word in guard_words.NEGATIONS:
        return Guarded((_NOT,))
    before_unit = word in _BEFORE_UNITS
    if _is_guarded(word):
        return Guarded((word,), ends_in_number=before_unit)
    if word in guard_units.UNITS:
        return Guarded((word,), is_unit=True, ends_in_number=before_unit)
    return _BEFORE_UNIT if before_unit else _NOTHING


def _is_guarded(folded: str) -> bool:
    return folded in _GUARDED or folded.startswith(guard_words.RARE_PREFIXES)


def _is_number(item: str) -> bool:
    return item in guard_words.NUMBERS or _NUMBER.match(item[-1]) is not None


def _items(token: regex.Match[str]) -> list[str]:
    if token["sign"]:
        return [token["sign"]]
    if name := token["name"] or token["path"]:
        return [name]
    if token["unspaced"]:
        return [
            _NOT if found["not"] else found[0]
            for found in _UNSPACED_ITEM.finditer(token["unspaced"])
        ]
    word = token["word"]
    if token["unit"]:
        return [word + token["unit"]]
    if _NUMBER.search(word) or not _JOINT_OF_CODE.isdisjoint(word):
        return [word]
    if _NEGATED.search(word):
        return [_NOT]
    parts = _WORD_JOINT.split(word)
    return [
        item
        for before, part in zip(("", *parts[:-1]), parts, strict=True)
        if (item := _item(part, before))
    ]


def _item(word: str, before: str) -> str:
    """Return what is guarded in a word without digits and joints, or "".

    Args:
        word: part of a compound.
        before: the part before it, as in "per-hour", "three-day" and "l'heure".
    """
    if word[1:] != word[1:].lower() or _is_letter_of_a_name(word) or _HEX.fullmatch(word):
        return word
    folded = word.casefold()
    if folded in guard_words.NEGATIONS:
        return _NOT
    is_unit = folded in guard_units.UNITS and before.casefold() in _BEFORE_UNITS
    return folded if is_unit or _is_guarded(folded) else ""


def _is_letter_of_a_name(word: str) -> bool:
    """Return whether `word` is a letter as in "tank B"; "A" and "I" are words."""
    return len(word) == 1 and word.isascii() and word.isupper() and word not in "AI"


def opposed(ours: Set[str], theirs: Set[str]) -> bool:
    """Return whether a word on one side negates one of the other by its prefix or suffix.

    Args:
        ours: folded words that the other text has not.
        theirs: those that only the other one has.
    """
    return any(
        base in other
        for one, other in ((ours, theirs), (theirs, ours))
        for word in one
        for base in _bases(word)
    )


def _bases(word: str) -> Iterator[str]:
    if word.startswith(guard_words.PREFIXES):
        for prefix in guard_words.PREFIXES:
            if word.startswith(prefix):
                yield word[len(prefix) :]
    for prefix, opposite in guard_words.OPPOSED_PREFIXES:
        if word.startswith(prefix):
            yield opposite + word[len(prefix) :]
    if word.endswith(guard_words.SUFFIXES):
        for suffix in guard_words.SUFFIXES:
            if word.endswith(suffix):
                stem = word[: -len(suffix)]
                yield from (stem, stem + "ful", stem + "li", stem + "lı")
