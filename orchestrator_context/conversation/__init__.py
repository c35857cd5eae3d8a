"""What each participant of a conversation sees, and how it is kept inside a window."""

from orchestrator_context.conversation.cache import (
    diagnose_cache,
    hit_share,
    prefix_stability,
    with_cache_locks,
)
from orchestrator_context.conversation.cache_report import CacheDiagnosis, Unstable
from orchestrator_context.conversation.compacting import HistoryPolicy
from orchestrator_context.conversation.finalize import TemplateRules, template_rules
from orchestrator_context.conversation.fingerprints import prefix_hashes, segment_hashes
from orchestrator_context.conversation.grouping import Grouping, group
from orchestrator_context.conversation.history import (
    HistoryCompaction,
    HistoryOptions,
    compact_history,
)
from orchestrator_context.conversation.ledger import Ledger, Savings
from orchestrator_context.conversation.memory import SummaryMemory
from orchestrator_context.conversation.participant import Participant
from orchestrator_context.conversation.policy import ContextPolicy, policy_from_mapping
from orchestrator_context.conversation.recipe import segment_from_mapping, segment_to_mapping
from orchestrator_context.conversation.report import Elisions, ViewReport
from orchestrator_context.conversation.rolling import Covered, Summary
from orchestrator_context.conversation.seat import TranscriptEntry
from orchestrator_context.conversation.summarizing import ModelSummarizer, Summarizer
from orchestrator_context.conversation.transcript import Transcript
from orchestrator_context.conversation.view import View, finalize

__all__ = [
    "CacheDiagnosis",
    "ContextPolicy",
    "Covered",
    "Elisions",
    "Grouping",
    "HistoryCompaction",
    "HistoryOptions",
    "HistoryPolicy",
    "Ledger",
    "ModelSummarizer",
    "Participant",
    "Savings",
    "Summarizer",
    "Summary",
    "SummaryMemory",
    "TemplateRules",
    "Transcript",
    "TranscriptEntry",
    "Unstable",
    "View",
    "ViewReport",
    "compact_history",
    "diagnose_cache",
    "finalize",
    "group",
    "hit_share",
    "policy_from_mapping",
    "prefix_hashes",
    "prefix_stability",
    "segment_from_mapping",
    "segment_hashes",
    "segment_to_mapping",
    "template_rules",
    "with_cache_locks",
]
