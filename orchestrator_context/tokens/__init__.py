"""Counting tokens: exact where the vocabulary is at hand, an upper estimate elsewhere."""

from orchestrator_context.tokens.background import count_async
from orchestrator_context.tokens.counter import token_counter
from orchestrator_context.tokens.estimate import upper_estimate
from orchestrator_context.tokens.remote import precount

__all__ = ["count_async", "precount", "token_counter", "upper_estimate"]
