"""Corpus selection against `anyinfer.context.select`: time, tokens over the budget, what is found.

Times are processor times, each the best of some runs in turn. No run knows the token counts of
another: "cold" and "saved index" are what a new process takes, "next question" what a `Corpus`
takes that was asked before.

Questions are those of `bench_rank`: first sentences of docstrings that were taken out of the files.
A selection answers one if the first lines of what the docstring describes stand in its text.
"""

from __future__ import annotations

import random
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from anyinfer.context import ContextDocument, ContextTuning, RankCache, build_rank_cache
from anyinfer.context import select as anyinfer_select

from orchestrator_context.corpus import Corpus, SelectOptions, select
from orchestrator_context.models import Budget, Document
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens import token_counter
from orchestrator_context.tokens.exact import encoding_count
from tests.benchmarks.bench_rank import files, generated, questions, without
from tests.benchmarks.bench_rank import seconds as processor_seconds

BUDGET = 8_000
BUDGETS = (2_000, 8_000, 32_000)
QUESTIONS = 40
FEW = 10
GENERATED = 10_000
RUNS = 3
CONFIGURATIONS = (
    ("ranked", SelectOptions(strategy="ranked"), ContextTuning()),
    ("tiered", SelectOptions(strategy="tiered"), ContextTuning()),
    ("packed", SelectOptions(strategy="packed"), ContextTuning()),
    (
        "recommended",
        SelectOptions.recommended().merged(strategy="ranked"),
        ContextTuning.recommended().merged(diversity=0.0),  # cubic: 100 documents take 20 s
    ),
)
_ENCODING = "o200k_base"
_COUNT = token_counter(_ENCODING).count


@dataclass(frozen=True)
class Theirs:
    """The other library, asked the same; its tokens are counted as ours are."""

    documents: list[ContextDocument]
    strategy: str
    tuning: ContextTuning

    def cache(self) -> RankCache:
        return build_rank_cache(self.documents, split_identifiers=self.tuning.split_identifiers)

    def text(self, query: str, tokens: int, *, cache: RankCache | None = None) -> str:
        return anyinfer_select(
            self.documents,
            query,
            max_tokens=tokens,
            strategy=self.strategy,
            tuning=self.tuning,
            rank_cache=cache,
            max_documents=10**9,
            max_bytes=10**12,
        ).text


