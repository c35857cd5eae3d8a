"""Cutting a document into chunks of a number of tokens, and a chunk into passages.

The pieces put together are the text, character by character. A piece is counted as a whole, and
never holds more than `max_tokens`, with one exception: a single code point that alone takes more.
A grapheme cluster, such as CR LF, is cut only where it alone takes more than `max_tokens`, or where
it or a run of flags is longer than 8,192 code points. Each piece is counted about three times, so
the time is near linear in the text, and nothing is held but the text and one piece.

Lines end with LF, and so with CR LF. A lone CR ends none, and neither does any other separator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import regex

from orchestrator_context import checks
from orchestrator_context.languages.detect import detect_language
from orchestrator_context.languages.structure import Structure, structure_of
from orchestrator_context.models import Chunk, Document, Source
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.source.boundaries import Window, cluster_break, fenced_blocks
from orchestrator_context.source.given import given_document
from orchestrator_context.tokens import token_counter
from orchestrator_context.tokens.counter import Counter

DEFAULT_CHUNK_TOKENS: Final = 512
"""Enough for a whole function, and little enough to put several into a prompt."""

_CLUSTER: Final = regex.compile(r"\X")
_FIRST_STRIDE: Final = 4  # characters for a token, before any were counted
_TINY: Final = 16  # a last piece of less than a 16th of `max_tokens` is not left alone
_PRECISION: Final = 64  # a piece that is full but for one 64th is full


def split_document(
    document: Document,
    max_tokens: int = DEFAULT_CHUNK_TOKENS,
    *,
    counter: TokenCounter | None = None,
) -> Iterator[Chunk]:
    """Return the chunks of `document` in order, cut where they are asked for.

    They are cut at headings and top-level definitions, blank lines, lines, sentences, words and
    grapheme clusters, in this order of preference, weighed against leaving room unused. Fenced
    code blocks, tables and headings with their text are kept together where that costs little.
    An empty document has no chunks.

    Args:
        document: what to cut; its language, or its path, tells the structure to look for.
        max_tokens: tokens of a chunk at most.
        counter: counts them; exact o200k by default.

    Raises:
        ConfigurationError: an argument is not of its type, or `max_tokens` below 1.
    """
    given_document("document", document)
    checks.whole("max_tokens", max_tokens, least=1)
    language = document.language or detect_language(document.path)
    length = len(document.content)
    whole = Chunk(document.content, Source(document.path, 1, 1), 0, length, language=language)
    return _pieces(whole, max_tokens, _given(counter))


def passages(
    chunk: Chunk, max_tokens: int, *, counter: TokenCounter | None = None
) -> tuple[Chunk, ...]:
    """Return `chunk` cut into pieces of at most `max_tokens`, by the rules of `split_document`.

    Offsets, lines and columns are those of the document; `index` counts within the chunk.

    Raises:
        ConfigurationError: an argument is not of its type, or `max_tokens` below 1.
    """
    checks.instance("chunk", chunk, Chunk, "split_document(document)")
    checks.whole("max_tokens", max_tokens, least=1)
    return tuple(_pieces(chunk, max_tokens, _given(counter)))


def _given(counter: TokenCounter | None) -> TokenCounter:
    if counter is None or isinstance(counter, Counter):  # a protocol takes long to check
        return counter or token_counter()
    return checks.instance("counter", counter, TokenCounter, "token_counter(model)")  # type: ignore[type-abstract]


def _pieces(chunk: Chunk, max_tokens: int, counter: TokenCounter) -> Iterator[Chunk]:
    language = chunk.language or detect_language(chunk.source.path)
    structure = structure_of(language)
    text, path = chunk.text, chunk.source.path
    start, line, column = 0, chunk.source.start_line, chunk.source.start_column
    for index, end in enumerate(_cuts(text, max_tokens, counter, structure)):
        last_break = text.rfind("\n", start, end - 1)  # in front of the last line
        last_line = line + text.count("\n", start, end - 1)
        last_column = end - 1 - last_break if last_break >= 0 else column + end - start - 1
        whole = text[end - 1] == "\n"
        end_column = None if whole else last_column
        if end == len(text):
            end_column = chunk.source.end_column
        source = Source(path, line, last_line, column, end_column)
        yield Chunk(
            text[start:end], source, chunk.start + start, chunk.start + end, index, language
        )
        start = end
        line, column = (last_line + 1, 1) if whole else (last_line, last_column + 1)


def _cuts(text: str, max_tokens: int, counter: TokenCounter, structure: Structure) -> Iterator[int]:
    """Yield the offset behind each piece of `text`."""
    start, known, fence, stride = 0, 0, "", _FIRST_STRIDE * max_tokens
    while start < len(text):
        reach = _furthest(text, start, stride, max_tokens, counter)
        blocks = tuple(fenced_blocks(text, start, reach, fence)) if structure.markup else ()
        cut = len(text)
        if reach < cut:
            window = Window(text, start, reach, known, structure, blocks)
            cut = _balanced_cut(window, max_tokens, counter)
        yield cut
        fence = next((block.fence for block in blocks if block.start < cut < block.end), "")
        known = _known_break(text, known, cut)
        start, stride = cut, max(1, reach - start)


def _known_break(text: str, known: int, at: int) -> int:
    """Return the first boundary between grapheme clusters from `at` on, given an earlier one."""
    if at <= known or text[at - 1] == "\n":
        return max(at, known)
    begin = cluster_break(text, at, known)
    cluster = None if begin == at else _CLUSTER.match(text, begin)
    return at if cluster is None else cluster.end()


def _balanced_cut(window: Window, max_tokens: int, counter: TokenCounter) -> int:
    """Return the end of a piece; a tiny rest of the text is added to it, or else made larger."""
    text, start, size = window.text, window.start, len(window.text)
    cut = _cut(window, window.reach, max_tokens, counter)
    if 4 * (size - cut) > cut - start or _TINY * counter.count(text[cut:]) >= max_tokens:
        return cut
    if counter.count(text[start:]) <= max_tokens:
        return size
    shorter = replace(window, reach=start + (size - start) * 3 // 4)
    return _cut(shorter, cut, max_tokens, counter)


def _cut(window: Window, fits: int, max_tokens: int, counter: TokenCounter) -> int:
    """Return the best end of a piece that fits; `fits` is one that does, at any code point."""
    text, start = window.text, window.start
    while (cut := window.best_cut()) is not None:
        if cut == fits or counter.count(text[start:cut]) <= max_tokens:
            return cut
        window = replace(window, reach=start + (cut - start) * 15 // 16)
    if window.known == start:
        # Tokens may be fewer for a whole cluster than for the beginning of it.
        cluster = _CLUSTER.match(text, start, min(len(text), 2 * fits - start + 64))
        if cluster is not None and counter.count(cluster[0]) <= max_tokens:
            return cluster.end()
    return max(fits, start + 1)


def _furthest(text: str, start: int, stride: int, max_tokens: int, counter: TokenCounter) -> int:
    """Return an offset up to which `text` fits from `start` on, close to the furthest one.

    Secant steps between a piece that fits and one that does not, every third one a bisection.
    """
    slack = max_tokens // _PRECISION
    size, aim = len(text), max_tokens - slack // 2
    low, low_tokens, high, high_tokens = start, 0, size, 0
    probe, step = min(size, start + stride), 0
    while True:
        tokens = counter.count(text[start:probe])
        if tokens > max_tokens:
            high, high_tokens = probe, tokens
        elif probe == size or tokens >= max_tokens - slack:
            return probe
        else:
            low, low_tokens = probe, tokens
        if high_tokens and high - low <= 1 + (low - start) // _PRECISION:
            return low
        step += 1
        if not high_tokens:
            wanted = (low - start) * aim // max(1, low_tokens)
            probe = min(size, max(low + 1, start + min(4 * (low - start), wanted)))
        elif step % 3 == 0:
            probe = (low + high) // 2
        else:
            wanted = low + (high - low) * (aim - low_tokens) // (high_tokens - low_tokens)
            probe = min(high - 1, max(low + 1, wanted))
