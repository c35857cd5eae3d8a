"""Put what a corpus says on a question into a prompt, within a budget. Offline.

python examples/select_corpus.py
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from orchestrator_context import (
    Budget,
    Corpus,
    Document,
    Segment,
    SelectOptions,
    plan,
    read_documents,
    select,
    token_counter,
)

QUESTION = "Which exceptions can a Queue raise, and when?"


def main() -> None:
    found = read_documents([str(Path(asyncio.__file__).parent)])
    documents = [Document.of(one.path, one.content) for one in found]
    corpus = Corpus(documents, options=SelectOptions(strategy="packed"))

    budget = Budget(3_000)
    for outlook in plan(corpus, QUESTION, budget=budget).options:
        print(f"{outlook.strategy:8} {outlook.selected:3} documents, {outlook.tokens} tokens")

    reduction = select(corpus, QUESTION, budget=budget)
    print(reduction.summary())
    for document, form in zip(reduction.documents, reduction.fidelities, strict=True):
        print(f"  {form:8} {document.path}")

    prompt = [reduction.segment(), Segment(QUESTION)]
    print(token_counter().count_messages(prompt), "tokens to send")

    follow_up = select(
        corpus, "And which does get_nowait?", budget=budget, previous=reduction.state()
    )
    print(f"{follow_up.carried_over} of {len(follow_up.documents)} documents are those of before")


if __name__ == "__main__":
    main()
