"""Keep what a model must see inside its context window."""

from orchestrator_context.catalog import model_profile
from orchestrator_context.distill import Checkpoint, DistillOptions, distill, estimate_distill
from orchestrator_context.events import (
    CallFailed,
    ContextReduced,
    DistillProgressed,
    Event,
    Observer,
    log_events,
)
from orchestrator_context.exceptions import (
    BudgetExceededError,
    CallsFailedError,
    CheckpointError,
    ConfigurationError,
    ContextError,
    ContextOverflowError,
    DistillError,
    LimitExceededError,
    NotReducedError,
    ProviderError,
    ProviderRejectedError,
    ProviderResponseError,
    ProviderUnavailableError,
    UnknownWindowError,
    WindowTooSmallError,
)
from orchestrator_context.files import read_documents
from orchestrator_context.models import (
    Budget,
    Chunk,
    Document,
    Generation,
    Media,
    Note,
    Price,
    Segment,
    Source,
    Usage,
)
from orchestrator_context.plugins import load_generator
from orchestrator_context.protocols import Generator, ModelProfile, TokenCounter
from orchestrator_context.reports import (
    Citation,
    Distillation,
    DistillEstimate,
    DistillReport,
    FailedChunk,
    Skipped,
)
from orchestrator_context.retrying import RetryPolicy
from orchestrator_context.source import split_document
from orchestrator_context.tokens import token_counter

__all__ = [
    "Budget",
    "BudgetExceededError",
    "CallFailed",
    "CallsFailedError",
    "Checkpoint",
    "CheckpointError",
    "Chunk",
    "Citation",
    "ConfigurationError",
    "ContextError",
    "ContextOverflowError",
    "ContextReduced",
    "DistillError",
    "DistillEstimate",
    "DistillOptions",
    "DistillProgressed",
    "DistillReport",
    "Distillation",
    "Document",
    "Event",
    "FailedChunk",
    "Generation",
    "Generator",
    "LimitExceededError",
    "Media",
    "ModelProfile",
    "NotReducedError",
    "Note",
    "Observer",
    "Price",
    "ProviderError",
    "ProviderRejectedError",
    "ProviderResponseError",
    "ProviderUnavailableError",
    "RetryPolicy",
    "Segment",
    "Skipped",
    "Source",
    "TokenCounter",
    "UnknownWindowError",
    "Usage",
    "WindowTooSmallError",
    "distill",
    "estimate_distill",
    "load_generator",
    "log_events",
    "model_profile",
    "read_documents",
    "split_document",
    "token_counter",
]
