"""The real AnyInfer package, with the in-process services that it ships for tests."""

from __future__ import annotations

import asyncio
import sys
import traceback
from dataclasses import replace
from decimal import Decimal

import anyinfer
import anyio
import pytest
from anyinfer.registry import ProviderRegistry
from anyinfer.testing.scripted import ScriptedFailure, ScriptedModel, ScriptedProvider
from anyinfer.types import ModelCapabilities, Sourced
from anyinfer.types.capabilities import Pricing, Provenance

from orchestrator_context.conversation.formats import from_anthropic, from_openai_chat
from orchestrator_context.exceptions import (
    ConfigurationError,
    ContextOverflowError,
    FormatError,
    ProviderError,
    ProviderRejectedError,
    ProviderResponseError,
    ProviderUnavailableError,
)
from orchestrator_context.models import Generation, Media, Price, Segment, Usage
from orchestrator_context.protocols import Generator, ModelProfile
from orchestrator_context.providers._anyinfer import anyinfer_messages
from orchestrator_context.providers.anyinfer import AnyInferGenerator
from orchestrator_context.retrying import RetryPolicy, call_with_retry
from orchestrator_context.tokens import token_counter

PROMPT = [Segment("Be brief.", role="system"), Segment("Why \ud800?")]
QUICK = RetryPolicy(max_attempts=3, first_delay_seconds=0.001)
SECRET = "the-prompt-nobody-may-see"


class Service:
    """A client and the service behind it."""

    def __init__(self, *failures: ScriptedFailure, **model: object) -> None:
        self.provider = ScriptedProvider(
            "acme",
            [ScriptedModel("m", failures=failures, **model)],  # type: ignore[arg-type]
        )
        self.client = anyinfer.AsyncClient(
            [self.provider.settings()],
            registry=self.provider.register(ProviderRegistry()),
            use_default_catalog=False,
        )

    def generator(self, **options: object) -> AnyInferGenerator:
        options = {"retry": QUICK} | options
        return AnyInferGenerator(self.client, "acme:m", **options)  # type: ignore[arg-type]

    def generate(self, **options: object) -> Generation:
        async def run() -> Generation:
            async with self.client:
                return await self.generator(**options).generate(PROMPT, max_output_tokens=9)

        return asyncio.run(run())

    def failure(self, **options: object) -> ProviderError:
        with pytest.raises(ProviderError) as caught:
            self.generate(**options)
        assert SECRET not in "".join(traceback.format_exception(caught.value))
        assert not isinstance(caught.value.__context__, anyinfer.AnyInferError)
        return caught.value


def failing(kind: str = "status", status: int = 503, message: str = SECRET) -> Service:
    failure = ScriptedFailure(kind, status, 0.0, message)  # type: ignore[arg-type]
    return Service(*[failure] * 9)


def test_a_request_and_its_answer() -> None:
    service = Service(text="An answer.")
    assert isinstance(service.generator(), Generator)
    assert service.generate(temperature=0) == Generation("An answer.", Usage(11, 7), "stop")
    assert service.provider.requests == [
        {
            "model": "m",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Why \ufffd?"},
            ],
            "max_tokens": 9,
            "temperature": 0.0,
        }
    ]


def test_nothing_is_sent_for_what_was_left_to_the_service() -> None:
    service = Service()
    service.generate()
    assert "temperature" not in service.provider.requests[0]


@pytest.mark.parametrize(("reason", "finish"), [("length", "length"), ("tool_calls", "other")])
def test_finish_reasons(reason: str, finish: str) -> None:
    assert Service(finish_reason=reason).generate().finish_reason == finish


def test_unknown_usage_stays_unknown() -> None:
    assert Service(usage=None).generate().usage is None


def test_a_blank_answer_is_asked_for_again() -> None:
    service = Service(text=" \n")
    assert isinstance(service.failure(), ProviderResponseError)
    assert service.provider.call_count() == 3


