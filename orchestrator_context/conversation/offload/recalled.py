"""What `recall` gives back."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from orchestrator_context.conversation.offload.lines import LineRange
from orchestrator_context.events import ContextReduced


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was read.

    Attributes:
        text: the content, or the lines asked for, character by character where it is `complete`;
            else parts of it between marks that tell what is left out.
        handle: what it was read from.
        lines: the lines that are shown, in order.
        total_lines: lines of the whole content.
        tokens: of the text, as counted.
        max_tokens: what it may have.
        complete: whether all that was asked for is shown; for a query, the whole content.
        exact: whether tokens were counted as the model counts, or estimated from above.
        matches: passages that have to do with the query; None where none was looked for.
    """

    text: str = field(repr=False)
    handle: str
    lines: tuple[LineRange, ...]
    total_lines: int
    tokens: int
    max_tokens: int
    complete: bool
    exact: bool = True
    matches: int | None = None

    @property
    def fits(self) -> bool:
        """Whether the text keeps to its limit."""
        return self.tokens <= self.max_tokens

    def summary(self) -> str:
        """Return one line of figures, without any content."""
        lines = ", ".join(map(str, self.lines)) or "none"
        parts = [
            f"recalled lines {lines} of {self.total_lines}",
            f"{self.tokens} of {self.max_tokens} tokens" + " (estimated)" * (not self.exact),
        ]
        if self.matches is not None:
            parts.append(f"{self.matches} passages match")
        return ", ".join(parts) + ("" if self.complete else ", NOT the whole")

    def metadata(self) -> dict[str, object]:
        """Return all figures as JSON-able data, without any content."""
        data: dict[str, object] = asdict(self)
        del data["text"]
        return data | {"lines": [str(lines) for lines in self.lines], "fits": self.fits}

    def event(self) -> ContextReduced:
        """Return the event that tells of this result."""
        shown = sum(lines.last - lines.first + 1 for lines in self.lines if lines.last is not None)
        return ContextReduced(
            strategy="recall",
            candidates=self.total_lines,
            selected=shown,
            tokens=self.tokens,
            max_tokens=self.max_tokens,
            calls=0,
            complete=self.complete,
        )
