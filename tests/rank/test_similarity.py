from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.models import Document
from orchestrator_context.rank import RankIndex

WORDS = st.lists(st.sampled_from("pump valve lamp stop close 水泵 bar red".split()), max_size=12)


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_likeness_is_a_share_and_that_to_itself_is_all(texts: list[list[str]]) -> None:
    documents = [Document(f"{at}.md", " ".join(text)) for at, text in enumerate(texts)]
    index = RankIndex.build(documents)
    likeness = index.likeness(index.paths)
    for place, path in enumerate(index.paths):
        alike = likeness(path)
        assert alike.shape == (len(documents),)
        assert ((alike >= 0) & (alike <= 1)).all()
        assert alike[place] == pytest.approx(1.0, abs=1e-6)
        for other, name in enumerate(index.paths):
            assert alike[other] == pytest.approx(likeness(name)[place], abs=1e-6)


@given(st.lists(WORDS, min_size=1, max_size=6), st.data())
def test_likeness_is_the_same_whatever_is_asked_beside(
    texts: list[list[str]], data: st.DataObject
) -> None:
    index = RankIndex.build(Document(f"{at}.md", " ".join(text)) for at, text in enumerate(texts))
    some = data.draw(st.lists(st.sampled_from(index.paths), unique=True))
    everything, part = index.likeness(index.paths), index.likeness(some)
    for path in index.paths:
        alike = dict(zip(index.paths, everything(path), strict=True))
        assert part(path).tolist() == [alike[name] for name in some]


def test_what_shares_more_words_is_more_alike() -> None:
    texts = {"a.md": "the pump stops at nine bar", "b.md": "the pump stops at ten bar"}
    texts |= {"c.md": "a red lamp at the door", "d.md": "soup, bread, lunch"}
    index = RankIndex.build(Document(path, text) for path, text in texts.items())
    alike = dict(zip(index.paths, index.likeness(index.paths)("a.md"), strict=True))
    assert alike["a.md"] > alike["b.md"] > alike["c.md"] > alike["d.md"]


def test_of_a_long_document_the_weightiest_words_are_compared() -> None:
    long = " ".join(f"word{at}" for at in range(500))
    index = RankIndex.build([Document("a.md", long), Document("b.md", long + " end")])
    assert np.all(index.likeness(index.paths)("a.md") > 0.3)


def test_a_document_that_is_asked_for_twice_is_answered_twice() -> None:
    index = RankIndex.build([Document("a.md", "pump stop"), Document("b.md", "pump valve")])
    once = dict(zip(["a.md", "b.md"], index.likeness(["a.md", "b.md"])("a.md"), strict=True))
    given = ["b.md", "a.md", "b.md", "a.md"]
    assert index.likeness(given)("a.md").tolist() == [once[path] for path in given]
