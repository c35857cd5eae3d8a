"""One document: how it is cut, what it can do without, and whether a person wrote it."""

from orchestrator_context.source.chunk import passages, split_document
from orchestrator_context.source.compact import (
    CompactSource,
    compact_source,
    supports_compaction,
)
from orchestrator_context.source.generated import is_generated_path
from orchestrator_context.source.surfaces import module_surfaces

__all__ = [
    "CompactSource",
    "compact_source",
    "is_generated_path",
    "module_surfaces",
    "passages",
    "split_document",
    "supports_compaction",
]
