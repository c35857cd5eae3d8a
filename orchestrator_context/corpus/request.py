"""A corpus that goes along with one request: as data, and as a part of its messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import cast

from orchestrator_context import checks
from orchestrator_context.budget import Budget
from orchestrator_context.corpus.options import SelectOptions
from orchestrator_context.corpus.report import PLACEMENTS, Placement, Reduction
from orchestrator_context.corpus.select import need_ceiling, select
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document, Segment
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.rank.entries import distinct
from orchestrator_context.source.given import given_documents
from orchestrator_context.wording import counted

MOST_DOCUMENTS = 1_000
MOST_BYTES = 5 * 1024 * 1024

_DOCUMENT = ("path", "content", "pinned", "language", "extract")


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """Documents for one request, what is asked of them, and where they stand in it.

    >>> request = ContextRequest((Document("a.md", "Valves."),), "valves?", Budget(200))
    >>> ContextRequest.from_mapping(request.to_mapping()) == request
    True
    >>> [part.kind for part in request.placed([Segment("What of the valves?")])]
    ['document', 'turn']

    It is meant to travel, so it holds 1,000 documents and 5 MiB at most; `select` takes more, and
    `distill` whatever no window can hold.

    Attributes:
        documents: with different paths.
        query: what is asked; "" for what is worth most without a question.
        budget: tokens, bytes and documents; at least one ceiling.
        options: the strategy, and all else that can be set.
        placement: "user" in front of the newest user turn; "system" behind the system prompt, where
            a cache keeps it as long as the selection stays the same.
    """

    documents: tuple[Document, ...] = field(repr=False)
    query: str = field(repr=False)
    budget: Budget
    options: SelectOptions = SelectOptions()
    placement: Placement = "user"

    def __post_init__(self) -> None:
        documents = given_documents("ContextRequest.documents", self.documents)
        object.__setattr__(self, "documents", documents)
        distinct(one.path for one in documents)
        checks.text("ContextRequest.query", self.query)
        checks.instance("ContextRequest.options", self.options, SelectOptions)
        checks.choice("ContextRequest.placement", self.placement, PLACEMENTS)
        need_ceiling(self.budget)
        size = sum(one.bytes_length for one in documents)
        if len(documents) > MOST_DOCUMENTS or size > MOST_BYTES:
            raise ConfigurationError(
                f"A request takes {MOST_DOCUMENTS} documents and {MOST_BYTES} bytes, and this one "
                f"has {counted(len(documents), 'document')} and {counted(size, 'byte')}; call "
                "select, or distill"
            )

    def reduction(self, *, counter: TokenCounter | None = None) -> Reduction:
        """Return what `select` makes of the request; `counter` is exact o200k by default."""
        return select(
            self.documents, self.query, budget=self.budget, options=self.options, counter=counter
        )

    def placed(
        self, messages: Sequence[Segment], *, counter: TokenCounter | None = None
    ) -> tuple[Segment, ...]:
        """Return `messages` with what was selected in its place; as they are if nothing was."""
        messages = checks.instances("messages", messages, Segment, "segments")
        reduction = self.reduction(counter=counter)
        if not reduction.documents:
            return messages
        at = _after_system(messages) if self.placement == "system" else _newest_turn(messages)
        return (*messages[:at], reduction.segment(self.placement), *messages[at:])

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> ContextRequest:
        """Return the request that `mapping` describes; unknown keys are refused."""
        known = checks.known_keys(cls, mapping)
        given = known["documents"]
        if not isinstance(given, list | tuple):
            raise ConfigurationError("ContextRequest.documents must be a list of documents")
        known["documents"] = tuple(map(_document, cast("list[object]", given)))
        known["budget"] = Budget.from_mapping(known["budget"])
        if "options" in known:
            known["options"] = SelectOptions.from_mapping(known["options"])
        return cls(**known)

    def to_mapping(self) -> dict[str, object]:
        """Return the request as JSON-able data; `from_mapping` makes it again."""
        return {
            "documents": [
                {name: getattr(one, name) for name in _DOCUMENT} for one in self.documents
            ],
            "query": self.query,
            "budget": asdict(self.budget),
            "options": self.options.to_mapping(),
            "placement": self.placement,
        }


def _document(value: object) -> Document:
    given: dict[str, object] = {}
    if isinstance(value, Mapping):
        given = dict(cast("Mapping[str, object]", value))
    if not {"path", "content"} <= set(given) <= set(_DOCUMENT):
        raise ConfigurationError(
            f"A document of a ContextRequest has path and content, and may have "
            f"{', '.join(_DOCUMENT[2:])}; nothing else"
        )
    return Document(**given)  # type: ignore[arg-type]  # checked when it is made


def _after_system(messages: Sequence[Segment]) -> int:
    return next((at for at, one in enumerate(messages) if one.role != "system"), len(messages))


def _newest_turn(messages: Sequence[Segment]) -> int:
    turns = (at for at in range(len(messages) - 1, -1, -1) if messages[at].role == "user")
    return next(turns, len(messages))
