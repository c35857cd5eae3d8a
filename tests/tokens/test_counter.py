from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context import Budget, compact_history, from_openai_chat, to_openai_chat
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Media, Segment
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens import token_counter, upper_estimate
from orchestrator_context.tokens.framing import FRAMING, UPPER
from orchestrator_context.tokens.media import media_tokens
from orchestrator_context.tokens.memo import memoised

O200K = token_counter()


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        (
            "o200k_base",
            "gpt-5 gpt-5.1 gpt-5-codex gpt-4o gpt-4o-mini gpt-4o-2024-08-06 chatgpt-4o-latest "
            "openai/gpt-4.1 openai:gpt-4.1-nano o1 o3 o3-mini o4-mini openrouter/openai/o4-mini "
            "ft:gpt-4o:acme::7p4lURel ft:gpt-4o-mini-2024-07-18:acme::x azure/gpt-4o GPT-4o",
        ),
        (
            "cl100k_base",
            "gpt-4 gpt-4-turbo gpt-4-0613 gpt-4-32k gpt-3.5-turbo gpt-3.5-turbo-0125 "
            "azure/gpt-35-turbo text-embedding-3-small text-embedding-3-large "
            "text-embedding-ada-002 ft:gpt-3.5-turbo:acme::x",
        ),
        ("o200k_harmony", "gpt-oss-20b openai/gpt-oss-120b gpt-oss:20b openai.gpt-oss-20b-1:0"),
        (
            "llama3",
            "llama3 llama3:8b llama3.1:8b llama3.2 llama-3.3-70b-versatile "
            "meta-llama/Llama-3.1-8B-Instruct meta-llama/Meta-Llama-3-8B "
            "us.meta.llama3-1-8b-instruct-v1:0 NousResearch/Hermes-3-Llama-3.1-8B",
        ),
        ("qwen3", "qwen2.5-coder qwen2.5-coder:7b Qwen/Qwen3-8B qwen3:30b-a3b qwen2-vl qwq-32b"),
    ],
)
def test_models_of_a_known_vocabulary(encoding: str, names: str) -> None:
    for name in [encoding, *names.split()]:
        counter = token_counter(name)
        assert (counter.name, counter.exact) == (encoding, True), name


@pytest.mark.parametrize(
    "name",
    "claude-sonnet-4-5 claude-3-5-sonnet-20241022 anthropic.claude-3-haiku-20240307-v1:0 claude-2.1"
    " claude-sonnet-4-20250514 anthropic/claude-opus-4.1 claude-3-7-sonnet-latest command-a-03-2025"
    " gemini-2.5-pro mistral-large gpt-6 qwen3.5 llama-4-scout llama2:7b codellama open_llama_3b"
    " llama-30b gpt-neox-20b deepseek-r1-distill-llama-8b deepseek-r1-0528-qwen3-8b"
    " some-model gpt-4.6 gpt2".split(),
)
def test_other_models_are_estimated(name: str) -> None:
    counter = token_counter(name)
    assert (counter.name, counter.exact) == ("upper-estimate", False)
    assert counter.count("Some text.") == upper_estimate("Some text.")


@pytest.mark.parametrize(
    "name",
    "claude-opus-4-7 claude-opus-4-8 claude-sonnet-5 claude-opus-5 claude-fable-5 "
    "anthropic/claude-opus-4.7 us.anthropic.claude-sonnet-5-v1:0 anthropic.claude-opus-4-8 "
    "claude-sonnet-4-10".split(),
)
def test_newer_claude_models_take_more(name: str) -> None:
    counter = token_counter(name)
    assert (counter.name, counter.exact) == ("upper-estimate-140%", False)
    assert counter.count("word " * 1_000) >= 1.39 * upper_estimate("word " * 1_000)


def test_none_is_o200k() -> None:
    assert (O200K.name, O200K.exact) == ("o200k_base", True)
    assert isinstance(O200K, TokenCounter)


def words(text: str) -> int:
    return len(text.split())


