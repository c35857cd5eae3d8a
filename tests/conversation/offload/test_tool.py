"""The tool as models see it: schemas they take, answers to anything they may send."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.offload import (
    RECALL_TOOL,
    OffloadStore,
    offloaded,
    recall_handler,
    recall_tool,
)
from orchestrator_context.exceptions import (
    BudgetExceededError,
    ConfigurationError,
    OffloadError,
)
from orchestrator_context.models import Segment
from orchestrator_context.tokens import token_counter

pytestmark = pytest.mark.anyio

COUNTER = token_counter()
TEXT = "".join(f"line {i} of the log\n" for i in range(500))


class TestSchema:
    def test_the_three_shapes_hold_the_same(self) -> None:
        chat, responses = recall_tool("openai_chat"), recall_tool("openai_responses")
        anthropic = recall_tool("anthropic")
        function = chat["function"]
        assert isinstance(function, dict)
        assert chat == RECALL_TOOL == {"type": "function", "function": function}
        assert set(function) == {"name", "description", "parameters"}
        assert responses == {"type": "function", **function, "strict": False}
        renamed = {"input_schema": function["parameters"]}
        assert anthropic == {key: function[key] for key in ("name", "description")} | renamed

    def test_only_the_handle_is_needed_and_nothing_else_is_taken(self) -> None:
        schema = recall_tool("openai_responses")["parameters"]
        assert isinstance(schema, dict)
        assert (schema["type"], schema["required"]) == ("object", ["handle"])
        assert schema["additionalProperties"] is False
        kinds = {name: value["type"] for name, value in schema["properties"].items()}
        assert kinds == dict.fromkeys(("handle", "query", "lines"), "string")
        assert all(value["description"] for value in schema["properties"].values())
        json.dumps(RECALL_TOOL)

    def test_each_call_gives_its_own(self) -> None:
        recall_tool()["type"] = "changed"
        assert recall_tool() == RECALL_TOOL

    def test_another_format_is_refused(self) -> None:
        with pytest.raises(ConfigurationError, match="openai_chat, openai_responses, anthropic"):
            recall_tool("gemini")  # type: ignore[arg-type]

    def test_it_is_counted_as_a_tool(self) -> None:
        assert 100 < COUNTER.count_messages([Segment("x")], tools=[RECALL_TOOL]) < 400


class TestAnswers:
    async def test_what_a_model_copies_from_the_stand_in(self) -> None:
        async with OffloadStore(":memory:") as store:
            handle = await store.put(TEXT, title="log")
            assert f'handle="{handle}"' in offloaded(TEXT, handle)
            answer = recall_handler(store)
            call = {"handle": handle.name, "lines": "3-4"}
            wanted = "line 2 of the log\nline 3 of the log\n"
            assert await answer(json.dumps(call)) == wanted
            assert await answer(call) == wanted
            assert await answer(call | {"query": None, "handle": f' "{handle}"\n'}) == wanted
            assert "line 321 of the log" in await answer(
                {"handle": handle.name, "query": "line 321", "lines": None}
            )

    async def test_it_keeps_to_its_budget(self) -> None:
        async with OffloadStore(":memory:") as store:
            handle = await store.put(TEXT)
            answer = recall_handler(store, max_tokens=150)
            text = await answer({"handle": handle.name})
            assert 120 < COUNTER.count(text) <= 150

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            ("", "must be a JSON object"),
            ("{", "must be a JSON object"),
            ("[]", "must be a JSON object"),
            ("null", "must be a JSON object"),
            ("[" * 100_000, "must be a JSON object"),
            ("{}", "needs a handle"),
            ({"handle": 5}, "needs a handle"),
            ({"handle": " "}, "needs a handle"),
            ({"handle": "offload-" + "0" * 24}, "never issued"),
            ({"handle": "\ud800" * 999}, "never issued"),
            ({"handle": "HANDLE", "Query": "x"}, "has no argument 'Query'"),
            ({"handle": "HANDLE", "x" * 999: "x"}, "it has handle, query, lines"),
            ({"handle": "HANDLE", "query": ""}, "leave it out"),
            ({"handle": "HANDLE", "query": 5}, "query must be a str"),
            ({"handle": "HANDLE", "lines": ""}, 'such as|"10-40"'),
            ({"handle": "HANDLE", "lines": [1, 2]}, '"10-40"'),
            ({"handle": "HANDLE", "lines": "501"}, "has 500 lines"),
            ({"handle": "HANDLE", "lines": "1.99"}, "line 1 has"),
        ],
    )
    async def test_what_cannot_be_used_is_explained(self, arguments: object, told: str) -> None:
        async with OffloadStore(":memory:") as store:
            handle = await store.put(TEXT)
            answer = recall_handler(store)
            if isinstance(arguments, dict):
                arguments = {
                    key: handle.name if value == "HANDLE" else value
                    for key, value in arguments.items()
                }
            text = await answer(arguments)  # type: ignore[arg-type]
        assert text.startswith("Error: ")
        assert any(part in text for part in told.split("|"))
        assert COUNTER.count(text) < 200
        text.encode()

    @pytest.mark.parametrize("backend", ["asyncio", "trio"])
    @settings(max_examples=50, deadline=None)
    @given(
        st.text(st.characters(codec=None, categories=None))
        | st.dictionaries(
            st.sampled_from(["handle", "query", "lines", "x"]),
            st.none() | st.text() | st.integers() | st.lists(st.integers(), max_size=3),
        )
    )
    def test_anything_gets_an_answer(
        self, backend: str, arguments: dict[str, object] | str
    ) -> None:
        async def check() -> None:
            async with OffloadStore(":memory:") as store:
                await store.put(TEXT)
                assert (await recall_handler(store)(arguments)).startswith("Error: ")

        anyio.run(check, backend=backend)

    async def test_the_text_can_be_sent(self) -> None:
        async with OffloadStore(":memory:") as store:
            handle = await store.put("lone \ud800 and \0\r\n" * 9)
            text = await recall_handler(store)({"handle": handle.name})
        assert text == "lone � and �\n" * 9


class TestErrors:
    @pytest.mark.parametrize("arguments", [None, 5, ["handle"], b"{}"])
    async def test_what_no_model_gives(self, arguments: object) -> None:
        async with OffloadStore(":memory:") as store:
            with pytest.raises(ConfigurationError, match="arguments must be"):
                await recall_handler(store)(arguments)  # type: ignore[arg-type]

    async def test_a_store_that_fails(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.write_text("something else")
        with pytest.raises(OffloadError):
            await recall_handler(OffloadStore(path))({"handle": "offload-" + "0" * 24})

    async def test_a_budget_that_is_too_small(self) -> None:
        async with OffloadStore(":memory:") as store:
            with pytest.raises(ConfigurationError, match="max_tokens"):
                recall_handler(store, max_tokens=0)
            handle = await store.put(TEXT)
            with pytest.raises(BudgetExceededError):
                await recall_handler(store, max_tokens=9)({"handle": handle.name})

    async def test_a_counter_that_is_broken(self) -> None:
        broken = token_counter(lambda text: -1)
        async with OffloadStore(":memory:") as store:
            handle = await store.put(TEXT)
            with pytest.raises(ConfigurationError, match="counting function"):
                await recall_handler(store, counter=broken)({"handle": handle.name})
