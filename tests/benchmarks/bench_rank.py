"""Document ranking against `bm25s` and `anyinfer.context.rank`: time, agreement, what is found.

Questions are first sentences of docstrings, without the name of what they describe; the answer is
the file that defines it, from which the docstring was taken out. Two defaults of the ranking,
`length_penalty` and `function_word_weight`, were chosen by questions of the standard library. No
setting was chosen by those of the other packages.
"""

from __future__ import annotations

import ast
import random
import re
import statistics
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from anyinfer.context import ContextDocument, ContextTuning, build_rank_cache
from anyinfer.context import rank as anyinfer_rank

from orchestrator_context.models import Document
from orchestrator_context.rank import RankIndex, RankOptions
from orchestrator_context.words import words

bm25s: Any = import_module("bm25s")  # it ships no types

DOCUMENTS = 100_000
WORDS = 100
QUERIES = 200
QUESTIONS = 300
SLOW_QUESTIONS = 50
PACKAGES = "anyio httpcore httpx hypothesis numpy pydantic rich tenacity trio typer".split()
FOUND_AMONG = 5
PLAIN = RankOptions(
    path_weight=0, title_weight=0, length_penalty=0.75, function_word_weight=1, anchor_bonus=0
)


def generated(count: int) -> list[Document]:
    """Return documents of words that are as frequent as words of a language are."""
    draw = random.Random(1)
    vocabulary = [f"{draw.randrange(36**6):x}" for _ in range(50_000)]
    weights = [1 / (rank + 10) for rank in range(len(vocabulary))]
    texts = draw.choices(vocabulary, weights, k=count * WORDS)
    return [
        Document(f"doc/{at}.txt", " ".join(texts[at * WORDS : (at + 1) * WORDS]))
        for at in range(count)
    ]


def files(*names: str) -> list[Document]:
    """Return the Python files of directories of the running Python, by `sysconfig` name."""
    found: dict[str, Document] = {}
    for name in names:
        root = Path(sysconfig.get_path(name))
        for path in sorted(root.rglob("*.py")):
            inside = path.relative_to(root)
            if name != "stdlib" or inside.parts[0] not in ("site-packages", "test"):
                text = path.read_text("utf-8", "replace")
                found[f"{name}/{inside}"] = Document(f"{name}/{inside}", text)
    return list(found.values())


def packages(*names: str) -> list[Document]:
    """Return the Python files of installed packages, without their tests."""
    return [
        document
        for document in files("purelib")
        if document.path.split("/")[1] in names
        and not {"tests", "_tests"}.intersection(document.path.split("/"))
    ]


def seconds(function: Callable[..., object], *arguments: object) -> float:
    """Return the processor time of a call, which other programs disturb less than the clock."""
    started = time.process_time()
    function(*arguments)
    return time.process_time() - started


def median_milliseconds(function: Callable[[str], object], queries: Sequence[str]) -> float:
    return 1_000 * statistics.median(seconds(function, query) for query in queries)


def whole(documents: Sequence[Document], options: RankOptions) -> RankIndex:
    """Return an index with all that is put off until it is needed."""
    index = RankIndex.build(documents, options=options)
    index.explain("", index.paths[0])
    return index


def bm25s_index(tokens: object) -> Any:
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index(tokens, show_progress=False)
    return index


def bm25s_top(index: Any, query: str, most: int) -> list[int]:
    found = index.retrieve([words(query)], k=most, show_progress=False)
    return [int(number) for number in found.documents[0]]


def queries_of(documents: Sequence[Document], count: int) -> list[str]:
    """Return queries of three words that stand in one document."""
    draw = random.Random(2)
    rich = [document for document in documents if len(document.content) > 200]
    texts = [re.findall(r"[a-z0-9]{3,}", each.content) for each in draw.choices(rich, k=2 * count)]
    return [" ".join(draw.sample(text, 3)) for text in texts if len(text) > 2][:count]


def speed(name: str, documents: Sequence[Document]) -> None:
    """Print how long building and asking take, and whether the first ten are the same."""
    texts = [document.content for document in documents]
    started = time.process_time()
    plain = whole(documents, PLAIN)
    ours = time.process_time() - started
    full = seconds(whole, documents, RankOptions())
    once = seconds(lambda: RankIndex.build(documents).rank("pump valve", limit=10))
    started = time.process_time()
    theirs_own = bm25s_index(bm25s.tokenize(texts, stopwords=None, show_progress=False))
    theirs = time.process_time() - started
    size = sum(map(len, texts)) / 1e6
    print(f"{name}: {len(documents)} documents, {size:.0f} M characters")
    print(
        f"  build: bodies {ours:.1f} s, all fields {full:.1f} s, for one question {once:.1f} s, "
        f"bm25s {theirs:.1f} s; bm25s / ours {theirs / ours:.2f}"
    )
    queries = queries_of(documents, QUERIES)
    asked = median_milliseconds(lambda query: plain.rank(query, limit=10), queries)
    their_asked = median_milliseconds(lambda query: bm25s_top(theirs_own, query, 10), queries)
    ratio = their_asked / asked
    print(f"  query: {asked:.2f} ms, bm25s {their_asked:.2f} ms; bm25s / ours {ratio:.2f}")
    print(f"  same first ten: {agreement(plain, documents, queries[:100]):.1%}")


