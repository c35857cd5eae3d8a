from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.text import (
    clean,
    grapheme_break,
    is_blank,
    is_title_only,
    sentences,
)
from tests.linear import assert_constant, assert_linear, repeating

ANY = st.text(st.characters())  # lone surrogates included
DIRTY = st.text(st.sampled_from("a\r\n\x00\ufeff\ud83d\ude00 😀é"))


# --- clean


@pytest.mark.parametrize(
    ("dirty", "cleaned"),
    [
        ("\ufeff# Intake\r\nok\r\n## Pump\r\n2.1 bar\r\n", "# Intake\nok\n## Pump\n2.1 bar\n"),
        ("Sec\x00tion 4", "Sec\ufffdtion 4"),
        ("level \ud83d high", "level \ufffd high"),
        ("\ude00 \ud83d", "\ufffd \ufffd"),
        ("level \ud83d\ude00 high", "level 😀 high"),
        ("a\rb\r\r\nc\r", "a\rb\nc\r"),
        ("\ufeff\ufeffa\ufeffb", "a\ufeffb"),
        ("", ""),
    ],
)  # fmt: skip
def test_cleaning(dirty: str, cleaned: str) -> None:
    assert clean(dirty) == cleaned


@pytest.mark.parametrize("text", ["", "plain", "level 😀 high", "a\rb\nc", "日本語 é"])
def test_clean_text_is_the_same_object(text: str) -> None:
    assert clean(text) is text


@given(text=ANY | DIRTY)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = clean(text)
    assert clean(once) is once
    once.encode()
    assert len(once) <= len(text)
    assert "\x00" not in once
    assert "\r\n" not in once
    assert not once.startswith("\ufeff")


@given(text=DIRTY)
def test_cleaning_removes_only_marks_returns_and_halves(text: str) -> None:
    lost = len(text) - len(clean(text))
    assert lost <= text.count("\ufeff") + text.count("\r") + text.count("\ud83d\ude00")


@pytest.mark.parametrize("piece", ["\r\n", "\r", "\x00", "\ud83d", "word ", "\r\r\n"])
def test_cleaning_is_linear(piece: str) -> None:
    assert_linear(clean, repeating(piece), small=25_000)
    assert_linear(clean, repeating(piece + "x"), small=25_000)


# --- is_blank


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\t\r\x0b", "\ufeff", "\u200b\u200d\u2060", "\u3000\xa0", "\x00\x1f", "\u2028"],
)
def test_nothing_to_see_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", " . ", "\u200b।", "😀", "\ufffd", "é", "\n#\n"])
def test_anything_to_see_is_not_blank(text: str) -> None:
    assert not is_blank(text)


@given(text=ANY)
def test_white_space_is_blank(text: str) -> None:
    assert is_blank(text) or text.strip()


# --- is_title_only


@pytest.mark.parametrize(
    "text",
    [
        "# Title",
        "# Title\n\n## Part\n\n",
        "\n   ### Title ###\n",
        "#\n",
        "Title\n=====\n",
        "Title\n---",
        "=====\nTitle\n=====\n\nPart\n~~~~\n",
        "# 見出し\n",
    ],
)
def test_headings_are_titles_only(text: str) -> None:
    assert is_title_only(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n \n",
        "A plain line",
        "# Title\ntext",
        "# Title\n\n- item\n",
        "#tag",
        "#!/bin/sh\n",
        "####### seven",
        "    # code",
        "Title\n=====\ntext",
        "---\n",
        "a | b\n--|--\n",
        "# " + "long " * 100,
        "Two lines\nof text\n---\n",
    ],
)
def test_other_texts_are_not(text: str) -> None:
    assert not is_title_only(text)


@pytest.mark.parametrize("piece", ["# T\n", "\n", "-", "=\n", "#", " ", "ab\n--\n"])
def test_telling_titles_is_linear(piece: str) -> None:
    assert_linear(is_title_only, repeating(piece), small=25_000)


# --- grapheme_break

