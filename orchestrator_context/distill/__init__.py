"""Distil a corpus that never fits: map over its parts, reduce the notes, answer with sources."""

from orchestrator_context.distill.checkpoint import Checkpoint
from orchestrator_context.distill.estimate import estimate_distill
from orchestrator_context.distill.options import DistillOptions
from orchestrator_context.distill.run import distill

__all__ = ["Checkpoint", "DistillOptions", "distill", "estimate_distill"]
