"""Distil a corpus with sources: offline with the extractive client, or with any other one.

    python examples/distill_corpus.py [CLIENT]

CLIENT is `extractive` (the default, no model and no network), `openai:gpt-5-mini`,
`anthropic:claude-sonnet-4-5`, `cohere:command-a-03-2025` or `local:model.gguf`.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import anyio

from orchestrator_context import distill, estimate_distill, load_generator, read_documents

QUESTION = "What happens to the other tasks of a TaskGroup when one of them fails?"
CORPUS = Path(asyncio.__file__).parent  # the asyncio package of the running Python


async def main(spec: str) -> None:
    client = load_generator(spec)
    estimate = await estimate_distill(read_documents(CORPUS), QUESTION, client=client)
    print(estimate.summary(), file=sys.stderr)

    result = await distill(read_documents(CORPUS), QUESTION, client=client)
    print(result.text)
    for citation in result.citations:
        print(citation.mark, citation.source)
    print(result.summary(), file=sys.stderr)


if __name__ == "__main__":
    anyio.run(main, sys.argv[1] if len(sys.argv) > 1 else "extractive")
