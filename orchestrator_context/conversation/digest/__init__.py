"""A summary made of the sentences that matter, without a model."""

from orchestrator_context.conversation.digest.entries import Entry, parse, render
from orchestrator_context.conversation.digest.summarizer import ExtractiveSummarizer, digest

__all__ = ["Entry", "ExtractiveSummarizer", "digest", "parse", "render"]
