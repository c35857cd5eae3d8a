"""What Anthropic's messages become, and what edits make of them."""

# ruff: noqa: E501 - a case stays on one line

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from orchestrator_context.conversation.formats import from_anthropic, to_anthropic
from orchestrator_context.exceptions import FormatError
from orchestrator_context.models import Media, Segment
from orchestrator_context.tokens import upper_estimate
from tests.conversation.formats.nasty import PNG, Json

CACHE: Json = {"cache_control": {"type": "ephemeral"}}
CALL_1: Json = {"type": "tool_use", "id": "t1", "name": "read", "input": {"a": 1}, **CACHE}
CALL_2: Json = {"type": "tool_use", "id": "t2", "name": "list", "input": {}}
RESULT_1: Json = {"type": "tool_result", "tool_use_id": "t1", "content": "long", "is_error": True}
RESULT_2: Json = {"type": "tool_result", "tool_use_id": "t2"}
NOTE: Json = {"type": "text", "text": "also note the date", **CACHE}
MESSAGES: list[Json] = [
    {"role": "user", "content": "check station 3"},
    {"role": "assistant", "content": [{"type": "text", "text": "looking"}, CALL_1, CALL_2]},
    {"role": "user", "content": [RESULT_1, RESULT_2, NOTE]},
    {"role": "assistant", "content": "done"},
]


def test_each_block_is_a_segment() -> None:
    segments = from_anthropic(MESSAGES, system=[{"type": "text", "text": "Obey.", **CACHE}])
    assert [(p.id, p.role, p.kind, p.title, p.call_id) for p in segments] == [
        ("system", "system", "system", "", ""),
        ("m0", "user", "turn", "", ""),
        ("m1", "assistant", "turn", "", ""),
        ("m1.1", "assistant", "tool_call", "read", "t1"),
        ("m1.2", "assistant", "tool_call", "list", "t2"),
        ("m2", "tool", "tool_result", "read", "t1"),
        ("m2.1", "tool", "tool_result", "list", "t2"),
        ("m2.2", "user", "turn", "", ""),
        ("m3", "assistant", "turn", "", ""),
    ]
    assert [part.content for part in segments[3:6]] == ['{"a":1}', "{}", "long"]


def test_calls_leave_with_their_results_and_the_words_of_the_user_stay() -> None:
    segments = from_anthropic(MESSAGES)
    kept = [part for part in segments if part.message != "m1" and part.kind != "tool_result"]
    assert to_anthropic(kept).messages == [
        MESSAGES[0],
        {"role": "user", "content": [NOTE]},
        MESSAGES[3],
    ]
    one_pair = [part for part in segments if part.call_id != "t1"]
    assert to_anthropic(one_pair).messages[1:3] == [
        {"role": "assistant", "content": [{"type": "text", "text": "looking"}, CALL_2]},
        {"role": "user", "content": [RESULT_2, NOTE]},
    ]
    no_user_text = [part for part in segments if part.message != "m2"]
    assert to_anthropic(no_user_text).messages == [MESSAGES[0], MESSAGES[1], MESSAGES[3]]


def test_a_result_that_is_added_stands_with_the_others() -> None:
    added = Segment("none", "tool", "tool_result", call_id="t2")
    first, calls, results, done = (from_anthropic([message]) for message in MESSAGES)
    block = {"type": "tool_result", "tool_use_id": "t2", "content": "none"}
    before = [*first, *calls, added, results[0], results[2], *done]
    assert to_anthropic(before).messages[2]["content"] == [block, RESULT_1, NOTE]
    after = [*first, *calls, results[0], added, *done]
    assert to_anthropic(after).messages[2]["content"] == [RESULT_1, block]


def test_edits_keep_marks_and_ids() -> None:
    segments = list(from_anthropic(MESSAGES))
    segments[2] = replace(segments[2], content='{"a": "…"}')
    segments[4] = replace(segments[4], content="[elided]")
    segments[5] = replace(segments[5], content="now there is one")
    segments[6] = replace(segments[6], content="the date")
    request = to_anthropic(segments)
    assert request.messages[1]["content"][1] == {**CALL_1, "input": {"a": "…"}}  # type: ignore[index]
    assert request.messages[2]["content"] == [
        {**RESULT_1, "content": "[elided]"},
        {**RESULT_2, "content": "now there is one"},
        {**NOTE, "text": "the date"},
    ]


