"""Real weights in this process: a base model of 270 M parameters, so nothing is said of quality."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import struct
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
import trio
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator_context.exceptions import (
    ConfigurationError,
    ContextOverflowError,
    FormatError,
    ProviderRejectedError,
    ProviderResponseError,
)
from orchestrator_context.models import Generation, Media, Segment
from orchestrator_context.protocols import Generator, TokenCounter

pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")

from orchestrator_context.providers.local import LocalGenerator, _generation
from tests.linear import assert_linear
from tests.responsive import while_others_go_on

PROMPT = [Segment("You know geography.", role="system"), Segment("The capital of France is")]
LONG = [Segment("Once upon a midnight dreary " * 45)]
MAPS = Path("/proc/self/maps")


@pytest.fixture(scope="module")
def model(gguf_path: Path) -> Iterator[LocalGenerator]:
    """One model for all tests that do not care how it is loaded."""
    generator = LocalGenerator(gguf_path, window=512)
    generator.profile.counter.count("load")
    yield generator
    del generator
    gc.collect()


def is_loaded(path: Path) -> bool:
    return str(path) in MAPS.read_text()


# --- answers


@pytest.mark.anyio
async def test_an_answer(model: LocalGenerator) -> None:
    assert isinstance(model, Generator)
    answer = await model.generate(PROMPT, max_output_tokens=8)
    assert answer.text.strip()
    assert answer.finish_reason == "length"
    assert answer.usage is not None
    assert answer.usage.output_tokens == 8
    assert answer.usage.input_tokens == model.profile.counter.count_messages(PROMPT)


@pytest.mark.anyio
async def test_the_same_prompt_has_the_same_answer_whatever_came_before(
    model: LocalGenerator,
) -> None:
    first = await model.generate(PROMPT, max_output_tokens=8)
    await model.generate([*PROMPT, Segment("Paris, and")], max_output_tokens=8)
    assert await model.generate(PROMPT, max_output_tokens=8) == first


@pytest.mark.anyio
async def test_a_prompt_larger_than_the_window(model: LocalGenerator) -> None:
    with pytest.raises(ContextOverflowError) as caught:
        await model.generate([Segment("word " * 3_000)], max_output_tokens=8)
    assert caught.value.needed == model.profile.counter.count_messages([Segment("word " * 3_000)])
    assert caught.value.available == 512
    assert (caught.value.provider, caught.value.status) == ("local", 400)


def test_an_answer_ends_where_the_window_does(model: LocalGenerator) -> None:
    async def job() -> Generation:
        return await model.generate([Segment("word " * 500)], max_output_tokens=500)

    answer = asyncio.run(job())
    assert answer.finish_reason == "length"
    assert answer.usage is not None
    assert answer.usage.total <= 512


@pytest.mark.anyio
async def test_any_text_can_be_sent(model: LocalGenerator) -> None:
    messages = [Segment("a \ud800 b\0c 👩‍👩‍👧 漢字 <bos> <|im_end|>\r\n")]
    answer = await model.generate(messages, max_output_tokens=2)
    assert answer.usage is not None
    assert answer.usage.input_tokens == model.profile.counter.count_messages(messages)
    assert answer.usage.input_tokens > model.profile.counter.count_messages([Segment("a \ud800 b")])


# --- waiting


@pytest.mark.anyio
async def test_the_event_loop_goes_on(model: LocalGenerator) -> None:
    await while_others_go_on(lambda: model.generate(LONG, max_output_tokens=2))


@pytest.mark.anyio
async def test_calls_side_by_side_have_the_answers_of_calls_in_turn(model: LocalGenerator) -> None:
    prompts = [[Segment(f"{number} and")] for number in range(4)]
    in_turn = [await model.generate(prompt, max_output_tokens=3) for prompt in prompts]
    at_once: dict[int, Generation] = {}

    async def call(index: int) -> None:
        at_once[index] = await model.generate(prompts[index], max_output_tokens=3)

    async with anyio.create_task_group() as group:
        for index in range(4):
            group.start_soon(call, index)
    assert [at_once[index] for index in range(4)] == in_turn


@pytest.mark.anyio
@pytest.mark.parametrize("messages", [PROMPT, LONG], ids=["writing", "reading"])
async def test_a_cancelled_call_stops_and_the_next_one_is_right(
    model: LocalGenerator, messages: list[Segment], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = await model.generate(PROMPT, max_output_tokens=4)
    answer, answers = model._model.answer, list[Sequence[Mapping[str, Any]]]()
    monkeypatch.setattr(model._model, "answer", lambda *given: answers.append(answer(*given)))
    with anyio.move_on_after(0.2) as scope:
        await model.generate(messages, max_output_tokens=900)
    assert scope.cancelled_caught
    monkeypatch.undo()
    choices = [choice for chunk in answers[0] for choice in chunk.get("choices", ())]
    assert not any(
        choice.get("finish_reason") for choice in choices
    )  # it was not written to its end
    assert await model.generate(PROMPT, max_output_tokens=4) == whole


@pytest.mark.anyio
async def test_a_call_cancelled_in_the_queue_is_never_made(model: LocalGenerator) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: model.generate(LONG, max_output_tokens=2))
        await anyio.sleep(0.05)
        with anyio.move_on_after(0.05) as scope:
            await model.generate(PROMPT, max_output_tokens=900)
        assert scope.cancelled_caught
        group.cancel_scope.cancel()


def test_a_time_limit_of_asyncio(model: LocalGenerator) -> None:
    async def job() -> Generation:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(model.generate(PROMPT, max_output_tokens=900), 0.2)
        return await model.generate(PROMPT, max_output_tokens=4)

    first = asyncio.run(job())
    assert asyncio.run(job()) == first


# --- loading


@pytest.mark.skipif(not MAPS.exists(), reason="what is mapped into memory is read from /proc")
def test_it_is_loaded_by_the_outermost_block_and_freed_at_its_end(
    gguf_path: Path, tmp_path: Path
) -> None:
    path = tmp_path / "linked.gguf"
    os.link(gguf_path, path)

    async def job(generator: LocalGenerator) -> Generation:
        assert not is_loaded(path)
        async with generator:
            assert is_loaded(path)
            async with generator:
                answer = await generator.generate(PROMPT, max_output_tokens=2)
            assert is_loaded(path)
        assert not is_loaded(path)
        return answer

    async def lazily(generator: LocalGenerator) -> Generation:
        answer = await generator.generate(PROMPT, max_output_tokens=2)
        assert is_loaded(path)
        return answer

    def answers() -> list[Generation]:
        generator = LocalGenerator(path, window=256)
        in_turn = [asyncio.run(job(generator)), trio.run(job, generator)]
        return [*in_turn, asyncio.run(lazily(generator))]

    first, *others = answers()
    assert others == [first, first]
    deadline = time.monotonic() + 60
    while is_loaded(path) and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.05)
    assert not is_loaded(path)


def test_it_leaves_the_interrupt_key_alone(model: LocalGenerator) -> None:
    assert model.profile.counter.count("loaded") > 0

    def interrupt() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)

    with pytest.raises(KeyboardInterrupt):
        interrupt()


def test_nobody_else_can_use_its_port(model: LocalGenerator) -> None:
    address = model._model._server.listening_address
    body = {"content": "x", "prompt": "x", "messages": [{"role": "user", "content": "x"}]}
    for path in ("/tokenize", "/completion", "/v1/chat/completions", "/apply-template"):
        assert httpx.post(address + path, json=body, trust_env=False).status_code == 401


# --- counting


def test_counts_are_those_of_the_vocabulary(model: LocalGenerator) -> None:
    counter = model.profile.counter
    assert isinstance(counter, TokenCounter)
    assert counter.exact
    assert counter.name == "gemma.gguf:253113024"
    assert [counter.count(text) for text in ("", "hello", "hello there")] == [0, 1, 2]
    assert counter.count("<bos>") > 1
    without_markup = counter.count_messages([Segment("hello")])
    assert without_markup == 3  # <bos>, the word, and the blank line behind it
    tools = [{"name": "search", "parameters": {"type": "object"}}]
    assert counter.count_messages(PROMPT, tools=tools) > counter.count_messages(PROMPT) + 5


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=200))
@example("\ud800")
@example("\0" * 50)
@example("漢字" * 500)
def test_any_text_is_counted(model: LocalGenerator, text: str) -> None:
    count = model.profile.counter.count(text)
    assert 0 <= count <= 4 * len(text) + 1
    assert (count > 0) == bool(text.lstrip("\ufeff"))


def test_counting_is_linear(model: LocalGenerator) -> None:
    text = "hello there, naïve café 漢字 1234.\n"
    ends = map(str, range(10**6))  # no text is counted twice
    count = model.profile.counter.count
    assert_linear(count, lambda repeats: text * repeats + next(ends), small=200)


# --- chat templates


def with_template(source: Path, target: Path, template: str) -> None:
    """Write a copy of a GGUF file that holds a chat template.

    The new entry is padded to the alignment of the weights, so they need no other place.
    """
    key = b"tokenizer.chat_template"
    size = 8 + len(key) + 4 + 8 + len(template)
    value = template.encode() + b" " * (-size % 32)
    entry = struct.pack("<Q", len(key)) + key + struct.pack("<IQ", 8, len(value)) + value
    data = source.read_bytes()
    magic, version, tensors, entries = struct.unpack_from("<4sIQQ", data)
    head = struct.pack("<4sIQQ", magic, version, tensors, entries + 1)
    target.write_bytes(head + entry + data[len(head) :])


def test_the_models_own_template_is_used_and_may_refuse(gguf_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "chat.gguf"
    with_template(
        gguf_path,
        path,
        "{% for m in messages %}{% if m.content == 'no' %}{{ raise_exception('no') }}{% endif %}"
        "[{{ m.role }}] {{ m.content }} {% endfor %}",
    )
    generator = LocalGenerator(path, window=256)
    counter = generator.profile.counter

    async def job() -> None:
        async with generator:
            plain = 1 + counter.count(
                "[system] You know geography. [user] The capital of France is"
            )
            assert abs(counter.count_messages(PROMPT) - plain) <= 1
            answer = await generator.generate(PROMPT, max_output_tokens=2)
            assert answer.usage is not None
            assert answer.usage.input_tokens == counter.count_messages(PROMPT)
            with pytest.raises(ProviderRejectedError, match="chat template") as caught:
                await generator.generate([Segment("no")], max_output_tokens=2)
            assert caught.value.__context__ is None
            with pytest.raises(ProviderRejectedError, match="chat template"):
                counter.count_messages([Segment("no")])

    asyncio.run(job())


# --- what cannot be used


def test_a_missing_package_names_the_extra(
    gguf_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'orchestrator-context\[local\]'"):
        LocalGenerator(gguf_path)


def test_files_that_cannot_be_used_are_named_before_loading(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("GG")
    with pytest.raises(ConfigurationError, match=r"notes\.txt is no GGUF file"):
        LocalGenerator(other)
    with pytest.raises(ConfigurationError, match=r"missing\.gguf cannot be read: No such file"):
        LocalGenerator(tmp_path / "missing.gguf")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        LocalGenerator(tmp_path)


@pytest.mark.anyio
async def test_a_damaged_file_is_found_when_it_is_loaded(gguf_path: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.gguf"
    with gguf_path.open("rb") as file:
        damaged.write_bytes(file.read(100_000))
    generator = LocalGenerator(str(damaged))
    with pytest.raises(ConfigurationError, match=r"damaged\.gguf cannot be loaded"):
        async with generator:
            pass
    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        await generator.generate(PROMPT, max_output_tokens=2)
    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        generator.profile.counter.count("x")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 0}, "window"),
        ({"threads": 0}, "threads"),
        ({"temperature": -0.1}, "temperature"),
    ],
)
def test_arguments_are_checked(gguf_path: Path, options: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        LocalGenerator(gguf_path, **options)  # type: ignore[arg-type]


@pytest.mark.anyio
async def test_what_is_no_text_is_refused(model: LocalGenerator) -> None:
    with pytest.raises(ConfigurationError, match="media"):
        await model.generate([Segment("x", media=(Media("image"),))], max_output_tokens=4)
    with pytest.raises(ConfigurationError, match="max_output_tokens"):
        await model.generate(PROMPT, max_output_tokens=0)


@pytest.mark.parametrize(
    ("chunks", "error"),
    [
        ([], ProviderResponseError),
        (
            [{"choices": [{"delta": {"content": " \n"}, "finish_reason": "stop"}]}],
            ProviderResponseError,
        ),
        ([{"choices": [{"delta": {"reasoning_content": "hm"}}]}], ProviderResponseError),
        (
            [{"error": {"type": "server_error", "code": 500, "message": "quotes"}}],
            ProviderRejectedError,
        ),
    ],
)
def test_chunks_without_an_answer(chunks: list[dict[str, object]], error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        _generation(chunks)
    assert "quotes" not in str(caught.value)


@pytest.mark.anyio
async def test_calls_and_results_are_told_in_words(model: LocalGenerator) -> None:
    talk = [
        Segment("Does it rain?"),
        Segment("{}", "assistant", "tool_call", title="weather", call_id="c"),
        Segment("It rains.", "tool", "tool_result", title="weather", call_id="c"),
    ]
    words = [
        Segment("Does it rain?"),
        Segment("[call of weather]\n{}", "assistant"),
        Segment("[result of weather]\nIt rains."),
    ]
    count = model.profile.counter.count_messages
    assert count(talk) == count(words)
    answer = await model.generate(talk, max_output_tokens=4)
    assert answer == await model.generate(words, max_output_tokens=4)
    with pytest.raises(FormatError, match="reasoning is tied"):
        await model.generate([Segment("hm", "assistant", "reasoning")], max_output_tokens=4)
