"""A run that stops at its spending limit goes on later without paying twice."""

from __future__ import annotations

import tempfile
from pathlib import Path

import anyio

from orchestrator_context import DistillOptions, Document, LimitExceededError, distill
from orchestrator_context.testing import ScriptedGenerator

DOCUMENTS = [Document(f"day-{i}.log", f"On day {i} the pump ran {i} hours.") for i in range(12)]
QUESTION = "How long did the pump run?"


async def main() -> None:
    client = ScriptedGenerator()
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = Path(folder) / "pump.sqlite"
        try:
            await distill(
                DOCUMENTS,
                QUESTION,
                client=client,
                options=DistillOptions(max_calls=5),
                checkpoint=checkpoint,
            )
        except LimitExceededError as error:
            print(f"stopped at {error.limit} with {len(error.notes)} notes")
        result = await distill(DOCUMENTS, QUESTION, client=client, checkpoint=checkpoint)
    print(result.summary())
    assert result.report.resumed_calls == 5
    assert result.report.calls == 8


if __name__ == "__main__":
    anyio.run(main)
