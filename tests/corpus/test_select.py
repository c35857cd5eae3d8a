from __future__ import annotations

import builtins
import os
import random
import re
import socket
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from orchestrator_context.corpus import Corpus, Reduction, SelectOptions, parse, plan, select
from orchestrator_context.corpus.report import Strategy
from orchestrator_context.dedup import DedupOptions
from orchestrator_context.events import ContextReduced, Event
from orchestrator_context.exceptions import ConfigurationError, UnknownWindowError
from orchestrator_context.models import Budget, Document
from orchestrator_context.rank import RankIndex, RankOptions
from orchestrator_context.tokens import token_counter
from tests.corpus.corpora import QUERY, STRATEGIES, CharacterCounter, counters, forms, station
from tests.linear import assert_linear, repeating

ALL = Budget(100_000)
BIG = "All work and no play makes a dull pump. " * 200


def chosen(
    documents: Any, tokens: int, strategy: str = "ranked", query: str = QUERY, **changes: object
) -> Reduction:
    options = SelectOptions().merged(strategy=strategy, **changes)
    return select(documents, query, budget=Budget(tokens), options=options)


def paths(reduction: Reduction) -> list[str]:
    return [one.path for one in reduction.documents]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_all_that_fits_is_sent(strategy: str) -> None:
    reduction = select(
        station(), QUERY, budget=ALL, options=SelectOptions().merged(strategy=strategy)
    )
    assert reduction.complete
    assert reduction.binding == ()
    assert reduction.collapsed_exact == 1
    assert reduction.omitted == 0
    assert reduction.strategy == strategy
    assert all(form == ["whole"] for form in forms(reduction).values())


def test_auto_is_whole_where_that_fits_and_else_tiered() -> None:
    whole = select(station(), QUERY, budget=ALL, options=SelectOptions(strategy="whole"))
    auto = select(station(), QUERY, budget=ALL)
    assert (auto.text, auto.strategy, auto.representation) == (whole.text, "auto", "whole")
    short = Budget(whole.tokens - 1)
    assert select(station(), QUERY, budget=short).representation == "tiered"
    assert chosen(station(), whole.tokens - 1, "whole").representation == "ranked"
    assert select(station(), QUERY, budget=Budget(whole.tokens)).representation == "whole"


def test_one_token_short_of_all_leaves_next_to_nothing_out() -> None:
    whole = select(station(), QUERY, budget=ALL)
    for strategy in ("whole", "ranked", "tiered", "packed"):
        reduction = chosen(station(), whole.tokens - 1, strategy)
        assert not reduction.complete
        assert reduction.binding == ("tokens",)
        assert reduction.tokens > 0.9 * whole.tokens


