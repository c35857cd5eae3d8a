from __future__ import annotations

import argparse
import asyncio.base_events
import asyncio.tasks
import dataclasses
import inspect
import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from zlib import crc32

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Chunk, Document, Segment, Source
from orchestrator_context.source.chunk import passages, split_document
from orchestrator_context.tokens import token_counter
from tests.linear import assert_linear, repeating


@dataclass(frozen=True)
class Counting:
    """A counter around a function, with the number of characters it was given."""

    function: Callable[[str], int]
    seen: list[int] = dataclasses.field(default_factory=list)
    name: str = "test"
    exact: bool = True

    def count(self, text: str) -> int:
        self.seen.append(len(text))
        return self.function(text)

    def count_messages(
        self, messages: Sequence[Segment], *, tools: Sequence[Mapping[str, object]] = ()
    ) -> int:
        raise NotImplementedError


def words(text: str) -> int:
    return len(text.split())


COUNTS: dict[str, Callable[[str], int]] = {
    "o200k": token_counter().count,
    "code points": len,
    "words": words,
}
# fmt: off
PIECES = (
    "\n", "\n", "\r\n", "\r", "\n\n", " ", "   ", "\t", "\ufeff", "\x00", "\ud83d", "\udca1",
    "👩\u200d🚒", "👩\u200d👩\u200d👧\u200d👦", "🇩🇪", "🇩🇪🇫🇷🇯", "e\u0301", "e" + "\u0301" * 9,
    "क्षि", "각", "\u1100\u1161\u11a8", "\u0600a", "\u2028", "水位計測。", "ไทย", "x" * 30,
    "# Title\n", "Title\n=====\n", "```\n", "~~~py\n", "| a | b |\n", "|---|---|\n", "- item\n",
    "def f():\n", "@x\n", "# note\n", "    return 1\n", '{"a": [1, 2]},', "}\n", "3.14",
    "A sentence. Another one! ", "the quick brown fox ",
)
# fmt: on
MIXED = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=40).map("".join)
PATHS = st.sampled_from(["a.md", "a.py", "a.rst", "a", "a.c", "a.json"])
LIMITS = st.integers(1, 60)


def chunks_of(
    content: str, limit: int, count: Callable[[str], int], path: str = "a.md"
) -> list[Chunk]:
    return list(split_document(Document(path, content), limit, counter=Counting(count)))


def lines_of(content: str) -> list[tuple[int, int]]:
    """The spans of lines, told by LF alone."""
    spans, start = [], 0
    for piece in content.split("\n"):
        end = min(start + len(piece) + 1, len(content))
        if end > start:
            spans.append((start, end))
        start = end
    return spans


def expected_source(path: str, lines: list[tuple[int, int]], start: int, end: int) -> Source:
    first = next(i for i, (a, b) in enumerate(lines) if a <= start < b)
    last = next(i for i, (a, b) in enumerate(lines) if a < end <= b)
    return Source(
        path,
        first + 1,
        last + 1,
        start - lines[first][0] + 1,
        None if end == lines[last][1] else end - lines[last][0],
    )


@pytest.mark.parametrize("name", COUNTS)
@given(MIXED, LIMITS, PATHS)
@settings(max_examples=150, deadline=None)
def test_chunks_tile_the_document_within_the_limit(
    name: str, content: str, limit: int, path: str
) -> None:
    chunks = chunks_of(content, limit, COUNTS[name], path)
    assert "".join(chunk.text for chunk in chunks) == content
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    lines, at = lines_of(content), 0
    for chunk in chunks:
        assert chunk.start == at < chunk.end
        assert chunk.text == content[chunk.start : chunk.end]
        assert chunk.source == expected_source(path, lines, chunk.start, chunk.end)
        assert COUNTS[name](chunk.text) <= limit or len(chunk.text) == 1
        at = chunk.end


