"""Reading what was moved to a store: whole where it fits, or the lines or the parts asked for."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator_context import checks
from orchestrator_context.conversation.offload.handles import Handle
from orchestrator_context.conversation.offload.lines import LineRange
from orchestrator_context.conversation.offload.reading import Reading
from orchestrator_context.conversation.offload.recalled import Recalled
from orchestrator_context.conversation.offload.store import OffloadStore
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens import token_counter

DEFAULT_MAX_TOKENS = 2_000
"""A few screens of text."""


async def recall(
    handle: Handle | str,
    *,
    store: OffloadStore,
    query: str | None = None,
    lines: str | tuple[int, int] | None = None,
    max_tokens: int = DEFAULT_MAX_TOKENS,
    counter: TokenCounter | None = None,
) -> Recalled:
    """Return a content, or the part of it that is asked for, within `max_tokens`.

    What fits is returned as it is. Of what does not fit, the first lines are shown, or with a
    query the passages that answer it best, in the order of the text. Marks tell which lines are
    left out and how to read on; they hold a nonce that stands nowhere in the content. A line that
    alone does not fit is shown in part, with its characters, such as `12.1-12.400`.

    Args:
        handle: what the store gave for the content.
        store: where it is.
        query: what to look for, in words; together with `lines`, only there.
        lines: such as "10-40" or (10, 40); see `LineRange`. Lines beyond the last are left out.
        max_tokens: tokens of the text at most.
        counter: counts them; exact o200k by default.

    Raises:
        UnknownHandleError: the store never issued the handle, or forgot it.
        ConfigurationError: the query is blank, or the lines are not to be had.
        BudgetExceededError: `max_tokens` has no room for one character and the marks.
        OffloadError: the store cannot be used.
    """
    checks.instance("store", store, OffloadStore, "OffloadStore(path)")
    checks.whole("max_tokens", max_tokens, least=1)
    asked = Request.of(query, lines)
    counter = token_counter() if counter is None else counter
    content = await store.get(handle)
    described = await store.describe(handle)
    return await asked.reading(content, described, max_tokens, counter).recalled()


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a content.

    Attributes:
        query: what to look for, or None.
        lines: where to look, or None for everywhere.
    """

    query: str | None = None
    lines: LineRange | None = None

    @classmethod
    def of(cls, query: object, lines: object) -> Request:
        """Return the request, checked.

        Raises:
            ConfigurationError: the query is blank, or the lines are no range.
        """
        text = None if query is None else checks.text("query", query)
        if text is not None and not text.strip():
            raise ConfigurationError(
                "query must not be blank; leave it out to read from the beginning, or name `lines`"
            )
        return cls(text, None if lines is None else LineRange.parsed(lines))

    def reading(
        self, content: str, handle: Handle, max_tokens: int, counter: TokenCounter
    ) -> Reading:
        """Return what has to be done to answer.

        Raises:
            ConfigurationError: the content has no such lines.
        """
        span = (0, len(content)) if self.lines is None else self.lines.span_in(content)
        return Reading(content, handle, span, self.query, max_tokens, counter)
