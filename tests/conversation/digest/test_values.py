"""Values: what an update would change."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.digest import patterns
from orchestrator_context.conversation.digest.lexicon import tokens
from orchestrator_context.conversation.digest.patterns import value_pattern
from orchestrator_context.conversation.digest.values import values


def found(text: str) -> list[tuple[str, str]]:
    return [(value.kind, value.text) for value in values(text, tokens(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs $1,200.50.", [("money", "$1,200.50")]),
        ("It costs five hundred dollars.", [("money", "five hundred dollars")]),
        ("Das kostet 500 Euro.", [("money", "500 Euro")]),
        ("预算是500元。", [("money", "500元")]),
        ("Due on 2027-03-05, or May 7.", [("date", "2027-03-05"), ("date", "May 7")]),
        ("bis zum 5. April", [("date", "5. April")]),
        ("截止3月5日", [("date", "3月5日")]),
        ("at 14:30 on Friday", [("clock", "14:30"), ("weekday", "Friday")]),
        ("see https://a.example/b?c=1.", [("url", "https://a.example/b?c=1")]),
        ("write to a.b@c.example.", [("email", "a.b@c.example")]),
        (
            "on branch feature/login-2 at 3f2a9bc",
            [("path", "feature/login-2"), ("hash", "3f2a9bc")],
        ),
        ("use parse_v2 and fooBar", [("id", "parse_v2"), ("id", "fooBar")]),
        ("in us-west-2 with v1.2.3", [("id", "us-west-2"), ("id", "v1.2.3")]),
        ("run `make all` now", [("code", "make all")]),
        ("called “Blue Sky” here", [("quote", "Blue Sky")]),
        ("up to 20% or 30 of them", [("number", "20%"), ("number", "30")]),
        ("30 s, 45s or 5 MB/s", [("duration", "30 s"), ("duration", "45s"), ("data", "5 MB/s")]),
        ("2 Wochen mit 8 Go", [("duration", "2 Wochen"), ("data", "8 Go")]),
        ("保留30天，450MB", [("duration", "30天"), ("data", "450MB")]),
        ("up to 300k, by 5G, let 5 go", [("number", "300k"), ("id", "5G"), ("number", "5")]),
        ("45s-build and 5ms3", [("id", "45s-build"), ("id", "5ms3")]),
        ("max_retries = 3, logLevel: 2", [("number", "3"), ("number", "2")]),
        ("owned by Priya Natarajan today", [("name", "Priya Natarajan")]),
        ("report in Pacific time", [("timezone", "Pacific time")]),
        ("Der Server steht im Keller.", []),
        ("and/or nothing to see", []),
    ],
)
def test_values(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_equal_values_have_equal_keys() -> None:
    (one,) = values("$1,200", tokens("$1,200"))
    (other,) = values("1200 dollars", tokens("1200 dollars"))
    assert one.key == other.key
    for same in (
        ("30 s", "30 seconds"),
        ("1,000 Mo", "1000MB"),
        ("5 MB/s", "5 MB/second"),
        ("４５秒", "45 s"),
    ):
        assert len({values(text, tokens(text))[0].key for text in same}) == 1
    assert values("5 s", tokens("5 s"))[0].key != values("5 min", tokens("5 min"))[0].key
    days = [values(text, tokens(text))[0].key for text in ("Friday", "Fridays")]
    assert days[0] == days[1]


def test_shapes_tell_families_of_identifiers() -> None:
    shapes = [value.shape for value in values("ABC-12 XY-9 a/b-1", tokens("ABC-12 XY-9 a/b-1"))]
    assert shapes == ["A-9", "A-9", "a/a-9"]


PIECES = """pump The valve läuft насос 水泵 I'd O'five a and may May märz août dreißig twenty three
    this euros dollar 元 12 5 月 日 12:30 v1.2 #7 fooBar parse_v2 API HTTPS a@b.cd ü@b.cd http://x.yz
    a/b/c `x` “q” . , - / € '""".split()


@given(st.lists(st.sampled_from([*PIECES, " ", " ", ": ", ". "]), max_size=14).map("".join))
@settings(max_examples=400, deadline=None)
def test_the_quicker_pattern_finds_all_that_the_other_one_finds(text: str) -> None:
    def hits(pattern: object) -> list[tuple[str, str]]:
        found = pattern.finditer(text)  # type: ignore[attr-defined]
        return [(one.lastgroup, one[0]) for one in found if one.lastgroup != "plain"]

    every = patterns._value(patterns._SMALL, patterns._MONTHS)
    assert hits(value_pattern(tokens(text))) == hits(every)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it takes a euro", [("money", "a euro")]),
        ("gate€79 and läuft@fut.de", [("money", "€79"), ("email", "uft@fut.de")]),
        ("O'five of them", [("number", "five")]),
        ("am 3. märz um drei", [("date", "3. märz"), ("number", "drei")]),
        ("dreißig davon", [("number", "dreißig")]),
        ("this may be all of those", []),
    ],
)
def test_words_that_count_are_found_among_others(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert found(text) == expected