@pytest.mark.parametrize("name", COUNTS)
@given(MIXED, LIMITS, PATHS)
@settings(max_examples=150, deadline=None)
def test_a_cluster_that_fits_is_never_cut(name: str, content: str, limit: int, path: str) -> None:
    cuts = {chunk.end for chunk in chunks_of(content, limit, COUNTS[name], path)}
    for cluster in regex.finditer(r"\X", content):
        if any(at in cuts for at in range(cluster.start() + 1, cluster.end())):
            assert COUNTS[name](cluster[0]) > limit


@pytest.mark.parametrize("name", COUNTS)
@given(MIXED, LIMITS, LIMITS, PATHS)
@settings(max_examples=100, deadline=None)
def test_passages_tile_their_chunk_and_know_their_place_in_the_document(
    name: str, content: str, limit: int, small: int, path: str
) -> None:
    lines = lines_of(content)
    for chunk in chunks_of(content, limit, COUNTS[name], path):
        pieces = passages(chunk, small, counter=Counting(COUNTS[name]))
        assert "".join(piece.text for piece in pieces) == chunk.text
        assert [piece.index for piece in pieces] == list(range(len(pieces)))
        assert (pieces[0].start, pieces[-1].end) == (chunk.start, chunk.end)
        for piece in pieces:
            assert piece.text == content[piece.start : piece.end]
            assert piece.source == expected_source(path, lines, piece.start, piece.end)
            assert COUNTS[name](piece.text) <= small or len(piece.text) == 1


@given(MIXED, LIMITS, PATHS)
@settings(max_examples=50, deadline=None)
def test_the_same_document_gives_the_same_chunks(content: str, limit: int, path: str) -> None:
    assert chunks_of(content, limit, len, path) == chunks_of(content, limit, len, path)


@given(MIXED, st.integers(1, 12), st.integers(0, 2**32))
@example("👩\u200d🚒" * 5, 4, 1)
@settings(max_examples=100, deadline=None)
def test_a_counter_that_makes_no_sense_still_gives_the_whole_text(
    content: str, limit: int, seed: int
) -> None:
    def count(text: str) -> int:
        return crc32(f"{seed}{text}".encode("utf-8", "surrogatepass")) % 20

    chunks = chunks_of(content, limit, count)
    assert "".join(chunk.text for chunk in chunks) == content
    assert all(count(chunk.text) <= limit or len(chunk.text) == 1 for chunk in chunks)


@given(st.lists(st.text(st.characters(exclude_characters="\n"), max_size=10), max_size=30), LIMITS)
@settings(max_examples=100, deadline=None)
def test_neighbours_of_whole_lines_share_no_line(lines: list[str], limit: int) -> None:
    for before, after in pairwise(chunks_of("\n".join(lines), limit, len)):
        if before.source.end_column is None:
            assert after.source.start_line == before.source.end_line + 1
            assert after.source.start_column == 1
        else:
            assert after.source.start_line == before.source.end_line
            assert after.source.start_column == before.source.end_column + 1


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, None])
def test_a_limit_that_is_no_positive_number_is_refused_at_once(limit: object) -> None:
    with pytest.raises(ConfigurationError, match="max_tokens"):
        split_document(Document("a", "text"), limit, counter=Counting(len))  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="max_tokens"):
        passages(Chunk("text", Source("a", 1, 1), 0, 4), limit, counter=Counting(len))  # type: ignore[arg-type]


def test_nothing_gives_nothing() -> None:
    assert chunks_of("", 10, len) == []
    assert passages(Chunk("", Source("a", 1, 1), 0, 0), 10, counter=Counting(len)) == ()


def test_a_document_that_fits_is_one_chunk() -> None:
    counter = Counting(len)
    content = "# A\n\ntext\n\n# B\n\ntext"
    assert list(split_document(Document("a.md", content), 100, counter=counter)) == [
        Chunk(content, Source("a.md", 1, 7), 0, len(content), language="markdown")
    ]
    assert len(counter.seen) == 1


