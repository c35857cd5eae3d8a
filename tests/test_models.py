"""The nouns: frozen, equal by value, checked where a wrong value would be found too late."""

from __future__ import annotations

import copy
import hashlib
import math
import pickle
from dataclasses import FrozenInstanceError
from types import MappingProxyType
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import (
    KINDS,
    ROLES,
    Chunk,
    Document,
    Generation,
    Kind,
    Media,
    Note,
    Price,
    Role,
    Segment,
    Source,
    Usage,
)

SECRET = "the content"
ANY_TEXT = st.text(st.characters(codec=None, categories=None))


def test_the_tuples_are_the_types() -> None:
    assert get_args(Role) == ROLES
    assert get_args(Kind) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_required_by_its_kind(kind: Kind) -> None:
    assert Segment("x", kind=kind).is_required == (kind in ("system", "briefing", "moderator"))
    assert Segment("x", kind=kind, required=True).is_required
    assert not Segment("x", kind=kind, required=False).is_required


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("content", None),
        ("content", b"x"),
        ("role", "model"),
        ("kind", "note"),
        ("priority", -1),
        ("priority", math.nan),
        ("priority", True),
        ("id", None),
        ("title", 3),
        ("author", b"Ann"),
        ("source", None),
        ("group", 1),
        ("message", None),
        ("call_id", 1),
        ("locked", 1),
        ("required", 0),
        ("media", [Media("image")]),
        ("media", ("image",)),
        ("media", None),
        ("metadata", None),
        ("metadata", [("a", 1)]),
    ],
)
def test_a_bad_segment(field: str, bad: object) -> None:
    with pytest.raises(ConfigurationError, match=rf"^Segment\.{field} "):
        Segment(**{"content": "x", field: bad})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("type", "video"),
        ("width", -1),
        ("detail", "best"),
        ("duration_seconds", math.nan),
        ("pages", True),
        ("media_type", None),
        ("url", 1),
        ("data", b"aGVsbG8="),
    ],
)
def test_bad_media(field: str, bad: object) -> None:
    with pytest.raises(ConfigurationError, match=rf"^Media\.{field} "):
        Media(**{"type": "image", field: bad})  # type: ignore[arg-type]


def test_segments_are_values() -> None:
    segment = Segment("x", metadata={"a": 1})
    assert segment == Segment("x", metadata={"a": 1})
    assert hash(segment) == hash(Segment("x", metadata={"a": 2}))
    with pytest.raises(FrozenInstanceError):
        segment.content = "y"  # type: ignore[misc]
    with pytest.raises(TypeError):
        Segment("x").metadata["a"] = 1  # type: ignore[index]


@given(ANY_TEXT)
def test_a_document_knows_its_digest_and_length(content: str) -> None:
    document = Document("p", content)
    data = content.encode("utf-8", "surrogatepass")
    assert document.sha256 == hashlib.sha256(data).hexdigest()
    assert document.bytes_length == len(data)
    assert document.content == content


class TestDocumentOf:
    LONG = "import os\n" + "x = 1\n" * 99 + "def stop(): ...\n"

    def test_it_fills_in_what_path_and_content_tell(self) -> None:
        document = Document.of("src/pump.PY", self.LONG, pinned=True)
        assert document == Document(
            "src/pump.PY", self.LONG, True, "python", "import os\ndef stop():"
        )
        assert document.sha256 == Document("p", self.LONG).sha256

    def test_what_is_given_stays(self) -> None:
        document = Document.of("a.py", self.LONG, language="ruby", extract="mine")
        assert (document.language, document.extract) == ("ruby", "mine")

    def test_without_an_extract_the_language_is_still_told(self) -> None:
        document = Document.of("a.py", self.LONG, extract="")
        assert (document.language, document.extract) == ("python", "")

    @pytest.mark.parametrize("path", ["notes.txt", "a.h", "LICENSE", ""])
    def test_an_unknown_language_has_no_extract(self, path: str) -> None:
        document = Document.of(path, self.LONG)
        assert (document.language, document.extract) == (None, "")

    def test_direct_construction_derives_nothing(self) -> None:
        document = Document("a.py", self.LONG)
        assert (document.language, document.extract) == (None, None)
        assert Document("a.py", "x", False, None, "y") != Document("a.py", "x")

    @given(ANY_TEXT, ANY_TEXT)
    def test_any_text(self, path: str, content: str) -> None:
        document = Document.of(path, content)
        assert (document.path, document.content) == (path, content)
        assert SECRET not in repr(Document.of("a.md", SECRET))

    @pytest.mark.parametrize(
        ("field", "bad"),
        [
            ("path", 1),
            ("content", None),
            ("content", b"x"),
            ("pinned", "yes"),
            ("language", " "),
            ("language", 5),
            ("extract", 5),
        ],
    )
    def test_a_bad_value(self, field: str, bad: object) -> None:
        with pytest.raises(ConfigurationError, match=rf"^Document\.{field} "):
            Document.of(**{"path": "a.py", "content": "x", field: bad})  # type: ignore[arg-type]


