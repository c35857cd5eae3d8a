"""Any coroutine function is a client: here one that a test or a framework could provide."""

from __future__ import annotations

import anyio

from orchestrator_context import DistillOptions, DistillProgressed, Document, Event, Price, distill
from orchestrator_context.providers.function import FunctionGenerator

ANSWERS = 0


async def ask(prompt: str, max_output_tokens: int) -> str:
    """Stand in for a call of your own: an SDK, a gateway, an agent framework."""
    global ANSWERS
    ANSWERS += 1
    await anyio.sleep(0.01)
    return f"A note of at most {max_output_tokens} tokens on {len(prompt.split())} words. [S1]"


def watch(event: Event) -> None:
    """Print progress; events hold figures and never content."""
    if isinstance(event, DistillProgressed):
        print(f"{event.phase}: {event.chunks_done} chunks, {event.calls} calls, ${event.cost:.5f}")


async def main() -> None:
    client = FunctionGenerator(ask, name="my-model", window=4_000, price=Price(0.25, 2.0))
    documents = [Document(f"report-{i}.md", f"Tank {i} holds {i} bar.") for i in range(6)]
    options = DistillOptions(max_output_tokens=300, concurrency=3, max_cost=0.05)
    result = await distill(
        documents, "Which tank holds most?", client=client, options=options, observer=watch
    )
    print(result.text)
    assert result.report.calls == ANSWERS


if __name__ == "__main__":
    anyio.run(main)
