"""One document: how it is cut, and whether a person wrote it."""

from orchestrator_context.source.chunk import passages, split_document
from orchestrator_context.source.generated import is_generated_path

__all__ = ["is_generated_path", "passages", "split_document"]
