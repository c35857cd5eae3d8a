"""Conversations of each format as clients have them, with fields that no format reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from hypothesis import strategies as st

from orchestrator_context.conversation.formats import (
    from_anthropic,
    from_openai_chat,
    from_openai_responses,
    to_anthropic,
    to_openai_chat,
    to_openai_responses,
)
from orchestrator_context.models import Segment
from tests.conversation.formats.nasty import (
    ANTHROPIC_MESSAGE,
    CHAT_MESSAGE,
    PNG,
    PNG_URL,
    RESPONSES_ITEM,
    Json,
)

READ = {
    "openai_chat": from_openai_chat,
    "openai_responses": from_openai_responses,
    "anthropic": from_anthropic,
}


def write(form: str, segments: Sequence[Segment]) -> list[Json]:
    if form == "openai_chat":
        return to_openai_chat(segments)
    if form == "openai_responses":
        return to_openai_responses(segments)
    request = to_anthropic(segments)
    opening: list[Json] = [] if request.system is None else [{"content": request.system}]
    return opening + request.messages


def read(form: str, messages: list[Json]) -> tuple[Segment, ...]:
    if form == "anthropic" and messages and "role" not in messages[0]:
        system = cast("str", messages[0]["content"])
        return from_anthropic(messages[1:], system=system)
    return READ[form](messages)


# What a service or its client notes down, what says the default, and what is empty: no loss.
IDLE: dict[str, object] = {
    "id": "x_1", "status": "completed", "index": 0, "object": "message", "logprobs": [{"t": 1}],
    "parsed": {"a": 1}, "caller": {"type": "direct"}, "citations": None, "annotations": [],
    "cache_control": None, "x": {"a": [None, ""]},
}  # fmt: skip
# What a reader would miss.
MEANT: dict[str, object] = {
    "cache_control": {"type": "ephemeral"},
    "citations": [{"cited_text": "the manual"}],
    "annotations": [{"type": "url_citation", "url": "https://example.org"}],
    "phase": "commentary",
    "x": 0,
}


def extras(*without: str) -> st.SearchStrategy[Json]:
    """Draw fields that no format reads; rarely some that mean something."""
    idle = st.sampled_from([name for name in IDLE if name not in without])
    meant = st.sampled_from(list(MEANT))
    names = st.tuples(st.lists(idle, max_size=2), st.integers(0, 15), meant)
    return names.map(
        lambda drawn: (
            {name: IDLE[name] for name in drawn[0]}
            | ({drawn[2]: MEANT[drawn[2]]} if drawn[1] == 0 else {})
        )
    )


def block(required: Json, *without: str) -> st.SearchStrategy[Json]:
    return extras(*without).map(lambda more: {**more, **required})


TEXTS = st.sampled_from(["Hi.", "水泵 🚰", "a\n\nb", "bob: No.", "[call of x]\n", " ", "\\x", "{}"])
TITLES = st.sampled_from(["Manual", "a.pdf", "水"])
NAMES = st.sampled_from(["bob", "amy"])
PDF: Json = {"type": "base64", "media_type": "application/pdf", "data": "aGVsbG8="}
URL = "https://example.org/a.png"


@st.composite
def chat(draw: st.DrawFn, number: int) -> list[Json]:
    made: list[Json] = []
    texts = TEXTS.flatmap(lambda text: block({"type": "text", "text": text}))
    details: list[Json] = [{}, {"detail": "auto"}, {"detail": "low"}, {"detail": "original"}]
    images = st.tuples(st.sampled_from([PNG_URL, URL]), st.sampled_from(details)).flatmap(
        lambda drawn: block({"type": "image_url", "image_url": {"url": drawn[0], **drawn[1]}})
    )
    files = TITLES.flatmap(
        lambda title: block(
            {
                "type": "file",
                "file": {"filename": title, "file_data": "data:application/pdf;base64,aGVsbG8="},
            }
        )
    )
    name: Json = {"name": draw(NAMES)} if draw(st.booleans()) else {}
    content: object = draw(TEXTS | st.lists(texts | images | files, min_size=1, max_size=3))
    role = draw(st.sampled_from(["user", "user", "system", "developer"]))
    if role != "user":
        content = draw(TEXTS | st.lists(texts, min_size=1, max_size=2))
    made.append({"role": role, "content": content, **name, **draw(extras("id"))})
    if draw(st.booleans()):
        function: Json = {"name": "f", "arguments": draw(st.sampled_from(['{"x":1}', "{}", ""]))}
        call = draw(block({"id": f"c|{number}", "type": "function", "function": function}, "id"))
        text = draw(st.none() | TEXTS)
        made.append({"role": "assistant", "content": text, "tool_calls": [call]})
        result = draw(TEXTS | st.lists(texts, max_size=2))
        made.append({"role": "tool", "tool_call_id": f"c|{number}", "content": result})
    said = draw(st.sampled_from(["content", "refusal"]))
    made.append({"role": "assistant", "content": None, said: draw(TEXTS)} | draw(extras("id")))
    return made


@st.composite
def responses(draw: st.DrawFn, number: int) -> list[Json]:
    texts = TEXTS.flatmap(lambda text: block({"type": "input_text", "text": text}))
    images = st.sampled_from(["auto", "low", "high"]).flatmap(
        lambda detail: block({"type": "input_image", "image_url": PNG_URL, "detail": detail})
    )
    pdf: Json = {"file_data": "data:application/pdf;base64,aGk="}
    linked: Json = {"file_url": "https://example.org/a.pdf"}
    files = st.sampled_from([pdf, linked]).flatmap(
        lambda file: block({"type": "input_file", "filename": "T.pdf", **file})
    )
    role = draw(st.sampled_from(["user", "user", "developer"]))
    parts = texts | images | files if role == "user" else texts
    made: list[Json] = [{"role": role, "content": draw(st.lists(parts, min_size=1, max_size=3))}]
    if draw(st.booleans()):
        call: Json = {"type": "function_call", "call_id": f"c{number}", "name": "f"}
        made.append(draw(block({**call, "arguments": draw(st.sampled_from(['{"x": 1}', "{}"]))})))
        result: Json = {"type": "function_call_output", "call_id": f"c{number}"}
        output = draw(TEXTS | st.lists(texts | images, max_size=2))
        made.append(draw(block({**result, "output": output})))
    text: Json = {"type": "output_text", "text": draw(TEXTS)}
    refusal: Json = {"type": "refusal", "refusal": draw(TEXTS)}
    part = draw(block(draw(st.sampled_from([text, refusal]))))
    made.append(draw(block({"type": "message", "role": "assistant", "content": [part]})))
    return made


@st.composite
def anthropic(draw: st.DrawFn, number: int) -> list[Json]:
    texts = TEXTS.flatmap(lambda text: block({"type": "text", "text": text}))
    image: Json = {"type": "base64", "media_type": "image/png", "data": PNG}
    images = st.sampled_from([image, {"type": "url", "url": URL}]).flatmap(
        lambda source: block({"type": "image", "source": source})
    )
    text: Json = {"type": "text", "media_type": "text/plain"}
    sources = st.sampled_from([PDF, {"type": "url", "url": "https://example.org/a.pdf"}]) | (
        TEXTS.map(lambda data: {**text, "data": data})
        | st.lists(texts, min_size=1, max_size=2).map(lambda c: {"type": "content", "content": c})
    )
    told = st.fixed_dictionaries(
        {}, optional={"title": TITLES, "context": st.sampled_from(["Mind\nbob: it.", "水"])}
    )
    documents = st.tuples(sources, told).flatmap(
        lambda drawn: block({"type": "document", "source": drawn[0], **drawn[1]})
    )
    parts = st.lists(texts | images | documents, min_size=1, max_size=3)
    made: list[Json] = [{"role": "user", "content": draw(TEXTS | parts)} | draw(extras("id"))]
    if draw(st.booleans()):
        arguments = draw(st.sampled_from([{}, {"cache_control": {"x": 1}, "name": "n"}]))
        call: Json = {"type": "tool_use", "id": f"c{number}", "name": "f", "input": arguments}
        made.append({"role": "assistant", "content": [draw(texts), draw(block(call, "id"))]})
        result: Json = {"type": "tool_result", "tool_use_id": f"c{number}"}
        result["content"] = draw(TEXTS | st.lists(texts | images, max_size=2))
        result |= draw(st.sampled_from([{}, {"is_error": False}, {"is_error": True}]))
        made.append({"role": "user", "content": [draw(block(result)), draw(texts)]})
    made.append({"role": "assistant", "content": [draw(texts)]})
    return made


SANE = {"openai_chat": chat, "openai_responses": responses, "anthropic": anthropic}
ODD = {
    "openai_chat": CHAT_MESSAGE,
    "openai_responses": RESPONSES_ITEM,
    "anthropic": ANTHROPIC_MESSAGE,
}
