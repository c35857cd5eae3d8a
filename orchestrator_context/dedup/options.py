"""The settings of deduplication."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from orchestrator_context import checks


@dataclass(frozen=True, slots=True)
class DedupOptions:
    """What counts as a duplicate.

    >>> DedupOptions.from_mapping({"threshold": 0.85}).shingle_words
    5

    Attributes:
        threshold: share of the shingles of two texts that both have, above 0 and up to 1, from
            which on they are near duplicates (Jaccard). None for exact duplicates only.
        shingle_words: words in a row that make a shingle. Scripts without spaces count pairs of
            characters as words.
        min_shingles: different shingles below which a text is no near duplicate of another one,
            unless both have the same words.
        min_paragraph_characters: shorter paragraphs are never removed.
    """

    threshold: float | None = None
    shingle_words: int = 5
    min_shingles: int = 8
    min_paragraph_characters: int = 20

    def __post_init__(self) -> None:
        name = type(self).__name__
        checks.number_or_none(f"{name}.threshold", self.threshold, most=1, above=True)
        checks.whole(f"{name}.shingle_words", self.shingle_words, least=1)
        checks.whole(f"{name}.min_shingles", self.min_shingles, least=1)
        checks.whole(f"{name}.min_paragraph_characters", self.min_paragraph_characters, least=1)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> DedupOptions:
        """Return the options that `mapping` describes; unknown keys are refused."""
        return cls(**checks.known_keys(cls, mapping))

    def to_mapping(self) -> dict[str, object]:
        """Return the options as JSON-able data; `from_mapping` makes them again."""
        return asdict(self)
