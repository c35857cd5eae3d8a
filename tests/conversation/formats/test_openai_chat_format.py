"""What OpenAI's chat messages become, and what edits make of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator_context.conversation.formats import from_openai_chat, to_openai_chat
from orchestrator_context.exceptions import ConfigurationError, FormatError
from orchestrator_context.models import Media, Segment
from orchestrator_context.tokens import token_counter
from tests.conversation.formats.nasty import PNG, PNG_URL, Json

CALLS: Json = {
    "role": "assistant",
    "content": "I look.",
    "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "read", "arguments": '{"path": "x"}'}},
        {"id": "b", "type": "function", "function": {"name": "list", "arguments": "{}"}},
    ],
}
RESULT_A: Json = {"role": "tool", "tool_call_id": "a", "content": "long text", "x": 1}
RESULT_B: Json = {"role": "tool", "tool_call_id": "b", "content": [{"type": "text", "text": "one"}]}


def kinds(segments: tuple[Segment, ...]) -> list[tuple[str, str, str, str]]:
    return [(part.role, part.kind, part.title, part.call_id) for part in segments]


def test_each_part_is_a_segment_and_parts_share_a_message() -> None:
    segments = from_openai_chat([CALLS, RESULT_A, RESULT_B])
    assert kinds(segments) == [
        ("assistant", "turn", "", ""),
        ("assistant", "tool_call", "read", "a"),
        ("assistant", "tool_call", "list", "b"),
        ("tool", "tool_result", "read", "a"),
        ("tool", "tool_result", "list", "b"),
    ]
    assert [part.id for part in segments] == ["m0", "m0.1", "m0.2", "m1", "m2"]
    assert [part.message for part in segments] == ["m0", "m0", "m0", "m1", "m2"]
    assert [part.content for part in segments[1:4]] == ['{"path": "x"}', "{}", "long text"]


@pytest.mark.parametrize(
    ("message", "content", "kind", "locked"),
    [
        ({"role": "developer", "content": "Obey."}, "Obey.", "system", False),
        ({"role": "assistant", "content": None, "refusal": "No."}, "No.", "turn", False),
        ({"role": "assistant", "reasoning_content": "Hm."}, "Hm.", "reasoning", False),
        ({"role": "user", "content": [{"type": "text", "text": "a"}]}, "a", "turn", False),
        ({"role": "user", "content": ["a"]}, "a", "turn", False),
        (
            {"role": "user", "content": [{"type": "new", "n": 1}]},
            '{"type":"new","n":1}',
            "custom",
            True,
        ),
        ({"role": "user"}, "", "turn", False),
        ({"role": "assistant", "content": None}, "", "turn", False),
        ({"role": "assistant", "audio": {"id": "au_1", "transcript": "Hi"}}, "Hi", "media", False),
    ],
)
def test_what_a_message_says(message: Json, content: str, kind: str, locked: bool) -> None:
    (segment,) = from_openai_chat([message])
    assert (segment.content, segment.kind, segment.locked) == (content, kind, locked)
    assert segment.is_required == (kind == "system")


def test_binary_data_are_media_and_never_text() -> None:
    image = {"type": "image_url", "image_url": {"url": PNG_URL, "detail": "low"}}
    sound = {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "mp3"}}
    unknown = {"type": "video_url", "video_url": {"url": "data:video/mp4;base64,QUJD"}}
    file = {
        "type": "file",
        "file": {"file_data": "data:application/pdf;base64,QUJD", "filename": "a"},
    }
    segments = from_openai_chat([{"role": "user", "content": [image, sound, unknown, file]}])
    assert [part.media[0] for part in segments] == [
        Media("image", 5, 7, "low", media_type="image/png", data=PNG),
        Media("audio", media_type="audio/mp3", data="QUJD"),
        Media("file", media_type="video/mp4", data="QUJD"),
        Media("file", media_type="application/pdf", data="QUJD"),
    ]
    assert not any("QUJD" in part.content or PNG in part.content for part in segments)
    assert segments[3].title == "a"


def test_arguments_of_any_type_and_lists_of_texts_count() -> None:
    body = '{"body": "' + "lorem ipsum dolor sit amet " * 1480 + '"}'
    counter = token_counter("gpt-4o")
    for arguments, least in ((body, 7406), ({"body": body}, 7406), (None, 0), ([], 1)):
        call: Json = {"id": "c1", "name": "write_file", "arguments": arguments}
        messages: list[Json] = [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": ["text part", "text part"]},
            {"role": "user", "content": ""},
        ]
        segments = from_openai_chat(messages)
        assert counter.count(segments[0].content) >= least
        assert [part.content for part in segments[1:]] == ["text part\ntext part", ""]
        assert counter.count_messages(segments) > least + counter.count(segments[1].content)
        assert to_openai_chat(segments) == messages


def test_the_old_kind_of_call_is_paired() -> None:
    messages: list[Json] = [
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "1"},
    ]
    segments = from_openai_chat(messages)
    assert kinds(segments) == [
        ("assistant", "tool_call", "f", "call_m0"),
        ("tool", "tool_result", "f", "call_m0"),
    ]
    assert to_openai_chat(segments) == messages


def test_dropped_calls_leave_their_message() -> None:
    text, first, second, *_ = from_openai_chat([CALLS])
    assert to_openai_chat([text]) == [{"role": "assistant", "content": "I look."}]
    only_second = {**CALLS, "content": None, "tool_calls": [CALLS["tool_calls"][1]]}  # type: ignore[index]
    assert to_openai_chat([second]) == [only_second]
    assert to_openai_chat([]) == []
    assert to_openai_chat([text, first, second]) == [CALLS]


def test_a_message_of_calls_alone_goes_with_its_calls() -> None:
    message = {"role": "assistant", "content": None, "tool_calls": CALLS["tool_calls"]}
    _, second = from_openai_chat([message])
    assert to_openai_chat([second])[0]["tool_calls"] == message["tool_calls"][1:]  # type: ignore[index]
    assert to_openai_chat([]) == []


def test_a_changed_text_keeps_all_that_is_around_it() -> None:
    part = {"type": "text", "text": "long", "prompt_cache_breakpoint": {"mode": "explicit"}}
    messages: list[Json] = [
        {"role": "user", "content": [part, {"type": "text", "text": "b"}], "z": 1},
        CALLS,
        RESULT_A,
    ]
    segments = list(from_openai_chat(messages))
    segments[0] = replace(segments[0], content="short")
    segments[3] = replace(segments[3], content='{"path":"…"}')
    segments[-1] = replace(segments[-1], content="[elided]")
    user, calls, result = to_openai_chat(segments)
    assert user == {
        "role": "user",
        "content": [{**part, "text": "short"}, {"type": "text", "text": "b"}],
        "z": 1,
    }
    assert calls["tool_calls"][0]["function"] == {"name": "read", "arguments": '{"path":"…"}'}  # type: ignore[index]
    assert result == {**RESULT_A, "content": "[elided]"}


def test_changed_arguments_given_as_an_object_stay_one() -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": {"a": "long"}}, "extra": 1}
    (segment,) = from_openai_chat([{"role": "assistant", "tool_calls": [call]}])
    (message,) = to_openai_chat([replace(segment, content='{"a": "…"}')])
    assert message["tool_calls"] == [
        {"id": "c", "function": {"name": "f", "arguments": {"a": "…"}}, "extra": 1}
    ]
    with pytest.raises(FormatError, match=r"'m0'.*no JSON object"):
        to_openai_chat([replace(segment, content='{"a": "lo')])


def test_a_result_of_parts_keeps_its_images_where_they_stand() -> None:
    image = {"type": "image_url", "image_url": {"url": PNG_URL}}
    content = [{"type": "text", "text": "a", "x": 1}, image, "b", image]
    message: Json = {"role": "tool", "tool_call_id": "a", "content": content}
    (segment,) = from_openai_chat([message])
    assert (segment.content, len(segment.media)) == ("a\nb", 2)
    short = {"type": "text", "text": "c", "x": 1}
    assert to_openai_chat([replace(segment, content="c")]) == [
        {**message, "content": [short, image, image]}
    ]
    assert to_openai_chat([replace(segment, media=segment.media[:1])]) == [
        {**message, "content": [content[0], image, "b"]}
    ]
    assert to_openai_chat([replace(segment, content="", media=())]) == [{**message, "content": ""}]


def test_a_dropped_image_leaves_the_text_and_an_elided_one_becomes_text() -> None:
    image = {"type": "image_url", "image_url": {"url": PNG_URL}}
    text = {"type": "text", "text": "Look:"}
    first, second = from_openai_chat([{"role": "user", "content": [text, image]}])
    assert to_openai_chat([first]) == [{"role": "user", "content": [text]}]
    elided = replace(second, content="[image]", media=())
    assert to_openai_chat([first, elided]) == [
        {"role": "user", "content": [text, {"type": "text", "text": "[image]"}]}
    ]
    assert to_openai_chat([replace(second, media=())]) == []


def test_an_author_is_the_name_until_it_is_cleared() -> None:
    messages: list[Json] = [{"role": "user", "name": "bob", "content": "Hello"}]
    (segment,) = from_openai_chat(messages)
    assert segment.author == "bob"
    labelled = replace(segment, author="", content="bob: Hello")
    assert to_openai_chat([labelled]) == [{"role": "user", "content": "bob: Hello"}]
    assert to_openai_chat([Segment("Hi", author="amy")]) == [
        {"role": "user", "content": "Hi", "name": "amy"}
    ]
    assert to_openai_chat([Segment("Hi", author="Dr. Amy")]) == [{"role": "user", "content": "Hi"}]


def test_what_a_policy_adds_is_said_beside_what_was_there() -> None:
    segments = from_openai_chat([CALLS, RESULT_A, RESULT_B])
    summary = Segment("They spoke.", "user", "summary", id="summary")
    note = Segment("Then stop.", "assistant", message="m0")
    written = to_openai_chat([summary, segments[0], note, *segments[1:]])
    assert written[0] == {"role": "user", "content": "They spoke."}
    assert written[1]["content"] == [
        {"type": "text", "text": "I look."},
        {"type": "text", "text": "Then stop."},
    ]
    assert written[2:] == [RESULT_A, RESULT_B]


def test_messages_that_are_given_one_id_become_one() -> None:
    image = {"type": "image_url", "image_url": {"url": PNG_URL}}
    messages: list[Json] = [
        {"role": "user", "content": "a", "x": 1},
        {"role": "user", "content": [image, {"type": "text", "text": "b"}], "x": 2, "y": 3},
    ]
    joined = [replace(part, message="m0") for part in from_openai_chat(messages)]
    text = {"type": "text", "text": "a"}
    assert to_openai_chat(joined) == [
        {"role": "user", "content": [text, *messages[1]["content"]], "x": 1, "y": 3}  # type: ignore[misc]
    ]
    empty: Json = {"role": "user", "content": ""}
    mixed = from_openai_chat([empty, messages[0], empty])
    assert to_openai_chat([replace(part, message="m0") for part in mixed]) == [messages[0]]
    refusals = [{"role": "assistant", "refusal": text} for text in ("No.", "Never.")]
    parts = [replace(part, message="m0") for part in from_openai_chat(refusals)]
    assert to_openai_chat(parts) == [{"role": "assistant", "refusal": "No.\n\nNever."}]
    sounds = [{"role": "assistant", "audio": {"id": name}} for name in "ab"]
    with pytest.raises(FormatError, match=r"'m1'.*2 values of audio; give it a message of its own"):
        to_openai_chat([replace(part, message="m0") for part in from_openai_chat(sounds)])


def test_segments_made_by_hand() -> None:
    sound = Media("audio", media_type="audio/wav", data="QUJD")
    file = Media("file", media_type="application/pdf", data="QUJD")
    segments = [
        Segment("Obey.", "system", "system"),
        Segment("Hear", message="u", media=(sound, file, Media("file", url="file-1"))),
        Segment("I call.", "assistant", message="a"),
        Segment("{}", "assistant", "tool_call", title="f", call_id="1", message="a"),
        Segment("42", "tool", "tool_result", call_id="1"),
        Segment("Text", kind="document", title="a.txt"),
    ]
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    assert to_openai_chat(segments) == [
        {"role": "system", "content": "Obey."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Hear"},
                {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}},
                {
                    "type": "file",
                    "file": {
                        "filename": "file.pdf",
                        "file_data": "data:application/pdf;base64,QUJD",
                    },
                },
                {"type": "file", "file": {"file_id": "file-1"}},
            ],
        },
        {"role": "assistant", "content": "I call.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "42"},
        {"role": "user", "content": "a.txt\n\nText"},
    ]


IMAGE = Media("image", url="https://example.org/a.png")


@pytest.mark.parametrize(
    ("segment", "why"),
    [
        (Segment("Hm", "assistant", "reasoning"), "reasoning"),
        (Segment("{}", "assistant", "tool_call", title="f"), "call_id"),
        (Segment("{}", "assistant", "tool_call", call_id="1"), "name of the tool"),
        (Segment("1", "tool", "tool_result"), "call_id"),
        (Segment("1", "tool", "tool_result", call_id="1", media=(IMAGE,)), "move the media"),
        (Segment("", "assistant", media=(IMAGE,)), "role user"),
        (Segment("", media=(Media("image"),)), "neither data nor a url"),
        (Segment("", media=(Media("image", data="QUJD"),)), "media_type"),
        (Segment("", media=(Media("image", url="file-1"),)), "give it data or a url"),
        (Segment("", media=(Media("audio", url="https://example.org/a.wav"),)), "WAV or MP3"),
        (Segment("", media=(Media("file", url="https://example.org/a.pdf"),)), "send it as data"),
    ],
)
def test_what_cannot_be_said_is_an_error_that_names_the_segment(segment: Segment, why: str) -> None:
    with pytest.raises(FormatError, match=f"'here'.*{why}") as caught:
        to_openai_chat([Segment("Hi"), replace(segment, id="here")])
    assert caught.value.where == "here"
    assert isinstance(caught.value, ConfigurationError)


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ("secret", "messages must be a list, not str"),
        ({"role": "user"}, "messages must be a list, not dict"),
        (["secret"], r"messages\[0\] must be a mapping .*, not str"),
        ([{"role": "user"}, {}], r"messages\[1\].role must be a str, not NoneType"),
        ([{"role": "secret"}], r"messages\[0\].role must be one of system, developer"),
        ([{"role": "user", "content": 5}], r"messages\[0\].content must be a list, not int"),
        (
            [{"role": "tool", "content": {"secret": 1}}],
            r"messages\[0\].content must be a list, not dict",
        ),
        (
            [{"role": "user", "content": ["a", 1.5]}],
            r"messages\[0\].content\[1\] must be a mapping",
        ),
        (
            [{"role": "assistant", "tool_calls": "secret"}],
            r"messages\[0\].tool_calls must be a list",
        ),
        (
            [{"role": "assistant", "tool_calls": [None]}],
            r"messages\[0\].tool_calls\[0\] must be a map",
        ),
    ],
)
def test_what_is_no_list_of_messages_is_refused(messages: object, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        from_openai_chat(messages)  # type: ignore[arg-type]
    assert "secret" not in str(caught.value)
    assert caught.value.where.startswith("messages")


def test_deep_data_come_back_and_data_that_are_no_json_are_refused() -> None:
    deep: object = "end"
    for _ in range(5_000):
        deep = [deep]
    messages: list[Json] = [{"role": "user", "content": "a", "deep": deep}]
    (written,) = to_openai_chat(from_openai_chat(messages))
    assert written["deep"] is not deep
    depth, value = 0, written["deep"]
    while isinstance(value, list):
        depth, value = depth + 1, value[0]
    assert depth == 5_000
    for _ in range(200_000):  # no version of Python writes that
        deep = [deep]
    for odd in (deep, object(), {1, 2}):
        with pytest.raises(
            FormatError, match=r"messages\[0\].content\[0\] cannot be written as JSON"
        ):
            from_openai_chat([{"role": "user", "content": [{"type": "odd", "value": odd}]}])


def test_what_a_message_holds_beside_its_parts_is_counted_as_it_is_sent() -> None:
    counter = token_counter("gpt-4o")
    said: Json = {"role": "assistant", "content": "Four."}
    details = [{"type": "reasoning.encrypted", "data": "x9K" * 1_000}]
    plain, reasoned = (
        from_openai_chat([said]),
        from_openai_chat([said | {"reasoning_details": details}]),
    )
    more = counter.count_messages(reasoned) - counter.count_messages(plain)
    assert more >= 1_000
    assert to_openai_chat(reasoned) == [said | {"reasoning_details": details}]
    assert counter.count_messages(from_openai_chat([said | {"annotations": []}])) == (
        counter.count_messages(plain)
    )