@pytest.mark.parametrize(("path", "content"), [(1, "x"), ("p", 1), ("p", None), (b"p", "x")])
def test_a_bad_document(path: object, content: object) -> None:
    with pytest.raises(ConfigurationError, match=r"^Document\.(path|content) "):
        Document(path, content)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (Source("a.md", 3, 3), "a.md:3"),
        (Source("a.md", 3, 7), "a.md:3-7"),
        (Source("a.md", 3, 3, 5), "a.md:3.5-3"),
        (Source("a.md", 3, 3, 5, 9), "a.md:3.5-3.9"),
        (Source("a.md", 3, 4, 1, 9), "a.md:3.1-4.9"),
        (Source("a.md", 3, 3, 5, 5), "a.md:3.5"),
        (Source("", 1, 1), ":1"),
    ],
)
def test_a_source_is_shown_as_lines(source: Source, shown: str) -> None:
    assert str(source) == shown


@given(
    *[st.tuples(st.integers(1, 99), st.integers(1, 99), st.none() | st.integers(1, 99))] * 2,
)
def test_different_places_are_shown_differently(
    one: tuple[int, int, int | None], other: tuple[int, int, int | None]
) -> None:
    first, second = (Source("p", 1, 1 + line, column, end) for line, column, end in (one, other))
    assert (first == second) == (str(first) == str(second))


@pytest.mark.parametrize(
    "noun",
    [
        Document("p", SECRET),
        Chunk(SECRET, Source("p", 1, 1), 0, 1),
        Note(SECRET),
        Generation(SECRET),
        Segment(SECRET, metadata={"raw": SECRET}, media=(Media("file", url=SECRET, data=SECRET),)),
    ],
)
def test_no_content_in_a_repr(noun: object) -> None:
    assert SECRET not in repr(noun)


def test_usage_adds_up() -> None:
    assert Usage(1, 2) + Usage(3, 4) == Usage(4, 6)
    assert sum([Usage(1, 2), Usage(3, 4)], Usage()) == Usage(4, 6)
    assert Usage(4, 6).total == 10


def test_price_is_for_a_million() -> None:
    assert Price(2.0, 10.0).of(Usage(1_000_000, 500_000)) == 7.0
    assert Price(0, 0).of(Usage(5, 5)) == 0


@pytest.mark.parametrize("bad", [-1, math.nan, math.inf, True, "2"])
def test_a_bad_price(bad: object) -> None:
    with pytest.raises(ConfigurationError, match=r"^Price\.input "):
        Price(bad, 1)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r"^Price\.output "):
        Price(1, bad)  # type: ignore[arg-type]


def test_a_segment_can_be_copied_and_pickled() -> None:
    segment = Segment("a", metadata=MappingProxyType({"key": [1, {"deep": "b"}]}))
    assert copy.deepcopy(segment) == segment
    assert pickle.loads(pickle.dumps(segment)) == segment
    assert copy.deepcopy(Segment("plain")) == Segment("plain")
