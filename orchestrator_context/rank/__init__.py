"""Finding what answers a question, by words alone."""

from orchestrator_context.rank.blocks import joined
from orchestrator_context.rank.extract import Extract, extract
from orchestrator_context.rank.lexical import LexicalIndex
from orchestrator_context.rank.question import question_words
from orchestrator_context.rank.units import Unit, pieces, units
from orchestrator_context.rank.worth import Strictness

__all__ = [
    "Extract",
    "LexicalIndex",
    "Strictness",
    "Unit",
    "extract",
    "joined",
    "pieces",
    "question_words",
    "units",
]
