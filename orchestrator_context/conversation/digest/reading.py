"""From segments to what was said in them: sentences with their speakers, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from orchestrator_context.conversation.digest.data import data_lines, read_json
from orchestrator_context.conversation.digest.entries import (
    Entry,
    is_summary,
    one_line,
    parse,
    sentence_texts,
    whole_sentences,
)
from orchestrator_context.conversation.digest.kinds import Kind
from orchestrator_context.conversation.digest.labels import heading_kind
from orchestrator_context.conversation.digest.paragraphs import apart
from orchestrator_context.conversation.digest.statements import Statement, statement
from orchestrator_context.messages import is_result
from orchestrator_context.models import Segment
from orchestrator_context.text import clean, grapheme_break, is_blank

__all__ = ["Said", "read_previous", "read_segments"]

_LONGEST_SENTENCE_CHARACTERS = 400
_LONGEST_WORD_CHARACTERS = 200
_LONGEST_JOINED_CHARACTERS = 280
_LONGEST_ANSWER_WORDS = 4
_MOST_DEPENDENT_WORDS = 3
_SKIPPED_KINDS = frozenset({"reasoning", "tools"})
_FENCE = regex.compile(
    r"^[ \t]*(?:```|~~~)[^\n]*\n.*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", regex.M | regex.S
)
_MARKUP = regex.compile(
    r"^(?:\s*(?:[-*+•‣▪–—]|#{1,6}|>|\|)\s+)+|(?<!\w)\*\*(?=\w)|(?<=\w[.:!?]?)\*\*(?!\w)"
)
_ANAPHORA = regex.compile(
    r"""(?xi) ^(?:\W*(?:and|but|so|also|then|und|aber|et|mais|y|pero|и|но)\W+)? (?:
      (?:it|they|them|he|she|same|otherwise|sie|er|dies|sonst|elle|elles|ils|cela|ça|sinon
        |esto|eso|ello|он|она|они|оно|иначе)\b
    | (?:this|that|these|those)\s+
        (?:is|are|was|were|means?|must|should|will|can|has|have|needs?|applies|apply|also)\b
    | das\s+(?-i:\p{Ll}) | es\s+(?!ist\b|gibt\b|gilt\b) | il\s+(?!faut\b|est\b|y\b|ne\b)
    | 否则 | 这 | 它 | それ | これ | そうしないと )"""
)
_POINTS_BACK = regex.compile(r"(?i)\b(?:it|them|ihn|его|их)\b")
_LONG_WORD = regex.compile(
    rf"[^\s\p{{Han}}\p{{Hiragana}}\p{{Katakana}}\p{{Hangul}}\p{{Thai}}]{{{_LONGEST_WORD_CHARACTERS},}}+"
)
_HEADING = regex.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+(?P<title>[^\n]{1,80}?)|\*\*(?P<title>[^\n*]{1,80})\*\*:?"
    r"|(?P<title>[\p{L} /&]{3,40}):)"
    r"[ \t#]*$",
    regex.M,
)
_ELLIPTIC = regex.compile(
    r"(?i)^\W*(?:never|do\s+not|don't|only|always|not|no|i\s+haven't|unless|except|nie|niemals|immer|nur|"
    r"nicht|kein\w*|jamais|toujours|seulement|sauf|ne|nunca|siempre|solo|sólo|salvo|никогда|всегда|только|"
    r"не|кроме)\b|^(?:不要|绝不|只|必须|千万|除非|絶対|必ず|決して|ただし)"
)
_ARTICLE = regex.compile(
    r"(?i)\b(?:the|an?|any|all|der|die|das|den|dem|eine?[nrm]?|les?|la|l['’]|une?|el|los|las|una)\b"
)
_ERROR = regex.compile(r"(?i)\b\w*(?:error|exception|fatal)\b")
_MOST_ERROR_LINES = 3
_LONGEST_CONTEXT_ENTRIES = 12
_PAUSE = regex.compile(r"(?r)[，；、。]\s*|\s")
_IN_WORD = regex.compile(r"[\p{Latin}\p{Cyrillic}\p{N}_.,:/@%+-]{2}")


@dataclass(slots=True)
class Said:
    """What somebody said: an entry in the making.

    Attributes:
        speaker: who.
        parts: its sentences.
        turn: what the rest of its turn is about.
        kind: what it does, where that is known from elsewhere.
    """

    speaker: str
    parts: list[Statement]
    turn: frozenset[str] = frozenset()
    kind: Kind | None = None

    @property
    def text(self) -> str:
        """The sentences in one line."""
        return " ".join(part.text for part in self.parts)

    def context(self, part: Statement) -> frozenset[str]:
        """Return what is said beside one of its sentences."""
        beside = (key for other in self.parts if other is not part for key in other.subject)
        return self.turn.union(beside)


def read_previous(previous: str) -> list[Said]:
    """Return the entries of a summary; one that is not ours is read sentence by sentence.

    What stands under a heading such as "Next steps" or "Decisions" is taken for that.
    """
    if is_summary(previous):
        return [_of_entry(entry) for entry in parse(previous)]
    found: list[Said] = []
    for title, body in _sections(previous):
        kind = heading_kind(title)
        for said in _prose(body if kind else f"{title}\n\n{body}", ""):
            said.kind = kind
            found.append(said)
    return found


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield the headings of a text and what stands under them, first what stands under none."""
    title, start = "", 0
    for heading in _HEADING.finditer(text):
        yield title, text[start : heading.start()]
        title, start = heading["title"], heading.end()
    yield title, text[start:]