def best(*functions: Callable[[], object], runs: int) -> list[float]:
    """Return the least processor time of each function, called in turn."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(runs):
        for function, own in zip(functions, times, strict=True):
            own.append(processor_seconds(function))
    return list(map(min, times))


def fresh_counter() -> TokenCounter:
    """Return an exact counter that remembers no text."""
    count = encoding_count(_ENCODING)
    assert count is not None
    return token_counter(count, name=_ENCODING)


@dataclass(frozen=True)
class Ours:
    """This library, with what it knows of the documents in a file."""

    documents: Sequence[Document]
    options: SelectOptions
    file: Path

    def cold(self, query: str) -> str:
        budget, counter = Budget(BUDGET), fresh_counter()
        return select(
            self.documents, query, budget=budget, options=self.options, counter=counter
        ).text

    def save(self) -> None:
        Corpus(self.documents, options=self.options, counter=fresh_counter()).save(self.file)

    def corpus(self) -> Corpus:
        return Corpus.load(self.file, self.documents, options=self.options, counter=fresh_counter())

    def saved(self, query: str) -> str:
        return select(self.corpus(), query, budget=Budget(BUDGET)).text


def speed(name: str, documents: Sequence[Document], query: str) -> None:
    """Print how long one selection takes, cold and with a saved index, and what it overshoots."""
    print(f"{name}: {len(documents)} documents, budget {BUDGET} tokens")
    theirs = [ContextDocument.of(one.path, one.content, extract=one.extract) for one in documents]
    with tempfile.TemporaryDirectory() as folder:
        for label, options, tuning in CONFIGURATIONS:
            ours = Ours(documents, options, Path(folder) / label)
            compare(label, ours, Theirs(theirs, options.strategy, tuning), query)


def compare(label: str, ours: Ours, theirs: Theirs, query: str) -> None:
    ours.save()
    corpus, cache = ours.corpus(), theirs.cache()
    texts = select(corpus, query, budget=Budget(BUDGET)).text, theirs.text(query, BUDGET)
    over = [max(0, _COUNT(text) - BUDGET) for text in texts]
    cold, saved, again, their_cold, cached = best(
        lambda: ours.cold(query),
        lambda: ours.saved(query),
        lambda: select(corpus, query + " again", budget=Budget(BUDGET)),
        lambda: theirs.text(query, BUDGET),
        lambda: theirs.text(query, BUDGET, cache=cache),
        runs=1 if label == "recommended" else RUNS,  # which takes theirs 20 s
    )
    print(
        f"  {label}: cold {cold:.2f} s, saved index {saved:.3f} s, next question {again:.3f} s; "
        f"anyinfer {their_cold:.2f} s, with its cache {cached:.2f} s"
    )
    print(
        f"    anyinfer / ours: cold {their_cold / cold:.1f}, saved {their_cold / saved:.1f} (its "
        f"cache {cached / saved:.1f}), next question {cached / again:.1f}; tokens over the budget: "
        f"ours {over[0]}, anyinfer {over[1]}"
    )


def asked(documents: Sequence[Document]) -> tuple[list[Document], list[tuple[str, str]]]:
    """Return the corpus without the docstrings asked for, and questions with what answers them."""
    chosen = random.Random(3).sample(list(questions(documents)), QUESTIONS)
    lines: dict[str, set[int]] = {}
    for _, document, (first, last) in chosen:
        lines.setdefault(document.path, set()).update(range(first, last + 1))
    corpus = [
        Document.of(one.path, without(one.content, lines.get(one.path, set()))) for one in documents
    ]
    return corpus, [
        (question, document.content.split("\n")[first - 2].strip() + "\n" + behind(document, last))
        for question, document, (first, last) in chosen
    ]


def behind(document: Document, line: int) -> str:
    """Return the first line with text behind a line."""
    return next((one.strip() for one in document.content.split("\n")[line:] if one.strip()), "")


def answered(text: str, probe: str) -> bool:
    """Return whether two lines stand in a text, one after the other but for blank lines."""
    return probe in "\n".join(line.strip() for line in text.split("\n") if line.strip())


def quality(documents: Sequence[Document]) -> None:
    """Print how many questions the text answers, by strategy and budget."""
    corpus, pairs = asked(documents)
    theirs = [ContextDocument.of(one.path, one.content, extract=one.extract) for one in corpus]
    print(f"{len(corpus)} files, {len(pairs)} questions: answered within {BUDGETS} tokens")
    for label, options, tuning in CONFIGURATIONS:
        made, other = Corpus(corpus, options=options), Theirs(theirs, options.strategy, tuning)
        found = [our_share(made, budget, pairs) for budget in BUDGETS]
        their = [their_share(other, budget, pairs[:FEW]) for budget in BUDGETS]
        print(f"  {label}: ours {shown(found)}; anyinfer {shown(their)} of the first {FEW}")


def our_share(corpus: Corpus, budget: int, pairs: Sequence[tuple[str, str]]) -> float:
    texts = (select(corpus, question, budget=Budget(budget)).text for question, _ in pairs)
    return statistics.mean(map(answered, texts, (probe for _, probe in pairs)))


def their_share(theirs: Theirs, budget: int, pairs: Sequence[tuple[str, str]]) -> float:
    cache = theirs.cache()
    texts = (theirs.text(question, budget, cache=cache) for question, _ in pairs)
    return statistics.mean(map(answered, texts, (probe for _, probe in pairs)))


def shown(shares: Sequence[float]) -> str:
    return ", ".join(f"{one:.0%}" for one in shares)


def main() -> None:
    library = files("stdlib")
    with_extracts = [Document.of(one.path, one.content) for one in library]
    speed("standard library", with_extracts, "wait for a reply on a socket with a time-out")
    texts = generated(GENERATED)
    speed("generated", texts, " ".join(texts[5].content.split()[:3]))
    quality(library)


if __name__ == "__main__":
    main()
