"""`select` and `plan`: what a corpus holds on a question, in a text that keeps to a budget."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from orchestrator_context import checks
from orchestrator_context.budget import Budget
from orchestrator_context.corpus.candidates import Candidates
from orchestrator_context.corpus.corpus import Corpus
from orchestrator_context.corpus.options import SelectOptions
from orchestrator_context.corpus.plan import Outlook, Plan
from orchestrator_context.corpus.question import GivenScores, Question
from orchestrator_context.corpus.reducing import reduced
from orchestrator_context.corpus.relevance import Relevance
from orchestrator_context.corpus.report import Reduction
from orchestrator_context.corpus.state import ReductionState
from orchestrator_context.events import Observer
from orchestrator_context.exceptions import ConfigurationError, UnknownWindowError
from orchestrator_context.models import Document
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.text import is_blank, is_title_only


def select(
    documents: Iterable[Document] | Corpus,
    query: str,
    *,
    budget: Budget,
    options: SelectOptions | None = None,
    counter: TokenCounter | None = None,
    scores: GivenScores | None = None,
    previous: ReductionState | None = None,
    observer: Observer | None = None,
) -> Reduction:
    r"""Return the most useful text on `query` that `documents` give within `budget`.

    >>> corpus = [Document("pump.md", "The pump stops at 9 bar."), Document("mop.md", "Mop.")]
    >>> print(select(corpus, "pump pressure", budget=Budget(max_tokens=35)).text, end="")
    <docs format="1">
    <doc path="pump.md">
    The pump stops at 9 bar.
    </doc>
    </docs>

    The same input gives the same bytes, whatever the order of the documents. The text never passes
    a ceiling; what is not in it stands in the result. Where documents match the question, others
    are there only beside one of these; those with nothing to see only where all else is.

    Args:
        documents: with different paths, read once; or a `Corpus`, for several questions.
        query: a question or words, in any language; "" for what is worth most without one.
        budget: tokens, bytes and documents; at least one ceiling.
        options: the strategy, and all else that can be set; by default those of the corpus.
        counter: counts the tokens; exact o200k by default. A corpus has its own, and takes none but
            an equal one.
        scores: by path, such as a semantic ranker gives, or of `Corpus.chunks` by their source.
            They replace what words say; what has none comes last. Unknown paths are counted.
        previous: the `state()` of the selection before; its documents get the carry-over bonus.
        observer: is told of the result by one event.

    Raises:
        UnknownWindowError: the budget has no ceiling.
        ConfigurationError: an argument is not of its type, two documents have the same path, a
            score is not finite, no score is for a document of the corpus, or a corpus was made with
            another counter or other options to rank and compare documents.
    """
    checks.function_or_none("observer", observer)
    question = Question.of(query, scores, previous)
    candidates = _candidates(documents, question, budget, options, counter)
    reduction = reduced(candidates, budget, candidates.options.strategy)
    if observer is not None:
        observer(reduction.event())
    return reduction


def plan(
    documents: Iterable[Document] | Corpus,
    query: str,
    *,
    budget: Budget,
    options: SelectOptions | None = None,
    counter: TokenCounter | None = None,
    scores: GivenScores | None = None,
    previous: ReductionState | None = None,
) -> Plan:
    """Return what each strategy would give, measured by running it; nothing is sent anywhere.

    >>> corpus = [Document("pump.md", "The pump stops at 9 bar."), Document("mop.md", "Mop.")]
    >>> plan(corpus, "pump pressure", budget=Budget(max_tokens=60)).best().strategy
    'whole'

    Args:
        documents: as in `select`.
        query: as in `select`.
        budget: as in `select`.
        options: as in `select`; their strategy is passed over.
        counter: as in `select`.
        scores: as in `select`.
        previous: as in `select`.

    Raises:
        UnknownWindowError: the budget has no ceiling.
        ConfigurationError: as in `select`.
    """
    question = Question.of(query, scores, previous)
    candidates = _candidates(documents, question, budget, options, counter)
    whole = reduced(candidates, budget, "whole")
    ranked = whole.representation == "ranked"  # what does not fit whole was ranked already
    results = (
        whole,
        replace(whole, strategy="ranked") if ranked else reduced(candidates, budget, "ranked"),
        reduced(candidates, budget, "tiered"),
        reduced(candidates, budget, "packed"),
    )
    relevance, chunks = Relevance(candidates), _distill_chunks(candidates)
    return Plan(
        candidates=len(candidates.corpus.documents),
        tokens=candidates.corpus.tokens,
        budget=budget,
        options=tuple(Outlook.of(one, relevance.of(one)) for one in results),
        distill_chunks=chunks,
        distill_calls=chunks + 1 if chunks else 0,
        matches=None if candidates.matching is None else len(candidates.matching),
        unknown_scores=candidates.unknown_scores,
    )


def _distill_chunks(candidates: Candidates) -> int:
    """Return how many parts of `chunk_tokens` a distillation reads.

    It passes over documents without anything to see, and in prose those that are headings only.
    """
    corpus, size = candidates.corpus, candidates.options.chunk_tokens
    once = {one.sha256: one for one in corpus.distinct}.values()
    read = (one for one in once if not is_blank(one.content) and not is_title_only(one.content))
    return sum(-(-corpus.counts[one.path] // size) for one in read)


def _candidates(
    documents: Iterable[Document] | Corpus,
    question: Question,
    budget: Budget,
    options: SelectOptions | None,
    counter: TokenCounter | None,
) -> Candidates:
    need_ceiling(budget)
    if options is not None:
        checks.instance("options", options, SelectOptions)
    if not isinstance(documents, Corpus):
        options = SelectOptions() if options is None else options
        documents = Corpus(documents, options=options, counter=counter)
    elif counter is not None and counter != documents.counter:
        raise ConfigurationError(
            f"The corpus counts by {documents.counter.name}, and {counter.name} may count "
            "otherwise; make the corpus with the counter that is wanted, or pass none"
        )
    candidates = Candidates(documents, question, _fitting(options, documents.options))
    if question.documents and len(candidates.unknown_paths) == len(question.documents):
        raise ConfigurationError(
            f"scores are for paths of which the corpus has none, such as "
            f"{min(candidates.unknown_paths)!r}; give them by the paths of the documents"
        )
    return candidates


def _fitting(options: SelectOptions | None, made_with: SelectOptions) -> SelectOptions:
    if options is None:
        return made_with
    for name in ("rank", "dedup", "collapse_duplicates"):
        if getattr(options, name) != getattr(made_with, name):
            raise ConfigurationError(
                f"The corpus was made with other options.{name}; make it with these"
            )
    return options


def need_ceiling(budget: Budget) -> None:
    """Check that `budget` has a ceiling, or raise UnknownWindowError.

    Raises:
        UnknownWindowError: it has none.
        ConfigurationError: it is no budget.
    """
    checks.instance("budget", budget, Budget, "Budget(max_tokens=8_000)")
    if budget.available is None and budget.max_bytes is None and budget.max_items is None:
        raise UnknownWindowError("A selection needs a ceiling: pass Budget(max_tokens=...)")
