"""Newer statements replace, restate, withdraw and answer older ones; look-alikes stay."""

from __future__ import annotations

import pytest

from orchestrator_context.conversation.digest import digest, parse
from orchestrator_context.models import Segment
from orchestrator_context.tokens import token_counter
from tests.conversation.digest.pairs import DISTINCT, REPLACED

COUNTER = token_counter()


def summary(*said: str | Segment, rolling: bool = False) -> str:
    segments = [Segment(one) if isinstance(one, str) else one for one in said]
    if not rolling:
        return digest("", segments, max_tokens=400, counter=COUNTER)
    text = ""
    for segment in segments:
        text = digest(text, [segment], max_tokens=400, counter=COUNTER)
    return text


@pytest.mark.parametrize(("old", "new", "stale"), REPLACED)
@pytest.mark.parametrize("rolling", [False, True])
def test_a_newer_value_replaces_the_older(old: str, new: str, stale: str, rolling: bool) -> None:
    text = summary(old, new, rolling=rolling)
    assert stale not in text
    assert len(parse(text)) == 1


@pytest.mark.parametrize(("one", "other"), DISTINCT)
@pytest.mark.parametrize("rolling", [False, True])
def test_similar_words_about_other_things_stay(one: str, other: str, rolling: bool) -> None:
    assert {entry.text for entry in parse(summary(one, other, rolling=rolling))} == {one, other}


@pytest.mark.parametrize("rolling", [False, True])
def test_one_sentence_may_change_two_things(rolling: bool) -> None:
    said = "batch_size = 500\nworkers = 4\nretry_delay = 2s"
    new = "Raise batch_size to 2000, and retry_delay should be 500 ms."
    text = summary(said, new, rolling=rolling)
    assert {entry.text for entry in parse(text)} == {"workers = 4", new}


def test_the_last_of_many_values_stays() -> None:
    said = [f"The upload limit is {size} MB." for size in (5, 10, 20, 40)]
    assert summary(*said) == "# Limits\nThe upload limit is 40 MB."
    assert summary(*said, rolling=True) == summary(*said)


def test_a_stale_value_goes_in_every_wording() -> None:
    text = summary(
        "The budget for the party is 500 euros.",
        Segment("Understood, I will keep the party below 500 euros.", role="assistant"),
        "The party budget was raised to 800 euros.",
    )
    assert "500" not in text
    assert "800" in text


def test_what_else_a_sentence_said_stays() -> None:
    text = summary(
        "The ceremony is on 14 June at St. Mary's Church, and we expect about 120 guests.",
        "The ceremony moves to 21 June.",
    )
    assert "14 June" not in text
    assert "21 June" in text
    assert "120 guests" in text


@pytest.mark.parametrize(
    ("old", "new", "stays", "stale"),
    [
        (
            "Each node has 8 cores and 32 GB of memory.",
            "Each node now has 64 GB of memory.",
            "Each node has 8 cores",
            "32",
        ),
        (
            "The cap is 300 requests and 20 users.",
            "The cap is now 450 requests.",
            "The cap is 20 users.",
            "300",
        ),
        (
            "The meeting is at 10:00 in room 4.",
            "The meeting was moved to room 7.",
            "The meeting is at 10:00.",
            "room 4",
        ),
        (
            "The standup is on Monday 10:00 in room 4.",
            "The standup is now at 11:00.",
            "The standup is on Monday in room 4.",
            "10:00",
        ),
        (
            "Store the dump on drive 3 for 30 days.",
            "Store the dump on drive 5 from now on.",
            "Store the dump for 30 days.",
            "drive 3",
        ),
        (
            "Retries: 3, delay: 10 s, timeout: 30 s",
            "Timeout is 60 s now.",
            "Retries: 3, delay: 10 s",
            "30 s",
        ),
        ("timeout: 30\nretries: 3", "timeout: 60", "retries: 3", "30"),
        ("我们需要12把椅子和3张桌子。", "现在需要5张桌子。", "我们需要12把椅子", "3张"),
        (
            "Das Treffen ist um 10:00 in Raum 4.",
            "Das Treffen ist jetzt in Raum 7.",
            "Das Treffen ist um 10:00.",
            "Raum 4",
        ),
        (
            "Wir brauchen 12 Stühle und 3 Tische.",
            "Wir brauchen jetzt 5 Tische.",
            "Wir brauchen 12 Stühle",
            "3 Tische",
        ),
    ],
)
@pytest.mark.parametrize("rolling", [False, True])
def test_only_the_value_goes_that_counts_the_same(
    old: str, new: str, stays: str, stale: str, rolling: bool
) -> None:
    text = summary(old, new, rolling=rolling)
    assert {entry.text for entry in parse(text)} == {stays, new}
    assert stale not in text


