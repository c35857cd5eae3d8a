"""What docs/conversations.md and the README show runs as it is written there."""

from __future__ import annotations

import ast
import re
from inspect import isawaitable
from pathlib import Path

import pytest

import orchestrator_context
from orchestrator_context import Budget, ExtractiveSummarizer, Segment, View
from orchestrator_context.models import KINDS, ROLES
from orchestrator_context.policies import Summarize
from orchestrator_context.testing import ScriptedGenerator

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "conversations.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8").partition("### Conversations")[2]
SNIPPET = re.compile(r"```python\n(.*?)```", re.DOTALL)
AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

pytestmark = pytest.mark.anyio


def model() -> ScriptedGenerator:
    return ScriptedGenerator(lambda _: "Buses that are silent sell themselves.")


async def run(snippet: str, **names: object) -> dict[str, object]:
    """Run a snippet with these names and return all that it knows in the end."""
    names = {
        one: getattr(orchestrator_context, one) for one in orchestrator_context.__all__
    } | names
    done = eval(compile(snippet, "snippet", "exec", flags=AWAIT, dont_inherit=True), names)
    if isawaitable(done):
        await done
    return names


@pytest.mark.parametrize("text", [GUIDE, README], ids=["guide", "readme"])
async def test_a_debate(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    snippet = SNIPPET.findall(text)[0]
    names = await run(snippet, client=model())
    talk = names["debate"]
    assert isinstance(talk, orchestrator_context.Transcript)
    assert talk.entries[-1].segments[0].content == "Buses that are silent sell themselves."
    shown = capsys.readouterr().out.strip()
    assert shown.startswith("none: 2 of 2 segments, ")
    assert text is README or shown in snippet


async def test_a_summary() -> None:
    snippet = SNIPPET.findall(GUIDE)[1]
    names = await run(f"policy = {snippet}", load_generator=lambda _: model(), Summarize=Summarize)
    policy = names["policy"]
    assert isinstance(policy, Summarize)
    assert policy.max_share == 0.25
    assert isinstance(policy.fallback, ExtractiveSummarizer)


async def test_offload_and_recall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = "\n".join(f"part {number} costs {number} francs" for number in range(900))
    rows = f"{lines}\nthe price of the pump is 1,250 francs"
    segments = [
        Segment("What does the pump cost?"),
        Segment("{}", "assistant", "tool_call", title="prices", call_id="c"),
        Segment(rows, "tool", "tool_result", title="prices", call_id="c"),
        Segment("One moment.", "assistant"),
        Segment("Now?"),
    ]
    async with orchestrator_context.OffloadStore(tmp_path / "results.sqlite") as store:
        handle = await store.put(rows, title="prices", kind="tool_result")
    names = await run(
        SNIPPET.findall(GUIDE)[2],
        view=View.of(segments),
        budget=Budget(800),
        tools=[],
        handle=handle,
    )
    view, found, tools = names["view"], names["found"], names["tools"]
    assert isinstance(view, View)
    assert (view.report.fits, view.report.offloaded) == (True, 1)
    assert isinstance(found, orchestrator_context.Recalled)
    assert "1,250" in found.text
    assert isinstance(tools, list)
    assert len(tools) == 1


async def test_messages_as_you_have_them() -> None:
    messages = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": None}]
    names = await run(SNIPPET.findall(GUIDE)[3], messages=messages, tools=[])
    assert names["messages"] == messages


async def test_messages_for_another_service() -> None:
    said = {"role": "assistant", "name": "helper", "content": "Hi.", "annotations": [{"a": 1}]}
    history = orchestrator_context.from_openai_chat([said])
    with pytest.raises(
        orchestrator_context.FormatError, match="no place for 'name', 'annotations'"
    ):
        orchestrator_context.to_anthropic(history)
    names = await run(SNIPPET.findall(GUIDE)[4], history=history)
    request = names["request"]
    assert isinstance(request, orchestrator_context.AnthropicRequest)
    assert request.messages == [{"role": "assistant", "content": "Hi."}]


async def test_turns_with_more_to_them() -> None:
    names = await run(SNIPPET.findall(GUIDE)[5])
    talk, messages = names["talk"], names["messages"]
    assert isinstance(talk, orchestrator_context.Transcript)
    assert isinstance(messages, list)
    assert [one["role"] for one in messages] == ["assistant", "tool", "assistant"]
    assert messages[0]["tool_calls"][0]["id"] == messages[1]["tool_call_id"] == "call_1"
    seen = [one.content for one in talk.view("Bob").segments]
    assert seen == ["Ann: Let me look.", "Ann: It costs 1,250 francs."]
    names = await run(SNIPPET.findall(GUIDE)[6], talk=talk)
    again, what_if = names["talk"], names["what_if"]
    assert isinstance(again, orchestrator_context.Transcript)
    assert isinstance(what_if, orchestrator_context.Transcript)
    assert again.entries == talk.entries
    assert [len(again.view(name)) for name in ("Ann", "Bob", "Cy")] == [5, 3, 3]
    assert len(what_if) == len(again) + 1


def test_every_role_and_kind_is_explained() -> None:
    rows = re.findall(r"^\| (`.*?) \|", GUIDE.partition("| kind | role |")[2], re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", "".join(rows))) == set(KINDS)
    for role in ROLES:
        assert f'"{role}"' in GUIDE


async def test_there_is_no_other_snippet() -> None:
    assert len(SNIPPET.findall(GUIDE)) == 7
