"""What one format cannot say of another is refused by name, and what means nothing is let go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from orchestrator_context.conversation import Participant, Transcript
from orchestrator_context.conversation.formats import (
    from_anthropic,
    from_openai_chat,
    from_openai_responses,
    to_anthropic,
    to_openai_chat,
    to_openai_responses,
    without_fields,
)
from orchestrator_context.exceptions import FormatError
from orchestrator_context.models import Segment
from tests.conversation.formats.nasty import PNG, PNG_URL, Json
from tests.linear import assert_linear

Write = Callable[[Sequence[Segment]], list[Json]]


def anthropic_messages(segments: Sequence[Segment]) -> list[Json]:
    return to_anthropic(segments).messages


OPENAI = pytest.mark.parametrize("write", [to_openai_chat, to_openai_responses])
MARK: Json = {"type": "ephemeral"}
TEXT: Json = {"type": "text", "text": "Hi."}
CITED: list[Json] = [{"type": "char_location", "cited_text": "the manual"}]
IMAGE: Json = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": PNG},
}
CALL: Json = {"type": "tool_use", "id": "t1", "name": "read", "input": {"cache_control": "no"}}
RESULT: Json = {"type": "tool_result", "tool_use_id": "t1", "content": "42"}
DOCUMENT: Json = {
    "type": "document",
    "source": {"type": "text", "media_type": "text/plain", "data": "body"},
}


def of_anthropic(*blocks: Json, role: str = "user") -> tuple[Segment, ...]:
    return from_anthropic([{"role": role, "content": [*blocks]}])


def inside(*blocks: Json) -> Json:
    return {**RESULT, "content": [*blocks]}


@OPENAI
@pytest.mark.parametrize(
    ("block", "field"),
    [
        (TEXT | {"cache_control": MARK}, "cache_control"),
        (TEXT | {"citations": CITED}, "citations"),
        (TEXT | {"new": False}, "new"),
        (DOCUMENT | {"citations": {"enabled": True}}, "citations"),
        (DOCUMENT | {"title": 5}, "title"),
        (TEXT | {"context": "of no document"}, "context"),
        (CALL | {"caller": {"type": "code_execution_20250825", "tool_id": "s1"}}, "caller"),
        (RESULT | {"is_error": "yes"}, "is_error"),
        (inside(TEXT | {"cache_control": MARK}), "cache_control"),
        (inside(DOCUMENT | {"title": "T"}), "title"),
        (inside(DOCUMENT | {"context": "C"}), "context"),
        (inside({"type": "new", "encrypted_content": "abc"}), "encrypted_content"),
    ],
)
def test_a_field_of_anthropics_without_a_place_is_refused_by_name(
    write: Write, block: Json, field: str
) -> None:
    (segment,) = of_anthropic(block)
    with pytest.raises(FormatError, match=f"no place for '{field}'") as caught:
        write([segment])
    assert caught.value.where == segment.id
    assert f"segment '{segment.id}'" in str(caught.value)
    assert f"without_fields(segments, '{field}')" in str(caught.value)
    assert write(without_fields([segment], field))


@pytest.mark.parametrize("write", [to_openai_chat, to_openai_responses])
def test_what_a_message_of_anthropics_holds_is_refused_too(write: Write) -> None:
    said = from_anthropic([{"role": "user", "content": [TEXT, TEXT], "effort": "high"}])
    with pytest.raises(FormatError, match=r"segment 'm0' .*no place for 'effort'"):
        write(said)
    with pytest.raises(FormatError, match=r"segment 'm0\.1' .*no place for 'effort'"):
        write(said[1:])
    assert len(write(without_fields(said, "effort"))) == 1


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ({"role": "assistant", "content": "Hi.", "name": "helper"}, "name"),
        ({"role": "assistant", "content": "Hi.", "annotations": [{"type": "x"}]}, "annotations"),
        ({"role": "assistant", "refusal": "No.", "annotations": [1]}, "annotations"),
        ({"role": "user", "content": "Hi.", "name": 5}, "name"),
        ({"role": "user", "content": [TEXT | {"cache_control": MARK}]}, "cache_control"),
        (
            {
                "role": "assistant",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "f", "arguments": "{}", "strict": True},
                    }
                ],
            },
            "strict",
        ),
    ],
)  # fmt: skip
def test_a_field_of_openais_chat_without_a_place_is_refused_by_name(
    message: Json, field: str
) -> None:
    segments = from_openai_chat([message])
    for write in (anthropic_messages, to_openai_responses):
        with pytest.raises(FormatError, match=f"no place for '{field}'"):
            write(segments)
        assert len(write(without_fields(segments, field))) == 1


def test_the_detail_of_an_image_goes_where_there_are_details() -> None:
    def shown(detail: str) -> tuple[Segment, ...]:
        image: Json = {"type": "image_url", "image_url": {"url": PNG_URL, "detail": detail}}
        return from_openai_chat([{"role": "user", "content": [image]}])

    (item,) = to_openai_responses(shown("low"))
    assert item["content"] == [{"type": "input_image", "detail": "low", "image_url": PNG_URL}]
    for write, detail in ((anthropic_messages, "low"), (to_openai_responses, "original")):
        with pytest.raises(FormatError, match="no place for 'detail'"):
            write(shown(detail))
        assert write(without_fields(shown(detail), "detail"))
    assert anthropic_messages(shown("auto"))
    file: Json = {"type": "input_file", "file_data": "aGk=", "filename": "a.pdf", "detail": "low"}
    with pytest.raises(FormatError, match="no place for 'detail'"):
        to_openai_chat(from_openai_responses([{"role": "user", "content": [file]}]))


def test_all_that_is_lost_of_a_segment_is_named_at_once() -> None:
    (segment,) = of_anthropic(TEXT | {"cache_control": MARK, "citations": CITED, "id": "b1"})
    with pytest.raises(
        FormatError, match=r"without_fields\(segments, 'cache_control', 'citations'\)"
    ):
        to_openai_chat([segment])


def test_an_error_tells_nothing_of_what_stands_in_the_fields() -> None:
    secret = "a field of somebody's own, with words"
    (segment,) = of_anthropic(TEXT | {secret: "secret", "x": "secret"})
    with pytest.raises(FormatError, match="a str of 37 characters, 'x'") as caught:
        to_openai_chat([segment])
    assert "secret" not in str(caught.value)
    assert secret not in str(caught.value)


def test_the_same_format_takes_all_of_it_back() -> None:
    blocks = [TEXT | {"cache_control": MARK, "citations": CITED, "new": 1}, IMAGE]
    segments = of_anthropic(*blocks, inside(TEXT | {"cache_control": MARK}))
    (message,) = to_anthropic(segments).messages
    assert message["content"] == [*blocks, inside(TEXT | {"cache_control": MARK})]


def test_annotations_of_a_text_that_was_shortened_point_nowhere_and_go() -> None:
    link: Json = {"type": "url_citation", "start_index": 5_000, "end_index": 5_010}
    part: Json = {"type": "output_text", "text": "long " * 99, "annotations": [link]}
    item: Json = {"type": "message", "role": "assistant", "content": [part]}
    (segment,) = from_openai_responses([item])
    with pytest.raises(FormatError, match="no place for 'annotations'"):
        to_openai_chat([segment])
    (short,) = to_openai_chat([replace(segment, content="short")])
    assert short == {"role": "assistant", "content": "short"}

    call: Json = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    said: Json = {"role": "assistant", "content": "long " * 99, "tool_calls": [call]}
    text, calls = from_openai_chat([said | {"annotations": [link]}])
    with pytest.raises(FormatError, match="no place for 'annotations'"):
        to_openai_responses([text, calls])
    assert len(to_openai_responses([replace(text, content="short"), calls])) == 2


def test_names_of_users_are_labels_and_their_annotations_are_still_theirs() -> None:
    said: Json = {"role": "user", "name": "bob", "content": "Hi.", "annotations": [{"type": "x"}]}
    for write in (anthropic_messages, to_openai_responses):
        with pytest.raises(FormatError, match="no place for 'annotations'"):
            write(from_openai_chat([said]))


def test_arguments_of_a_call_are_not_fields() -> None:
    for write in (to_openai_chat, to_openai_responses):
        assert write(of_anthropic(CALL, role="assistant"))


def test_developers_stay_developers_between_the_formats_of_openai() -> None:
    said: list[Json] = [{"role": "developer", "content": "Be brief."}]
    assert to_openai_responses(from_openai_chat(said)) == said
    assert to_openai_chat(from_openai_responses(said)) == said
    assert to_anthropic(from_openai_chat(said)).system == "Be brief."
    both = [*from_openai_chat(said), *from_openai_responses(said)]
    assert to_openai_chat(both) == to_openai_responses(both) == said * 2


def test_reasoning_is_refused_with_a_way_out_that_works() -> None:
    said: Json = {"role": "assistant", "reasoning_content": "Hm.", "content": "Yes."}
    segments = from_openai_chat([said])
    with pytest.raises(FormatError, match=r"reasoning is tied .*leave it out by its kind"):
        to_anthropic(segments)
    left = [one for one in segments if one.kind != "reasoning"]
    assert to_anthropic(left).messages == [{"role": "assistant", "content": "Yes."}]


def test_what_a_participant_heard_of_others_is_what_they_said() -> None:
    talk = Transcript([Participant("Ann"), Participant("Bob")])
    said = TEXT | {"citations": CITED, "context": "of no document"}
    talk.append("Bob", of_anthropic(said, role="assistant"))
    assert to_openai_chat(talk.view("Ann").messages) == [{"role": "user", "content": "Hi."}]
    with pytest.raises(FormatError, match="no place for 'citations'"):
        to_openai_chat(talk.view("Bob").messages)
    own = without_fields(talk.view("Bob").messages, "citations", "context")
    assert to_openai_chat(own) == [{"role": "assistant", "content": "Hi."}]


def test_a_result_by_its_role_alone_comes_before_the_words_of_the_user() -> None:
    words = Segment("hurry", message="m")
    result = Segment("42", "tool", call_id="c1", message="m")
    assert [one["role"] for one in to_openai_chat([words, result])] == ["tool", "user"]


def test_the_title_of_a_file_by_its_address_is_told() -> None:
    source: Json = {"type": "url", "url": "https://example.org/a.pdf"}
    segments = of_anthropic({"type": "document", "source": source, "title": "The manual"})
    (item,) = to_openai_responses(segments)
    assert item["content"] == [
        {"type": "input_text", "text": "The manual"},
        {"type": "input_file", "file_url": "https://example.org/a.pdf"},
    ]


def test_the_title_of_an_empty_document_is_told() -> None:
    assert to_openai_chat([Segment("", kind="document", title="T")]) == [
        {"role": "user", "content": "T"}
    ]


def test_time_is_linear_in_parts_and_in_the_fields_around_them() -> None:
    def make(count: int) -> tuple[Segment, ...]:
        idle = dict.fromkeys(map(str, range(count)))
        return from_anthropic([{"role": "user", "content": [TEXT] * count, **idle}])

    assert_linear(to_openai_chat, make, small=200)


def test_another_medium_takes_the_place_of_the_old_one_alone() -> None:
    marked = IMAGE | {"cache_control": MARK, "own": 5}
    (image,) = of_anthropic(marked)
    new = replace(image, media=(replace(image.media[0], data="QUJD"),))
    source = {"type": "base64", "media_type": "image/png", "data": "QUJD"}
    assert anthropic_messages([new])[0]["content"] == [marked | {"source": source}]

    part = {"type": "image_url", "image_url": {"url": PNG_URL, "detail": "high"}, "own": 1}
    (seen,) = from_openai_chat([{"role": "user", "content": [part]}])
    other = replace(seen.media[0], data="", url="https://a.example/b.png")
    assert to_openai_chat([replace(seen, media=(other,))])[0]["content"] == [
        part | {"image_url": {"url": "https://a.example/b.png", "detail": "high"}}
    ]


@pytest.mark.parametrize("field", ["cache_control", "own"])
def test_what_a_format_made_is_not_lost_in_it_with_another_role(field: str) -> None:
    (text,) = of_anthropic(TEXT | {field: MARK})
    with pytest.raises(FormatError, match=field):
        to_anthropic([replace(text, role="assistant")])
    plain = without_fields([replace(text, role="assistant")], field)
    assert anthropic_messages(plain)[0]["role"] == "assistant"


@pytest.mark.parametrize("write", [to_openai_chat, to_openai_responses, to_anthropic])
def test_the_own_name_of_a_participant_is_no_loss_in_its_view(write: Write) -> None:
    said = from_openai_chat([{"role": "user", "name": "Ann", "content": "I think so."}])
    debate = Transcript([Participant("Ann"), Participant("Bob")])
    debate.append("Ann", said)
    write(debate.view("Ann").segments)
    debate.append("Bob", said)
    with pytest.raises(FormatError, match="'name'"):
        write(debate.view("Bob").segments)
