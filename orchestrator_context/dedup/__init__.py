"""Texts that say what another one says already, and which of them stands for the others."""

from orchestrator_context.dedup.duplicates import DuplicateMap, find_duplicates
from orchestrator_context.dedup.embeddings import precompute_embeddings
from orchestrator_context.dedup.options import DedupOptions
from orchestrator_context.dedup.paragraphs import (
    ParagraphDedup,
    RemovedParagraph,
    Span,
    dedup_paragraphs,
)
from orchestrator_context.dedup.semantic import semantic_duplicates

__all__ = [
    "DedupOptions",
    "DuplicateMap",
    "ParagraphDedup",
    "RemovedParagraph",
    "Span",
    "dedup_paragraphs",
    "find_duplicates",
    "precompute_embeddings",
    "semantic_duplicates",
]
