from __future__ import annotations

import time
from collections.abc import Callable

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
    words,
)

ANY = st.text(st.characters())  # lone surrogates included
DIRTY = st.text(st.sampled_from("a\r\n\x00\ufeff\ud83d\ude00 😀é"))


def seconds(run: Callable[[str], object], text: str) -> float:
    start = time.perf_counter()
    run(text)
    return time.perf_counter() - start


def assert_linear(run: Callable[[str], object], piece: str) -> None:
    text = piece * (50_000 // len(piece))
    seconds(run, text[:1_000])
    assert seconds(run, text * 4) < 20 * max(seconds(run, text), 0.01)


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
    assert_linear(clean, piece)
    assert_linear(clean, piece + "x")


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
    assert_linear(is_title_only, piece)


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
    text = piece * (3_000_000 // len(piece))

    def cut(text: str) -> None:
        for at in range(0, len(text), len(text) // 40):
            grapheme_break(text, at)

    assert seconds(cut, text) < 1.0


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
    assert_linear(lambda text: list(sentences(text)), piece)


# --- words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Pump stopped, twice.", "the pump stopped twice"),
        ("parseHTTPReply", "parsehttpreply parse http reply"),
        ("snake_case_name", "snake_case_name snake case name"),
        ("__init__", "init"),
        ("CamelCase camelCase", "camelcase camel case camelcase camel case"),
        ("HTTP2Server", "http2server http2 server"),
        ("MAX_TOKENS x86_64", "max_tokens max tokens x86_64 x86 64"),
        ("state-of-the-art", "stateoftheart state of the art"),
        ("the pump's don't l'eau", "the pump dont don t leau l eau"),
        ("sha256 9f86d081884c7d65 v1.2.3", "sha256 9f86d081884c7d65 v1 2 3"),
        ("Straße STRASSE ﬁne Ｆｕｌｌ ①", "strasse strasse fine full 1"),
        ("Übergröße ÜbergrößeTest", "übergrösse übergrössetest übergrösse test"),
        ("你好世界 水 第3回", "你好 好世 世界 水 第 3 回"),
        ("ありがとう カタカナー", "あり りが がと とう カタ タカ カナ ナー"),
        ("펌프가 물", "펌프 프가 물"),
        ("水泵pump停止", "水泵 pump 停止"),
        ("насос ОСТАНОВЛЕН", "насос остановлен"),
        ("स्वतन्त्रता", "स्वतन्त्रता"),
        ("-- ... ___ ' += ├──┤ \ufffd", ""),
        ("😀 I❤️NY ❤", "😀 i ❤ ny ❤"),
        ("👩‍🚒👩🏽‍🚒 👍🏿👍", "👩‍🚒 👩‍🚒 👍 👍"),
        ("🇩🇪🇫🇷 1️⃣ 1", "🇩🇪 🇫🇷 1 1"),
        ("a→b 45 °C €5", "a → b 45 ° c € 5"),
        ("\ufe0f \u200d \u0301", ""),
    ],
)  # fmt: skip
def test_words(text: str, expected: str) -> None:
    assert words(text) == expected.split()


def test_thai_is_read_in_pairs() -> None:
    assert words("ครับ") == ["คร", "รั", "ับ"]


def test_stems_are_english() -> None:
    assert words("Pumps were stopping", stem=True) == ["pump", "were", "stop"]
    assert words("насосы 你好 x86", stem=True) == ["насосы", "你好", "x86"]


def test_a_line_without_words_is_not_one_word() -> None:
    found = words("QmFzZTY0IGlzIG5vdCBhIHdvcmQ" * 5_000 + "a" * 100_000)
    assert max(map(len, found)) <= 128
    assert len(found) < 5_000


@given(text=st.text())
def test_words_are_folded_and_never_empty(text: str) -> None:
    for word in words(text):
        assert word
        assert word == word.casefold() or not word.isascii()
        assert not any(char.isspace() for char in word)


@given(text=st.text(st.characters(max_codepoint=126)))
def test_other_scripts_beside_it_change_no_word(text: str) -> None:
    assert words(text) == words(text + " …")


@given(first=st.text(), second=st.text())
def test_words_of_lines_are_those_of_the_text(first: str, second: str) -> None:
    assert words(first + "\n" + second) == words(first) + words(second)


@pytest.mark.parametrize("piece", "word |x|水|aB|a-|a_|ก|9f|'|é|A|\u0301|😀|😀\u200d|🇩".split("|"))
def test_splitting_into_words_is_linear(piece: str) -> None:
    assert_linear(words, piece)
