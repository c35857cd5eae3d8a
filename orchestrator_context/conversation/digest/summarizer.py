"""A rolling summary of a conversation, made of its own sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from anyio import to_thread

from orchestrator_context import checks
from orchestrator_context.conversation.digest.entries import (
    FULL,
    NOTHING,
    Entry,
    is_summary,
    text_kind,
)
from orchestrator_context.conversation.digest.reading import Said, read_previous, read_segments
from orchestrator_context.conversation.digest.selection import Candidate, fitted
from orchestrator_context.conversation.digest.updates import Store
from orchestrator_context.conversation.digest.worth import worth
from orchestrator_context.models import Segment
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.text import clean

__all__ = ["ExtractiveSummarizer", "digest"]

_LARGE_CHARACTERS = 4_000  # the event loop should not wait for more than this


def digest(
    previous: str, segments: Sequence[Segment], *, max_tokens: int, counter: TokenCounter
) -> str:
    """Return the summary `previous` brought up to date with `segments`, within `max_tokens`.

    Args:
        previous: the summary so far, "" at first; any text, also one that a model wrote.
        segments: what was said since, in order.
        max_tokens: the most that `counter` may count. Where no fact fits, a remark says so; ""
            is returned where not even that does.
        counter: counts the result.

    Raises:
        ConfigurationError: `max_tokens` is no whole number of at least 0.
    """
    checks.whole("max_tokens", max_tokens)
    checks.text("previous", previous)
    said = bool(previous or segments)
    lines = previous.split("\n")
    was_full = FULL in lines
    previous = "\n".join(line for line in lines if line not in (NOTHING, FULL))
    if not segments and is_summary(previous) and counter.count(previous) <= max_tokens:
        return previous
    store = Store()
    ours = is_summary(previous)
    known = read_previous(clean(previous))
    for one in known:
        store.keep(one) if ours else store.add(one)
    open_questions = [one for one in known if one.kind == "question"]
    for one in read_segments(segments, asked=open_questions[-1] if open_questions else None):
        store.add(one)
    candidates = _candidates(list(store))
    remarks = (FULL,) if candidates or was_full else (NOTHING, FULL)
    texts = (fitted(candidates, max_tokens=max_tokens, counter=counter), *(remarks if said else ()))
    return next((text for text in texts if text and counter.count(text) <= max_tokens), "")


def _candidates(known: Sequence[Said]) -> list[Candidate]:
    candidates: list[Candidate] = []
    for at, said in enumerate(known):
        kind = said.kind or text_kind(said.text)
        if kind == "preference" and said.speaker == "assistant":
            kind = "fact"  # advice, not a wish
        entry = Entry(kind, said.speaker, said.text)
        age = 1 - at / len(known)
        if kind != "chatter":
            candidates.append(
                Candidate(entry, said.parts, worth(kind, said.parts, said.speaker, age))
            )
    return candidates


@dataclass(frozen=True, slots=True)
class ExtractiveSummarizer:
    """Summarises turns by quoting what matters in them. There is no model in it.

    It keeps rules, limits, decisions, the state of tasks, preferences, facts and open questions as
    single lines under short headings, with their speakers. A newer statement takes the place of an
    older one about the same thing; what is withdrawn, done or answered goes. Things that a name or
    a number tells apart, such as pump 3 and pump 4, are not the same; in doubt both statements
    stay. Where there is little room, sentences are shortened before any is lost.

    It goes by words: grammar and common vocabulary of English, German, French, Spanish, Russian,
    Chinese and Japanese, and values such as numbers, dates, codes and names. It draws no
    conclusions: what is said in other words altogether may stand twice. It costs nothing, gives the
    same answer every time and needs no network.
    """

    async def summarize(
        self, previous: str, segments: Sequence[Segment], *, max_tokens: int, counter: TokenCounter
    ) -> str:
        """Return `previous` brought up to date with `segments`; see `digest`."""
        work = partial(digest, previous, segments, max_tokens=max_tokens, counter=counter)
        size = len(previous) + sum(len(segment.content) for segment in segments)
        if size <= _LARGE_CHARACTERS:
            return work()
        return await to_thread.run_sync(work, abandon_on_cancel=True)