def _of_entry(entry: Entry) -> Said:
    return Said(entry.speaker, list(map(statement, sentence_texts(entry.text))), kind=entry.kind)


def read_segments(segments: Sequence[Segment], *, asked: Said | None = None) -> Iterator[Said]:
    """Yield what was said in `segments`, in order. Linear in their text.

    Args:
        segments: what was said.
        asked: the last question before them; it is emptied where they begin with the answer.
    """
    before, known = asked, asked
    for segment in segments:
        for said in _answering(before, _read(segment)):
            if before is not None and before is not known and before.parts:
                yield before
            before = said
    if before is not None and before is not known and before.parts:
        yield before


def _answering(before: Said | None, turn: Iterator[Said]) -> Iterator[Said]:
    """Yield the turn; where it begins with a bare answer, the question is put before it."""
    first = next(turn, None)
    if first is not None and before is not None and _is_bare_answer(before, first):
        question, answer = before.parts.pop(), first.parts[0]
        first.parts[0] = statement(f"[{question.text}] {answer.text}")
        first.kind = "decision"
    if first is not None:
        yield first
    yield from turn


def _is_bare_answer(before: Said, said: Said) -> bool:
    """Return whether a turn begins with words that mean nothing without the question before."""
    if before.speaker == said.speaker or not before.parts or before.parts[-1].kind != "question":
        return False
    answer = said.parts[0]
    short = len(answer.text.split()) <= _LONGEST_ANSWER_WORDS and len(answer.text) <= 60
    bare = answer.words <= 1 and "copula" not in answer.cues
    return short and bare and answer.kind in ("fact", "note", "chatter")


def _read(segment: Segment) -> Iterator[Said]:
    if segment.kind in _SKIPPED_KINDS or is_blank(segment.content):
        return
    speaker = segment.author or segment.role
    text = clean(segment.content)
    if segment.kind == "summary":
        yield from read_previous(text)
        return
    if segment.kind == "tool_call" or is_result(segment):
        speaker = segment.title or speaker
    data = read_json(text)
    if data is not None or segment.kind == "tool_call":
        verb = "called with " if segment.kind == "tool_call" else ""
        yield from _data(data if data is not None else text, speaker, verb)
    else:
        yield from _prose(text, speaker)


def _data(data: object, speaker: str, verb: str) -> Iterator[Said]:
    for line in data_lines(data):
        part = statement(verb + line)
        kind: Kind = "note" if verb else "task" if "error" in part.cues else "fact"
        yield Said(speaker, [part], kind=kind)


def _prose(text: str, speaker: str) -> Iterator[Said]:
    prose = _FENCE.sub(_errors_of, text) if "```" in text or "~~~" in text else text
    turn: list[Said] = []
    for sentence in whole_sentences(apart(prose)):
        for piece in _pieces(_plain(sentence)):
            part = statement(piece)
            if turn and (turn[-1].parts[-1].text.endswith((";", "；")) or _belongs(turn[-1], part)):
                turn[-1].parts.append(part)
            else:
                turn.append(Said(speaker, [part]))
    if 1 < len(turn) <= _LONGEST_CONTEXT_ENTRIES:
        _give_context(turn)
    yield from turn


def _give_context(turn: list[Said]) -> None:
    for said in turn:
        others = (part.subject for other in turn if other is not said for part in other.parts)
        said.turn = frozenset(key for subject in others for key in subject)


def _errors_of(fence: regex.Match[str]) -> str:
    """Return what stands for a block of code: its lines that report an error."""
    lines = [line for line in fence[0].splitlines() if _ERROR.search(line)]
    return "\n\n" + "\n\n".join(lines[:_MOST_ERROR_LINES]) + "\n\n"


def _plain(sentence: str) -> str:
    return _LONG_WORD.sub("…", one_line(_MARKUP.sub("", sentence)))


def _pieces(sentence: str) -> Iterator[str]:
    """Yield `sentence` in pieces that are not too long, cut at pauses."""
    for part in sentence_texts(sentence):
        yield from _short_pieces(part)


def _short_pieces(sentence: str) -> Iterator[str]:
    start = 0
    while len(sentence) - start > _LONGEST_SENTENCE_CHARACTERS:
        limit = start + _LONGEST_SENTENCE_CHARACTERS
        pause = _PAUSE.search(sentence, start + _LONGEST_SENTENCE_CHARACTERS // 2, limit)
        end = pause.end() if pause else _whole_word(sentence, start, limit)
        if not is_blank(sentence[start:end]):
            yield sentence[start:end].strip()
        start = end
    if not is_blank(sentence[start:]):
        yield sentence[start:].strip()


def _whole_word(sentence: str, start: int, limit: int) -> int:
    """Return where to cut before `limit`, not within a number or word of a spaced script."""
    at = grapheme_break(sentence, limit)
    while at > start + 1 and _IN_WORD.match(sentence, at - 1):
        at -= 1
    return max(start + 1, grapheme_break(sentence, at))


def _belongs(said: Said, part: Statement) -> bool:
    """Return whether a sentence cannot stand without the one before it in its turn."""
    before = said.parts[-1]
    if "chatter" in (before.kind, part.kind) or part.kind == "question":
        return False
    if len(said.text) + len(part.text) > _LONGEST_JOINED_CHARACTERS:
        return False
    if before.kind == part.kind == "task":
        return True
    if _ANAPHORA.search(part.text):
        return True
    if part.words <= _MOST_DEPENDENT_WORDS and _POINTS_BACK.search(part.text):
        return True
    short = not part.values and part.words <= _MOST_DEPENDENT_WORDS
    return short and bool(_ELLIPTIC.match(part.text)) and not _ARTICLE.search(part.text)