def test_a_function_is_exact_unless_told_otherwise() -> None:
    assert token_counter(words).exact
    assert token_counter(words).name.endswith("words")
    assert token_counter(words).count("three little words") == 3
    told = token_counter(words, exact=False, name="by words")
    assert (told.name, told.exact) == ("by words", False)
    assert token_counter(partial(words)).count("two words") == 2


@pytest.mark.parametrize("result", [1.5, "3", None, -1, True])
def test_a_function_must_return_a_count(result: object) -> None:
    counter = token_counter(lambda text: result)  # type: ignore[arg-type, return-value]
    with pytest.raises(ConfigurationError, match="whole number"):
        counter.count("text")


@pytest.mark.parametrize("source", ["", "  ", 3, b"gpt-4o", ["gpt-4o"]])
def test_other_sources_are_refused(source: object) -> None:
    with pytest.raises(ConfigurationError):
        token_counter(source)  # type: ignore[arg-type]


def test_a_model_needs_no_name_of_its_own() -> None:
    with pytest.raises(ConfigurationError, match="function"):
        token_counter("gpt-5", name="mine")


# --- memory


@given(texts=st.lists(st.text(max_size=300), max_size=20))
def test_the_memory_never_changes_a_count(texts: list[str]) -> None:
    plain: Callable[[str], int] = len
    remembered = memoised(plain)
    for text in [*texts, *texts]:
        assert remembered(text) == len(text)


def test_each_text_is_counted_once() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    remembered = memoised(count)
    for text in ("short", "long " * 100, "long " * 100 + "\ud83d"):
        assert remembered(text) == remembered(str(text)) == len(text)
    assert len(asked) == 3


def test_threads_count_alike() -> None:
    texts = [f"{n} " * n for n in range(200)]
    expected = [token_counter(words).count(text) for text in texts]
    counter, results = token_counter(words), [[0]] * 8

    def run(number: int) -> None:
        results[number] = [counter.count(text) for text in texts]

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8


# --- messages


def test_a_chat_is_counted_as_the_cookbook_does() -> None:
    messages = [
        Segment("You are a helpful assistant.", role="system"),
        Segment("Hello", author="alice"),
    ]
    texts = O200K.count("You are a helpful assistant.") + O200K.count("Hello")
    assert O200K.count_messages(messages) == texts + 2 * (3 + 1) + 1 + O200K.count("alice") + 3


def test_no_message_takes_the_framing_of_a_request() -> None:
    assert O200K.count_messages([]) == FRAMING["o200k_base"].request


def test_unknown_framing_is_above_all_known() -> None:
    for framing in FRAMING.values():
        assert framing.message <= UPPER.message
        assert framing.name <= UPPER.name
        assert framing.request <= UPPER.request
        assert framing.tool <= UPPER.tool
        assert framing.tools <= UPPER.tools


def calling(arguments: str, name: str = "write_file", call_id: str = "c1") -> Segment:
    return Segment(arguments, "assistant", "tool_call", title=name, call_id=call_id)


def test_the_arguments_of_tool_calls_count() -> None:
    arguments = '{"body": "' + "lorem ipsum dolor sit amet " * 1480 + '"}'
    assert O200K.count(arguments) == token_counter("gpt-4").count(arguments) == 7_406
    assert 7_406 < O200K.count_messages([calling(arguments)]) < 7_600


def test_the_name_and_the_id_of_a_call_count() -> None:
    bare = O200K.count_messages([calling("{}", "", "")])
    assert O200K.count_messages([calling("{}", "write_file", "")]) > bare
    assert O200K.count_messages([calling("{}", "", "call-8125")]) > bare


def test_the_parts_of_one_message_are_framed_once() -> None:
    parts = [Segment("a", message="1"), Segment("b", message="1")]
    texts = O200K.count("a") + O200K.count("b")
    framing = FRAMING["o200k_base"]
    assert O200K.count_messages(parts) == framing.request + framing.message + texts
    apart = [Segment("a", message="1"), Segment("b", message="2")]
    assert O200K.count_messages(apart) == framing.request + 2 * framing.message + texts


