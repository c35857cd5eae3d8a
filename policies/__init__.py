"""Context policies: how what a participant sees is brought into its window."""

from orchestrator_context.policies.chain import Chain
from orchestrator_context.policies.drop_oldest import DropOldest
from orchestrator_context.policies.elide_middle import ElideMiddle
from orchestrator_context.policies.offload import Offload
from orchestrator_context.policies.sliding_window import SlidingWindow
from orchestrator_context.policies.strict import Strict
from orchestrator_context.policies.summarize import Summarize

__all__ = ["Chain", "DropOldest", "ElideMiddle", "Offload", "SlidingWindow", "Strict", "Summarize"]
