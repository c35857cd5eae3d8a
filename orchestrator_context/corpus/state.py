"""What was selected, kept for the next selection: which documents and parts, and what was asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, cast

from orchestrator_context import checks
from orchestrator_context.corpus.blocks import Spans
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document
from orchestrator_context.source.given import given_documents

Representation = Literal["whole", "ranked", "tiered", "packed", "none"]

_REPRESENTATIONS: tuple[Representation, ...] = ("whole", "ranked", "tiered", "packed", "none")
_VERSION = 2
_NESTED = "before must be a state without one before it"


@dataclass(frozen=True, slots=True)
class ReductionState:
    """What was selected, to be preferred the next time; it holds paths and digests, no content.

    Attributes:
        entries: path and digest of each document; sorted when the state is made, as the rest is.
        representation: how they were represented.
        parts: path of each document of which not all was there, and the characters that were; none
            where it was its declarations alone.
        asked: digest of all that it was selected by, but for `before`; "" where that does not tell.
        before: the state that was preferred then, without the one before it.
    """

    entries: tuple[tuple[str, str], ...] = ()
    representation: Representation = "none"
    parts: tuple[tuple[str, Spans], ...] = ()
    asked: str = ""
    before: ReductionState | None = None

    def __post_init__(self) -> None:
        checks.choice("representation", self.representation, _REPRESENTATIONS)
        object.__setattr__(self, "entries", tuple(sorted(_entries(self.entries))))
        object.__setattr__(self, "parts", tuple(sorted(_parts(self.parts))))
        checks.text("asked", self.asked)
        if self.before is not None:
            checks.instance("before", self.before, ReductionState, "Reduction.state()")
            if self.before.before is not None:
                raise ConfigurationError(_NESTED)

    @classmethod
    def of(
        cls,
        documents: Iterable[Document],
        representation: Representation,
        parts: Mapping[str, Spans] = MappingProxyType({}),
    ) -> ReductionState:
        """Return the state of a selection of `documents`, of which `parts` tells what was there."""
        given = given_documents("documents", documents)
        entries = tuple((one.path, one.sha256) for one in given)
        checks.mapping("parts", parts, "paths to spans of characters")
        return cls(entries, representation, tuple(parts.items()))

    def unchanged(self, documents: Iterable[Document]) -> frozenset[str]:
        """Return the paths of those of `documents` that were selected with the same content."""
        known = frozenset(self.entries)
        given = given_documents("documents", documents)
        return frozenset(one.path for one in given if (one.path, one.sha256) in known)

    def preferred(self, asked: str) -> ReductionState:
        """Return what to prefer in the answer to a question, given as `asked` has it.

        That is this selection; where it is the answer already, what was preferred in it.
        """
        if asked and asked == self.asked and self.before is not None:
            return self.before
        return replace(self, asked="", before=None)

    def metadata(self) -> dict[str, object]:
        """Return figures as JSON-able data, without paths."""
        return {"entries": len(self.entries), "representation": self.representation}

    def to_mapping(self) -> dict[str, object]:
        """Return the state as JSON-able data; `from_mapping` reads it."""
        return {
            "version": _VERSION,
            "representation": self.representation,
            "entries": [list(entry) for entry in self.entries],
            "parts": [[path, [list(span) for span in spans]] for path, spans in self.parts],
            "asked": self.asked,
            "before": None if self.before is None else self.before.to_mapping(),
        }

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> ReductionState:
        """Return the state that `to_mapping` described.

        Raises:
            ConfigurationError: it is none, or of another version.
        """
        checks.mapping("state", mapping, "settings by name")
        if mapping.get("version") != _VERSION or set(mapping) != set(cls().to_mapping()):
            raise ConfigurationError(
                f"This is no state of a selection of version {_VERSION}; leave it out to begin anew"
            )
        fields = {name: mapping[name] for name in cls.__slots__}
        before = mapping["before"]
        if before is not None:
            known = checks.mapping("before", before, "settings by name")
            if known.get("before") is not None:
                raise ConfigurationError(_NESTED)
            fields["before"] = cls.from_mapping(cast("Mapping[str, object]", known))
        return cls(**fields)  # type: ignore[arg-type]


def _entries(value: object) -> Iterator[tuple[str, str]]:
    for entry in _listed(value):
        match entry:
            case [str() as path, str() as digest]:
                yield path, digest
            case _:
                raise ConfigurationError("entries must be pairs of a path and a digest")


def _parts(value: object) -> Iterator[tuple[str, Spans]]:
    for part in _listed(value):
        match _listed(part):
            case [str() as path, spans]:
                yield path, tuple(sorted(map(_span, _listed(spans))))
            case _:
                raise ConfigurationError("parts must be pairs of a path and spans of characters")


def _span(value: object) -> tuple[int, int]:
    what = "a span of characters"
    span = checks.sequence(what, value, "two whole numbers")
    if len(span) != 2:
        raise ConfigurationError(f"{what} must be two whole numbers, where it begins and ends")
    start = checks.whole(what, span[0], least=0)
    return start, checks.whole(what, span[1], least=start + 1)


def _listed(value: object) -> list[object]:
    return list(cast("list[object]", value)) if isinstance(value, list | tuple) else [None]