CLUSTERS = st.lists(
    st.sampled_from(
        [
            *["a", " ", "\r\n", "\r", "\n", "é", "e\u0301", "\x00", "\ud83d", "a" * 40, "\u200d"],
            *["👨\u200d👩\u200d👧", "👩🏽\u200d💻", "❤\ufe0f", "🇩🇪", "🇫🇷", "🇩"],
            *["각", "\u1100\u1161\u11a8", "한", "\u0e01\u0e34", "क्षि", "நி", "\u0600\u0661"],
            *["\u3042\u3099", "z" + "\u0334" * 40],
        ]
    ),
    max_size=30,
)


@given(text=CLUSTERS.map("".join) | st.text())
def test_it_never_cuts_a_cluster(text: str) -> None:
    boundaries = [0, *(cluster.end() for cluster in regex.finditer(r"\X", text))]
    for at in range(-1, len(text) + 2):
        expected = max((b for b in boundaries if b <= at), default=0)
        assert grapheme_break(text, at) == expected


def test_flags_are_cut_between_pairs() -> None:
    text = "🇩🇪🇫🇷🇬🇧" * 200
    assert [grapheme_break(text, at) for at in (600, 601, 602, 603)] == [600, 600, 602, 602]


def test_it_looks_back_only_so_far() -> None:
    marks = "z" + "\u0334" * 20_000
    assert grapheme_break(marks, 5_000) == 0
    assert grapheme_break(marks, 15_000) == 15_000
    flags = "🇩🇪" * 10_000
    assert grapheme_break(flags, 15_001) in (15_000, 15_001)


@pytest.mark.parametrize(
    "piece", ["word ", "x", "的", "👨\u200d👩\u200d👧", "🇩🇪", "e\u0301", "한", "\u0334"]
)
def test_its_cost_does_not_depend_on_the_length(piece: str) -> None:
    def cut(text: str) -> None:
        for at in range(0, len(text), len(text) // 40):
            grapheme_break(text, at)

    assert_constant(cut, repeating(piece), small=400_000, factor=16)


# --- sentences


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    "parts",
    [
        ["Dr. Smith paid 3.14 e.g. for v1.2.3 in the U.S. Army. ", "He left! ", "Then? ", "Yes."],
        ["See https://a.example/b.c?d=1. ", "Mr. A. B. Jones vs. Co. Ltd. won (p. 4). ", "End"],
        ["“It stopped.” ", "Why?! ", "Nobody knows… ", "Well."],
        ["Version 2.0 works. ", "No. 5 is alive."],
        ["你好。", "世界！", "「好。」", "再见"],
        ["句子。 ", "下一句？", "完"],
        ["यह एक है। ", "वह दो है॥ ", "तीन"],
        ["ماذا؟ ", "نعم. ", "هذا۔ ", "آخر"],
        ["ត្រឹមត្រូវ។ ", "ស"],
        ["ผมชอบ ", "คุณชอบ ", "เขาไป"],
        ["# A heading\n", "Text. ", "More.\n", "| a | b |\n", "| c | d |\n\n", "Text"],
        ["A heading\n\n", "A wrapped\nparagraph. ", "Next."],
        ["Intro:\n", "- one\n", "- two\nwrapped\n", "1. three\n", "2) four\n", "> Five"],
        ["Text\n", "```\n", "code\n", "```\n", "Text"],
        ["One.\n\n\n", "two."],
        ["   \n"],
        ["..."],
        ["Что это? ", "Это т.е. пример. ", "Да."],
    ],
)
def test_sentences(parts: list[str]) -> None:
    assert cut("".join(parts)) == parts


def test_nothing_has_no_sentence() -> None:
    assert cut("") == []


MARKS = ["Word", "e.g", " ", ".", "!", "。", "\n", "- ", "1.", "ก", "”", "।", "…", "x", "\t", "#"]
SENTENCES = st.lists(st.sampled_from(MARKS))


@given(text=ANY | SENTENCES.map("".join))
def test_sentences_put_together_are_the_text(text: str) -> None:
    spans = list(sentences(text))
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)


@pytest.mark.parametrize(
    "piece", [".", ". ", " ", "\n", "\n ", "\n-", "。", "*", ".*", "ก ", "A. ", "a", "1.\n", "!\t"]
)
def test_cutting_into_sentences_is_linear(piece: str) -> None:
    assert_linear(lambda text: list(sentences(text)), repeating(piece), small=10_000)
