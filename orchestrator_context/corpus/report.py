"""What a selection gives back: the text, what is in it, what is not, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Literal, cast

from orchestrator_context import checks
from orchestrator_context.budget import Budget
from orchestrator_context.corpus.blocks import Constraint, Spans
from orchestrator_context.corpus.envelope import FIDELITIES, Fidelity, Lines
from orchestrator_context.events import ContextReduced
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document, Segment
from orchestrator_context.source.given import given_documents
from orchestrator_context.wording import counted

Strategy = Literal["auto", "whole", "ranked", "tiered", "packed"]
Representation = Literal["whole", "ranked", "tiered", "packed", "none"]

Placement = Literal["user", "system"]

_REPRESENTATIONS: tuple[Representation, ...] = ("whole", "ranked", "tiered", "packed", "none")
PLACEMENTS: tuple[Placement, ...] = ("user", "system")
STRATEGIES: tuple[Strategy, ...] = ("auto", "whole", "ranked", "tiered", "packed")

_VERSION = 2


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
            fields["before"] = cls.from_mapping(cast("Mapping[str, object]", before))
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


@dataclass(frozen=True, slots=True)
class Reduction:
    """A corpus, brought into a budget.

    Attributes:
        text: the envelope; "" where not even an empty one fits.
        strategy: what was asked for.
        representation: what was done.
        candidates: documents there were.
        documents: those that stand in the text, in its order, in whatever form but a pointer.
        fidelities: in what form each of them does.
        lines: first and last line of each span that is there of those that are there in part.
        tokens: of the text, as counted on it.
        size_bytes: of the text in UTF-8.
        budget: the ceilings.
        exact: whether tokens were counted as the model counts, or estimated from above.
        binding: ceilings that kept something out, in a fixed order.
        collapsed_exact: documents that a pointer to an equal one stands for.
        collapsed_near: documents that a pointer to a similar one stands for.
        carried_over: selected documents that were in the selection before.
        required_omitted: paths of pinned documents that did not fit, nor did an equal one.
        overview_documents: documents that the overview speaks of.
        digests: module texts of the caller that stand in the text.
        parts_available: parts of documents that there were to choose from, where any were.
        parts_selected: those of them that were chosen.
        matches_available: documents there were that hold a telling word of the question, in their
            text or path, or, where scores were given, have one; equal ones once. None where nothing
            was asked.
        matches_selected: those of them that stand in the text, or that one in it stands for.
        unknown_scores: scores that were given for paths of no document, or for no part of one.
    """

    text: str = field(repr=False)
    strategy: Strategy
    representation: Representation
    candidates: int
    documents: tuple[Document, ...] = field(repr=False)
    fidelities: tuple[Fidelity, ...] = field(repr=False)
    lines: tuple[Lines, ...] = field(repr=False)
    tokens: int
    size_bytes: int
    budget: Budget
    exact: bool
    binding: tuple[Constraint, ...] = ()
    collapsed_exact: int = 0
    collapsed_near: int = 0
    carried_over: int = 0
    required_omitted: tuple[str, ...] = field(default=(), repr=False)
    overview_documents: int = 0
    digests: int = 0
    parts_available: int = 0
    parts_selected: int = 0
    matches_available: int | None = None
    matches_selected: int = 0
    unknown_scores: int = 0
    _state: ReductionState = field(default=ReductionState(), repr=False)

    @property
    def fits(self) -> bool:
        """Whether all that is pinned is there, any document at all, and one that matches.

        That is, if there were some. The text keeps to every ceiling, whether or not.
        """
        matches = self.matches_selected > 0 or not self.matches_available
        some = bool(self.documents) or not self.candidates
        return matches and some and not self.required_omitted

    @property
    def omitted(self) -> int:
        """Documents that stand in the text in no form, not even by a pointer."""
        return self.candidates - len(self.documents) - self.collapsed_exact - self.collapsed_near

    @property
    def complete(self) -> bool:
        """Whether there are documents, and every byte of each is there, equal ones once."""
        whole = all(fidelity == "whole" for fidelity in self.fidelities)
        return self.candidates > 0 and whole and not (self.omitted or self.collapsed_near)

    def count(self, fidelity: Fidelity) -> int:
        """Return how many documents stand in the text in this form."""
        return self.fidelities.count(checks.choice("fidelity", fidelity, FIDELITIES))

    def segment(self, placement: Placement = "user") -> Segment:
        """Return the text as a part of a prompt, whose bytes may not change.

        >>> empty = Reduction("", "auto", "none", 0, (), (), (), 0, 0, Budget(9), exact=True)
        >>> empty.segment("system").role
        'system'

        Args:
            placement: "user" for in front of the question, "system" for the system prompt, where
                a cache keeps it as long as the selection stays the same.
        """
        checks.choice("placement", placement, PLACEMENTS)
        return Segment(self.text, placement, "document", title="documents", locked=True)

    def state(self) -> ReductionState:
        """Return what the next selection needs to prefer what is in this one."""
        return self._state

    def summary(self) -> str:
        """Return one line of figures, without any content or path."""
        forms = Counter(self.fidelities)
        parts = [
            f"{self.strategy}: {len(self.documents)} of "
            f"{counted(self.candidates, 'document')} as {self.representation}",
            *(f"{count} {name}" for name, count in sorted(forms.items()) if name != "whole"),
            f"{self.tokens} of {_limit(self.budget.available)}"
            + ("" if self.exact else " (estimated)"),
        ]
        counts = {
            "equal": self.collapsed_exact,
            "similar": self.collapsed_near,
            "omitted": self.omitted,
            "pinned OMITTED": len(self.required_omitted),
            "carried over": self.carried_over,
            "scores of UNKNOWN paths or parts": self.unknown_scores,
        }
        parts += [f"{count} {name}" for name, count in counts.items() if count]
        parts += [f"bound by {', '.join(self.binding)}"] if self.binding else []
        parts += [self._unmet()] if self._unmet() else []
        return ", ".join(parts) + ("" if self.fits else ", does NOT FIT")

    def _unmet(self) -> str:
        """Return why the text does not serve, or ""."""
        if not self.candidates:
            return "NOTHING to read"
        if self.matches_available is None or self.matches_selected:
            return ""
        if not self.matches_available:
            return "NOTHING matches the question"
        return f"NONE of {self.matches_available} that match"

    def metadata(self) -> dict[str, object]:
        """Return all figures as JSON-able data, without any content or path."""
        hidden = ("text", "documents", "fidelities", "lines", "required_omitted", "_state")
        names = [name for name in self.__slots__ if name not in hidden]
        data: dict[str, object] = {name: getattr(self, name) for name in names}
        return data | {
            "budget": asdict(self.budget),
            "documents": len(self.documents),
            "fidelities": dict(Counter(self.fidelities)),
            "required_omitted": len(self.required_omitted),
            "omitted": self.omitted,
            "fits": self.fits,
            "complete": self.complete,
        }

    def event(self) -> ContextReduced:
        """Return the event that tells of this result."""
        return ContextReduced(
            strategy=self.representation,
            candidates=self.candidates,
            selected=len(self.documents),
            tokens=self.tokens,
            max_tokens=self.budget.available or 0,
            calls=0,
            complete=self.complete,
            omitted=self.omitted,
            binding=", ".join(self.binding),
        )


def _limit(value: int | None) -> str:
    return "unlimited tokens" if value is None else counted(value, "token")