@pytest.mark.parametrize(
    ("new", "told"),
    [
        ("The port is now 9090, no longer 8080.", "The port is now 9090."),
        ("The port is now 9090, not 8080.", "The port is now 9090."),
        ("The port was raised to 9090 from 8080.", "The port was raised to 9090."),
        ("The port changed to 9090 (was 8080).", "The port changed to 9090."),
        ("Der Port ist nun 9090 statt 8080.", "Der Port ist nun 9090."),
        ("El puerto ahora es 9090, no 8080.", "El puerto ahora es 9090."),
    ],
)
@pytest.mark.parametrize("rolling", [False, True])
def test_of_a_change_the_newer_value_is_told(new: str, told: str, rolling: bool) -> None:
    text = summary("The port is 8080.", new, rolling=rolling)
    assert [entry.text for entry in parse(text)] == [told]


@pytest.mark.parametrize(
    ("new", "told"),
    [
        (
            "The upload limit was increased from 300 MB to 450 MB.",
            "The upload limit was increased to 450 MB.",
        ),
        (
            "We changed the upload limit: 450 MB rather than 300 MB.",
            "We changed the upload limit: 450 MB.",
        ),
        (
            "The upload limit changed to 450 MB (was 300 MB).",
            "The upload limit changed to 450 MB.",
        ),
    ],
)
def test_an_older_value_goes_with_its_unit(new: str, told: str) -> None:
    text = summary("The upload limit is 300 MB.", new)
    assert [entry.text for entry in parse(text)] == [told]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The disk limit is 5 GB (5000 MB).", "The disk limit is now 8 GB."),
        ("The fee is 500 euros (about 540 dollars).", "The fee is now 600 euros."),
    ],
)
def test_the_same_in_another_unit_goes_along(old: str, new: str) -> None:
    assert [entry.text for entry in parse(summary(old, new))] == [new]


def test_a_condition_passes_to_the_successor() -> None:
    text = summary(
        "The budget is 500 euros. Never exceed it without my approval.",
        "The budget is now 800 euros.",
    )
    assert text.splitlines()[1:] == [
        "The budget is now 800 euros. Never exceed it without my approval."
    ]


@pytest.mark.parametrize(
    ("rule", "withdrawal"),
    [
        ("Never deploy on Fridays.", "Forget the rule about Friday deploys."),
        ("All commits must be signed.", "Signed commits are no longer needed."),
        ("The menu must have a vegan option.", "Drop the vegan option from the menu."),
        ("Alle Commits müssen signiert sein.", "Signierte Commits sind nicht mehr nötig."),
        ("Никогда не деплой по пятницам.", "Забудь про деплой по пятницам."),
    ],
)
def test_what_is_withdrawn_goes(rule: str, withdrawal: str) -> None:
    assert parse(summary(rule, withdrawal)) == ()


def test_a_withdrawal_takes_only_what_it_names() -> None:
    kept = "Passwords must be rotated every 30 days."
    text = summary(kept, "All commits must be signed.", "Signed commits are no longer needed.")
    assert [entry.text for entry in parse(text)] == [kept]


def test_a_finished_task_is_no_longer_open() -> None:
    text = summary("We need to write the migration script.", "The migration script is done.")
    assert [entry.text for entry in parse(text)] == ["The migration script is done."]


def test_an_answered_question_goes() -> None:
    text = summary(
        "Should we use Postgres or MySQL?", "We decided to use Postgres for the database."
    )
    assert [entry.kind for entry in parse(text)] == ["decision"]


@pytest.mark.parametrize("rolling", [False, True])
def test_a_bare_answer_keeps_its_question(rolling: bool) -> None:
    text = summary(
        Segment("Which region should I deploy to?", role="assistant"), "Frankfurt.", rolling=rolling
    )
    assert text == "# Decisions\n[Which region should I deploy to?] Frankfurt."


def test_what_the_assistant_repeats_is_said_once() -> None:
    text = summary(
        "The API listens on port 8080.", Segment("Noted: the API uses port 8080.", role="assistant")
    )
    assert text == "# Facts\nThe API listens on port 8080."


def test_a_repetition_keeps_the_newest_wording() -> None:
    text = summary("The API listens on port 8080.", "The port of the API is 8080.")
    assert text == "# Facts\nThe port of the API is 8080."


def test_the_assistant_cannot_quietly_change_what_the_user_said() -> None:
    text = summary("The deadline is 3 May.", Segment("The deadline is 9 May.", role="assistant"))
    assert "3 May" in text


def test_participants_speak_for_themselves() -> None:
    text = summary(
        Segment("I prefer the report in French.", author="alice"),
        Segment("I prefer the report in German.", author="bob"),
        Segment("I now prefer the report in Italian.", author="alice"),
    )
    assert [(entry.speaker, entry.text) for entry in parse(text)] == [
        ("bob", "I prefer the report in German."),
        ("alice", "I now prefer the report in Italian."),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The staging port is 8080.", "The production port is 8080."),
        ("Alice starts on Monday.", "Carol starts on Monday."),
        ("The upload limit is 5 MB.", "The download limit is 5 MB."),
        ("大人票价80元。", "儿童票价80元。"),
    ],
)
def test_the_same_value_of_two_things_is_two_facts(one: str, other: str) -> None:
    assert {entry.text for entry in parse(summary(one, other))} == {one, other}


def test_what_the_assistant_adds_to_a_known_value_stays() -> None:
    news = Segment("Port 8080 is blocked by the firewall of the hotel.", role="assistant")
    assert "firewall" in summary("The API listens on port 8080.", news)
