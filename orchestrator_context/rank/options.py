"""The settings of a document ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

from orchestrator_context import checks

_SHARES: Final = (
    "length_penalty",
    "function_word_weight",
    "expansion_weight",
    "expansion_decay",
    "salience_damping",
)


@dataclass(frozen=True, slots=True)
class RankOptions:
    """What counts in a ranking, and how much.

    >>> RankOptions.from_mapping({"stem": True}).to_mapping()["stem"]
    True

    The defaults rank by the words of the query alone. Weights of fields are relative to the body,
    which weighs 1; bonuses are added to scores, in which a rare word counts about 10, and a word
    that every document holds next to nothing.

    Attributes:
        path_weight: a word in the path, against one in the body; 0 leaves paths out.
        title_weight: a word in the title, which stands in the body too; 0 leaves titles out.
        saturation: k1 of BM25, how soon a repeated word counts no more; 0 counts it once.
        length_penalty: b of BM25, from 0 (lengths do not matter) to 1.
        stem: whether English endings are taken off.
        function_word_weight: what words such as "how" and "the" count in a query; 0 drops them.
        expansion_rounds: how often the query is widened by words of the best documents; 0 is off.
        feedback_documents: how many of the best documents each round takes words from.
        expansion_terms: words at most that a round adds.
        expansion_weight: what the best added word counts; those of the query count 1.
        expansion_decay: what remains of that weight from one round to the next.
        salience_weight: what the document counts, without any query, that the others import most.
        salience_damping: the share of importance that is passed on along imports.
        salience_iterations: how often it is passed on.
        anchor_bonus: what is added for files that introduce others, such as a README.
        carry_over_bonus: what is added for documents that were chosen before and did not change.
    """

    path_weight: float = 3.0
    title_weight: float = 1.0
    saturation: float = 1.2
    length_penalty: float = 0.6
    stem: bool = False
    function_word_weight: float = 0.5
    expansion_rounds: int = 0
    feedback_documents: int = 5
    expansion_terms: int = 8
    expansion_weight: float = 0.4
    expansion_decay: float = 0.7
    salience_weight: float = 0.0
    salience_damping: float = 0.85
    salience_iterations: int = 20
    anchor_bonus: float = 0.25
    carry_over_bonus: float = 0.0

    def __post_init__(self) -> None:
        name = type(self).__name__
        for field in ("path_weight", "title_weight", "saturation"):
            checks.number(f"{name}.{field}", getattr(self, field), most=1_000)
        for field in ("salience_weight", "anchor_bonus", "carry_over_bonus"):
            checks.number(f"{name}.{field}", getattr(self, field), most=1e9)
        for field in _SHARES:
            checks.number(f"{name}.{field}", getattr(self, field), most=1)
        checks.flag(f"{name}.stem", self.stem)
        for field in ("expansion_rounds", "expansion_terms"):
            checks.whole(f"{name}.{field}", getattr(self, field))
        for field in ("feedback_documents", "salience_iterations"):
            checks.whole(f"{name}.{field}", getattr(self, field), least=1)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> RankOptions:
        """Return the options that `mapping` describes; unknown keys are refused."""
        return cls(**checks.known_keys(cls, mapping))

    def to_mapping(self) -> dict[str, object]:
        """Return the options as JSON-able data; `from_mapping` makes them again."""
        return asdict(self)