def test_bodies_are_sent_where_there_is_room_beside_the_declarations() -> None:
    files = [one for one in station() if one.path.startswith("src/pump")]
    total = sum(token_counter().count(one.content) for one in files)
    reduction = chosen(files, total * 3 // 4, "tiered")
    assert "return pressure > limit" in reduction.text
    assert reduction.tokens > total * 3 // 4 * 0.9
    assert not reduction.complete


def test_a_small_document_comes_in_after_a_large_one_did_not() -> None:
    documents = [Document("pump.md", "pump pressure stop " * 400), Document("z.md", "pump")]
    reduction = chosen(documents, 60)
    assert paths(reduction) == ["z.md"]
    assert reduction.binding == ("tokens",)


def test_the_ceiling_of_documents_binds_alone() -> None:
    for strategy in ("ranked", "tiered", "packed"):
        options = SelectOptions().merged(strategy=strategy)
        reduction = select(station(), QUERY, budget=Budget(9_000, max_items=3), options=options)
        assert len(reduction.documents) == 3
        assert reduction.binding == ("document count",)


def test_parts_of_one_document_count_once() -> None:
    documents = [Document(f"{name}.md", BIG) for name in "ab"]
    options = SelectOptions(strategy="packed", chunk_tokens=50, collapse_duplicates=False)
    reduction = select(documents, QUERY, budget=Budget(900, max_items=1), options=options)
    assert reduction.fidelities == ("partial",)
    assert reduction.parts_selected > 5
    assert reduction.tokens > 800


def test_bytes_are_a_ceiling_of_their_own() -> None:
    reduction = select(station(), QUERY, budget=Budget(max_bytes=1_500))
    assert 1_200 < reduction.size_bytes <= 1_500
    assert reduction.binding == ("bytes",)


def test_equal_documents_stand_there_once_with_a_pointer() -> None:
    for strategy in ("whole", "ranked", "tiered", "packed"):
        reduction = chosen(station(), 100_000, strategy)
        pointers = [one for one in parse(reduction.text) if one.fidelity == "pointer"]
        assert [(one.path, one.same_as, one.identical) for one in pointers] == [
            ("src/old/a.py", "src/a.py", True)
        ]
        assert reduction.text.count("VALUE = 1\n") == 1
        assert reduction.complete


def test_what_its_equal_stands_for_is_left_out_with_it() -> None:
    documents = [Document("a.md", BIG), Document("b.md", BIG), Document("c.md", "A pump.")]
    reduction = chosen(documents, 60)
    assert paths(reduction) == ["c.md"]
    assert (reduction.collapsed_exact, reduction.omitted) == (0, 2)


def test_pointers_never_keep_a_document_out() -> None:
    copies = [Document(f"src/deep/{number}/__init__.py", "") for number in range(50)]
    reduction = chosen([*copies, Document("notes.md", "The lamp is red. " * 20)], 160)
    assert "notes.md" in paths(reduction)
    assert reduction.tokens > 130


def test_similar_documents_collapse_if_asked_and_that_is_a_loss() -> None:
    base = " ".join(f"word{number} pump" for number in range(80))
    documents = [
        Document("a.md", base + " end"),
        Document("b.md", base + " fin"),
        Document("pin.md", base + " pin", pinned=True),
    ]
    assert chosen(documents, 5_000).complete
    reduction = chosen(documents, 5_000, dedup=DedupOptions(threshold=0.5))
    assert (reduction.collapsed_near, reduction.omitted, reduction.complete) == (2, 0, False)
    assert reduction.text.count('similar-to="pin.md"') == 2
    assert not any(one.same_as in ("a.md", "b.md") for one in parse(reduction.text))


NOTES = [
    Document(f"n{at}.md", "Mentions a pump once. " + "filler words here " * 60 + str(at))
    for at in range(20)
]


def test_a_document_is_worth_as_much_as_the_best_of_its_copies() -> None:
    text = "\n".join(f"It is said in line {at} where the valve is." for at in range(30))
    documents = [Document("a.md", text), Document("guide/pump/pump.md", text), *NOTES]
    assert RankIndex.build(documents).rank("pump")[0].path == "guide/pump/pump.md"
    scores = {one.path: 1.0 for one in documents} | {"guide/pump/pump.md": 9.0}
    for strategy, given in (
        ("ranked", None),
        ("ranked", scores),
        ("tiered", scores),
        ("packed", scores),
    ):
        options = SelectOptions().merged(strategy=strategy, render_order="rank")
        reduction, other = (
            select(order, "pump", budget=Budget(1_500), options=options, scores=given)
            for order in (documents, documents[::-1])
        )
        assert paths(reduction)[0] == "a.md"
        assert reduction.collapsed_exact == 1
        assert reduction == other


def test_scores_for_parts_of_a_copy_are_for_those_of_what_stands_for_it() -> None:
    text = "\n\n".join(f"Paragraph {at} is on soup and bread." * 4 for at in range(60))
    corpus = Corpus(
        [Document("a.md", text), Document("deep/b.md", text), *NOTES],
        options=SelectOptions(strategy="packed", chunk_tokens=60),
    )
    wanted = corpus.chunks("deep/b.md")[-1]
    scores = {chunk.source: 1.0 for one in NOTES for chunk in corpus.chunks(one.path)}
    scores |= {chunk.source: -1.0 for chunk in corpus.chunks("a.md")} | {wanted.source: 9.0}
    reduction = select(corpus, "", budget=Budget(150), scores=scores)
    assert "Paragraph 59 is" in reduction.text
    assert "a.md" in paths(reduction)


@pytest.mark.parametrize(("strategy", "tokens"), [("ranked", 300), ("packed", 150)])
def test_what_stands_for_a_selected_document_is_preferred_as_that_was(
    strategy: str, tokens: int
) -> None:
    kept = RankOptions(carry_over_bonus=50.0)
    options = SelectOptions().merged(strategy=strategy, rank=kept, chunk_tokens=60)
    text = "\n\n".join(f"Paragraph {at} is on the lamp." * 4 for at in range(8))
    old = Document("deep/b.md", text)
    first = select([old], "lamp 3", budget=Budget(tokens), options=options)
    assert first.count("partial") == (strategy == "packed")
    again, new = (
        select(
            [Document("a.md", text), old, *NOTES[:5]],
            "pump",
            budget=Budget(tokens),
            options=options,
            previous=before,
        )
        for before in (first.state(), None)
    )
    assert ("a.md" in paths(again), again.carried_over) == (True, 1)
    assert ("a.md" in paths(new), new.carried_over) == (False, 0)
    assert again.lines == first.lines


STEPS = "\n".join(
    f"Step {at}: open the lid, check the seal, close the lid and write the reading down."
    for at in range(1, 60)
)
OWNERS = [
    Document("a.md", STEPS + "\nOwner is Miller."),
    Document("c.md", STEPS + "\nOwner is Smith."),
    Document("ops/b.md", STEPS + "\nOwner is Kowalski."),
    Document("ops/old/b.md", STEPS + "\nOwner is Kowalski."),
]


@pytest.mark.parametrize("strategy", ["auto", "whole"])
def test_similar_documents_do_not_collapse_where_all_fit(strategy: str) -> None:
    options = SelectOptions.recommended().merged(strategy=strategy)
    whole = select(OWNERS, "Kowalski", budget=Budget(4_500), options=options)
    assert paths(whole) == ["a.md", "c.md", "ops/b.md"]
    assert (whole.collapsed_exact, whole.collapsed_near, whole.complete) == (1, 0, True)
    least = select(OWNERS, "Kowalski", budget=Budget(whole.tokens), options=options)
    assert least.text == whole.text
    less = select(OWNERS, "Kowalski", budget=Budget(whole.tokens - 1), options=options)
    assert (less.representation, less.collapsed_near, less.complete) == ("whole", 1, False)
    assert less.tokens < 0.8 * whole.tokens


@pytest.mark.parametrize(("asked", "path"), [("Miller", "a.md"), ("Kowalski", "ops/b.md")])
def test_of_two_similar_ones_the_one_that_answers_stands_for_the_other(
    asked: str, path: str
) -> None:
    options = SelectOptions.recommended().merged(strategy="ranked")
    two = [OWNERS[0], *OWNERS[2:]]
    reduction = select(two, asked, budget=Budget(4_500), options=options)
    assert paths(reduction) == [path]
    assert f"Owner is {asked}." in reduction.text
    pointers = [one for one in parse(reduction.text) if one.fidelity == "pointer"]
    assert {one.path for one in pointers} == {one.path for one in two} - {path}
    assert {one.same_as for one in pointers} == {path}
    assert select(two[::-1], asked, budget=Budget(4_500), options=options) == reduction


@pytest.mark.parametrize("asked", ["Miller", "Smith", "Kowalski"])
def test_of_more_the_one_that_answers_is_there_too(asked: str) -> None:
    options = SelectOptions.recommended().merged(strategy="ranked")
    reduction = select(OWNERS, asked, budget=Budget(4_500), options=options)
    assert f"Owner is {asked}." in reduction.text
    assert len(reduction.documents) <= 2
    for pointer in (one for one in parse(reduction.text) if one.fidelity == "pointer"):
        assert pointer.same_as == "a.md" or pointer.path == "ops/old/b.md"
    assert select(OWNERS[::-1], asked, budget=Budget(4_500), options=options) == reduction


def test_a_pinned_document_stands_for_similar_ones_whatever_is_asked() -> None:
    documents = [*OWNERS[1:], Document("a.md", OWNERS[0].content, pinned=True)]
    options = SelectOptions.recommended().merged(strategy="ranked")
    reduction = select(documents, "Kowalski", budget=Budget(4_500), options=options)
    assert paths(reduction) == ["a.md"]


def test_the_default_settings_are_no_settings() -> None:
    for tokens in (60, 300, 3_000, 100_000):
        plain = select(station(), QUERY, budget=Budget(tokens))
        assert select(station(), QUERY, budget=Budget(tokens), options=SelectOptions()) == plain


@pytest.mark.parametrize("name", ["default", "recommended"])
def test_a_budget_is_never_passed(name: str) -> None:
    base = SelectOptions() if name == "default" else SelectOptions.recommended()
    count = token_counter().count
    for strategy in STRATEGIES:
        corpus = Corpus(station(), options=base.merged(strategy=strategy))
        for tokens in (1, 2, 5, 10, 17, 18, 40, 200, 700, 1_500, 4_000):
            reduction = select(corpus, QUERY, budget=Budget(tokens))
            assert count(reduction.text) == reduction.tokens <= tokens
            assert len(reduction.text.encode()) == reduction.size_bytes


def test_a_budget_for_nothing_gives_no_text_and_says_so() -> None:
    reduction = chosen(station(), 1)
    assert (reduction.text, reduction.tokens, reduction.representation) == ("", 0, "none")
    assert not reduction.fits
    assert not reduction.complete
    assert reduction.binding == ("tokens",)
    assert "does NOT FIT" in reduction.summary()


def test_many_small_folders_do_not_break_the_budget() -> None:
    documents = [Document(f"folder{at}/f.py", f"def f{at}(): ...\n" * 30) for at in range(400)]
    for tokens in (60, 500, 2_000, 8_000):
        reduction = chosen(documents, tokens, "tiered")
        assert reduction.tokens <= tokens
        assert reduction.overview_documents == (400 if tokens > 100 else 0)
    options = SelectOptions(strategy="tiered")
    small = select(documents, QUERY, budget=Budget(max_bytes=2_000), options=options)
    assert small.size_bytes <= 2_000


def test_an_overview_keeps_to_its_share() -> None:
    for share in (0.05, 0.3, 1.0):
        reduction = chosen(station(), 800, "tiered", overview_share=share)
        overview = [one for one in parse(reduction.text) if one.fidelity == "overview"]
        tokens = sum(token_counter().count(one.content) for one in overview)
        assert len(overview) == 1
        assert tokens <= 800 * share


def test_digests_are_shown_if_there_is_room_sorted_by_name() -> None:
    digests = {"src/valve": "Valves close.", "src/pump": "Pumps stop."}
    options = SelectOptions(strategy="tiered")
    corpus = Corpus(station(), options=options, digests=digests)
    reduction = select(corpus, QUERY, budget=Budget(1_000))
    assert reduction.digests == 2
    assert [one.path for one in parse(reduction.text) if one.fidelity == "digest"] == sorted(
        digests
    )
    assert select(corpus, QUERY, budget=Budget(60)).digests == 0


def test_pinned_documents_are_whole_and_first() -> None:
    pinned = Document.of("zzz/pinned.txt", "Nothing on the matter. " * 10, pinned=True)
    for strategy in ("ranked", "tiered", "packed"):
        for options in (SelectOptions(), SelectOptions(selection_order="density", diversity=0.9)):
            changed = options.merged(strategy=strategy, chunk_tokens=8, render_order="rank")
            reduction = select([*station(), pinned], QUERY, budget=Budget(150), options=changed)
            assert forms(reduction)["zzz/pinned.txt"] == ["whole"]
            documents = [one for one in parse(reduction.text) if one.fidelity == "whole"]
            assert documents[0].path == "zzz/pinned.txt"


def test_a_pinned_document_that_does_not_fit_is_named() -> None:
    documents = [Document("big.md", BIG, pinned=True), Document("small.md", "The lamp.")]
    for strategy in STRATEGIES:
        reduction = chosen(documents, 100, strategy)
        assert reduction.required_omitted == ("big.md",)
        assert not reduction.fits
        assert "1 pinned OMITTED" in reduction.summary()
        assert "big.md" not in repr(reduction.metadata())


def test_a_pinned_copy_is_there_by_its_pointer() -> None:
    copies = [Document(f"{name}.md", "Same.", pinned=True) for name in "ab"]
    reduction = chosen([*copies, *station()], 120)
    assert reduction.required_omitted == ()
    assert 'path="b.md" same-as="a.md"' in reduction.text


def test_comments_go_where_the_whole_does_not_fit() -> None:
    comments = "".join(f"# nothing of interest, number {at}\n" for at in range(100))
    document = Document.of("src/pump.py", comments + "def stop():\n    return 9\n")
    for tokens in (80, 900, 1_500, 3_000):
        reduction = chosen([document], tokens, compacts=True)
        assert reduction.tokens <= tokens
        assert reduction.count("compact") == (0 if reduction.complete else len(paths(reduction)))
    reduction = chosen([document], 600, compacts=True)
    assert paths(reduction) == ["src/pump.py"]
    [element] = parse(reduction.text)
    assert element.fidelity == "compact"
    assert element.elided_lines >= 100
    assert chosen([document], 600).documents == ()


def test_the_part_that_answers_is_taken_from_a_long_document() -> None:
    filler = "".join(f"Line {at} is on soup and bread.\n\n" for at in range(600))
    text = filler + "The pump stops at too much pressure, which is 9 bar.\n\n" + filler
    reduction = chosen([Document("book.md", text)], 150, "packed", chunk_tokens=60)
    assert "which is 9 bar" in reduction.text
    [element] = [one for one in parse(reduction.text) if "9 bar" in one.content]
    first, last = element.lines[0]
    assert "\n".join(text.split("\n")[first - 1 : last]) == element.content


def test_a_word_of_a_part_is_as_rare_as_it_is_in_the_corpus() -> None:
    others = [Document(f"o{at}.md", f"The lamp of the station, {at}.") for at in range(60)]
    paragraphs = [f"Number {at} is on zirconium, for it is hard and grey." for at in range(80)]
    paragraphs[40] = "Number 40 is on the lamp of the station, which is not."
    book = Document("book.md", "\n\n".join(paragraphs))
    reduction = chosen([*others, book], 70, "packed", query="zirconium station")
    assert "on zirconium" in reduction.text
    assert "of the station" not in reduction.text


def test_neighbours_are_joined_and_all_of_them_are_the_document() -> None:
    document = Document("book.md", "".join(f"Line {at}.\n" for at in range(200)))
    reduction = chosen([document], 700, "packed", query="", chunk_tokens=20)
    [element] = parse(reduction.text)
    assert element.fidelity == "partial"
    assert reduction.parts_selected > 10
    everything = chosen([document], 5_000, "packed", query="", chunk_tokens=20)
    assert forms(everything) == {"book.md": ["whole"]}
    assert everything.complete


def test_the_same_selection_gives_the_same_bytes_for_any_question() -> None:
    documents = [Document("a.md", "pump"), Document("b.md", "lamp"), Document("c.md", "valve")]
    texts = {chosen(documents, 200, query=query).text for query in ("pump", "lamp", "valve", "")}
    assert len(texts) == 1
    ranked = chosen(documents, 200, query="valve", render_order="rank")
    assert paths(ranked)[0] == "c.md"


def test_density_takes_the_short_one_of_two_that_answer() -> None:
    filler = "The lamp is red and it is on. " * 60
    documents = [
        Document("long.md", "pump pressure " * 3 + filler),
        Document("s.md", "pump pressure"),
    ]
    options = {"query": "pump pressure", "selection_order": "density"}
    assert paths(chosen(documents, 60, **options)) == ["s.md"]


def test_density_takes_the_short_one_first_and_rank_the_better_one() -> None:
    documents = [
        Document("long.md", "pump pressure valve " + "The lamp is red. " * 14),
        Document("s.md", "pump pressure, on a lamp"),
    ]
    options = {"query": "pump pressure valve"}
    assert paths(chosen(documents, 95, **options)) == ["long.md"]
    assert paths(chosen(documents, 95, selection_order="density", **options)) == ["s.md"]


def test_a_bonus_weighs_as_much_by_density_as_by_rank() -> None:
    filler = "The lamp is red and it is on. " * 60
    documents = [Document("a.md", "pump pressure " + filler), Document("b.md", "lamp " + filler)]
    budget = Budget(token_counter().count(documents[0].content) + 30)
    rank = RankOptions(carry_over_bonus=0.1)
    for order in ("rank", "density"):
        options = SelectOptions().merged(strategy="ranked", selection_order=order, rank=rank)
        first = select(documents[1:], "lamp", budget=budget, options=options)
        again = select(
            documents, "pump pressure", budget=budget, options=options, previous=first.state()
        )
        assert paths(again) == ["a.md"], order


def test_parts_follow_the_scores_of_their_documents_then_their_words() -> None:
    def book(word: str) -> str:
        lines = [f"Line {at} is on {word} and on bread, of some kind." for at in range(60)]
        lines[30] = f"Line 30 is on the pump that stops the {word}."
        return "\n\n".join(lines)

    documents = [Document("a.md", book("soup")), Document("b.md", "pump stops.\n\n" * 200)]
    options = SelectOptions(strategy="packed", chunk_tokens=32)
    scores = {"a.md": 9.0, "b.md": 0.5}
    reduction = select(documents, "pump stops", budget=Budget(200), options=options, scores=scores)
    assert paths(reduction) == ["a.md"]
    assert "stops the soup" in reduction.text


def test_diversity_takes_the_outlier_before_the_second_twin() -> None:
    twin = "pump valve pressure station repair manual fitter gauge "
    documents = [
        Document("a.md", twin * 4 + "one"),
        Document("b.md", twin * 4 + "two"),
        Document("c.md", "valve pump pressure repair " + "soup bread lunch kitchen cook " * 6),
    ]
    query = "pump valve pressure repair"
    assert paths(chosen(documents, 120, query=query)) == ["a.md", "b.md"]
    assert paths(chosen(documents, 120, query=query, diversity=0.9)) == ["a.md", "c.md"]


def test_scores_decide_and_what_has_none_comes_last() -> None:
    documents = [Document(f"{name}.md", f"{name} pump " * 20) for name in "abcd"]
    scores = {"c.md": -3.0, "b.md": -5.0, "unknown.md": 9.0}
    for strategy in ("ranked", "tiered", "packed"):
        for order in ("rank", "density"):
            options = SelectOptions().merged(
                strategy=strategy, selection_order=order, overview_share=0.01, render_order="rank"
            )
            reduction = select(documents, "a", budget=Budget(120), options=options, scores=scores)
            assert paths(reduction) == ["c.md", "b.md"], (strategy, order)
            planned = plan(documents, "a", budget=Budget(120), options=options, scores=scores)
            outlook = planned.option(strategy)
            assert outlook is not None
            assert outlook.tokens == reduction.tokens


def test_parts_can_be_scored() -> None:
    text = "".join(f"Line {at} is on soup.\n\n" for at in range(300))
    corpus = Corpus(
        [Document("a.md", text), Document("b.md", "pump")],
        options=SelectOptions(strategy="packed", chunk_tokens=40),
    )
    chunks = corpus.chunks("a.md")
    reduction = select(corpus, "pump", budget=Budget(80), scores={chunks[7].source: 0.9})
    assert chunks[7].text.strip() in reduction.text
    assert chunks[0].text.strip() not in reduction.text
    with pytest.raises(ConfigurationError, match="no document"):
        corpus.chunks("c.md")


@pytest.mark.parametrize("score", [float("nan"), float("inf"), "1", True, None])
def test_a_score_must_be_a_number(score: Any) -> None:
    with pytest.raises(ConfigurationError, match="finite"):
        select(station(), QUERY, budget=ALL, scores={"README.md": score})


@pytest.mark.parametrize("order", ["rank", "density"])
def test_what_was_selected_before_is_preferred(order: str) -> None:
    documents = [Document(f"{name}.md", f"pump {name} " * 20) for name in "abcd"]
    rank = RankOptions(carry_over_bonus=3.0)
    options = SelectOptions().merged(strategy="ranked", selection_order=order, rank=rank)
    first = select(documents, "c", budget=Budget(70), options=options)
    assert paths(first) == ["c.md"]
    again = select(documents, "pump", budget=Budget(70), options=options, previous=first.state())
    assert (paths(again), again.carried_over) == (["c.md"], 1)
    plain = options.merged(rank=RankOptions())
    other = select(documents, "pump", budget=Budget(70), options=plain, previous=first.state())
    assert paths(other) == ["a.md"]
    more = [*documents, Document("e.md", "lamp")]
    kept = select(more, "pump", budget=Budget(70), options=options, previous=first.state())
    assert "c.md" in paths(kept)
    changed = [one for one in documents if one.path != "c.md"] + [Document("c.md", "pump c" * 20)]
    fresh = select(changed, "pump", budget=Budget(70), options=options, previous=first.state())
    assert fresh.carried_over == 0


def test_one_event_tells_figures_only() -> None:
    events: list[Event] = []
    reduction = select(station(), QUERY, budget=Budget(900), observer=events.append)
    assert events == [reduction.event()]
    [event] = events
    assert isinstance(event, ContextReduced)
    assert (event.candidates, event.max_tokens) == (len(station()), 900)
    assert (event.omitted, event.binding) == (reduction.omitted, ", ".join(reduction.binding))
    told = f"{event} {reduction.summary()} {reduction.metadata()} {reduction!r}"
    told += str(plan(station(), QUERY, budget=Budget(900)).metadata())
    assert not re.search(r"src/|README|pressure|lunch|水", told)


@pytest.fixture
def sealed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    select(station(), QUERY, budget=Budget(500))  # vocabularies and the like are loaded once

    def refuse(*args: object, **kwargs: object) -> NoReturn:
        raise AssertionError("no input or output")

    with monkeypatch.context() as patch:
        patch.setattr(builtins, "open", refuse)
        patch.setattr(os, "open", refuse)
        patch.setattr(socket, "socket", refuse)
        yield


@pytest.mark.usefixtures("sealed")
def test_no_file_is_opened_and_nothing_is_sent() -> None:
    options = SelectOptions.recommended()
    for strategy in STRATEGIES:
        chosen_options = options.merged(strategy=strategy)
        assert select(station(), QUERY, budget=Budget(900), options=chosen_options).text
    assert plan(station(), QUERY, budget=Budget(900), options=options).best()


@pytest.mark.parametrize("value", [True, 10.5, float("nan"), 0, -1, "9"])
def test_a_ceiling_is_a_whole_number(value: Any) -> None:
    for name in ("max_tokens", "max_bytes", "max_items"):
        with pytest.raises(ConfigurationError, match=name):
            Budget(**{name: value})


def test_a_ceiling_is_needed() -> None:
    for budget in (Budget(), Budget.of(None)):
        with pytest.raises(UnknownWindowError, match="ceiling"):
            select(station(), QUERY, budget=budget)
        with pytest.raises(UnknownWindowError, match="ceiling"):
            plan(station(), QUERY, budget=budget)


def test_paths_must_differ() -> None:
    with pytest.raises(ConfigurationError, match="path"):
        select([Document("a", "1"), Document("a", "2")], "", budget=ALL)


def test_an_index_must_be_of_the_documents_and_options() -> None:
    index = RankIndex.build(station())
    with pytest.raises(ConfigurationError, match="not of these"):
        Corpus(station()[1:], index=index)
    with pytest.raises(ConfigurationError, match="other options"):
        Corpus(station(), index=index, options=SelectOptions(rank=RankOptions(stem=True)))
    warm = Corpus(station(), index=index)
    assert select(warm, QUERY, budget=Budget(700)) == select(station(), QUERY, budget=Budget(700))


def test_a_corpus_keeps_its_counter_and_what_it_was_compared_by() -> None:
    corpus = Corpus(station())
    assert corpus.tokens > 1_000
    with pytest.raises(ConfigurationError, match="counts by"):
        select(corpus, QUERY, budget=ALL, counter=token_counter("cl100k_base"))
    options = SelectOptions(dedup=DedupOptions(threshold=0.5))
    with pytest.raises(ConfigurationError, match=r"options\.dedup"):
        select(corpus, QUERY, budget=ALL, options=options)
    ranked = SelectOptions(strategy="ranked")
    assert select(corpus, QUERY, budget=Budget(500), options=ranked).strategy == "ranked"


def test_a_corpus_takes_no_other_function_of_the_same_name() -> None:
    corpus = Corpus(station(), counter=token_counter(lambda text: 1))
    with pytest.raises(ConfigurationError, match="lambda"):
        select(corpus, QUERY, budget=ALL, counter=token_counter(lambda text: len(text)))
    with pytest.raises(ConfigurationError, match="counts by"):
        plan(corpus, QUERY, budget=ALL, counter=token_counter(lambda text: len(text)))
    assert select(corpus, QUERY, budget=ALL, counter=corpus.counter).complete
    named = Corpus(station(), counter=token_counter(len, name="characters"))
    assert select(named, QUERY, budget=ALL, counter=token_counter(len, name="characters")).complete


def test_no_path_and_no_module_has_the_name_of_something_else() -> None:
    names = ("overview", "digest x", "pointer c.md", "pointer", "x", "c.md")
    paths = [f"{before}{name}" for before in ("", "\0") for name in names]
    documents = [Document(path, f"The pump {at}.") for at, path in enumerate(paths)]
    documents.append(Document("b.md", documents[paths.index("c.md")].content))
    digests = {"x": "On pumps.", "": "On all.", "c.md": "On c."}
    for strategy in STRATEGIES:
        options = SelectOptions().merged(strategy=strategy)
        corpus = Corpus(documents, options=options, digests=digests)
        reduction = select(corpus, "pump", budget=ALL)
        assert reduction.complete, strategy
        assert {one.path for one in documents} <= {one.path for one in parse(reduction.text)}
        if strategy == "tiered":
            assert (reduction.digests, reduction.overview_documents) == (3, len(documents))


def test_nothing_fits_where_no_document_does() -> None:
    documents = [Document(f"{name}.md", f"{name} word " * 500) for name in "ab"]
    for strategy in STRATEGIES:
        for tokens in range(9, 16):
            reduction = chosen(documents, tokens, strategy)
            assert reduction.documents == ()
            assert not reduction.fits
            assert reduction.summary().endswith("does NOT FIT")
        assert chosen(documents, 3_000, strategy).fits


@pytest.mark.parametrize("name", sorted(set(counters()) - {"rising"}))
@pytest.mark.parametrize("strategy", ["auto", "whole"])
@pytest.mark.parametrize("compacts", [False, True])
def test_all_is_sent_where_the_text_of_all_fits(
    name: str, strategy: Strategy, compacts: bool
) -> None:
    counter = counters()[name]
    documents = [Document(f"{at}.md", f"# {at}\n\nThe pump {at} stops.") for at in range(10)]
    documents.append(Document("copy.md", documents[0].content))
    options = SelectOptions(strategy=strategy, compacts=compacts, diversity=0.5)
    corpus = Corpus(documents, counter=counter)
    everything = select(corpus, "pump", budget=ALL, options=options)
    for fewer in (0, 1):
        budget = Budget(everything.tokens - fewer)
        reduction = select(corpus, "pump", budget=budget, options=options)
        assert reduction.complete is (not fewer)
        assert (reduction.representation == "whole") is (not fewer)
        assert (reduction.text == everything.text) is (not fewer)
        assert reduction.tokens <= everything.tokens - fewer
    bytes_only = Budget(max_bytes=everything.size_bytes - 1)
    assert not select(corpus, "pump", budget=bytes_only, options=options).complete
    items = Budget(everything.tokens, max_items=9)
    assert len(select(corpus, "pump", budget=items, options=options).documents) <= 9


def test_a_corpus_that_is_far_too_large_is_not_counted_to_find_that_out() -> None:
    documents = [Document(f"{at}.md", f"The pump {at} stops. " * 20) for at in range(500)]
    counter = CharacterCounter()
    options = SelectOptions(strategy="whole")
    corpus = Corpus(documents, options=options, counter=counter)
    reduction = select(corpus, "pump", budget=Budget(4_000), options=options)
    assert reduction.representation == "ranked"
    assert max(counter.asked) <= 4_000
    assert len(counter.asked) < 2 * len(documents)


def test_of_equal_pinned_documents_one_is_enough_where_a_pointer_does_not_fit() -> None:
    documents = [
        Document("a.md", "The pump stops.", pinned=True),
        Document("long/path/to/the/very/same/text.md", "The pump stops.", pinned=True),
    ]
    for strategy in STRATEGIES:
        tokens = chosen(documents[:1], 100, "ranked").tokens
        reduction = chosen(documents, tokens, strategy)
        assert [one.path for one in reduction.documents] == ["a.md"]
        assert (reduction.required_omitted, reduction.fits) == ((), True)
        assert reduction.omitted == 1
        nothing = chosen(documents, tokens - 1, strategy)
        assert len(nothing.required_omitted) == 2
    similar = [
        Document("a.md", "The pump stops at nine bar. " * 9, pinned=True),
        Document("b.md", "The pump stops at nine bar. " * 9 + "Or ten.", pinned=True),
    ]
    options = SelectOptions(strategy="ranked", dedup=DedupOptions(threshold=0.5))
    tokens = chosen(similar[:1], 1_000, "ranked").tokens
    kept = select(similar, "pump", budget=Budget(tokens), options=options)
    assert kept.required_omitted == ("b.md",)


def test_an_empty_corpus_fits_and_is_not_called_complete() -> None:
    for strategy in STRATEGIES:
        reduction = chosen([], 100, strategy)
        assert (reduction.complete, reduction.fits, reduction.documents) == (False, True, ())
        assert reduction.summary().endswith("NOTHING to read")
        assert reduction.text == '<docs format="1">\n</docs>\n'
    assert plan([], "", budget=Budget(9)).best() is None


def test_a_segment_holds_the_text_as_it_is() -> None:
    reduction = select(station(), QUERY, budget=Budget(500))
    segment = reduction.segment("system")
    assert (segment.content, segment.role, segment.locked) == (reduction.text, "system", True)
    assert reduction.segment().role == "user"
    with pytest.raises(ConfigurationError, match="placement"):
        reduction.segment("tool")  # type: ignore[arg-type]


def test_each_text_is_counted_about_once() -> None:
    counter = CharacterCounter()
    total = sum(len(one.content) for one in station())
    plan(station(), QUERY, budget=Budget(total // 2), counter=counter)
    assert sum(counter.asked) < 12 * total


@pytest.mark.parametrize("unit", ["a", "水", "🧠", " ", "ab \n", "\ud800", "f" * 64 + " "])
def test_one_long_text_is_no_trouble(unit: str) -> None:
    def run(text: str) -> None:
        documents = [Document("big.txt", text), Document("small.md", "The pump stops.")]
        for strategy in STRATEGIES:
            reduction = chosen(documents, 2_000, strategy)
            assert reduction.tokens <= 2_000
            assert "small.md" in paths(reduction)

    assert_linear(run, repeating(unit), small=20_000)


def words(count: int, seed: int) -> str:
    draw = random.Random(seed)
    return " ".join(f"w{draw.randrange(2_000)}" for _ in range(count))


def test_diversity_among_thousands_takes_time_near_linear_in_them() -> None:
    def make(count: int) -> Corpus:
        documents = [Document(f"d{at}.md", words(60, at)) for at in range(count)]
        return Corpus(documents, options=SelectOptions(strategy="ranked", diversity=0.5))

    def run(corpus: Corpus) -> None:
        reduction = select(corpus, "w1 w2 w3", budget=Budget(1_000_000))
        assert len(reduction.documents) == len(corpus.documents)

    assert_linear(run, make, small=125)


def test_the_time_is_near_linear_in_the_documents() -> None:
    options = SelectOptions(diversity=0.3, selection_order="density")

    def make(count: int) -> list[Document]:
        return [Document(f"f{at % 50}/d{at}.md", words(30, at)) for at in range(count)]

    def run(documents: list[Document]) -> None:
        for strategy in ("ranked", "tiered", "packed"):
            corpus = Corpus(documents, options=options.merged(strategy=strategy))
            select(corpus, "w1 w2 w3", budget=Budget(4_000))

    assert_linear(run, make, small=500)
