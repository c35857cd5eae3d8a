"""Words that stand for what another format has no field for are counted before they are said."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation import TemplateRules, View, finalize
from orchestrator_context.conversation.formats import from_anthropic, without_fields
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens import token_counter
from tests.conversation.formats.nasty import Json
from tests.conversation.formats.talks_of_formats import read, write

COUNTERS = [token_counter(name) for name in ("gpt-5", "gpt-4", "llama-3-8b", "claude-sonnet-4-5")]
TEXTS = st.text(max_size=30) | st.sampled_from(["", " ", "\n\n", "12", "水泵 🚰", "ror: x", "\t"])
MARKS = st.fixed_dictionaries({}, optional={"title": TEXTS, "context": TEXTS})
counters = pytest.mark.parametrize("counter", COUNTERS, ids=lambda one: one.name)
few = settings(max_examples=60)


def blocks() -> st.SearchStrategy[Json]:
    result: Json = {"type": "tool_result", "tool_use_id": "t1", "is_error": True}
    plain: Json = {"type": "text", "media_type": "text/plain"}
    url: Json = {"type": "url", "url": "https://example.org/a.pdf"}
    sources = TEXTS.map(lambda data: {**plain, "data": data}) | st.just(url)
    documents: st.SearchStrategy[Json] = st.tuples(sources, MARKS).map(
        lambda drawn: {"type": "document", "source": drawn[0], **drawn[1]}
    )
    return documents | TEXTS.map(lambda content: result | {"content": content})


@counters
@few
@given(block=blocks(), target=st.sampled_from(["openai_chat", "openai_responses"]))
def test_a_segment_is_never_larger_than_it_was_counted(
    counter: TokenCounter, block: Json, target: str
) -> None:
    segments = from_anthropic([{"role": "user", "content": [block]}])
    if target == "openai_chat" and segments[0].media:
        return  # it takes no file by its address
    said = read(target, write(target, segments))
    assert counter.count_messages(segments) >= counter.count_messages(said)


@counters
@few
@given(block=blocks())
def test_nor_is_it_where_tools_are_told_in_words(counter: TokenCounter, block: Json) -> None:
    call: Json = {"type": "tool_use", "id": "t1", "name": "read", "input": {}}
    messages: list[Json] = [
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [block]},
    ]
    view = View.of(from_anthropic(messages), counter=counter, rules=TemplateRules(tools=False))
    if view.segments[1].media:
        return
    said = read("openai_chat", write("openai_chat", finalize(view)))
    assert view.tokens >= counter.count_messages(said)


def test_what_is_paid_is_little_more_than_the_words_take() -> None:
    counter = token_counter()
    result: Json = {"type": "tool_result", "tool_use_id": "t1", "content": "no such file"}
    (plain, failed) = (
        from_anthropic([{"role": "user", "content": [result | more]}])
        for more in ({}, {"is_error": True})
    )
    extra = counter.count_messages(failed) - counter.count_messages(plain)
    assert 0 < extra - counter.count("Error: ") <= 3
    text: Json = {"type": "text", "media_type": "text/plain", "data": "body"}
    document: Json = {"type": "document", "source": text, "context": "Of the year 2024. " * 50}
    (marked,) = from_anthropic([{"role": "user", "content": [document]}])
    (bare,) = without_fields([marked], "context")
    paid = counter.count_messages([marked]) - counter.count_messages([bare])
    assert 1 < paid / counter.count(str(document["context"])) < 1.7
