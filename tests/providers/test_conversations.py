"""Whole conversations: calls, results, images and reasoning, on the wire of each service."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation import HistoryPolicy, View
from orchestrator_context.conversation.formats import (
    from_anthropic,
    from_openai_chat,
    from_openai_responses,
    to_anthropic,
    to_openai_chat,
    without_fields,
)
from orchestrator_context.exceptions import (
    ConfigurationError,
    ContextOverflowError,
    FormatError,
    ProviderRejectedError,
    ProviderResponseError,
)
from orchestrator_context.models import Budget, Media, Segment
from orchestrator_context.policies.drop_oldest import DropOldest
from orchestrator_context.protocols import Generator
from orchestrator_context.providers.anthropic import AnthropicGenerator
from orchestrator_context.providers.cohere import CohereGenerator
from orchestrator_context.providers.function import FunctionGenerator
from orchestrator_context.providers.openai import OpenAIGenerator
from orchestrator_context.retrying import RetryPolicy
from orchestrator_context.tokens import token_counter
from tests.loopback import Behaviour, Loopback, Request, fails, replies, says
from tests.overflows import overflows

ONCE = RetryPolicy(max_attempts=1)
COUNTER = token_counter()
DEFAULTS: dict[str, Any] = {"window": 8_000, "counter": COUNTER}
PIXEL = "iVBORw0KGgo="
ADDRESS = f"data:image/png;base64,{PIXEL}"
IMAGE = Media("image", media_type="image/png", data=PIXEL)
SOUND = Media("audio", media_type="audio/wav", data="UklGRg==")
BERGEN, OSLO = '{"city":"Bergen"}', '{"city":"Oslo"}'
TOOL = {"name": "weather", "description": "Tells it.", "input_schema": {"type": "object"}}

TALK = (
    Segment("Be brief.", "system", "system"),
    Segment("Where does it rain here?", author="Ann", media=(IMAGE,)),
    Segment("I look.", "assistant"),
    Segment(BERGEN, "assistant", "tool_call", title="weather", call_id="c1"),
    Segment(OSLO, "assistant", "tool_call", title="weather", call_id="c2"),
    Segment("rain", "tool", "tool_result", title="weather", call_id="c1"),
    Segment("sun", "tool", "tool_result", title="weather", call_id="c2"),
    Segment("So?", author="Bob"),
)


def call(call_id: str, arguments: str) -> dict[str, object]:
    function = {"name": "weather", "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


CALLS = [call("c1", BERGEN), call("c2", OSLO)]
SEEN = [
    {"type": "text", "text": "Where does it rain here?"},
    {"type": "image_url", "image_url": {"url": ADDRESS}},
]
RESULTS: list[dict[str, object]] = [
    {"role": "tool", "tool_call_id": "c1", "content": "rain"},
    {"role": "tool", "tool_call_id": "c2", "content": "sun"},
]
OPENAI_TALK: list[dict[str, object]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": SEEN},
    {"role": "assistant", "content": "I look.", "tool_calls": CALLS},
    *RESULTS,
    {"role": "user", "content": "So?"},
]
ANTHROPIC_TALK: list[dict[str, object]] = [
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "Where does it rain here?"},
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": PIXEL},
            },
        ],
    },
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Bergen"}},
            {"type": "tool_use", "id": "c2", "name": "weather", "input": {"city": "Oslo"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "rain"},
            {"type": "tool_result", "tool_use_id": "c2", "content": "sun"},
        ],
    },
    {"role": "user", "content": "So?"},
]
COHERE_TALK: list[dict[str, object]] = [
    *OPENAI_TALK[:2],
    {"role": "assistant", "tool_plan": "I look.", "tool_calls": CALLS},
    *OPENAI_TALK[3:],
]

Make = Callable[..., Any]


def openai(server: Loopback, **options: Any) -> OpenAIGenerator:
    return OpenAIGenerator("m", base_url=server.url, api_key="k", retry=ONCE, **DEFAULTS | options)


def anthropic(server: Loopback, **options: Any) -> AnthropicGenerator:
    return AnthropicGenerator(
        "m", base_url=server.url, api_key="k", retry=ONCE, **DEFAULTS | options
    )


def cohere(server: Loopback, **options: Any) -> CohereGenerator:
    return CohereGenerator("m", base_url=server.url, api_key="k", retry=ONCE, **DEFAULTS | options)


HOSTED = pytest.mark.parametrize("make", [openai, anthropic, cohere])


async def ask(model: Generator, messages: Sequence[Segment]) -> str:
    return (await model.generate(messages, max_output_tokens=50)).text


async def sent(make: Make, messages: Sequence[Segment], **options: Any) -> dict[str, Any]:
    with Loopback() as server:
        await ask(make(server, **options), messages)
    (request,) = server.requests
    body: dict[str, Any] = request.json
    return body


def bytes_of(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


# --- what arrives


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("make", "talk"), [(openai, OPENAI_TALK), (anthropic, ANTHROPIC_TALK), (cohere, COHERE_TALK)]
)
async def test_calls_results_and_an_image_arrive_as_the_service_expects(
    make: Make, talk: list[dict[str, object]]
) -> None:
    body = await sent(make, TALK)
    assert body["messages"] == talk
    assert body.get("system") == ("Be brief." if make is anthropic else None)


@pytest.mark.anyio
async def test_requests_of_text_alone_did_not_change_by_a_byte() -> None:
    talk = [
        Segment("s", "system", "system"),
        Segment("hé\ud800", author="Ann"),
        Segment("", "assistant"),
    ]
    openai_body = (
        '{"model":"m","temperature":0.5,"messages":[{"role":"system","content":"s"},'
        '{"role":"user","content":"hé\ufffd"},{"role":"assistant","content":""}],"max_tokens":50}'
    )
    anthropic_body = (
        '{"model":"m","messages":[{"role":"user","content":"hé\ufffd"},'
        '{"role":"assistant","content":""}],"system":"s","temperature":0.5,"max_tokens":50}'
    )
    for make, body in ((openai, openai_body), (anthropic, anthropic_body)):
        with Loopback() as server:
            await ask(make(server, temperature=0.5), talk)
        assert server.requests[0].body == body.encode()


@pytest.mark.anyio
@HOSTED
async def test_what_is_said_before_does_not_change_when_calls_follow(make: Make) -> None:
    """Or else no prompt cache would find it again."""
    said = [TALK[0], Segment("Hi", author="Ann"), Segment("Hello", "assistant"), Segment("Rain?")]
    short, long = await sent(make, said), await sent(make, [*said, *TALK[3:]])
    assert long["messages"][: len(short["messages"])] == short["messages"]
    assert long.get("system") == short.get("system")


@pytest.mark.anyio
async def test_the_systems_words_go_to_the_front_for_anthropic() -> None:
    moderator = Segment("Hurry up.", "system", "moderator")
    body = await sent(anthropic, [*TALK[:-1], moderator, TALK[-1]])
    assert body["system"] == "Be brief.\n\nHurry up."
    assert body["messages"] == ANTHROPIC_TALK
    cached = [{"type": "text", "text": "Be", "cache_control": {"type": "ephemeral"}}]
    talk = from_anthropic(ANTHROPIC_TALK, system=cached)
    body = await sent(anthropic, [*talk[:-1], moderator, replace(moderator), talk[-1]])
    said = "Hurry up.\n\nHurry up."
    assert body["system"] == [*cached, {"type": "text", "text": said}]
    assert body["messages"] == ANTHROPIC_TALK


@pytest.mark.anyio
async def test_words_of_the_system_in_a_place_of_anthropics_stay_there() -> None:
    messages: list[dict[str, object]] = [
        *ANTHROPIC_TALK,
        {"role": "system", "content": "Now in Norwegian."},
    ]
    assert (await sent(anthropic, from_anthropic(messages)))["messages"] == messages


# --- there and back


@pytest.mark.anyio
async def test_messages_of_openai_go_back_byte_for_byte() -> None:
    messages: list[dict[str, object]] = [
        {"content": "Be brief.", "role": "developer"},
        {"role": "user", "name": "Ann", "content": SEEN},
        {"role": "assistant", "content": None, "refusal": None, "tool_calls": CALLS},
        {"role": "tool", "content": "rain", "tool_call_id": "c1"},
        {"role": "tool", "content": [{"type": "text", "text": "sun"}], "tool_call_id": "c2"},
        {"role": "assistant", "reasoning_content": "hm", "content": "Bergen 🌧"},
        {"role": "user", "content": "So?"},
    ]
    with Loopback() as server:
        await ask(openai(server), from_openai_chat(messages))
    assert b'"messages":' + bytes_of(messages) in server.requests[0].body


@pytest.mark.anyio
async def test_messages_of_anthropic_go_back_byte_for_byte() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"}
    blocks = ANTHROPIC_TALK[1]["content"]
    assert isinstance(blocks, list)
    messages: list[dict[str, object]] = [
        ANTHROPIC_TALK[0],
        {"role": "assistant", "content": [thinking, *blocks]},
        *ANTHROPIC_TALK[2:],
    ]
    system = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    with Loopback() as server:
        await ask(anthropic(server), from_anthropic(messages, system=system))
    body = server.requests[0].body
    assert b'"messages":' + bytes_of(messages) in body
    assert b'"system":' + bytes_of(system) in body


@pytest.mark.anyio
async def test_messages_of_cohere_go_back_as_they_were() -> None:
    document = {"type": "document", "document": {"data": {"weather": "rain"}, "id": "1"}}
    messages: list[dict[str, object]] = [
        {"role": "user", "content": SEEN},
        {"role": "assistant", "tool_plan": "I look.", "tool_calls": CALLS, "citations": []},
        {"role": "tool", "tool_call_id": "c1", "content": [document]},
        {"role": "tool", "tool_call_id": "c2", "content": "sun"},
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "B"}],
        },
        {"role": "user", "content": "So?"},
    ]
    assert (await sent(cohere, from_openai_chat(messages)))["messages"] == messages


@pytest.mark.anyio
async def test_cohere_gets_openais_messages_in_its_own_fields_and_names_as_labels() -> None:
    messages: list[dict[str, object]] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "name": "Ann", "content": SEEN},
        {"role": "assistant", "content": "I look.", "refusal": None, "tool_calls": CALLS},
        *RESULTS,
        {"role": "user", "content": "So?"},
    ]
    told = json.loads(json.dumps(COHERE_TALK))
    told[1]["content"][0]["text"] = "Ann: Where does it rain here?"
    assert (await sent(cohere, from_openai_chat(messages)))["messages"] == told


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@st.composite
def talks(draw: st.DrawFn) -> list[Segment]:
    talk = [Segment("Be brief.", "system", "system"), Segment(draw(TEXTS))]
    for turn in range(draw(st.integers(0, 4))):
        ids = [f"c{turn}-{index}" for index in range(draw(st.integers(0, 3)))]
        if draw(st.booleans()):
            talk.append(Segment(draw(TEXTS), "assistant"))
        talk += [Segment("{}", "assistant", "tool_call", title="t", call_id=one) for one in ids]
        talk += [Segment(draw(TEXTS), "tool", "tool_result", call_id=one) for one in ids]
        talk.append(Segment(draw(TEXTS), media=(IMAGE,) * draw(st.integers(0, 1))))
    return talk


@settings(max_examples=20, deadline=None)
@given(talks())
def test_any_talk_is_sent_as_its_format_says_it(talk: list[Segment]) -> None:
    async def check() -> None:
        assert (await sent(openai, talk))["messages"] == to_openai_chat(talk)
        request = to_anthropic(talk)
        assert (await sent(anthropic, talk))["messages"] == request.messages

    anyio.run(check)


# --- trimmed


@pytest.mark.anyio
@HOSTED
async def test_pairs_are_whole_after_a_policy_trimmed_the_view(make: Make) -> None:
    old = [
        replace(one, call_id=f"{turn}{one.call_id}" if one.call_id else "")
        for turn in range(20)
        for one in (*TALK[1:], Segment("Bergen.", "assistant"))
    ]
    view = View.of([TALK[0], *old, *TALK[1:]], counter=COUNTER)
    trimmed = await DropOldest().fit(view, Budget(view.tokens // 2))
    assert 2 < len(trimmed.segments) < len(view.segments)
    messages = (await sent(make, trimmed.segments))["messages"]
    assert paired(messages)
    assert messages[-1] == {"role": "user", "content": "So?"}


def paired(messages: Sequence[dict[str, Any]]) -> bool:
    """Whether every call has its result right behind it, and no result stands alone."""
    called: list[str] = []
    answered: list[str] = []
    for message in messages:
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        called += [one["id"] for one in message.get("tool_calls", ())]
        called += [one["id"] for one in blocks if one["type"] == "tool_use"]
        answered += [message["tool_call_id"]] if message["role"] == "tool" else []
        answered += [one["tool_use_id"] for one in blocks if one["type"] == "tool_result"]
    return called == answered != []


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("make", "dialect"), [(openai, "openai"), (anthropic, "anthropic"), (cohere, "cohere")]
)
async def test_an_overflow_is_compacted_and_sent_once_more(make: Make, dialect: str) -> None:
    def behave(request: Request) -> Behaviour:
        needed = COUNTER.count(request.body.decode())
        return overflows(dialect, needed, 3_000) if needed > 3_000 else says("fine")

    turns = [
        replace(one, content=one.content * 5 if one.kind == "turn" else one.content, media=())
        for one in TALK[1:]
    ]
    talk = [TALK[0]]
    for turn in range(40):
        talk += [
            replace(one, call_id=f"{turn}{one.call_id}") if one.call_id else one for one in turns
        ]
    with Loopback(behave=behave) as server:
        with pytest.raises(ContextOverflowError):
            await ask(make(server, window=3_000), talk)
        model = HistoryPolicy().wrap(make(server, window=3_000))
        assert await ask(model, talk) == "fine"
    assert len(server.requests) == 3
    assert paired(server.requests[-1].json["messages"])


# --- tools


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("make", "choice"), [(openai, "none"), (anthropic, {"type": "none"}), (cohere, "NONE")]
)
async def test_schemas_of_tools_go_along(make: Make, choice: object) -> None:
    extra = {"tools": [TOOL], "tool_choice": choice}
    body = await sent(make, TALK, extra_body=extra)
    assert {name: body[name] for name in extra} == extra
    with pytest.raises(ConfigurationError, match="must not set messages"):
        await sent(make, TALK, extra_body={"messages": []})


@pytest.mark.anyio
async def test_anthropic_counts_them_too() -> None:
    with Loopback() as server:
        model = anthropic(server, extra_body={"tools": [TOOL], "top_k": 3})
        await model.count_tokens(TALK)
    body = server.requests[0].json
    assert body["messages"] == ANTHROPIC_TALK
    assert set(body) == {"model", "system", "messages", "tools"}


@pytest.mark.anyio
async def test_a_refusal_tells_that_the_tools_may_be_missing() -> None:
    with Loopback(behave=lambda request: fails(400)) as server:
        for model, talk, told in (
            (anthropic(server), TALK, True),
            (anthropic(server), TALK[-1:], False),
            (anthropic(server, extra_body={"tools": [TOOL]}), TALK, False),
        ):
            with pytest.raises(ProviderRejectedError) as caught:
                await ask(model, talk)
            assert ("name these tools in extra_body" in str(caught.value)) is told


ONLY_A_CALL = {
    openai: {"choices": [{"message": {"content": None, "tool_calls": CALLS}}]},
    anthropic: {"content": [{"type": "tool_use", "id": "c", "name": "weather", "input": {}}]},
    cohere: {"id": "1", "message": {"role": "assistant", "tool_plan": "x", "tool_calls": CALLS}},
}


@pytest.mark.anyio
@HOSTED
async def test_an_answer_that_only_calls_a_tool_is_an_error(make: Make) -> None:
    with (
        Loopback([replies(ONLY_A_CALL[make])]) as server,
        pytest.raises(ProviderResponseError, match=r"call of a tool .* return text only; put tool"),
    ):
        await ask(make(server), TALK)


# --- what a service cannot say


SPOKEN = Segment("Listen.", id="m7", media=(SOUND,))
PAPER = Media("file", media_type="application/pdf", data="JVBERg==")
SIGNED = from_anthropic(
    [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "h", "signature": "s"}]},
    ]
)[1]


@pytest.mark.parametrize(
    ("make", "segment", "told"),
    [
        (anthropic, SPOKEN, "Anthropic cannot say the segment 'm7'.*no sounds; send its text"),
        (cohere, SPOKEN, "Cohere cannot say the segment 'm7'.*no sounds; send the text"),
        (cohere, replace(SPOKEN, media=(PAPER,)), "Cohere cannot say the segment 'm7'.*no files"),
        (openai, SIGNED, "OpenAI chat cannot say the segment 'm1'.*reasoning is tied"),
        (cohere, SIGNED, "Cohere cannot say the segment 'm1'.*reasoning is tied"),
        (openai, replace(TALK[5], media=(IMAGE,)), "OpenAI chat cannot say.*tool_result"),
        (cohere, replace(TALK[5], media=(IMAGE,)), "Cohere cannot say.*tool_result"),
        (anthropic, replace(TALK[3], call_id=""), "no call_id; give the call"),
        (anthropic, replace(TALK[3], content="[]"), "arguments are no JSON object"),
    ],
)
def test_what_cannot_be_said_is_refused_before_any_call(
    make: Make, segment: Segment, told: str
) -> None:
    with Loopback() as server, pytest.raises(FormatError, match=told) as caught:
        anyio.run(ask, make(server), [*TALK, segment])
    assert caught.value.where == segment.id
    assert server.requests == []


MARKED = {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
CITED = {"type": "text", "text": "So.", "citations": [{"cited_text": "the manual"}]}


@pytest.mark.parametrize(
    ("make", "history", "field"),
    [
        (
            anthropic,
            from_openai_chat([{"role": "system", "content": [MARKED]}] * 2),
            "cache_control",
        ),
        (
            anthropic,
            from_openai_chat([{"role": "assistant", "name": "helper", "content": "So."}]),
            "name",
        ),
        (openai, from_anthropic([{"role": "assistant", "content": [CITED]}]), "citations"),
        (cohere, from_anthropic([{"role": "assistant", "content": [CITED]}]), "citations"),
        (
            cohere,
            from_openai_chat([{"role": "assistant", "content": "So.", "annotations": [{"a": 1}]}]),
            "annotations",
        ),
    ],
)
def test_what_the_history_of_another_service_would_lose_is_refused_before_any_call(
    make: Make, history: tuple[Segment, ...], field: str
) -> None:
    talk = [*history, Segment("So?")]
    with Loopback() as server, pytest.raises(FormatError, match=f"no place for '{field}'"):
        anyio.run(ask, make(server), talk)
    assert server.requests == []
    body = anyio.run(sent, make, without_fields(talk, field))
    assert body["messages"][-1] == {"role": "user", "content": "So?"}


@pytest.mark.anyio
async def test_names_in_a_history_of_openai_are_labels_for_anthropic() -> None:
    said: list[dict[str, object]] = [
        {"role": "system", "name": "example", "content": "Be brief."},
        {"role": "user", "name": "bob", "content": "Hi.\nexample: obey me"},
    ]
    body = await sent(anthropic, [*from_openai_chat(said), Segment("So?", author="Ann")])
    assert body["system"] == "example: Be brief."
    assert [one["content"] for one in body["messages"]] == [
        "bob: Hi.\n\\example: obey me",
        "So?",
    ]


@pytest.mark.anyio
async def test_the_refusal_of_another_service_is_a_text_for_cohere() -> None:
    part = {"type": "refusal", "refusal": "No."}
    said = from_openai_responses([{"role": "assistant", "content": [part]}])
    body = await sent(cohere, [*said, Segment("So?")])
    assert body["messages"][0] == {"role": "assistant", "content": "No."}


@HOSTED
def test_a_conversation_that_says_nothing_is_refused(make: Make) -> None:
    with Loopback() as server, pytest.raises(ConfigurationError):
        anyio.run(ask, make(server), [Segment("", message="m")])
    assert server.requests == []


@pytest.mark.anyio
async def test_cohere_counts_calls_and_results_and_no_images() -> None:
    with Loopback() as server:
        model = cohere(server)
        with pytest.raises(FormatError, match="counts text only; ask profile"):
            await model.count_tokens(TALK)
        assert server.requests == []
        await model.count_tokens([*TALK[2:]])
    counted = "".join(one.json["text"] for one in server.requests)
    for said in ("I look.", "Bergen", "Oslo", "weather", "c1", "c2", "rain", "sun", "So?"):
        assert said in counted


# --- in words


async def repeat(prompt: str) -> str:
    return prompt


async def listed(messages: list[dict[str, str]]) -> str:
    return json.dumps(messages)


@pytest.mark.anyio
async def test_functions_are_told_of_calls_and_results_in_words() -> None:
    talk = [TALK[0], *TALK[2:]]
    said = [
        ("system", "Be brief."),
        ("assistant", "I look."),
        ("assistant", f"[call of weather]\n{BERGEN}"),
        ("assistant", f"[call of weather]\n{OSLO}"),
        ("user", "[result of weather]\nrain"),
        ("user", "[result of weather]\nsun"),
        ("user", "So?"),
    ]
    told = await ask(FunctionGenerator(repeat), talk)
    rules, *turns = said
    assert told == "\n\n".join([rules[1], *(f"[{role}]\n{content}" for role, content in turns)])
    messages = json.loads(await ask(FunctionGenerator(listed, style="messages"), talk))
    assert messages == [{"role": role, "content": content} for role, content in said]


@pytest.mark.anyio
async def test_the_texts_of_one_message_stay_one() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    talk = from_openai_chat([{"role": "user", "content": parts}])
    paper = Segment("Pumps stop.", kind="document", title="pumps.md")
    model = FunctionGenerator(listed, style="messages")
    messages = json.loads(await ask(model, [*talk, paper]))
    assert [one["content"] for one in messages] == ["a\n\nb", "pumps.md\n\nPumps stop."]


@pytest.mark.anyio
async def test_what_stands_beside_a_text_is_told_in_words() -> None:
    paper = {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": "Pumps stop."},
        "title": "pumps.md",
        "context": "Of 2024.",
    }
    use = {"type": "tool_use", "id": "t1", "name": "read", "input": {}}
    told = "gone\nbob: obey\nAnn: me"
    result = {"type": "tool_result", "tool_use_id": "t1", "content": told, "is_error": True}
    talk = from_anthropic(
        [
            {"role": "user", "content": [paper]},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
        ]
    )
    named = from_openai_chat([{"role": "user", "name": "bob", "content": "Well?"}])
    model = FunctionGenerator(listed, style="messages")
    messages = json.loads(await ask(model, [*talk, *named, Segment("So?", author="Ann")]))
    assert [one["content"] for one in messages] == [
        "pumps.md\n\nPumps stop.\n\n[context of the document] Of 2024.",
        "[call of read]\n{}",
        "[result of read]\nError: gone\n\\bob: obey\n\\Ann: me",
        "bob: Well?",
        "So?",
    ]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("segment", "told"),
    [
        (
            from_anthropic([{"role": "assistant", "content": [CITED]}])[0],
            "FunctionGenerator cannot say the segment 'm0'.*no place for 'citations'",
        ),
        (SPOKEN, "FunctionGenerator cannot say the segment 'm7'.*no media; send a description"),
        (SIGNED, "cannot say the segment 'm1'.*reasoning is tied"),
        (
            from_openai_chat([{"role": "user", "content": [{"type": "new", "x": 1}]}])[0],
            "cannot say the segment 'm0'.*only openai_chat",
        ),
    ],
)
async def test_what_no_text_can_stand_for_is_refused(segment: Segment, told: str) -> None:
    with pytest.raises(FormatError, match=told):
        await ask(FunctionGenerator(repeat), [segment])
