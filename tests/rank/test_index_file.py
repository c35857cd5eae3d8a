"""Indexes in files: what was saved comes back, and nothing else ever does."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.exceptions import ConfigurationError, RankIndexError
from orchestrator_context.models import Document
from orchestrator_context.rank import RankIndex, RankOptions
from tests.rank.corpora import corpora, options, queries, quick
from tests.rank.test_index import assert_equal

CORPUS = [
    Document("a.md", "Насос и valve. \ud800"),
    Document("src/b.py", "import a"),
    Document("README", "x", pinned=True),
]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    RankIndex.build(CORPUS).save(tmp_path / "index")
    return tmp_path / "index"


@quick
@given(corpora, options, queries)
def test_a_loaded_index_equals_the_one_that_was_saved(
    tmp_path_factory: pytest.TempPathFactory,
    corpus: list[Document],
    settings: RankOptions,
    query: str,
) -> None:
    path = tmp_path_factory.mktemp("ranks") / "index"
    cold = RankIndex.build(corpus, options=settings)
    cold.save(path)
    assert_equal(RankIndex.load(path, reversed(corpus), options=settings), cold, query)
    assert_equal(RankIndex.load(path, cold.digest, options=settings), cold, query)


def test_a_loaded_index_can_be_changed_and_saved_again(saved: Path) -> None:
    loaded = RankIndex.load(saved, CORPUS)
    more = Document("c.md", "valve seal")
    changed = loaded.updated(added=[more], removed=["a.md"])
    changed.save(saved)
    assert_equal(RankIndex.load(saved, [*CORPUS[1:], more]), changed, "valve import")
    assert loaded.rank("насос")[1].path == "a.md"  # the file it was mapped from is still there


def test_the_same_documents_give_the_same_bytes(saved: Path, tmp_path: Path) -> None:
    RankIndex.build(CORPUS[::-1]).save(tmp_path / "other")
    assert (tmp_path / "other").read_bytes() == saved.read_bytes()
    RankIndex.build(CORPUS[1:]).updated(added=CORPUS[:1]).save(tmp_path / "changed")
    assert (tmp_path / "changed").read_bytes() == saved.read_bytes()


def test_only_the_owner_may_read_it_and_nothing_else_is_left(saved: Path) -> None:
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert list(saved.parent.iterdir()) == [saved]


@pytest.mark.parametrize(
    "corpus",
    [
        CORPUS[1:],
        [*CORPUS, Document("new", "")],
        [Document("a.md", "changed"), *CORPUS[1:]],
        [Document("renamed.md", CORPUS[0].content), *CORPUS[1:]],
        [*CORPUS[:2], Document("README", "x")],
        [Document("a.md", CORPUS[0].content, language="c"), *CORPUS[1:]],
        "0" * 64,
    ],
)
def test_an_index_of_other_documents_is_refused(saved: Path, corpus: list[Document] | str) -> None:
    with pytest.raises(RankIndexError, match="another corpus"):
        RankIndex.load(saved, corpus)


def test_an_index_of_other_options_is_refused(saved: Path) -> None:
    with pytest.raises(RankIndexError, match="another set of options"):
        RankIndex.load(saved, CORPUS, options=RankOptions(stem=True))


def test_what_counts_at_a_question_alone_may_be_another(saved: Path) -> None:
    options = RankOptions(carry_over_bonus=50)
    loaded = RankIndex.load(saved, CORPUS, options=options)
    assert loaded.options == options
    assert_equal(loaded, RankIndex.build(CORPUS, options=options), "valve")
    previous = {"src/b.py": CORPUS[1].sha256}
    assert [one.path for one in loaded.rank("valve", previous=previous)][1] == "src/b.py"


def test_arrays_beside_an_index_stay_when_it_is_saved_again(saved: Path) -> None:
    numbers, shares = np.arange(3), np.array([0.5, 0.25])
    RankIndex.load(saved, CORPUS).save(saved, beside={"numbers": numbers, "shares": shares})
    RankIndex.load(saved, CORPUS).save(saved)
    RankIndex.load(saved, CORPUS).save(saved, beside={"numbers": numbers + 1})
    beside = RankIndex.load(saved, CORPUS).beside
    assert sorted(beside) == ["numbers", "shares"]
    assert beside["numbers"].tolist() == [1, 2, 3]
    assert beside["shares"].tolist() == [0.5, 0.25]


@pytest.mark.parametrize(
    "beside", [{"x": [1]}, {"x": np.array(["a"])}, {"x": np.array([None])}, {1: np.arange(2)}, [1]]
)
def test_nothing_but_arrays_of_numbers_is_kept_beside(saved: Path, beside: Any) -> None:
    before = saved.read_bytes()
    with pytest.raises(ConfigurationError, match="beside"):
        RankIndex.build(CORPUS).save(saved, beside=beside)
    assert saved.read_bytes() == before


def test_one_path_twice_is_refused(saved: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"a\.md"):
        RankIndex.load(saved, [*CORPUS, CORPUS[0]])


@quick
@given(st.data())
def test_damage_is_never_used(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("ranks") / "index"
    RankIndex.build(CORPUS).save(path)
    whole = path.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    damage = data.draw(st.sampled_from(["flip", "cut", "grow", "drop"]))
    damaged = {
        "flip": whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :],
        "cut": whole[:at],
        "grow": whole + whole[at:],
        "drop": whole[:at] + whole[at + 1 :],
    }[damage]
    path.write_bytes(damaged)
    with pytest.raises(RankIndexError):
        RankIndex.load(path, CORPUS)


@pytest.mark.parametrize("content", [b"", b"x", b"SQLite format 3\0" * 100, bytes(1000)])
def test_foreign_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "index").write_bytes(content)
    with pytest.raises(RankIndexError):
        RankIndex.load(tmp_path / "index", CORPUS)


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    index = RankIndex.build(CORPUS)
    for path in (tmp_path / "missing", tmp_path, tmp_path / "a\0b"):
        with pytest.raises(RankIndexError):
            RankIndex.load(path, CORPUS)
    for path in (tmp_path / "missing" / "index", tmp_path, tmp_path / "a\0b"):
        with pytest.raises(RankIndexError):
            index.save(path)
    assert list(tmp_path.iterdir()) == []
