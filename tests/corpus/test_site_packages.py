"""Promises on what people have on disk: files of the packages that are installed here.

A sample of them, the same in every run on the same machine: some of each kind, programs, notes,
licences, data, binaries.
"""

from __future__ import annotations

import hashlib
import random
import sysconfig
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from orchestrator_context import (
    Budget,
    Corpus,
    DedupOptions,
    Document,
    RankIndex,
    Reduction,
    SelectOptions,
    find_duplicates,
    plan,
    read_documents,
    select,
    split_document,
    token_counter,
)
from orchestrator_context.corpus import parse, render
from orchestrator_context.files import FileNotice
from orchestrator_context.languages import structural_extract
from orchestrator_context.source import compact_source
from tests.source.test_compact import is_same_program

PACKAGES = Path(sysconfig.get_paths()["purelib"])
OF_A_KIND = 8
LARGEST_BYTES = 60_000
QUERY = "How is a connection retried after a timeout?"
STRATEGIES = ("whole", "ranked", "tiered", "packed")
BUDGETS = (
    Budget(60),
    Budget(700),
    Budget(6_000),
    Budget(40_000, output_reserve=10_000),
    Budget(max_bytes=9_000),
    Budget(20_000, max_bytes=50_000, max_items=7),
)
EVERYTHING = SelectOptions.recommended()