def test_images_of_a_result_are_media_that_can_be_dropped() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    result: Json = {**RESULT_1, "content": [{"type": "text", "text": "a", **CACHE}, image]}
    (segment,) = from_anthropic([{"role": "user", "content": [result]}])
    assert (segment.content, segment.media) == (
        "a",
        (Media("image", 5, 7, media_type="image/png", data=PNG),),
    )
    (message,) = to_anthropic([replace(segment, content="b", media=())]).messages
    assert message["content"] == [{**result, "content": [{"type": "text", "text": "b", **CACHE}]}]


@pytest.mark.parametrize(
    ("block", "content", "kind", "opaque"),
    [
        ({"type": "thinking", "thinking": "Hm.", "signature": "s" * 90}, "Hm.", "reasoning", 87),
        ({"type": "redacted_thinking", "data": "d" * 90}, "", "reasoning", 90),
        ({"type": "server_tool_use", "id": "s", "name": "n", "input": {"q": "a"}}, '{"q":"a"}', "tool_call", None),
        (
            {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"encrypted_content": "e" * 9}]},
            '[{"encrypted_content":""}]', "tool_result", 9,
        ),
        ({"type": "container_upload", "file_id": "f"}, '{"type":"container_upload","file_id":"f"}', "custom", None),
    ],
)  # fmt: skip
def test_what_only_the_service_understands_is_locked(
    block: Json, content: str, kind: str, opaque: int | None
) -> None:
    (segment,) = from_anthropic([{"role": "assistant", "content": [block]}])
    assert (segment.content, segment.kind, segment.locked) == (content, kind, True)
    assert segment.metadata.get("opaque") == opaque
    with pytest.raises(FormatError, match=r"'m0'.*may not be changed"):
        to_anthropic([replace(segment, content="other")])


def test_server_tools_are_paired() -> None:
    use = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    result = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    call, answer = from_anthropic([{"role": "assistant", "content": [use, result]}])
    assert call.call_id == answer.call_id == "s1"
    assert (answer.kind, answer.title, answer.message) == ("tool_result", "web_search", "m0")


def test_thinking_without_a_signature_may_change() -> None:
    block = {"type": "thinking", "thinking": "Hm.", "signature": ""}
    (segment,) = from_anthropic([{"role": "assistant", "content": [block]}])
    assert not segment.locked
    (message,) = to_anthropic([replace(segment, content="H")]).messages
    assert message["content"] == [{**block, "thinking": "H"}]


