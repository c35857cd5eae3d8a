"""The nouns of the library: frozen, comparable by value, made of plain data."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Literal

from orchestrator_context import checks
from orchestrator_context.budget import Budget as Budget  # one of the nouns; a module of its own
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.languages.detect import detect_language, language_name
from orchestrator_context.languages.extract import structural_extract
from orchestrator_context.media import Media as Media
from orchestrator_context.media import check_media

Role = Literal["system", "user", "assistant", "tool"]
Kind = Literal[
    "system", "briefing", "moderator", "turn", "summary", "memory", "tools",
    "tool_call", "tool_result", "reasoning", "media", "document", "custom",
]  # fmt: skip
FinishReason = Literal["stop", "length", "other"]

ROLES: tuple[Role, ...] = ("system", "user", "assistant", "tool")
KINDS: tuple[Kind, ...] = (
    "system", "briefing", "moderator", "turn", "summary", "memory", "tools",
    "tool_call", "tool_result", "reasoning", "media", "document", "custom",
)  # fmt: skip
_NAMES = ("id", "title", "author", "source", "group", "message", "call_id")
REQUIRED_KINDS: frozenset[Kind] = frozenset({"system", "briefing", "moderator"})


@dataclass(frozen=True, slots=True)
class Segment:
    """A typed piece of a prompt: a whole message, or one part of it.

    Attributes:
        content: the text; the arguments of a tool call, as the text that was sent.
        role: who speaks in the provider's terms.
        kind: what the piece is for.
        id: stable name inside one prompt; "" where nobody refers to it.
        title: a heading, a file name, or the name of the tool that is called or answers.
        author: the participant who wrote it.
        source: the session, file or thread it belongs to; segments of one source stand in order.
        priority: weight when room is shared out; 0 is the first to go.
        locked: its bytes may not change.
        required: it may not be dropped; None means what its kind implies.
        group: segments of one group stay or go together, wherever they stand.
        message: neighbours that share it are the parts of one message; "" is one of its own.
        call_id: the tool call that the segment is, or answers; they stay or go together.
        media: images, sounds and files that travel with the text.
        metadata: anything an adapter needs to give the original message back. `"opaque"` says how
            many characters are counted beside the content, such as those of signed reasoning.
    """

    content: str = field(repr=False)
    role: Role = "user"
    kind: Kind = "turn"
    id: str = ""
    title: str = ""
    author: str = ""
    source: str = ""
    priority: float = 1.0
    locked: bool = False
    required: bool | None = None
    group: str = ""
    message: str = ""
    call_id: str = ""
    media: tuple[Media, ...] = ()
    metadata: Mapping[str, object] = field(
        default_factory=lambda: MappingProxyType({}), repr=False, hash=False
    )

    def __post_init__(self) -> None:
        checks.text("Segment.content", self.content)
        checks.choice("Segment.role", self.role, ROLES)
        checks.choice("Segment.kind", self.kind, KINDS)
        names = [getattr(self, name) for name in _NAMES]
        if set(map(type, names)) != {str}:
            for name, value in zip(_NAMES, names, strict=True):
                checks.text(f"Segment.{name}", value)
        checks.number("Segment.priority", self.priority)
        checks.flag("Segment.locked", self.locked)
        if self.required is not None:
            checks.flag("Segment.required", self.required)
        if self.media != ():
            check_media("Segment.media", self.media)
        if not isinstance(self.metadata, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            given = type(self.metadata).__name__
            raise ConfigurationError(f"Segment.metadata must be a mapping, not {given}")

    def __getstate__(self) -> list[object]:
        """Return the fields for pickle and `copy.deepcopy`, which know no read-only mappings."""
        given: list[object] = [getattr(self, one.name) for one in fields(self)]
        kept = not isinstance(self.metadata, MappingProxyType)
        return given if kept else [*given[:-1], dict(self.metadata)]

    def __setstate__(self, state: list[object]) -> None:
        for one, value in zip(fields(self), state, strict=True):
            object.__setattr__(self, one.name, value)

    @property
    def is_required(self) -> bool:
        """Whether the segment may not be dropped."""
        return self.kind in REQUIRED_KINDS if self.required is None else self.required


@dataclass(frozen=True, slots=True)
class Document:
    """A named text of a corpus. The path is its identity and, for rankers, a signal.

    `Document.of` fills in what path and content tell of the language and the structure. Where
    `dataclasses.replace` changes one of these, language and extract stay as they are: make the
    document anew.

    Attributes:
        path: a file path or any other name that is unique in its corpus.
        content: the text, kept as it was given.
        pinned: it is selected before all others. A distillation reads all documents anyway.
        language: a programming or markup language, by any of its usual names; kept by the one that
            `detect_language` gives it, or None where unknown.
        extract: what can stand for the content where that is too long: its imports, declarations
            and headings. "" where there is none; None where that is worked out only when it is
            needed.
        sha256: hex digest of the content; lone surrogates are hashed as they stand.
    """

    path: str
    content: str = field(repr=False)
    pinned: bool = False
    language: str | None = None
    extract: str | None = field(default=None, repr=False)
    sha256: str = field(init=False)

    def __post_init__(self) -> None:
        checks.text("Document.path", self.path)
        checks.text("Document.content", self.content)
        checks.flag("Document.pinned", self.pinned)
        if self.language is not None:
            checks.text("Document.language", self.language, blank=False)
            object.__setattr__(self, "language", language_name(self.language))
        if self.extract is not None:
            checks.text("Document.extract", self.extract)
        digest = hashlib.sha256(self.content.encode("utf-8", "surrogatepass"))
        object.__setattr__(self, "sha256", digest.hexdigest())

    @classmethod
    def of(
        cls,
        path: str,
        content: str,
        *,
        pinned: bool = False,
        language: str | None = None,
        extract: str | None = None,
    ) -> Document:
        """Return the document with its language and its extract.

        >>> Document.of("pump.py", "def stop(): ...").language
        'python'

        Args:
            path: as in `Document`.
            content: as in `Document`.
            pinned: as in `Document`.
            language: None for what the path tells; None remains where a suffix is shared (`.h`).
            extract: None for what the content tells, in time linear in it; "" for none.

        Raises:
            ConfigurationError: a value is not of its type.
        """
        plain = cls(path, content, pinned, language, extract)
        language = detect_language(path) if language is None else language
        if extract is None:
            extract = structural_extract(content, language)
        return replace(plain, language=language, extract=extract)

    @property
    def bytes_length(self) -> int:
        """Length of the content in UTF-8 bytes."""
        return len(self.content.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Source:
    """Where a piece of text stands: lines and columns count from 1, both ends included.

    Attributes:
        path: the document.
        start_line: first line.
        end_line: last line.
        start_column: character in the first line; 1 where the piece begins with the line.
        end_column: character in the last line; None where the piece ends with the line.
    """

    path: str
    start_line: int
    end_line: int
    start_column: int = 1
    end_column: int | None = None

    def __str__(self) -> str:
        """Return `path:first-last`, with columns where the piece does not hold whole lines."""
        first, last = str(self.start_line), str(self.end_line)
        if self.start_column != 1 or self.end_column is not None:
            first += f".{self.start_column}"
            last += "" if self.end_column is None else f".{self.end_column}"
        return f"{self.path}:{first}" if first == last else f"{self.path}:{first}-{last}"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of a document.

    Attributes:
        text: the characters `content[start:end]` of the document.
        source: the document and the lines and columns of the span.
        start: offset of the first character.
        end: offset behind the last character.
        index: position among the chunks of the document, from 0.
        language: that of the document, or None where it is unknown.
    """

    text: str = field(repr=False)
    source: Source
    start: int
    end: int
    index: int = 0
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """What a model wrote about a part of a corpus.

    Attributes:
        text: the note. A mark such as `[S2]` names the second of `sources`.
        sources: the passages that the marks name.
        truncated: the model stopped at its output limit, so the end is missing.
    """

    text: str = field(repr=False)
    sources: tuple[Source, ...] = ()
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens read and written. Addable."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens
        )

    @property
    def total(self) -> int:
        """Tokens read and written together."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in US dollars for a million tokens."""

    input: float
    output: float

    def __post_init__(self) -> None:
        checks.number("Price.input", self.input)
        checks.number("Price.output", self.output)

    def of(self, usage: Usage) -> float:
        """Return what `usage` costs in US dollars."""
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class Generation:
    """One answer of a model.

    Attributes:
        text: what it wrote.
        usage: tokens as the service counted them, or None where it does not say.
        finish_reason: "length" where the output limit cut the text off.
    """

    text: str = field(repr=False)
    usage: Usage | None = None
    finish_reason: FinishReason = "stop"
