"""Large contents leave the prompt into a store; a handle with a preview stands in their place."""

from orchestrator_context.conversation.offload.handles import Handle, handles_in
from orchestrator_context.conversation.offload.lines import LineRange
from orchestrator_context.conversation.offload.recall import recall
from orchestrator_context.conversation.offload.recalled import Recalled
from orchestrator_context.conversation.offload.standin import offloaded
from orchestrator_context.conversation.offload.store import OffloadStore
from orchestrator_context.conversation.offload.tool import RECALL_TOOL, recall_handler, recall_tool

__all__ = [
    "RECALL_TOOL",
    "Handle",
    "LineRange",
    "OffloadStore",
    "Recalled",
    "handles_in",
    "offloaded",
    "recall",
    "recall_handler",
    "recall_tool",
]
