"""Query-focused extraction: the units that answer a question best, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from orchestrator_context import checks
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.rank.blocks import is_wide
from orchestrator_context.rank.units import Unit
from orchestrator_context.rank.worth import Strictness, ranked
from orchestrator_context.text import grapheme_break

_STRICTNESS = Strictness()
_MISSES = 24  # units in a row that do not fit before no more are tried
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Extract:
    """A chosen unit.

    Attributes:
        unit: what was chosen.
        worth: how well it answers, beside the others of the same text.
        passages: where it stands; further ones hold the same words.
        cut: only its beginning is there, because not one unit fits whole.
    """

    unit: Unit
    worth: float
    passages: tuple[int, ...]
    cut: bool = False


Writer = Callable[[Sequence[Extract]], str]


def plain(extracts: Sequence[Extract]) -> str:
    """Return the texts, one a line."""
    return "\n".join(extract.unit.text for extract in extracts)


def extract(
    question: str,
    units: Sequence[Unit],
    max_tokens: int,
    counter: TokenCounter,
    *,
    write: Writer = plain,
    strictness: Strictness = _STRICTNESS,
) -> tuple[Extract, ...]:
    """Return the units that answer `question` best, in the order of the text.

    Empty where no unit shares a word with the question. Near linear in the text.

    Args:
        question: what to look for.
        units: what to choose from.
        max_tokens: ceiling for what `write` makes of the result, as counted.
        counter: counts it.
        write: how the result will be written.
        strictness: what is left out even where there is room.

    Raises:
        ConfigurationError: an argument is not of its type, or out of range.
    """
    checks.text("question", question)
    units = checks.instances("units", units, Unit, "units", "units(passages)")
    checks.whole("max_tokens", max_tokens)
    checks.instance("counter", counter, TokenCounter, "token_counter(model)")  # type: ignore[type-abstract]
    checks.function("write", write)
    checks.instance("strictness", strictness, Strictness)
    budget = _Budget(max_tokens, counter, write)
    candidates = _distinct(units, ranked(question, units, strictness))
    best = next(candidates, None)
    if best is None:
        return ()
    return budget.fill(chain((best,), candidates)) or budget.cut(best)


def _distinct(units: Sequence[Unit], ranking: Iterator[tuple[int, float]]) -> Iterator[Extract]:
    """Yield units by falling worth, of equal ones the best with the places of all."""
    places: dict[tuple[str, str], dict[int, None]] = {}
    for unit in units:
        places.setdefault(_sense(unit), {})[unit.passage] = None
    for position, worth in ranking:
        unit = units[position]
        passages = places.pop(_sense(unit), None)
        if passages is not None:
            yield Extract(unit, worth, tuple(dict.fromkeys((unit.passage, *passages))))


def _sense(unit: Unit) -> tuple[str, str]:
    """Return what equal units share. A line of code means something else in another place."""
    label = "" if unit.kind == "prose" else unit.label
    return label, " ".join(unit.text.casefold().split())


@dataclass(frozen=True, slots=True)
class _Budget:
    max_tokens: int
    counter: TokenCounter
    write: Writer

    def left(self, extracts: Iterable[Extract]) -> int:
        """Return the tokens that are left when `extracts` are written together."""
        written = self.write(sorted(extracts, key=lambda extract: extract.unit.order))
        return self.max_tokens - self.counter.count(written)

    def fill(self, candidates: Iterator[Extract]) -> tuple[Extract, ...]:
        """Return as many of the candidates as fit, in the order of the text."""
        chosen: list[Extract] = []
        for _ in range(_ROUNDS):  # written together they may take less than one by one
            taken, missed = self._affordable(candidates, self.left(chosen))
            if not taken:
                break
            chosen += taken
            candidates = chain(missed, candidates)
        while chosen and self.left(chosen) < 0:
            chosen.pop()
        return tuple(sorted(chosen, key=lambda extract: extract.unit.order))

    def _affordable(
        self, candidates: Iterator[Extract], room: int
    ) -> tuple[list[Extract], list[Extract]]:
        """Return those that fit one by one, and those tried in vain, until too many in a row."""
        taken: list[Extract] = []
        missed: list[Extract] = []
        misses = 0
        while misses < _MISSES and (candidate := next(candidates, None)) is not None:
            price = self.max_tokens - self.left([candidate])
            if price <= room:
                taken.append(candidate)
                room -= price
                misses = 0
            else:
                missed.append(candidate)
                misses += 1
        return taken, missed

    def cut(self, extract: Extract) -> tuple[Extract, ...]:
        """Return `extract` up to the last word with which it fits, or nothing."""
        ends = _word_ends(extract.unit.text)
        low, high = 0, len(ends)
        while low < high:
            middle = (low + high) // 2
            if self.left([_beginning(extract, ends[middle])]) >= 0:
                low = middle + 1
            else:
                high = middle
        return (_beginning(extract, ends[low - 1]),) if low else ()


def _word_ends(text: str) -> list[int]:
    breaks = [at for at in range(1, len(text)) if grapheme_break(text, at) == at]
    return [at for at in breaks if text[at] == " " or is_wide(text[at])] or breaks


def _beginning(extract: Extract, end: int) -> Extract:
    """Return `extract` up to `end`, without its label, which would take room from the words."""
    text = extract.unit.text[:end].rstrip() + "…"
    return replace(extract, unit=replace(extract.unit, text=text, label=""), cut=True)
