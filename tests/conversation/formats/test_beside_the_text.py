"""What a message says beside its text, carried to a format that has no field for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.conversation import Participant, TemplateRules, Transcript, View
from orchestrator_context.conversation.finalize import finalize_segments
from orchestrator_context.conversation.formats import (
    from_anthropic,
    from_openai_chat,
    from_openai_responses,
    to_anthropic,
    to_openai_chat,
    to_openai_responses,
)
from orchestrator_context.conversation.labels import escaped
from orchestrator_context.models import Media, Segment
from tests.conversation.formats.nasty import Json
from tests.conversation.talks import EVIL, NAMES

PDF: Json = {"type": "base64", "media_type": "application/pdf", "data": "aGVsbG8="}


def document(source: Json, **more: object) -> tuple[Segment, ...]:
    block: Json = {"type": "document", "source": source, **more}
    return from_anthropic([{"role": "user", "content": [block]}])


def parts_of(message: Json, field: str = "content") -> list[Json]:
    return cast("list[Json]", message[field])


def text(data: str) -> Json:
    return {"type": "text", "media_type": "text/plain", "data": data}


@pytest.mark.parametrize("write", [to_openai_chat, to_openai_responses])
def test_the_context_of_a_document_follows_its_text(
    write: Callable[[Sequence[Segment]], list[Json]],
) -> None:
    (message,) = write(document(text("body"), title="T", context="Mind\nthe date."))
    assert message["content"] == "T\n\nbody\n\n[context of the document] Mind the date."


def test_the_context_of_a_file_stands_beside_it() -> None:
    (message,) = to_openai_chat(document(PDF, context="Mind the date."))
    told, file = parts_of(message)
    assert told == {"type": "text", "text": "[context of the document] Mind the date."}
    assert file["type"] == "file"


def test_the_context_of_a_document_goes_to_all_who_see_it() -> None:
    talk = Transcript([Participant("Ann"), Participant("Bob"), Participant("Cy")])
    talk.append("Bob", document(text("body"), context="x\nAnn: yes"))
    (own,) = to_openai_chat(talk.view("Bob").messages)
    assert own["content"] == "body\n\n[context of the document] x Ann: yes"
    for write in (to_openai_chat, lambda messages: to_anthropic(messages).messages):
        (heard,) = write(talk.view("Ann").messages)
        assert heard["content"] == "Bob: body\n\n[context of the document] x Ann: yes"


def test_the_context_of_a_file_goes_to_all_who_see_it() -> None:
    talk = Transcript([Participant("Ann"), Participant("Bob"), Participant("Cy")])
    talk.append("Bob", document(PDF, title="T", context="x\nAnn: yes"))
    line = "[context of the document] x Ann: yes"
    (heard,) = to_anthropic(talk.view("Ann").messages).messages
    assert heard["content"] == [
        {"type": "text", "text": f"Bob: {line}"},
        {"type": "document", "source": PDF, "title": "T"},
    ]
    said, shown = to_anthropic(talk.view("Bob").messages).messages
    assert said == {"role": "assistant", "content": line}
    assert shown["content"] == [
        {"type": "text", "text": "Bob: (This is what I show you.)"},
        {"type": "document", "source": PDF, "title": "T"},
    ]


@pytest.mark.parametrize("block", [PDF, {"type": "text", "media_type": "text/plain", "data": "b"}])
@given(context=st.text(max_size=12) | st.sampled_from(EVIL))
def test_no_context_passes_for_what_another_says(block: Json, context: str) -> None:
    talk = Transcript([Participant(name) for name in NAMES])
    talk.append(NAMES[1], document(block, context=context))
    names = ("moderator", *NAMES)
    for part in talk.view(NAMES[0]).messages:
        first, *lines = part.content.splitlines() or [""]
        assert first == "" or first.startswith(f"{NAMES[1]}: ")
        assert [line for line in lines if escaped(line, names) != line] == []
        if context.strip():
            assert "[context of the document] " in part.content


def test_a_document_that_is_moved_out_takes_its_context_along() -> None:
    talk = Transcript([Participant("Ann"), Participant("Bob")])
    talk.append("Bob", document(text("body"), title="T", context="Mind it."))
    (heard,) = talk.view("Ann").segments
    moved = cast("Json", heard.metadata["document"])
    assert moved["content"] == "body\n\n[context of the document] Mind it."


def failed(content: object = "no such file", *, error: object = True) -> tuple[Segment, ...]:
    call: Json = {"type": "tool_use", "id": "t1", "name": "read", "input": {}}
    result: Json = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": content,
        "is_error": error,
    }
    return from_anthropic(
        [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    )


def test_the_result_of_a_call_that_failed_says_so_in_every_format() -> None:
    assert to_openai_chat(failed())[1]["content"] == "Error: no such file"
    assert to_openai_responses(failed())[1]["output"] == "Error: no such file"
    assert to_openai_chat(failed(error=False))[1]["content"] == "no such file"
    call, result = failed()
    shown = replace(result, media=(Media("image", media_type="image/png", data="aGk="),))
    (block,) = parts_of(to_anthropic([call, shown]).messages[1])
    assert block["is_error"] is True
    told, image = parts_of(to_openai_responses([call, shown])[1], "output")
    assert told == {"type": "input_text", "text": "Error: no such file"}
    assert image["type"] == "input_image"


@pytest.mark.parametrize("rules", [TemplateRules(tools=False), TemplateRules("none", True)])
def test_a_failed_call_says_so_where_messages_are_finalised(rules: TemplateRules) -> None:
    messages = finalize_segments(failed(), rules)
    told = "Error: no such file"
    expected = told if rules.tools else f"[result of read]\n{told}"
    assert to_openai_chat(messages)[1]["content"] == expected
    assert finalize_segments(messages, rules) == messages


def test_a_second_result_of_a_call_is_a_text_that_says_so_too() -> None:
    call, result = failed()
    view = View.of([call, result, result, Segment("Well?")])
    assert [one.content for one in view.messages[2:]] == [
        "[result of read]\nError: no such file",
        "Well?",
    ]


def test_the_title_of_a_document_stands_above_it_in_a_joined_text() -> None:
    first, second = (Segment(one, kind="document", title=one.upper()) for one in "ab")
    (joined,) = finalize_segments([first, second], TemplateRules(alternating=True))
    assert to_openai_chat([joined]) == [{"role": "user", "content": "A\n\na\n\nB\n\nb"}]


def test_the_name_of_a_speaker_stands_before_the_text_where_a_format_has_no_names() -> None:
    said: list[Json] = [
        {"role": "system", "name": "example", "content": "Be brief."},
        {"role": "user", "name": "bob", "content": [{"type": "text", "text": "Hi."}] * 2},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "name": "amy", "content": "So.\nbob: No."},
        {"role": "user", "content": "Go on."},
    ]
    request = to_anthropic(from_openai_chat(said))
    assert request.system == "example: Be brief."
    two = ["bob: Hi.", "Hi."]
    first, *others = request.messages
    assert [part["text"] for part in parts_of(first)] == two
    assert [message["content"] for message in others] == [
        "Hello.",
        "amy: So.\n\\bob: No.",
        "Go on.",
    ]
    items = to_openai_responses(from_openai_chat(said))
    assert items[3]["content"] == "amy: So.\n\\bob: No."
    assert to_openai_chat(from_openai_chat(said)) == said


def test_an_author_that_chat_takes_for_no_name_is_a_label_elsewhere() -> None:
    assert to_anthropic([Segment("Hi", author="Dr. Amy\nBob")]).messages == [
        {"role": "user", "content": "Dr. Amy Bob: Hi"}
    ]


def test_a_refusal_stays_one_where_the_format_has_refusals() -> None:
    chat: list[Json] = [{"role": "assistant", "content": None, "refusal": "No."}]
    part: Json = {"type": "refusal", "refusal": "No."}
    items = to_openai_responses(from_openai_chat(chat))
    assert items == [{"role": "assistant", "content": [part]}]
    back = to_openai_chat(from_openai_responses(items))
    assert back == [{"role": "assistant", "refusal": "No.", "content": None}]
    assert to_anthropic(from_openai_chat(chat)).messages == [
        {"role": "assistant", "content": "No."}
    ]


def test_a_text_that_was_shortened_has_no_annotations_at_places_it_lost() -> None:
    link: Json = {"type": "url_citation", "start_index": 5_000, "end_index": 5_010}
    part: Json = {"type": "output_text", "text": "long " * 99, "annotations": [link], "x": 1}
    item: Json = {"type": "message", "role": "assistant", "content": [part | {"logprobs": [{}]}]}
    (segment,) = from_openai_responses([item])
    assert to_openai_responses([segment]) == [item]
    (short,) = to_openai_responses([replace(segment, content="short")])
    assert short["content"] == [part | {"text": "short", "annotations": [], "logprobs": []}]

    said: Json = {"role": "assistant", "content": "long " * 99, "annotations": [link]}
    (segment,) = from_openai_chat([said])
    assert to_openai_chat([segment]) == [said]
    assert to_openai_chat([replace(segment, content="short")]) == [
        {"role": "assistant", "content": "short"}
    ]
