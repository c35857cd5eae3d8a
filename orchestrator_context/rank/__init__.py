"""Finding what answers a question, by words alone."""

from orchestrator_context.rank.blocks import joined
from orchestrator_context.rank.explanation import Explanation, ScorePart
from orchestrator_context.rank.extract import Extract, extract
from orchestrator_context.rank.imports import imported_names
from orchestrator_context.rank.index import RankIndex
from orchestrator_context.rank.lexical import LexicalIndex
from orchestrator_context.rank.options import RankOptions
from orchestrator_context.rank.order import Ranked
from orchestrator_context.rank.question import question_words
from orchestrator_context.rank.salience import salience
from orchestrator_context.rank.semantic import SemanticRanker
from orchestrator_context.rank.units import Unit, pieces, units
from orchestrator_context.rank.worth import Strictness

__all__ = [
    "Explanation",
    "Extract",
    "LexicalIndex",
    "RankIndex",
    "RankOptions",
    "Ranked",
    "ScorePart",
    "SemanticRanker",
    "Strictness",
    "Unit",
    "extract",
    "imported_names",
    "joined",
    "pieces",
    "question_words",
    "salience",
    "units",
]
