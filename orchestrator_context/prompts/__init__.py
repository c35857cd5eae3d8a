"""How text stands in a prompt: envelopes for what is not trusted, marks for where it came from."""

from orchestrator_context.prompts.envelope import NOTHING_RELEVANT, Material, parse, render
from orchestrator_context.prompts.marks import (
    MarkedText,
    free_prefix,
    mark,
    read_marks,
    write_marks,
)
from orchestrator_context.prompts.nonce import free_nonce

__all__ = [
    "NOTHING_RELEVANT",
    "MarkedText",
    "Material",
    "free_nonce",
    "free_prefix",
    "mark",
    "parse",
    "read_marks",
    "render",
    "write_marks",
]
