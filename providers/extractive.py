"""A generator without a model: it quotes what answers the question best and writes nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePosixPath
from typing import Literal

from anyio import to_thread

from orchestrator_context import checks
from orchestrator_context.conversation import given
from orchestrator_context.models import Generation, Price, Segment, Usage
from orchestrator_context.prompts import NOTHING_RELEVANT, Material, mark, parse, read_marks
from orchestrator_context.protocols import ModelProfile, TokenCounter
from orchestrator_context.providers._lifetime import KeepsOpen
from orchestrator_context.rank import (
    Extract,
    Strictness,
    Unit,
    extract,
    joined,
    pieces,
    question_words,
    units,
)
from orchestrator_context.tokens import token_counter

__all__ = ["ExtractiveGenerator"]

_GAP = " … "  # stands where something between two quotations was left out
_CUT_OFF = "…"  # what would have answered, where not a word of it fits
_ROOMY_TOKENS = 256  # some quotation fits into so many
_LARGE_CHARACTERS = 4_000  # the event loop should not wait for more than this
_LONGEST_TITLE_CHARACTERS = 80
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+|[#>\s]+")
_BETWEEN_CODE = re.compile(r"(?<=`) (?=`)")
_LABEL = re.compile(r"(`[^`]+`|[^\s:`][^:`]{0,79}): (?=\S)")


class ExtractiveGenerator(KeepsOpen):
    """Quotes the sentences and lines that answer the question best. There is no model in it.

    It understands the prompts of `distill` and answers with lines such as

        - `Queue.join()`: Block until all items have been gotten and processed. [S3]

    that tell what the quotation stands under, the quotation word for word, and the marks of its
    passages. The line that answers best comes first. Where no passage shares enough words with
    the question, it says that nothing is relevant; where the limit leaves no room for any word,
    its answer is an ellipsis. Of any other prompt it quotes the last message of the user, without
    marks, and takes the other messages for the question.

    It goes by words: names first, rare ones before common ones, with English endings taken off and
    identifiers split. It knows no synonyms and draws no conclusions. It costs nothing, gives the
    same answer every time and needs no network.
    """

    def __init__(self, *, window: int = 8_000, counter: TokenCounter | None = None) -> None:
        """Make a generator.

        Args:
            window: tokens of a prompt with its answer. The method has no limit of its own, but
                the window sets the size of the parts that a corpus is cut into. Each part gives
                its best, so smaller parts let more in, and larger ones choose harder.
            counter: counts tokens; exact o200k by default.
        """
        super().__init__(nullcontext())
        self._profile = ModelProfile(
            name="extractive",
            counter=token_counter() if counter is None else counter,
            window=checks.whole("window", window, least=1),
            price=Price(0.0, 0.0),
        )

    @property
    def profile(self) -> ModelProfile:
        """The stand-in for a model: its name is "extractive" and its price 0."""
        return self._profile

    async def generate(self, messages: Sequence[Segment], *, max_output_tokens: int) -> Generation:
        """Return quotations from the last user message, or that nothing in it is relevant.

        The reason to finish is "length" where not even one quotation fits whole.
        """
        checks.whole("max_output_tokens", max_output_tokens, least=1)
        messages = given.segments("messages", messages)
        if sum(len(message.content) for message in messages) < _LARGE_CHARACTERS:
            return self._answer(messages, max_output_tokens)
        return await to_thread.run_sync(self._answer, messages, max_output_tokens)

    def _answer(self, messages: Sequence[Segment], max_tokens: int) -> Generation:
        reading = _reading(messages)
        counter = self._profile.counter
        found = reading.extracts(max_tokens, counter)
        is_cut = any(one.cut for one in found)
        text = reading.write(found)
        if not text and max_tokens < _ROOMY_TOKENS:
            is_cut = bool(reading.write(reading.extracts(_ROOMY_TOKENS, counter)))
        text = text or (_CUT_OFF if is_cut else NOTHING_RELEVANT)
        usage = Usage(counter.count_messages(messages), counter.count(text))
        return Generation(text, usage, "length" if is_cut else "stop")


@dataclass(frozen=True, slots=True)
class _Reading:
    """A prompt as it is understood.

    Attributes:
        question: what is asked.
        units: what can be quoted.
        sources: for each passage of the units the numbers of its marks, from 0.
        prefix: letters of the marks.
        least_words: words of the question that a passage must hold for any to be relevant.
    """

    question: str
    units: Sequence[Unit]
    sources: Sequence[Sequence[int]] = ()
    prefix: str = "S"
    least_words: int = 1

    def extracts(self, max_tokens: int, counter: TokenCounter) -> Sequence[Extract]:
        """Return what answers best within so many tokens."""
        return extract(
            self.question,
            self.units,
            max_tokens,
            counter,
            write=self.write,
            strictness=Strictness(least_words=self.least_words),
        )

    def write(self, extracts: Sequence[Extract]) -> str:
        """Return the quotations, those of one place on one line.

        The best come first, and what stands under one label stays together in its order.
        """
        lines: dict[tuple[str, tuple[int, ...]], list[Extract]] = {}
        worths: dict[str, float] = {}
        for one in extracts:
            lines.setdefault((one.unit.label, one.passages), []).append(one)
        for (label, _), line in lines.items():
            worths[label] = max(sum(one.worth for one in line), worths.get(label, 0.0))
        best_first = sorted(lines, key=lambda key: (-worths[key[0]], key[0]))
        return "\n".join(filter(None, (self._line(lines[key]) for key in best_first)))

    def _line(self, extracts: Sequence[Extract]) -> str:
        label = extracts[0].unit.label
        said = (f"{label}: " if label else "") + _quoted([one.unit for one in extracts])
        if self.sources and read_marks(said, self.prefix).indexes:
            return ""  # text that was brought into the form of a mark
        sources = dict.fromkeys(
            source for passage in extracts[0].passages for source in self._sources(passage)
        )
        return " ".join(filter(None, ("-", said, "".join(mark(n, self.prefix) for n in sources))))

    def _sources(self, passage: int) -> Sequence[int]:
        return self.sources[passage] if self.sources else ()


def _quoted(units: Sequence[Unit]) -> str:
    text = ""
    last = 0
    for unit in units:
        quoted = _in_code(unit.text) if unit.kind in ("code", "name") else unit.text
        adjacent = not text or unit.order == last + 1
        text = joined((text, quoted)) if adjacent else text + _GAP + quoted
        last = unit.order
    return text


def _in_code(text: str) -> str:
    return text if "`" in text else f"`{text}`"


# Reading ----------------------------------------------------------------------------------------


def _reading(messages: Sequence[Segment]) -> _Reading:
    texts = [message.content for message in messages]
    users = [at for at, message in enumerate(messages) if message.role == "user"]
    text = texts.pop(users[-1]) if users else ""
    material = parse(text)
    if material is None:
        return _Reading("\n".join(texts), units([text]))
    return _document(material) if material.element == "document" else _notes(material)


def _document(material: Material) -> _Reading:
    passages: list[str] = []
    sources: list[tuple[int, ...]] = []
    marks: tuple[int, ...] = ()
    for piece in read_marks(material.body, material.prefix).pieces:
        if isinstance(piece, int):
            marks = (piece,)
        else:
            passages.append(piece)
            sources.append(marks)
    stem = PurePosixPath(material.name.replace("\\", "/")).stem
    least_words = math.isqrt(len(question_words(material.question)))
    found = units(passages, title=" ".join(stem.split())[:_LONGEST_TITLE_CHARACTERS])
    return _Reading(material.question, found, sources, material.prefix, least_words)


def _notes(material: Material) -> _Reading:
    found: list[Unit] = []
    sources: list[tuple[int, ...]] = []
    for line in material.body.splitlines():
        for text, marks in _statements(line, material.prefix):
            found += _noted(text, len(sources), order=found[-1].order + 2 if found else 0)
            sources.append(marks)
    return _Reading(material.question, found, sources, material.prefix)


def _statements(line: str, prefix: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the texts of a line, each with the marks behind it."""
    text = ""
    marks: tuple[int, ...] = ()
    for piece in read_marks(line, prefix).pieces:
        if isinstance(piece, int):
            marks += (piece,)
        elif any(map(str.isalnum, piece)):
            if text:
                yield text, marks
            text, marks = piece, ()
    if text:
        yield text, marks


def _noted(text: str, passage: int, *, order: int) -> Iterator[Unit]:
    """Yield the units of a noted statement as they were before they were quoted in it."""
    text = text.strip().lstrip(".,;: ")
    if bullet := _BULLET.match(text):
        text = text[bullet.end() :]
    found = _LABEL.match(text)
    label = found[1] if found else ""
    opening = True
    for part in text[found.end() if found else 0 :].split(_GAP):
        for piece in chain.from_iterable(map(pieces, _BETWEEN_CODE.split(part))):
            code = piece.count("`") == 2 and piece[0] == piece[-1] == "`"
            kind: Literal["code", "prose"] = "code" if code else "prose"
            yield Unit(piece.strip("`") if code else piece, passage, order, kind, label, opening)
            opening = False
            order += 1
        order += 1