def test_a_huge_limit_is_no_trouble() -> None:
    assert len(chunks_of("a b c", 10**400, words)) == 1


def test_only_as_much_is_counted_as_is_asked_for() -> None:
    counter = Counting(len)
    next(split_document(Document("a.md", "word\n" * 100_000), 100, counter=counter))
    assert sum(counter.seen) < 2_000


@pytest.mark.parametrize(
    ("content", "least"),
    [
        ("水位計測" * 1250, 13),
        ("a" * 5000, 13),
        ("👩\u200d🚒" * 300, 3),
        ("A" * 100 + "\n\n" + "B" * 100 + "\n\n" + "C" * 900, 3),
        ("First. Second. tail without a stop", 1),
    ],
)
def test_text_without_spaces_and_tails_are_kept(content: str, least: int) -> None:
    chunks = chunks_of(content, 400, len, "a.txt")
    assert "".join(chunk.text for chunk in chunks) == content
    assert max(len(chunk.text) for chunk in chunks) <= 400
    assert least <= len(chunks) <= least + 1
    assert all(chunk.text for chunk in chunks)


def test_emoji_sequences_stay_whole() -> None:
    sequence = "👩\u200d🚒"
    for chunk in chunks_of(sequence * 300, 400, len):
        assert chunk.text == sequence * (len(chunk.text) // 3)


def test_flags_stay_whole_even_behind_one_that_had_to_be_cut() -> None:
    chunks = chunks_of("🏴\U000e0067\U000e0062\U000e007f" + "🇩🇪🇫🇷🇯🇵", 2, len)
    assert [chunk.text for chunk in chunks[-3:]] == ["🇩🇪", "🇫🇷", "🇯🇵"]


def test_a_code_point_above_the_limit_stands_alone() -> None:
    def count(text: str) -> int:
        return 5 * len(text)

    assert [chunk.text for chunk in chunks_of("añ\r\n", 4, count)] == ["a", "ñ", "\r", "\n"]


def test_cr_and_lf_stay_together() -> None:
    assert {chunk.text for chunk in chunks_of("\r\n" * 9, 3, len)} == {"\r\n"}
    chunks = chunks_of("one\r\ntwo\r\nthree\r\n", 6, len)
    assert [(chunk.text, chunk.source) for chunk in chunks] == [
        ("one\r\n", Source("a.md", 1, 1)),
        ("two\r\n", Source("a.md", 2, 2)),
        ("three", Source("a.md", 3, 3, 1, 5)),
        ("\r\n", Source("a.md", 3, 3, 6)),
    ]


def test_a_lone_cr_ends_no_line() -> None:
    (chunk,) = chunks_of("one\rtwo\rthree", 100, len)
    assert chunk.source == Source("a.md", 1, 1)


@pytest.mark.parametrize("limit", [8, 12, 20, 30])
def test_byte_order_mark_and_crlf_change_no_cut(limit: int) -> None:
    clean = "# Intake\nflow ok\n\n## Pump\n2.1 bar\n\n## Valve\nopen\n"
    dirty = "\ufeff" + clean.replace("\n", "\r\n")
    for a, b in zip(chunks_of(clean, limit, words), chunks_of(dirty, limit, words), strict=True):
        assert a.text == b.text.replace("\r\n", "\n").lstrip("\ufeff")
        assert a.source == b.source


def starts(chunks: Iterable[Chunk]) -> list[str]:
    return [chunk.text.partition("\n")[0] for chunk in chunks]


def test_markdown_is_cut_at_headings() -> None:
    body = "Some words stand here to fill the section.\n\nAnd some more of them.\n\n"
    content = "".join(f"## Part {i}\n\n{body}" for i in range(8))
    assert starts(chunks_of(content, 33, words)) == [f"## Part {i}" for i in range(0, 8, 2)]


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("a.md", "Part {}\n======\n"),
        ("a.rst", "======\nPart {}\n======\n"),
        ("a.rst", "Part {}\n------\n"),
    ],
)
def test_underlined_titles_are_headings(path: str, title: str) -> None:
    body = "\nSome words stand here to fill the section.\n\nAnd some more of them.\n\n"
    sections = [title.format(i) + body for i in range(6)]
    assert [chunk.text for chunk in chunks_of("".join(sections), 25, words, path)] == sections


