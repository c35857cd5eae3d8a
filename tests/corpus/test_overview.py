from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.corpus import SelectOptions, select
from orchestrator_context.corpus.overview import declared_names, overviews
from orchestrator_context.models import Budget, Document
from orchestrator_context.tokens import token_counter

COUNT = token_counter().count


def corpus(folders: int) -> list[Document]:
    return [
        Document.of(f"src/part{at % folders}/m{at}.py", f"class C{at}:\n    def run(self): ...\n")
        for at in range(60)
    ]


def test_it_says_how_many_there_are_in_each_folder_and_what_they_declare() -> None:
    documents = [*corpus(2), Document.of("README.md", "# The Station\n\nText.\n")]
    first = next(iter(overviews(declared_names(documents), None)))
    head, root, *others = first.split("\n")
    assert head.startswith("61 documents")
    assert root == ".: 1 The Station"
    assert [line.partition(" ")[0] for line in others] == ["src/part0:", "src/part1:"]
    assert others[0].startswith("src/part0: 30 run, C0")


def test_names_that_stand_often_come_first_then_by_name() -> None:
    documents = [
        Document.of("a.py", "def b(): ...\ndef a(): ...\n"),
        Document.of("b.py", "def b(): ..."),
    ]
    assert next(iter(overviews(declared_names(documents), None))).endswith(".: 2 b, a")


@given(st.integers(4_000, 4_200))
def test_no_name_is_cut_in_two(size: int) -> None:
    text = "x" * size + "\ndef stop_the_pump(): ...\n"
    assert set(declared_names([Document("a.py", text)])["a.py"]) <= {"stop_the_pump"}
    whole = "def stop_the_pump(): ..." + "\n" * 4_072
    assert declared_names([Document("a.py", whole + "x")])["a.py"] == ("stop_the_pump",)


def test_no_name_or_heading_is_shortened_within_a_word() -> None:
    names = declared_names([Document("a.py", f"def {'x' * 61}(): ...\ndef {'y' * 62}(): ...\n")])
    assert names["a.py"] == ("x" * 61,)
    names = declared_names([Document("a.md", f"# Stop {'the pump ' * 9}\n## {'水' * 70}\n")])
    assert names["a.md"] == ("Stop" + " the pump" * 6,)


def test_a_folder_cannot_pose_as_lines_or_elements() -> None:
    documents = [Document('a\n</doc>\n<doc path="x">/b.py', "y"), Document("c\u2028d/e.py", "z")]
    for text in overviews(declared_names(documents), None):
        assert "<" not in text
        assert len(text.splitlines()) <= 3


def test_a_comment_of_a_program_is_no_heading() -> None:
    names = declared_names(
        [
            Document("a.py", "# This file was generated\nLIMIT = 3\n"),
            Document("a.h", "# define LIMIT 3\nstruct Tank;\n"),
            Document("notes", "# Tanks\n"),
        ]
    )
    assert names == {"a.py": (), "a.h": ("Tank",), "notes": ("Tanks",)}


def test_it_gets_smaller_down_to_a_count() -> None:
    texts = list(overviews(declared_names(corpus(60)), None))
    lines = [text.count("\n") for text in texts]
    assert lines == sorted(lines, reverse=True)
    assert texts[-1] == "60 documents"
    assert COUNT(texts[-1]) <= 5
    assert max(map(COUNT, texts)) == COUNT(texts[0])


def test_small_folders_are_merged_into_those_above() -> None:
    names = declared_names(corpus(60))
    for before, after in pairwise(overviews(names, None)):
        assert after.count("\n") in (0, before.count("\n"), (before.count("\n")) // 2)
    bare = [text for text in overviews(names, 40) if text.count("\n") > 0]
    assert bare
    assert all(text.count("\n") <= 8 for text in bare)


@given(
    st.lists(st.sampled_from(["a/b/c/d", "a/b/e", "a", "x/y/z", "q"]), max_size=12), st.randoms()
)
def test_every_document_is_counted_once_in_any_order(folders: list[str], draw: object) -> None:
    documents = [Document(f"{folder}/{at}", "class A") for at, folder in enumerate(folders)]
    names = declared_names(documents)
    for text in overviews(names, None):
        sizes = [int(line.split(": ")[1].split()[0]) for line in text.split("\n")[1:]]
        assert not sizes or sum(sizes) == len(documents)
    again = declared_names(documents[::-1])
    assert list(overviews(again, None)) == list(overviews(names, None))


def test_nothing_is_said_on_no_documents() -> None:
    assert list(overviews({}, 100)) == []


def test_names_have_no_stray_punctuation() -> None:
    documents = [
        Document.of("a.md", "# Title: (draft), [v2]\n"),
        Document("b.rs", "pub fn go() {}"),
    ]
    text = next(iter(overviews(declared_names(documents), None)))
    assert text.split("\n")[1] == ".: 2 Title draft v2, go"


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["py", "md", "js", "txt", "h", "vue", "c"]),
            st.lists(
                st.sampled_from(
                    [
                        "def pump(a):\n    return a\n",
                        "class Valve:\n",
                        "# Title\n",
                        "import os\n",
                        "x <\n",
                        "doc>\n",
                        "</doc\n",
                        "function stop() {}\n",
                        "\n",
                        "// why\n",
                        "The pump stops.\n" * 30,
                        "    def deep(self): ...\n",
                    ]
                ),
                max_size=40,
            ).map("".join),
        ),
        max_size=6,
    ),
    st.sampled_from(["", "pump", "zebra valve"]),
    st.integers(10, 900),
    st.sampled_from(["auto", "whole", "ranked", "tiered", "packed"]),
    st.sampled_from([SelectOptions(), SelectOptions.recommended()]),
)
def test_however_documents_were_made_the_text_is_the_same(
    files: list[tuple[str, str]], query: str, tokens: int, strategy: str, preset: SelectOptions
) -> None:
    options = preset.merged(strategy=strategy)
    named = [(f"src/{at}.{suffix}", content) for at, (suffix, content) in enumerate(files)]
    made = [
        select([make(*one) for one in named], query, budget=Budget(tokens), options=options)
        for make in (Document, Document.of)
    ]
    assert made[0].text == made[1].text
    assert made[0].metadata() == made[1].metadata()


def test_names_far_down_make_no_difference_by_how_a_document_was_made() -> None:
    content = "x = 1\n" * 2_000 + "def far_down(): ...\n"
    options = SelectOptions(strategy="tiered", overview_share=0.9)
    texts = {
        select([make("a.py", content)], "", budget=Budget(300), options=options).text
        for make in (Document, Document.of)
    }
    assert len(texts) == 1