def test_a_refusal_is_not_tried_again() -> None:
    service = failing("refusal")
    assert isinstance(service.failure(), ProviderRejectedError)
    assert service.provider.call_count() == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_permanent_status_is_not_tried_again(status: int) -> None:
    service = failing(status=status)
    error = service.failure()
    assert isinstance(error, ProviderRejectedError)
    assert (error.provider, error.status) == ("acme", status)
    assert service.provider.call_count() == 1


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_a_passing_status_is_tried_again_by_one_layer_only(status: int) -> None:
    service = failing(status=status)
    error = service.failure()
    assert isinstance(error, ProviderUnavailableError)
    assert error.status == status
    assert error.__notes__ == ["3 of at most 3 attempts were made"]
    assert service.provider.call_count() == 3


def test_the_service_says_how_long_to_wait() -> None:
    service = Service(ScriptedFailure(status=429, retry_after_s=7.0))
    error = service.failure(retry=RetryPolicy(max_attempts=2, max_retry_after_seconds=1))
    assert isinstance(error, ProviderUnavailableError)
    assert error.retry_after == 7
    assert service.provider.call_count() == 1


def test_a_timeout_and_a_cut_stream() -> None:
    assert isinstance(failing("timeout").failure(), ProviderUnavailableError)
    assert isinstance(failing("truncate").failure(), ProviderResponseError)


def test_it_recovers() -> None:
    service = Service(ScriptedFailure(), ScriptedFailure("timeout"), text="late")
    assert service.generate().text == "late"


def test_a_prompt_larger_than_the_window() -> None:
    said = "maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
    error = failing(status=400, message=said).failure()
    assert isinstance(error, ContextOverflowError)
    assert (error.needed, error.available) == (9000, 8192)


def test_a_prompt_that_anyinfer_itself_finds_too_large() -> None:
    service = Service(capabilities=capabilities(20))
    big = [Segment("word " * 10_000)]

    async def run() -> None:
        async with service.client:
            await service.generator().generate(big, max_output_tokens=9)

    with pytest.raises(ContextOverflowError):
        asyncio.run(run())
    assert service.provider.call_count() == 0


def capabilities(window: int, provenance: Provenance = "catalog") -> ModelCapabilities:
    price = Pricing(Decimal("1.5"), Decimal(2))
    return ModelCapabilities(
        context_window=Sourced(window, provenance), pricing=Sourced(price, provenance)
    )


def profile(service: Service, **options: object) -> ModelProfile:
    return service.generator(**options).profile


def test_the_window_and_price_are_what_the_client_knows() -> None:
    known = profile(Service(capabilities=capabilities(777)))
    assert (known.name, known.window, known.price) == ("m", 777, Price(1.5, 2))
    assert known.window_source == "service"
    assumed = profile(Service(capabilities=capabilities(777, "default")))
    assert (assumed.window, assumed.price) == (None, None)
    price, counter = Price(3, 4), token_counter(len, name="letters")
    service = Service(capabilities=capabilities(777))
    own = profile(service, window=9, price=price, counter=counter)
    assert (own.window, own.price, own.counter) == (9, price, counter)
    assert own.window_source == "given"


def test_the_catalogue_helps_with_models_that_the_client_knows_nothing_of() -> None:
    client = anyinfer.AsyncClient([anyinfer.ProviderSettings.of("openai", api_key="k")])
    known = AnyInferGenerator(client, "openai:gpt-4o").profile
    assert (known.name, known.counter.exact, known.window) == ("gpt-4o", True, 128_000)


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Service().client
    monkeypatch.setitem(sys.modules, "anyinfer", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'orchestrator-context\[anyinfer\]'"):
        AnyInferGenerator(client, "acme:m")


def test_arguments_are_checked() -> None:
    service = Service()
    with pytest.raises(ConfigurationError, match=r"anyinfer\.AsyncClient, not Client"):
        AnyInferGenerator(anyinfer.Client(), "acme:m")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="nowhere"):
        AnyInferGenerator(service.client, "nowhere:m")
    with pytest.raises(ConfigurationError, match="target"):
        AnyInferGenerator(service.client, " ")
    with pytest.raises(ConfigurationError, match="timeout_seconds"):
        service.generator(timeout_seconds=0)
    with pytest.raises(ConfigurationError, match="temperature"):
        service.generator(temperature=float("nan"))
    with pytest.raises(ConfigurationError, match="window"):
        service.generator(window=0)


