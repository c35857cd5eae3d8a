from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.words import words
from tests.linear import assert_linear, repeating


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
    assert_linear(words, repeating(piece), small=20_000)
