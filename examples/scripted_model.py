"""Test code that uses the library: a scripted model answers, fails, and remembers its calls."""

from __future__ import annotations

import anyio

from orchestrator_context import (
    DistillOptions,
    Document,
    Generator,
    ProviderRejectedError,
    distill,
)
from orchestrator_context.testing import Call, ScriptedGenerator

TANKS = [Document(f"tank-{i}.md", f"Tank {i} holds {i} bar.") for i in range(1, 4)]


async def report_on(documents: list[Document], client: Generator) -> str:
    """Stand in for the code under test: an answer, and a warning where it is not the whole one."""
    options = DistillOptions(on_error="skip")
    result = await distill(documents, "Which tank holds most?", client=client, options=options)
    return result.text if result.report.complete else f"INCOMPLETE: {result.text}"


def answers(call: Call) -> str:
    return "Tank 3 holds 3 bar. [S1]" if call.reads else "Tank 3 holds most. [S1]"


def refuses_the_second(call: Call) -> str | Exception:
    if call.reads and call.material.name == "tank-2.md":
        return ProviderRejectedError("refused", provider="scripted", status=400)
    return answers(call)


async def main() -> None:
    model = ScriptedGenerator(answers)
    assert await report_on(TANKS, model) == "Tank 3 holds most. [S1]"
    assert [call.reads for call in model.calls] == [True, True, True, False]
    assert model.calls[0].material.question == "Which tank holds most?"

    report = await report_on(TANKS, ScriptedGenerator(refuses_the_second))
    assert report == "INCOMPLETE: Tank 3 holds most. [S1]"
    print(report)


if __name__ == "__main__":
    anyio.run(main)
