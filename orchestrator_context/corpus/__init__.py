"""A corpus brought into a budget: what matters most for a question, in full or in part."""

from orchestrator_context.corpus.corpus import Corpus
from orchestrator_context.corpus.envelope import Element, Fidelity, parse, render
from orchestrator_context.corpus.options import SelectOptions
from orchestrator_context.corpus.plan import Outlook, Plan
from orchestrator_context.corpus.report import Reduction
from orchestrator_context.corpus.request import ContextRequest
from orchestrator_context.corpus.select import plan, select
from orchestrator_context.corpus.state import ReductionState

__all__ = [
    "ContextRequest",
    "Corpus",
    "Element",
    "Fidelity",
    "Outlook",
    "Plan",
    "Reduction",
    "ReductionState",
    "SelectOptions",
    "parse",
    "plan",
    "render",
    "select",
]