def test_signed_reasoning_counts() -> None:
    signed = Segment("", "assistant", "reasoning", metadata={"opaque": 900})
    plain = Segment("", "assistant", "reasoning")
    assert O200K.count_messages([signed]) == O200K.count_messages([plain]) + 300


SCHEMA: dict[str, object] = {
    "name": "get_level",
    "parameters": {
        "type": "object",
        "properties": {"station": {"type": "integer", "anyOf": [{"type": "null"}]}},
    },
}


def test_tools_count_with_all_their_keys() -> None:
    base = O200K.count_messages([Segment("Hi")])
    one = O200K.count_messages([Segment("Hi")], tools=[SCHEMA])
    assert one >= base + O200K.count(json.dumps(SCHEMA, separators=(",", ":")))
    assert O200K.count_messages([Segment("Hi")], tools=[SCHEMA, SCHEMA]) > one
    unknown = SCHEMA | {"x-note": "a key that no provider knows"}
    assert O200K.count_messages([Segment("Hi")], tools=[unknown]) > one


# --- media


@pytest.mark.parametrize(
    ("media", "tokens"),
    [
        (Media("image", 1024, 1024, "high"), 765),
        (Media("image", 2048, 4096, "high"), 1105),
        (Media("image", 4096, 8192, "low"), 85),
        (Media("image", 150, 150), 255),
        (Media("image", 512, 512), 255),
        (Media("image", 513, 512), 425),
        (Media("image", 100_000, 1), 765),
        (Media("image"), 1445),
        (Media("image", 1024, None), 1445),
        (Media("audio", duration_seconds=10.0), 320),
        (Media("audio", duration_seconds=0.01), 1),
        (Media("audio"), 19_200),
        (Media("file", pages=2), 8_890),
        (Media("file", pages=0), 0),
    ],
)
def test_media_cost_what_their_size_costs(media: Media, tokens: int) -> None:
    assert media_tokens(media, by_tiles=True) == tokens


@pytest.mark.parametrize(
    ("media", "tokens"),
    [
        (Media("image", 1568, 1568), 3_279),
        (Media("image", 150, 150), 255),
        (Media("image", 9_000, 9_000), 4_784),
        (Media("image"), 4_784),
        (Media("audio", duration_seconds=10.0), 320),
    ],
)
def test_media_of_other_services(media: Media, tokens: int) -> None:
    assert media_tokens(media, by_tiles=False) == tokens


@given(width=st.integers(1, 20_000), height=st.integers(1, 20_000))
def test_no_image_costs_more_than_one_of_unknown_size(width: int, height: int) -> None:
    for by_tiles in (True, False):
        largest = media_tokens(Media("image"), by_tiles=by_tiles)
        assert media_tokens(Media("image", width, height), by_tiles=by_tiles) <= largest


def test_media_are_part_of_a_message() -> None:
    with_image = Segment("Look", media=(Media("image", 1024, 1024), Media("image", detail="low")))
    assert O200K.count_messages([with_image]) == O200K.count_messages([Segment("Look")]) + 850


def test_the_title_of_a_document_is_counted_since_it_is_sent() -> None:
    counter = token_counter("gpt-4o")
    plain = Segment("The figures.", kind="document")
    titled = Segment("The figures.", kind="document", title="long-name-" * 20)
    (sent,) = to_openai_chat((titled,))
    more = counter.count_messages((titled,)) - counter.count_messages((plain,))
    assert more >= counter.count(str(sent["content"])) - counter.count("The figures.")


def test_functions_without_a_name_are_no_one_vocabulary() -> None:
    def by(size: int) -> TokenCounter:
        return token_counter(lambda text: len(text) // size)

    few, many = by(20), by(1)
    assert few != many
    assert few.name == many.name
    assert token_counter(len) == token_counter(len)
    assert token_counter(len, name="x") == token_counter(lambda text: len(text), name="x")
    messages = from_openai_chat([{"role": "user", "content": "turn " + "word " * 40}] * 20)
    compact_history(messages, Budget(1_000), counter=few)
    compacted = compact_history(messages, Budget(1_000), counter=many)
    assert many.count_messages(compacted.segments) <= 1_000