def test_a_heading_is_not_left_behind() -> None:
    content = "word " * 40 + "\n\n# Title\n\n" + "text " * 30
    assert starts(chunks_of(content, 45, words))[1] == "# Title"


@pytest.mark.parametrize("title", ["# {}\n\n", "{}\n======\n\n"])
def test_a_long_heading_does_not_stand_alone(title: str) -> None:
    text = title.format("What to do when the pump has stopped") + "Open the valve by hand. " * 9
    first = next(split_document(Document("a.md", text), 20))
    assert "Open the valve" in first.text


def test_fenced_code_is_kept_whole() -> None:
    code = "```sh\n" + "# comment\n\nrun it\n" * 6 + "```\n"
    content = "Some words before it.\n" * 6 + code + "Some words behind it.\n" * 6
    chunks = chunks_of(content, 50, words)
    assert any(code in chunk.text for chunk in chunks)


def test_a_heading_in_fenced_code_is_none() -> None:
    content = "~~~\n" + "# a comment here\nand one line of code\n" * 40 + "~~~\n"
    for chunk in chunks_of(content, 60, words)[1:]:
        assert len(chunk.text.split()) > 50 or chunk.end == len(content)


def test_a_table_is_kept_whole_and_a_large_one_cut_between_rows() -> None:
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 8
    content = "Words before the table. " * 8 + "\n\n" + table + "\nWords behind it.\n"
    assert any(table in chunk.text for chunk in chunks_of(content, 60, words))
    rows = "| Station | Level |\n|---|---|\n" + "".join(f"| {i} | 0.{i} |\n" for i in range(40))
    chunks = chunks_of(rows, 50, words)
    assert 4 <= len(chunks) <= 6
    assert all(chunk.source.end_column is None for chunk in chunks)


@pytest.mark.parametrize("limit", [28, 43, 55, 67, 100])
def test_no_row_of_a_table_is_broken_at_small_sizes(limit: int) -> None:
    rows = [f"| {i} | 0.{i}0 | bar |\n" for i in range(40)]
    table = "# Head\n\n| Station | Level | Unit |\n|---|---|---|\n" + "".join(rows)
    chunks = list(split_document(Document("a.md", table), limit))
    assert all(chunk.source.end_column is None for chunk in chunks)
    assert len(chunks) <= 1.5 * math.ceil(token_counter().count(table) / limit)


def test_a_table_that_goes_on_is_filled_up_with_rows() -> None:
    rows = "".join(f"| {i:02} | The valve is open. It was shut. |\n" for i in range(20))
    chunks = chunks_of(rows, 100, len)
    assert [chunk.text.count("\n") for chunk in chunks] == [2] * 10


def test_code_is_cut_at_definitions_with_their_decorators_and_comments() -> None:
    unit = textwrap.dedent(
        """\
        # What {0} is for,
        # in two lines.
        @decorator(
            option=1,
        )
        @other
        def f{0}(x):
            # a comment inside

            return x + {0}


        """
    )
    content = "import this\n\n\n" + "".join(unit.format(i) for i in range(12))
    chunks = chunks_of(content, 60, words, "a.py")
    assert len(chunks) > 3
    assert all(start.startswith("# What") for start in starts(chunks)[1:])


