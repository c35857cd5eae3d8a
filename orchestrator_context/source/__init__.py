"""One document: what language it is in, and how it is cut."""

from orchestrator_context.source.chunk import passages, split_document
from orchestrator_context.source.language import detect_language, is_generated_path

__all__ = ["detect_language", "is_generated_path", "passages", "split_document"]
