"""Documents without an answer never pose as one, and a result says where nothing was found."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.corpus import Corpus, SelectOptions, plan, select
from orchestrator_context.corpus.report import Strategy
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Budget, Document, Source
from orchestrator_context.words import words
from tests.corpus.corpora import STRATEGIES

LONG = Document("pump.md", "The pump stops at nine bar, and a valve opens. " * 400)
BLANKS = (Document("a.py", ""), Document("b.md", " \n\n"), Document("c.txt", "\ufeff\u200b\x00"))
LAMP = Document("lamp.md", "The lamp is red.")
EVERY = pytest.mark.parametrize("strategy", get_args(Strategy))


@EVERY
def test_nothing_to_see_is_never_chosen_where_something_is_left_out(strategy: Strategy) -> None:
    options = SelectOptions(strategy=strategy)
    for query in ("pump", "", "zebra", "a b c"):
        for tokens in range(9, 70, 3):
            reduction = select([LONG, *BLANKS], query, budget=Budget(tokens), options=options)
            assert {one.path for one in reduction.documents} <= {LONG.path}
            assert reduction.fits == bool(reduction.documents)


@EVERY
def test_where_all_else_is_there_so_is_what_has_nothing_to_see(strategy: Strategy) -> None:
    options = SelectOptions(strategy=strategy)
    reduction = select([LAMP, *BLANKS], "lamp", budget=Budget(500), options=options)
    assert reduction.complete
    assert select(BLANKS, "lamp", budget=Budget(500), options=options).complete


def test_what_is_pinned_is_there_even_if_there_is_nothing_to_see() -> None:
    pinned = Document("a.py", "", pinned=True)
    reduction = select([LONG, pinned], "", budget=Budget(25))
    assert reduction.documents == (pinned,)


@pytest.mark.parametrize("strategy", ["whole", "ranked"])
def test_no_other_document_poses_as_the_answer_that_does_not_fit(strategy: Strategy) -> None:
    options = SelectOptions(strategy=strategy)
    reduction = select([LONG, LAMP], "pump", budget=Budget(60), options=options)
    assert reduction.documents == ()
    assert (reduction.matches_available, reduction.matches_selected) == (1, 0)
    assert (reduction.fits, reduction.complete, reduction.binding) == (False, False, ("tokens",))
    assert "NONE of 1 that match, does NOT FIT" in reduction.summary()
    assert select([LONG, LAMP], "", budget=Budget(60), options=options).documents == (LAMP,)


def test_beside_a_document_that_matches_there_is_room_for_others() -> None:
    small = Document("valve.md", "A valve.")
    options = SelectOptions(strategy="ranked")
    reduction = select([LONG, LAMP, small], "valve", budget=Budget(60), options=options)
    assert reduction.documents == (LAMP, small)
    assert (reduction.matches_available, reduction.matches_selected) == (2, 1)
    assert reduction.fits


def test_what_was_sent_before_stays_where_that_counts_more() -> None:
    options = SelectOptions.from_mapping(
        {"strategy": "ranked", "rank": {"carry_over_bonus": 1_000}}
    )
    before = select([LAMP], "lamp", budget=Budget(60), options=options).state()
    corpus = [LONG, LAMP, Document("z.md", "Soup.")]
    reduction = select(corpus, "pump", budget=Budget(60), options=options, previous=before)
    assert reduction.documents == (LAMP,)
    assert not reduction.fits


def test_pinned_documents_stay_where_none_that_matches_fits() -> None:
    pinned = Document("rules.md", "Be brief.", pinned=True)
    options = SelectOptions(strategy="ranked")
    reduction = select([LONG, LAMP, pinned], "pump", budget=Budget(60), options=options)
    assert reduction.documents == (pinned,)
    assert not reduction.fits
    assert reduction.required_omitted == ()


@EVERY
def test_a_similar_or_equal_document_stands_for_one_that_matches(strategy: Strategy) -> None:
    twins = [Document("a/x.md", "Red lamp."), Document("pump/x.md", "Red lamp.")]
    options = SelectOptions(strategy=strategy)
    reduction = select([*twins, LONG], "pump", budget=Budget(60), options=options)
    assert (reduction.matches_available, reduction.matches_selected > 0) == (2, True)


@pytest.mark.parametrize("preset", [SelectOptions(), SelectOptions.recommended()])
@pytest.mark.parametrize("tokens", [40, 10_000])
@pytest.mark.parametrize("query", ["zebra quagga", "What does the zebra do at nine?", "斑马", "🦓"])
def test_a_plan_and_a_selection_say_that_nothing_was_found(
    query: str, tokens: int, preset: SelectOptions
) -> None:
    corpus = [Document("README.md", "Read me. The pump is at the wall."), LAMP, *BLANKS]
    corpus.append(Document("mod.py", "import lamp\nimport pump\n"))
    planned = plan(corpus, query, budget=Budget(tokens), options=preset)
    assert planned.matches == 0
    assert {one.relevance for one in planned.options} == {0}
    assert "NOTHING matches the question" in planned.summary()
    assert "%" not in planned.summary()
    reduction = select(corpus, query, budget=Budget(tokens), options=preset)
    assert (reduction.matches_available, reduction.matches_selected) == (0, 0)
    assert "NOTHING matches the question" in reduction.summary()


def test_without_a_question_nothing_is_said_of_matches() -> None:
    for query in ("", "?!", "\ud800"):
        planned = plan([LAMP], query, budget=Budget(100))
        assert planned.matches is None
        assert "match" not in planned.summary()
        reduction = select([LAMP], query, budget=Budget(100))
        assert reduction.matches_available is None
        assert "match" not in reduction.summary()


def test_a_question_of_small_words_alone_asks_for_those() -> None:
    planned = plan([LAMP, LONG], "the who", budget=Budget(100))
    assert planned.matches == 2


@given(
    st.lists(st.sampled_from(["pump", "lamp", "the lamp", "soup", "", " "]), max_size=7),
    st.sampled_from(["pump", "the lamp", "zebra", ""]),
    st.integers(9, 90),
    st.sampled_from(STRATEGIES),
)
def test_documents_that_do_not_match_are_there_only_beside_those_that_do(
    texts: list[str], query: str, tokens: int, strategy: Strategy
) -> None:
    corpus = [Document(f"{at}.md", f"{text} " * (1 + at * 7)) for at, text in enumerate(texts)]
    options = SelectOptions(strategy=strategy, collapse_duplicates=False)
    reduction = select(corpus, query, budget=Budget(tokens), options=options)
    word = query.rpartition(" ")[2]
    matches = {one.path for one in corpus if word and word in one.content}
    shown = {one.path for one in reduction.documents}
    assert reduction.matches_available == (len(matches) if word else None)
    assert reduction.matches_selected == len(matches & shown)
    if matches:
        assert not shown or shown & matches
    seen = {one.path for one in corpus if one.content.strip()}
    assert seen <= shown or shown <= seen


@given(st.sets(st.sampled_from(["pump", "lamp", "valve", "red", "md", "zebra", ""])))
def test_an_index_says_which_documents_hold_any_of_some_words(asked: set[str]) -> None:
    corpus = [LONG, LAMP, *BLANKS]
    held = {one.path for one in corpus if asked.intersection(words(f"{one.path}\n{one.content}"))}
    assert Corpus(corpus).index.holding(asked) == held


def test_scores_of_unknown_paths_are_counted_and_told() -> None:
    scores = {"lamp.md": 1.0, "gone.md": 2.0, "other.md": 0.5}
    corpus = [LAMP, Document("soup.md", "Soup.")]
    reduction = select(corpus, "lamp", budget=Budget(100), scores=scores)
    assert (reduction.unknown_scores, reduction.matches_available) == (2, 1)
    assert "2 scores of UNKNOWN paths" in reduction.summary()
    assert reduction.metadata()["unknown_scores"] == 2
    planned = plan(corpus, "lamp", budget=Budget(100), scores=scores)
    assert planned.unknown_scores == 2
    assert "2 scores of UNKNOWN paths" in planned.summary()
    parts = {Source("gone.md", 1, 2): 1.0, Source("lamp.md", 1, 1): 1.0}
    told = select(corpus, "lamp", budget=Budget(100), scores=parts)
    assert (told.unknown_scores, told.matches_available) == (1, 1)
    assert "UNKNOWN" not in select(corpus, "", budget=Budget(100), scores={}).summary()


@pytest.mark.parametrize("strategy", ["ranked", "packed"])
def test_so_are_scores_of_parts_that_are_none(strategy: str) -> None:
    options = SelectOptions().merged(strategy=strategy, chunk_tokens=20)
    long = Document("long.md", "\n\n".join(f"The lamp {at} is red." for at in range(40)))
    corpus = Corpus([long, Document("copy.md", long.content), LAMP], options=options)
    own = {one.source: 1.0 for path in ("long.md", "copy.md") for one in corpus.chunks(path)}
    assert select(corpus, "lamp", budget=Budget(90), scores=own).unknown_scores == 0
    other = own | {Source("long.md", 1, 999): 9.0, Source("gone.md", 1, 1): 1.0}
    told = select(corpus, "lamp", budget=Budget(90), scores=other)
    assert told.unknown_scores == 2
    assert "2 scores of UNKNOWN paths or parts" in told.summary()
    assert plan(corpus, "lamp", budget=Budget(90), scores=other).unknown_scores == 2


@pytest.mark.parametrize("scores", [{"lamb.md": 1.0}, {Source("lamb.md", 1, 1): 1.0}])
def test_scores_that_are_all_for_unknown_paths_are_refused_by_name(
    scores: dict[str, float] | dict[Source, float],
) -> None:
    for verb in (select, plan):
        for corpus in ([LAMP], Corpus([LAMP])):
            with pytest.raises(ConfigurationError, match=r"'lamb\.md'"):
                verb(corpus, "lamp", budget=Budget(100), scores=scores)
