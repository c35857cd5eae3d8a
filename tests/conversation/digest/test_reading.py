"""What is read from segments of all kinds."""

from __future__ import annotations

from orchestrator_context.conversation.digest import digest
from orchestrator_context.conversation.digest.data import data_lines, read_json
from orchestrator_context.conversation.digest.reading import read_previous, read_segments
from orchestrator_context.models import Segment
from orchestrator_context.tokens import token_counter


def texts(*segments: Segment) -> list[tuple[str, str]]:
    return [(said.speaker, said.text) for said in read_segments(segments)]


def test_a_turn_is_read_sentence_by_sentence() -> None:
    turn = Segment(
        "The port is 8080. The host is db-1.\n\n- Use TLS 1.3.\n- Log to /var/log/app.log"
    )
    assert texts(turn) == [
        ("user", "The port is 8080."),
        ("user", "The host is db-1."),
        ("user", "Use TLS 1.3."),
        ("user", "Log to /var/log/app.log"),
    ]


def parts(content: str) -> list[str]:
    return [part.text for said in read_segments([Segment(content)]) for part in said.parts]


def test_lines_that_stand_for_themselves_are_read_alone() -> None:
    assert parts("timeout: 30\nretries: 3\nThe rest\nstays.\nTODO: ask Ann\nabout it") == [
        "timeout: 30",
        "retries: 3",
        "The rest stays.",
        "TODO: ask Ann about it",
    ]


def test_items_are_read_without_their_numbers() -> None:
    plan = "Plan:\n1. Dump it\n\n   with care\n2) Copy 500 rows\n3. Check it"
    assert parts(plan) == ["Plan:", "Dump it", "with care", "Copy 500 rows", "Check it"]


def test_a_sentence_that_cannot_stand_alone_stays_with_the_one_before() -> None:
    turn = Segment("The budget is 500 euros. Never exceed it. The office is in Graz.")
    assert [text for _, text in texts(turn)] == [
        "The budget is 500 euros. Never exceed it.",
        "The office is in Graz.",
    ]


def test_tool_results_give_their_values_with_their_names() -> None:
    result = Segment(
        '{"id": "A-7", "cost": 1.50, "tags": ["x", "y"], "error": null, "deep": {"size": 1e3}}',
        role="tool", kind="tool_result", title="lookup",
    )  # fmt: skip
    assert texts(result) == [
        ("lookup", "id: A-7; cost: 1.50; tags: x; tags: y; error: null; deep.size: 1e3")
    ]


def test_tool_calls_say_what_was_asked_for() -> None:
    call = Segment('{"q": "roses"}', role="assistant", kind="tool_call", title="search")
    assert texts(call) == [("search", "called with q: roses")]
    raw = Segment("not json", role="assistant", kind="tool_call", title="search")
    assert texts(raw) == [("search", "called with not json")]


def test_code_is_left_out_but_for_errors() -> None:
    turn = Segment("It fails:\n```\nx = 1\nValueError: bad size 7\n```\nWhat now?")
    read = " ".join(text for _, text in texts(turn))
    assert "x = 1" not in read
    assert "ValueError: bad size 7" in read


def test_reasoning_schemas_and_blanks_are_skipped() -> None:
    assert texts(
        Segment("thinking", role="assistant", kind="reasoning"),
        Segment("{}", role="system", kind="tools"),
        Segment(" \u200b\n"),
        Segment("", kind="media"),
    ) == []  # fmt: skip


def test_an_earlier_summary_among_the_segments_keeps_its_speakers() -> None:
    summary = Segment("# Facts\n@bob: The port is 8080.", role="system", kind="summary")
    assert texts(summary) == [("bob", "The port is 8080.")]


def test_headings_of_a_foreign_summary_say_what_stands_under_them() -> None:
    foreign = "## Next steps\n- write the parser\n**Decisions**\n- Postgres for storage\n"
    assert [(said.kind, said.text) for said in read_previous(foreign)] == [
        ("task", "write the parser"),
        ("decision", "Postgres for storage"),
    ]


def test_long_sentences_are_cut_between_words_and_giant_words_left_out() -> None:
    words = " ".join(f"word{number}" for number in range(300))
    parts = [text for _, text in texts(Segment(words))]
    assert " ".join(parts) == words
    assert all(len(part) <= 400 for part in parts)
    assert texts(Segment("see " + "A1" * 300 + " for more details")) == [
        ("user", "see … for more details")
    ]


def test_a_long_run_without_spaces_is_not_cut_within_a_number() -> None:
    parts = [text for _, text in texts(Segment("数" * 397 + "1234567890" + "字" * 50))]
    assert parts[0] == "数" * 397
    assert parts[1].startswith("1234567890")


def test_json_that_is_none() -> None:
    for text in ("", "{", "[1,", "hello", "[" * 100_000, '"x"'):
        assert read_json(text) is None


def test_few_values_of_much_data() -> None:
    lines = list(data_lines([{"n": str(number)} for number in range(10_000)]))
    assert len(lines) < 60


def test_a_foreign_summary_is_updated_like_ours() -> None:
    previous = "The user builds a CLI in Rust. The API listens on port 8080. Never log the key."
    text = digest(
        previous, [Segment("Change the port to 9090.")], max_tokens=200, counter=token_counter()
    )
    assert "8080" not in text
    assert "9090" in text
    assert "@: Never log the key." in text


def test_articles_and_impersonal_phrases_point_back_to_nothing() -> None:
    for turn in (
        "Die Wohnung ist in Graz. Das Budget beträgt 500 Euro.",
        "La réunion est lundi. Il faut toujours fermer la porte.",
        "Le train part à 8:05. Les factures vont à a@b.example.",
        "The flat is in Graz. This house costs 900 euros.",
    ):
        assert len(texts(Segment(turn))) == 2
    assert len(texts(Segment("The code is X-12. Use it in every confirmation."))) == 1
    assert len(texts(Segment("The flat is in Graz. It costs 900 euros."))) == 1