@pytest.mark.anyio
async def test_only_asyncio_is_taken(anyio_backend: str) -> None:
    service = Service(text="An answer.")
    generator = service.generator()
    if anyio_backend == "asyncio":
        assert (await generator.generate(PROMPT, max_output_tokens=9)).text == "An answer."
        await service.client.aclose()
        return
    with pytest.raises(ConfigurationError, match="asyncio alone"):
        await generator.generate(PROMPT, max_output_tokens=9)
    assert service.provider.call_count() == 0


@pytest.mark.anyio
async def test_wrong_arguments_are_refused(anyio_backend: str) -> None:
    generator = Service().generator()
    with pytest.raises(ConfigurationError, match="max_output_tokens"):
        await generator.generate(PROMPT, max_output_tokens=0)
    if anyio_backend == "asyncio":
        with pytest.raises(ConfigurationError, match="neither data nor a url"):
            await generator.generate([Segment("x", media=(Media("image"),))], max_output_tokens=4)


def test_an_outer_retry_counts_alone() -> None:
    service = failing()

    async def run() -> None:
        async with service.client:
            generator = service.generator()
            await call_with_retry(
                lambda: generator.generate(PROMPT, max_output_tokens=9),
                RetryPolicy(max_attempts=2, first_delay_seconds=0.001),
            )

    with pytest.raises(ProviderUnavailableError):
        asyncio.run(run())
    assert service.provider.call_count() == 2


def test_cancellation_passes_through() -> None:
    service = Service(ScriptedFailure(retry_after_s=30.0))

    async def run() -> bool:
        async with service.client:
            with anyio.move_on_after(1) as scope:
                await service.generator().generate(PROMPT, max_output_tokens=9)
        return scope.cancelled_caught

    assert asyncio.run(run())
    assert service.provider.call_count() == 1


def test_the_client_stays_open() -> None:
    service = Service()

    async def run() -> None:
        async with service.client:
            for _ in range(2):
                await service.generator().generate(PROMPT, max_output_tokens=9)

    asyncio.run(run())
    assert service.provider.call_count() == 2


# --- conversations

BERGEN = '{"city": "Bergen"}'
IMAGE = Media("image", media_type="image/png", data="aGVsbG8=")
TALK = [
    Segment("Where does it rain here?", media=(IMAGE,)),
    Segment("I look.", "assistant"),
    Segment(BERGEN, "assistant", "tool_call", title="weather", call_id="c1"),
    Segment("", "assistant", "tool_call", title="time", call_id="c2"),
    Segment("rain", "tool", "tool_result", call_id="c1"),
    Segment("noon", "tool", "tool_result", call_id="c2"),
    Segment("So?", author="Ann"),
]


def converse(service: Service, talk: list[Segment], **options: object) -> Generation:
    async def run() -> Generation:
        async with service.client:
            return await service.generator(**options).generate(talk, max_output_tokens=9)

    return asyncio.run(run())


def test_calls_results_and_an_image_arrive() -> None:
    service = Service()
    tool = anyinfer.ToolSpec("weather", "Tells it.", {"type": "object"})
    converse(service, TALK, tools=[tool])
    (request,) = service.provider.requests
    image = {"url": "data:image/png;base64,aGVsbG8=", "detail": "auto"}

    def call(call_id: str, name: str, arguments: str) -> dict[str, object]:
        function = {"name": name, "arguments": arguments}
        return {"id": call_id, "type": "function", "function": function}

    assert request["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Where does it rain here?"},
                {"type": "image_url", "image_url": image},
            ],
        },
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [call("c1", "weather", BERGEN), call("c2", "time", "{}")],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "rain"},
        {"role": "tool", "tool_call_id": "c2", "content": "noon"},
        {"role": "user", "content": "So?"},
    ]
    assert request["tools"][0]["function"]["name"] == "weather"
    assert request["tool_choice"] == "none"