@pytest.mark.parametrize("module", [argparse, dataclasses, asyncio.tasks, asyncio.base_events])
def test_modules_of_the_standard_library_are_cut_at_definitions(module: object) -> None:
    content = inspect.getsource(module)  # type: ignore[arg-type]
    count = token_counter().count
    chunks = chunks_of(content, 1000, count, "module.py")
    definition = regex.compile(r"[ \t]*(?:@|#|def |async def |class |if __name__)")
    good = sum(definition.match(start) is not None for start in starts(chunks)[1:])
    assert good >= 0.7 * (len(chunks) - 1)
    assert len(chunks) <= 1.25 * math.ceil(count(content) / 1000)


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("a.js", "/** Doc. */\nexport function f{0}(a, b) {{\n  const c = a;\n\n  return b;\n}}\n"),
        ("a.ts", "// Doc.\ninterface I{0} {{\n  a: string;\n\n  b: number; c: number\n}}\n"),
        ("A.java", "@Deprecated\npublic class C{0} {{\n  int a = 1;\n\n  int b = 2;\n}}\n"),
        ("a.go", "// F is good.\nfunc F{0}(a int) int {{\n\tb := a\n\n\treturn b\n}}\n"),
        ("a.rs", "/// Doc.\n#[inline]\npub fn f{0}(a: u8) -> u8 {{\n    let b = a;\n\n    b\n}}\n"),
        ("a.c", "/* Doc. */\nstatic int f{0}(int a)\n{{\n  int b = a;\n\n  return b;\n}}\n"),
        ("a.rb", "# Doc.\ndef f{0}(a)\n  b = a\n\n  b + 1 + 2 + 3\nend\n"),
        ("a.sh", "# Doc.\nf{0}() {{\n  local a=1\n\n  echo a b c d\n}}\n"),
        ("a.css", ".a{0} {{\n  color: red;\n\n  margin: 0 1 2 3 4;\n}}\n"),
        ("a.toml", "[table{0}]\na = 1\n\nb = 2\nc = 'd e f g'\n"),
        ("a.sql", "-- Doc.\nCREATE TABLE t{0} (\n  a int,\n\n  b int, c int\n);\n"),
        ("a.tex", "\\section{{S{0}}}\nSome words here.\n\nSome more words here.\n"),
        ("a.yaml", "key{0}:\n  - a b c\n\n  - d e f\n  - g h i\n"),
    ],
)
def test_definitions_of_many_languages_begin_chunks(path: str, unit: str) -> None:
    units = [unit.format(i) for i in range(30)]
    chunks = chunks_of("".join(units), 3 * words(units[0]) + 2, words, path)
    assert len(chunks) >= 10
    first = units[0].partition("\n")[0][:2]
    assert all(start.startswith(first) for start in starts(chunks))


def test_an_explicit_language_goes_before_the_path() -> None:
    unit = "def f{0}(a):\n    b = a\n\n    return b + 1 + 2\n"
    content = "".join(unit.format(i) for i in range(30))
    document = Document("notes", content, language="python")
    chunks = list(split_document(document, 35, counter=Counting(words)))
    assert all(start.startswith("def ") for start in starts(chunks))


def test_long_lines_are_cut_at_sentences_then_words() -> None:
    sentence = "This one has exactly six words. "
    for chunk in chunks_of(sentence * 40, 20, words)[:-1]:
        assert chunk.text == sentence * 3
    for chunk in chunks_of("wording " * 400, 30, len):
        assert chunk.text.startswith("wording ")
        assert chunk.text.endswith("wording ")


@pytest.mark.parametrize("limit", [60, 120])
def test_prose_in_one_line_is_cut_between_sentences_at_small_sizes(limit: int) -> None:
    sizes = [15 + i * 7 % 11 for i in range(120)]
    content = " ".join(f"The{' pump' * (size - 1)}." for size in sizes)
    chunks = list(split_document(Document("a.md", content), limit))
    assert all(chunk.text.rstrip().endswith(".") for chunk in chunks)


WORDS = st.lists(st.sampled_from(["pump", "valve", "level", "gauge"]), min_size=1, max_size=12)
SENTENCES = WORDS.map(lambda words: " ".join(words).capitalize() + ".")


