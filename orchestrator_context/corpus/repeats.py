"""When a question is the same as before, so that it can be answered with the same bytes."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, replace

from orchestrator_context.budget import Budget
from orchestrator_context.corpus.candidates import Candidates
from orchestrator_context.corpus.report import Strategy


def question_digest(candidates: Candidates, budget: Budget, strategy: Strategy) -> str:
    """Return the hex digest of all that an answer depends on but the selection before.

    It is "" where no bonus is given to that selection, for then nothing depends on it.

    Args:
        candidates: the corpus and the question.
        budget: the ceilings.
        strategy: that of the options is passed over; "whole" becomes "ranked", as it does in want
            of room.
    """
    if not candidates.bonus:
        return ""
    corpus, question = candidates.corpus, candidates.question
    asked = (
        corpus.index.digest,
        sorted(corpus.digests.items()),
        corpus.counter.name,
        question.query,
        None if question.documents is None else sorted(question.documents.items()),
        sorted(question.chunks.items(), key=repr),
        sorted(asdict(budget).items()),
        replace(candidates.options, strategy="ranked" if strategy == "whole" else strategy),
    )
    return hashlib.sha256(repr(asked).encode("utf-8", "surrogatepass")).hexdigest()