def test_media_are_passed_on() -> None:
    sound = Media("audio", media_type="audio/wav", data="UklGRg==")
    paper = Media("file", url="https://example.org/a.pdf")
    seen = Media("image", url="https://example.org/a.png", detail="low")
    parts = anyinfer_messages([Segment("", kind="media", media=(sound, paper, seen))])[0].content
    assert parts == (
        anyinfer.AudioPart(b"RIFF", "audio/wav"),
        anyinfer.DocumentPart(url="https://example.org/a.pdf"),
        anyinfer.ImagePart(url="https://example.org/a.png", detail="low"),
    )


def test_results_and_what_is_said_behind_them_are_apart() -> None:
    blocks = [
        {"type": "tool_result", "tool_use_id": "c1", "content": "rain"},
        {"type": "tool_result", "tool_use_id": "c2", "content": "noon"},
        {"type": "text", "text": "So"},
        {"type": "text", "text": "?"},
    ]
    messages = anyinfer_messages(from_anthropic([{"role": "user", "content": blocks}]))
    assert [(one.role, len(one.content)) for one in messages] == [
        ("tool", 1),
        ("tool", 1),
        ("user", 2),
    ]


@pytest.mark.parametrize(
    ("segment", "told"),
    [
        (Segment("", media=(Media("image", media_type="image/png", data="?"),)), "is damaged"),
        (Segment("", media=(Media("image", media_type="text/plain", data="aaaa"),)), "is damaged"),
        (Segment("", media=(Media("image", url="file-7"),)), "no such image; send it as data"),
        (Segment("", media=(Media("audio", url="https://h/a.wav"),)), "no such audio"),
        (Segment("x", "tool", "tool_result", call_id="c", media=(IMAGE,)), "answer with text only"),
        (Segment("[]", "assistant", "tool_call", title="t", call_id="c"), "no JSON object"),
        (Segment("{}", "assistant", "tool_call", title="t"), "no call_id"),
        (Segment("hm", "assistant", "reasoning"), "reasoning is tied"),
    ],
)
def test_what_cannot_be_said_is_refused_before_any_call(segment: Segment, told: str) -> None:
    service = Service()
    with pytest.raises(FormatError, match=rf"AnyInfer cannot say the segment 'm9'.*{told}"):
        converse(service, [*PROMPT, replace(segment, id="m9")])
    assert service.provider.call_count() == 0


def test_what_stands_beside_a_text_is_told_in_words_or_refused() -> None:
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "gone", "is_error": True}
    failed = from_anthropic([{"role": "user", "content": [result]}])
    named = from_openai_chat([{"role": "user", "name": "bob", "content": "Well?"}])
    first, second = anyinfer_messages([*failed, *named])
    assert first.content == (anyinfer.ToolResult("c1", "Error: gone"),)
    assert second.content == (anyinfer.Text("bob: Well?"),)
    cited = {"type": "text", "text": "So.", "citations": [{"cited_text": "the manual"}]}
    with pytest.raises(FormatError, match=r"AnyInfer cannot say .*no place for 'citations'"):
        anyinfer_messages(from_anthropic([{"role": "assistant", "content": [cited]}]))


def test_a_conversation_that_says_nothing_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="All segments are empty"):
        anyinfer_messages([Segment("", message="m")])


def test_a_model_without_eyes_is_found_out_before_any_call() -> None:
    service = Service(
        capabilities=ModelCapabilities(features=Sourced(anyinfer.Feature.TOOLS, "catalog"))
    )
    with pytest.raises(ConfigurationError, match="UnsupportedInputError"):
        converse(service, TALK)
    assert service.provider.call_count() == 0


def test_an_answer_that_only_calls_a_tool_is_an_error() -> None:
    service = Service(text="", tool_calls=(("c1", "weather", "{}"),), finish_reason="tool_calls")
    with pytest.raises(ProviderResponseError, match=r"call of a tool .* return text only"):
        converse(service, TALK, retry=RetryPolicy(max_attempts=1))
