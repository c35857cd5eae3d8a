"""Rows of a table that was cut stand below its head."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context import Budget, Chunk, Document, SelectOptions, select, token_counter
from orchestrator_context.corpus import Element, parse
from orchestrator_context.corpus.tables import table_heads
from orchestrator_context.source import split_document
from tests.linear import assert_linear

HEAD = "| Station | Level | Unit |\n|---|---|---|\n"
ROWS = [f"| {at} | {at * 0.25:.2f} | bar |\n" for at in range(1, 41)]
TABLE = HEAD + "".join(ROWS)
AROUND = "# Levels\n\nAs of today.\n\n" + TABLE + "\nAll is well.\n"


def parts(text: str, tokens: int, query: str, chunk_tokens: int = 60) -> list[Element]:
    options = SelectOptions(strategy="packed", chunk_tokens=chunk_tokens)
    reduction = select([Document("t.md", text)], query, budget=Budget(tokens), options=options)
    assert token_counter().count(reduction.text) == reduction.tokens <= tokens
    return list(parse(reduction.text))


def of_lines(text: str, element: Element) -> str:
    """Return the content of an element by the lines that it names."""
    lines = text.split("\n")
    return "\n".join(line for a, b in element.lines for line in lines[a - 1 : b])


@pytest.mark.parametrize("text", [TABLE, AROUND, AROUND.replace("\n", "\r\n")])
def test_each_part_of_a_table_begins_with_its_head(text: str) -> None:
    seen: set[str] = set()
    for query in ("station 3", "station 20", "station 38", "level 5.25", ""):
        for element in parts(text, 220, query):
            assert element.content == of_lines(text, element)
            rows = [line for line in element.content.splitlines(keepends=True) if "bar" in line]
            if rows:
                assert HEAD in element.content.replace("\r\n", "\n")
                assert len(rows) == len(set(rows))
            seen.update(row.strip() for row in rows)
    assert len(seen) > 12
    assert seen <= {row.strip() for row in ROWS}


def test_a_part_that_holds_the_head_has_it_once() -> None:
    [element, *_] = parts(AROUND, 330, "", chunk_tokens=60)
    assert element.content.count("Station") == 1
    assert element.lines[0][0] == 1
    assert len(element.lines) == 1


@pytest.mark.parametrize(
    "text",
    [
        "a | b\n" * 60,  # a shell script, or nothing that is known
        "| a | b |\n" * 60,
        "---|---\n" + "1 | 2\n" * 60,
        "| a | b |\n|---|---|\n\n" + "| 1 | 2 |\n" * 60,
        f"| {'a' * 2_000} | b |\n|---|---|\n" + "| 1 | 2 |\n" * 60,
        "Title\n-----\n" + "a | b\n" * 60,
    ],
)
def test_what_is_no_table_has_no_head(text: str) -> None:
    chunks = tuple(split_document(Document("t.md", text), 40))
    assert len(chunks) > 1
    assert set(table_heads(chunks)) == {None}


def test_a_head_without_bars_around_it_is_one() -> None:
    text = "Station | Level\n:---|---:\n" + "".join(f"{at} | {at}.5\n" for at in range(80))
    heads = table_heads(tuple(split_document(Document("t.md", text), 40)))
    assert heads[0] is None
    assert {one.text for one in heads[1:] if one is not None} == {"Station | Level\n:---|---:\n"}
    assert None not in heads[1:]


LINES = st.sampled_from([HEAD, "| 1 | 2 |\n", "\n", "text\n", "a|b", "|--|\n", "\r\n"])


@settings(max_examples=60, deadline=None)
@given(st.lists(LINES, max_size=60), st.integers(20, 300), st.sampled_from([8, 20, 60]))
def test_any_text_keeps_to_the_budget_and_to_its_lines(
    pieces: list[str], tokens: int, chunk_tokens: int
) -> None:
    text = "".join(pieces)
    for element in parts(text, tokens, "station 2", chunk_tokens):
        assert all(line in text for line in element.content.split("\n"))


def test_a_row_that_was_cut_has_no_head_and_parts_keep_their_order() -> None:
    wide = "".join(f"| {at} | {f'level {at} | ' * 30}bar |\n" for at in range(12))
    document = Document("t.md", HEAD + wide)
    chunks = tuple(split_document(document, 60))
    heads = table_heads(chunks)
    cut = [one.source.start_column > 1 for one in chunks]
    assert any(cut)
    assert not any(head for head, begins_inside in zip(heads, cut, strict=True) if begins_inside)
    elements = parts(document.content, 500, "level 3 level 5 level 9", 60)
    spans = [one.lines[-1] for one in elements if one.lines]
    assert len(spans) > 2
    assert spans == sorted(spans)


def test_a_long_table_takes_time_linear_in_it() -> None:
    def make(rows: int) -> tuple[Chunk, ...]:
        text = HEAD + "".join(f"| {at} | 2.5 | bar |\n" for at in range(rows))
        return tuple(split_document(Document("t.md", text), 64))

    def run(chunks: tuple[Chunk, ...]) -> None:
        assert sum(head is not None for head in table_heads(chunks)) == len(chunks) - 1

    assert_linear(run, make, small=1_000)
