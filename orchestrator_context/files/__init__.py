"""Corpora on disk: files, folders, globs and standard input as documents."""

from orchestrator_context.files.notices import FileNotice, NoticeReason
from orchestrator_context.files.reading import read_documents

__all__ = ["FileNotice", "NoticeReason", "read_documents"]