def _sample() -> list[Path]:
    """Return some files of each suffix, the names hashed, so that all packages have a chance."""

    def place(path: Path) -> str:
        return hashlib.sha256(path.relative_to(PACKAGES).as_posix().encode()).hexdigest()

    kinds: Counter[str] = Counter()
    chosen: list[Path] = []
    for path in sorted((one for one in PACKAGES.rglob("*") if one.is_file()), key=place):
        kind = path.suffix or path.name[:4]
        usable = not path.is_symlink() and path.stat().st_size <= LARGEST_BYTES
        if usable and kinds[kind] < OF_A_KIND * (4 if kind in (".py", ".md") else 1):
            kinds[kind] += 1
            chosen.append(path)
    return chosen


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the sample, with the paths that the files have, and a copy of one of them."""
    root = tmp_path_factory.mktemp("packages")
    for path in _sample():
        place = root / path.relative_to(PACKAGES)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
    return root


@pytest.fixture(scope="module")
def notices() -> list[FileNotice]:
    """What was left out."""
    return []


@pytest.fixture(scope="module")
def documents(folder: Path, notices: list[FileNotice]) -> tuple[Document, ...]:
    """What can be read of the sample."""
    return tuple(
        read_documents(
            folder, include_generated=True, include_hidden=True, on_notice=notices.append
        )
    )


@pytest.fixture(scope="module")
def corpus(documents: tuple[Document, ...]) -> Corpus:
    """The sample, made ready once."""
    return Corpus(documents)


def _shuffled(documents: Sequence[Document]) -> list[Document]:
    order = list(documents)
    random.Random(7).shuffle(order)
    return order


def test_there_is_something_of_everything(documents: tuple[Document, ...]) -> None:
    suffixes = {Path(one.path).suffix for one in documents}
    assert suffixes >= {".py", ".pyi", ".md", ".json", ".txt", ".toml"}
    assert any("LICEN" in one.path for one in documents)
    assert len(documents) > 150


def test_every_file_is_a_document_or_stands_in_a_notice(
    folder: Path, documents: tuple[Document, ...], notices: list[FileNotice]
) -> None:
    files = {path.relative_to(folder.parent).as_posix() for path in folder.rglob("*")}
    read = {one.path for one in documents}
    left_out = {one.path for one in notices if one.skipped}
    assert read <= files
    assert not read & left_out
    told = {one for one in files if any(f"{one}/".startswith(gone) for gone in left_out)}
    assert {one for one in files if (folder.parent / one).is_file()} == read | (told & files) | {
        one for one in left_out if not one.endswith("/")
    }
    assert {one.reason for one in notices} <= {"binary", "undecodable", "repaired", "ignored"}
    repaired = {one.path for one in notices if not one.skipped}
    for one in documents:
        if one.path not in repaired:
            assert one.content.encode() in (folder.parent / one.path).read_bytes()


def _texts(reduction: Reduction) -> Iterator[tuple[str, str]]:
    """Yield what stands in a text of each document, and in what form."""
    for element in parse(reduction.text) if reduction.text else ():
        yield element.path, element.fidelity
        content = {one.path: one.content for one in reduction.documents}.get(element.path, "")
        if element.fidelity == "whole":
            assert element.content == content
        elif element.fidelity == "partial" and "|" not in content:
            assert element.content in content
        elif element.fidelity == "pointer":
            assert element.same_as in {one.path for one in reduction.documents}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_text_never_passes_a_ceiling_and_can_be_read_again(corpus: Corpus, strategy: str) -> None:
    counter = token_counter(corpus.counter.count, name="counted-anew")
    for budget in BUDGETS:
        options = SelectOptions().merged(strategy=strategy)
        reduction = select(corpus, QUERY, budget=budget, options=options)
        tokens, size = counter.count(reduction.text), len(reduction.text.encode())
        assert (reduction.tokens, reduction.size_bytes) == (tokens, size)
        assert budget.available is None or tokens <= budget.available
        assert budget.max_bytes is None or size <= budget.max_bytes
        assert budget.max_items is None or len(reduction.documents) <= budget.max_items
        forms = [(path, form) for path, form in _texts(reduction) if form != "pointer"]
        shown = dict.fromkeys(path for path, form in forms if form not in ("overview", "digest"))
        assert list(shown) == [one.path for one in reduction.documents]
        if reduction.text:
            elements = parse(reduction.text)
            tag = reduction.text.partition("s ")[0].removeprefix("<")
            assert render(elements, tag) == reduction.text
            assert parse(render(elements)) == elements


def test_the_order_of_documents_changes_nothing(documents: tuple[Document, ...]) -> None:
    for options in (SelectOptions(strategy="packed"), EVERYTHING):
        one, other = (
            select(given, QUERY, budget=Budget(3_000), options=options)
            for given in (documents, _shuffled(documents))
        )
        assert one == other
    first, second = (RankIndex.build(given) for given in (documents, _shuffled(documents)))
    assert first.rank(QUERY) == second.rank(QUERY)
    assert find_duplicates(documents) == find_duplicates(_shuffled(documents))


def test_a_plan_holds_the_figures_of_the_selections(corpus: Corpus) -> None:
    budget = Budget(4_000)
    planned = plan(corpus, QUERY, budget=budget)
    for name in STRATEGIES:
        outlook = planned.option(name)
        reduction = select(
            corpus, QUERY, budget=budget, options=SelectOptions().merged(strategy=name)
        )
        assert outlook is not None
        assert (outlook.tokens, outlook.size_bytes, outlook.selected) == (
            reduction.tokens, reduction.size_bytes, len(reduction.documents),
        )  # fmt: skip
    assert planned.tokens == sum(
        token_counter().count(text) for text in {one.content for one in corpus.documents}
    )


def test_the_strategies_of_a_plan_share_what_was_counted(documents: tuple[Document, ...]) -> None:
    counter, counted = token_counter(), Counter[str]()

    def count(text: str) -> int:
        counted[text] += 1
        return counter.count(text)

    own = token_counter(count, name="counts-what-it-is-asked")
    plan(documents, QUERY, budget=Budget(6_000), counter=own)
    long = [text for text in counted if len(text) > 200]
    assert max(counted[text] for text in long) == 1
    assert sum(map(len, counted)) < 3 * sum(len(one.content) for one in documents)


def test_a_ranking_holds_every_document_once_and_changes_by_document(
    documents: tuple[Document, ...],
) -> None:
    index = RankIndex.build(documents)
    ranking = index.rank(QUERY)
    assert sorted(one.path for one in ranking) == sorted(one.path for one in documents)
    scores = [one.score for one in ranking]
    assert scores == sorted(scores, reverse=True)
    assert any(one.matched for one in ranking)
    gone, came = documents[: len(documents) // 3], documents[len(documents) // 3 :]
    changed = RankIndex.build(documents[: len(documents) // 2]).updated(
        removed=[one.path for one in gone], added=came[len(documents) // 2 - len(gone) :]
    )
    assert changed.rank(QUERY) == RankIndex.build(came).rank(QUERY)


def test_what_stands_for_others_is_equal_or_as_near_as_was_said(
    documents: tuple[Document, ...],
) -> None:
    content = {one.path: one.content for one in documents}
    found = find_duplicates(documents, options=DedupOptions(threshold=0.85))
    assert not found.canonical.keys() & set(found.canonical.values())
    for gone, kept in found.canonical.items():
        assert found.is_exact(gone) == (content[gone] == content[kept])
        assert found.similarities[gone] >= 0.85
    kept_contents = Counter(content[path] for path in content if path not in found.canonical)
    assert set(kept_contents.values()) <= {1}


def test_compaction_keeps_programs_and_leaves_lines_as_they_are(
    documents: tuple[Document, ...],
) -> None:
    compared = 0
    for one in documents:
        compact = compact_source(one.content, path=one.path)
        lines = iter(one.content.splitlines())
        for line in compact.text.splitlines():
            assert line.strip() == "pass" or line in lines
        if one.language == "python" and compact.is_reduced:
            assert is_same_program(compact.text, one.content)
            compared += 1
    assert compared > 10


def test_parts_put_together_are_the_document(documents: tuple[Document, ...]) -> None:
    counter = token_counter()
    for one in documents[::5]:
        chunks = list(split_document(one, 200))
        assert "".join(chunk.text for chunk in chunks) == one.content
        assert all(counter.count(chunk.text) <= 200 for chunk in chunks[:20])


def test_an_extract_is_made_of_lines_of_the_document(documents: tuple[Document, ...]) -> None:
    found = {one.path: structural_extract(one.content, one.language) for one in documents}
    for one in documents:
        content = one.content
        for line in found[one.path].split("\n")[:-1]:
            assert line.strip() in content
    assert sum(map(bool, found.values())) > len(documents) / 4


def test_documents_that_are_read_stand_there_with_their_declarations(
    documents: tuple[Document, ...],
) -> None:
    made = [Document.of(one.path, one.content) for one in documents]
    read, given = (
        select(corpus, QUERY, budget=Budget(8_000), options=SelectOptions(strategy="tiered"))
        for corpus in (documents, made)
    )
    assert read.count("extract") > 0
    assert abs(read.count("extract") - given.count("extract")) <= 2
    extracts = {one.path: one.extract for one in made}
    for element in parse(read.text):
        if element.fidelity == "extract":
            assert element.content == extracts[element.path]
