"""Marks in notes stay tied to their passages, through merging, joining and moving."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.distill.notes import (
    MarkedNote,
    Passage,
    cited,
    joined,
    laid_out,
    understood,
)
from orchestrator_context.models import Chunk, Generation, Source
from orchestrator_context.prompts import MarkedText, read_marks
from orchestrator_context.reports import Citation
from orchestrator_context.source.chunk import passages
from orchestrator_context.tokens import token_counter

CHARS = token_counter(len, name="characters")


def place(line: int, path: str = "a") -> Passage:
    return Passage(Source(path, line, line))


THREE = [place(1), place(2), place(3)]
WHOLE = Passage(Source("a", 1, 3))


def note(text: str, places: list[Passage] = THREE) -> MarkedNote:
    found = understood(Generation(text), "S", places)
    assert found is not None
    return found


class TestUnderstood:
    def test_marks_become_passages(self) -> None:
        found = note("It waits [S3]. It runs [S1, S3].")
        assert found.passages == (THREE[2], THREE[0])
        assert found.marked.pieces == ("It waits ", 0, ". It runs ", 1, 0, ".")
        assert found.unknown == ()

    def test_marks_that_name_nothing_go_and_are_told(self) -> None:
        found = note("a [S0] b [S4] c [S2][S4].")
        assert found.unknown == ("[S0]", "[S4]")
        assert found.marked.plain == "a  b  c ."
        assert found.passages == (THREE[1],)

    def test_marks_of_another_prefix_are_text(self) -> None:
        found = understood(Generation("a [S1] [Q2]"), "Q", THREE)
        assert found is not None
        assert (found.marked.plain, found.passages) == ("a [S1] ", (THREE[1],))

    @pytest.mark.parametrize("text", ["No marks.", "Only bad ones [S9]."])
    def test_without_a_valid_mark_the_whole_is_cited(self, text: str) -> None:
        found = understood(Generation(text), "S", THREE, [WHOLE])
        assert found is not None
        assert found.passages == (WHOLE,)
        assert found.shown().text.endswith(". [S1]")
        assert note(text).passages == ()

    def test_with_a_valid_mark_the_whole_is_not_cited(self) -> None:
        found = understood(Generation("a [S2] [S9]"), "S", THREE, [WHOLE])
        assert found is not None
        assert found.passages == (THREE[1],)

    @pytest.mark.parametrize(
        "text",
        [
            "NOTHING RELEVANT",
            "nothing relevant",
            " \n**Nothing relevant.**\n",
            "`NOTHING RELEVANT`",
            "“NOTHING RELEVANT”",
            "NOTHING  RELEVANT!",
            "NOTHING\nRELEVANT",
            "NOTHING_RELEVANT",
            "- NOTHING RELEVANT",
            "# NOTHING RELEVANT",
            "NOTHING RELEVANT [S1]",
            "NOTHING RELEVANT [S1][S2].",
            "\ufeffNOTHING RELEVANT\r\n",
        ],
    )
    def test_nothing_relevant_is_no_note(self, text: str) -> None:
        assert understood(Generation(text), "S", THREE, [WHOLE]) is None

    @pytest.mark.parametrize(
        "text", ["NOTHING RELEVANT, except the pump [S1].", "NOTHING", "Nothing is relevant."]
    )
    def test_more_than_nothing_is_a_note(self, text: str) -> None:
        assert understood(Generation(text), "S", THREE, [WHOLE]) is not None

    def test_a_note_cut_off_is_said_to_be(self) -> None:
        cut = understood(Generation("a", finish_reason="length"), "S", THREE)
        assert cut is not None
        assert cut.truncated
        assert cut.shown().truncated
        assert not note("a").truncated

    def test_what_no_prompt_may_hold_is_cleaned(self) -> None:
        assert note(" high\ud83d\0\r\nlow ").marked.plain == "high\ufffd\ufffd\nlow"


class TestJoined:
    def test_notes_keep_their_sources(self) -> None:
        both = joined([note("x [S1]", [place(5)]), note("y [S1] z [S2]", [place(7), place(5)])])
        assert both.marked.pieces == ("x ", 0, "\n\n", "y ", 1, " z ", 0)
        assert both.passages == (place(5), place(7))

    def test_flags_and_unknown_marks_are_kept(self) -> None:
        cut = understood(Generation("b [S8]", finish_reason="length"), "S", THREE)
        assert cut is not None
        both = joined([note("a [S9]"), cut])
        assert both.truncated
        assert both.unknown == ("[S9]", "[S8]")

    def test_joining_one_changes_nothing(self) -> None:
        one = note("x [S2] y [S1].")
        assert joined([one]) == one


PLACES = [place(line, path) for path in "ab" for line in (1, 2, 3)]
NOTE = st.lists(
    st.one_of(st.sampled_from(["x ", "[S1]", "[q2] ", "\n", "水", "[S", "1]"]), st.integers(0, 5)),
    min_size=1,
    max_size=8,
)


def statements(marked: MarkedText, places: tuple[Passage, ...]) -> list[str | Passage]:
    return [piece if isinstance(piece, str) else places[piece] for piece in marked.pieces]


def built(raw: list[str | int]) -> MarkedNote:
    marked = MarkedText(tuple(raw)).renumbered(lambda index: index)
    numbers = {old: new for new, old in enumerate(marked.indexes)}
    return MarkedNote(marked.renumbered(numbers.get), tuple(PLACES[i] for i in marked.indexes))


@given(st.lists(NOTE, min_size=1, max_size=4))
def test_what_a_prompt_shows_reads_back_as_the_same_statements(raw: list[list[str | int]]) -> None:
    notes = [built(one) for one in raw]
    texts, prefix, places = laid_out(notes)
    assert len(set(places)) == len(places)
    for text, before in zip(texts, notes, strict=True):
        after = read_marks(text, prefix)
        assert statements(after, places) == statements(before.marked, before.passages)
    together = read_marks("\n\n".join(texts), prefix)
    assert together.indexes == joined(notes).marked.indexes


class TestShown:
    def test_marks_name_the_sources_in_order(self) -> None:
        shown = note("b [S2] a [S1]").shown()
        assert (shown.text, shown.sources) == ("b [S1] a [S2]", (THREE[1].source, THREE[0].source))

    def test_text_that_looks_like_a_mark_gets_other_letters_beside_it(self) -> None:
        found = understood(Generation("the key [S1] [Q2]"), "Q", THREE)
        assert found is not None
        assert found.shown().text == "the key [S1] [Q1]"


class TestCited:
    def test_marks_are_numbered_as_they_appear(self) -> None:
        both = joined([note("x [S3]"), note("y [S1] z [S3]")])
        text, citations = cited(both, {})
        assert text == "x [S1]\n\ny [S2] z [S1]"
        assert citations == (
            Citation("[S1]", THREE[2].source),
            Citation("[S2]", THREE[0].source),
        )

    def test_passages_that_the_text_does_not_cite_are_left_out(self) -> None:
        one = MarkedNote(MarkedText(("x ", 1)), (place(1), place(2)))
        assert cited(one, {}) == ("x [S1]", (Citation("[S1]", place(2).source),))

    def test_a_text_that_forges_marks_gets_others(self) -> None:
        one = MarkedNote(MarkedText(("say [S2] ", 0)), (place(1),))
        text, citations = cited(one, {})
        assert text == "say [S2] [Q1]"
        assert [citation.mark for citation in citations] == ["[Q1]"]

    def test_no_marks_no_citations(self) -> None:
        assert cited(note(" plain "), {}) == ("plain", ())


def located(content: str, source: Source) -> str:
    """Return the text at `source`, read by the definition of lines and columns."""
    lines = content.split("\n")[source.start_line - 1 : source.end_line]
    lines[-1] = lines[-1][: source.end_column]
    lines[0] = lines[0][source.start_column - 1 :]
    return "\n".join(lines)


BODY = "First one.\nSecond line is here.\nThird and last"
SURROUNDINGS = st.tuples(
    st.sampled_from(["", "intro ", "intro\n", "intro\n\nmore "]),
    st.sampled_from(["", " tail", "\n", "\nend"]),
)


def standing(path: str, before: str, behind: str) -> Source:
    """Return where `BODY` stands between the two texts."""
    line = before.count("\n") + 1
    column = len(before) - before.rfind("\n")
    whole = behind.startswith("\n") or not behind
    end = None if whole else len(BODY) - BODY.rfind("\n") - 1
    return Source(path, line, line + BODY.count("\n"), column, end)


class TestCopies:
    @given(SURROUNDINGS, SURROUNDINGS, st.integers(4, 60))
    def test_copies_are_cited_where_they_stand(
        self, around: tuple[str, str], elsewhere: tuple[str, str], size: int
    ) -> None:
        """A chunk that is equal to another holds the same passages at other lines and columns."""
        first, other = standing("first", *around), standing("other", *elsewhere)
        parts = passages(Chunk(BODY, first, 0, len(BODY)), size, counter=CHARS)
        places = tuple(Passage(part.source, b"digest") for part in parts)
        every = MarkedNote(MarkedText(tuple(range(len(places)))), places)
        _, citations = cited(every, {b"digest": (first, [other])})
        for part, citation in zip(parts, citations, strict=True):
            (moved,) = citation.copies
            assert moved.path == "other"
            for (before, behind), source in ((around, citation.source), (elsewhere, moved)):
                assert located(before + BODY + behind, source) == part.text.removesuffix("\n")

    def test_all_copies_are_told_and_others_are_not_touched(self) -> None:
        first, others = Source("a", 3, 5), [Source("b", 1, 3), Source("c", 10, 12)]
        copied, single = Passage(Source("a", 4, 4), b"x"), Passage(Source("d", 1, 1), b"y")
        one = MarkedNote(MarkedText((0, 1)), (copied, single))
        _, citations = cited(one, {b"x": (first, others)})
        assert citations[0].copies == (Source("b", 2, 2), Source("c", 11, 11))
        assert citations[1].copies == ()
