"""Parts of documents: their words are read once while the parts stay the same."""

from __future__ import annotations

import pytest

from orchestrator_context import Budget, Corpus, Document, RankIndex, SelectOptions, plan, select
from orchestrator_context.corpus import parse
from tests.corpus.corpora import station

PACKED = SelectOptions(strategy="packed")


def test_questions_share_the_words_of_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []
    build = RankIndex.build

    def counting(*given: object, **options: object) -> RankIndex:
        index = build(*given, **options)  # type: ignore[arg-type]
        built.append(len(index))
        return index

    corpus = Corpus(station())
    monkeypatch.setattr(RankIndex, "build", counting)
    questions = ("the pump", "a valve", "Is there a lamp?")
    found = [select(corpus, one, budget=Budget(1_500), options=PACKED) for one in questions]
    assert len(built) == 1
    plan(corpus, "the pump", budget=Budget(1_500))
    assert len(built) <= 2
    other = SelectOptions(strategy="packed", chunk_tokens=30)
    select(corpus, "the pump", budget=Budget(1_500), options=other)
    assert len(built) <= 3
    monkeypatch.undo()
    for question, one in zip(questions, found, strict=True):
        assert one == select(station(), question, budget=Budget(1_500), options=PACKED)


def section(word: str) -> str:
    return f"## {word}\n\n{'It is red, it is round and it is new. ' * 8}\n\n"


def test_what_stands_around_a_find_comes_before_what_has_nothing_to_do_with_it() -> None:
    middle = "".join(map(section, ("one", "two", "three", "zebra", "five", "six", "seven")))
    others = [Document(f"{name}.md", section(name) * 3) for name in ("a", "z")]
    options = SelectOptions(strategy="packed", chunk_tokens=100, diversity=0.0)
    found = select(
        [Document("m.md", middle), *others], "zebra", budget=Budget(400), options=options
    )
    assert {element.path for element in parse(found.text)} == {"m.md"}
    assert "three" in found.text
    assert "five" in found.text
    assert "one" not in found.text