def agreement(plain: RankIndex, documents: Sequence[Document], queries: Sequence[str]) -> float:
    """Return the share of first tens of `bm25s`, on the same words, that are ours too."""
    theirs = bm25s_index([words(document.content) for document in documents])
    shares: list[float] = []
    for query in queries:
        ours = {ranked.path: ranked.score for ranked in plain.rank(query, limit=10)}
        least = min(ours.values())
        paths = [documents[at].path for at in bm25s_top(theirs, query, 10)]
        scores = dict(zip(plain.paths, plain.scores(query).tolist(), strict=True))
        tied = sum(scores[path] >= least - 1e-4 for path in paths)  # ties may be cut otherwise
        shares.append(tied / len(paths))
    return statistics.mean(shares)


def questions(documents: Sequence[Document]) -> Iterator[tuple[str, Document, tuple[int, int]]]:
    """Yield questions, the file that answers each, and the lines of the docstring in it."""
    for document in documents:
        try:
            tree = ast.parse(document.content)
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            sentence = first_sentence(ast.get_docstring(node) or "", node.name)
            text = node.body[0]
            if len(sentence.split()) >= 6:
                yield sentence, document, (text.lineno, text.end_lineno or text.lineno)


def first_sentence(docstring: str, name: str) -> str:
    sentence = re.split(r"(?<=[.!?])\s|\n\s*\n", docstring.strip(), maxsplit=1)[0]
    return " ".join(re.sub(rf"(?i)\b{re.escape(name)}\b", " ", sentence).split())


def asked(documents: Sequence[Document]) -> tuple[list[Document], list[tuple[str, str]]]:
    """Return the corpus without the docstrings that are asked for, and questions and paths."""
    chosen = random.Random(3).sample(list(questions(documents)), QUESTIONS)
    lines: dict[str, set[int]] = {}
    for _, document, (first, last) in chosen:
        lines.setdefault(document.path, set()).update(range(first, last + 1))
    corpus = [
        Document(document.path, without(document.content, lines.get(document.path, set())))
        for document in documents
    ]
    return corpus, [(question, document.path) for question, document, _ in chosen]


def without(text: str, lines: set[int]) -> str:
    kept = enumerate(text.splitlines(keepends=True), start=1)
    return "".join(line for number, line in kept if number not in lines)


def report(
    name: str, find: Callable[[str], Sequence[str]], pairs: Sequence[tuple[str, str]]
) -> None:
    """Print how often the right file is among the first five, and what a question takes."""
    started = time.process_time()
    found = statistics.mean(path in find(question) for question, path in pairs)
    taken = 1_000 * (time.process_time() - started) / len(pairs)
    print(f"  {name}: {found:.1%} of {len(pairs)}, {taken:.1f} ms a question", flush=True)


def quality(name: str, documents: Sequence[Document]) -> None:
    corpus, pairs = asked(documents)
    print(f"{name}, {len(corpus)} files: the right one among the first {FOUND_AMONG}")
    for label, options in {
        "ours": RankOptions(),
        "ours, stems": RankOptions(stem=True),
        "ours, expansion": RankOptions(expansion_rounds=1),
        "ours, salience": RankOptions(salience_weight=1),
        "ours, bodies": PLAIN,
    }.items():
        report(label, partial(first, whole(corpus, options)), pairs)
    texts = [document.content for document in corpus]
    theirs = bm25s_index(bm25s.tokenize(texts, stopwords="en", show_progress=False))
    report("bm25s", partial(bm25s_paths, theirs, corpus), pairs)
    report("anyinfer", anyinfer_finder(corpus, ContextTuning()), pairs)
    few = pairs[:SLOW_QUESTIONS]
    report("anyinfer, recommended", anyinfer_finder(corpus, ContextTuning.recommended()), few)
    report("ours", partial(first, whole(corpus, RankOptions())), few)


def first(index: RankIndex, question: str) -> list[str]:
    return [ranked.path for ranked in index.rank(question, limit=FOUND_AMONG)]


def bm25s_paths(index: Any, corpus: Sequence[Document], question: str) -> list[str]:
    [tokens] = bm25s.tokenize(question, stopwords="en", return_ids=False, show_progress=False)
    found = index.retrieve([tokens], k=FOUND_AMONG, show_progress=False)
    return [corpus[int(number)].path for number in found.documents[0]]


def anyinfer_finder(
    corpus: Sequence[Document], tuning: ContextTuning
) -> Callable[[str], list[str]]:
    documents = [ContextDocument.of(each.path, each.content, extract="") for each in corpus]
    cache = build_rank_cache(documents, split_identifiers=tuning.split_identifiers)

    def find(question: str) -> list[str]:
        ranking = anyinfer_rank(documents, question, rank_cache=cache, tuning=tuning)
        return [document.path for document in ranking[:FOUND_AMONG]]

    return find


def main() -> None:
    speed("generated", generated(DOCUMENTS))
    speed("installed Python", files("stdlib", "purelib"))
    quality("standard library", files("stdlib"))
    quality("other packages", packages(*PACKAGES))


if __name__ == "__main__":
    main()
