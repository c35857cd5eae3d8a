"""Answers as the services' own clients give them are said in every other format."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import pytest

from orchestrator_context.conversation.formats import (
    from_anthropic,
    from_openai_chat,
    from_openai_responses,
    to_anthropic,
    to_openai_chat,
    to_openai_responses,
)
from orchestrator_context.exceptions import FormatError
from orchestrator_context.models import Segment
from tests.conversation.formats.nasty import Json

NOT_INSTALLED = "the client is no dependency of the library"
USAGE = {"input_tokens": 9, "output_tokens": 9}
RESPONSE: Json = {
    "id": "resp_1", "object": "response", "created_at": 1_780_000_000, "model": "gpt-5",
    "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    "output": [
        {
            "id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
            "content": [{
                "type": "output_text", "text": "I look.", "annotations": [],
                "logprobs": [{"token": "I", "bytes": [73], "logprob": -0.1, "top_logprobs": []}],
            }],
        },
        {
            "id": "fc_1", "type": "function_call", "call_id": "c1", "name": "f",
            "arguments": "{}", "status": "completed", "caller": {"type": "direct"},
        },
    ],
}  # fmt: skip
COMPLETION: Json = {
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1_780_000_000, "model": "gpt-5",
    "choices": [{
        "index": 0, "finish_reason": "tool_calls", "logprobs": None,
        "message": {
            "role": "assistant", "content": "I look.", "refusal": None, "annotations": [],
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ],
        },
    }],
}  # fmt: skip
MESSAGE: Json = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
    "stop_reason": "tool_use", "stop_sequence": None, "usage": USAGE,
    "content": [
        {"type": "text", "text": "I look.", "citations": None},
        {"type": "tool_use", "id": "c1", "name": "f", "input": {}, "caller": {"type": "direct"}},
    ],
}  # fmt: skip


def dumped(model: Any) -> Json:
    with warnings.catch_warnings():  # a client may know of more types of parts than it can write
        warnings.simplefilter("ignore")
        found: Json = model.model_dump()
    return found


def of_responses() -> list[Json]:
    client = pytest.importorskip("openai.types.responses", reason=NOT_INSTALLED)
    return [dumped(item) for item in client.Response.model_validate(RESPONSE).output]


def of_chat() -> list[Json]:
    client = pytest.importorskip("openai.types.chat", reason=NOT_INSTALLED)
    return [dumped(client.ChatCompletion.model_validate(COMPLETION).choices[0].message)]


def of_anthropic() -> list[Json]:
    client = pytest.importorskip("anthropic.types", reason=NOT_INSTALLED)
    return [dumped(client.Message.model_validate(MESSAGE))]


def check(segments: Sequence[Segment]) -> None:
    items = to_openai_responses(segments)
    chat = to_openai_chat(segments)
    messages = to_anthropic(segments).messages
    for read in (from_openai_responses(items), from_openai_chat(chat), from_anthropic(messages)):
        told = [(one.role, one.kind, one.content, one.title, one.call_id) for one in read]
        assert told == [
            ("assistant", "turn", "I look.", "", ""),
            ("assistant", "tool_call", "{}", "f", "c1"),
        ]


def test_as_the_service_sends_them() -> None:
    check(from_openai_responses(RESPONSE["output"]))  # type: ignore[arg-type]
    check(from_openai_chat([COMPLETION["choices"][0]["message"]]))  # type: ignore[index]
    check(from_anthropic([MESSAGE]))


def test_as_openais_client_dumps_them() -> None:
    check(from_openai_responses(of_responses()))
    check(from_openai_chat(of_chat()))


def test_as_anthropics_client_dumps_them() -> None:
    (message,) = of_anthropic()
    assert set(message) > {"usage", "stop_reason", "model"}
    check(from_anthropic([message]))
    check(from_anthropic([{"role": message["role"], "content": message["content"]}]))


def test_an_answer_with_sources_is_refused() -> None:
    link = {"type": "url_citation", "url": "https://a.org", "title": "A", "start_index": 0}
    (item, _) = of_responses()
    item["content"][0]["annotations"] = [link | {"end_index": 1}]  # type: ignore[index]
    with pytest.raises(FormatError, match="no place for 'annotations'"):
        to_anthropic(from_openai_responses([item]))
