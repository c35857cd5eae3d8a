"""Made-up conversations with planted facts, updates, look-alikes and filler, in four languages.

No sentence carries a label. Three sets of banks share neither subjects nor wordings: `tuning` was
looked at while the rules were written; `held_out` showed which of them were too narrow; `fresh`
was written last.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.conversation.digest.phrases import BANKS, Bank, Subject

__all__ = ["Fact", "Session", "build_session"]

_FACTS = 18
_UPDATES = 4
_FILLER_BEFORE = (1, 1, 2)


@dataclass(frozen=True)
class Fact:
    """Something a summary should still say.

    Attributes:
        id: the subject.
        statement: as it was said last.
        required: what must stand in the summary, whatever the case of letters.
        stale: what must not, because it was replaced.
        update: whether it replaced an older statement.
    """

    id: str
    statement: str
    required: tuple[str, ...]
    stale: tuple[str, ...] = ()

    def is_held(self, text: str) -> bool:
        return all(_stands(token, text) for token in self.required)

    def leaks(self, text: str) -> bool:
        return any(_stands(token, text) for token in self.stale)


def _stands(token: str, text: str) -> bool:
    """Return whether a token stands in a text, and not only as a part of another number."""
    inside = rf"(?<![0-9.,]){re.escape(token.casefold())}(?![0-9%])"
    return re.search(inside, text.casefold()) is not None


@dataclass(frozen=True)
class Session:
    """A conversation and what was planted in it."""

    turns: tuple[tuple[str, str], ...]  # role, text
    facts: tuple[Fact, ...]
    pairs: tuple[tuple[Fact, Fact], ...] = ()

    @property
    def characters(self) -> int:
        return sum(len(f"[{role}] {text}\n") for role, text in self.turns)


@dataclass
class _Maker:
    rng: random.Random
    bank: Bank
    turns: list[tuple[str, str]] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    filler: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        self.turns.append(("user", text))
        self.turns.append(("assistant", self.rng.choice(self.bank.acknowledgements)))

    def chat(self) -> None:
        for _ in range(self.rng.choice(_FILLER_BEFORE)):
            if not self.filler:
                self.filler = self.rng.sample(self.bank.filler, len(self.bank.filler))
            self.say(self.filler.pop())

    def value(self, subject: Subject) -> str:
        """Return a value that is no part of another one, so that each can be told in a text."""
        for _ in range(500):
            value = VALUES[subject.value](self.rng, self.bank.language)
            folded = value.casefold()
            if not any(folded in other or other in folded for other in self.used):
                self.used.add(folded)
                return value
        raise ValueError(f"no fresh value for {subject.key}")


def build_session(seed: int, language: str = "en", half: str = "tuning") -> Session:
    """Return the session of a seed; the same seed gives the same session."""
    bank = BANKS[language, half]
    rng = random.Random(f"{seed}-{language}-{half}")
    maker = _Maker(rng, bank)
    subjects = rng.sample(bank.subjects, min(_FACTS, len(bank.subjects)))
    updated = {s.key for s in [s for s in subjects if s.updates][:_UPDATES]}
    early = [(s, maker.value(s)) for s in subjects if s.key in updated]
    facts: list[Fact] = []
    for subject, old in early:
        maker.chat()
        maker.say(rng.choice(subject.statements).format(v=old))
    stale = {subject.key: old for subject, old in early}
    late = [s for s in subjects if s.key not in updated]
    for subject in [*late, *(s for s, _ in early)]:
        maker.chat()
        value = maker.value(subject)
        wordings = subject.updates if subject.key in stale else subject.statements
        text = rng.choice(wordings).format(v=value)
        maker.say(text)
        replaced = (stale[subject.key],) if subject.key in stale else ()
        facts.append(Fact(subject.key, text, (value, *subject.words), replaced))
    maker.chat()
    by_key = {fact.id: fact for fact in facts}
    pairs = tuple((by_key[a], by_key[b]) for a, b in bank.pairs if a in by_key and b in by_key)
    return Session(tuple(maker.turns), tuple(facts), pairs)


def _letters(rng: random.Random, count: int) -> str:
    return "".join(rng.choice(string.ascii_uppercase) for _ in range(count))


_FIRST = ("Ayo", "Mira", "Tomas", "Leila", "Oskar", "Ingrid", "Pavel", "Noor", "Hugo", "Zara")
_LAST = ("Lindqvist", "Okafor", "Marchetti", "Brandt", "Delacroix", "Novak", "Tanaka", "Ferreira")
_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
}
_TONES = {
    "en": "terse detailed formal playful friendly concise",
    "de": "knappe ausführliche sachliche lockere förmliche",
    "fr": "concises détaillées formelles amicales",
    "zh": "简洁 详细 正式 轻松",
}
_DAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi",
    "es": "lunes martes miércoles jueves viernes sábado",
    "zh": "周一 周二 周三 周四 周五 周六",
}


def _day(rng: random.Random, language: str) -> str:
    if language in ("zh", "ja"):
        return f"{rng.randrange(1, 13)}月{rng.randrange(1, 29)}日"
    month = rng.choice(_MONTHS[language].split())
    day = rng.randrange(2, 29)
    return {"en": f"{month} {day}", "de": f"{day}. {month}", "fr": f"{day} {month}"}[language]


VALUES: Mapping[str, Callable[[random.Random, str], str]] = {
    "code": lambda rng, _: f"{_letters(rng, 2)}-{rng.randrange(100, 999)}{_letters(rng, 1)}",
    "pin": lambda rng, _: str(rng.randrange(100_000, 999_999)),
    "number": lambda rng, _: str(rng.randrange(12, 99) * 5),
    "small": lambda rng, _: str(rng.randrange(21, 99)),
    "port": lambda rng, _: str(rng.randrange(2_000, 9_999)),
    "money": lambda rng, _: f"{rng.choice('$€')}{rng.randrange(11, 99)}00",
    "euros": lambda rng, _: f"{rng.randrange(11, 99)}00 Euro",
    "yuan": lambda rng, _: f"{rng.randrange(11, 99)}00元",
    "person": lambda rng, _: f"{rng.choice(_FIRST)} {rng.choice(_LAST)}",
    "day": _day,
    "weekday": lambda rng, language: rng.choice(_DAYS[language].split()),
    "tone": lambda rng, language: rng.choice(_TONES[language].split()),
    "mail": lambda rng, _: f"{_letters(rng, 4).lower()}@{_letters(rng, 5).lower()}.example",
    "url": lambda rng, _: f"https://{_letters(rng, 5).lower()}.example/{rng.randrange(10, 99)}",
    "branch": lambda rng, _: f"topic/{_letters(rng, 5).lower()}-{rng.randrange(10, 99)}",
    "name": lambda rng, _: _letters(rng, 6).title(),
    "version": lambda rng, _: f"{rng.randrange(2, 9)}.{rng.randrange(10, 40)}",
    "clock": lambda rng, _: f"{rng.randrange(10, 23)}:{rng.choice(['05', '15', '20', '40', '50'])}",
    "percent": lambda rng, _: f"{rng.randrange(11, 89)}%",
}
