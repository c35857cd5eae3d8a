"""What OpenAI's input items become, and what edits make of them."""

# ruff: noqa: E501 - a case stays on one line

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator_context.conversation.formats import from_openai_responses, to_openai_responses
from orchestrator_context.conversation.grouping import group
from orchestrator_context.exceptions import FormatError
from orchestrator_context.models import Media, Segment
from tests.conversation.formats.nasty import PNG, PNG_URL, Json

REASONING: Json = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "I must look."}],
    "encrypted_content": "e" * 90,
}


def call(name: str) -> Json:
    return {
        "type": "function_call",
        "id": f"fc_{name}",
        "call_id": name,
        "name": "f",
        "arguments": "{}",
    }


def output(name: str, value: object) -> Json:
    return {"type": "function_call_output", "call_id": name, "output": value}


def test_each_item_is_a_segment_and_each_part_of_a_message() -> None:
    items: list[Json] = [
        {"role": "user", "content": [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": PNG_URL, "detail": "high"}]},
        REASONING,
        call("1"),
        output("1", "42"),
        {"type": "message", "role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": "b", "annotations": []}]},
    ]  # fmt: skip
    segments = from_openai_responses(items)
    assert [(p.id, p.role, p.kind, p.content, p.title, p.call_id) for p in segments] == [
        ("m0", "user", "turn", "a", "", ""),
        ("m0.1", "user", "media", "", "", ""),
        ("m1", "assistant", "reasoning", "I must look.", "", ""),
        ("m2", "assistant", "tool_call", "{}", "f", "1"),
        ("m3", "tool", "tool_result", "42", "f", "1"),
        ("m4", "assistant", "turn", "b", "", ""),
    ]
    assert segments[1].media == (Media("image", 5, 7, "high", media_type="image/png", data=PNG),)
    assert (segments[2].locked, segments[2].metadata["opaque"]) == (True, 78)


def test_reasoning_stays_with_all_that_it_led_to() -> None:
    items = [
        REASONING,
        call("1"),
        call("2"),
        output("1", "a"),
        output("2", "b"),
        REASONING,
        call("3"),
    ]
    groups = group(from_openai_responses(items)).groups
    assert groups == ((0, 1, 2, 3, 4), (5, 6))


@pytest.mark.parametrize(
    ("item", "kind", "call_id", "role"),
    [
        ({"type": "computer_call", "call_id": "c", "action": {"type": "wait"}}, "tool_call", "c", "assistant"),
        ({"type": "local_shell_call", "call_id": "c", "action": {}}, "tool_call", "c", "assistant"),
        ({"type": "local_shell_call_output", "id": "c", "output": "x"}, "tool_result", "c", "tool"),
        ({"type": "shell_call_output", "call_id": "c", "output": []}, "tool_result", "c", "tool"),
        ({"type": "mcp_approval_request", "id": "c", "name": "n", "arguments": "{}"}, "tool_call", "c", "assistant"),
        ({"type": "mcp_approval_response", "approval_request_id": "c", "approve": True}, "tool_result", "c", "tool"),
        ({"type": "mcp_call", "id": "x", "approval_request_id": "c", "output": "long"}, "custom", "c", "assistant"),
        ({"type": "web_search_call", "id": "w", "status": "completed"}, "custom", "", "assistant"),
        ({"type": "item_reference", "id": "i"}, "custom", "", "assistant"),
        ({"id": "i"}, "custom", "", "assistant"),
    ],
)  # fmt: skip
def test_other_items_are_locked_and_paired(item: Json, kind: str, call_id: str, role: str) -> None:
    (segment,) = from_openai_responses([item])
    assert (segment.kind, segment.call_id, segment.role) == (kind, call_id, role)
    assert segment.locked
    assert to_openai_responses([segment]) == [item]
    with pytest.raises(FormatError, match=r"'m0'.*may not be changed"):
        to_openai_responses([replace(segment, content="other")])


def test_screenshots_and_drawings_are_media() -> None:
    shot = {"type": "computer_screenshot", "image_url": PNG_URL}
    items: list[Json] = [
        {"type": "computer_call_output", "call_id": "c", "output": shot},
        {"type": "image_generation_call", "id": "i", "result": PNG, "status": "completed"},
    ]
    segments = from_openai_responses(items)
    assert [part.content for part in segments] == ["", ""]
    assert [part.media[0].width for part in segments] == [5, 5]
    assert to_openai_responses(segments) == items


def test_a_compacted_history_is_not_dropped() -> None:
    (segment,) = from_openai_responses([{"type": "compaction", "encrypted_content": "e" * 30}])
    assert segment.is_required
    assert segment.metadata["opaque"] == 30


def test_edits_keep_all_that_is_around_them() -> None:
    image = {"type": "input_image", "image_url": PNG_URL, "detail": "auto"}
    items = [
        call("1"),
        output("1", "long"),
        output("1", [{"type": "input_text", "text": "a"}, image]),
    ]
    first, second, third = from_openai_responses(items)
    written = to_openai_responses(
        [
            replace(first, content='{"elided":1}'),
            replace(second, content="short"),
            replace(third, content="b", media=()),
        ]
    )
    assert written == [
        {**items[0], "arguments": '{"elided":1}'},
        {**items[1], "output": "short"},
        {**items[2], "output": [{"type": "input_text", "text": "b"}]},
    ]


def test_segments_made_by_hand() -> None:
    image = Media("image", media_type="image/png", data=PNG)
    segments = [
        Segment("Obey.", "system", "system"),
        Segment("Look", message="u", media=(image, Media("image", url="file-1"))),
        Segment("I call", "assistant", message="a"),
        Segment("I do", "assistant", message="a"),
        Segment("{}", "assistant", "tool_call", title="f", call_id="1", message="a"),
        Segment("42", "tool", "tool_result", call_id="1", media=(image,)),
        Segment("", media=(Media("file", url="https://example.org/a.pdf"),)),
    ]
    drawn = {"type": "input_image", "detail": "auto", "image_url": PNG_URL}
    assert to_openai_responses(segments) == [
        {"role": "system", "content": "Obey."},
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "Look"},
                drawn,
                {"type": "input_image", "detail": "auto", "file_id": "file-1"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "output_text", "text": "I call", "annotations": []},
                {"type": "output_text", "text": "I do", "annotations": []},
            ],
        },
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
        output("1", [{"type": "input_text", "text": "42"}, drawn]),
        {
            "role": "user",
            "content": [{"type": "input_file", "file_url": "https://example.org/a.pdf"}],
        },
    ]


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ("secret", "items must be a list, not str"),
        ([{}], r"items\[0\].type must be a str, not NoneType"),
        ([{"type": 5}], r"items\[0\].type must be a str, not int"),
        ([{"type": "message"}], r"items\[0\].role must be a str"),
        ([{"role": "tool", "content": ""}], r"items\[0\].role must be one of"),
        ([output("1", {"secret": 1})], r"items\[0\].output must be a list, not dict"),
        (
            [{"type": "reasoning", "summary": "secret"}],
            r"items\[0\].summary must be a list, not str",
        ),
    ],
)
def test_what_is_no_item_is_refused(items: list[Json], message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        from_openai_responses(items)
    assert "secret" not in str(caught.value)