@given(st.lists(SENTENCES, max_size=40), st.integers(20, 200))
@settings(max_examples=200, deadline=None)
def test_a_sentence_is_cut_only_where_none_ends_beyond_a_third(
    texts: list[str], limit: int
) -> None:
    content = " ".join(texts)
    ends = set(accumulate(len(text) + 1 for text in texts))
    for chunk in chunks_of(content, limit, len)[:-1]:
        if chunk.end not in ends:
            assert not ends & set(range(chunk.start + limit // 3 + 1, chunk.end))


LINES = st.one_of(
    SENTENCES,
    SENTENCES.map("| 1 | {} |".format),
    SENTENCES.map("## {}".format),
    WORDS.map(" ".join),
    st.just("```"),
    st.just(""),
)


@given(st.lists(LINES, max_size=40), st.integers(20, 200), st.sampled_from(["a.md", "a.py", "a"]))
@settings(max_examples=200, deadline=None)
def test_a_line_shorter_than_half_a_piece_is_not_cut(
    texts: list[str], limit: int, path: str
) -> None:
    content = "\n".join(text[: limit // 2 - 1] for text in texts)
    for chunk in chunks_of(content, limit, len, path)[:-1]:
        assert chunk.text.endswith("\n")


def test_minified_code_is_cut_behind_a_bracket_or_comma() -> None:
    for chunk in chunks_of("f(alpha,beta);" * 100, 50, len, "a.js")[:-1]:
        assert chunk.text[-1] in ",;)"


def test_a_tiny_tail_is_shared_out() -> None:
    chunks = chunks_of("word\n" * 1003, 1000, words)
    assert len(chunks) == 2
    assert all(words(chunk.text) > 200 for chunk in chunks)


def test_a_rest_that_fits_is_not_left_behind() -> None:
    assert len(chunks_of("word " * 60 + "\n\n\n", 60, words)) == 1
    assert len(chunks_of("word\n" * 1000, 1000, words)) == 1


def test_prose_needs_hardly_more_chunks_than_its_tokens() -> None:
    content = "\n\n".join(["The pump was replaced. Now it runs well, they say." * 3] * 300)
    count = token_counter().count
    assert len(chunks_of(content, 400, count)) <= 1.1 * math.ceil(count(content) / 400)


UNITS = {
    "one line": "a",
    "ideographs": "的",
    "short lines": "a\n",
    "line breaks": "\n",
    "spaces": " ",
    "prose": "Some words, and more. ",
    "rows": "| a | b |\n",
    "fences": "```\n",
    "headings": "# a\n",
    "decorators": "@x\n",
    "marks": "\u0301",
    "flags": "🇩🇪",
    "joined emoji": "👩\u200d",
}


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_the_characters_counted_grow_with_the_text_and_not_faster(unit: str) -> None:
    counter = Counting(COUNTS["o200k"])
    content = unit * (60_000 // len(unit))
    list(
        split_document(
            Document("a.py" if unit == "@x\n" else "a.md", content), 100, counter=counter
        )
    )
    assert sum(counter.seen) < 6 * len(content)


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_the_time_grows_with_the_text_and_not_faster(unit: str) -> None:
    def run(text: str) -> None:
        document = Document("a.py" if unit == "@x\n" else "a.md", text)
        for _ in split_document(document, 1000, counter=Counting(len)):
            pass

    assert_linear(run, repeating(unit), small=8_000)


def test_a_language_that_was_given_holds_for_passages_too() -> None:
    code = "# Section one\nx = 1\n\n# Section two\n" + "y = 2\n" * 30
    (chunk,) = split_document(Document("snippet", code, language="python"), 1_000)
    by_path = split_document(Document("snippet.py", code), 40)
    assert [p.text for p in passages(chunk, 40)] == [c.text for c in by_path]
