"""Messages of the three formats as no sane client sends them, but JSON can hold them."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from hypothesis import strategies as st

from orchestrator_context.models import Segment

Json = dict[str, object]

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAHCAYAAAA="
PNG_URL = f"data:image/png;base64,{PNG}"

ODD_TEXTS = [
    "",
    " ",
    "\x00",
    "\ud800",
    "{}",
    '{"a": 1}',
    "[1]",
    PNG_URL,
    "data:,",
    "水泵 🚰\r\n",
    "ok",
]
ODD_VALUES: list[object] = [
    None, True, 0, -1.5, 10**30, "", "text", [], {}, [[]], [None], ["a", {}], [{"text": "a"}],
    {"": ""}, {"type": "text"}, {"data": PNG, "media_type": "image/png"}, {"a": [{"b": [PNG_URL]}]},
    {"z": 1, "a": {"text": "\ud800", "encrypted_content": "x" * 40}},
]  # fmt: skip
TEXTS = st.sampled_from(ODD_TEXTS)
VALUES = st.sampled_from(ODD_VALUES)
OBJECTS = VALUES.filter(lambda value: isinstance(value, dict))
IDS = st.one_of(st.sampled_from(["", "c1", "c2", "call|1"]), TEXTS)
MAYBE_IDS = IDS | st.none() | st.integers()


def with_keys(known: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    """Add unknown keys, and put the keys in another order."""

    def mixed(drawn: tuple[Json, Json, int]) -> Json:
        message = list((drawn[1] | drawn[0]).items())
        at = drawn[2] % max(1, len(message))
        return copy.deepcopy(dict(message[at:] + message[:at]))

    unknown = st.fixed_dictionaries({}, optional={"x": VALUES, "cache_control": VALUES})
    return st.tuples(known, unknown, st.integers(0, 5)).map(mixed)


def record(
    required: dict[str, st.SearchStrategy[object]], /, **optional: object
) -> st.SearchStrategy[Json]:
    return with_keys(st.fixed_dictionaries(required, optional=optional))  # type: ignore[arg-type]


def typed(
    kind: str, required: dict[str, st.SearchStrategy[object]], /, **optional: object
) -> st.SearchStrategy[Json]:
    return record({"type": st.just(kind), **required}, **optional)


UNKNOWN_PART = record({"type": TEXTS | VALUES}, text=VALUES, source=VALUES, image_url=VALUES)
URLS = st.sampled_from([PNG_URL, "https://example.org/a.png", "file-1", ""])

CHAT_TEXT = typed("text", {"text": TEXTS | VALUES})
CHAT_PART = st.one_of(
    TEXTS,
    CHAT_TEXT,
    typed("refusal", {"refusal": TEXTS}),
    typed("image_url", {"image_url": URLS | OBJECTS | record({"url": URLS}, detail=VALUES)}),
    typed("input_audio", {"input_audio": VALUES | record({"data": TEXTS, "format": TEXTS})}),
    typed("file", {"file": record({}, file_data=TEXTS, file_id=TEXTS, filename=TEXTS)}),
    UNKNOWN_PART,
)
CHAT_CONTENT = st.none() | TEXTS | st.lists(CHAT_PART, max_size=3)
CHAT_CALL = st.one_of(
    record(
        {"id": MAYBE_IDS, "function": record({"name": TEXTS}, arguments=TEXTS | VALUES)},
        type=VALUES,
    ),
    record({"id": MAYBE_IDS, "custom": record({"name": TEXTS, "input": TEXTS})}, type=VALUES),
    record({"id": MAYBE_IDS, "name": TEXTS, "arguments": VALUES}),
    record({}, id=MAYBE_IDS, function=VALUES),
)
CHAT_MESSAGE = st.one_of(
    record(
        {"role": st.sampled_from(["system", "developer", "user"])},
        content=CHAT_CONTENT,
        name=VALUES,
    ),
    record(
        {"role": st.just("assistant")},
        content=CHAT_CONTENT,
        name=TEXTS,
        refusal=VALUES,
        audio=VALUES | record({"id": TEXTS}, transcript=VALUES, data=VALUES),
        function_call=VALUES | record({"name": TEXTS}, arguments=VALUES),
        tool_calls=st.none() | st.lists(CHAT_CALL, max_size=3),
        reasoning_content=VALUES,
        annotations=VALUES,
    ),
    record({"role": st.just("tool")}, tool_call_id=MAYBE_IDS, content=CHAT_CONTENT, name=VALUES),
    record({"role": st.just("function")}, content=CHAT_CONTENT, name=VALUES),
)

SOURCE = st.one_of(
    VALUES,
    record({"type": st.just("base64"), "media_type": TEXTS, "data": st.just(PNG) | TEXTS}),
    record({"type": st.just("url"), "url": URLS}),
    record({"type": st.just("file"), "file_id": IDS}),
    record({"type": st.just("text"), "data": TEXTS}),
)
SIMPLE_BLOCK = st.one_of(
    typed("text", {"text": TEXTS | VALUES}, cache_control=VALUES, citations=VALUES),
    typed("image", {"source": SOURCE}, cache_control=VALUES),
    typed("document", {"source": SOURCE}, title=VALUES, context=VALUES),
    UNKNOWN_PART,
)
BLOCK = st.one_of(
    TEXTS,
    SIMPLE_BLOCK,
    typed("thinking", {"thinking": TEXTS}, signature=VALUES),
    typed("redacted_thinking", {"data": TEXTS}),
    typed("tool_use", {"id": MAYBE_IDS, "name": TEXTS}, input=VALUES),
    typed("server_tool_use", {"id": MAYBE_IDS, "name": TEXTS}, input=VALUES),
    typed(
        "tool_result",
        {"tool_use_id": MAYBE_IDS},
        content=st.none() | TEXTS | st.lists(SIMPLE_BLOCK, max_size=3),
        is_error=VALUES,
    ),
    typed("web_search_tool_result", {"tool_use_id": MAYBE_IDS}, content=VALUES),
    typed("mcp_tool_result", {}, tool_use_id=MAYBE_IDS, content=VALUES),
)
ANTHROPIC_CONTENT = st.none() | TEXTS | st.lists(BLOCK, max_size=3)
ANTHROPIC_MESSAGE = record(
    {"role": st.sampled_from(["user", "assistant", "system"])}, content=ANTHROPIC_CONTENT
)
SYSTEM = st.none() | TEXTS | st.lists(SIMPLE_BLOCK, max_size=2)

RESPONSES_PART = st.one_of(
    TEXTS,
    typed("input_text", {"text": TEXTS | VALUES}),
    typed("output_text", {"text": TEXTS}, annotations=VALUES),
    typed("refusal", {"refusal": TEXTS}),
    typed("input_image", {}, image_url=URLS | VALUES, file_id=VALUES, detail=VALUES),
    typed("input_file", {}, file_data=TEXTS, file_url=TEXTS, filename=VALUES),
    UNKNOWN_PART,
)
RESPONSES_CONTENT = st.none() | TEXTS | st.lists(RESPONSES_PART, max_size=3)
ROLE = st.sampled_from(["system", "developer", "user", "assistant"])
RESPONSES_ITEM = st.one_of(
    record({"role": ROLE}, content=RESPONSES_CONTENT),
    typed("message", {"role": ROLE}, content=RESPONSES_CONTENT, id=VALUES, status=VALUES),
    typed("function_call", {}, call_id=MAYBE_IDS, name=VALUES, arguments=VALUES, id=VALUES),
    typed("function_call_output", {}, call_id=MAYBE_IDS, output=RESPONSES_CONTENT),
    typed("custom_tool_call", {}, call_id=MAYBE_IDS, name=TEXTS, input=VALUES),
    typed("custom_tool_call_output", {}, call_id=MAYBE_IDS, output=RESPONSES_CONTENT),
    typed(
        "reasoning",
        {"summary": st.lists(typed("summary_text", {"text": TEXTS}), max_size=2)},
        encrypted_content=VALUES,
        content=st.none() | st.lists(typed("reasoning_text", {"text": TEXTS}), max_size=2),
    ),
    typed(
        "computer_call_output", {}, call_id=MAYBE_IDS, output=VALUES | record({"image_url": URLS})
    ),
    typed("image_generation_call", {}, result=VALUES | st.just(PNG)),
    record({"id": IDS}, type=st.none()),
    st.sampled_from(
        ["computer_call", "web_search_call", "mcp_call", "mcp_approval_request", "item_reference",
         "mcp_approval_response", "local_shell_call", "local_shell_call_output", "compaction", "z"]
    ).flatmap(lambda name: typed(name, {}, id=VALUES, call_id=MAYBE_IDS, arguments=VALUES)),
)  # fmt: skip


def subset(data: st.DataObject, segments: Sequence[Segment]) -> list[Segment]:
    """Draw some of the segments, in their order."""
    kept = data.draw(st.lists(st.booleans(), min_size=len(segments), max_size=len(segments)))
    return [segment for segment, keep in zip(segments, kept, strict=True) if keep]
