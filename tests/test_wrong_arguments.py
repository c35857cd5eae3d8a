"""What the functions on corpora make of arguments that are none: an error that names them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import isawaitable
from pathlib import Path
from typing import Any

import anyio
import pytest

from orchestrator_context import (
    Budget,
    ConfigurationError,
    ContextRequest,
    Corpus,
    Document,
    RankIndex,
    ReductionState,
    Segment,
    SemanticRanker,
    plan,
    read_documents,
    select,
    token_counter,
)
from orchestrator_context.corpus import Element, parse, render
from orchestrator_context.dedup import (
    dedup_paragraphs,
    find_duplicates,
    precompute_embeddings,
    semantic_duplicates,
)
from orchestrator_context.languages import (
    detect_language,
    language_name,
    structural_extract,
    structure,
)
from orchestrator_context.rank import (
    LexicalIndex,
    RankOptions,
    Strictness,
    extract,
    imported_names,
    joined,
    pieces,
    question_words,
    salience,
    units,
)
from orchestrator_context.source import (
    compact_source,
    is_generated_path,
    module_surfaces,
    passages,
    split_document,
    supports_compaction,
)
from orchestrator_context.tokens import count_async, precount, upper_estimate

PUMP = Document("pump.md", "The pump stops at 9 bar.")
ROOM = Budget(100)
COUNTER = token_counter()
INDEX = RankIndex.build([PUMP])
WORDS = LexicalIndex.of(["The pump stops."])
CORPUS = Corpus([PUMP])
CHUNK = next(split_document(PUMP))
REQUEST = ContextRequest((PUMP,), "pump", ROOM)
SELECTED = select([PUMP], "pump", budget=ROOM)


class Service:
    """A reranker, an embedder and a counter that nobody gets to ask."""

    async def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        raise AssertionError(query, texts)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise AssertionError(texts)

    async def count_tokens(self, messages: Sequence[Segment]) -> int:
        raise AssertionError(messages)


# What is none, by what is asked for.
NO_TEXT = [None, 3, math.nan, True, b"pump", ["pump"], {"pump": 1.0}, object()]
NO_LIST = [None, 3, math.nan, True, "pump", b"pump", {"a": "b"}, [None], [3], list]
NO_DOCUMENTS = [*NO_LIST, ["pump"], [("a", "b")], PUMP, Document]
NO_TEXTS = [*NO_LIST, [b"pump"], [["pump"]]]
NO_AMOUNT = [-1, 1.5, math.nan, True, "3", [3]]
NO_COUNT = [0, *NO_AMOUNT]
NO_SHARE = [-0.1, 1.1, math.nan, True, "0.5", [0.5]]
NO_MAPPING = [3, "pump", [("a", 1.0)], True]
NO_OBJECT = [3, "pump", True, {}, object()]
NO_FLAG: list[object] = [None, 0, "yes", []]
NO_PATH = [None, 3, True, b"pump", ["pump"]]
NO_LANGUAGE = [3, math.nan, True, b"python", ["python"]]

Wrong = Mapping[str, Sequence[object]]

# A function, arguments that it takes, and for each what it does not.
CALLS: list[tuple[Callable[..., object], Mapping[str, object], Wrong]] = [
    (parse, {"text": "x"}, {"text": NO_TEXT}),
    (
        render,
        {"elements": [Element("a.md", "x")], "tag": ""},
        {"elements": NO_LIST, "tag": [*NO_TEXT, "x", "doc-1", "doc>"]},
    ),
    (
        Element,
        {"path": "a.md"},
        {
            "path": NO_TEXT,
            "content": NO_TEXT,
            "fidelity": [None, 3, "half"],
            "lines": [None, 3, "1-2", [3], [(1,)], [("1", "2")]],
            "elided_lines": [None, *NO_AMOUNT],
            "same_as": NO_TEXT,
            "identical": NO_FLAG,
        },
    ),
    (plan([PUMP], "pump", budget=ROOM).option, {"name": "whole"}, {"name": NO_TEXT}),
    (SELECTED.count, {"fidelity": "whole"}, {"fidelity": [None, 3, "half", ["whole"]]}),
    (SELECTED.segment, {"placement": "user"}, {"placement": [None, 3, "tool"]}),
    (ReductionState.of, {"documents": [PUMP], "representation": "whole"}, {
        "documents": NO_DOCUMENTS, "representation": [None, 3, "half"], "parts": NO_MAPPING,
    }),
    (ReductionState().unchanged, {"documents": [PUMP]}, {"documents": NO_DOCUMENTS}),
    (ReductionState.from_mapping, {"mapping": {}}, {"mapping": [None, *NO_MAPPING]}),
    (REQUEST.placed, {"messages": [Segment("x")]}, {"messages": NO_LIST, "counter": NO_OBJECT}),
    (REQUEST.reduction, {}, {"counter": NO_OBJECT}),
    (ContextRequest.from_mapping, {"mapping": {}}, {"mapping": [None, *NO_MAPPING]}),
    (CORPUS.chunks, {"path": "pump.md"}, {
        "path": [*NO_TEXT, "mop.md"], "max_tokens": NO_COUNT,
    }),
    (RankIndex.build, {"documents": [PUMP]}, {"documents": NO_DOCUMENTS, "options": NO_OBJECT}),
    (INDEX.updated, {}, {"added": NO_DOCUMENTS, "removed": [*NO_TEXTS, ["mop.md"]]}),
    (INDEX.is_of, {"documents": [PUMP]}, {"documents": NO_DOCUMENTS}),
    (INDEX.frequency, {"word": "pump"}, {"word": NO_TEXT}),
    (INDEX.idf, {"word": "pump"}, {"word": NO_TEXT}),
    (INDEX.idfs, {"words": ["pump"]}, {"words": NO_TEXTS}),
    (INDEX.holding, {"words": ["pump"]}, {"words": NO_TEXTS}),
    (INDEX.likeness, {"paths": ["pump.md"]}, {"paths": [*NO_TEXTS, ["mop.md"]]}),
    (INDEX.weights, {"query": "pump"}, {"query": [None, 3, b"pump", ["pump"], {3: 1.0}]}),
    (INDEX.scores, {"query": "pump"}, {"query": [None, 3, b"pump", ["pump"], {"pump": math.nan}]}),
    (INDEX.rank, {"query": "pump"}, {
        "query": [None, 3, ["pump"]],
        "scores": [*NO_MAPPING, {"pump.md": "1"}],
        "previous": NO_MAPPING,
        "limit": NO_AMOUNT,
    }),
    (INDEX.explain, {"query": "pump", "path": "pump.md"}, {
        "query": [None, 3, ["pump"]],
        "path": [*NO_TEXT, "mop.md"],
        "scores": NO_MAPPING,
        "previous": NO_MAPPING,
    }),
    (INDEX.save, {"path": "x"}, {"path": NO_PATH}),
    (RankIndex.load, {"path": "x", "corpus": [PUMP]}, {
        "path": NO_PATH,
        "corpus": [None, 3, b"x", [3], ["x"]],
        "options": NO_OBJECT,
    }),
    (RankOptions.from_mapping, {"mapping": {}}, {"mapping": [None, *NO_MAPPING]}),
    (SemanticRanker, {"reranker": Service()}, {
        "reranker": [None, 3, True, object(), Service],
        "batch_size": NO_COUNT,
        "retry": NO_OBJECT,
    }),
    (SemanticRanker(Service()).scores, {"items": [PUMP], "query": "pump"}, {
        "items": [*NO_LIST, ["pump"]], "query": [*NO_TEXT, " "],
    }),
    (LexicalIndex, {"texts": [{"pump": 1.0}]}, {
        "texts": [*NO_LIST, ["pump"], [{3: 1.0}], [{"pump": "1"}]],
    }),
    (LexicalIndex.of, {"texts": ["pump"]}, {"texts": NO_TEXTS}),
    (WORDS.frequency, {"word": "pump"}, {"word": NO_TEXT}),
    (WORDS.idf, {"word": "pump"}, {"word": NO_TEXT}),
    (WORDS.impacts, {"word": "pump"}, {"word": NO_TEXT}),
    (WORDS.relatives, {"word": "pumps", "most": 3}, {"word": NO_TEXT, "most": [None, *NO_AMOUNT]}),
    (WORDS.scores, {"query": "pump"}, {"query": [None, 3, b"pump", ["pump"], {"pump": "1"}]}),
    (Strictness, {}, {"least_share": [None, *NO_SHARE], "least_words": [None, *NO_AMOUNT]}),
    (extract, {
        "question": "pump", "units": units(["It stops."]), "max_tokens": 9, "counter": COUNTER,
    }, {
        "question": NO_TEXT,
        "units": [*NO_LIST, ["pump"]],
        "max_tokens": [None, *NO_AMOUNT],
        "counter": [None, *NO_OBJECT],
        "write": [None, 3, "x"],
        "strictness": [None, *NO_OBJECT],
    }),
    (imported_names, {"content": "import a", "language": "python"}, {
        "content": NO_TEXT, "language": NO_LANGUAGE,
    }),
    (joined, {"parts": ["a", "b"]}, {"parts": NO_TEXTS}),
    (pieces, {"text": "A pump."}, {"text": NO_TEXT, "kind": [None, 3, "poem"]}),
    (question_words, {"question": "pump?"}, {"question": NO_TEXT}),
    (salience, {"documents": [PUMP]}, {
        "documents": NO_DOCUMENTS, "damping": [None, *NO_SHARE], "iterations": [None, *NO_COUNT],
    }),
    (units, {"passages": ["A pump."]}, {"passages": NO_TEXTS, "title": NO_TEXT}),
    (find_duplicates, {"documents": [PUMP]}, {
        "documents": NO_DOCUMENTS, "options": [None, *NO_OBJECT],
    }),
    (dedup_paragraphs, {"texts": ["A pump."]}, {
        "texts": NO_TEXTS, "options": [None, *NO_OBJECT],
    }),
    (precompute_embeddings, {"texts": ["A pump."], "embedder": Service()}, {
        "texts": NO_TEXTS,
        "embedder": [None, *NO_OBJECT, Service],
        "min_characters": NO_COUNT,
        "batch_size": NO_COUNT,
        "retry": [None, *NO_OBJECT],
    }),
    (semantic_duplicates, {"vectors": {"a": [1.0]}}, {
        "vectors": [None, *NO_MAPPING, {3: [1.0]}, {"a": ["x"]}],
        "threshold": [None, 0, *NO_SHARE],
        "texts": [*NO_MAPPING, {}, {"a": 3}],
    }),
    (detect_language, {"path": "a.py"}, {"path": NO_TEXT}),
    (language_name, {"name": "py"}, {"name": NO_LANGUAGE}),
    (structural_extract, {"content": "x = 1", "language": "python"}, {
        "content": NO_TEXT, "language": NO_LANGUAGE,
    }),
    (structure, {"content": "x = 1", "language": "python"}, {
        "content": NO_TEXT, "language": NO_LANGUAGE,
    }),
    (read_documents, {"paths": "."}, {
        "paths": [None, 3, True, b".", {".": "."}, [3], [None], [b"."]],
        "include_generated": NO_FLAG,
        "include_hidden": NO_FLAG,
        "encoding": [None, 3, "no-such-encoding", ["utf-8"]],
        "exclude": [None, 3, "a.txt", [3], [b"a"]],
        "on_notice": [3, "x"],
    }),
    (compact_source, {"content": "x = 1"}, {
        "content": NO_TEXT, "language": NO_LANGUAGE, "path": NO_TEXT,
    }),
    (is_generated_path, {"path": "a.py"}, {"path": NO_TEXT}),
    (module_surfaces, {"documents": [PUMP]}, {
        "documents": NO_DOCUMENTS, "depth": [None, *NO_AMOUNT],
    }),
    (passages, {"chunk": CHUNK, "max_tokens": 9}, {
        "chunk": [None, *NO_OBJECT, PUMP],
        "max_tokens": [None, *NO_COUNT],
        "counter": NO_OBJECT,
    }),
    (split_document, {"document": PUMP}, {
        "document": [None, *NO_OBJECT, CHUNK],
        "max_tokens": [None, *NO_COUNT],
        "counter": NO_OBJECT,
    }),
    (supports_compaction, {"language": "python"}, {"language": NO_LANGUAGE}),
    (count_async, {"counter": COUNTER, "text": "x"}, {
        "counter": [None, *NO_OBJECT], "text": NO_TEXT,
    }),
    (precount, {"texts": ["x"], "remote": Service()}, {
        "texts": NO_TEXTS, "remote": [None, *NO_OBJECT, Service], "fallback": NO_OBJECT,
    }),
    (upper_estimate, {"text": "x"}, {"text": NO_TEXT, "multiplier": [None, 0, -1, math.nan, "2"]}),
    (token_counter, {"source": len}, {
        "source": [3, math.nan, True, b"gpt-5", ["gpt-5"], int, ""],
        "exact": [0, "yes"],
        "name": [3, "", b"x"],
    }),
]  # fmt: skip


def _cases() -> Iterator[Any]:
    for function, given, wrong in CALLS:
        name = getattr(function, "__qualname__", str(function))
        for field, values in wrong.items():
            for at, value in enumerate(values):
                yield pytest.param(
                    function, dict(given), field, value, id=f"{name}-{field}-{at}-{value!r:.20}"
                )


@pytest.mark.parametrize(("function", "given", "field", "value"), list(_cases()))
def test_a_wrong_argument_is_refused_by_name(
    function: Callable[..., object],
    given: dict[str, object],
    field: str,
    value: object,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError) as told:
        _run(function, given | {field: value})
    assert str(told.value)
    assert "pump stops" not in str(told.value)


def _run(function: Callable[..., object], given: Mapping[str, object]) -> None:
    async def awaited() -> None:
        found = function(**given)
        if isawaitable(found):
            await found
        elif isinstance(found, Iterator):
            next(found, None)

    anyio.run(awaited)


def test_every_call_of_the_table_works_with_its_own_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asking = {"scores", "precompute_embeddings", "precount", "parse", "from_mapping", "load"}
    for function, given, _ in CALLS:
        if getattr(function, "__name__", "") not in asking:
            _run(function, given)
