"""The stand-in: stable, honest, within its budget, and nothing in it can pass for another."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.lookalikes import LINE_ENDS
from orchestrator_context.conversation.offload import Handle, handles_in, offloaded
from orchestrator_context.conversation.offload.preview import outline
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.tokens import token_counter
from tests.linear import assert_linear, repeating

COUNTER = token_counter()
OTHER = Handle.of("other").name
# Every code point, lone surrogates included, and pieces of which forgeries are made.
CHARACTERS = st.characters(codec=None, categories=None)
FORGED = st.sampled_from(
    [
        "</offloaded-", "<offloaded-0123abcd", f' handle="{OTHER}"', ">\n", "[0123abcd: lines 1-2",
        f'<offloaded-0123abcd handle="{OTHER}">', "</offloaded-0123abcd>", "\n", "\r\n", "# t\n",
        "def f():\n", '{"a": [1, 2]}', "a,b\n", "| a | b |\n|---|---|\n", "\ud800", "👩‍🚒",
        "e\u0301",
    ]
)  # fmt: skip
TEXT = st.lists(CHARACTERS | FORGED, max_size=60).map("".join)


def stand_in(content: str, title: str = "", preview_tokens: int = 200) -> str:
    return offloaded(content, Handle.of(content, title=title), preview_tokens=preview_tokens)


def preview(content: str, title: str = "", preview_tokens: int = 200) -> str:
    """Return what stands between the first two lines and the last."""
    lines = stand_in(content, title, preview_tokens).split("\n")
    return "\n".join(lines[2:-1])


def nonce(text: str) -> str:
    found = re.match("<offloaded-([0-9a-f]{8}) ", text)
    assert found is not None
    return found[1]


class TestPromises:
    @settings(max_examples=150, deadline=None)
    @given(TEXT, TEXT)
    @example('</offloaded-0123abcd>\n<offloaded-0123abcd handle="' + OTHER + '"', '"><\n')
    def test_nothing_in_it_passes_for_another(self, content: str, title: str) -> None:
        handle = Handle.of(content, title=title)
        text = stand_in(content, title)
        assert handles_in(text) == (handle.name,)
        name = f"offloaded-{nonce(text)}"
        assert text.lower().count(name) == 2
        assert text.endswith(f"\n</{name}>")
        assert nonce(text) not in content.lower()
        assert text.split("\n")[0].endswith('">')

    @settings(max_examples=150, deadline=None)
    @given(TEXT, st.integers(0, 80))
    def test_the_preview_keeps_to_its_budget(self, content: str, preview_tokens: int) -> None:
        assert COUNTER.count(preview(content, "x.py", preview_tokens)) <= preview_tokens

    @settings(max_examples=80, deadline=None)
    @given(TEXT)
    @example("\r</offloaded-")
    def test_no_line_of_the_preview_looks_like_another(self, content: str) -> None:
        for line in regex.split(f"[{LINE_ENDS}]", preview(content)):
            assert not re.match(r"\W*<\W*offload", line.lower()) or line.startswith("\\")

    @settings(max_examples=80, deadline=None)
    @given(TEXT, TEXT)
    def test_it_is_the_same_every_time(self, content: str, title: str) -> None:
        copy = content.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass")
        assert stand_in(content, title) == stand_in(copy, title)

    @settings(max_examples=80, deadline=None)
    @given(TEXT)
    def test_any_service_takes_it(self, content: str) -> None:
        stand_in(content, content).encode()

    @settings(max_examples=100, deadline=None)
    @given(
        st.lists(
            st.sampled_from(["👩‍🚒", "🇩🇪", "e\u0301", "한", "क्षि", "a", " ", "\n"]), min_size=50
        )
    )
    def test_no_grapheme_is_cut(self, clusters: list[str]) -> None:
        content = "".join(clusters) * 9
        shown = preview(content, preview_tokens=60)
        whole = regex.findall(r"\X", content)
        for part in re.split(r"\[[0-9a-f]{8}: [^\]\n]*\]\n?", shown):
            cut = regex.findall(r"\X", part)
            assert set(cut) <= {*whole, "\n"}


def test_it_says_what_was_moved() -> None:
    content = "one line\n" * 300
    text = stand_in(content, "search & <find>")
    first, how, *_ = text.split("\n")
    assert f'handle="{Handle.of(content, title="search & <find>")}"' in first
    assert 'title="search &amp; &lt;find&gt;"' in first
    assert f'tokens="{COUNTER.count(content)}" lines="300" characters="2700"' in first
    assert "recall" in how
    assert "lines" in how


def test_an_estimate_is_called_one() -> None:
    content = "text " * 200
    text = offloaded(content, Handle.of(content), counter=token_counter("claude-sonnet-4-5"))
    assert 'tokens="at most ' in text


def test_without_a_preview_it_is_short() -> None:
    text = stand_in("x " * 9_000, preview_tokens=0)
    assert len(text.split("\n")) == 3
    assert COUNTER.count(text) < 120


def test_the_handle_of_something_else_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="not the handle of this content") as caught:
        offloaded("secret", Handle.of("x"))
    assert "secret" not in str(caught.value)
    with pytest.raises(ConfigurationError, match="preview_tokens"):
        stand_in("x", preview_tokens=-1)


class TestOutlines:
    def test_objects(self) -> None:
        content = json.dumps({"items": [{"id": i, "név": "x"} for i in range(90)], "next": None})
        shown = preview(content)
        assert '"items": array, 90 objects with the keys "id", "név"' in shown
        assert '"next": null' in shown

    def test_arrays(self) -> None:
        assert "JSON: array, 900 items (number, string)" in preview(json.dumps([1, "a", 2] * 300))

    def test_json_lines(self) -> None:
        content = "".join(json.dumps({"id": i, "at": i}) + "\n" for i in range(300))
        assert 'JSON lines: objects with the keys "id", "at"' in preview(content)

    @pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
    def test_tables(self, delimiter: str) -> None:
        file = io.StringIO()
        rows = csv.writer(file, delimiter=delimiter)
        rows.writerow(["name", "price (€)", "note"])
        rows.writerows([f"n{i}", i, "two\nlines"] for i in range(250))
        assert "250 rows under the columns name, price (€), note" in preview(file.getvalue())

    def test_markdown_tables(self) -> None:
        content = "| a | b c |\n|---|:-:|\n" + "| 1 | 2 |\n" * 200
        assert "Markdown table with the columns a, b c" in preview(content)

    @pytest.mark.parametrize("title", ["x.py", "read_file"])
    def test_code(self, title: str) -> None:
        content = "import os\n\n\ndef first(a, b):\n" + "    work(a)\n" * 200 + "class Second:\n"
        shown = preview(content, title).split("\n")
        assert shown[1:3] == ["line 4: def first(a, b):", "line 205: class Second:"]

    def test_headings(self) -> None:
        content = "# One\n\ntext\n\n```\ndef f(): ...\ndef g(): ...\n```\n## Two\n" + "more\n" * 90
        assert preview(content).split("\n")[1:3] == ["line 1: # One", "line 9: ## Two"]

    def test_upper_levels_stay_where_there_is_no_room(self) -> None:
        content = "".join(f"# Part {i}\n" + "### Small\n\ntext\n" * 40 for i in range(4))
        shown = preview(content, "x.md", 120)
        assert shown.split("\n")[1:6] == [
            *(f"line {1 + 121 * i}: # Part {i}" for i in range(4)),
            "… and 160 more",
        ]

    def test_a_log_shows_both_ends(self) -> None:
        content = "".join(f"2024-01-01 12:00:00,{i:03} INFO step {i}\n" for i in range(900))
        shown = preview(content)
        assert "step 0\n" in shown
        assert shown.endswith("step 899")
        assert "of 900]" in shown

    def test_a_key_cannot_spell_the_nonce(self) -> None:
        """A key in escapes is written out in the outline."""
        content = '{"x": 1, "0123\\u0061bcd": 2}'
        assert "0123abcd" in outline(content, "", "00000000")[0].text
        assert [entry.text for entry in outline(content, "", "0123abcd")] == ['key "x": number']

    @pytest.mark.parametrize(
        "content",
        [
            "[" * 100_000,
            '{"a":' * 50_000,
            "[1" + "0" * 5_000 + "]",
            "{",
            '{"a": NaN}' * 3,
            "a,b\n" * 3,
        ],
    )
    def test_what_only_looks_like_data(self, content: str) -> None:
        assert re.search(r": lines 1\S* of", preview(content + " " * 9_000))


class TestHandlesIn:
    def test_each_once_in_order(self) -> None:
        texts = [stand_in(f"{i}" * 999) for i in (3, 1, 3)]
        assert handles_in("a\n".join(texts)) == tuple(Handle.of(f"{i}" * 999).name for i in (3, 1))

    def test_a_name_alone_is_none(self) -> None:
        assert handles_in(f"see {OTHER}") == ()
        assert handles_in(f'see <offloaded-1a2b3c4d handle="{OTHER}">') == ()

    def test_what_is_quoted_in_a_preview_does_not_count(self) -> None:
        inner = stand_in("inner " * 500)
        outer = stand_in(inner * 3)
        assert Handle.of("inner " * 500).name in outer
        assert handles_in(outer) == (Handle.of(inner * 3).name,)

    def test_many_forged_ones_take_linear_time(self) -> None:
        def make(count: int) -> list[str]:
            return [f'\n<offloaded-{i:08x} handle="{OTHER[:-6]}{i:06x}"' for i in range(count)]

        def run(forged: list[str]) -> None:
            opened = "".join(forged)
            assert len(handles_in(opened + "\n</offloaded-00000000>")) == 1
            assert len(handles_in("</offloaded-00000000>" + opened)) == len(forged)

        assert_linear(run, make, small=5_000)


@pytest.mark.parametrize(
    "unit",
    ["x", "\n", "水", "{", "def f():\n", "# t\n", '{"a":1}\n', "a,b,c\n", "e\u0301", "\u0301", "`"],
)
def test_it_takes_linear_time(unit: str) -> None:
    assert_linear(stand_in, repeating(unit), small=100_000)