def test_documents() -> None:
    text = {"type": "text", "media_type": "text/plain", "data": "words"}
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "QUJD"}
    blocks = [
        {"type": "document", "source": text, "title": "a", "context": "four"},
        {"type": "document", "source": {"type": "content", "content": [NOTE]}},
        {"type": "document", "source": pdf},
        {"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}},
        {"type": "image", "source": {"type": "file", "file_id": "f1"}},
    ]
    segments = from_anthropic([{"role": "user", "content": blocks}])
    assert [(part.kind, part.content) for part in segments[:3]] == [
        ("document", "words"),
        ("document", "also note the date"),
        ("media", ""),
    ]
    told = upper_estimate("\n\n[context of the document] four")
    assert (segments[0].title, segments[0].metadata["opaque"]) == ("a", 3 * told)
    assert [part.media[0] for part in segments[2:]] == [
        Media("file", media_type="application/pdf", data="QUJD"),
        Media("file", url="https://example.org/a.pdf"),
        Media("image", url="f1"),
    ]
    shorter = replace(segments[0], content="w")
    (message,) = to_anthropic([shorter]).messages
    assert message["content"] == [{**blocks[0], "source": {**text, "data": "w"}}]


@pytest.mark.parametrize("system", ["Obey.", "", [], [NOTE], [NOTE, NOTE], None])
def test_a_system_prompt_keeps_its_form(system: str | list[Json] | None) -> None:
    request = to_anthropic(from_anthropic(MESSAGES, system=system))
    assert request.system == system
    assert request.arguments().get("system") == system
    assert ("system" in request.arguments()) == (system is not None)


def test_more_system_segments_make_blocks() -> None:
    prompt = from_anthropic([], system="Obey.")
    added = Segment("Be brief.", "system", "briefing")
    user = Segment("Hi")
    assert to_anthropic([*prompt, added, user]).system == [
        {"type": "text", "text": "Obey."},
        {"type": "text", "text": "Be brief."},
    ]
    assert to_anthropic([user]).system is None
    with pytest.raises(FormatError, match=r"'late'.*move it to the front"):
        to_anthropic([*prompt, user, replace(added, id="late")])


def test_a_system_message_of_its_own_stays_where_it_is() -> None:
    messages: list[Json] = [*MESSAGES, {"role": "system", "content": "From now on, be brief."}]
    segments = from_anthropic(messages, system="Obey.")
    request = to_anthropic(segments)
    assert (request.system, request.messages) == ("Obey.", messages)
    assert segments[-1].is_required


def test_segments_made_by_hand() -> None:
    image = Media("image", url="https://example.org/a.png")
    segments = [
        Segment("Look", media=(image,)),
        Segment('{"a": 1}', "assistant", "tool_call", title="f", call_id="call|1"),
        Segment("", "assistant", "tool_call", title="g", call_id="2"),
        Segment("42", "tool", "tool_result", call_id="call|1", media=(image,)),
        Segment("", "tool", "tool_result", call_id="2"),
    ]
    look, calls, results = to_anthropic(segments).messages
    block = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    assert look == {"role": "user", "content": [{"type": "text", "text": "Look"}, block]}
    first, second = cast("list[Json]", calls["content"])
    assert (first["input"], second["input"], second["id"]) == ({"a": 1}, {}, "2")
    assert str(first["id"]).startswith("call_1_")
    answer = {"type": "tool_result", "tool_use_id": first["id"]}
    assert results["content"] == [
        {**answer, "content": [{"type": "text", "text": "42"}, block]},
        {"type": "tool_result", "tool_use_id": "2", "content": ""},
    ]


@pytest.mark.parametrize(
    ("segment", "why"),
    [
        (Segment("", media=(Media("audio", media_type="audio/wav", data="QUJD"),)), "no sounds"),
        (Segment("", media=(Media("image", media_type="image/bmp", data="QUJD"),)), "image/bmp"),
        (
            Segment("", media=(Media("file", media_type="text/csv", data="QUJD"),)),
            "application/pdf",
        ),
        (Segment("[1]", "assistant", "tool_call", title="f", call_id="1"), "no JSON object"),
        (Segment('{"a', "assistant", "tool_call", title="f", call_id="1"), "no JSON object"),
        (Segment("Hm", "assistant", "reasoning"), "leave it out"),
    ],
)
def test_what_cannot_be_said_is_an_error_that_names_the_segment(segment: Segment, why: str) -> None:
    with pytest.raises(FormatError, match=f"'here'.*{why}"):
        to_anthropic([replace(segment, id="here")])


@pytest.mark.parametrize(
    ("messages", "system", "message"),
    [
        (
            [{"role": "tool", "content": "a"}],
            None,
            r"messages\[0\].role must be one of user, assis",
        ),
        (
            [{"role": "user", "content": {"type": "text"}}],
            None,
            r"messages\[0\].content must be a li",
        ),
        (
            [{"role": "user", "content": [{**RESULT_1, "content": 1}]}],
            None,
            r"\[0\].content must be",
        ),
        ([], 5, "system.content must be a list, not int"),
        ([], [5], r"system.content\[0\] must be a mapping"),
    ],
)
def test_what_is_no_message_is_refused(messages: list[Json], system: object, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        from_anthropic(messages, system=system)  # type: ignore[arg-type]
