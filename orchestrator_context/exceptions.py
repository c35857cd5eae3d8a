"""The error tree.

- ContextError
  - ConfigurationError            a value that cannot be used, found before any call is made
    - UnknownWindowError          a context window is needed and nobody named one
    - FormatError                 messages are not what a format says, or it cannot say a segment
  - BudgetExceededError           content needs more tokens than there are
    - WindowTooSmallError         a window leaves no room to work in
  - DistillError                  a distillation stopped; carries the notes it has
    - LimitExceededError          the next call would pass a spending limit
    - NotReducedError             a reduce round did not make its notes smaller
    - CallsFailedError            calls in flight together failed in different ways; lists them
  - SummaryError                  a summary could not be made; the history is as it was
  - CheckpointError               a checkpoint file is damaged, foreign or of another version
  - RankIndexError                an index file is damaged, foreign or of another version or corpus
  - OffloadError                  an offload store is damaged, foreign or of another version
    - UnknownHandleError          a store holds nothing under a handle
  - ProviderError                 a model service failed
    - ProviderUnavailableError    worth another try: rate limit, overload, time-out, lost connection
    - ProviderRejectedError       not worth another try: bad request, key or model
      - ContextOverflowError      the request was larger than the model's window
    - ProviderResponseError       the service answered with something unusable, such as a blank text

Messages say what went wrong, how much, and what to do next. They never hold content or keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator_context.models import Note


class ContextError(Exception):
    """Root of every error this library raises on purpose."""


class ConfigurationError(ContextError, ValueError):
    """A setting or argument cannot be used. Raised before any call is made."""


class UnknownWindowError(ConfigurationError):
    """A context window is needed and unknown. Name it, or name the size that depends on it."""


class FormatError(ConfigurationError):
    """Messages are not of the format they are said to be, or a format cannot say a segment.

    Attributes:
        where: the field, such as "messages[3].content", or the id of the segment.
    """

    def __init__(self, message: str, *, where: str) -> None:
        super().__init__(message)
        self.where = where


class BudgetExceededError(ContextError):
    """Content does not fit.

    Attributes:
        needed: tokens the content takes.
        available: tokens there are.
    """

    def __init__(self, message: str, *, needed: int, available: int) -> None:
        super().__init__(message)
        self.needed = needed
        self.available = available


class WindowTooSmallError(BudgetExceededError):
    """A context window leaves too little room beside the prompt and the reserved output."""


class DistillError(ContextError):
    """A distillation could not be finished.

    Attributes:
        notes: the notes that stand at this point, in the order of the source; without
            `keep_notes`, those that are not merged yet and the merged ones.
    """

    def __init__(self, message: str, *, notes: tuple[Note, ...] = ()) -> None:
        super().__init__(message)
        self.notes = notes


class LimitExceededError(DistillError):
    """The next call would pass `max_calls`, `max_tokens_spent` or `max_cost`.

    Attributes:
        limit: name of the option that was reached.
    """

    def __init__(self, message: str, *, limit: str, notes: tuple[Note, ...] = ()) -> None:
        super().__init__(message, notes=notes)
        self.limit = limit


class NotReducedError(DistillError):
    """A reduce round did not make its notes smaller, so another one would not either.

    Attributes:
        budget: tokens the notes may take together in one reduce call.
        reached: tokens they take now.
    """

    def __init__(
        self, message: str, *, budget: int, reached: int, notes: tuple[Note, ...] = ()
    ) -> None:
        super().__init__(message, notes=notes)
        self.budget = budget
        self.reached = reached


class CallsFailedError(DistillError):
    """Calls that were in flight together failed in different ways before they could be stopped.

    One failure is raised as it is, and so are several of one type, the first for all of them.

    Attributes:
        failures: the errors, in the order in which they came.
    """

    def __init__(self, message: str, *, failures: tuple[Exception, ...]) -> None:
        super().__init__(message)
        self.failures = failures


class SummaryError(ContextError):
    """Turns could not be summarised. Nothing was lost: the history is as it was.

    Attributes:
        failures: names of the errors that were behind it, in order.
    """

    def __init__(self, message: str, *, failures: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.failures = failures


class CheckpointError(ContextError):
    """A checkpoint file cannot be trusted: damaged, not ours, or of another version."""


class RankIndexError(ContextError):
    """An index file cannot be used: damaged, not ours, of another version or another corpus."""


class OffloadError(ContextError):
    """An offload store cannot be used: damaged, not ours, or of another version."""


class UnknownHandleError(OffloadError):
    """A store holds nothing under a handle: it never issued it, or was told to forget it.

    Attributes:
        handle: what was asked for.
    """

    def __init__(self, message: str, *, handle: str) -> None:
        super().__init__(message)
        self.handle = handle


class ProviderError(ContextError):
    """A model service failed.

    Attributes:
        provider: name of the service, such as "openai".
        status: HTTP status, or None where there was no answer.
    """

    def __init__(self, message: str, *, provider: str, status: int | None = None) -> None:
        super().__init__(message)
        self.provider = provider
        self.status = status


class ProviderUnavailableError(ProviderError):
    """The service is busy, down or out of reach; the same call may work later.

    Attributes:
        retry_after: seconds the service asked to wait, or None.
        may_be_charged: whether the service may have worked, and charge for it, although no answer
            arrived, as after a time-out.
    """

    def __init__(
        self,
        message: str,
        *,
        provider: str,
        status: int | None = None,
        retry_after: float | None = None,
        may_be_charged: bool = False,
    ) -> None:
        super().__init__(message, provider=provider, status=status)
        self.retry_after = retry_after
        self.may_be_charged = may_be_charged


class ProviderRejectedError(ProviderError):
    """The service refused the call for good: bad request, key, permission or model."""


class ContextOverflowError(ProviderRejectedError):
    """The request is larger than the model's window.

    Attributes:
        needed: tokens the service counted, or None where it does not say.
        available: the window it named, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        provider: str,
        status: int | None = None,
        needed: int | None = None,
        available: int | None = None,
    ) -> None:
        super().__init__(message, provider=provider, status=status)
        self.needed = needed
        self.available = available


class ProviderResponseError(ProviderError):
    """The service answered, but not with anything usable: no text, not JSON, missing fields."""
